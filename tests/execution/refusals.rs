//! Work that `polyshade-vulkan` refuses before the work reaches a driver.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::resources::shader;
use polyshade::Module;
use polyshade_formats::SpirvVersion;
use polyshade_vulkan::{
    Attribute, Constant, DepthTest, Descriptor, Device, Draw, Error, Indices, Place, Range,
    Resource, Stage, Target, Texture, Validation, VertexBuffer, VertexLayout, Work, vk,
};
use std::time::Duration;

/// Returns valid work, with one draw, one buffer of 64 KiB and one texture, that the tests change.
fn work(vertex: &[u32]) -> Work<'_> {
    let draw = Draw {
        descriptors: vec![storage(3, 0, 0)],
        ..Draw::new(vec![Stage::vertex(vertex)], 0..1)
    };
    Work {
        buffers: vec![vec![0; 1 << 16]],
        textures: vec![Texture::default()],
        draws: vec![draw],
        ..Work::default()
    }
}

fn storage(set: u32, binding: u32, element: u32) -> Descriptor {
    let range = Range { buffer: 0, offset: 0, size: 16 };
    Descriptor { set, binding, element, resource: Resource::StorageBuffer(range) }
}

fn nothing() -> Vec<u32> {
    shader("", "words[0] = 1;")
}

/// Returns the reason why the changed work is refused on both drivers. The validation layer must have no messages.
#[track_caller]
fn refused(change: impl Fn(&mut Work<'_>)) -> String {
    let vertex = nothing();
    let reasons = DRIVERS.map(|driver| {
        let mut work = work(&vertex);
        driver.run(&work);
        change(&mut work);
        let (outcome, messages) = driver.run_watched(&work);
        assert_eq!(messages, [], "{driver:?}");
        outcome.expect_err("the change makes the work wrong").to_string()
    });
    let [first, second] = reasons;
    let digits = |reason: &str| reason.replace(|c: char| c.is_ascii_digit(), "");
    assert_eq!(digits(&first), digits(&second));
    first
}

#[track_caller]
fn refused_draw(change: impl Fn(&mut Draw<'_>)) -> String {
    refused(|work| change(&mut work.draws[0]))
}

/// Checks that the changed work is refused for a reason with this text.
#[track_caller]
fn refuses(reason: &str, change: impl Fn(&mut Work<'_>)) {
    says(&refused(change), reason);
}

#[track_caller]
fn refuses_draw(reason: &str, change: impl Fn(&mut Draw<'_>)) {
    says(&refused_draw(change), reason);
}

#[track_caller]
fn says(message: &str, reason: &str) {
    assert!(message.contains(reason), "{message}, not {reason}");
}

#[test]
fn limits_are_kept() {
    let pushed = vec![0; 1 << 12];
    refuses_draw("4096 bytes of push constants, only ", |d| d.push_constants.clone_from(&pushed));
    refuses_draw("501 descriptor sets, only ", |draw| draw.descriptors.push(storage(500, 0, 0)));
    refuses_draw("1048577 storage buffers, only ", |draw| {
        draw.descriptors.extend((0..1 << 20).map(|element| storage(0, 0, element)));
    });
    refuses_draw("its offset must be a multiple of", |draw| {
        let range = Range { buffer: 0, offset: 1, size: 16 };
        draw.descriptors.push(Descriptor::new(0, 0, Resource::UniformBuffer(range)));
    });
}

fn vertex_buffer(stride: u32, location: u32, format: vk::Format, offset: u32) -> VertexBuffer {
    let attributes = vec![Attribute { location, format, offset }];
    let layout = VertexLayout { stride, rate: vk::VertexInputRate::VERTEX, attributes };
    VertexBuffer { place: Place { buffer: 0, offset: 0 }, layout }
}

#[test]
fn limits_of_attributes_are_kept() {
    let float = vk::Format::R32_SFLOAT;
    let one = vertex_buffer(4, 0, float, 0);
    for (reason, buffers) in [
        ("1048576 bytes of stride, only ", vec![vertex_buffer(1 << 20, 0, float, 0)]),
        ("400 as the location of an attribute, only ", vec![vertex_buffer(4, 400, float, 0)]),
        ("60000 bytes of attribute offset, only ", vec![vertex_buffer(4, 0, float, 60_000)]),
        ("100 vertex buffers, only ", vec![one.clone(); 100]),
        ("two attributes have the same location", vec![one; 2]),
    ] {
        refuses_draw(reason, |draw| draw.vertex_buffers.clone_from(&buffers));
    }
    for format in [vk::Format::R64_SFLOAT, vk::Format::BC1_RGB_UNORM_BLOCK] {
        assert!(!Driver::Lavapipe.device().takes_vertex_format(format));
        refuses_draw(&format!("attributes of format {format:?}"), |draw| {
            draw.vertex_buffers = vec![vertex_buffer(32, 0, format, 0)];
        });
    }
}

#[test]
fn vertices_outside_of_their_buffer_are_refused() {
    let buffers = vec![vertex_buffer(32, 0, vk::Format::R32G32B32A32_UINT, 16)];
    refuses_draw("is not in a buffer of Some(65536) bytes", |draw| {
        draw.vertex_buffers.clone_from(&buffers);
        draw.vertices = 0..2049;
    });

    let indices = |count, vertex_offset| Indices {
        place: Place { buffer: 1, offset: 0 },
        index_type: vk::IndexType::UINT16,
        count,
        first: 0,
        vertex_offset,
        restart: false,
    };
    let refuses = |reason, indices| {
        refuses(reason, |work| {
            work.buffers.push([0_u16, 2000].map(u16::to_ne_bytes).concat());
            work.draws[0].vertex_buffers.clone_from(&buffers);
            work.draws[0].indices = Some(indices);
        })
    };
    refuses("is not in a buffer of Some(65536) bytes", indices(2, 48));
    refuses("indices address vertices from -1 to 1999", indices(2, -1));
    refuses("is not in a buffer of Some(4) bytes", indices(3, 0));
    refuses("indices of type", Indices { index_type: vk::IndexType::NONE_KHR, ..indices(1, 0) });
    // 8-bit indices may not address a vertex outside the buffer either, with or without restart. Both drivers support
    // such indices, and restart in lists.
    let uint8 =
        |restart| Indices { index_type: vk::IndexType::UINT8_EXT, restart, ..indices(4, 2000) };
    for restart in [false, true] {
        refuses("is not in a buffer of Some(65536) bytes", uint8(restart));
    }
}

#[test]
fn descriptors_that_contradict_each_other_are_refused() {
    let message = refused_draw(|draw| draw.descriptors.push(storage(0, 0, 1)));
    assert_eq!(message, "set 0, binding 0: found element 1, expected element 0");
    let message = refused_draw(|draw| draw.descriptors.push(storage(3, 0, 0)));
    assert_eq!(message, "set 3, binding 0: found element 0, expected element 1");
    let message = refused_draw(|draw| {
        let resource = Resource::Image(0);
        draw.descriptors.push(Descriptor { set: 3, binding: 0, element: 1, resource });
    });
    assert_eq!(message, "set 3, binding 0: elements of different types");
    let bind = |resource| refused_draw(|d| d.descriptors.push(Descriptor::new(0, 0, resource)));
    assert_eq!(bind(Resource::Image(1)), "texture 1 is bound but does not exist");
    assert_eq!(bind(Resource::StorageImage(0)), "texture 0 is not a storage image");
    for (buffer, offset, size) in [(0, 0, (1 << 16) + 1), (1, 0, 4), (0, u64::MAX, 2)] {
        let outside = Range { buffer, offset, size };
        says(&bind(Resource::StorageBuffer(outside)), "is not in a buffer of ");
    }
    let range = |offset, size| Range { buffer: 0, offset, size };
    assert_eq!(bind(Resource::StorageBuffer(range(0, 0))), "an empty range is bound");
    let texels = |size, format| bind(Resource::UniformTexels { range: range(0, size), format });
    assert!(texels(6, vk::Format::R32_UINT).contains("is not a multiple of 4 bytes"));
    assert!(texels(16, vk::Format::D32_SFLOAT).contains("UNIFORM_TEXEL_BUFFER of format"));
}

#[test]
fn textures_that_are_none_are_refused() {
    let plain = Texture::default;
    let (bc1, srgb) = (vk::Format::BC1_RGB_UNORM_BLOCK, vk::Format::R8G8B8A8_SRGB);
    let several = vk::SampleCountFlags::TYPE_4;
    for (reason, texture) in [
        // Size, levels and contents.
        ("0×1×1", Texture { width: 0, ..plain() }),
        ("a texture CUBE of 1×1×1, 1 layers", Texture { view: vk::ImageViewType::CUBE, ..plain() }),
        ("2 levels", Texture { levels: 2, ..plain() }),
        (
            "reading back a texture with several mip levels",
            Texture { width: 2, levels: 2, storage: true, ..plain() },
        ),
        ("5 bytes of contents", Texture { contents: vec![0; 5], ..plain() }),
        ("a texture TYPE_2D of R8G8B8A8_UNORM, 1048576×1×1", Texture { width: 1 << 20, ..plain() }),
        ("a texture of more than", Texture { width: 1 << 14, height: 1 << 14, ..plain() }),
        // Formats.
        ("a texture of format BC1_RGB_UNORM_BLOCK", Texture { format: bc1, ..plain() }),
        ("comparing texels of R8G8B8A8_UNORM", Texture { compare: true, ..plain() }),
        ("storage true", Texture { format: vk::Format::D32_SFLOAT, storage: true, ..plain() }),
        // Multisampling.
        (
            "reading back a multisampled texture",
            Texture { samples: several, storage: true, ..plain() },
        ),
        (
            "a multisampled texture of R8G8B8A8_SRGB",
            Texture { samples: several, format: srgb, ..plain() },
        ),
        ("samples", Texture { samples: vk::SampleCountFlags::empty(), ..plain() }),
    ] {
        refuses(reason, |work| work.textures = vec![texture.clone()]);
    }
}

#[test]
fn shaders_that_make_no_pipeline_are_refused() {
    let fragment = glsl::fragment("#version 450\nvoid main() {}");
    // Wrong stages.
    refuses_draw("other", |draw| draw.stages[0].entry_point = "other");
    let message = refused_draw(|draw| draw.stages[0].words = &[]);
    assert!(!message.is_empty());
    let message = refused_draw(|draw| {
        let twice = draw.stages[0].clone();
        draw.stages.push(twice);
    });
    assert_eq!(message, "a draw has the stage VERTEX twice");
    let message = refused_draw(|draw| draw.stages[0].stage = vk::ShaderStageFlags::COMPUTE);
    assert_eq!(message, "there is no entry point `main` for the compute stage");
    let message = refused_draw(|draw| draw.dispatch = Some([1, 1, 1]));
    assert_eq!(message, "only a single compute stage can be dispatched");
    // Wrong constants and topologies.
    let message = refused_draw(|draw| {
        draw.stages[0].specialization = vec![(1, Constant::Bits32(0)), (1, Constant::Bits8(0))];
    });
    assert_eq!(message, "a specialization constant has two values");
    refuses_draw("both tessellation stages", |draw| {
        draw.topology = vk::PrimitiveTopology::PATCH_LIST
    });

    // A missing vertex stage.
    let vertex = nothing();
    let mut work = work(&vertex);
    work.draws[0].stages = vec![Stage::fragment(&fragment)];
    let outcome = Driver::Lavapipe.device().run(&work);
    assert_eq!(outcome, Err(Error::Work("a draw has no vertex stage".to_owned())));
}

#[test]
fn shaders_that_lack_what_they_use_are_refused() {
    let lacks = |declarations: &str, body: &str, resource: Option<Resource>| {
        let vertex = shader(declarations, body);
        let mut work = work(&vertex);
        work.draws[0].descriptors.extend(resource.map(|found| Descriptor::new(1, 2, found)));
        let outcomes = DRIVERS.map(|driver| driver.device().run(&work));
        assert_eq!(outcomes[0], outcomes[1]);
        outcomes[0].clone().err().map(|error| error.to_string()).unwrap_or_default()
    };
    let range = Range { buffer: 0, offset: 0, size: 256 };
    let buffer = "layout(set = 1, binding = 2) uniform Block { uint value; } block;";
    let body = "words[0] = block.value;";
    let text = lacks(buffer, body, None);
    assert_eq!(text, "set 1, binding 2: a shader has 1 of [UNIFORM_BUFFER], but None is bound");
    assert!(lacks(buffer, body, Some(Resource::StorageBuffer(range))).contains("STORAGE_BUFFER"));
    assert_eq!(lacks(buffer, body, Some(Resource::UniformBuffer(range))), "");
    // Unused declarations need no resource.
    assert_eq!(lacks(buffer, "", None), "");

    let several = "layout(set = 1, binding = 2) uniform texture2D images[2];";
    let body = "words[0] = uint(texelFetch(images[0], ivec2(0), 0).x);";
    says(&lacks(several, body, Some(Resource::Image(0))), "a shader has 2 of [SAMPLED_IMAGE");
    let reason = "an attribute at location 7, but the draw has none there";
    says(&lacks("layout(location = 7) in float a;", "words[0] = uint(a);", None), reason);
    let matrices = "layout(location = 7) in mat2 a[2];";
    says(&lacks(matrices, "words[0] = uint(a[0][0].x);", None), reason);
    let address = "#extension GL_EXT_buffer_reference : enable
        layout(buffer_reference) buffer Pointed { uint value; };
        layout(push_constant) uniform Push { Pointed pointed; };";
    says(
        &lacks(address, "words[0] = pointed.value;", None),
        "does not support addresses of buffers",
    );
    let push = "layout(push_constant) uniform Push { uint first; uint second; };";
    says(
        &lacks(push, "words[0] = second;", None),
        "a push constant at byte 4, but the draw has 0 bytes",
    );
}

#[test]
fn targets_that_are_none_are_refused() {
    let target = |format, width| Target::new(format, width, 1);
    let message = |target| refused(|work| work.targets = vec![target]);
    says(&message(target(vk::Format::R32_UINT, 1 << 20)), "1048576 pixels of width, only ");
    assert_eq!(message(target(vk::Format::R32_UINT, 0)), "a target has no pixels");
    let compressed = target(vk::Format::BC1_RGB_UNORM_BLOCK, 1);
    says(&message(compressed), "a target of format BC1_RGB_UNORM_BLOCK");

    let formats = [vk::Format::R32_UINT, vk::Format::D32_SFLOAT];
    let drawn = |colour, depth| {
        refused(|work| {
            work.targets = formats.map(|format| target(format, 1)).to_vec();
            work.draws[0].target = Some(colour);
            work.draws[0].depth = Some(DepthTest::nearest(depth));
        })
    };
    assert_eq!(drawn(1, 1), "target 1 holds depths, not colours");
    assert_eq!(drawn(0, 0), "target 0 holds colours, not depths");
    assert_eq!(drawn(0, 2), "a draw uses target 2, which does not exist");
}

#[test]
fn a_submission_beyond_its_time_limit_is_given_up() {
    let vertex = shader("", "for (int i = 0; i < 1000; ++i) atomicAdd(words[i & 3], 1);");
    let mut device = Device::open("llvmpipe", Validation::Off).expect("the driver is there");
    let mut work = work(&vertex);
    assert!(device.run(&work).is_ok());
    work.draws[0].vertices = 0..100_000;
    device.set_time_limit(Duration::ZERO);
    assert_eq!(device.run(&work), Err(Error::TimedOut));
    // A lost device is not used again, even with a new time limit.
    device.set_time_limit(Duration::from_secs(20));
    work.draws[0].vertices = 0..1;
    assert_eq!(device.run(&work), Err(Error::TimedOut));
}

#[test]
fn devices_are_listed_and_the_first_is_that_of_any_name() {
    let list = Device::list().expect("there is a loader");
    assert_eq!(list.len(), DRIVERS.len());
    assert!(list.iter().all(|name| vk::api_version_minor(name.api_version) >= 3));
    let first = Device::open("", Validation::Off).expect("there is a device");
    assert_eq!(first.capabilities().device, list[0].device);
    for driver in DRIVERS {
        let device = driver.device();
        let has = device.capabilities();
        let named = |name: &&polyshade_vulkan::DeviceName| name.device == has.device;
        assert_eq!(list.iter().find(named).map(|name| &name.driver), Some(&has.driver));
    }
}

#[test]
fn what_a_module_declares_and_a_device_lacks_is_listed() {
    let plain = glsl::vertex("#version 450\nvoid main() {}", "", SpirvVersion::SPIRV1_0);
    // `OpCapability Shader` follows the five words of the header.
    assert_eq!(plain[5..7], [2 << 16 | 17, 1]);
    let with = |words: &[u32]| [&plain[..7], words, &plain[7..]].concat();
    let extension = |name: &str| {
        let mut text = name.as_bytes().to_vec();
        text.resize(name.len() / 4 * 4 + 4, 0);
        let words: Vec<u32> =
            text.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        [vec![(words.len() as u32 + 1) << 16 | 10], words].concat()
    };
    for driver in DRIVERS {
        let device = driver.device();
        let missing = |words: &[u32]| {
            let m = Module::parse(words).expect("one instruction more is still a module");
            device.capabilities().missing(&m)
        };
        assert_eq!(missing(&plain), [""; 0]);
        let capability = |number| missing(&with(&[2 << 16 | 17, number]));
        assert_eq!(capability(99_999), ["capability 99999 (unknown)"]);
        assert_eq!(capability(6), ["capability Kernel (unknown)"]);
        assert_eq!(capability(5283), ["capability MeshShadingEXT (unknown)"]);
        let lavapipe = driver == Driver::Lavapipe;
        let lacks = ["capability DrawParameters (shaderDrawParameters)"];
        assert_eq!(capability(4427), if lavapipe { &[][..] } else { &lacks });
        let lacks = ["capability GroupNonUniform (subgroupSupportedStages)"];
        assert_eq!(capability(61), if lavapipe { &lacks[..] } else { &[] });
        assert_eq!(missing(&with(&extension("SPV_KHR_16bit_storage"))), [""; 0]);
        assert_eq!(missing(&with(&extension("SPV_NO_such"))), ["SPV_NO_such (unknown)"]);

        let mut newer = plain.clone();
        newer[1] = 0x0001_0700;
        assert_eq!(missing(&newer), ["SPIR-V 1.7 (the device supports 1.6)"]);
    }
}
