//! Identifiers of new records: the caller's identifier if it is free and reveals nothing, otherwise a
//! new one.
//!
//! An identifier can tell a secret: "id in use" says that a hidden record exists, and the number
//! after the highest says how many there are. So there are two ways to choose one, by what the
//! caller may read:
//!
//! - A caller who may read all records of the source gets what a database would give: the requested
//!   identifier or `DUPLICATE_ID`, else the next one in the source's own scheme.
//! - Any other caller gets an identifier that is drawn from a very wide range, by the number of
//!   records made in this episode. A requested identifier is checked for its form and otherwise
//!   ignored.
//!
//! Both are functions of the company's seed and the overlay, so a replayed run allocates the same
//! identifiers.

use super::Code;
use super::run::{Outcome, Run, refuse};
use crate::company::ids::Ids;
use crate::source::TableId;
use crate::toolset::Call;
use crate::value::scalar_text;
use serde_json::Value;
use sim_core::Stream;
use std::collections::BTreeMap;

impl Run<'_> {
    /// The identifier of a new thread of mails.
    pub(super) fn new_thread(&self) -> String {
        let c = &self.office.company;
        let (y, m, d) = c.clock().date();
        let n = u64::from(self.state.overlay.made(TableId::Emails));
        let mut draws = c.seed.stream("new.thread", n);
        loop {
            // Longer than generated thread ids, so that they never collide with threads of others.
            let id = format!("THR_{y:04}{m:02}{d:02}_{:012x}", draws.below(1 << 48));
            if !self.thread(&id).0 {
                return id;
            }
        }
    }

    /// The identifier of a new record: the caller's identifier if it is free and reveals nothing,
    /// otherwise a new one.
    pub(super) fn identifier(
        &self,
        call: &Call,
        row: u32,
        values: &BTreeMap<String, Value>,
    ) -> Outcome<String> {
        let source = call.source;
        let view = self.view();
        if source == TableId::Files {
            let part = |f: &str| values.get(f).and_then(scalar_text).unwrap_or_default();
            let id = format!("{}:{}", part("repo_name"), part("path"));
            return if view.find(source, &id).is_some() {
                refuse(Code::DuplicateId, "there is a file with this path")
            } else {
                Ok(id)
            };
        }
        // If the caller may not read all records, refusing an id would reveal that it is in use.
        // Repositories are identified by their name alone, which must be free.
        let open = source == TableId::Repositories || self.knows_all(source);
        if let Some(id) = call.new_id.as_ref() {
            well_formed(source, id)?;
        }
        if let Some(id) = call.new_id.as_ref().filter(|_| open) {
            if view.is_taken(source, id) {
                return refuse(
                    Code::DuplicateId,
                    format!("the id `{}` is in use", sim_core::error::clip(id)),
                );
            }
            return Ok(id.clone());
        }
        Ok(if self.knows_all(source) {
            self.allocate(source, row)
        } else {
            self.allocate_apart(source)
        })
    }

    /// A new identifier for a caller who may not read all records of the source. It depends only on the
    /// records that were made in this episode, not on the number of records. The numbers are drawn from
    /// a range so wide that a collision with a used one is very unlikely.
    fn allocate_apart(&self, source: TableId) -> String {
        let view = self.view();
        let made = u64::from(view.overlay.made(source));
        let seed = view.company.seed.child("new.id.apart", source as u64);
        let mut draws = seed.stream("row", made);
        loop {
            let number = 100_000_000_000 + draws.below(900_000_000_000);
            let id = match source {
                TableId::Employees => format!("emp_{:09}", number % 1_000_000_000),
                TableId::Posts => format!("post_{number}"),
                TableId::Customers => letters(&mut draws, 5),
                TableId::Products => product(&mut draws),
                source if source.numbered() || source == TableId::Tickets => number.to_string(),
                _ => uuid(&mut draws),
            };
            if !view.is_taken(source, &id) {
                return id;
            }
        }
    }

    /// A new identifier for a caller who may read all records of the source: the one that the row would
    /// have in a larger company, else the number after the highest, else a random one.
    fn allocate(&self, source: TableId, row: u32) -> String {
        let view = self.view();
        let c = view.company;
        // The scheme of a generated table has names for rows beyond its end.
        if let Some(ids @ Ids::Made(_)) = c.ids.get(&source) {
            let id = ids.name(row);
            if !view.is_taken(source, &id) {
                return id;
            }
        }
        let mut draws = c
            .seed
            .child("new.id", source as u64)
            .stream("row", u64::from(row));
        // Looked up once; each further attempt takes the next number.
        let mut highest: Option<u64> = None;
        loop {
            let id = match source {
                TableId::Employees
                | TableId::Sales
                | TableId::Reviews
                | TableId::SupportChats
                | TableId::Overflow
                | TableId::Posts => {
                    let next = match highest {
                        Some(n) => n + 1,
                        None => self.highest(source) + 1,
                    };
                    highest = Some(next);
                    match source {
                        TableId::Employees => format!("emp_{next:04}"),
                        TableId::Posts => format!("post_{next}"),
                        _ => next.to_string(),
                    }
                }
                TableId::Tickets => (100 + draws.below(1_000_000)).to_string(),
                TableId::Customers => letters(&mut draws, 5),
                TableId::Products => product(&mut draws),
                _ => uuid(&mut draws),
            };
            if !view.is_taken(source, &id) {
                return id;
            }
        }
    }

    /// The largest number in the identifiers of a source, 0 without any. It reads every identifier of the
    /// source, and is asked only if the computed identifier is not free.
    fn highest(&self, source: TableId) -> u64 {
        let view = self.view();
        (0..view.rows(source))
            .filter_map(|row| {
                let id = view.id(source, row);
                id.trim_start_matches(|c: char| !c.is_ascii_digit())
                    .parse::<u64>()
                    .ok()
            })
            .max()
            .unwrap_or(0)
    }
}

/// Random lower-case letters.
fn letters(draws: &mut Stream, count: u32) -> String {
    (0..count)
        .map(|_| char::from(b'a' + u8::try_from(draws.below(26)).unwrap_or(0)))
        .collect()
}

/// A random product id: `B` and nine digits or capitals.
fn product(draws: &mut Stream) -> String {
    let digit = |d: u64| char::from_digit(u32::try_from(d).unwrap_or(0), 36);
    let tail: String = (0..9).filter_map(|_| digit(draws.below(36))).collect();
    format!("B{}", tail.to_uppercase())
}

/// A random UUID of version 4.
fn uuid(draws: &mut Stream) -> String {
    let (a, b) = (draws.bits(), draws.bits());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

/// Checks that an identifier chosen by the caller has the form of its source.
fn well_formed(source: TableId, id: &str) -> Outcome<()> {
    let (fits, form) = match source {
        TableId::Products => (
            id.len() == 10
                && id
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
            "10 capitals or digits",
        ),
        TableId::Customers => (
            id.len() == 5 && id.bytes().all(|b| b.is_ascii_lowercase()),
            "5 lower-case letters",
        ),
        TableId::Employees => (
            id.strip_prefix("emp_").is_some_and(|d| {
                (4..=9).contains(&d.len()) && d.bytes().all(|b| b.is_ascii_digit())
            }),
            "`emp_` and at least 4 digits",
        ),
        s if s.numbered() || s == TableId::Tickets => (
            id.len() <= 12
                && id.bytes().all(|b| b.is_ascii_digit())
                && !(id.len() > 1 && id.starts_with('0')),
            "a whole number",
        ),
        _ => (
            id.chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c)),
            "letters, digits, dots, hyphens, underscores and slashes",
        ),
    };
    if fits {
        Ok(())
    } else {
        refuse(
            Code::InvalidArgument,
            format!("the id of a {} must be {form}", source.noun()),
        )
    }
}
