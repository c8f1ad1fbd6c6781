//! Lowerings with deliberate faults. `verify` must find each of them different.

use crate::subject::{self, DRIVERS, Subject, vertex};
use polyshade::host::{AddressSource, ParamSource};
use polyshade_tests::shader::disassemble;
use polyshade_verify::{Difference, Part};

/// Captures a matrix, a vector and a scalar into one buffer, and copied values into another.
fn subject() -> Subject {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 1) in uvec2 b;
        layout(location = 0) out mat2 v_matrix;
        layout(location = 2) out vec3 v_vector;
        layout(location = 3) flat out uint v_id;
        layout(location = 4) out float v_bits;
        void main() {
            v_matrix = mat2(a.x, a.y, a.z, a.w);
            v_vector = vec3(0.0);
            v_id = uint(gl_VertexIndex) + 100u * uint(gl_InstanceIndex);
            v_bits = uintBitsToFloat(b.x);
            v_vector = a.xyz * 2.0 + vec3(float(gl_VertexIndex));
            gl_Position = a;
        }",
    );
    let list = "v_matrix v_vector gl_SkipComponents1 gl_NextBuffer v_id v_bits";
    Subject::interleaved(words, list)
}

/// The lines of a module, with the edited function separate.
struct Text {
    words: Vec<u32>,
    before: Vec<String>,
    function: Vec<String>,
    after: Vec<String>,
}

impl Text {
    /// Disassembles a variant and finds its function `name`.
    fn of(words: &[u32], name: &str) -> Text {
        let text = disassemble(words).expect("polyshade's words can be read");
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        let head = format!("%{name} = OpFunction ");
        let start = lines.iter().position(|line| line.starts_with(&head));
        let start = start.unwrap_or_else(|| panic!("there is no function {name} in\n{text}"));
        let length = lines[start..].iter().position(|line| line == "OpFunctionEnd");
        let end = start + length.expect("a function ends");
        Text {
            words: words.to_vec(),
            before: lines[..start].to_vec(),
            function: lines[start..end].to_vec(),
            after: lines[end..].to_vec(),
        }
    }

    /// Returns the index of the `nth` line, counted from 0, that `is` accepts.
    #[track_caller]
    fn line(&self, nth: usize, is: impl Fn(&str) -> bool) -> usize {
        let mut found = (0..self.function.len()).filter(|line| is(&self.function[*line]));
        found.nth(nth).unwrap_or_else(|| panic!("it is not in\n{}", self.function.join("\n")))
    }

    /// Returns the index of the `nth` line that contains all `parts`.
    #[track_caller]
    fn with(&self, nth: usize, parts: &[&str]) -> usize {
        self.line(nth, |line| parts.iter().all(|part| line.contains(part)))
    }

    /// Replaces a token of a line.
    fn replace(mut self, line: usize, from: &str, to: &str) -> Text {
        let mut words: Vec<&str> = self.function[line].split(' ').collect();
        let at = words.iter().rposition(|word| *word == from);
        words[at.unwrap_or_else(|| panic!("no {from} in `{}`", self.function[line]))] = to;
        self.function[line] = words.join(" ");
        self
    }

    /// Replaces an operand of the line that contains all `parts`.
    fn replace_operand(self, parts: &[&str], operand: usize, to: &str) -> Text {
        let line = self.with(0, parts);
        let from = self.operands(line)[operand].to_owned();
        self.replace(line, &from, to)
    }

    /// Returns the operands of a line, without its result and opcode.
    fn operands(&self, line: usize) -> Vec<&str> {
        let text = self.function[line].split_once(" = ").map_or(&*self.function[line], |one| one.1);
        text.split(' ').skip(1).collect()
    }

    fn into_words(self) -> Vec<u32> {
        let lines = [self.before, self.function, self.after].concat();
        subject::reassembled(&self.words, &lines)
    }
}

/// Returns the indices of the lines that store to feedback buffers, in order.
fn stores(text: &Text) -> Vec<usize> {
    let is_store = |line: &usize| text.function[*line].starts_with("OpStore ");
    let feedback = |line: &usize| {
        let pointer = text.operands(*line)[0];
        let chain = text.function.iter().find(|line| line.starts_with(&format!("{pointer} = ")));
        chain.is_some_and(|chain| chain.contains("polyshade_feedback"))
    };
    (0..text.function.len()).filter(is_store).filter(feedback).collect()
}

/// Returns the first difference on one of the drivers.
#[track_caller]
fn difference(subject: &Subject) -> Difference {
    let find = |driver| subject::difference(driver, subject.verify(driver));
    // If two vertices are stored to one place, the first differing vertex may be random, so only the part is
    // compared.
    subject::agreed(&DRIVERS, &subject.words, find, |one| one.part)
}

/// Returns the difference after an edit of function `name` of the capture-only variant.
#[track_caller]
fn edited(name: &str, edit: impl Fn(Text) -> Text) -> Difference {
    edited_of(subject(), name, edit)
}

/// Returns the difference after an edit of function `name` in another subject.
#[track_caller]
fn edited_of(subject: Subject, name: &str, edit: impl Fn(Text) -> Text) -> Difference {
    let words = subject.rewrite(|capture| capture.capture_only.words().to_vec());
    let broken = edit(Text::of(&words, name)).into_words();
    assert!(broken != words, "nothing is broken");
    let found = difference(&subject.given(Part::CaptureOnly, broken));
    assert_eq!(found.part, Part::CaptureOnly, "{found}");
    found
}

/// Returns the difference after replacing a token of the `nth` line that contains all `parts`.
#[track_caller]
fn replaced(name: &str, nth: usize, parts: &[&str], [from, to]: [&str; 2]) -> Difference {
    edited(name, |text| {
        let line = text.with(nth, parts);
        text.replace(line, from, to)
    })
}

/// Returns the subject with buffers at device addresses.
fn by_address() -> Subject {
    let mut subject = subject();
    subject.options =
        subject.options.params(ParamSource::Address(AddressSource::PushConstant { offset: 0 }));
    subject
}

/// The second buffer's address, host parameter 9, follows five parameters of the draw and four of the first buffer.
#[test]
fn an_address_is_that_of_another_buffer() {
    // Replace both halves of the address. If only one half is replaced and the buffers are on different sides of a 4
    // GiB boundary, the address points outside any buffer.
    let found = edited_of(by_address(), "store_to_slot", |text| {
        let words = [("%uint_9", "%uint_5"), ("%uint_10", "%uint_6")];
        words.into_iter().fold(text, |text, (own, other)| {
            let line = text.with(0, &["OpAccessChain %_ptr_PhysicalStorageBuffer_uint", own]);
            text.replace(line, own, other)
        })
    });
    assert!(found.to_string().contains("buffer"), "{found}");
}

/// The size of a range, host parameter 7, is the only limit on the accessed memory.
#[test]
fn a_range_in_memory_has_the_size_of_another_word() {
    edited_of(by_address(), "primitives_that_fit", |text| {
        let line = text.with(0, &["OpAccessChain %_ptr_PhysicalStorageBuffer_uint", "%uint_7"]);
        text.replace(line, "%uint_7", "%uint_3")
    });
}

#[test]
fn what_is_not_broken_is_equal() {
    by_address().is_equal();
    let subject = subject();
    let words = subject.rewrite(|capture| capture.capture_only.words().to_vec());
    let same = Text::of(&words, "store_to_slot").into_words();
    subject.given(Part::CaptureOnly, same).is_equal();
}

#[test]
fn a_dropped_store() {
    let found = edited("store_to_slot", |mut text| {
        let store = stores(&text)[1];
        text.function.remove(store);
        text
    });
    assert_eq!(found.varying.as_deref(), Some("v_matrix, column 0"));
    assert_eq!(found.component, Some(1));
    assert_eq!(found.found.expect("it has a value").bits, [0xa5a5_a5a5]);
    assert_eq!(found.vertex, Some((0, 0)));
}

/// Exchanges the values of two stores.
fn swap_values(text: Text, one: usize, other: usize) -> Text {
    let [(pointer, value), (_, later)] = [one, other]
        .map(|line| (text.operands(line)[0].to_owned(), text.operands(line)[1].to_owned()));
    let mut text = text.replace(other, &later, &value);
    // The first store's new value is not yet defined at the first store's position, so the store moves after the
    // second.
    text.function.insert(other + 1, format!("OpStore {pointer} {later}"));
    text.function.remove(one);
    text
}

/// Components of a vector, and the rows of a matrix.
#[test]
fn swapped_values() {
    for (one, other, varying, component) in
        [(4, 5, "v_vector", None), (1, 2, "v_matrix, column 0", Some(1))]
    {
        let found = edited("store_to_slot", |text| {
            let all = stores(&text);
            swap_values(text, all[one], all[other])
        });
        assert_eq!(found.varying.as_deref(), Some(varying));
        assert!(component.is_none_or(|component| found.component == Some(component)), "{found}");
    }
}

/// Wrong operands, each with a part of the difference.
#[test]
fn other_operands_are_different() {
    for (function, nth, line, [right, wrong], part) in [
        (
            "slot_of_triangle_strip",
            0,
            &["OpBitwiseAnd", "%uint_1"][..],
            ["%uint_1", "%uint_0"],
            "draw: TriangleStrip",
        ),
        ("provoking_last", 0, &["OpBitwiseAnd"], ["%uint_1", "%uint_0"], "provoking vertex Last"),
        // The stride, the offset, and the counter of a resumed capture.
        ("store_to_slot", 0, &["OpIMul", "%uint_8"], ["%uint_8", "%uint_7"], ""),
        ("store_to_slot", 0, &["OpShiftRightLogical"], ["%uint_2", "%uint_1"], "buffer 0"),
        ("store_to_slot", 1, &["OpShiftRightLogical"], ["%uint_2", "%uint_16"], "resumed"),
    ] {
        let found = replaced(function, nth, line, [right, wrong]).to_string();
        assert!(found.contains(part), "{function} {line:?}: {found}");
    }
}

/// Returns whether words were written past the last vertex or past the range. The first one differs between drivers.
fn exceeds_a_limit(found: &Difference) -> bool {
    let limits = ["past its last vertex", "past the end of its range"];
    limits.into_iter().any(|limit| found.message.contains(limit))
}

#[test]
fn a_limit_that_counts_vertices_and_not_primitives() {
    // Part of a primitive is stored if the buffer ends within the primitive.
    let found = replaced("put", 0, &["OpULessThan"], ["OpULessThan", "OpULessThanEqual"]);
    assert!(exceeds_a_limit(&found), "{found}");
}

#[test]
fn a_limit_that_is_not_kept() {
    // Write no further than the guard, because writes beyond the guard would crash the driver.
    let found = edited("primitives_that_fit", |mut text| {
        let line = text.line(0, |line| line.starts_with("OpReturnValue"));
        let value = text.operands(line)[0].to_owned();
        text.function.insert(line, format!("%more = OpIAdd %uint {value} %uint_2"));
        text.replace(line + 1, &value, "%more")
    });
    assert!(exceeds_a_limit(&found), "{found}");
}

/// A first vertex that is not subtracted, and instances in another order.
#[test]
fn other_vertices_are_different() {
    for (function, op, other, part) in [
        ("main", "OpISub", "%uint_0", "vertices 253..260"),
        ("capture", "OpIMul", "%uint_2", " of instance "),
    ] {
        let found = edited(function, |text| text.replace_operand(&[op], 2, other)).to_string();
        assert!(found.contains(part), "{found}");
    }
}

/// A bounds check that is off by one, at the end of the bound range.
#[test]
fn a_last_word_that_is_not_stored() {
    let found = edited("store_to_slot", |mut text| {
        let store = stores(&text)[8];
        let pointer = text.operands(store)[0].to_owned();
        let chain = text.line(0, |line| line.starts_with(&format!("{pointer} = ")));
        let operands: Vec<String> = text.operands(chain).into_iter().map(str::to_owned).collect();
        let (buffer, index) = (&operands[1], operands.last().expect("it has an index"));
        let lines = [
            format!("%length = OpArrayLength %uint {buffer} 0"),
            "%last = OpISub %uint %length %uint_1".to_owned(),
            format!("%is_there = OpULessThan %bool {index} %last"),
            format!("%other = OpSelect %uint %is_there {index} %uint_0"),
        ];
        let index = index.clone();
        text.function.splice(chain..chain, lines);
        text.replace(chain + 4, &index, "%other")
    });
    assert!(found.draw.expect("it is of a draw").contains("room for some"));
}

#[test]
fn bits_that_go_through_arithmetic() {
    let found = edited("store_to_slot", |mut text| {
        // A zero that no compiler can fold, because it is the upper half of an offset.
        let loaded = text.with(0, &["OpLoad %uint"]);
        let word = text.function[loaded].split(' ').next().expect("it has a result").to_owned();
        let last = text.function.iter().rposition(|line| line.contains(" = OpBitcast %uint "));
        let last = last.expect("floats are stored as words");
        let value = text.operands(last)[1].to_owned();
        let lines = [
            format!("%upper = OpShiftRightLogical %uint {word} %uint_16"),
            "%zero = OpConvertUToF %float %upper".to_owned(),
            format!("%sum = OpFAdd %float {value} %zero"),
        ];
        text.function.splice(last..last, lines);
        text.replace(last + 3, &value, "%sum")
    });
    assert_eq!(found.varying.as_deref(), Some("v_bits"));
}

#[test]
fn a_value_before_the_last_write() {
    let found = edited("main", |mut text| {
        let body = text.with(0, &["%main_body"]);
        let call = text.function.remove(body);
        let capture = text.with(0, &["OpFunctionCall %void %capture"]);
        text.function.insert(capture + 1, call);
        text
    });
    assert_eq!(found.vertex, Some((0, 0)));
}

#[test]
fn a_both_variant_that_drops_a_store() {
    let subject = subject();
    let words = subject.rewrite(|capture| capture.both.as_ref().unwrap().words().to_vec());
    let mut text = Text::of(&words, "store_to_slot");
    let store = stores(&text)[0];
    text.function.remove(store);
    let found = difference(&subject.given(Part::Both, text.into_words()));
    assert_eq!(found.part, Part::Both);
}

#[test]
fn a_raster_variant_that_stores() {
    let subject = subject();
    let words = subject.rewrite(|capture| capture.both.as_ref().unwrap().words().to_vec());
    let found = difference(&subject.given(Part::RasterOnly, words));
    assert_eq!(found.part, Part::RasterOnly);
    assert!(found.message.contains("which the requirements do not list"), "{found}");
}

#[test]
fn a_raster_variant_with_another_output() {
    let subject = subject();
    let words = subject.rewrite(|capture| capture.raster_only.words().to_vec());
    let text = Text::of(&words, "main").replace_operand(&["OpVectorTimesScalar"], 2, "%float_0");
    let broken = text.into_words();
    let found = difference(&subject.given(Part::RasterOnly, broken));
    assert_eq!((found.part, found.varying.as_deref()), (Part::RasterOnly, Some("v_vector")));
    assert!(found.expected.expect("there is a value") != found.found.expect("there is a value"));
}

#[test]
fn a_layout_that_is_not_what_was_asked_for() {
    let swapped = "v_vector v_matrix gl_SkipComponents1 gl_NextBuffer v_id v_bits";
    assert_eq!(difference(&subject().asked(swapped)).varying.as_deref(), Some("v_vector"));

    let longer = "v_matrix v_vector gl_SkipComponents2 gl_NextBuffer v_id v_bits";
    let found = difference(&subject().asked(longer));
    assert_eq!(found.part, Part::Host);
    assert!(found.message.contains("strides"), "{found}");
}

#[test]
fn counts_and_requirements_that_are_wrong() {
    let words = subject().words;
    let (captured, skipped) =
        ("v_id gl_NextBuffer v_bits", "v_id gl_NextBuffer gl_SkipComponents1");
    let found = difference(&Subject::interleaved(words.clone(), captured).asked(skipped));
    assert!(found.part == Part::Host && found.message.starts_with("the counts are"), "{found}");

    let found = difference(&Subject::interleaved(words, skipped).asked(captured));
    assert_eq!(found.message, "the requirements lack feedback buffer 1");
}

/// `bits_that_go_through_arithmetic` tests the other half of the rule.
#[test]
fn a_not_a_number_that_is_computed_may_have_other_bits() {
    let words = vertex(
        "layout(location = 0) in vec4 a;
        layout(location = 0) out float v_root;
        layout(location = 1) flat out uint v_one;
        void main() { v_root = sqrt(-1.0 - abs(a.x)); v_one = 1u; gl_Position = a; }",
    );
    let subject = Subject::interleaved(words, "v_root v_one");
    let words = subject.rewrite(|capture| capture.capture_only.words().to_vec());
    let set_a_bit = |store: usize| {
        let mut text = Text::of(&words, "store_to_slot");
        let line = stores(&text)[store];
        let value = text.operands(line)[1].to_owned();
        text.function.insert(line, format!("%other = OpBitwiseOr %uint {value} %uint_2"));
        text.replace(line + 1, &value, "%other").into_words()
    };
    subject.clone().given(Part::CaptureOnly, set_a_bit(0)).is_equal();
    let found = difference(&subject.given(Part::CaptureOnly, set_a_bit(1)));
    assert_eq!(found.varying.as_deref(), Some("v_one"));
}
