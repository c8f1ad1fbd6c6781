//! Alpha to coverage in the shader. It uses the source's alpha, where fixed-function hardware would use the blended
//! alpha.

use super::functions::Functions;
use super::outputs::{Numbers, Piece};
use crate::rewrite;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Cursor, Id, Module, Op, Patch, Position, StorageClass};

/// The number of samples in one word of a sample mask.
pub(super) const MOST_SAMPLES: u32 = 32;

pub(super) fn has_alpha(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| piece.numbers == Numbers::Floats && piece.first + piece.count == 4)
}

/// The first word of the sample mask, and the value that the shader wrote to it, if any.
pub(super) struct Mask {
    word: Id,
    /// The type of the word: `int` or `uint`.
    ty: Id,
    before: Option<Id>,
}

impl Mask {
    /// Finds the sample mask output of the shader, or adds one, and loads the mask at `at`.
    pub(super) fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        at: Position<'m>,
    ) -> Self {
        let class = StorageClass::OUTPUT;
        let found = rewrite::find_builtin(m, entry, class, BuiltIn::SAMPLE_MASK);
        let (array, ty, is_written) = match found {
            // All producers declare the mask as a separate variable. A block member would work as well.
            Some(found) => {
                let mut code = p.at(at);
                let pointer = found.pointer(&mut code);
                (pointer, m.innermost_element(found.ty), true)
            }
            None => {
                let int = p.int();
                let array = p.array(int, 1);
                (rewrite::add_output_builtin(p, entry, BuiltIn::SAMPLE_MASK, array), int, false)
            }
        };
        let mut code = p.at(at);
        let pointer = code.p.pointer(class, ty);
        let first = code.p.uint_constant(0);
        let word = code.access_chain(pointer, array, &[first]);
        let before = is_written.then(|| {
            let value = code.load(ty, word);
            let int = code.p.int();
            if ty == int { value } else { code.bitcast(int, value) }
        });
        Self { word, ty, before }
    }

    /// Emits a store of the mask, reduced according to the alpha of `source`, which is four floats.
    ///
    /// ```text
    /// %alpha    = OpCompositeExtract %float %source 3
    /// %coverage = OpFunctionCall %int %coverage %alpha %samples
    /// %mask     = OpBitwiseAnd %int %coverage %before
    ///             OpStore %gl_SampleMask_0 %mask
    /// ```
    pub(super) fn store(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        functions: &Functions,
        (source, samples): (Id, u32),
    ) {
        let (float, int) = (code.p.float(), code.p.int());
        let alpha = code.extract(float, source, &[3]);
        let samples = code.p.uint_constant(samples);
        let mut mask = code.call(int, functions.get("coverage"), &[alpha, samples]);
        if let Some(before) = self.before {
            mask = code.binary(Op::BITWISE_AND, int, mask, before);
        }
        if self.ty != int {
            mask = code.bitcast(self.ty, mask);
        }
        code.store(self.word, mask);
    }
}
