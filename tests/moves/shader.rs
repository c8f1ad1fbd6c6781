//! Shaders to move about in, and what is asked of the result.

use polyshade::moves;
use polyshade_formats::SpirvVersion;
use polyshade_spv::view::{EntryPoint, FunctionCall, Variable};
use polyshade_spv::{
    Decoration, Error, ErrorKind, ExecutionModel, Id, Inst, Module, Op, Patch, StorageClass,
};
use polyshade_tests::shader::{ShaderStage, assemble, disassemble, validate};
use spirv_tools::TargetEnv;
use spirv_tools::val::{Validator, ValidatorOptions};

/// A module that `spirv-val` accepts.
pub(crate) struct Shader {
    module: Module<'static>,
    rules: Rules,
}

/// What `spirv-val` is asked.
#[derive(Clone, Copy, PartialEq)]
enum Rules {
    /// Those of the oldest Vulkan that has the version.
    Vulkan,
    /// Those for modules as HLSL compilers hand them on: functions get pointers into outputs, and parts of variables.
    BeforeLegalization,
}

impl Shader {
    /// From assembly, whose numeric ids stay.
    #[track_caller]
    pub(crate) fn assembled(text: &str) -> Self {
        let words = assemble(text.trim_start()).unwrap_or_else(|error| panic!("{error}"));
        Self::valid(words, Rules::Vulkan)
    }

    /// From assembly in which functions get pointers into outputs or parts of variables: no Vulkan takes it, but
    /// compilers hand it on, and drivers are given it.
    #[track_caller]
    pub(crate) fn assembled_before_legalization(text: &str) -> Self {
        let words = assemble(text.trim_start()).unwrap_or_else(|error| panic!("{error}"));
        Self::valid(words, Rules::BeforeLegalization)
    }

    /// From Vulkan GLSL, for SPIR-V 1.0.
    #[track_caller]
    pub(crate) fn glsl(stage: ShaderStage, source: &str) -> Self {
        Self::glsl_for(SpirvVersion::SPIRV1_0, stage, source)
    }

    /// From Vulkan GLSL, for a version of SPIR-V.
    #[track_caller]
    pub(crate) fn glsl_for(version: SpirvVersion, stage: ShaderStage, source: &str) -> Self {
        let source = format!("#version 450\n{source}");
        let words = polyshade_formats::compile(&source, stage, version)
            .unwrap_or_else(|error| panic!("{error}"));
        Self::valid(words, Rules::Vulkan)
    }

    #[track_caller]
    fn valid(words: Vec<u32>, rules: Rules) -> Self {
        let module = Module::parse_owned(words).unwrap_or_else(|error| panic!("{error}"));
        let shader = Self { module, rules };
        shader.check();
        shader
    }

    /// `spirv-val` accepts the module.
    #[track_caller]
    fn check(&self) {
        let words = self.module.words();
        let valid = match self.rules {
            Rules::Vulkan => validate(words),
            Rules::BeforeLegalization => {
                let options = ValidatorOptions { before_legalization: true, ..Default::default() };
                let validator = spirv_tools::val::create(Some(TargetEnv::Vulkan_1_0));
                validator.validate(words, Some(options)).map_err(|error| error.to_string())
            }
        };
        if let Err(error) = valid {
            panic!("{error}\n{}", self.text());
        }
    }

    pub(crate) fn text(&self) -> String {
        disassemble(self.module.words()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same module, which Vulkan takes as well.
    #[track_caller]
    pub(crate) fn for_vulkan(self) -> Self {
        Self::valid(self.module.into_words(), Rules::Vulkan)
    }

    /// After `edit`: valid again, parsed from its words, and the same words when it is edited once more.
    #[track_caller]
    pub(crate) fn rewritten<T>(
        &self,
        edit: impl for<'m> Fn(&'m Module<'static>, &mut Patch<'m, 'static>) -> Result<T, Error>,
    ) -> (Self, T) {
        let next = self.module.rewrite(&edit).unwrap_or_else(|error| panic!("{error}"));
        let again = self.module.rewrite(&edit).unwrap_or_else(|error| panic!("{error}"));
        assert!(next.module.words() == again.module.words(), "the same edits give other words");
        let value = next.value;
        (Self::valid(next.module.into_words(), self.rules), value)
    }

    /// The error of `edit`, which is `Unsupported` or whatever else is expected.
    #[track_caller]
    pub(crate) fn refused<T>(
        &self,
        kind: ErrorKind,
        edit: impl for<'m> Fn(&'m Module<'static>, &mut Patch<'m, 'static>) -> Result<T, Error>,
    ) -> Error {
        let error = match self.module.rewrite(edit) {
            Ok(next) => {
                let text = disassemble(next.module.words()).unwrap_or_else(|error| error);
                panic!("it should be refused, but gives\n{text}");
            }
            Err(error) => error,
        };
        assert_eq!(error.kind(), kind, "{error}");
        error
    }

    /// The version in which the entry point shares nothing, and whether that is another.
    #[track_caller]
    pub(crate) fn isolated(&self, name: &str, model: ExecutionModel) -> (Self, bool) {
        let next = moves::isolate(&self.module, name, model).unwrap_or_else(|e| panic!("{e}"));
        let changed = next.is_changed();
        (Self::valid(next.module.into_words(), self.rules), changed)
    }

    pub(crate) fn module(&self) -> &Module<'static> {
        &self.module
    }

    /// What has the name `name`, which one id has.
    #[track_caller]
    pub(crate) fn id(&self, name: &str) -> Id {
        named(&self.module, name)
    }

    #[track_caller]
    pub(crate) fn variable(&self, id: Id) -> Variable<'_> {
        let definition = self.module.definition(id).unwrap_or_else(|| panic!("there is no {id}"));
        Variable::of(definition).unwrap_or_else(|| panic!("{definition:?}"))
    }

    pub(crate) fn class(&self, id: Id) -> StorageClass {
        self.variable(id).storage_class()
    }

    /// The type of what the variable holds.
    pub(crate) fn pointee(&self, id: Id) -> Id {
        self.module.pointer(self.variable(id).pointer_type()).expect("it is a pointer").1
    }

    /// The interface of the entry point `name`, the first of that name.
    #[track_caller]
    pub(crate) fn interface(&self, name: &str) -> Vec<Id> {
        let entry = self.module.entry_points().find(|entry| entry.name() == name);
        entry.expect("there is such an entry point").interface().collect()
    }

    /// The instructions of a function, from `OpFunction` to `OpFunctionEnd`.
    #[track_caller]
    pub(crate) fn body(&self, function: Id) -> Vec<Inst<'_>> {
        let body = self.module.function(function);
        body.unwrap_or_else(|| panic!("{function} is no function")).instructions().collect()
    }

    pub(crate) fn ops(&self, function: Id) -> Vec<Op> {
        self.body(function).iter().map(|inst| inst.op()).collect()
    }

    /// The functions that a function calls, in the order of the calls.
    pub(crate) fn calls(&self, function: Id) -> Vec<Id> {
        let calls = self.body(function).into_iter().filter_map(FunctionCall::of);
        calls.map(|call| call.function()).collect()
    }

    pub(crate) fn location(&self, id: Id) -> Option<u32> {
        self.module.decoration(id, Decoration::LOCATION).map(|words| words[0])
    }

    pub(crate) fn count(&self, op: Op) -> usize {
        self.module.instructions().filter(|inst| inst.op() == op).count()
    }
}

/// What has the name `name` in `m`, which one id has.
#[track_caller]
pub(crate) fn named(m: &Module<'_>, name: &str) -> Id {
    let ids = (1..m.bound()).filter_map(Id::new);
    let found: Vec<Id> = ids.filter(|id| m.name(*id).as_deref() == Some(name)).collect();
    assert_eq!(found.len(), 1, "{name} is the name of {found:?}");
    found[0]
}

/// The only entry point.
pub(crate) fn entry<'m>(m: &'m Module<'_>) -> EntryPoint<'m> {
    assert_eq!(m.entry_points().len(), 1);
    m.entry_points().next().expect("there is one")
}

/// The outputs in the interface of `entry`.
pub(crate) fn outputs(m: &Module<'_>, entry: EntryPoint<'_>) -> Vec<Id> {
    let is_output = |id: &Id| m.storage_class(*id) == Some(StorageClass::OUTPUT);
    entry.interface().filter(is_output).collect()
}
