//! A minimal module.

use crate::grammar::{Capability, ExecutionModel, Op};
use crate::module::Module;
use crate::scan::MAGIC;

impl Module<'_> {
    /// Returns a module of SPIR-V `version` that a rewrite can fill. It has one empty entry point called `main`, of
    /// stage `stage`, and the capability of that stage. It has no execution modes, although some stages need them.
    ///
    /// ```
    /// # use polyshade_spv::{ExecutionModel, Module};
    /// let module = Module::empty((1, 0), ExecutionModel::VERTEX);
    /// assert!(module.entry_point("main", ExecutionModel::VERTEX).is_ok());
    /// ```
    ///
    /// ```text
    ///         OpCapability Shader
    ///         OpMemoryModel Logical GLSL450
    ///         OpEntryPoint Vertex %main "main"
    /// %void = OpTypeVoid
    /// %type = OpTypeFunction %void
    /// %main = OpFunction %void None %type
    ///         OpLabel
    ///         OpReturn
    ///         OpFunctionEnd
    /// ```
    pub fn empty(version: (u8, u8), stage: ExecutionModel) -> Module<'static> {
        let [main, void, ty, label, bound] = [1, 2, 3, 4, 5];
        let (major, minor) = version;
        let mut words = vec![MAGIC, u32::from(major) << 16 | u32::from(minor) << 8, 0, bound, 0];
        let mut push = |op: Op, operands: &[u32]| {
            words.push((operands.len() as u32 + 1) << 16 | u32::from(op.0));
            words.extend_from_slice(operands);
        };
        let capability = match stage {
            ExecutionModel::GEOMETRY => Capability::GEOMETRY,
            ExecutionModel::TESSELLATION_CONTROL | ExecutionModel::TESSELLATION_EVALUATION => {
                Capability::TESSELLATION
            }
            _ => Capability::SHADER,
        };
        push(Op::CAPABILITY, &[capability.0]);
        push(Op::MEMORY_MODEL, &[0, 1]);
        push(Op::ENTRY_POINT, &[stage.0, main, u32::from_le_bytes(*b"main"), 0]);
        push(Op::TYPE_VOID, &[void]);
        push(Op::TYPE_FUNCTION, &[ty, void]);
        push(Op::FUNCTION, &[void, main, 0, ty]);
        push(Op::LABEL, &[label]);
        push(Op::RETURN, &[]);
        push(Op::FUNCTION_END, &[]);
        Module::parse_owned(words).expect("an empty module is well-formed")
    }
}
