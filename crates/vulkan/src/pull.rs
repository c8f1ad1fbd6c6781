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
        let number = |what: &str| name.strip_prefix(what)?.parse::<u32>().ok();
        let range = |number: u32| &ranges[&number];
        let buffer = |number: u32| options.buffers()[&number];
        let attribute = |number: u32| options.attributes()[&number];
        let format = |number: u32| attribute(number).format.map_or([0; 2], Format::words);
        let provided = "the options contain every value of a host parameter";
        if name == "first_instance" {
            first_instance
        } else if let Some(number) = number("vertex_offset_") {
            range(number).offset as u32
        } else if let Some(number) = number("vertex_size_") {
            range(number).size as u32
        } else if let Some(number) = number("vertex_stride_") {
            buffer(number).stride.expect(provided)
        } else if let Some(number) = number("vertex_rate_") {
            buffer(number).rate.expect(provided).word()
        } else if let Some(number) = number("attribute_offset_") {
            attribute(number).offset.expect(provided)
        } else if let Some(number) = number("attribute_format_") {
            format(number)[0]
        } else if let Some(number) = number("attribute_layout_") {
            format(number)[1]
        } else {
            // Addresses are written when the buffers exist.
            0
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
