//! What the rules of sixteen games remember: the rows of `rule::Memory`.

use super::row::Row;
use super::weeks::Weeks;
use crate::chain::Setup;
use crate::number::Number;
use crate::role::ROLES;
use crate::rule::{Formula, MAX_WINDOW, smoothed};

/// Forecasts and last incoming orders of each role; empty where no rule remembers anything.
#[derive(Debug, Clone)]
pub(super) struct Memories<N>(Vec<Memory<N>>);

#[derive(Debug, Clone)]
struct Memory<N> {
    formula: Formula,
    forecast: Row<N>,
    /// A ring; empty for rules that average nothing.
    recent: Vec<Row<N>>,
}

impl<N: Number> Memories<N> {
    /// For the rules of all roles but the controlled one.
    pub(super) fn new(setup: &Setup, controlled: usize) -> Self {
        let memory = |role| {
            let formula = match setup.rule_of(role).0 {
                _ if role == controlled => Formula::FollowDemand,
                formula => formula,
            };
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
        let mut roles = vec![memory(0), memory(1), memory(2), memory(3)];
        if !roles.iter().any(|memory| memory.formula.remembers()) {
            roles = Vec::new();
        }
        Self(roles)
    }

    /// Puts a column where a game begins.
    pub(super) fn restart(&mut self, column: usize, flow: f64) {
        for memory in &mut self.0 {
            memory.forecast.set(column, N::of(flow));
            memory
                .recent
                .iter_mut()
                .for_each(|row| row.set(column, N::of(flow)));
        }
    }

    /// Takes a column back from a copy.
    pub(super) fn copy_column(&mut self, from: &Self, column: usize) {
        for (memory, from) in self.0.iter_mut().zip(&from.0) {
            memory.forecast.set(column, from.forecast.get(column));
            for (row, from) in memory.recent.iter_mut().zip(&from.recent) {
                row.set(column, from.get(column));
            }
        }
    }

    pub(super) fn into_format<M: Number>(self) -> Memories<M> {
        let roles = self.0.into_iter().map(|memory| Memory {
            formula: memory.formula,
            forecast: memory.forecast.into_format(),
            recent: memory.recent.into_iter().map(Row::into_format).collect(),
        });
        Memories(roles.collect())
    }

    /// The demand that each rule reckons with when it reads these orders in its `weeks`-th week,
    /// from 0; `None` where that is the orders themselves.
    #[inline(always)]
    pub(super) fn estimate(
        &mut self,
        read: [&Row<N>; ROLES],
        weeks: &Weeks,
    ) -> Option<[Row<N>; ROLES]> {
        if self.0.is_empty() {
            return None;
        }
        let mut estimates = [Row::ZERO; ROLES];
        for ((memory, read), estimate) in self.0.iter_mut().zip(read).zip(&mut estimates) {
            *estimate = memory.estimate(read, weeks);
        }
        Some(estimates)
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
