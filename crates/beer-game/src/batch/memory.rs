//! What the rules of sixteen games remember: the rows of `rule::Memory`.

use super::row::Row;
use super::weeks::Weeks;
use crate::chain::Setup;
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::{Formula, MAX_WINDOW, smoothed};

/// Forecasts and last incoming orders of each role; `None` where no rule remembers anything.
#[derive(Debug, Clone)]
pub(super) struct Memories<N>(Option<ByRole<Memory<N>>>);

#[derive(Debug, Clone)]
struct Memory<N> {
    formula: Formula,
    forecast: Row<N>,
    /// A ring; empty for rules that average nothing.
    recent: Vec<Row<N>>,
}

impl<N: Number> Memories<N> {
    /// For the rules of all roles but the controlled one.
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

    /// Puts a column where a game begins.
    pub(super) fn restart(&mut self, column: usize, flow: f64) {
        for memory in self.each_mut() {
            memory.forecast.set(column, N::of(flow));
            memory
                .recent
                .iter_mut()
                .for_each(|row| row.set(column, N::of(flow)));
        }
    }

    /// Takes a column back from a copy.
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

    /// The demand that each rule reckons with when it reads these orders in its `weeks`-th week,
    /// from 0; `None` where that is the orders themselves.
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
