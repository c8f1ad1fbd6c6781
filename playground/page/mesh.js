// The vertices that the page draws: position, normal, texture coordinate and colour, at locations 0 to 3.

export const STRIDE = 48;

export const ATTRIBUTES = [
    { location: 0, offset: 0, format: "float32x3", vulkan: "r32g32b32_sfloat", name: "vec3 position" },
    { location: 1, offset: 12, format: "float32x3", vulkan: "r32g32b32_sfloat", name: "vec3 normal" },
    { location: 2, offset: 24, format: "float32x2", vulkan: "r32g32_sfloat", name: "vec2 uv" },
    { location: 3, offset: 32, format: "float32x4", vulkan: "r32g32b32a32_sfloat", name: "vec4 colour" },
];

// Returns the triangles of a grid, whose vertices a function computes from points of the unit square.
function triangles([columns, rows], vertex) {
    const words = [];
    const corners = [[0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 1]];
    for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
            for (const [x, y] of corners) {
                words.push(...vertex((column + x) / columns, (row + y) / rows));
            }
        }
    }
    return new Float32Array(words);
}

const hue = (at) => [0, 2, 4].map((shift) => 0.55 + 0.45 * Math.cos(6.2832 * at + shift));

function torus(u, v) {
    const [a, b] = [u * 2 * Math.PI, v * 2 * Math.PI];
    const normal = [Math.cos(a) * Math.cos(b), Math.sin(b), Math.sin(a) * Math.cos(b)];
    const ring = [0.62 * Math.cos(a), 0, 0.62 * Math.sin(a)];
    const position = ring.map((one, axis) => one + 0.28 * normal[axis]);
    return [...position, ...normal, u, v, ...hue(u), 1];
}

function sheet(u, v) {
    return [2 * u - 1, 2 * v - 1, 0, 0, 0, 1, u, v, ...hue(u), 1];
}

// Returns one triangle that covers all pixels.
function screen() {
    const corners = [[-1, -1], [3, -1], [-1, 3]];
    const vertex = ([x, y]) => [x, y, 0, 0, 0, 1, x / 2 + 0.5, y / 2 + 0.5, 1, 1, 1, 1];
    return new Float32Array(corners.flatMap(vertex));
}

const made = {
    torus: () => triangles([48, 24], torus),
    sheet: () => triangles([24, 24], sheet),
    screen,
};

export const MESHES = {
    torus: "a torus",
    sheet: "a sheet of 24 × 24 squares",
    screen: "one triangle over all pixels",
};

const known = new Map();

// Returns the vertices of a mesh, and the number of vertices.
export function mesh(name) {
    if (!known.has(name)) {
        const contents = made[name]();
        known.set(name, { contents, count: (contents.length * 4) / STRIDE });
    }
    return known.get(name);
}
