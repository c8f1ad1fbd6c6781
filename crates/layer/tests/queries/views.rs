//! Queries in multiview passes, in which each view has its own query.

use super::case::{Counted, Read};
use super::{Counter, SHADER};
use crate::bare::Bare;
use crate::graphics::{self, Drawing};
use crate::loader::SWIFTSHADER;
use crate::objects::memory_barrier;
use ash::vk::{
    self, AccessFlags as Access, PipelineStageFlags as Stage, QueryResultFlags as Flags,
};

const VIEW_MASK: u32 = 0b1010;
const VIEWS: u32 = VIEW_MASK.count_ones();
const POINTS: u32 = 5;

/// The distance between two results in 32-bit values.
const WORDS: usize = 4;

#[derive(Debug)]
struct Case {
    query_type: vk::QueryType,
    read: Read,
    is_dynamic: bool,
}

/// Returns the results of the queries of all views after points were drawn.
fn results(bare: &mut Bare<'_>, pipeline: vk::Pipeline, case: &Case) -> Vec<u32> {
    let device = bare.device;
    let vulkan = &device.handle;
    let results = bare.buffer(vk::BufferUsageFlags::TRANSFER_DST, WORDS * VIEWS as usize);
    let info = vk::QueryPoolCreateInfo::default().query_count(VIEWS).query_type(case.query_type);
    let (stride, graphics) = (4 * WORDS as u64, vk::PipelineBindPoint::GRAPHICS);
    let extent = vk::Extent2D { width: 1, height: 1 };
    let rendering = vk::RenderingInfo::default()
        .render_area(vk::Rect2D { extent, ..Default::default() })
        .view_mask(VIEW_MASK);
    // SAFETY: all objects are alive, and the commands are valid usage.
    unsafe {
        let pool = vulkan.create_query_pool(&info, None).expect("queries");
        let copy = |commands| {
            let (to, flags) = (results.buffer, Flags::WITH_AVAILABILITY);
            vulkan.cmd_copy_query_pool_results(commands, pool, 0, VIEWS, to, 0, stride, flags);
            let barrier = [memory_barrier(Access::TRANSFER_WRITE, Access::HOST_READ)];
            let (from, to, flags) = (Stage::TRANSFER, Stage::HOST, vk::DependencyFlags::empty());
            vulkan.cmd_pipeline_barrier(commands, from, to, flags, &barrier, &[], &[]);
        };
        bare.submit(|commands| {
            vulkan.cmd_reset_query_pool(commands, pool, 0, VIEWS);
            match case.is_dynamic {
                true => vulkan.cmd_begin_rendering(commands, &rendering),
                false => bare.begin_pass(commands),
            }
            vulkan.cmd_bind_pipeline(commands, graphics, pipeline);
            vulkan.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
            vulkan.cmd_draw(commands, POINTS, 1, 0, 0);
            vulkan.cmd_end_query(commands, pool, 0);
            match case.is_dynamic {
                true => vulkan.cmd_end_rendering(commands),
                false => vulkan.cmd_end_render_pass(commands),
            }
            if case.read == Read::CopiedAtOnce {
                copy(commands);
            }
        });
        if case.read == Read::CopiedLater {
            bare.submit(copy);
        }
        let mut words = results.read();
        if case.read == Read::ByHost {
            let get = vulkan.fp_v1_0().get_query_pool_results;
            let (size, to) = (size_of_val(&words[..]), words.as_mut_ptr().cast());
            let flags = Flags::WITH_AVAILABILITY;
            let status = get(vulkan.handle(), pool, 0, VIEWS, size, to, stride, flags);
            assert_eq!(status, vk::Result::SUCCESS, "{case:?}");
        }
        vulkan.destroy_query_pool(pool, None);
        words
    }
}

#[test]
fn each_view_of_a_pass_has_a_query() {
    let [_, by_layer @ ..] = Counter::all();
    for counter in by_layer {
        let mut bare = Bare::of_views(&counter.device, 0, VIEW_MASK);
        let vertex = graphics::words(SHADER);
        let plain = Drawing::new(&vertex, vk::PrimitiveTopology::POINT_LIST);
        let pipelines = [None, Some(VIEW_MASK)]
            .map(|rendered| Drawing { rendered, ..plain.clone() })
            .map(|drawing| bare.pipeline_of(drawing, &Default::default()));
        for (query_type, values, expected) in [
            (vk::QueryType::PRIMITIVES_GENERATED_EXT, 1, VIEWS * POINTS),
            (vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT, 2, 0),
        ] {
            let reads = [Read::CopiedAtOnce, Read::CopiedLater, Read::ByHost];
            for (read, is_dynamic) in
                reads.into_iter().flat_map(|read| [(read, false), (read, true)])
            {
                let counts_alone = counter.counted == Counted::None || values == 2;
                // In lavapipe 22.3, only the first view has timestamps and queries.
                if counter.name != SWIFTSHADER && (read == Read::ByHost || !counts_alone) {
                    continue;
                }
                let case = Case { query_type, read, is_dynamic };
                let words = results(&mut bare, pipelines[usize::from(is_dynamic)], &case);
                let case = format!("{} {case:?}: {words:?}", counter.name);
                let [first, second] = [&words[..WORDS], &words[WORDS..]];
                assert_eq!([first[values], second[values]], [1; 2], "{case}");
                // The assignment of queries to views depends on the driver.
                for value in 0..values {
                    assert_eq!(first[value] + second[value], expected, "{case}");
                }
            }
        }
        drop(bare);
        counter.end();
    }
}
