// What it hands on is added.
#version 450
void main() {}
