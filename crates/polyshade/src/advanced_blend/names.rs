//! Defines blending enums. Each member has a name and a function in the GLSL library.

use crate::code;
use polyshade_spv::Error;

/// Defines enums with the members in the order of Vulkan. Each member has a name, and the library function with the
/// name `$library` + `$function`.
macro_rules! blend_names {
    ($($(#[$doc:meta])* $set:ident: $what:literal, $prefixes:expr, $library:literal {
        $($name:ident $text:literal $function:ident,)*
    })*) => {$(
        crate::host::named! {
            $(#[$doc])*
            #[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
            $set { $($name = $text,)* }
        }

        impl $set {
            /// Returns the member's function in the library.
            pub(super) fn function(self) -> &'static str {
                match self { $(Self::$name => concat!($library, stringify!($function)),)* }
            }
        }

        /// Parses the name in upper or lower case. Accepts the names of Vulkan and OpenGL, too:
        /// `VK_BLEND_OP_HSL_HUE_EXT`, `HSL_HUE_KHR`, `GL_NOOP`.
        impl std::str::FromStr for $set {
            type Err = polyshade_spv::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                crate::advanced_blend::names::read($what, &$prefixes, &Self::ALL.map(|one| (one.name(), one)), text)
            }
        }

        crate::host::as_text!($set);
    )*};
}

pub(super) use blend_names;

/// Returns the value with the name `text`, which may begin with one of `prefixes`.
pub(super) fn read<T: Copy>(
    what: &str,
    prefixes: &[&str],
    all: &[(&str, T)],
    text: &str,
) -> Result<T, Error> {
    let lower = text.trim().to_ascii_lowercase().replace('_', "-");
    let name = prefixes.iter().find_map(|start| lower.strip_prefix(start)).unwrap_or(&lower);
    let name = ["-ext", "-khr"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let name = match name {
        "noop" => "no-op",
        "equiv" => "equivalent",
        name => name,
    };
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        Error::new(&code::BLEND_UNKNOWN_NAME, format!("unknown {what} `{text}`"))
            .help(format!("known names: {}", names.join(", ")))
    })
}
