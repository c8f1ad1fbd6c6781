// Moves a water surface up and down.
cbuffer Scene : register(b0) { float4x4 view_projection; float seconds; };
float4 main(float3 position : POSITION) : SV_Position {
    position.y += 0.1 * sin(position.x + seconds);
    return mul(view_projection, float4(position, 1.0));
}
