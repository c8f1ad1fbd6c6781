// The example shaders. The page draws them with the meshes in mesh.js, and binds `Scene` at set 0, binding 0.

const SCENE = `layout(set = 0, binding = 0) uniform Scene {
    mat4 view; float turn, amount; vec2 size;
};`;

const VERTEX = `#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 3) in vec4 colour;
${SCENE}
layout(location = 0) out vec3 v_normal;
layout(location = 1) out vec4 v_colour;

void main() {
    v_normal = normalize(mat3(view) * normal);
    v_colour = colour;
    gl_Position = view * vec4(position, 1.0);
}
`;

const LIT = `#version 450
layout(location = 0) in vec3 v_normal;
layout(location = 1) in vec4 v_colour;
layout(location = 0) out vec4 pixel;

void main() {
    float light = max(0.0, dot(normalize(v_normal), normalize(vec3(0.4, 0.8, -0.6))));
    pixel = vec4(v_colour.rgb * (0.35 + 0.75 * light), 1.0);
}
`;

const SCREEN = `#version 450
layout(location = 0) in vec3 position;

void main() {
    gl_Position = vec4(position, 1.0);
}
`;

export const EXAMPLES = [
    {
        name: "Blend modes: glass discs over bands",
        lowering: "blend",
        form: { equation: "hardlight" },
        mesh: "screen",
        language: "glsl",
        stages: [SCREEN, `#version 450
${SCENE}
layout(location = 0) out vec4 pixel;

// Three soft discs of straight alpha, which the lowering blends over what is there.
vec4 disc(vec2 at, vec2 middle, vec3 colour) {
    float inside = smoothstep(0.33, 0.30, distance(at, middle));
    return vec4(colour, 0.85 * inside);
}

void main() {
    vec2 at = gl_FragCoord.xy / size;
    vec2 swing = 0.08 * vec2(cos(6.2832 * turn), sin(6.2832 * turn));
    vec4 red = disc(at, vec2(0.36, 0.38) + swing, vec3(0.95, 0.25, 0.2));
    vec4 green = disc(at, vec2(0.64, 0.38) - swing, vec3(0.2, 0.8, 0.35));
    vec4 blue = disc(at, vec2(0.50, 0.64), vec3(0.25, 0.35, 0.95));
    float alpha = max(red.a, max(green.a, blue.a));
    vec3 colour = red.rgb * red.a + green.rgb * green.a + blue.rgb * blue.a;
    pixel = vec4(colour / max(0.001, red.a + green.a + blue.a), alpha);
}
`],
    },
    {
        name: "Transform feedback: a twisted torus, captured by a compute stage",
        lowering: "compute",
        mesh: "torus",
        language: "glsl",
        stages: [`#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 3) in vec4 colour;
${SCENE}
layout(location = 0) out vec3 v_normal;
layout(location = 1) out vec4 v_colour;

void main() {
    float angle = 4.0 * amount * position.y;
    mat3 twist = mat3(cos(angle), 0, sin(angle), 0, 1, 0, -sin(angle), 0, cos(angle));
    v_normal = normalize(mat3(view) * twist * normal);
    v_colour = colour;
    gl_Position = view * vec4(twist * position * (1.0 + 0.12 * sin(9.0 * position.x)), 1.0);
}
`, LIT],
    },
    {
        name: "Transform feedback in WGSL: a wave",
        lowering: "compute",
        mesh: "sheet",
        language: "wgsl",
        stages: [`struct Scene { view: mat4x4<f32>, turn: f32, amount: f32, size: vec2<f32> }
@group(0) @binding(0) var<uniform> scene: Scene;

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec4<f32>,
}

@vertex fn main(@location(0) position: vec3<f32>, @location(3) colour: vec4<f32>) -> Varyings {
    let far = length(position.xy);
    let height = 0.25 * scene.amount * cos(9.0 * far - 6.2832 * scene.turn);
    let at = vec3<f32>(position.x * 0.8, height, position.y * 0.8);
    return Varyings(scene.view * vec4<f32>(at, 1.0), colour * (0.7 + 1.2 * height));
}
`, `@fragment fn main(@location(0) colour: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(colour.rgb, 1.0);
}
`],
    },
    {
        name: "Clip distances: a torus clipped by its shader, without the feature",
        lowering: "clip",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX.replace("void main() {", `out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[2];
};

void main() {
    gl_ClipDistance[0] = position.x + 1.1 * amount - 0.2;
    gl_ClipDistance[1] = 0.1 + amount - position.z - 0.5 * position.y;`), LIT],
    },
    {
        name: "User clip planes, as in OpenGL",
        lowering: "planes",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX, LIT],
    },
    {
        name: "OpenGL's depth: half of a torus is missing",
        lowering: "depth",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX.replace("gl_Position = view * vec4(position, 1.0);", `gl_Position = view * vec4(position, 1.0);
    // OpenGL's clip volume is -w to w: what is nearer than its middle is in front of WebGPU's.
    gl_Position.z = gl_Position.z * 2.0 - gl_Position.w;`), LIT],
    },
    {
        name: "Position only: a shader reduced for a depth pass",
        lowering: "position",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX.replace("v_colour = colour;", `v_colour = colour;
    for (int i = 0; i < 4; i++) v_colour.rgb += 0.05 * sin(float(i + 3) * position * 9.0);`), LIT],
    },
    {
        name: "Vertex pulling: the shader fetches its attributes",
        lowering: "pull",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX, LIT],
    },
    {
        name: "Rasterizer discard: nothing is drawn",
        lowering: "discard",
        mesh: "torus",
        language: "glsl",
        stages: [VERTEX, LIT],
    },
];
