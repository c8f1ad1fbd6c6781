//! Measures geometry and tessellation stages: the driver's own, and those that shaders with stores and compute stages
//! provide.

use crate::{Result, row, time, vertex};
use polyshade::Module;
use polyshade::host::{Binding, HostParams, Purpose, Set};
use polyshade::transform_feedback::{
    self, BufferRange, Layout, Options, Topology, Variant, decorate, geometry, tessellation,
};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_tests::made::{Made, host_draw};
use polyshade_vulkan::{Device, Draw, Indices, Place, Range, Stage, TransformFeedback, Work, vk};

/// The numbers of triangles in a small and in a large draw.
const TRIANGLES: [u32; 2] = [64, 1 << 14];

const NO_PARAMS: &str = "the stages have host parameters";

/// The number of times that a run repeats the draws.
const REPEATS: usize = 8;

const VERTEX: &str = "#version 450
layout(location = 0) out vec4 v_value;
void main() {
    v_value = vec4(gl_VertexIndex, gl_VertexIndex * 2, 3, 4);
    gl_Position = v_value;
}";

/// Emits `COUNT` triangles. With a count that varies, the number is the same, but the shader does not state it.
const GEOMETRY: &str = "#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = VERTICES) out;
layout(location = 0) in vec4 v_value[];
layout(location = 0) out vec4 g_value;
void main() {
    for (int i = 0; i < COUNT; ++i) {
        for (int k = 0; k < 3; ++k) {
            g_value = v_value[k] + vec4(i);
            gl_Position = gl_in[k].gl_Position;
            EmitVertex();
        }
        EndPrimitive();
    }
}";

const CONTROL: &str = "#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 v_value[];
layout(location = 0) out vec4 c_value[];
void main() {
    c_value[gl_InvocationID] = v_value[gl_InvocationID];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter = float[](LEVEL, LEVEL, LEVEL, LEVEL);
        gl_TessLevelInner = float[](LEVEL, LEVEL);
    }
}";

const EVALUATION: &str = "#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec4 c_value[];
layout(location = 0) out vec4 e_value;
void main() {
    vec3 at = gl_TessCoord;
    e_value = at.x * c_value[0] + at.y * c_value[1] + at.z * c_value[2];
    gl_Position = at.x * gl_in[0].gl_Position + at.y * gl_in[1].gl_Position + at.z * gl_in[2].gl_Position;
}";

pub(crate) fn measure(device: &Device) -> Result<()> {
    for (name, vertices, count) in [
        ("one triangle", 3, "1"),
        ("four triangles", 12, "4"),
        ("four triangles, counted", 12, "4 + int(v_value[0].z) - 3"),
    ] {
        let source = GEOMETRY.replace("VERTICES", &vertices.to_string()).replace("COUNT", count);
        geometry_stage(device, name, &source)?;
    }
    for (level, patches) in [(1, [64, 1 << 14]), (8, [64, 1 << 11]), (64, [1, 33])] {
        tessellated(device, level, patches)?;
    }
    Ok(())
}

fn compiled(source: &str, stage: ShaderStage) -> Result<Vec<u32>> {
    Ok(compile(source, stage, SpirvVersion::SPIRV1_3)?)
}

/// Returns a dispatch of a compute stage.
fn dispatched<'a>(
    made: &'a Made,
    groups: [u32; 3],
    params: (&HostParams, &[u32]),
    bound: &[(Purpose, Range)],
    work: &mut Work<'a>,
) -> Draw<'a> {
    let draw = made.draw(vk::ShaderStageFlags::COMPUTE, params, bound, work);
    Draw { dispatch: Some(groups), ..draw }
}

fn buffer(size: u64, work: &mut Work<'_>) -> Range {
    work.buffers.push(vec![0; size.max(4) as usize]);
    Range { buffer: work.buffers.len() - 1, offset: 0, size: size.max(4) }
}

/// The vertex stage as a compute stage that spills its outputs.
fn spilled(module: &Module<'_>) -> Result<(Made, Layout, HostParams)> {
    let options = Options::new().compute().spill_outputs();
    let prepared = transform_feedback::prepare(module, "main", &options)?;
    let made = Made::of(&prepared.variant(Variant::SpillOutputs)?);
    Ok((made, prepared.layout().clone(), prepared.params().clone()))
}

/// Prints the time per input triangle of captures of a geometry stage, in nanoseconds.
fn geometry_stage(device: &Device, name: &str, source: &str) -> Result<()> {
    let (words, shader) = (vertex(VERTEX)?, compiled(source, ShaderStage::Geometry)?);
    let (before, module) = (Module::parse(&words)?, Module::parse(&shader)?);
    let options = Options::new().interleaved(["g_value"]).into_storage(Set(0), Binding(0));
    let options = options.topologies([Topology::TriangleList]);
    let mut times = Vec::new();
    if device.capabilities().transform_feedback.is_some() {
        let decorated = decorate(&module, "main", &Options::new().interleaved(["g_value"]))?;
        let native = |shader, captures| {
            time_of(device, TRIANGLES, |counts| Ok(native([&words, shader], counts, captures)))
        };
        times.push(("not captured", native(&shader, false)?));
        times.push(("by the driver", native(decorated.module.words(), true)?));
        let drawn = Steps::new(&before, &module, &options)?;
        times.push(("in draws", time_of(device, TRIANGLES, |counts| drawn.work(counts))?));
    }
    let dispatched = Steps::new(&before, &module, &options.compute())?;
    let compute = time_of(device, TRIANGLES, |counts| dispatched.work(counts))?;
    times.push(("in compute stages", compute));
    row(name, &times);
    Ok(())
}

/// Returns the time per unit of work for these numbers of units, in nanoseconds. `work` gets a number of units, and the
/// number that its buffers must suffice for: the time to fill buffers varies by milliseconds.
fn time_of<'a>(
    device: &Device,
    [few, many]: [u32; 2],
    work: impl Fn([u32; 2]) -> Result<Work<'a>>,
) -> Result<f64> {
    let repeated = |count| -> Result<Work<'a>> {
        let mut work = work([count, many])?;
        work.draws = vec![work.draws; REPEATS].concat();
        Ok(work)
    };
    let units = f64::from(many - few) * REPEATS as f64;
    time::per_unit(device, [&repeated(few)?, &repeated(many)?], units)
}

/// Returns a native draw of triangles.
fn native<'a>(
    [vertex, geometry]: [&'a [u32]; 2],
    [triangles, most]: [u32; 2],
    captures: bool,
) -> Work<'a> {
    let mut work = Work::default();
    let range = buffer(16 * 4 * 3 * u64::from(most), &mut work);
    let stages = vec![Stage::vertex(vertex), Stage::new(vk::ShaderStageFlags::GEOMETRY, geometry)];
    let mut draw = Draw::new(stages, 0..3 * triangles);
    draw.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    draw.transform_feedback = captures
        .then(|| TransformFeedback { buffers: vec![range], ..TransformFeedback::default() });
    work.draws.push(draw);
    work
}

/// The steps of a captured geometry stage.
struct Steps {
    vertex: Made,
    /// The layout and the host parameters of the vertex stage, if it is a compute stage.
    before: Option<(Layout, HostParams)>,
    layout: Layout,
    params: HostParams,
    /// `count`, `sum` and `capture`, or only `capture`.
    stages: Vec<Made>,
}

impl Steps {
    fn new(vertex: &Module<'_>, module: &Module<'_>, options: &Options) -> Result<Self> {
        let (vertex, before, before_layout) = match options.is_compute() {
            true => {
                let (made, layout, params) = spilled(vertex)?;
                (made, Some((layout.clone(), params)), layout)
            }
            false => {
                let made = geometry::vertex(vertex, "main", options)?;
                (Made::of(&made), None, made.result)
            }
        };
        let mut stages = Vec::new();
        let capture = geometry::capture(module, "main", &before_layout, options)?;
        let params = capture.params.first().cloned().ok_or(NO_PARAMS)?;
        if capture.result.needs_counts() {
            let count = geometry::count(module, "main", &before_layout, options)?;
            let sum = geometry::sum(module, "main", &before_layout, options)?;
            stages.extend([Made::of(&count), Made::of(&sum)]);
        }
        stages.push(Made::of(&capture));
        Ok(Self { vertex, before, layout: capture.result, params, stages })
    }

    fn work(&self, counts: [u32; 2]) -> Result<Work<'_>> {
        let mut work = Work::default();
        let list = |triangles| host_draw(Topology::TriangleList, 3 * triangles, 1);
        let [draw, largest] = counts.map(list);
        let mut bound = Vec::new();
        if let Some((layout, params)) = &self.before {
            let outputs = buffer(layout.outputs_size(&largest)?, &mut work);
            let values = layout.host_params(&draw, &[])?;
            let bound_outputs = [(Purpose::Outputs, outputs)];
            let groups = layout.work_groups(&draw)?;
            let params = (params, &values[..]);
            let pass = dispatched(&self.vertex, groups, params, &bound_outputs, &mut work);
            work.draws.push(pass);
            bound.push((Purpose::Inputs, outputs));
        }
        let feedback = buffer(16 * 4 * 3 * u64::from(counts[1]), &mut work);
        let counts = buffer(self.layout.counts_size(&largest)?, &mut work);
        bound.extend([(Purpose::Feedback(0), feedback), (Purpose::Counts, counts)]);
        let range = BufferRange { size: feedback.size as u32, ..BufferRange::default() };
        let values = self.layout.host_params(&draw, &[range])?;
        let params = (&self.params, &values[..]);
        for (number, made) in self.stages.iter().enumerate() {
            let is_sum = self.stages.len() == 3 && number == 1;
            let pass = match (&self.before, is_sum) {
                (_, true) => dispatched(made, [1, 1, 1], params, &bound, &mut work),
                (Some(_), _) => {
                    dispatched(made, self.layout.work_groups(&draw)?, params, &bound, &mut work)
                }
                (None, _) => {
                    let stage = vk::ShaderStageFlags::GEOMETRY;
                    let mut pass = made.draw(stage, params, &bound, &mut work);
                    pass.stages.insert(0, Stage::vertex(&self.vertex.words));
                    pass.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
                    (pass.vertices, pass.instances) = (0..draw.vertex_count, 0..1);
                    pass
                }
            };
            work.draws.push(pass);
        }
        Ok(work)
    }
}

/// Prints the time per patch of tessellation with all levels equal, in nanoseconds.
fn tessellated(device: &Device, level: u32, patches: [u32; 2]) -> Result<()> {
    let (words, evaluation) =
        (vertex(VERTEX)?, compiled(EVALUATION, ShaderStage::TessellationEvaluation)?);
    let control = CONTROL.replace("LEVEL", &format!("{level}.0"));
    let control = compiled(&control, ShaderStage::TessellationControl)?;
    let mut times = Vec::new();
    if device.capabilities().transform_feedback.is_some() {
        let native = |[count, _]: [u32; 2]| {
            let stages = [
                (vk::ShaderStageFlags::VERTEX, &words),
                (vk::ShaderStageFlags::TESSELLATION_CONTROL, &control),
                (vk::ShaderStageFlags::TESSELLATION_EVALUATION, &evaluation),
            ];
            let stages = stages.map(|(stage, words)| Stage::new(stage, words)).to_vec();
            let mut draw = Draw::new(stages, 0..3 * count);
            draw.topology = vk::PrimitiveTopology::PATCH_LIST;
            draw.patch_control_points = 3;
            Ok(Work { draws: vec![draw], ..Work::default() })
        };
        times.push(("by the driver", time_of(device, patches, native)?));
    }
    let modules = [Module::parse(&words)?, Module::parse(&control)?, Module::parse(&evaluation)?];
    let provided = Tessellation::new(&modules)?;
    let whole = |counts| provided.work(device, level, counts);
    // Each time includes those of the steps before.
    let steps = ["the vertex stage", "control", "allocate", "tessellate", "all with the draw"];
    for (number, name) in steps.into_iter().enumerate() {
        let time = time_of(device, patches, |counts| {
            let (mut work, _) = whole(counts)?;
            work.draws.truncate(number + 1);
            Ok(work)
        });
        times.push((name, time?));
    }
    row(&format!("level {level}"), &times);
    let (_, sizes) = whole([1, 1])?;
    println!("    bytes for a patch: {sizes:?}");
    Ok(())
}

/// The stages that provide tessellation.
struct Tessellation {
    vertex: Made,
    before: (Layout, HostParams),
    layout: Layout,
    params: HostParams,
    stages: [Made; 3],
    evaluation: Made,
}

impl Tessellation {
    fn new([vertex, control, evaluation]: &[Module<'_>; 3]) -> Result<Self> {
        let (vertex, before, vertex_params) = spilled(vertex)?;
        let options = Options::new();
        let control = tessellation::control(control, "main", &before, 3, &options)?;
        let layout = control.result.clone();
        let allocate = tessellation::allocate(evaluation, "main", &layout, &options)?;
        let points = tessellation::tessellate(evaluation, "main", &layout, &options)?;
        let drawn = tessellation::evaluation(evaluation, "main", &layout, &options)?;
        let params = control.params.first().cloned().ok_or(NO_PARAMS)?;
        Ok(Self {
            vertex,
            before: (before, vertex_params),
            layout: drawn.result.clone(),
            params,
            stages: [Made::of(&control), Made::of(&allocate), Made::of(&points)],
            evaluation: Made::of(&drawn),
        })
    }

    /// Returns the work for patches with all levels equal, and the sizes of the buffers in bytes.
    fn work(&self, device: &Device, level: u32, patches: [u32; 2]) -> Result<(Work<'_>, [u64; 5])> {
        let mut work = Work::default();
        let [draw, largest] = patches.map(|count| host_draw(Topology::PointList, 3 * count, 1));
        let (before, params) = &self.before;
        let inputs = buffer(before.outputs_size(&largest)?, &mut work);
        let values = before.host_params(&draw, &[])?;
        let outputs = [(Purpose::Outputs, inputs)];
        let groups = before.work_groups(&draw)?;
        let params = (params, &values[..]);
        let pass = dispatched(&self.vertex, groups, params, &outputs, &mut work);
        work.draws.push(pass);
        let sizes = self.layout.tessellation_sizes(&largest, level as f32);
        let [patches, table, points, indices] = sizes.map(|size| buffer(size, &mut work));
        let bound = [
            (Purpose::Inputs, inputs),
            (Purpose::Patches, patches),
            (Purpose::Counts, table),
            (Purpose::Points, points),
            (Purpose::Indices, indices),
        ];
        let (values, groups) =
            (self.layout.host_params(&draw, &[])?, self.layout.work_groups(&draw)?);
        for (number, made) in self.stages.iter().enumerate() {
            let groups = if number == 1 { [1, 1, 1] } else { groups };
            let pass = dispatched(made, groups, (&self.params, &values[..]), &bound, &mut work);
            work.draws.push(pass);
        }
        // The device knows the number of indices, at the start of the table.
        let bytes = &device.run(&work)?.buffers[table.buffer][..4];
        let count = u32::from_ne_bytes(bytes.try_into()?);
        let mut drawn = self.evaluation.bind(vk::ShaderStageFlags::VERTEX, &bound);
        drawn.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
        drawn.instances = 0..1;
        drawn.indices = Some(Indices {
            place: Place { buffer: indices.buffer, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count,
            first: 0,
            vertex_offset: 0,
            restart: false,
        });
        work.draws.push(drawn);
        let [patches, table, points, indices] = sizes;
        Ok((work, [inputs.size, patches, table, points, indices]))
    }
}
