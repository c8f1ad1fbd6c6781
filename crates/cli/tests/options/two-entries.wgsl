@vertex fn one() -> @builtin(position) vec4f { return vec4f(1.0); }
@fragment fn two() -> @location(0) vec4f { return vec4f(2.0); }
