//! The output of every command at the end of a run.

use super::{Console, line};
use run_engine::engine::finished::Finished;
use run_engine::error::RunError;
use run_report::questions::score::figures_in_words;

/// How the result of a run is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SummaryForm {
    /// At most ten lines, and the notes.
    Short,
    /// The metrics too.
    Metrics,
    /// One JSON object.
    Json,
}

impl SummaryForm {
    /// As the options `--json` and `--metrics` say.
    pub(super) fn of(json: bool, metrics: bool) -> Self {
        match (json, metrics) {
            (true, _) => Self::Json,
            (false, true) => Self::Metrics,
            (false, false) => Self::Short,
        }
    }

    /// Whether a progress line and remarks are printed beside the result.
    pub(super) fn is_for_people(self) -> bool {
        self != Self::Json
    }
}

/// Prints the result of a run.
///
/// # Errors
/// When the output cannot be written, or episodes of the run failed or are missing.
pub(super) fn conclude(
    finished: &Finished,
    shown: SummaryForm,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if shown.is_for_people() {
        console.print(&figures_in_words(&finished.summary)?)?;
    }
    match shown {
        SummaryForm::Json => {
            console.print(&line(&finished.summary)?)?;
            for step in &finished.steps {
                console.print(&line(step)?)?;
            }
        }
        SummaryForm::Metrics => console.print(&format!("{:#}", finished.summary))?,
        SummaryForm::Short => console.print(&finished.summary.to_string())?,
    }
    for note in &finished.notes {
        console.remark(&format!("note: {note}\n"))?;
    }
    // Last, so that the result is printed whatever failed.
    finished.check()
}
