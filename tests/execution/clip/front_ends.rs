//! Stages as front ends emit them, with distances in the vertex stage only, compared with handwritten stages.

use super::chain::{Stages, emulated, normalize, valid, with_geometry};
use crate::drivers::{DRIVERS, Driver};
use polyshade::Module;
use polyshade::clip_cull::{DistanceCounts, GeometryClip, Primitive, Step};
use polyshade_tests::clip::{take, to_registers};

/// A way to declare distances.
pub(super) struct Case {
    pub(super) title: String,
    /// The front end's stages and the handwritten ones.
    pub(super) own: Stages,
    pub(super) by_hand: Stages,
    /// The numbers of clip and cull distances.
    pub(super) counts: DistanceCounts,
    pub(super) pictures: fn(Driver, &Stages) -> Vec<Vec<u8>>,
}

impl Case {
    /// Checks that all of these stages draw the same nonempty pictures as the handwritten stages.
    #[track_caller]
    fn are_drawn(&self, driver: Driver, all: &[(&str, &Stages)]) {
        let expected = (self.pictures)(driver, &self.by_hand);
        assert!(expected.iter().any(|picture| picture.iter().any(|byte| *byte != 0)));
        for (what, stages) in all {
            let found = (self.pictures)(driver, stages);
            assert!(found == expected, "{driver:?} {what}: {}", self.title);
        }
    }

    /// Checks three forms of the stages: unchanged, converted to registers and back, and combined into one array and
    /// separated again.
    #[track_caller]
    pub(super) fn takes_other_forms(&self) {
        let back = lowered(&self.own, there_and_back);
        let separated = lowered(&self.own, separated);
        for driver in DRIVERS {
            let all = [("own", &self.own), ("back", &back), ("separated", &separated)];
            self.are_drawn(driver, &all);
        }
    }

    /// Checks clipping in a geometry stage; returns the numbers of distances.
    #[track_caller]
    pub(super) fn is_cut_in_a_geometry_stage(&self) -> DistanceCounts {
        let (clip, primitive) = (GeometryClip::default(), Primitive::Triangles);
        let (stages, counts) = with_geometry(&self.own, clip, primitive, LOCATION);
        self.are_drawn(Driver::Lavapipe, &[("geometry stage", &stages)]);
        counts
    }

    /// Checks culling in the fragment stage, unless distances clip.
    #[track_caller]
    pub(super) fn is_culled_in_the_fragment_stage(&self) {
        if self.counts.clip == 0 {
            let (stages, _) = emulated(&self.own, LOCATION);
            self.are_drawn(Driver::Lavapipe, &[("emulated", &stages)]);
        }
    }
}

/// A control: different cases draw different pictures.
#[track_caller]
pub(super) fn are_different(cases: &[Case]) {
    for (one, other) in cases.iter().zip(&cases[1..]) {
        let [one, other] = [one, other].map(|case| (case.pictures)(Driver::Lavapipe, &case.own));
        assert!(one != other);
    }
}

/// The location of the registers, after the locations of the other outputs.
const LOCATION: u32 = 5;

#[track_caller]
fn lowered(stages: &Stages, lower: impl Fn(&Module<'_>) -> Vec<u32>) -> Stages {
    let mut stages = stages.clone();
    let words = lower(&Module::parse(&stages[0].1).unwrap());
    valid(&words);
    stages[0].1 = words;
    stages
}

fn there_and_back(m: &Module<'_>) -> Vec<u32> {
    let registers = take(m, to_registers(LOCATION, None)).unwrap();
    let found = registers.result.distances.outputs.registers.clone();
    let options = Step::Normalize(normalize(Vec::new(), found));
    take(&registers.module, options).unwrap().module.into_words()
}

/// Combines both arrays into one, and separates them again.
fn separated(m: &Module<'_>) -> Vec<u32> {
    let clip = take(m, to_registers(LOCATION, None)).unwrap().result.distances.outputs.clip;
    let one = take(m, Step::Combine { clip: None }).unwrap();
    take(&one.module, Step::Separate { clip }).unwrap().module.into_words()
}
