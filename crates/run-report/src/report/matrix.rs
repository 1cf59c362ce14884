//! Agents by tasks: who does how well where.

use run_engine::engine::summary::LEVEL;
use run_engine::words::{counted, fine};
use serde::Serialize;
use sim_core::Seed;
use sim_core::stats::{NormalisedSum, mean};

/// The score of a task on the scale from the baseline (0) to the optimum (1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// The normalised score.
    value: f64,
    /// Its 95 % interval.
    interval: Option<[f64; 2]>,
    /// Number of episodes.
    count: usize,
}

impl Share {
    /// The share of the sums over all episodes; `None` where no episode has a baseline and an optimum, and
    /// where the optimum is no better than the baseline.
    pub(super) fn of<K: Ord + Clone>(sum: &NormalisedSum<K>) -> Option<Self> {
        let found = sum.estimate(LEVEL, Seed(0).child("normalised", 0))?;
        Some(Self {
            value: found.value,
            interval: found.interval.map(|found| [found.low, found.high]),
            count: found.rows,
        })
    }

    /// Mean, interval and number of episodes.
    pub(super) fn words(self) -> String {
        let interval = self.interval.map_or_else(String::new, |[low, high]| {
            format!(", {low:.2} to {high:.2}")
        });
        let count = counted(self.count as u64, "episode");
        format!("{:.2} ({count}{interval})", self.value)
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
    /// Mean of the normalised scores over tasks, and over how many.
    mean: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    raw: String,
    normalised: Option<String>,
}

impl Matrix {
    /// The matrix of several tasks; agents in the order of their mean normalised score, except that none
    /// stands below one that it beats in every task of both. Those without a normalised score are last.
    pub(super) fn new(columns: &[Column]) -> Self {
        let mut agents: Vec<&String> = Vec::new();
        for (agent, ..) in columns.iter().flat_map(|column| &column.means) {
            // In the order of the tasks; a set would sort them by name.
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        let mut rows: Vec<Placed> = agents
            .into_iter()
            .map(|agent| row(agent, columns))
            .collect();
        rows.sort_by(|a, b| match (a.mean, b.mean) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            // Those without a score keep their order, because the sort is stable.
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        Self {
            tasks: columns.iter().map(|column| column.task.clone()).collect(),
            rows: ranked(rows),
        }
    }

    /// Number of agents.
    pub(super) fn agents(&self) -> usize {
        self.rows.len()
    }
}

/// A row with what places it.
struct Placed {
    row: MatrixRow,
    /// Normalised score in each task.
    shares: Vec<Option<f64>>,
    mean: Option<f64>,
}

impl Placed {
    /// Whether this agent is better than `other` in every task in which both have a normalised score.
    fn beats(&self, other: &Self) -> bool {
        let both = self.shares.iter().zip(&other.shares);
        let mut both = both.filter_map(|(a, b)| Some((*a)? > (*b)?)).peekable();
        // Two that share no task do not beat each other: "all of none" would be true.
        both.peek().is_some() && both.all(|better| better)
    }
}

/// The rows, which come in the order of their means, with each before those that it beats. Agents that played
/// different tasks can beat each other in a circle; where only such are left, the best mean is next.
fn ranked(rows: Vec<Placed>) -> Vec<MatrixRow> {
    let beaten = |at: &Placed| rows.iter().filter(|other| other.beats(at)).count();
    // By counts and not by asking again who is beaten: with n agents that would be n cubed.
    let mut above: Vec<usize> = rows.iter().map(beaten).collect();
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        // The first that nobody left beats; `left` is in the order of the means.
        let free = left.iter().position(|at| above.get(*at) == Some(&0));
        let next = left.remove(free.unwrap_or(0));
        order.push(next);
        for at in &left {
            let pair = rows.get(next).zip(rows.get(*at));
            if pair.is_some_and(|(next, other)| next.beats(other))
                && let Some(count) = above.get_mut(*at)
            {
                // One that is placed holds nobody back any more.
                *count -= 1;
            }
        }
    }
    let mut rows: Vec<Option<MatrixRow>> =
        rows.into_iter().map(|placed| Some(placed.row)).collect();
    let order = order.into_iter();
    order.filter_map(|at| rows.get_mut(at)?.take()).collect()
}

fn row(agent: &str, columns: &[Column]) -> Placed {
    let of = |column: &Column| -> Option<(f64, Option<Share>)> {
        let mut all = column.means.iter();
        let (_, mean, share) = all.find(|(name, ..)| name == agent)?;
        Some((*mean, *share))
    };
    let found: Vec<Option<(f64, Option<Share>)>> = columns.iter().map(of).collect();
    let share = |cell: &Option<(f64, Option<Share>)>| Some((*cell)?.1?.value);
    let shares: Vec<Option<f64>> = found.iter().map(share).collect();
    let cell = |(raw, share): (f64, Option<Share>)| Cell {
        raw: fine(raw),
        normalised: share.map(Share::words),
    };
    let known: Vec<f64> = shares.iter().flatten().copied().collect();
    let all = mean(&known);
    let row = MatrixRow {
        agent: agent.to_owned(),
        mean: all.map(|mean| format!("{mean:.2} ({})", counted(known.len() as u64, "task"))),
        cells: found.into_iter().map(|found| found.map(cell)).collect(),
    };
    Placed {
        row,
        shares,
        mean: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sim_core::{Reference, ScoreRange, Sense, Status};

    /// The share of costs, each with its optimum and the gain of the optimum over the baseline.
    fn share(range: ScoreRange, costs: &[(f64, f64, f64)]) -> Option<Share> {
        let mut sum = NormalisedSum::new(range, Sense::Minimise);
        for (instance, (cost, optimum, gain)) in costs.iter().enumerate() {
            let reference = Reference {
                optimum: Some(*optimum),
                baseline: Some(optimum + gain),
                status: Status::Proven,
                ..Reference::none()
            };
            sum.add(instance, *cost, &reference);
        }
        Share::of(&sum)
    }

    fn order(matrix: &Matrix) -> Vec<&str> {
        matrix.rows.iter().map(|row| row.agent.as_str()).collect()
    }

    #[test]
    fn a_share_is_shown_with_interval_and_episodes() {
        let words = share(ScoreRange::UNLIMITED, &[(1.0, 0.0, 1.0); 8]).unwrap();
        assert!(
            words.words().starts_with("0.00 (8 episodes, "),
            "{}",
            words.words()
        );
        let one = share(ScoreRange::UNLIMITED, &[(3.0, 2.0, 4.0)]).unwrap();
        assert_eq!(one.words(), "0.75 (1 episode)");
    }

    /// An agent may be far better in a task of its own, or worse in the mean, and still beat another one in all
    /// that both played.
    #[test]
    fn who_played_other_tasks_does_not_stand_above_who_beats_it() {
        let at = |value: f64| share(ScoreRange::UNLIMITED, &[(1.0 - value, 0.0, 1.0)]);
        let column = |task: &str, agents: &[(&str, f64)]| Column {
            task: task.to_owned(),
            means: agents
                .iter()
                .map(|(name, value)| ((*name).to_owned(), 1.0 - value, at(*value)))
                .collect(),
        };
        let easy = column("easy", &[("b", 0.99), ("c", 0.5)]);
        let hard = column("hard", &[("a", 0.3), ("b", 0.2)]);
        assert_eq!(order(&Matrix::new(&[easy, hard])), ["a", "b", "c"]);
        let circle = [
            column("x", &[("a", 0.9), ("b", 0.8)]),
            column("y", &[("b", 0.3), ("c", 0.2)]),
            column("z", &[("c", 0.4), ("a", 0.1)]),
        ];
        assert_eq!(Matrix::new(&circle).agents(), 3);
    }

    proptest! {
        /// However small the gains of some episodes are.
        #[test]
        fn nobody_stands_below_an_agent_that_it_beats_in_every_task(
            tasks in proptest::collection::vec(
                proptest::collection::vec(
                    (proptest::collection::vec(0.0_f64..1e3, 4), 0.0_f64..1e3, -3_i32..4), 1..8),
                1..4),
        ) {
            let names = ["a", "b", "c", "d"];
            let mut means = vec![Vec::new(); 4];
            let columns: Vec<Column> = tasks.iter().map(|episodes| Column {
                task: "task".to_owned(),
                means: names.iter().zip(&mut means).enumerate().filter_map(|(at, (name, means))| {
                    let costs: Option<Vec<_>> = episodes.iter().map(|(costs, optimum, power)| {
                        Some((optimum + costs.get(at)?, *optimum, 10_f64.powi(*power)))
                    }).collect();
                    let costs = costs?;
                    let all = mean(&costs.iter().map(|(cost, ..)| *cost).collect::<Vec<_>>())?;
                    means.push(all);
                    Some(((*name).to_owned(), all, share(ScoreRange::UNLIMITED, &costs)))
                }).collect(),
            }).collect();
            let matrix = Matrix::new(&columns);
            let order = order(&matrix);
            for (one, ours) in names.iter().zip(&means) {
                for (other, theirs) in names.iter().zip(&means) {
                    // Costs: less is better. Rounding may hide less.
                    if ours.iter().zip(theirs).all(|(a, b)| a + 1e-6 < *b) {
                        let place = |name: &str| order.iter().position(|held| *held == name);
                        prop_assert!(place(one) < place(other), "{one} {other}: {order:?} {means:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn normalised_scores_do_not_depend_on_the_agents_present() {
        let column = |agents: &[(&str, f64, &[f64])]| {
            let means = agents.iter().map(|(name, mean, shares)| {
                let costs: Vec<_> = shares.iter().map(|share| (1.0 - share, 0.0, 1.0)).collect();
                let share = share(ScoreRange::UNLIMITED, &costs);
                ((*name).to_owned(), *mean, share)
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
        assert_eq!(order(&among), ["b", "a", "c"]);
        assert_eq!(among.agents(), 3);
    }
}
