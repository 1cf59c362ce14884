//! Rows of tables whose fields say how they are generated ([`Make`]).
//!
//! A row has one stream, named after the table, from which its fields draw in their order: a new field at the
//! end moves no other value, and no other table.

use super::staff::{Staff, day_between};
use crate::company::Company;
use crate::source::{FieldType, Make, TableId};

/// The fields of a row that are not texts.
pub(super) fn row(
    c: &Company,
    staff: &Staff,
    source: TableId,
    row: u32,
) -> Vec<(&'static str, i64)> {
    let turn = source.fields().iter().find(|f| f.make == Make::Turn);
    let targets = turn.map_or(1, |f| match f.kind {
        FieldType::Link(target) => c.rows(target).max(1),
        _ => 1,
    });
    let (target, round) = (row % targets, row / targets);
    let mut out: Vec<(&'static str, i64)> = Vec::new();
    let mut s = c.seed.stream(source.name(), u64::from(row));
    for field in source.fields() {
        let words = match field.kind {
            FieldType::Choice(words) => words.len().max(1),
            _ => 1,
        };
        let value = match field.make {
            Make::Absent | Make::Phrases(_) => continue,
            Make::Turn => i64::from(target),
            // One draw for each target: its rows have different words.
            Make::Rotate => {
                let first = c.seed.stream(field.name, u64::from(target)).index(words);
                i64::try_from((first + round as usize) % words).unwrap_or(0)
            }
            Make::Any => i64::try_from(s.index(words)).unwrap_or(0),
            Make::Between(low, high, factor) => s.between(low, high) * factor,
            Make::Member => {
                let desk = field.member.map_or(&[][..], |d| staff.of(d));
                i64::from(s.pick(desk).copied().unwrap_or(0))
            }
            Make::During(who) => {
                let person = out.iter().find(|(name, _)| *name == who);
                let person = person.and_then(|(_, n)| u32::try_from(*n).ok());
                let (from, to) = staff.span(person.unwrap_or(0));
                i64::from(day_between(&mut s, from, to).0)
            }
            Make::Ahead(low, high) => i64::from(c.clock.plus(s.between(low, high)).0),
        };
        out.push((field.name, value));
    }
    out
}
