//! Reservations: the descriptors, locations and ids that lowerings must not use.

use clap::Args;
use polyshade::host::{Binding, Reserved, Set, Target};
use polyshade::spv::ExecutionModel;
use std::ops::Range;

/// The help heading of the options in this file.
const FREE: &str = "Reserved resources";

/// The help heading of the options that belong to `capture --pull`.
pub(crate) const PULL: &str = "Vertex attributes that the shader fetches";

/// Options that reserve resources.
#[derive(Args)]
pub(crate) struct Free {
    /// Add nothing to this descriptor set, or to this binding of it, because other stages use it
    #[arg(help_heading = FREE)]
    #[arg(long, value_delimiter = ',', value_name = "SET[:BINDING]", value_parser = reservation)]
    reserve: Vec<(Set, Option<Binding>)>,

    /// Add no specialization constant with this id
    #[arg(help_heading = FREE, long, value_delimiter = ',', value_name = "ID")]
    reserve_constant: Vec<u32>,

    /// Add no output at this location, because the next stage uses it for something else
    #[arg(help_heading = FREE, long, value_delimiter = ',', value_name = "LOCATION")]
    reserve_location: Vec<u32>,

    /// Add nothing to these bytes of the push constants, because other stages use them
    #[arg(help_heading = FREE)]
    #[arg(long, value_delimiter = ',', value_name = "FIRST-LAST", value_parser = bytes)]
    reserve_push_constants: Vec<Range<u32>>,

    /// Number new SPIR-V ids from this one on [default: 0]
    #[arg(help_heading = FREE)]
    #[arg(long, value_name = "ID", default_value_t = 0, hide_default_value = true)]
    reserve_ids_below: u32,

    /// Do not give debug names to new ids
    #[arg(help_heading = FREE, long)]
    no_names: bool,
}

fn reservation(text: &str) -> Result<(Set, Option<Binding>), String> {
    let (set, binding) = match text.split_once(':') {
        Some((set, binding)) => (set, Some(binding.parse())),
        None => (text, None),
    };
    match (set.parse(), binding.transpose()) {
        (Ok(set), Ok(binding)) => Ok((Set(set), binding.map(Binding))),
        _ => Err("reserved resources are given as SET or SET:BINDING".to_owned()),
    }
}

fn bytes(text: &str) -> Result<Range<u32>, String> {
    let range = text.split_once('-').and_then(|(first, last)| {
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        (first <= last).then_some(first..last.checked_add(1)?)
    });
    range.ok_or_else(|| "bytes are given as FIRST-LAST".to_owned())
}

impl Free {
    /// Returns the entry point together with the reservations, as the target of a lowering.
    pub(crate) fn target(&self, entry: &str, stage: ExecutionModel) -> Target {
        Target::new(entry).stage(stage).reserved(self.reserved()).names(!self.no_names)
    }

    pub(crate) fn reserves_locations(&self) -> bool {
        !self.reserve_location.is_empty()
    }

    fn reserved(&self) -> Reserved {
        let mut reserved = Reserved::new().ids_below(self.reserve_ids_below);
        for (set, binding) in &self.reserve {
            reserved = match binding {
                Some(binding) => reserved.binding(*set, *binding),
                None => reserved.set(*set),
            };
        }
        for bytes in &self.reserve_push_constants {
            reserved = reserved.push_constants(bytes.clone());
        }
        let reserved = self.reserve_location.iter().fold(reserved, |r, at| r.location(*at));
        self.reserve_constant.iter().fold(reserved, |reserved, id| reserved.specialization(*id))
    }
}
