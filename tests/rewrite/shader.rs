//! Shaders to rewrite, and queries about the result.

use polyshade_formats::SpirvVersion;
use polyshade_spv::view::{EntryPoint, FunctionCall};
use polyshade_spv::{Error, ErrorKind, Id, Module, Op, Patch};
use polyshade_tests::shader::{self, ShaderStage, disassemble, validate};
use polyshade_tests::tree;

/// A module that `spirv-val` accepts.
pub(crate) struct Shader {
    module: Module<'static>,
}

impl Shader {
    /// Compiles Vulkan GLSL to SPIR-V 1.0.
    #[track_caller]
    pub(crate) fn glsl(stage: ShaderStage, source: &str) -> Self {
        Self::glsl_for(SpirvVersion::SPIRV1_0, stage, source)
    }

    /// Compiles Vulkan GLSL to a version of SPIR-V.
    #[track_caller]
    pub(crate) fn glsl_for(version: SpirvVersion, stage: ShaderStage, source: &str) -> Self {
        let source = format!("#version 450\n{source}");
        let words = polyshade_formats::compile(&source, stage, version)
            .unwrap_or_else(|error| panic!("{error}"));
        Self::valid(words)
    }

    /// Assembles a module, and keeps numeric ids.
    #[track_caller]
    pub(crate) fn assembled(text: &str) -> Self {
        Self::valid(shader::assemble(text.trim_start()).unwrap_or_else(|error| panic!("{error}")))
    }

    #[track_caller]
    fn valid(words: Vec<u32>) -> Self {
        if let Err(error) = validate(&words) {
            panic!("{error}\n{}", disassemble(&words).unwrap_or_else(|error| error));
        }
        let module = Module::parse_owned(words).unwrap_or_else(|error| panic!("{error}"));
        Self { module }
    }

    /// Returns the result of `edit`. It must be valid, and repeating the edit must give the same result.
    #[track_caller]
    pub(crate) fn rewritten<T>(
        &self,
        edit: impl for<'m> Fn(&'m Module<'static>, &mut Patch<'m, 'static>) -> Result<T, Error>,
    ) -> (Self, T) {
        let next = self.module.rewrite(&edit).unwrap_or_else(|error| panic!("{error}"));
        let again = self.module.rewrite(&edit).unwrap_or_else(|error| panic!("{error}"));
        assert!(next.module.words() == again.module.words(), "the same edits give other words");
        (Self::valid(next.module.into_words()), next.value)
    }

    /// Returns the error of `edit`, which must have this kind.
    #[track_caller]
    pub(crate) fn refused<T>(
        &self,
        kind: ErrorKind,
        edit: impl for<'m> Fn(&'m Module<'static>, &mut Patch<'m, 'static>) -> Result<T, Error>,
    ) -> Error {
        let error = self.module.rewrite(edit).map(drop).expect_err("it should be refused");
        assert_eq!(error.kind(), kind, "{error}");
        error
    }

    pub(crate) fn module(&self) -> &Module<'static> {
        &self.module
    }

    /// Returns the only id with the name `name`.
    #[track_caller]
    pub(crate) fn id(&self, name: &str) -> Id {
        named(&self.module, name)
    }

    /// Returns the type to which a variable points.
    pub(crate) fn pointee(&self, id: Id) -> Id {
        self.module.pointee(id).expect("it is a variable")
    }

    /// Returns the functions that a function calls, in the order of the calls.
    pub(crate) fn calls(&self, function: Id) -> Vec<Id> {
        let body = self.module.function(function).expect("it is a function");
        let calls = body.instructions().filter_map(FunctionCall::of);
        calls.map(|call| call.function()).collect()
    }

    pub(crate) fn count(&self, op: Op) -> usize {
        count(&self.module, op)
    }
}

/// Returns the module of a case in `tests/cases/rewrite`.
#[track_caller]
pub(crate) fn case(path: &str) -> Module<'static> {
    let words = shader::read(&tree::tests().join("cases/rewrite").join(path));
    let words = words.unwrap_or_else(|error| panic!("{error}"));
    Module::parse_owned(words).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the only id in `m` with the name `name`.
#[track_caller]
pub(crate) fn named(m: &Module<'_>, name: &str) -> Id {
    let ids = (1..m.bound()).filter_map(Id::new);
    let found: Vec<Id> = ids.filter(|id| m.name(*id).as_deref() == Some(name)).collect();
    assert_eq!(found.len(), 1, "{name} is the name of {found:?}");
    found[0]
}

pub(crate) fn entry<'m>(m: &'m Module<'_>) -> EntryPoint<'m> {
    assert_eq!(m.entry_points().len(), 1);
    m.entry_points().next().expect("there is one")
}

pub(crate) fn count(m: &Module<'_>, op: Op) -> usize {
    m.instructions().filter(|inst| inst.op() == op).count()
}

/// Returns the error of a tool or lowering, which must have this code.
#[track_caller]
pub(crate) fn refused<T>(made: Result<T, Error>, code: &str) -> Error {
    let error = made.map(|_| ()).expect_err("it is refused");
    assert_eq!(error.code().name(), code, "{error}");
    error
}
