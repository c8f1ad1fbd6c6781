//! Pipelines and draws for the tests of the planner.

use polyshade::host::{Binding, ParamSource, Set};
use polyshade_planner::{
    Active, Begin, Bound, Capture, Counter, CounterOwner, Draw, End, Feedback, FeedbackBuffer,
    PassState, Pipeline, ShaderStage, Storage, Topology, Use, Uses,
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

/// Returns a draw whose capture begins anew, outside any pass, without dependencies.
pub(crate) fn anew() -> Draw {
    let active = Active { buffers: buffers(), ..Active::default() };
    Draw { feedback: Feedback::Active(active), ..Draw::default() }
}
