//! The table of lowerings. Other crates and tools use it to list, name, version and call the lowerings.

/// Calls the macro `$callback` with one row for each lowering. The lowerings of one stage have the signature
/// `fn(&Module, impl Into<Target>, &Options) -> Result<Lowered<Result>, Error>`. Captures into storage buffers have
/// several variants ([`prepare`](crate::transform_feedback::prepare)), and recipes have several stages
/// ([`recipe::lower`](crate::recipe::lower)), so neither has a row.
///
/// A row has the form
///
/// ```text
/// Name(kind, "name", "verb", version) Options => function, "page";
/// ```
///
/// The row contains the number of the options in the C library, the name in reports, the command-line verb, the
/// version, the type of the options, the function, and the page in docs/.
#[macro_export]
macro_rules! lowerings {
    ($callback:ident) => {
        $callback! {
            CaptureExtension(2, "transform_feedback_extension", "capture",
                $crate::transform_feedback::EXTENSION_VERSION)
                $crate::transform_feedback::Options => $crate::transform_feedback::decorate,
                "lowerings/transform-feedback.md";
            VertexPulling(3, "vertex_pulling", "vertex-pulling", $crate::vertex_pulling::VERSION)
                $crate::vertex_pulling::Options => $crate::vertex_pulling::lower,
                "lowerings/vertex-pulling.md";
            PositionOnly(4, "position_only", "position-only", $crate::position_only::VERSION)
                $crate::position_only::Options => $crate::position_only::lower,
                "lowerings/position-only.md";
            ClipSpace(5, "clip_space", "clip-space", $crate::clip_space::VERSION)
                $crate::clip_space::Options => $crate::clip_space::lower,
                "lowerings/clip-space.md";
            RasterizerDiscard(6, "rasterizer_discard", "rasterizer-discard",
                $crate::rasterizer_discard::VERSION)
                $crate::rasterizer_discard::Options => $crate::rasterizer_discard::lower,
                "lowerings/rasterizer-discard.md";
            AdvancedBlend(7, "advanced_blend", "blend", $crate::advanced_blend::VERSION)
                $crate::advanced_blend::Options => $crate::advanced_blend::lower,
                "lowerings/advanced-blend.md";
            ClipCull(8, "clip_cull", "clip", $crate::clip_cull::VERSION)
                $crate::clip_cull::Options => $crate::clip_cull::lower,
                "lowerings/clip-cull.md";
        }
    };
}
