//! Agents by tasks: who does how well where.

use run_engine::words::fine;
use serde::Serialize;
use sim_core::Sense;

/// The means of one task.
#[derive(Debug)]
pub(super) struct Column {
    /// Title of the task.
    pub(super) task: String,
    /// Mean of every agent that has one.
    pub(super) means: Vec<(String, f64)>,
    /// Whether larger or smaller means are better; absent where neither end is.
    pub(super) sense: Option<Sense>,
}

/// Raw mean, and place between the worst (0) and the best (1) of the task.
#[derive(Debug, Serialize)]
pub(super) struct Matrix {
    tasks: Vec<String>,
    rows: Vec<MatrixRow>,
}

#[derive(Debug, Serialize)]
struct MatrixRow {
    agent: String,
    cells: Vec<Option<Cell>>,
    mean: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    raw: String,
    place: Option<String>,
}

impl Matrix {
    /// The matrix of several tasks; agents in the order in which they first appear.
    pub(super) fn new(columns: &[Column]) -> Self {
        let mut agents: Vec<&String> = Vec::new();
        for (agent, _) in columns.iter().flat_map(|column| &column.means) {
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        Self {
            tasks: columns.iter().map(|column| column.task.clone()).collect(),
            rows: agents
                .into_iter()
                .map(|agent| row(agent, columns))
                .collect(),
        }
    }

    /// Number of agents.
    pub(super) fn agents(&self) -> usize {
        self.rows.len()
    }
}

impl Column {
    /// Mean of an agent, and its place where the task ranks.
    fn of(&self, agent: &str) -> Option<(f64, Option<f64>)> {
        let (_, mean) = self.means.iter().find(|(name, _)| name == agent)?;
        let (low, high) = self
            .means
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, x)| {
                (low.min(*x), high.max(*x))
            });
        let place = self.sense.filter(|_| high > low).map(|sense| match sense {
            Sense::Maximise => (mean - low) / (high - low),
            Sense::Minimise => (high - mean) / (high - low),
        });
        Some((*mean, place))
    }
}

fn row(agent: &str, columns: &[Column]) -> MatrixRow {
    let cells: Vec<_> = columns.iter().map(|column| column.of(agent)).collect();
    let places: Vec<f64> = cells
        .iter()
        .filter_map(|cell| cell.and_then(|(_, p)| p))
        .collect();
    let shown = |(raw, place): (f64, Option<f64>)| Cell {
        raw: fine(raw),
        place: place.map(|p| format!("{p:.2}")),
    };
    MatrixRow {
        agent: agent.to_owned(),
        mean: sim_core::stats::mean(&places).map(|mean| format!("{mean:.2}")),
        cells: cells.into_iter().map(|cell| cell.map(shown)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_direction_and_litmus_tests_give_none() {
        let means = |list: &[(&str, f64)]| -> Vec<(String, f64)> {
            list.iter()
                .map(|(name, x)| ((*name).to_owned(), *x))
                .collect()
        };
        let column = |task: &str, sense, list: &[(&str, f64)]| Column {
            task: task.to_owned(),
            means: means(list),
            sense,
        };
        let matrix = Matrix::new(&[
            column("cost", Some(Sense::Minimise), &[("a", 10.0), ("b", 30.0)]),
            column("lean", None, &[("b", 1.0), ("c", 2.0)]),
        ]);
        assert_eq!(matrix.agents(), 3);
        let seen: Vec<_> = matrix
            .rows
            .iter()
            .map(|row| (row.agent.as_str(), row.mean.as_deref()))
            .collect();
        assert_eq!(
            seen,
            [("a", Some("1.00")), ("b", Some("0.00")), ("c", None)]
        );
    }
}
