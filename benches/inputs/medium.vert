#version 450

// About 3,300 words, 13 kB: a skinned, wind-blown, lit vertex, as engines have them.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec4 a_tangent;
layout(location = 3) in vec2 a_texcoord;
layout(location = 4) in uvec4 a_joints;
layout(location = 5) in vec4 a_weights;

const int LIGHTS = 8;

struct Light {
    vec4 position;
    vec4 colour;
    vec4 attenuation;
};

layout(set = 0, binding = 0) uniform Camera {
    mat4 view;
    mat4 projection;
    vec4 eye;
    float time;
};

layout(set = 0, binding = 1) uniform Lights {
    Light lights[LIGHTS];
    int light_count;
};

layout(set = 1, binding = 0, std430) readonly buffer Joints {
    mat4 joints[];
};

layout(set = 1, binding = 1) uniform Wind {
    vec4 direction;
    vec4 waves[4];
    float strength;
};

layout(location = 0) out vec3 v_position;
layout(location = 1) out vec3 v_normal;
layout(location = 2) out vec4 v_tangent;
layout(location = 3) out vec2 v_texcoord;
layout(location = 4) out vec3 v_colour;
layout(location = 5) flat out uint v_joint;
layout(location = 6) out float v_fog;

float hash(vec3 p) {
    p = fract(p * 0.3183099 + vec3(0.1, 0.2, 0.3));
    p *= 17.0;
    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}

float noise(vec3 p, float octave) {
    vec3 cell = floor(p * octave);
    vec3 f = fract(p * octave);
    f = f * f * (3.0 - 2.0 * f);
    float near = mix(
        mix(hash(cell), hash(cell + vec3(1.0, 0.0, 0.0)), f.x),
        mix(hash(cell + vec3(0.0, 1.0, 0.0)), hash(cell + vec3(1.0, 1.0, 0.0)), f.x),
        f.y);
    float far = mix(
        mix(hash(cell + vec3(0.0, 0.0, 1.0)), hash(cell + vec3(1.0, 0.0, 1.0)), f.x),
        mix(hash(cell + vec3(0.0, 1.0, 1.0)), hash(cell + vec3(1.0, 1.0, 1.0)), f.x),
        f.y);
    return mix(near, far, f.z);
}

vec3 sway(vec3 p, float t) {
    vec3 moved = p;
    for (int i = 0; i < 4; ++i) {
        float phase = dot(waves[i].xyz, p) + t * waves[i].w;
        moved += direction.xyz * (sin(phase) * strength * noise(p, float(i + 1)));
    }
    if (moved.y < 0.0) {
        moved.y = 0.0;
    }
    return moved;
}

mat4 skin() {
    mat4 m = joints[a_joints.x] * a_weights.x;
    m += joints[a_joints.y] * a_weights.y;
    m += joints[a_joints.z] * a_weights.z;
    m += joints[a_joints.w] * a_weights.w;
    return m;
}

vec3 shade(vec3 position, vec3 normal) {
    vec3 sum = vec3(0.05);
    for (int i = 0; i < LIGHTS; ++i) {
        if (i >= light_count) {
            break;
        }
        vec3 to_light = lights[i].position.xyz - position;
        float distance_squared = max(dot(to_light, to_light), 1e-4);
        vec3 l = to_light * inversesqrt(distance_squared);
        float lambert = max(dot(normal, l), 0.0);
        vec3 h = normalize(l + normalize(eye.xyz - position));
        float gloss = pow(max(dot(normal, h), 0.0), lights[i].attenuation.w);
        float fade = 1.0 / (lights[i].attenuation.x + lights[i].attenuation.y * distance_squared);
        switch (int(lights[i].position.w)) {
        case 0:
            sum += lights[i].colour.rgb * (lambert + gloss) * fade;
            break;
        case 1:
            sum += lights[i].colour.rgb * lambert;
            break;
        default:
            sum += lights[i].colour.rgb * fade;
            break;
        }
    }
    return sum;
}

void main() {
    mat4 m = skin();
    vec3 position = (m * vec4(sway(a_position, time), 1.0)).xyz;
    vec3 normal = normalize(mat3(m) * a_normal);
    v_position = position;
    v_normal = normal;
    v_tangent = vec4(normalize(mat3(m) * a_tangent.xyz), a_tangent.w);
    v_texcoord = a_texcoord + vec2(0.01 * time, 0.0);
    v_colour = shade(position, normal);
    v_joint = a_joints.x;
    v_fog = clamp(length(eye.xyz - position) * 0.01, 0.0, 1.0);
    gl_Position = projection * (view * vec4(position, 1.0));
}
