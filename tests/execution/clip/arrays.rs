//! GLSL that declares, writes and reads the built-in arrays of distances.

/// Returns a text for each built-in array that has elements, made from its name and size.
pub(crate) fn each_array([clip, cull]: [u32; 2], text: impl Fn(&str, u32) -> String) -> String {
    let arrays = [("gl_ClipDistance", clip), ("gl_CullDistance", cull)];
    let arrays = arrays.into_iter().filter(|(_, count)| *count > 0);
    arrays.map(|(name, count)| text(name, count)).collect()
}

/// Returns a text for each element of the built-in arrays, made from the array's name and the index.
pub(crate) fn each_element(counts: [u32; 2], text: impl Fn(&str, u32) -> String) -> String {
    each_array(counts, |name, count| (0..count).map(|i| text(name, i)).collect())
}

/// Declares a stage's built-in outputs in GLSL, with arrays of these sizes. If one array were declared outside the
/// block, the block would keep the other array with one element, which counts towards the device's limit.
pub(crate) fn per_vertex(counts: [u32; 2]) -> String {
    let arrays = each_array(counts, |name, count| format!("float {name}[{count}]; "));
    format!("out gl_PerVertex {{ vec4 gl_Position; float gl_PointSize; {arrays}}};\n")
}

/// Declares the built-in arrays as inputs of a fragment stage.
pub(crate) fn inputs(counts: [u32; 2]) -> String {
    each_array(counts, |name, count| format!("in float {name}[{count}];\n"))
}
