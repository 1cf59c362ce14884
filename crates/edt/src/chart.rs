//! A run as text: a Gantt chart of the projects, and money over time.

use crate::action::Action;
use crate::agent_model::{AgentModel, Consultant, ProjectState};
use crate::chance::Chance;
use crate::firm::Firm;
use crate::ledger::Figures;
use crate::prompt::money as amount;
use std::fmt::Write as _;

/// Longest name in a chart \[characters\].
const NAME: usize = 36;

/// One row of the Gantt chart: a mark for each step.
struct Row {
    name: String,
    marks: Vec<Mark>,
}

/// The state of a project in a step; a narrow chart shows the highest one of several steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Closed,
    Open,
    Staffed(u32),
}

impl Mark {
    fn character(self) -> char {
        match self {
            Self::Closed => ' ',
            Self::Open => '.',
            Self::Staffed(heads) => char::from_digit(heads, 10).unwrap_or('+'),
        }
    }
}

/// The run of a decision as a Gantt chart of at most `width` columns: a row for each accepted
/// project and each follow-on.
///
/// A digit says how many consultants are attached (`+` for ten and more), a dot that the project
/// waits for its first one; a blank lies outside its time. Where a column stands for several steps
/// it shows the busiest.
///
/// It runs the plan with the agent model, so a chart takes longer than a run of the
/// engine.
///
/// ```
/// use edt::Action;
/// use edt::chart;
/// use edt::engine::Chance;
/// use edt::firm::Firm;
///
/// let firm = Firm::paper();
/// let chart = chart::gantt(&firm, &Action::simple(&firm), &Chance::threshold(0.0), 48);
/// // One line above, then one for each of the ten projects; 48 columns of two steps each.
/// assert_eq!(chart.lines().count(), 11);
/// ```
#[must_use]
pub fn gantt(firm: &Firm, decision: &Action, chance: &Chance, width: usize) -> String {
    let mut model = AgentModel::new(firm, decision, *chance);
    let steps = firm.clock().steps() as usize;
    let mut rows: Vec<Row> = Vec::new();
    let mut step = 0;
    let mut attached: Vec<u32> = Vec::new();
    while model.step().is_some() {
        // Counted once a step, not once for each project: a firm may have 10,000 of them.
        attached.clear();
        attached.resize(model.projects().len(), 0);
        for place in model.consultants().iter().filter_map(Consultant::project) {
            if let Some(heads) = attached.get_mut(place) {
                *heads += 1;
            }
        }
        for (index, (project, heads)) in model.projects().iter().zip(&attached).enumerate() {
            let mark = match project.state() {
                _ if *heads > 0 => Mark::Staffed(*heads),
                ProjectState::Ready => Mark::Open,
                _ => Mark::Closed,
            };
            if rows.len() <= index {
                let name: String = project.terms().name.chars().take(NAME).collect();
                let name = if project.terms().is_follow_on {
                    let short: String = name.chars().take(NAME - 2).collect();
                    format!("> {short}")
                } else {
                    name
                };
                rows.push(Row {
                    name,
                    // A follow-on comes up in the middle of a run, so its row begins with blanks.
                    marks: vec![Mark::Closed; step],
                });
            }
            if let Some(row) = rows.get_mut(index) {
                row.marks.push(mark);
            }
        }
        step += 1;
    }
    let group = steps.div_ceil(width.max(1)).max(1);
    let columns = steps.div_ceil(group);
    let mut out = format!(
        "{:NAME$} |{:<columns$}|",
        "",
        format!(
            "{} to {}, a column is {} of time",
            firm.start,
            firm.stop,
            time_of(firm, group)
        )
    );
    for row in &rows {
        let line: String = row
            .marks
            .chunks(group)
            .map(|marks| {
                marks
                    .iter()
                    .max()
                    .copied()
                    .unwrap_or(Mark::Closed)
                    .character()
            })
            .collect();
        let _ = write!(out, "\n{:<NAME$} |{line:<columns$}|", row.name);
    }
    out
}

fn time_of(firm: &Firm, steps: usize) -> f64 {
    f64::from(u32::try_from(steps).unwrap_or(u32::MAX)) * firm.clock().dt()
}

/// Accumulated earnings (`*`) and cash (`o`) over the run, `width` columns by `height` rows.
///
/// `series` comes from
/// [`Engine::run_with_series`](crate::engine::Engine::run_with_series). Where a column
/// stands for several steps it shows the last of them. The scale is chosen so that zero
/// and both extremes fit; a row of `-` marks zero. `height` below 2 counts as 2.
#[must_use]
pub fn money_over_time(series: &[Figures], width: usize, height: usize) -> String {
    let group = series.len().div_ceil(width.max(1)).max(1);
    let points: Vec<(f64, f64)> = series
        .chunks(group)
        .filter_map(|part| part.last())
        .map(|figures| (figures.accumulated_earnings, figures.cash))
        .collect();
    let all = || points.iter().flat_map(|(a, b)| [*a, *b]);
    let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    let rows = u32::try_from(height.max(2)).unwrap_or(2);
    let size = (high - low).max(1.0) / f64::from(rows - 1);
    let row_of = |value: f64| ((value - low) / size).round();
    let mut out = String::new();
    for row in (0..rows).rev() {
        let level = f64::from(row);
        let line: String = points
            .iter()
            .map(|(earnings, cash)| {
                let at = |value: f64| row_of(value).total_cmp(&level).is_eq();
                if at(*earnings) {
                    '*'
                } else if at(*cash) {
                    'o'
                } else if at(0.0) {
                    '-'
                } else {
                    ' '
                }
            })
            .collect();
        let _ = writeln!(out, "{:>12} |{line}", amount(low + level * size));
    }
    let columns = points.len();
    let _ = write!(
        out,
        "{:>12} |{:<columns$}",
        "", "* accumulated earnings   o cash"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Window;

    #[test]
    fn small_firm_as_text() {
        let mut firm = Firm::paper();
        firm.stop = 12;
        firm.projects.truncate(2);
        firm.projects[0].contracted_effort = 6.0;
        firm.projects[1].contracted_effort = 4.0;
        let decision = Action {
            consultants: 2,
            risk_level: 0.0,
            projects: vec![
                Some(Window {
                    start: 1.0,
                    deadline: 11.0,
                }),
                Some(Window {
                    start: 3.0,
                    deadline: 11.0,
                }),
            ],
        };
        // Both work on project 1 from time 2 to 4, lose time 5, start project 2 at time 6 and lose
        // time 8. The chart shows them attached until they leave.
        let chart = gantt(&firm, &decision, &Chance::threshold(0.0), 40);
        let rows: Vec<&str> = chart.lines().skip(1).collect();
        assert_eq!(
            rows[0],
            "Project 1: Core Upgrade              |.222        |"
        );
        assert_eq!(
            rows[1],
            "Project 2: Data Migration            |  ...22     |"
        );
        let series = AgentModel::new(&firm, &decision, Chance::threshold(0.0)).run();
        let money = money_over_time(&series, 40, 6);
        assert_eq!(money.lines().count(), 7);
        assert!(
            money
                .lines()
                .next()
                .unwrap()
                .trim_start()
                .starts_with("0 |"),
            "{money}"
        );
    }
}
