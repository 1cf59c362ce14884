//! Remarks on a file.

use serde::{Deserialize, Serialize};
use sim_core::words::counted;
use std::collections::BTreeMap;
use std::fmt;

/// A kind of unusual content that does not stop a file from being read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RemarkKind {
    /// The file begins with a byte-order mark.
    ByteOrderMark,
    /// A field that no loader knows; its value was not used.
    UnknownField(String),
    /// A field that is null or blank.
    EmptyField(String),
    /// A choice item without options; they may be part of the question.
    NoOptions,
    /// Options in one text that could not be separated; the text was kept with the question.
    UnsplitOptions,
    /// Options in one text whose marks lost the space before them; they were separated.
    GluedOptions,
    /// Two records with the same identifier.
    RepeatedId,
    /// A choice item with an empty right answer; it is read and never counted.
    NoRightAnswer,
    /// A right answer that names a letter beyond the item's options.
    GoldBeyondOptions,
    /// Options other than A, B, C, D in this order.
    UnusualOptions,
    /// A context that should be a JSON table but is not; it was kept as text.
    NotATable,
    /// A right answer without a word of a-z and 0-9, the only ones that ROUGE counts.
    NoRougeWord,
    /// Not strict JSON: `NaN`, single quotes, or a comma too many.
    RelaxedJson,
    /// A record of another task.
    OtherTask(String),
    /// Empty lines between the rows of a table of one column, which were not taken for rows: the numbers of the first
    /// ten, and how many there are.
    EmptyLines(Vec<usize>, usize),
}

/// A kind of remark, its number of occurrences, and the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// The kind.
    pub kind: RemarkKind,
    /// Number of affected records.
    pub count: usize,
    /// First affected record, counted from 0.
    pub first: usize,
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("the file begins with a byte-order mark"),
            Self::UnknownField(name) => {
                write!(
                    f,
                    "field `{}` is not known and was not used",
                    sim_core::error::clip(name)
                )
            }
            Self::EmptyField(name) => write!(f, "field `{name}` is empty"),
            Self::NoOptions => f.write_str("choice item without options"),
            Self::UnsplitOptions => f.write_str("options could not be told apart"),
            Self::GluedOptions => f.write_str("marks of options run into words"),
            Self::RepeatedId => f.write_str("identifier occurs more than once"),
            Self::NoRightAnswer => f.write_str("right answer is empty; the item is set aside"),
            Self::GoldBeyondOptions => {
                f.write_str("right answer names a letter beyond the options")
            }
            Self::UnusualOptions => f.write_str("options are not A, B, C, D"),
            Self::NotATable => f.write_str("context is not a json table"),
            Self::NoRougeWord => f.write_str(
                "right answer holds no word of a-z and 0-9; ROUGE is 0 for it whatever is said",
            ),
            Self::RelaxedJson => f.write_str(
                "not strict JSON (NaN, single quotes, or a comma too many); NaN was read as null",
            ),
            Self::OtherTask(name) => {
                write!(
                    f,
                    "record says it belongs to `{}`",
                    sim_core::error::clip(name)
                )
            }
            Self::EmptyLines(first, count) => {
                let shown: Vec<String> = first.iter().map(usize::to_string).collect();
                let more = if *count > first.len() { " .." } else { "" };
                let were = if *count == 1 { "was" } else { "were" };
                write!(
                    f,
                    "{} {were} left out (line {}{more}); write an empty reply as `\"\"`",
                    counted(*count as u64, "empty line"),
                    shown.join(", ")
                )
            }
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        // These belong to the file and to no record.
        if matches!(
            self.kind,
            RemarkKind::ByteOrderMark | RemarkKind::EmptyLines(..)
        ) {
            return Ok(());
        }
        let records = if self.count == 1 { "record" } else { "records" };
        write!(
            f,
            " ({} {records}, first record {})",
            self.count,
            // People count records from 1.
            self.first + 1
        )
    }
}

/// Collects remarks while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Remarks(BTreeMap<RemarkKind, (usize, usize)>);

impl Remarks {
    /// Notes `kind` at record `index`.
    pub(super) fn note(&mut self, kind: RemarkKind, index: usize) {
        // One entry a kind: a file with a fault in every record would else fill the screen.
        self.0.entry(kind).or_insert((0, index)).0 += 1;
    }

    /// All of them, in a stable order.
    pub(super) fn into_vec(self) -> Vec<Remark> {
        self.0
            .into_iter()
            .map(|(kind, (count, first))| Remark { kind, count, first })
            .collect()
    }
}
