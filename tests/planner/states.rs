//! Pipelines and draws for the tests of the planner.

use polyshade::host::{Binding, ParamSource, Set};
use polyshade_planner::{
    Active, Begin, Bound, ByteCount, Capture, Counter, CounterOwner, Draw, End, Feedback,
    FeedbackBuffer, PassState, Path, Pipeline, ShaderStage, Storage, Topology, Use, Uses,
};

/// Returns a pipeline that captures into two buffers, with the requirements of both paths.
pub(crate) fn pipeline() -> Pipeline {
    let (set, binding) = (Set(3), Binding(0));
    let host = ParamSource::StorageBuffer { set, binding: Binding(2) };
    let buffer = |stride| FeedbackBuffer { stride, ..FeedbackBuffer::default() };
    let capture = Capture {
        path: None,
        buffers: vec![buffer(16), buffer(12)],
        storage: Some(Storage {
            indices: None,
            outputs: None,
            set,
            binding,
            params_at: host,
            storage_buffers: 3,
            params: Vec::new(),
            topologies: Vec::new(),
            unbound_buffers: false,
        }),
    };
    Pipeline {
        topology: Topology::TriangleStrip,
        discard_constant: Some(7),
        capture: Some(capture),
        ..Pipeline::default()
    }
}

/// Returns the pipeline with another capture.
pub(crate) fn with_capture(edit: impl FnOnce(&mut Capture)) -> Pipeline {
    let mut pipeline = pipeline();
    edit(pipeline.capture.as_mut().expect("it captures"));
    pipeline
}

/// Returns the pipeline with another storage path.
pub(crate) fn with_storage(edit: impl FnOnce(&mut Storage)) -> Pipeline {
    with_capture(|capture| edit(storage(capture)))
}

pub(crate) fn storage(capture: &mut Capture) -> &mut Storage {
    capture.storage.as_mut().expect("it has a storage path")
}

pub(crate) fn with_path(path: Path) -> Pipeline {
    with_capture(|capture| capture.path = Some(path))
}

/// Returns two ranges: one of a given size, and one that extends to the end of its buffer.
pub(crate) fn buffers() -> Vec<Option<Bound>> {
    vec![
        Some(Bound { buffer: None, buffer_size: 65_536, offset: 1028, size: Some(4096) }),
        Some(Bound { buffer: None, buffer_size: 8192, offset: 0, size: None }),
    ]
}

/// Returns the counters of two buffers.
pub(crate) fn counters() -> Vec<Option<Counter>> {
    [0, 4].map(|offset| Some(Counter { buffer: 7, offset })).to_vec()
}

/// Returns a captured draw that resumes at the counters and saves them, inside the application's pass. An earlier and
/// a later draw read the captured data, and a compute shader will read it.
pub(crate) fn resumed() -> Draw {
    let active = Active {
        counter_owner: CounterOwner::Host,
        buffers: buffers(),
        begin: Begin::Resume(counters()),
        end: End::Save(counters()),
    };
    Draw {
        pass: PassState::Interruptible,
        feedback: Feedback::Active(active),
        before: Uses {
            inputs: Vec::new(),
            captured: vec![Use::Vertices],
            counters: vec![Use::Save],
        },
        next: Uses {
            inputs: Vec::new(),
            captured: vec![Use::Vertices, Use::Storage(ShaderStage::Compute)],
            counters: vec![Use::Resume, Use::ByteCount],
        },
        ..Draw::default()
    }
}

/// Returns the same draw with another capture state.
pub(crate) fn change(edit: impl FnOnce(&mut Active)) -> Draw {
    let mut draw = resumed();
    let Feedback::Active(active) = &mut draw.feedback else { panic!("it is active") };
    edit(active);
    draw
}

/// Returns a vertex count from a counter that the host owns.
pub(crate) fn byte_count(path: Path, counter: Counter) -> ByteCount {
    let (counter_owner, counter_offset, before) = (CounterOwner::Host, 0, Vec::new());
    ByteCount { counter, path, counter_owner, counter_offset, stride: 16, before }
}

/// Returns a draw whose capture begins anew, outside any pass, without dependencies.
pub(crate) fn anew() -> Draw {
    let active = Active { buffers: buffers(), ..Active::default() };
    Draw { feedback: Feedback::Active(active), ..Draw::default() }
}
