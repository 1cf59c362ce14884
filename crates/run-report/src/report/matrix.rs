//! Agents by tasks: who does how well where.

use run_engine::words::{counted, fine};
use serde::Serialize;
use sim_core::stats::{mean, mean_interval_within};
use sim_core::{ScoreRange, Seed};

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// A mean score on the scale from the baseline (0) to the optimum (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    mean: f64,
    interval: Option<[f64; 2]>,
    /// Number of episodes.
    count: usize,
}

impl Share {
    /// The share of normalised scores, which lie in `range`; `None` where no episode has a baseline and an
    /// optimum.
    pub(super) fn of(values: &[f64], range: ScoreRange) -> Option<Self> {
        let seed = Seed(0).child("normalised", 0);
        let interval = mean_interval_within(values, range, LEVEL, seed);
        Some(Self {
            mean: mean(values)?,
            interval: interval.map(|interval| [interval.low, interval.high]),
            count: values.len(),
        })
    }

    /// Mean, interval and number of episodes.
    pub(super) fn words(self) -> String {
        let interval = self.interval.map_or_else(String::new, |[low, high]| {
            format!(", {low:.2} to {high:.2}")
        });
        let count = counted(self.count as u64, "episode");
        format!("{:.2} ({count}{interval})", self.mean)
    }
}

/// The means of one task.
#[derive(Debug)]
pub(super) struct Column {
    /// Title of the task.
    pub(super) task: String,
    /// Mean of every agent that has one, and the same on the scale from baseline to optimum.
    pub(super) means: Vec<(String, f64, Option<Share>)>,
}

/// Raw mean and normalised score of every agent in every task.
#[derive(Debug, Serialize)]
pub(super) struct Matrix {
    tasks: Vec<String>,
    rows: Vec<MatrixRow>,
}

#[derive(Debug, Serialize)]
struct MatrixRow {
    agent: String,
    cells: Vec<Option<Cell>>,
    /// Mean of the normalised scores, and over how many tasks.
    mean: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    raw: String,
    normalised: Option<String>,
}

impl Matrix {
    /// The matrix of several tasks; agents in the order of their mean normalised score, those without
    /// one last.
    pub(super) fn new(columns: &[Column]) -> Self {
        let mut agents: Vec<&String> = Vec::new();
        for (agent, ..) in columns.iter().flat_map(|column| &column.means) {
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        let mut rows: Vec<(Option<f64>, MatrixRow)> = agents
            .into_iter()
            .map(|agent| row(agent, columns))
            .collect();
        rows.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) => b.total_cmp(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        Self {
            tasks: columns.iter().map(|column| column.task.clone()).collect(),
            rows: rows.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// Number of agents.
    pub(super) fn agents(&self) -> usize {
        self.rows.len()
    }
}

fn row(agent: &str, columns: &[Column]) -> (Option<f64>, MatrixRow) {
    let of = |column: &Column| -> Option<(f64, Option<Share>)> {
        let mut all = column.means.iter();
        let (_, mean, share) = all.find(|(name, ..)| name == agent)?;
        Some((*mean, *share))
    };
    let found: Vec<Option<(f64, Option<Share>)>> = columns.iter().map(of).collect();
    let shares: Vec<f64> = found
        .iter()
        .filter_map(|cell| Some((*cell)?.1?.mean))
        .collect();
    let cell = |(raw, share): (f64, Option<Share>)| Cell {
        raw: fine(raw),
        normalised: share.map(Share::words),
    };
    let all = mean(&shares);
    let row = MatrixRow {
        agent: agent.to_owned(),
        mean: all.map(|mean| format!("{mean:.2} ({})", counted(shares.len() as u64, "task"))),
        cells: found.into_iter().map(|found| found.map(cell)).collect(),
    };
    (all, row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_limited_score_has_a_limited_interval() {
        let words = |values: &[f64], range| Share::of(values, range).unwrap().words();
        // Wilson's interval of 0 of 8.
        assert_eq!(
            words(&[0.0; 8], ScoreRange::SHARE),
            "0.00 (8 episodes, 0.00 to 0.32)"
        );
        let optimal = ScoreRange::new(f64::NEG_INFINITY, 1.0);
        let some = words(&[1.0, 1.0, 0.4, 1.0, 1.0, 1.0, 1.0, 0.9], optimal);
        assert!(some.ends_with(" to 1.00)"), "{some}");
    }

    #[test]
    fn normalised_scores_do_not_depend_on_the_agents_present() {
        let column = |agents: &[(&str, f64, &[f64])]| {
            let means = agents.iter().map(|(name, mean, shares)| {
                (
                    (*name).to_owned(),
                    *mean,
                    Share::of(shares, ScoreRange::UNLIMITED),
                )
            });
            Column {
                task: "cost".to_owned(),
                means: means.collect(),
            }
        };
        let a = ("a", 10.0, [0.5, 0.7].as_slice());
        let alone = Matrix::new(&[column(&[a])]);
        let among = Matrix::new(&[column(&[("b", 3.0, &[1.0]), a, ("c", 99.0, &[])])]);
        let of = |matrix: &Matrix, agent: &str| {
            let row = matrix.rows.iter().find(|row| row.agent == agent).unwrap();
            row.mean.clone()
        };
        assert_eq!(of(&alone, "a").as_deref(), Some("0.60 (1 task)"));
        assert_eq!(of(&among, "a"), of(&alone, "a"));
        assert_eq!(of(&among, "c"), None, "no baseline and optimum");
        let order: Vec<&str> = among.rows.iter().map(|row| row.agent.as_str()).collect();
        assert_eq!(order, ["b", "a", "c"]);
        assert_eq!(among.agents(), 3);
    }
}
