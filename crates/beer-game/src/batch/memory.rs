//! Memory of the ordering rules in sixteen games: `rule::RuleMemory` with a row for each
//! field.

use super::row::Row;
use super::weeks::Weeks;
use crate::chain::Setup;
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::{Formula, smoothed};

/// Forecasts and last incoming orders of each role; no rows where no rule has a memory.
#[derive(Debug, Clone)]
pub(super) struct Memories<N> {
    recalls: ByRole<Recall>,
    rows: Vec<Row<N>>,
}

/// What a rule remembers, and where its rows are.
#[derive(Debug, Clone, Copy)]
enum Recall {
    /// Nothing: the demand is the newest order.
    Nothing,
    /// An exponential smoothing with this weight of the newest order, in row `at`.
    Forecast { theta: f64, at: u8 },
    /// A moving average over the `window` rows from row `first` on, a ring buffer.
    Mean { window: u8, first: u8 },
}

impl<N: Number> Memories<N> {
    /// Memory for the rules of all roles except the controlled one.
    pub(super) fn new(setup: &Setup, controlled: Option<Role>) -> Self {
        // At most four roles with MAX_WINDOW rows each, so every number fits.
        let mut rows: u8 = 0;
        let recalls = ByRole::from_fn(|role| {
            let at = rows;
            match setup.rule_of(role).0 {
                _ if Some(role) == controlled => Recall::Nothing,
                Formula::Sterman { theta, .. } => {
                    rows += 1;
                    Recall::Forecast { theta, at }
                }
                formula if formula.window() > 1 => {
                    // Only as many slots as the average has weeks, for the sake of memory.
                    let [window, ..] = formula.window().to_le_bytes();
                    rows += window;
                    Recall::Mean { window, first: at }
                }
                _ => Recall::Nothing,
            }
        });
        Self {
            recalls,
            rows: vec![Row::ZERO; usize::from(rows)],
        }
    }

    /// Resets a column to the start of a game.
    pub(super) fn restart(&mut self, column: usize, flow: f64) {
        for row in &mut self.rows {
            row.set(column, N::of(flow));
        }
    }

    /// Writes the column `source` of `from` to a column.
    pub(super) fn copy_column(&mut self, from: &Self, source: usize, column: usize) {
        for (row, from) in self.rows.iter_mut().zip(&from.rows) {
            row.set(column, from.get(source));
        }
    }

    pub(super) fn into_format<M: Number>(self) -> Memories<M> {
        Memories {
            recalls: self.recalls,
            rows: self.rows.into_iter().map(Row::into_format).collect(),
        }
    }

    /// The demand that the rule of `role` uses after it reads these orders in week `weeks`, counted
    /// from 0.
    #[inline(always)]
    pub(super) fn estimate(&mut self, role: Role, read: &Row<N>, weeks: &Weeks) -> Row<N> {
        match self.recalls[role] {
            Recall::Nothing => *read,
            Recall::Forecast { theta, at } => {
                let Some(forecast) = self.rows.get_mut(usize::from(at)) else {
                    return *read;
                };
                for (forecast, newest) in forecast.0.iter_mut().zip(&read.0) {
                    *forecast = smoothed(theta, *newest, *forecast);
                }
                *forecast
            }
            Recall::Mean { window, first } => {
                let first = usize::from(first);
                let slots = self.rows.get_mut(first..first + usize::from(window));
                mean(slots.unwrap_or_default(), read, weeks)
            }
        }
    }
}

/// Puts the newest orders into the slot of their week and returns the average over all slots.
#[inline(always)]
fn mean<N: Number>(slots: &mut [Row<N>], read: &Row<N>, weeks: &Weeks) -> Row<N> {
    let window = slots.len();
    // Columns in the same week write the same slot, as one row.
    if let Some(week) = weeks.all() {
        if let Some(slot) = slots.get_mut(week as usize % window.max(1)) {
            *slot = *read;
        }
    } else {
        for (column, (week, newest)) in weeks.each().into_iter().zip(read.0).enumerate() {
            if let Some(slot) = slots.get_mut(week as usize % window.max(1)) {
                slot.set(column, newest);
            }
        }
    }
    // Slot by slot from the first, as `rule::RuleMemory` sums, so that both round the same way; a
    // running sum would be faster and round differently.
    let mut mean = Row::ZERO;
    slots.iter().for_each(|slot| mean.add(slot));
    #[expect(clippy::cast_precision_loss, reason = "at most MAX_WINDOW")]
    let window = N::of(window as f64);
    for slot in &mut mean.0 {
        *slot = *slot / window;
    }
    mean
}
