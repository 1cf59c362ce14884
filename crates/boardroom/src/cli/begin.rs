//! What every command does that begins a run.

use super::conclude::{SummaryForm, conclude};
use super::saving::{SavingArgs, folder_of};
use super::{Console, training_note};
use clap::Args;
use run_engine::engine::episodes::play;
use run_engine::engine::execute::RunOptions;
use run_engine::engine::model::backends::priced;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::model::RunBudget;
use run_engine::plan::options::{MethodOptions, ModelOptions, Sampling};
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::members::is_run;
use std::path::Path;

/// The options of a run of questions or interviews besides what is asked and who takes part.
#[derive(Debug, Args)]
pub(super) struct ModelRunArgs {
    #[command(flatten)]
    pub(super) method: MethodOptions,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    means: RunBudget,
    #[command(flatten)]
    saving: SavingArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl ModelRunArgs {
    /// The options of the model that answers.
    pub(super) fn options(&self) -> ModelOptions {
        ModelOptions::of_method(self.method.clone(), self.sampling.clone())
    }

    /// The run of `plan`. `option` states the number of episodes, if the command left it out.
    pub(super) fn begin<'a>(
        &'a self,
        plan: Plan,
        option: Option<&'a str>,
        metrics: bool,
    ) -> Begin<'a> {
        Begin {
            plan,
            asks: !self.options().is_default(),
            instruction: self.method.instruction.as_deref(),
            means: &self.means,
            saving: &self.saving,
            option,
            shown: SummaryForm::of(self.json, metrics),
            steps: false,
        }
    }
}

/// A run that begins now, with the options that every command takes.
pub(super) struct Begin<'a> {
    /// What is played.
    pub(super) plan: Plan,
    /// Whether the command has options of the agent's model.
    pub(super) asks: bool,
    /// The file with the instruction of the method, if it has one.
    pub(super) instruction: Option<&'a Path>,
    pub(super) means: &'a RunBudget,
    pub(super) saving: &'a SavingArgs,
    /// The option that states the number of episodes, if the command left it out.
    pub(super) option: Option<&'a str>,
    pub(super) shown: SummaryForm,
    /// Whether each step's action and feedback are printed.
    pub(super) steps: bool,
}

impl Begin<'_> {
    /// Plays the run and prints its result.
    ///
    /// # Errors
    /// When it cannot be played or stored, or episodes failed or are missing.
    pub(super) fn play(self, console: &mut Console<'_>) -> Result<(), RunError> {
        let Self {
            plan,
            asks,
            instruction,
            means,
            saving,
            option,
            shown,
            steps,
        } = self;
        if (plan.model.is_none() && asks) || (!plan.asks_models() && !means.is_default()) {
            return Err(RunError::usage(format!(
                "`{}` is a built-in policy; --method, --planning, --temperature and --model-arg apply to a model \
                 as --agent (a model at a seat has --seat-set); --concurrency, --max-cost, --timeout and --retries \
                 apply to runs with a model",
                plan.agent
            )));
        }
        if plan.asks_models() && steps {
            return Err(RunError::usage(
                "--steps shows the games of policies; keep the run of a model (--out DIR), and `boardroom replay DIR` shows it",
            ));
        }
        let played = || plan.instances(console.registry);
        let notes = training_note(instruction, &plan.environment, played, console)?;
        // Before the folder is made, so that a refusal leaves none behind.
        if plan.asks_servers() {
            priced(means, &plan.dialects())?;
        }
        let quiet = !shown.is_for_people();
        let place = saving.place(&plan.environment, &plan.agent, quiet, console)?;
        let folder = match &place.path {
            Some(path) => Some(folder_of(path, &plan, option, notes, console)?),
            None => None,
        };
        let options = RunOptions {
            means,
            steps,
            progress: !quiet,
            stop: console.stop,
        };
        let finished = play(console.registry, &plan, folder.as_ref(), options);
        let finished = RunDirGuard::settle(place.fresh, finished);
        // A folder that holds nothing was taken back.
        let kept = place.path.as_deref().filter(|dir| is_run(dir));
        let finished = finished.map_err(|error| error.of_run(kept));
        let finished = match &folder {
            Some(folder) => folder.settle_extension(finished)?,
            None => finished?,
        };
        if finished.unplayed > 0 && folder.is_none() {
            console.remark("results were not saved (--no-save)\n")?;
        }
        conclude(&finished, shown, console)
    }
}
