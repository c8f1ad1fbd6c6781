//! What the tests of stages behind the vertex stage share: they run on lavapipe, the driver that has such stages.

use crate::subject::{self, Driver, Lower, marks};
use polyshade::clip_cull::{self, Options, Target};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_verify::{Difference, Equal, Form, Marked, Part, Steps, Verdict};

/// A stage.
#[derive(Clone, Copy)]
pub(crate) struct Later(pub(crate) ExecutionModel);

impl Later {
    pub(crate) fn target(self) -> Target {
        Target::new("main", self.0)
    }

    #[track_caller]
    pub(crate) fn verify(
        self,
        driver: Driver,
        words: &[u32],
        steps: &Steps,
        lower: Lower<'_>,
    ) -> Verdict {
        subject::judge_distances(driver, (words, self.0), steps, lower)
    }

    #[track_caller]
    pub(crate) fn equal(self, words: &[u32], steps: &Steps, lower: Lower<'_>) -> Equal {
        let driver = Driver::Lavapipe;
        let equal = subject::equal(driver, self.verify(driver, words, steps, lower));
        assert!(equal.runs == 3, "{equal:?}");
        equal
    }

    #[track_caller]
    pub(crate) fn difference(self, words: &[u32], steps: &Steps, lower: Lower<'_>) -> Difference {
        let driver = Driver::Lavapipe;
        let found = subject::difference(driver, self.verify(driver, words, steps, lower));
        assert_eq!(found.part, Part::Lowered);
        found
    }

    /// Why a stage that stays as it is cannot be compared.
    #[track_caller]
    pub(crate) fn reason(self, driver: Driver, words: &[u32], steps: &Steps) -> String {
        let verdict = self.verify(driver, words, steps, &|m| Ok(m.borrowed().into_owned()));
        subject::reason(driver, verdict)
    }

    pub(crate) fn normalized(
        self,
        m: &Module<'_>,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Result<Module<'static>, Error> {
        let options = Options::new(self.target()).inputs(marks(inputs)).outputs(marks(outputs));
        Ok(clip_cull::normalize(m, &options)?.module.into_owned())
    }
}

/// The same marks on both sides.
pub(crate) fn to_arrays(marked: &[&str]) -> Steps {
    let marked = Marked { marks: marks(marked), linked: None };
    Steps { inputs: marked.clone(), outputs: marked, ..Steps::default() }
}

pub(crate) fn form(form: Form) -> Steps {
    Steps { form, ..Steps::default() }
}
