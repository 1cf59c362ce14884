//! Rows of tables whose fields say how they are generated ([`Make`]).
//!
//! A row has one stream, named after the table, from which its fields draw in their order: a new field at the
//! end moves no other value, and no other table.

use super::numbers;
use super::staff::{Staff, day_between};
use crate::company::Company;
use crate::company::rows::Rows;
use crate::source::{FieldType, Make, TableId};

/// The rows of a table.
pub(super) fn rows(
    c: &Company,
    staff: &Staff,
    source: TableId,
    count: u32,
    threads: usize,
) -> Rows {
    let drawn = source.fields().iter();
    let drawn = drawn.filter(|f| !matches!(f.make, Make::Absent | Make::Phrases(_)));
    let names: Vec<&str> = drawn.map(|f| f.name).collect();
    numbers(source, &names, count, threads, |n| {
        row(c, staff, source, &names, n)
    })
}

/// The numbers of a row in these fields.
fn row(c: &Company, staff: &Staff, source: TableId, names: &[&str], row: u32) -> Vec<i64> {
    let turn = source.fields().iter().find(|f| f.make == Make::Turn);
    let targets = turn.map_or(1, |f| match f.kind {
        FieldType::Link(target) => c.rows(target).max(1),
        _ => 1,
    });
    let (target, round) = (row % targets, row / targets);
    let mut out: Vec<i64> = Vec::new();
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
                let person = names.iter().position(|name| *name == who);
                let person = person.and_then(|n| u32::try_from(*out.get(n)?).ok());
                let (from, to) = staff.span(person.unwrap_or(0));
                i64::from(day_between(&mut s, from, to).0)
            }
            Make::Ahead(low, high) => i64::from(c.clock.plus(s.between(low, high)).0),
        };
        out.push(value);
    }
    out
}
