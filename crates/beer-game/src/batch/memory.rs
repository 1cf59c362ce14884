//! Memory of the ordering rules in sixteen games: `rule::Memory` with a row for each field.

use super::row::Row;
use super::weeks::Weeks;
use crate::chain::Setup;
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::{Formula, MAX_WINDOW, smoothed};

/// Forecasts and last incoming orders of each role; `None` where no rule has a memory.
#[derive(Debug, Clone)]
pub(super) struct Memories<N>(Option<ByRole<Memory<N>>>);

#[derive(Debug, Clone)]
struct Memory<N> {
    formula: Formula,
    forecast: Row<N>,
    /// Ring buffer of the last incoming orders; empty for rules without a moving average.
    recent: Vec<Row<N>>,
}

impl<N: Number> Memories<N> {
    /// Memory for the rules of all roles except the controlled one.
    pub(super) fn new(setup: &Setup, controlled: Option<Role>) -> Self {
        let formula = |role| match setup.rule_of(role).0 {
            _ if Some(role) == controlled => Formula::FollowDemand,
            formula => formula,
        };
        let memory = |role| {
            let formula = formula(role);
            let slots = if formula.window() > 1 {
                MAX_WINDOW as usize
            } else {
                0
            };
            Memory {
                formula,
                forecast: Row::ZERO,
                recent: vec![Row::ZERO; slots],
            }
        };
        let remembers = Role::ALL.into_iter().any(|role| formula(role).remembers());
        Self(remembers.then(|| ByRole::from_fn(memory)))
    }

    /// Resets a column to the start of a game.
    pub(super) fn restart(&mut self, column: usize, flow: f64) {
        for memory in self.each_mut() {
            memory.forecast.set(column, N::of(flow));
            memory
                .recent
                .iter_mut()
                .for_each(|row| row.set(column, N::of(flow)));
        }
    }

    /// Restores a column from a copy.
    pub(super) fn copy_column(&mut self, from: &Self, column: usize) {
        let from = from.0.iter().flat_map(ByRole::iter);
        for (memory, (_, from)) in self.each_mut().zip(from) {
            memory.forecast.set(column, from.forecast.get(column));
            for (row, from) in memory.recent.iter_mut().zip(&from.recent) {
                row.set(column, from.get(column));
            }
        }
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Memory<N>> {
        self.0.iter_mut().flat_map(ByRole::values_mut)
    }

    pub(super) fn into_format<M: Number>(self) -> Memories<M> {
        let into_format = |memory: Memory<N>| Memory {
            formula: memory.formula,
            forecast: memory.forecast.into_format(),
            recent: memory.recent.into_iter().map(Row::into_format).collect(),
        };
        Memories(self.0.map(|roles| roles.map(into_format)))
    }

    /// The demand that each rule uses after it reads these orders in week `weeks`, counted from 0;
    /// `None` when no rule has a memory: the demand is the order itself then.
    #[inline(always)]
    pub(super) fn estimate(
        &mut self,
        read: &ByRole<&Row<N>>,
        weeks: &Weeks,
    ) -> Option<ByRole<Row<N>>> {
        let memories = self.0.as_mut()?;
        Some(ByRole::from_fn(|role| {
            memories[role].estimate(read[role], weeks)
        }))
    }
}

impl<N: Number> Memory<N> {
    #[inline(always)]
    fn estimate(&mut self, read: &Row<N>, weeks: &Weeks) -> Row<N> {
        if let Formula::Sterman { theta, .. } = self.formula {
            for (forecast, newest) in self.forecast.0.iter_mut().zip(&read.0) {
                *forecast = smoothed(theta, *newest, *forecast);
            }
            return self.forecast;
        }
        let window = self.formula.window();
        if window == 1 {
            return *read;
        }
        // Columns in the same week write the same slot, as one row.
        if let Some(week) = weeks.all() {
            if let Some(slot) = self.recent.get_mut((week % window) as usize) {
                *slot = *read;
            }
        } else {
            for (column, (week, newest)) in weeks.each().iter().zip(read.0).enumerate() {
                if let Some(slot) = self.recent.get_mut((week % window) as usize) {
                    slot.set(column, newest);
                }
            }
        }
        // Slot by slot from the first, as `rule::Memory` sums, so that both round the same way; a
        // running sum would be faster and round differently.
        let mut mean = Row::ZERO;
        self.recent
            .iter()
            .take(window as usize)
            .for_each(|slot| mean.add(slot));
        let window = N::of(f64::from(window));
        for slot in &mut mean.0 {
            *slot = *slot / window;
        }
        mean
    }
}
