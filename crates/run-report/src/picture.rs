//! The plots of records.

use pictures::{DrawError, as_text};
use run_engine::engine::episodes::RecordChoice;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use sim_core::{DynInstance, EpisodeRecord};
use std::path::Path;

/// The error of a command whose plot cannot be drawn.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn not_drawn(error: DrawError) -> RunError {
    RunError::Failed(error.to_string())
}

/// Width of a plot below a transcript \[columns\].
const COLUMNS: usize = 72;

/// The main plot of an episode as text, with an empty line before it; nothing where there is none.
///
/// # Errors
/// When the record is not of this instance.
pub fn main_plot(instance: &dyn DynInstance, record: &EpisodeRecord) -> Result<String, RunError> {
    let plots = instance.plots(record)?;
    let main = plots.iter().find(|plot| !plot.is_empty());
    Ok(main.map_or_else(String::new, |plot| format!("\n{}", as_text(plot, COLUMNS))))
}

/// [`main_plot`] of the record `asked` of the run folder `dir`.
///
/// # Errors
/// When the folder cannot be read. An episode without a record has no plot.
pub fn main_plot_of(
    environments: &Registry,
    dir: &Path,
    asked: RecordChoice,
) -> Result<String, RunError> {
    let folder = Folder::read(dir)?;
    let plan = &folder.manifest.plan;
    let (Some(record), _) = folder.first(|header| asked.is(header))? else {
        return Ok(String::new());
    };
    let source = InstanceSource::of(environments.kind(&plan.environment)?, plan)?;
    main_plot(&*source.case(record.header.episode)?, &record)
}
