//! The pictures of a run: blocking pairs by period, and the pairs that block the last assignment.

use super::blocking::Kernel;
use super::env::Scheduling;
use sim_core::plot::{Axis, Cell, Plot, Series, SeriesRole, Shape};

/// The pictures of a run so far.
pub(super) fn plots(env: &Scheduling) -> Vec<Plot> {
    let mut plots = vec![pairs(env)];
    plots.extend(at_the_end(env));
    plots
}

/// Blocking pairs of each assignment; a forfeited period has no point.
fn pairs(env: &Scheduling) -> Plot {
    let attempts = (1_u32..).map(f64::from).zip(env.attempts());
    let submitted = attempts.filter(|(_, attempt)| attempt.assignment.is_some());
    let all: Vec<(f64, f64)> = submitted
        .map(|(period, attempt)| (period, f64::from(attempt.blocking)))
        .collect();
    let end = all.last().map_or(1.0, |(period, _)| *period);
    let expected = env.expected_blocking();
    let (x, y) = (
        Axis::new("attempt", ""),
        Axis::new("blocking pairs", "pairs"),
    );
    let random = SeriesRole::Baseline;
    Plot::lines("blocking", "Blocking pairs of each assignment", x, y)
        .with(Series::own("assignment", all))
        .with(Series::level(
            random,
            "random assignment, mean",
            expected,
            1.0,
            end,
        ))
        .with(Series::level(SeriesRole::Optimum, "stable", 0.0, 1.0, end))
}

/// The last assignment and what blocks it; `None` before the first one.
fn at_the_end(env: &Scheduling) -> Option<Plot> {
    let (assignment, _) = env.standing()?;
    let kernel = Kernel::new(&env.instance().preferences).ok()?;
    let blocking = kernel.blocking(&assignment.task_of).ok()?.list();
    let cell = |(worker, task): (u16, u16), value| Cell {
        row: usize::from(worker),
        column: usize::from(task),
        value,
    };
    let workers = 0_u16..;
    let assigned = workers.zip(assignment.task_of.iter().copied());
    let assigned = assigned.map(|pair| cell(pair, 0.0));
    let cells = assigned
        .chain(blocking.into_iter().map(|pair| cell(pair, 1.0)))
        .collect();
    // As the agent names them.
    let names = |letter: char| {
        let numbers = 1..=kernel.size();
        numbers.map(|number| format!("{letter}{number}")).collect()
    };
    let shape = Shape::Grid {
        columns: names('T'),
        rows: names('W'),
        cells,
        kinds: vec!["assigned".to_owned(), "blocks".to_owned()],
    };
    let title = "The last assignment and the pairs that block it";
    let (x, y) = (Axis::new("task", ""), Axis::new("worker", ""));
    Some(Plot::new("pairs", title, x, y, shape))
}
