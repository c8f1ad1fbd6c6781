//! Runs polyshade's variants of a shader as the documentation requires from a host.

use crate::drivers::Driver;
use crate::feedback::{Case, FILL, with_strides};
use crate::shaders::{Shader, Varyings};
use polyshade::host::{AddressSource, Binding, ParamSource, Set};
use polyshade::transform_feedback::{self, BufferRange, Options};
use polyshade::{Error, Module};
use polyshade_vulkan::model::{self, BufferLayout};
use polyshade_vulkan::{
    Captured, Draw, Range, Stage, Variants, Work, bind_capture, capture_draw, dispatch_capture,
};

/// The descriptor set of feedback buffers: the last one of SwiftShader.
const SET: u32 = 3;

/// The binding of host parameters in a descriptor.
const HOST_BINDING: u32 = 9;

/// The offset of host parameters in push constants, and their first specialization constant.
const HOST_OFFSET: u32 = 16;
const HOST_FIRST_ID: u32 = 40;

/// The location of an attribute with the address of host parameters: the last one of SwiftShader.
const HOST_LOCATION: u32 = 15;

pub(crate) const HOSTS: [ParamSource; 8] = [
    ParamSource::StorageBuffer { set: Set(SET), binding: Binding(HOST_BINDING) },
    ParamSource::Uniform { set: Set(SET), binding: Binding(HOST_BINDING) },
    ParamSource::PushConstant { offset: HOST_OFFSET },
    ParamSource::Specialization { first_id: HOST_FIRST_ID },
    ParamSource::Address(AddressSource::Uniform { set: Set(SET), binding: Binding(HOST_BINDING) }),
    ParamSource::Address(AddressSource::PushConstant { offset: HOST_OFFSET }),
    ParamSource::Address(AddressSource::Specialization { first_id: HOST_FIRST_ID }),
    ParamSource::Address(AddressSource::Attribute { location: HOST_LOCATION }),
];

/// Returns the sources that every stage can read: all but the attribute.
pub(crate) fn hosts_of_any_stage() -> &'static [ParamSource] {
    &HOSTS[..7]
}

/// A shader and its variants.
pub(crate) struct Storage {
    pub(crate) capture: Variants<'static>,
    /// The capture-only variant, which tests may break.
    pub(crate) words: Vec<u32>,
    pub(crate) layout: Vec<BufferLayout>,
}

/// Returns the options that all tests here use for a list of varyings.
pub(crate) fn options(varyings: Varyings, host: ParamSource) -> Options {
    let options = Options::new().params(host);
    varyings.add_to(match host.is_address() {
        true => options,
        false => options.into_storage(Set(SET), Binding(0)),
    })
}

impl Storage {
    /// Creates the variants with host parameters in a storage buffer.
    pub(crate) fn new(shader: &Shader, varyings: Varyings) -> Storage {
        Storage::with_host(shader, varyings, HOSTS[0])
    }

    /// Creates the variants with host parameters in any source.
    pub(crate) fn with_host(shader: &Shader, varyings: Varyings, host: ParamSource) -> Storage {
        Storage::of_words(shader.plain(), shader.layout(varyings), &options(varyings, host))
    }

    /// Creates the variants, and checks the strides.
    #[track_caller]
    pub(crate) fn with_strides(words: Vec<u32>, strides: &[u32], options: &Options) -> Storage {
        let capture = capture(words, options);
        let ours = capture.layout.buffers.iter().map(|buffer| buffer.stride);
        assert_eq!(ours.collect::<Vec<_>>(), strides, "{options:?}");
        let words = capture.capture_only.words().to_vec();
        Storage { capture, words, layout: with_strides(strides) }
    }

    /// Creates the variants, and checks that the layout equals the specified one.
    pub(crate) fn of_words(
        words: Vec<u32>,
        layout: Vec<BufferLayout>,
        options: &Options,
    ) -> Storage {
        let capture = capture(words, options);
        let ours = capture.layout.buffers.iter().map(|buffer| BufferLayout {
            stride: buffer.stride,
            varyings: buffer.captured.iter().map(|c| (c.name.clone(), c.offset)).collect(),
        });
        assert_eq!(ours.collect::<Vec<_>>(), layout, "{options:?}");
        let words = capture.capture_only.words().to_vec();
        Storage { capture, words, layout }
    }

    pub(crate) fn host_params(&self, case: &Case) -> Vec<u32> {
        self.try_host_params(case).expect("the ranges fit")
    }

    /// Returns the host parameters of a case, or the error if the variants do not accept the draw.
    pub(crate) fn try_host_params(&self, case: &Case) -> Result<Vec<u32>, Error> {
        self.capture.layout.host_params(&host_draw(&case.draw), &self.ranges(case))
    }

    /// Returns the host parameters of a case in which one feedback buffer is unbound.
    pub(crate) fn host_params_without(
        &self,
        case: &Case,
        unbound: usize,
    ) -> Result<Vec<u32>, Error> {
        let mut ranges = self.ranges(case);
        ranges[unbound] = BufferRange::UNBOUND;
        self.capture.layout.host_params(&host_draw(&case.draw), &ranges)
    }

    pub(crate) fn ranges(&self, case: &Case) -> Vec<BufferRange> {
        case.ranges(&self.layout)
    }

    /// Returns the counts that the host computes for a case.
    pub(crate) fn counts(&self, case: &Case) -> Captured {
        let draw = host_draw(&case.draw);
        let written = self.capture.layout.primitives_written(&draw, &self.ranges(case));
        Captured { written: written.expect("the ranges fit"), needed: draw.primitives() }
    }

    /// Returns the counters at which the next capture continues.
    pub(crate) fn advance(&self, case: &Case) -> Vec<u32> {
        let ranges = self.capture.layout.advance(&host_draw(&case.draw), &self.ranges(case));
        ranges.expect("the ranges fit").iter().map(|range| range.counter).collect()
    }

    /// Returns a variant's draw without topology and target; adds the necessary buffers to `work`.
    pub(crate) fn draw<'a>(
        &self,
        words: &'a [u32],
        case: &Case,
        host_params: &[u32],
        work: &mut Work<'a>,
    ) -> Draw<'a> {
        let mut draw = Draw {
            stages: vec![Stage::vertex(words)],
            vertices: case.draw.vertices.clone(),
            instances: case.draw.instances.clone(),
            ..Draw::default()
        };
        if let Some(bytes) = self.capture.words.push_constants() {
            draw.push_constants = vec![FILL; bytes.start as usize];
        }
        dispatch_capture(&self.capture, &host_draw(&case.draw), &mut draw).expect("it is one");
        let feedback = self.feedback(case, work);
        bind_capture(&self.capture, host_params, &feedback[..].into(), &mut draw, work);
        draw
    }

    /// Adds the feedback buffers of a case to `work`, and returns the bound range of each.
    pub(crate) fn feedback(&self, case: &Case, work: &mut Work<'_>) -> Vec<Range> {
        case.feedback(&self.layout, work)
    }

    /// Captures all cases with the capture passes that the crate builds.
    #[track_caller]
    pub(crate) fn run_capture_passes(&self, driver: Driver, cases: &[Case]) -> Vec<Vec<Vec<u8>>> {
        let mut work = Work::default();
        for case in cases {
            let feedback = self.feedback(case, &mut work);
            let (draw, ranges) = (host_draw(&case.draw), self.ranges(case));
            let pass = capture_draw(&self.capture, &draw, &ranges, &feedback[..].into(), &mut work);
            work.draws.push(pass.expect("the ranges fit"));
        }
        self.memories(&driver.run(&work).buffers)
    }

    /// Captures all cases in one submission, and returns the memory of each.
    #[track_caller]
    pub(crate) fn run(&self, driver: Driver, cases: &[Case]) -> Vec<Vec<Vec<u8>>> {
        self.run_with(driver, cases, |case| self.host_params(case))
    }

    /// Captures all cases with host parameters from the caller.
    #[track_caller]
    pub(crate) fn run_with(
        &self,
        driver: Driver,
        cases: &[Case],
        host_params: impl FnMut(&Case) -> Vec<u32>,
    ) -> Vec<Vec<Vec<u8>>> {
        let outcome = driver.run(&self.work(cases, host_params));
        self.memories(&outcome.buffers)
    }

    /// Returns the work that captures all cases.
    pub(crate) fn work(
        &self,
        cases: &[Case],
        mut host_params: impl FnMut(&Case) -> Vec<u32>,
    ) -> Work<'_> {
        let mut work = Work::default();
        for case in cases {
            // The draw keeps its default topology, a point list, for any topology of the case.
            let draw = self.draw(&self.words, case, &host_params(case), &mut work);
            work.draws.push(draw);
        }
        work
    }

    /// Returns the feedback buffers of each case, without its host parameters.
    pub(crate) fn memories(&self, buffers: &[Vec<u8>]) -> Vec<Vec<Vec<u8>>> {
        let count = self.layout.len();
        // Host parameters are in a buffer if their source is a descriptor or memory. Their address is in a buffer if
        // its source is a descriptor or an attribute.
        let (place, location) = (self.capture.words.source, self.capture.words.location());
        let is_in_buffer = place.descriptor().is_some() || location.is_some();
        let words = usize::from(is_in_buffer) + usize::from(place.is_address());
        buffers.chunks(count + words).map(|case| case[..count].to_vec()).collect()
    }
}

#[track_caller]
fn capture(words: Vec<u32>, options: &Options) -> Variants<'static> {
    let module = Module::parse_owned(words).expect("glslang's words parse");
    // The raster-only variant borrows the module. Leaking it is acceptable, because a test has few modules.
    let module = Box::leak(Box::new(module));
    Variants::new(module, "main", options).unwrap_or_else(|error| panic!("{options:?}: {error}"))
}

pub(crate) fn host_draw(draw: &model::Draw) -> transform_feedback::Draw {
    transform_feedback::Draw {
        topology: draw.topology,
        provoking_vertex: draw.provoking_vertex,
        first_vertex: draw.vertices.start,
        vertex_count: draw.vertices.end - draw.vertices.start,
        first_instance: draw.instances.start,
        instance_count: draw.instances.end - draw.instances.start,
        draw_index: 0,
        indices: None,
    }
}
