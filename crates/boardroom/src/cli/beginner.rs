//! Answers to what beginners type: the notation of other programs, or a model, plan file or folder in the wrong
//! place. Each answer names the command that works.

use run_engine::error::RunError;
use run_engine::plan::agent::meant_model;
use run_engine::run_dir::members::{SWEEP, is_run};
use run_engine::terminal::{shell_path, shell_word};
use sim_core::error::clip;
use std::path::Path;

/// The refusal of `agent` if it is a model in the notation of another program.
pub(super) fn meant(agent: &str) -> Option<RunError> {
    let model = meant_model(agent)?;
    Some(RunError::usage(format!(
        "`{}` does not name the API of the model; write `{model}`",
        clip(agent)
    )))
}

/// The refusal of `name` as an environment if it is a model, a plan file or a folder.
pub(super) fn not_an_environment(name: &str) -> Option<RunError> {
    let (shown, path) = (clip(name), Path::new(name));
    let named = shell_path(path);
    let is_model = ["openai:", "anthropic:"]
        .iter()
        .any(|api| name.starts_with(api));
    let model = meant_model(name).or_else(|| is_model.then(|| name.to_owned()));
    // Folders and files first: one that is there was meant, even if it is called like a model.
    let text = if is_run(path) || path.join(SWEEP).exists() {
        format!(
            "`{shown}` is a folder with results, not an environment; `boardroom resume {named}` finishes \
             it, `boardroom report {named}` shows it"
        )
    } else if path.is_file() && path.extension().is_some_and(|end| end == "toml") {
        format!(
            "`{shown}` is a plan file, not an environment; run it with `boardroom run --plan {named} --out \
             runs/sweep`"
        )
    } else {
        let model = model?;
        format!(
            "`{shown}` is a model, not an environment; name what it plays: `boardroom run beer-game --agent \
             {}`",
            shell_word(&model)
        )
    };
    Some(RunError::usage(text))
}

/// The answer to `inspect` and `eval`, which are commands of inspect_ai.
pub(super) fn inspect() -> RunError {
    RunError::usage(
        "there is no command `inspect` or `eval`; a model plays with `boardroom run ENVIRONMENT --agent openai:MODEL`, \
         `boardroom runs` lists the runs, and `boardroom view` shows them",
    )
}
