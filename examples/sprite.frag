// Draws a tinted sprite, and writes its glow to a second target.
#version 450
layout(location = 0) in vec4 v_color;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 glow;
layout(push_constant) uniform Sprite { vec4 tint; } sprite;
void main() {
    color = v_color * sprite.tint;
    glow = vec4(color.rgb * color.a, color.a);
}
