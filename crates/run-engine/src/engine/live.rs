//! The progress line of a run on a terminal.

use crate::clock::Stopwatch;
use crate::engine::summary::Kept;
use crate::plan::Plan;
use crate::words::{fine, number};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::cell::Cell;
use std::fmt;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time between two lines of news.
const NEWS_EVERY: Duration = Duration::from_secs(60);

/// Something besides the number of units that a progress line shows, such as the cost of a run.
pub trait ProgressStatus: fmt::Debug {
    /// The text, `seconds` after the run began.
    fn text(&self, seconds: f64) -> String;

    /// What the user should know now, also without a terminal: that the run waits. Each is given once.
    fn news(&self) -> Option<String> {
        None
    }
}

/// A line on standard error; only news where that is not a terminal.
#[derive(Debug)]
pub(super) struct Live<'a> {
    bar: ProgressBar,
    watch: Stopwatch,
    status: Option<&'a dyn ProgressStatus>,
    tells_news: bool,
    /// When news were told last.
    told: Cell<Option<Duration>>,
}

impl<'a> Live<'a> {
    /// A line for `total` units; hidden unless `shown`. It shows `status` and, once a unit is done, the time left.
    pub(super) fn new(total: u64, shown: bool, status: Option<&'a dyn ProgressStatus>) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            tells_news: shown,
            ..Self::on(target, total, status)
        }
    }

    fn on(target: ProgressDrawTarget, total: u64, status: Option<&'a dyn ProgressStatus>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let status_text = status.map_or("", |_| ", {msg}");
        let style = ProgressStyle::with_template(&format!(
            "{{bar:20}} {{pos}}/{{len}} {}s{status_text}{{left}}",
            Plan::UNIT
        ));
        // Before a unit is done, nothing is known about the time that one takes.
        let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
            if state.pos() > 0 {
                let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
            }
        };
        if let Ok(style) = style {
            bar.set_style(style.with_key("left", left));
        }
        Self {
            bar,
            watch: Stopwatch::start(),
            status,
            tells_news: true,
            told: Cell::new(None),
        }
    }

    /// News that are due at the time `now` of the run.
    fn news(&self, now: Duration) -> Option<String> {
        // Taken even if it is not told: news that waited for their minute would be told when the
        // pause is over.
        let news = self.status.filter(|_| self.tells_news)?.news()?;
        let told = self.told.get();
        if told.is_some_and(|told| now.saturating_sub(told) < NEWS_EVERY) {
            return None;
        }
        self.told.set(Some(now));
        Some(news)
    }

    /// Shows that `done` units are done.
    pub(super) fn show(&self, done: u64) {
        if let Some(news) = self.news(self.watch.elapsed()) {
            // Nobody can be told that standard error is closed.
            let tell = || writeln!(std::io::stderr(), "{news}");
            let _ = self.bar.suspend(tell);
        }
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

/// What the episodes of a run came to so far.
#[derive(Debug, Default)]
pub(crate) struct EpisodesSoFar {
    /// Periods that this process has played.
    periods: AtomicU64,
    /// Sum of the scores, and their number.
    scores: Mutex<(f64, u64)>,
}

impl EpisodesSoFar {
    /// Adds periods, as they are played.
    pub(crate) fn played(&self, periods: u64) {
        // A count to look at: nothing depends on when other threads see it.
        self.periods.fetch_add(periods, Ordering::Relaxed);
    }

    /// Adds the score of an episode, if it has one.
    pub(crate) fn scored(&self, kept: &Kept) {
        if !kept.is_scored() {
            return;
        }
        let mut scores = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        scores.0 += kept.value();
        scores.1 += 1;
    }
}

impl ProgressStatus for EpisodesSoFar {
    fn text(&self, _: f64) -> String {
        let periods = number(self.periods.load(Ordering::Relaxed) as f64);
        let (sum, count) = *self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        let mean = if count > 0 {
            format!(", mean {}", fine(sum / count as f64))
        } else {
            String::new()
        };
        format!("{periods} periods{mean}")
    }
}

/// Two texts, one after the other.
#[derive(Debug)]
pub(crate) struct Both<'a>(
    pub(crate) &'a dyn ProgressStatus,
    pub(crate) &'a dyn ProgressStatus,
);

impl ProgressStatus for Both<'_> {
    fn text(&self, seconds: f64) -> String {
        format!("{}, {}", self.0.text(seconds), self.1.text(seconds))
    }

    fn news(&self) -> Option<String> {
        self.0.news().or_else(|| self.1.news())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::summary::MetricNames;
    use indicatif::TermLike;
    use sim_core::{Score, Tally};
    use std::io;
    use std::sync::Arc;

    fn kept(score: &Score) -> Kept {
        MetricNames::default().keep(score, Tally::default(), None)
    }

    fn scored(value: f64) -> Kept {
        kept(&Score::new(value).unwrap())
    }

    /// A terminal of 100 columns that keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn write(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.write(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.write("\n")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_on_a_terminal_counts_episodes_and_says_status_and_time_left() {
        let screen = Screen::default();
        // Without a rate every change is drawn.
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let so_far = EpisodesSoFar::default();
        let live = Live::on(target, 40, Some(&so_far));
        so_far.played(1_000);
        so_far.scored(&scored(12.5));
        live.show(0);
        live.bar.force_draw();
        let seen = screen.0.lock().unwrap().clone();
        assert!(!seen.contains("left"), "nothing is known yet: {seen:?}");
        live.show(10);
        live.bar.force_draw();
        let seen = screen.0.lock().unwrap().clone();
        let last = seen.lines().rfind(|line| line.contains("episodes"));
        let last = last.unwrap_or_else(|| panic!("{seen:?}"));
        for part in ["10/40 episodes, 1,000 periods, mean 12.5, ", " left"] {
            assert!(last.contains(part), "{last}");
        }
        let hidden = Live::on(ProgressDrawTarget::hidden(), 40, Some(&so_far));
        hidden.show(10);
        assert_eq!(hidden.bar.position(), 0, "nothing is made for nobody");
    }

    #[test]
    fn news_are_told_at_most_once_a_minute_and_to_people_alone() {
        #[derive(Debug)]
        struct Waits;
        impl ProgressStatus for Waits {
            fn text(&self, _: f64) -> String {
                String::new()
            }
            fn news(&self) -> Option<String> {
                Some("it waits".to_owned())
            }
        }
        let target = ProgressDrawTarget::hidden;
        let live = Live::on(target(), 1, Some(&Waits));
        let told = [0, 59, 60, 119, 120].map(|now| live.news(Duration::from_secs(now)).is_some());
        assert_eq!(told, [true, false, true, false, true]);
        let quiet = Live::new(1, false, Some(&Waits));
        assert_eq!(quiet.news(Duration::ZERO), None);
    }

    #[test]
    fn the_line_says_periods_and_the_mean_so_far() {
        let so_far = EpisodesSoFar::default();
        assert_eq!(so_far.text(1.0), "0 periods");
        so_far.played(1_000);
        so_far.played(25);
        so_far.scored(&scored(10.0));
        so_far.scored(&kept(&Score::unscored("no judge").unwrap()));
        so_far.scored(&scored(15.0));
        assert_eq!(so_far.text(1.0), "1,025 periods, mean 12.5");
        let both = Both(&so_far, &so_far).text(1.0);
        assert_eq!(both.matches("mean 12.5").count(), 2);
    }
}
