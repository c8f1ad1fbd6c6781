//! Assembles Direct3D shaders of shader model 4 in the form that Debian's `vkd3d-compiler` reads. Each shader
//! copies inputs to outputs, component by component.

use crate::shader::bytes;
use md5::block_api::compress;

/// The system value of a register: `D3D_NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// An ordinary value.
    Undefined = 0,
    /// `SV_Position`.
    Position = 1,
    /// `SV_ClipDistance`.
    ClipDistance = 2,
    /// `SV_CullDistance`.
    CullDistance = 3,
}

impl Name {
    fn semantic(self) -> &'static str {
        match self {
            Self::Undefined => "VALUE",
            Self::Position => "SV_Position",
            Self::ClipDistance => "SV_ClipDistance",
            Self::CullDistance => "SV_CullDistance",
        }
    }
}

/// Components of a register.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// The system value of the components.
    pub name: Name,
    /// The index of the semantic.
    pub index: u32,
    /// The register.
    pub register: u32,
    /// Its components, the first in the lowest bit.
    pub mask: u8,
}

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A pixel shader, whose output is `SV_Target0`.
    Pixel = 0,
    /// A vertex shader.
    Vertex = 1,
}

/// Returns the container of a shader that copies, for each output, the same components of the given input register.
pub fn shader(stage: Stage, inputs: &[Element], outputs: &[(Element, u32)]) -> Vec<u8> {
    let written: Vec<Element> = outputs.iter().map(|(element, _)| *element).collect();
    let mut code = Vec::new();
    for input in inputs {
        code.extend(declaration(stage, *input, false));
    }
    for output in &written {
        code.extend(declaration(stage, *output, true));
    }
    for (to, from) in outputs {
        let to = operand(OUTPUT, to.register, u32::from(to.mask) << 4);
        code.extend(instruction(MOV, &[to, operand(INPUT, *from, SWIZZLE)].concat()));
    }
    code.extend(instruction(RET, &[]));
    let version = (stage as u32) << 16 | 4 << 4;
    let code = [vec![version, code.len() as u32 + 2], code].concat();
    container(&[
        (*b"ISGN", signature(inputs, stage, false)),
        (*b"OSGN", signature(&written, stage, true)),
        (*b"SHDR", bytes(&code)),
    ])
}

const INPUT: u32 = 1;
const OUTPUT: u32 = 2;
/// All four components in order.
const SWIZZLE: u32 = 1 << 2 | 0xe4 << 4;
/// Opcodes of `D3D10_SB_OPCODE_TYPE`.
const MOV: u32 = 54;
const RET: u32 = 62;
const DCL_INPUT: u32 = 95;
const DCL_INPUT_PS: u32 = 98;
const DCL_INPUT_PS_SIV: u32 = 100;
const DCL_OUTPUT: u32 = 101;
const DCL_OUTPUT_SIV: u32 = 103;
/// `D3D10_SB_INTERPOLATION_LINEAR`, at its position in declarations of pixel shader inputs.
const LINEAR: u32 = 2 << 11;

fn declaration(stage: Stage, element: Element, is_output: bool) -> Vec<u32> {
    let is_named = element.name != Name::Undefined;
    let opcode = match (stage, is_output) {
        (_, true) if is_named => DCL_OUTPUT_SIV,
        (_, true) => DCL_OUTPUT,
        (Stage::Vertex, false) => DCL_INPUT,
        (Stage::Pixel, false) if is_named => DCL_INPUT_PS_SIV | LINEAR,
        (Stage::Pixel, false) => DCL_INPUT_PS | LINEAR,
    };
    let file = if is_output { OUTPUT } else { INPUT };
    let mut operands = operand(file, element.register, u32::from(element.mask) << 4).to_vec();
    if is_named {
        operands.push(element.name as u32);
    }
    instruction(opcode, &operands)
}

/// Encodes a register of four components, with a mask or swizzle.
fn operand(file: u32, register: u32, components: u32) -> [u32; 2] {
    [2 | components | file << 12 | 1 << 20, register]
}

fn instruction(opcode: u32, operands: &[u32]) -> Vec<u32> {
    [&[opcode | (1 + operands.len() as u32) << 24], operands].concat()
}

/// Encodes the inputs or outputs of a stage, followed by their names.
fn signature(elements: &[Element], stage: Stage, is_output: bool) -> Vec<u8> {
    const FLOAT: u32 = 3;
    let mut at = 8 + 24 * elements.len() as u32;
    let (mut words, mut names) = (vec![elements.len() as u32, 8], Vec::new());
    for element in elements {
        let is_target = stage == Stage::Pixel && is_output;
        let semantic = if is_target { "SV_Target" } else { element.name.semantic() };
        let mask = u32::from(element.mask);
        // The second mask contains the components that a stage reads or, for outputs, never writes.
        let used = if is_output { mask ^ 15 } else { mask };
        let name = element.name as u32;
        words.extend([at, element.index, name, FLOAT, element.register, mask | used << 8]);
        names.extend(semantic.bytes().chain([0]));
        at += semantic.len() as u32 + 1;
    }
    names.resize(names.len().next_multiple_of(4), 0);
    [bytes(&words), names].concat()
}

/// Concatenates chunks, after a header with their checksum.
fn container(chunks: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    const HEADER: usize = 32;
    let mut at = HEADER + 4 * chunks.len();
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for (tag, chunk) in chunks {
        offsets.push(at as u32);
        at += 8 + chunk.len();
        data.extend([tag.as_slice(), &bytes(&[chunk.len() as u32]), chunk].concat());
    }
    let head = [1, at as u32, chunks.len() as u32];
    let checked = [bytes(&head), bytes(&offsets), data].concat();
    [b"DXBC".as_slice(), &checksum(&checked), &checked].concat()
}

/// Computes MD5 with a different last block: its first word is the length in bits, and its last word is a quarter of
/// the length with the lowest bit set.
fn checksum(data: &[u8]) -> Vec<u8> {
    let (blocks, rest) = data.as_chunks::<64>();
    let bits = data.len() as u32 * 8;
    let (first, last) = (bytes(&[bits]), bytes(&[bits >> 2 | 1]));
    let padded = |before: &[u8], length: usize| {
        let mut padded = [before, rest, &[0x80]].concat();
        padded.resize(length, 0);
        padded
    };
    let end = match rest.len() {
        56.. => [padded(&[], 64), first, vec![0; 56], last].concat(),
        _ => [padded(&first, 60), last].concat(),
    };
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    compress(&mut state, blocks);
    compress(&mut state, end.as_chunks::<64>().0);
    bytes(&state)
}
