//! The result of verifying a folder: what is wrong, what was proven, and what was not proven.

use super::Folder;
use crate::error::RunError;
use crate::files::names::MANIFEST;
use crate::plan::Plan;
use crate::terminal::shown_name;
use crate::words::counted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most findings that are kept for a folder; the others are counted.
const MOST: usize = 50;

/// The checks, in the order in which they are reported, by their names in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Check {
    /// The manifest has the digest of its plan, and the plan passes the checks of a new plan.
    Manifest,
    /// The records can be read, belong to the plan, occur only once, and none was removed.
    Records,
    /// The records are in the order in which the program writes them.
    Order,
    /// Each record equals the result of applying its inputs again.
    Replay,
    /// The inputs are those that the agent of the manifest chooses.
    Decisions,
    /// Marks and grades are those that the judges of the manifest give.
    Judgements,
    /// The stored calls to models can be read.
    Calls,
    /// The references are those that this program finds.
    References,
    /// The other files of the folder.
    Files,
    /// The stamp of an earlier `verify` matches the folder.
    Stamp,
}

/// Something in the folder that differs from what the program writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check that failed.
    pub check: Check,
    /// Where: the file, with the line, or the episode or item.
    pub place: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, what) = (shown_name(&self.place), shown_name(&self.what));
        write!(f, "[{}] {place}: {what}", self.check)
    }
}

/// A check that succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proven {
    /// The check that proved it.
    pub check: Check,
    /// What is proven, as a noun with its extent (`the answers and scores of 12 records`).
    pub what: String,
}

/// Something that was not checked or cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unproven {
    /// The check that would prove it.
    pub check: Check,
    /// What is not proven, as a noun.
    pub what: String,
    /// Why it is not proven.
    pub why: String,
}

/// The result of [`verify`](crate::verify::verify) for one folder of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Verified {
    /// Records in the folder.
    pub records: u64,
    /// Records that the plan asks for; absent if it states no number (clients of a server play as many
    /// games as they like).
    pub planned: Option<u64>,
    /// Length of a truncated last line \[bytes\]: a process was killed while it wrote the line.
    pub torn: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Number of further findings that were not kept.
    pub more: u64,
    /// The checks that succeeded.
    pub proven: Vec<Proven>,
    /// What was not checked or cannot be checked.
    pub unproven: Vec<Unproven>,
    /// Remarks for the reader.
    pub remarks: Vec<String>,
}

impl Verified {
    /// The result for a folder whose manifest cannot be read as such: one finding.
    ///
    /// # Errors
    /// Any error that is not about the content of the folder, such as a busy folder or a failing disk.
    pub fn unreadable(error: RunError) -> Result<Self, RunError> {
        match error {
            RunError::Usage(_) | RunError::Config(_) => {
                let mut found = Self::default();
                found.find(Check::Manifest, MANIFEST, error.to_string());
                Ok(found)
            }
            error => Err(error),
        }
    }

    /// Adds a finding.
    pub fn find(&mut self, check: Check, place: impl Into<String>, what: impl Into<String>) {
        // Many findings of one check must not hide that another one failed.
        if self.findings.len() >= MOST && self.failed(check) {
            self.more += 1;
            return;
        }
        self.findings.push(Finding {
            check,
            place: place.into(),
            what: what.into(),
        });
    }

    /// Adds something that was proven.
    pub fn prove(&mut self, check: Check, what: impl Into<String>) {
        self.proven.push(Proven {
            check,
            what: what.into(),
        });
    }

    /// Adds something that is not proven, and why.
    pub fn leave(&mut self, check: Check, what: impl Into<String>, why: impl Into<String>) {
        self.unproven.push(Unproven {
            check,
            what: what.into(),
            why: why.into(),
        });
    }

    /// Adds what the number of records proves: that they are exactly those of the plan, or that some
    /// are missing. Does nothing if the check of the records found something.
    pub fn claim_records(&mut self) {
        if self.failed(Check::Records) {
            return;
        }
        let missing = self.missing();
        if missing == 0 {
            let what = match self.records {
                1 => "that the 1 record is exactly that of the plan".to_owned(),
                all => format!("that the {all} records are exactly those of the plan"),
            };
            return self.prove(Check::Records, what);
        }
        let has = if missing == 1 { "has" } else { "have" };
        let why = format!("{} {has} no record", counted(missing, Plan::UNIT));
        self.leave(Check::Records, "that the run is complete", why);
    }

    /// Adds what the order of the records proves, once all are there. `places` are the places in the
    /// run of the records, in the order of the lines. `may_fail` says that a unit may
    /// fail and be done later: its record comes last until the run ends and sorts the records, so a kill
    /// before that leaves them unsorted.
    pub fn claim_order<K: Ord>(&mut self, dir: &Folder, places: &[K], may_fail: bool) {
        if self.missing() > 0 || self.failed(Check::Records) || self.failed(Check::Order) {
            return;
        }
        // Equal places are two records of one episode, which is a finding of another check.
        let wrong = places.windows(2).position(|pair| match pair {
            [first, second] => first > second,
            _ => false,
        });
        match wrong {
            None => self.prove(Check::Order, "their order"),
            Some(at) => {
                let place = format!("{} line {}", Plan::RECORDS, at + 2);
                let what = "comes earlier in the run than the one before it";
                let remedy = format!("{}, which puts the records in order", dir.how_to_finish());
                if may_fail {
                    let why = format!("{place} {what}; {remedy}");
                    self.leave(Check::Order, "the order of records", why);
                } else {
                    self.find(Check::Order, place, format!("its record {what}; {remedy}"));
                }
            }
        }
    }

    /// Sorts the findings by check, and removes proven claims of checks that found something wrong.
    pub(crate) fn settle(&mut self) {
        self.findings.sort_by_key(|found| found.check);
        let findings = &self.findings;
        self.proven
            .retain(|claim| findings.iter().all(|found| found.check != claim.check));
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether `check` found something.
    #[must_use]
    pub fn failed(&self, check: Check) -> bool {
        self.findings.iter().any(|found| found.check == check)
    }

    /// Number of findings, including those that were not kept.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.findings.len() as u64 + self.more
    }

    /// Number of records that the plan asks for but that do not exist.
    #[must_use]
    pub fn missing(&self) -> u64 {
        let planned = self.planned.unwrap_or(self.records);
        planned.saturating_sub(self.records)
    }

    /// The number of records, with the planned number if some are missing.
    #[must_use]
    pub fn extent(&self) -> String {
        extent(self.records, self.planned)
    }

    /// The number of findings and of records, and the first finding.
    #[must_use]
    pub fn in_short(&self) -> String {
        let count = counted(self.count(), "finding");
        let first = match self.findings.as_slice() {
            [] => String::new(),
            [only] => format!(": {only}"),
            [first, ..] => format!("; the first is {first}"),
        };
        format!("{count} in {}{first}", self.extent())
    }

    /// What was proven and what was not, in one line.
    #[must_use]
    pub fn claims(&self) -> String {
        // A claim rests on more than its own check: the decisions of a policy on the manifest that
        // names it. With a finding anywhere, nothing is called proven.
        if !self.findings.is_empty() {
            return "proven: nothing, because of the findings".to_owned();
        }
        let proven: Vec<&str> = self.proven.iter().map(|claim| &*claim.what).collect();
        let left = self.unproven.iter();
        let left: Vec<String> = left
            .map(|claim| format!("{} ({})", claim.what, claim.why))
            .collect();
        let list = |words: String| {
            if words.is_empty() {
                "nothing".to_owned()
            } else {
                words
            }
        };
        let line = format!(
            "proven: {}; not proven: {}",
            list(proven.join(", ")),
            list(left.join(", "))
        );
        // Names of files are in it: a line end in one would make a last line of its own.
        shown_name(&line)
    }
}

/// `12 records`, or `3 of 12 records` where some are missing, or `13 records (12 planned)`.
pub(crate) fn extent(records: u64, planned: Option<u64>) -> String {
    match planned {
        Some(planned) if planned > records => {
            format!("{records} of {}", counted(planned, "record"))
        }
        Some(planned) if planned < records => {
            format!("{} ({planned} planned)", counted(records, "record"))
        }
        _ => counted(records, "record"),
    }
}

/// Every finding on a line of its own, then the verdict, then what was proven and what was not.
impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        if self.more > 0 {
            writeln!(f, "{} more findings are not shown", self.more)?;
        }
        if self.is_sound() {
            writeln!(f, "{} verified", self.extent())?;
        } else {
            let count = counted(self.count(), "finding");
            writeln!(f, "{} not verified: {count}", self.extent())?;
        }
        writeln!(f, "{}", self.claims())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        sim_core::testkit::check_names::<Check>();
    }

    #[test]
    fn a_subset_is_said_to_be_one_and_the_last_line_says_what_is_proven() {
        let mut found = Verified {
            records: 3,
            planned: Some(12),
            ..Verified::default()
        };
        found.prove(Check::Replay, "answers and scores");
        found.leave(Check::Decisions, "decisions", "a person made them");
        assert_eq!((found.missing(), found.is_sound()), (9, true));
        let text = found.to_string();
        assert!(text.starts_with("3 of 12 records "), "{text}");
        let last = text.lines().last().unwrap();
        assert!(last.contains("answers and scores") && last.contains("a person made them"));
        found.records = 13;
        assert_eq!(found.extent(), "13 records (12 planned)");
    }

    #[test]
    fn findings_beyond_the_most_are_counted() {
        let mut found = Verified::default();
        for episode in 0..60 {
            found.find(Check::Replay, format!("episode {episode}"), "differs");
        }
        assert_eq!((found.findings.len(), found.count()), (MOST, 60));
        assert!(found.failed(Check::Replay) && !found.failed(Check::Order));
        assert!(found.in_short().contains("60 findings"));
    }
}
