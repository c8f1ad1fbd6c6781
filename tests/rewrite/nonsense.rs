//! Invalid modules that fuzz targets have found. Rewrite tools refuse or rewrite such modules, and do not panic.

use polyshade::rewrite::{DceOptions, Place, Scalarized, dce, scalarize, specialize};
use polyshade::transform_feedback::capturable;
use polyshade_spv::{Id, Module, Op, StorageClass};
use polyshade_testing::calls::make_all;
use polyshade_tests::shader::{ShaderStage, assemble, compile};

/// Returns the words with a width of 0 for all integer types.
fn without_bits(words: &[u32]) -> Vec<u32> {
    let module = Module::parse(words).expect("the compiled module parses");
    let mut changed = words.to_vec();
    for inst in module.instructions().filter(|inst| inst.op() == Op::TYPE_INT) {
        changed[inst.at() as usize + 2] = 0;
    }
    changed
}

/// Removes dead code, and returns the number of functions that are left.
#[track_caller]
fn functions_left(words: &[u32]) -> usize {
    let module = Module::parse(words).expect("it has the form of a module");
    let left = dce(&module, &DceOptions::new()).expect("nothing is refused");
    Module::parse(left.module.words()).expect("it can be read again").functions().count()
}

#[test]
fn loops_that_count_in_integers_of_no_bits_are_left_alone() {
    let source = "#version 450
        layout(location = 0) in flat int end;
        layout(location = 0) out float sum;
        void main() {
            for (int i = 0; i < 8; ++i) { int dead = i; }
            for (uint i = 7; i > 2; --i) { uint dead = i; }
            sum = 1.0;
        }";
    let words = compile(source, ShaderStage::Fragment).expect("it compiles");
    for words in [words.clone(), without_bits(&words)] {
        functions_left(&words);
    }
}

#[test]
fn loops_that_branch_to_what_is_no_label_are_left_alone() {
    let source = "#version 450
        layout(location = 0) out float sum;
        float add(float by) {
            float sum = 0.0;
            for (int i = 0; i < 8; ++i) sum += by;
            return sum;
        }
        void main() { sum = add(1.0); }";
    let words = compile(source, ShaderStage::Fragment).expect("it compiles");
    let module = Module::parse(&words).expect("the compiled module parses");
    let parameter = module.instructions().find(|inst| inst.op() == Op::FUNCTION_PARAMETER);
    let parameter = parameter.and_then(|inst| inst.result()).expect("there is a parameter");
    let branches = module.instructions().filter(|inst| inst.op() == Op::BRANCH_CONDITIONAL);
    let branches: Vec<usize> = branches.map(|inst| inst.at() as usize).collect();
    assert!(!branches.is_empty());
    // Change either target of a branch out of the loop.
    for (at, way) in branches.into_iter().flat_map(|at| [(at, 2), (at, 3)]) {
        let mut changed = words.clone();
        changed[at + way] = parameter.word();
        functions_left(&changed);
    }
}

#[test]
fn constants_of_no_bits_cannot_be_specialized() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpDecorate %size SpecId 3\n\
        %int = OpTypeInt 32 1\n%size = OpSpecConstant %int 5\n%sum = OpSpecConstantOp %int IAdd %size %size\n";
    let words = without_bits(&assemble(text).expect("it is assembly"));
    let module = Module::parse(&words).expect("it has the form of a module");
    let next = specialize(&module, &[(3, 7)]).expect("the constant is there");
    assert!(!next.is_changed(), "there is no constant of such a type");
}

#[test]
fn a_variable_as_the_scope_of_another_access_is_refused() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %from %to\n\
        %void = OpTypeVoid\n%procedure = OpTypeFunction %void\n%float = OpTypeFloat 32\n\
        %input = OpTypePointer Input %float\n%output = OpTypePointer Output %float\n\
        %from = OpVariable %input Input\n%to = OpVariable %output Output\n\
        %main = OpFunction %void None %procedure\n%1 = OpLabel\n%value = OpLoad %float %from Volatile\n\
        OpReturn\nOpFunctionEnd\n";
    let mut words = assemble(text).expect("it is assembly");
    let module = Module::parse(&words).expect("it has the form of a module");
    let to = module.variables().find(|one| one.storage_class() == StorageClass::OUTPUT);
    let to = to.expect("there is an output").result();
    let load = module.instructions().find(|inst| inst.op() == Op::LOAD).expect("there is a load");
    // `MakePointerVisible`, whose operand is a scope.
    let at = load.at() as usize;
    let visible =
        [6 << 16 | u32::from(Op::LOAD.0), words[at + 1], words[at + 2], words[at + 3], 0x10];
    words.splice(at..at + 5, visible.into_iter().chain([to.word()]));
    let module = Module::parse(&words).expect("it has the form of a module");
    let place = |id: Id| Some(Place { variable: id, path: Vec::new() });
    let places = [place(to)];
    let what = Scalarized { variable: to, per_vertex: false, write_only: false, places: &places };
    let refused = module.rewrite(|m, p| scalarize(m, p, what, StorageClass::OUTPUT));
    let error = refused.map(|_| ()).expect_err("a scope is no access");
    assert!(
        error.message().contains("an instruction other than a load or store uses it"),
        "{error}"
    );
}

#[test]
fn a_pointer_into_a_variable_is_no_variable_to_take_apart() {
    let source = "#version 450
        layout(location = 0) in vec4 from;
        layout(location = 0) out float to;
        void main() { to = from.y; }";
    let words = compile(source, ShaderStage::Vertex).expect("it compiles");
    let module = Module::parse(&words).expect("the compiled module parses");
    let input = module.variables().find(|one| one.storage_class() == StorageClass::INPUT);
    let input = input.expect("there is an input").result();
    let chain = module.uses_of(input).find(|inst| inst.op() == Op::ACCESS_CHAIN);
    let pointer = chain.and_then(|inst| inst.result()).expect("a component is read");
    let places = [1, 0].map(|part| Some(Place { variable: input, path: vec![part] }));
    let scattered = |variable, places| {
        let what = Scalarized { variable, per_vertex: false, write_only: false, places };
        let next = module.rewrite(|m, p| scalarize(m, p, what, StorageClass::INPUT));
        next.map(|next| Module::parse(next.module.words()).expect("it can be read again").bound())
    };
    let error = scattered(pointer, &places[..1]).expect_err("it is a pointer");
    assert!(error.message().contains("the id to scalarize is not a variable"), "{error}");
    let four = [places.clone(), places.clone()].concat();
    scattered(input, &four).expect("it is a variable");
}

#[test]
fn an_interface_that_lists_what_a_dead_function_defines_leaves_nothing_of_it() {
    let source = "#version 450
        layout(location = 0) out float sum;
        float half_of(float x) { return 0.5 * x; }
        void main() { float dead = half_of(3.0); sum = 1.0; }";
    let words = compile(source, ShaderStage::Fragment).expect("it compiles");
    let module = Module::parse(&words).expect("the compiled module parses");
    let label = module.instructions().filter(|inst| inst.op() == Op::LABEL).last();
    let label = label.and_then(|inst| inst.result()).expect("there is a label");
    let entry = module.entry_points().next().expect("there is one").inst();
    let mut changed = words.clone();
    changed[entry.end() as usize - 1] = label.word();
    functions_left(&changed);
}

#[test]
fn a_chain_that_is_indexed_by_a_value_of_a_dead_function_leaves_nothing_of_its_callees() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %to\n\
        OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n\
        %float = OpTypeFloat 32\n%function = OpTypeFunction %float\n%half = OpConstant %float 0.5\n\
        %pair = OpTypeStruct %float %float\n%pairs = OpTypePointer Function %pair\n\
        %own = OpTypePointer Function %float\n%output = OpTypePointer Output %float\n%to = OpVariable %output Output\n\
        %main = OpFunction %void None %procedure\n%1 = OpLabel\n%local = OpVariable %pairs Function\n\
        %chain = OpAccessChain %own %local %outer_value\nOpStore %chain %half\n%value = OpLoad %float %chain\n\
        OpStore %to %value\nOpReturn\nOpFunctionEnd\n\
        %inner = OpFunction %float None %function\n%2 = OpLabel\nOpReturnValue %half\nOpFunctionEnd\n\
        %outer = OpFunction %float None %function\n%3 = OpLabel\n%outer_value = OpFunctionCall %float %inner\n\
        OpReturnValue %outer_value\nOpFunctionEnd\n";
    let words = assemble(text).expect("it is assembly");
    assert_eq!(functions_left(&words), 1);
}

#[test]
fn billions_of_elements_without_members_are_not_looked_at_one_by_one() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %to\n\
        OpName %to \"to\"\n%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n\
        %count = OpConstant %uint 4000000000\n%nothing = OpTypeStruct\n%array = OpTypeArray %nothing %count\n\
        %output = OpTypePointer Output %array\n%to = OpVariable %output Output\n\
        %main = OpFunction %void None %procedure\n%1 = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let words = assemble(text).expect("it is assembly");
    let module = Module::parse(&words).expect("it has the form of a module");
    let entry = module.entry_points().next().expect("there is one");
    assert_eq!(capturable(&module, entry).len(), 1);
}

/// Returns a stage with an output of type `ty`, in addition to the position or the colour.
fn with_an_output_of(ty: &str, is_vertex: bool) -> Vec<u32> {
    let (stage, decoration) = if is_vertex {
        ("OpEntryPoint Vertex %main \"main\" %first %to", "BuiltIn Position")
    } else {
        let mode = "OpExecutionMode %main OriginUpperLeft";
        (&*format!("OpEntryPoint Fragment %main \"main\" %first %to\n{mode}"), "Location 0")
    };
    let text = format!(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n{stage}\nOpDecorate %first {decoration}\n\
         OpDecorate %to Location 1\n%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n\
         %float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n%two = OpConstant %uint 2\n\
         %four = OpTypeVector %float 4\n%null = OpConstantNull %four\n\
         %output = OpTypePointer Output %four\n%first = OpVariable %output Output\n\
         %type = {ty}\n%own = OpTypePointer Output %type\n%to = OpVariable %own Output\n\
         %main = OpFunction %void None %procedure\n%1 = OpLabel\nOpStore %first %null\n\
         %value = OpLoad %type %to\nOpStore %to %value\nOpReturn\nOpFunctionEnd\n"
    );
    assemble(&text).expect("it is assembly")
}

#[test]
fn types_of_themselves_have_an_end() {
    let types = [
        "OpTypeVector %type 4",
        "OpTypeMatrix %type 4",
        "OpTypeArray %type %two",
        "OpTypeStruct %type %type %float",
    ];
    for (ty, is_vertex) in types.into_iter().flat_map(|ty| [(ty, true), (ty, false)]) {
        let words = with_an_output_of(ty, is_vertex);
        let mut made = Vec::new();
        make_all(&words, &mut |name, make| {
            make();
            made.push(name);
        });
        // The expected lowering must give a result, which shows that it has processed the variable.
        let expected = if is_vertex { "clip-planes" } else { "clip-emulate-fragment" };
        assert!(made.contains(&expected), "{ty}: {made:?}");
    }
}
