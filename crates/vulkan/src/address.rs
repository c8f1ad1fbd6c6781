//! Buffer device addresses, which are known once the buffers exist.

use crate::error::Error;
use crate::memory::Buffer;
use crate::work::{Address, AddressAt, Constant, Draw, Place, Work};
use std::borrow::Cow;

/// The address of a place.
pub(crate) fn address(buffers: &[Buffer<'_>], place: Place) -> Result<u64, Error> {
    let start = buffers[place.buffer].address().ok_or(Error::Missing("bufferDeviceAddress"))?;
    Ok(start + place.offset)
}

/// Writes the addresses that the work and its draws request to buffers, and to the returned draws.
pub(crate) fn tell<'w, 's>(
    buffers: &[Buffer<'_>],
    work: &'w Work<'s>,
) -> Result<Cow<'w, [Draw<'s>]>, Error> {
    let write = |place: Place, address: u64| {
        buffers[place.buffer].write(place.offset as usize, &address.to_ne_bytes());
    };
    for (of, to) in &work.addresses {
        write(*to, address(buffers, *of)?);
    }
    let mut draws = Cow::Borrowed(&work.draws[..]);
    for number in 0..draws.len() {
        for Address { of, to } in draws[number].addresses.clone() {
            let address = address(buffers, of)?;
            match to {
                AddressAt::Buffer(place) => write(place, address),
                AddressAt::PushConstants(offset) => {
                    draws.to_mut()[number].push_constants[offset..offset + 8]
                        .copy_from_slice(&address.to_ne_bytes());
                }
                AddressAt::Specialization { stage, first_id } => {
                    let halves = [address as u32, (address >> 32) as u32].map(Constant::Bits32);
                    let values = &mut draws.to_mut()[number].stages[stage].specialization;
                    values.retain(|(id, _)| !(first_id..first_id + 2).contains(id));
                    values.extend((first_id..).zip(halves));
                }
            }
        }
    }
    Ok(draws)
}
