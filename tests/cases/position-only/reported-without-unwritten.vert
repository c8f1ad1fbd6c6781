#version 450
// Front ends declare built-ins that nothing writes: they cost nothing.
// RUN: polyshade position-only %s --dry-run --json
// CHECK: "output_bytes": 16

void main() { gl_Position = vec4(0.0); }
