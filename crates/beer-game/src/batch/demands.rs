//! The customer demand of sixteen games, week by week.

use super::row::{Row, WIDTH};
use super::weeks::Weeks;
use crate::number::Number;
use std::sync::Arc;

/// Customer demand of each column \[units / week\].
#[derive(Debug, Clone)]
pub(super) enum Demands {
    /// The same in every lane and every episode.
    Common(Arc<[u32]>),
    /// Drawn for each lane; two bytes a week, which is half of what a lane would need otherwise.
    Small(Vec<[u16; WIDTH]>),
    /// Drawn for each lane, since a demand did not fit in two bytes.
    Large(Vec<[u32; WIDTH]>),
}

impl Demands {
    /// The demand of all episodes where it does not differ (`common`), else of games without demand.
    pub(super) fn new(common: Option<&Arc<[u32]>>, weeks: u32) -> Self {
        match common {
            Some(common) => Self::Common(Arc::clone(common)),
            None => Self::Small(vec![[0; WIDTH]; weeks as usize]),
        }
    }

    /// Replaces the demand of a column; what is missing at its end is 0. Common demand stays.
    pub(super) fn replace(&mut self, column: usize, demand: &[u32]) {
        let units = || demand.iter().copied().chain(std::iter::repeat(0));
        if let Self::Small(rows) = self {
            let mut all_fit = true;
            for (row, units) in rows.iter_mut().zip(units()) {
                let small = u16::try_from(units);
                all_fit &= small.is_ok();
                set(row, column, small.unwrap_or(0));
            }
            if all_fit {
                return;
            }
            *self = Self::Large(rows.iter().map(|row| row.map(u32::from)).collect());
        }
        if let Self::Large(rows) = self {
            for (row, units) in rows.iter_mut().zip(units()) {
                set(row, column, units);
            }
        }
    }

    /// Gives all columns the demand of one.
    pub(super) fn fill(&mut self, column: usize) {
        match self {
            Self::Common(_) => {}
            Self::Small(rows) => rows.iter_mut().for_each(|row| fill(row, column)),
            Self::Large(rows) => rows.iter_mut().for_each(|row| fill(row, column)),
        }
    }

    /// The demand of each column's next week, 0 after the last one.
    #[inline(always)]
    pub(super) fn next<N: Number>(&self, weeks: &Weeks) -> Row<N> {
        if let Some(week) = weeks.all() {
            return self.of_week(week);
        }
        let mut row = Row::ZERO;
        for (column, week) in weeks.each().into_iter().enumerate() {
            row.set(column, self.of_week(week).get(column));
        }
        row
    }

    #[inline(always)]
    fn of_week<N: Number>(&self, week: u32) -> Row<N> {
        let week = week as usize;
        match self {
            Self::Common(units) => units
                .get(week)
                .map_or(Row::ZERO, |units| Row::filled(N::of_whole(*units))),
            Self::Small(rows) => row(rows.get(week)),
            Self::Large(rows) => row(rows.get(week)),
        }
    }
}

// Converted straight from whole numbers: through doubles, the row would be written in two halves, and a load of
// the whole row would wait for both.
#[inline(always)]
fn row<N: Number, T: Copy + Into<u32>>(units: Option<&[T; WIDTH]>) -> Row<N> {
    let mut row = Row::ZERO;
    for (slot, units) in row.0.iter_mut().zip(units.into_iter().flatten()) {
        *slot = N::of_whole((*units).into());
    }
    row
}

fn fill<T: Copy>(row: &mut [T; WIDTH], column: usize) {
    if let Some(&units) = row.get(column) {
        *row = [units; WIDTH];
    }
}

fn set<T>(row: &mut [T; WIDTH], column: usize, units: T) {
    if let Some(slot) = row.get_mut(column) {
        *slot = units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_demand_changes_no_other_column() {
        let mut demands = Demands::new(None, 3);
        demands.replace(0, &[400, 65_535, 7]);
        demands.replace(5, &[1, 65_536]);
        demands.replace(6, &[1_000_000, 2, 3]);
        let mut weeks = Weeks::START;
        let expected = [
            [400.0, 1.0, 1e6, 0.0],
            [65_535.0, 65_536.0, 2.0, 0.0],
            [7.0, 0.0, 3.0, 0.0],
            [0.0; 4],
        ];
        for week in expected {
            let row: Row<f32> = demands.next(&weeks);
            assert_eq!([0, 5, 6, 7].map(|column| row.get(column)), week);
            weeks.close(9);
        }
    }
}
