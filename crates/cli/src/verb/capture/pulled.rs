//! `polyshade capture --pull`: captures a shader that is first rewritten to fetch its vertex attributes.

use super::parts::captured;
use super::{Arguments, Rewrite, report};
use crate::Done;
use crate::failure::Failure;
use crate::lowering::Lowering;
use crate::report::Report;
use crate::stage::only_entry;
use crate::target::PULL;
use crate::verb::vertex_pulling::{Attributes, text};
use crate::writing::Beside;
use clap::Args;
use polyshade::host::{Lowered, ParamSource, Requirements};
use polyshade::recipe::{self, Capture, Made, Recipe};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Variant;
use polyshade::vertex_pulling;

/// Options for fetching vertex attributes in the shader.
#[derive(Args)]
pub(super) struct Pull {
    /// Make the shader fetch its vertex attributes in all variants, like `polyshade vertex-pulling`,
    /// before capturing it
    #[arg(help_heading = PULL, long, conflicts_with = "constant_attributes")]
    pull: bool,

    #[command(flatten, next_help_heading = PULL)]
    attributes: Attributes,

    /// Descriptor set of the vertex buffers [default: the last of sets 0 to 3 that is neither used nor reserved]
    #[arg(help_heading = PULL, long, value_name = "N")]
    pull_set: Option<u32>,

    /// Binding of the first vertex buffer; the other vertex buffers follow [default: 0, or the first free bindings]
    #[arg(help_heading = PULL, long, value_name = "N")]
    pull_binding: Option<u32>,

    /// Where the shader reads the parameters of the vertex buffers, with the same syntax as --params [default: a
    /// storage buffer after the vertex buffers]
    #[arg(help_heading = PULL, long, value_name = "SOURCE", alias = "pull-words")]
    pull_params: Option<ParamSource>,
}

impl Pull {
    pub(super) fn is_asked(&self) -> bool {
        self.pull
    }

    /// Rejects options that have no effect.
    pub(super) fn check(&self, rewrite: &Rewrite) -> Done {
        if self.pull {
            let is_unused = rewrite.is_by_extension();
            Failure::of_unused(&[("--pull", is_unused)], "with --path extension")?;
            Failure::of_unused(&[("--pull", rewrite.after.is_some())], "with --after")?;
            return self.attributes.check();
        }
        let places = [
            ("--pull-set", self.pull_set.is_some()),
            ("--pull-binding", self.pull_binding.is_some()),
            ("--pull-params", self.pull_params.is_some()),
        ];
        let given = [self.attributes.given().as_slice(), &places].concat();
        Failure::of_unused(&given, "without --pull")
    }

    fn options(&self) -> vertex_pulling::Options {
        self.attributes.options(self.pull_set, self.pull_binding, self.pull_params)
    }
}

/// Runs the verb with a recipe that contains both lowerings.
pub(super) fn run(arguments: &Arguments) -> Done {
    let Arguments { input, rewrite, pull, variants, writing } = arguments;
    let variants = captured(variants)?;
    let module = input.module()?;
    let (entry, stage) = only_entry(input, &module, &[ExecutionModel::VERTEX])?;
    let stages = [(&module, rewrite.target(&entry, stage)?)];
    // Each variant needs its own run of the recipe.
    let make = |variant| {
        let mut recipe = Recipe::default();
        recipe.vertex_pulling = Some(pull.options());
        recipe.capture = Some(Capture::Storage { variant, options: rewrite.options() });
        let made = recipe::lower(&stages, &recipe);
        let mut made = made.map_err(|error| input.refused(&error, &module))?;
        Ok(made.pop().expect("there is a result for each stage"))
    };
    let capture_only = make(Variant::CaptureOnly)?;
    let Made { pulled, stored, .. } = &capture_only.result;
    let layout = stored.as_ref().expect("the recipe captures");
    let pulled = pulled.as_ref().expect("the recipe pulls");

    // Other variants may bind the vertex buffers to another stage or need more bindings, so the report
    // covers all variants.
    let asked: Vec<Variant> = match writing.is_dry_run() {
        true => rewrite.offered(layout).filter(|one| *one != Variant::CaptureOnly).collect(),
        false => variants.iter().map(|(variant, _)| *variant).collect(),
    };
    let others: Vec<Lowered<'_, Made>> =
        asked.into_iter().map(make).collect::<Result<_, Failure>>()?;
    let needed = others.iter().map(|other| other.requirements.clone());
    let requirements = needed.fold(capture_only.requirements.clone(), Requirements::join);
    let text = report::layout(layout) + &text(pulled);
    let report = Report::new(Lowering::Recipe, (&entry, stage), &capture_only.result, text)
        .needs(&capture_only.params, &requirements)
        .drawn(rewrite.drawn());

    let made = variants.iter().zip(&others);
    let beside: Vec<Beside<'_>> =
        made.map(|((_, file), made)| (*file, made.module.words())).collect();
    writing.finish(input, &report, (module.words(), capture_only.module.words()), &beside)
}
