//! Named steps that run one after another, with their times.

use anyhow::{Context, Result, anyhow};
use std::fmt;
use std::time::{Duration, Instant};

/// The outcome of a step that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran as described.
    Done,
    /// It ran in another way, for this reason.
    Instead(String),
    /// It did not run, for this reason.
    Skipped(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "ok"),
            Self::Instead(reason) => write!(f, "ok, but {reason}"),
            Self::Skipped(reason) => write!(f, "SKIPPED: {reason}"),
        }
    }
}

/// One step of a chore.
pub struct Step {
    /// Short name, as in `--skip <name>`.
    pub name: &'static str,
    action: Box<dyn Fn() -> Result<Outcome>>,
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Step {
    /// A step with this name.
    pub fn new(name: &'static str, action: impl Fn() -> Result<Outcome> + 'static) -> Self {
        Self {
            name,
            action: Box::new(action),
        }
    }
}

/// The result of one step.
#[derive(Debug)]
pub struct StepResult {
    /// Name of the step.
    pub name: &'static str,
    /// How it ended; absent if it failed.
    pub outcome: Option<Outcome>,
    /// How long it took.
    pub time: Duration,
}

/// Runs the steps in order and prints a summary; the first failure ends the run.
///
/// # Errors
/// The error of the failed step, with its name and the names of the steps that never ran.
pub fn run_all(steps: &[Step], skip: &[String]) -> Result<()> {
    let mut lines = Vec::new();
    let result = run_into(steps, skip, &mut lines);
    println!("\n{}", summary(&lines));
    result
}

fn run_into(steps: &[Step], skip: &[String], lines: &mut Vec<StepResult>) -> Result<()> {
    for (number, step) in steps.iter().enumerate() {
        println!("\n== {}/{} {}", number + 1, steps.len(), step.name);
        let watch = Stopwatch::start();
        let result = if skip.iter().any(|name| name == step.name) {
            Ok(Outcome::Skipped("skipped with --skip".to_owned()))
        } else {
            (step.action)()
        };
        let time = watch.time();
        let (outcome, error) = match result {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(error)),
        };
        let shown = outcome
            .as_ref()
            .map_or_else(|| "FAILED".to_owned(), Outcome::to_string);
        println!("== {}: {shown} ({})", step.name, seconds(time));
        lines.push(StepResult {
            name: step.name,
            outcome,
            time,
        });
        if let Some(error) = error {
            let rest: Vec<&str> = steps
                .iter()
                .skip(number + 1)
                .map(|step| step.name)
                .collect();
            let rest = if rest.is_empty() {
                String::new()
            } else {
                format!(" (not run: {})", rest.join(", "))
            };
            return Err(error).with_context(|| anyhow!("step `{}` failed{rest}", step.name));
        }
    }
    Ok(())
}

/// The table at the end of a run.
fn summary(lines: &[StepResult]) -> String {
    let mut text = String::new();
    let mut total = Duration::ZERO;
    for line in lines {
        let outcome = line
            .outcome
            .as_ref()
            .map_or("FAILED".to_owned(), Outcome::to_string);
        text.push_str(&format!(
            "{:<10} {:>9}  {outcome}\n",
            line.name,
            seconds(line.time)
        ));
        total += line.time;
    }
    text.push_str(&format!("{:<10} {:>9}", "together", seconds(total)));
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Measures how long a step takes.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "a chore may tell how long it took"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// The time so far.
    pub(crate) fn time(&self) -> Duration {
        self.0.elapsed()
    }

    /// The time so far, to be printed.
    pub(crate) fn seconds(&self) -> String {
        seconds(self.time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn steps(log: &Rc<RefCell<Vec<&'static str>>>) -> Vec<Step> {
        let noted = |name: &'static str, result: fn() -> Result<Outcome>| {
            let log = Rc::clone(log);
            Step::new(name, move || {
                log.borrow_mut().push(name);
                result()
            })
        };
        vec![
            noted("one", || Ok(Outcome::Done)),
            noted("two", || Ok(Outcome::Skipped("no tool".to_owned()))),
            noted("three", || bail!("a reason")),
            noted("four", || Ok(Outcome::Done)),
        ]
    }

    #[test]
    fn the_first_failure_stops_the_run_and_is_named() {
        let log = Rc::default();
        let mut lines = Vec::new();
        let error = run_into(&steps(&log), &[], &mut lines).unwrap_err();
        assert_eq!(*log.borrow(), ["one", "two", "three"]);
        assert_eq!(
            format!("{error:#}"),
            "step `three` failed (not run: four): a reason"
        );
        let table = summary(&lines);
        assert_eq!(table.lines().count(), 4);
        assert!(
            table.contains("SKIPPED: no tool") && table.contains("FAILED"),
            "{table}"
        );
    }

    #[test]
    fn a_skipped_step_does_not_run() {
        let log = Rc::default();
        run_into(&steps(&log), &["three".to_owned()], &mut Vec::new()).unwrap();
        assert_eq!(*log.borrow(), ["one", "two", "four"]);
    }
}
