// A diamond of calls, with control flow, an extended instruction, an array, and functions that must not be linked.
#version 450
float base(const float x) { return sin(x) * 2.0; }
float left(const float x) { return base(x) + 1.0; }
float right(const float x) { precise float y = base(x) - 1.0; return y; }
float top(const float x, const int n) {
    float table[3] = float[](1.0, 2.0, 3.0);
    float sum = 0.0;
    for (int i = 0; i < n; ++i) {
        switch (i) {
            case 0: sum += left(x); break;
            case 1: sum += right(x) * table[i % 3]; break;
            default: sum += x;
        }
    }
    return sum;
}
float unused(const float x) { return cos(x); }
void main() { top(1.0, 3); unused(1.0); }
