//! Appends a digit to identifiers that are keywords or types in MSL or HLSL. SPIRV-Cross renames only some of them.

use crate::Error;
use polyshade_spv::view::{MemberName, Name};
use polyshade_spv::{Module, Section};

/// A target language with its keywords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    Msl,
    Hlsl,
}

/// The keywords of C++14, including alternative operators, and the keywords of Metal.
const MSL: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class \
    compl const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export \
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator \
    or or_eq private protected public register reinterpret_cast return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using \
    virtual void volatile wchar_t while xor xor_eq constant device fragment kernel metal object_data ptrdiff_t \
    ray_data sampler size_t thread threadgroup threadgroup_imageblock vertex NULL";

/// The keywords and reserved words of HLSL.
const HLSL: &str = "AppendStructuredBuffer asm asm_fragment BlendState bool break Buffer ByteAddressBuffer case \
    cbuffer centroid class column_major compile compile_fragment CompileShader ComputeShader const \
    ConsumeStructuredBuffer continue default DepthStencilState DepthStencilView discard do double DomainShader dword \
    else export extern false float for fxgroup GeometryShader globallycoherent groupshared half Hullshader HullShader \
    if in inline inout InputPatch int interface line lineadj linear LineStream matrix min10float min12int min16float \
    min16int min16uint namespace nointerpolation noperspective NULL out OutputPatch packoffset pass pixelfragment \
    PixelShader point PointStream precise RasterizerState register RenderTargetView return row_major RWBuffer \
    RWByteAddressBuffer RWStructuredBuffer RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D \
    sample sampler SamplerComparisonState SamplerState shared snorm stateblock stateblock_state static string struct \
    StructuredBuffer switch tbuffer technique technique10 technique11 texture Texture1D Texture1DArray Texture2D \
    Texture2DArray Texture2DMS Texture2DMSArray Texture3D TextureCube TextureCubeArray triangle triangleadj \
    TriangleStream true typedef uint uniform unorm unsigned vector vertexfragment VertexShader void volatile while \
    auto catch char const_cast delete dynamic_cast enum explicit friend goto long mutable new operator private \
    protected public reinterpret_cast short signed sizeof static_cast template this throw try typename union using \
    virtual";

/// The component types of vectors and matrices.
const MSL_SCALARS: &str = "bool char double float half int long short uchar uint ulong ushort packed_char packed_float \
    packed_half packed_int packed_long packed_short packed_uchar packed_uint packed_ulong packed_ushort";
const HLSL_SCALARS: &str = "bool double dword float float16_t float32_t float64_t half int int16_t int32_t int64_t \
    min10float min12int min16float min16int min16uint uint uint16_t uint32_t uint64_t";

/// Returns the module with reserved identifiers renamed; `None` if there are none.
pub(super) fn renamed(words: &[u32], language: Language) -> Result<Option<Vec<u32>>, Error> {
    // SPIRV-Cross reports why a module cannot be parsed.
    let Ok(module) = Module::parse(words) else { return Ok(None) };
    let rewritten = module.rewrite(|module, p| {
        let mut is_any = false;
        for inst in module.section(Section::Names) {
            if let Some(name) = Name::of(inst)
                && let Some(other) = other(&name.name(), language)
            {
                p.name(name.target(), &other);
            } else if let Some(name) = MemberName::of(inst)
                && let Some(other) = other(&name.name(), language)
            {
                p.member_name(name.target(), name.member(), &other);
            } else {
                continue;
            }
            p.remove(inst);
            is_any = true;
        }
        Ok(is_any)
    });
    let rewritten = rewritten.map_err(|error| Error::Faulty(error.to_string()))?;
    Ok(rewritten.value.then(|| rewritten.module.into_words()))
}

/// Returns a replacement for a reserved name. glslang appends the parameter types to names of functions.
pub(super) fn other(name: &str, language: Language) -> Option<String> {
    let (name, parameters) = name.split_at(name.find('(').unwrap_or(name.len()));
    is_taken(name, language).then(|| format!("{name}0{parameters}"))
}

fn is_taken(name: &str, language: Language) -> bool {
    let (keywords, scalars) = match language {
        Language::Msl => (MSL, MSL_SCALARS),
        Language::Hlsl => (HLSL, HLSL_SCALARS),
    };
    keywords.split_whitespace().any(|word| word == name)
        || scalars.split_whitespace().any(|scalar| {
            let size = name.strip_prefix(scalar).map(str::as_bytes);
            matches!(size, Some([] | [b'1'..=b'4'] | [b'1'..=b'4', b'x', b'1'..=b'4']))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_language_are_taken_and_no_others() {
        for name in ["new", "this", "xor_eq", "float4", "half3x3", "packed_float3", "uint", "NULL"]
        {
            assert!(is_taken(name, Language::Msl), "{name}");
        }
        for name in ["new", "typename", "float4x1", "min16uint2", "SamplerState", "matrix"] {
            assert!(is_taken(name, Language::Hlsl), "{name}");
        }
        for name in ["new0", "float5", "float4x", "floats", "news", "", "main"] {
            let languages = [Language::Msl, Language::Hlsl];
            assert!(!languages.into_iter().any(|language| is_taken(name, language)), "{name}");
        }
    }
}
