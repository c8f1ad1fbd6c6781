//! Binds the buffers and host parameters of a shader that fetches its attributes.

use crate::capture::place_words;
use crate::work::{Address, AddressAt, Descriptor, Draw, Place as At, Range, Resource, Work};
use polyshade::host::{Lowered, Purpose};
use polyshade::vertex_pulling::{Format, Options, Pulled};
use std::collections::BTreeMap;

/// Binds vertex buffers, by number, and fills in the host parameters of the stage `draw.stages[stage]`.
///
/// The stage must be the result of vertex pulling. `options` has the values that the shader reads as host parameters.
/// A range must end at the end of its buffer, or at a multiple of 4 bytes.
///
/// # Panics
///
/// Panics if a buffer that the shader reads has no range, or if `options` lacks a value of a host parameter.
pub fn bind_pulled(
    pulled: &Lowered<'_, Pulled>,
    options: &Options,
    ranges: &BTreeMap<u32, Range>,
    stage: usize,
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    // The buffers, then the value of each parameter, by name.
    for one in &pulled.requirements.descriptors {
        if let Purpose::VertexBuffer(number) = one.purpose {
            let Range { buffer, .. } = ranges[&number];
            let size = work.buffers[buffer].len() as u64;
            let resource = Resource::StorageBuffer(Range { buffer, offset: 0, size });
            draw.descriptors.push(Descriptor::new(one.set.0, one.binding.0, resource));
        }
    }
    let Some(words) = pulled.params.first() else { return };
    let first_instance = draw.instances.start;
    let value = |name: &str| {
        // A name ends with the number of its buffer or attribute.
        let (what, number) = name.rsplit_once('_').unwrap_or((name, ""));
        let number: u32 = number.parse().unwrap_or(0);
        let buffer = || options.buffers()[&number];
        let attribute = || options.attributes()[&number];
        let format = || attribute().format.map_or([0; 2], Format::words);
        let provided = "the options contain every value of a host parameter";
        match what {
            _ if name == "first_instance" => first_instance,
            "vertex_offset" => ranges[&number].offset as u32,
            "vertex_size" => ranges[&number].size as u32,
            "vertex_stride" => buffer().stride.expect(provided),
            "vertex_rate" => buffer().rate.expect(provided).word(),
            "attribute_offset" => attribute().offset.expect(provided),
            "attribute_format" => format()[0],
            "attribute_layout" => format()[1],
            // Addresses are written when the buffers exist.
            _ => 0,
        }
    };
    let values: Vec<u32> = words.params.iter().map(|word| value(&word.name)).collect();
    let block = place_words(words.source, &values, stage, draw, work);
    for (number, range) in ranges {
        if let Some(low) = words.number(&format!("vertex_address_low_{number}")) {
            let buffer = block.expect("addresses are stored in a buffer");
            let of = At { buffer: range.buffer, offset: range.offset };
            let to = AddressAt::Buffer(At { buffer, offset: u64::from(low) * 4 });
            draw.addresses.push(Address { of, to });
        }
    }
}
