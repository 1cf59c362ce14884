//! The progress line of a run on a terminal.

use crate::clock::Stopwatch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;

/// Something besides the number of units that a progress line shows, such as the cost of a run.
pub trait ProgressStatus: fmt::Debug {
    /// The text, `seconds` after the run began.
    fn text(&self, seconds: f64) -> String;
}

/// A line on standard error; nothing where that is not a terminal.
#[derive(Debug)]
pub(super) struct Live<'a> {
    bar: ProgressBar,
    watch: Stopwatch,
    status: Option<&'a dyn ProgressStatus>,
}

impl<'a> Live<'a> {
    /// A line for `total` units called `what`; hidden unless `shown`. It shows the time left, or
    /// `status`.
    pub(super) fn new(
        total: u64,
        what: &str,
        shown: bool,
        status: Option<&'a dyn ProgressStatus>,
    ) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let last = status.map_or("{eta} left", |_| "{msg}");
        let style =
            ProgressStyle::with_template(&format!("{{bar:20}} {{pos}}/{{len}} {what}, {last}"));
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self {
            bar,
            watch: Stopwatch::start(),
            status,
        }
    }

    /// Shows that `done` units are done.
    pub(super) fn show(&self, done: u64) {
        // Without a terminal even the text is not made: `status` locks the account of the run.
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_position(done);
        if let Some(status) = self.status {
            let seconds = self.watch.elapsed().as_secs_f64();
            self.bar.set_message(status.text(seconds));
        }
    }

    /// Removes the line.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
