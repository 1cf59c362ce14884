//! Adds the defects of the published data to a clean company and records the true values.
//!
//! Users of the release report many defects. Copying them deliberately and at a chosen rate lets a
//! study measure what they cost an agent, because the same company exists with and without them,
//! and the [marks](Company::marks) tell the true values.
//!
//! Two kinds are distinguished. Defects of values (a wrong signature, a duplicate address) change
//! the rows. Defects of spelling (a line break inside a word, a telephone number as a number)
//! cannot be expressed in rows; they are only marked here, and the exporter writes them.
//!
//! Each defect has a random stream for each row, so raising the rate of one adds rows to those that
//! have it and leaves all other defects where they were.

use super::CompanyConfig;
use crate::data::company::{Company, Defect, Mark};
use crate::data::tables::TableId;
use crate::data::value::row_no;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ConfigError, Stream};
use std::collections::BTreeMap;

/// Which defects to copy.
///
/// In JSON `"none"`, `"upstream"`, or for instance `{"custom": {"wrong_signature": 0.5}}`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DataDefects {
    /// None.
    #[default]
    None,
    /// All, at the published rates.
    Upstream,
    /// Rates by defect, 0 to 1; defects that are not named do not occur.
    Custom(BTreeMap<Defect, f64>),
}

impl DataDefects {
    /// The rate of each defect: a share from 0 to 1 of mails, threads, people and so on, as the defect says.
    #[must_use]
    pub fn rates(&self) -> BTreeMap<Defect, f64> {
        match self {
            Self::None => BTreeMap::new(),
            Self::Upstream => [
                (Defect::WrongSignature, 0.81),
                (Defect::ThreadDisorder, 0.61),
                (Defect::MalformedEnum, 0.0075),
                (Defect::SelfConversation, 0.012),
                (Defect::DuplicateEmail, 0.005),
                (Defect::IntegerPhone, 0.0675),
                (Defect::RatingNoise, 0.0007),
                (Defect::NullIssue, 0.004),
                (Defect::MissingResumeName, 0.012),
                (Defect::LeaverStillValid, 1.0),
                (Defect::LeftManager, 1.0),
            ]
            .into(),
            Self::Custom(rates) => rates.clone(),
        }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (defect, rate) in self.rates() {
            ConfigError::check_range(format!("{defect:?}"), rate, 0.0, 1.0)?;
        }
        Ok(())
    }
}

/// Applies one kind of defect after the other and collects the marks.
struct Painter<'a> {
    c: &'a mut Company,
    rates: BTreeMap<Defect, f64>,
    marks: Vec<Mark>,
}

/// Applies the defects; changes are recorded in the company's marks.
pub(super) fn apply(c: &mut Company, config: &CompanyConfig) {
    let rates = config.dirt.rates();
    if rates.is_empty() {
        return;
    }
    // The lookup tables are used while defects are applied.
    c.finish();
    let mut painter = Painter {
        c,
        rates,
        marks: Vec::new(),
    };
    painter.people();
    painter.mails();
    painter.threads();
    painter.rest();
    c.marks = painter.marks;
}

impl Painter<'_> {
    /// The stream of a defect for a row, if the row gets the defect.
    fn strikes(&self, defect: Defect, row: u32) -> Option<Stream> {
        let mut s = self
            .c
            .seed
            .child("dirt", defect as u64)
            .stream("strike", u64::from(row));
        let rate = self.rates.get(&defect).copied().unwrap_or(0.0);
        s.chance(rate).then_some(s)
    }

    /// Records the value that a field has before it is changed.
    fn mark(&mut self, defect: Defect, source: TableId, row: u32, field: &'static str) {
        let id = self.c.id(source, row);
        let truth = self.c.cell(source, row, field);
        self.marks.push(Mark {
            defect,
            source,
            id,
            field,
            truth,
        });
    }

    /// Replaces a number of a row, and records the true one.
    fn change(
        &mut self,
        defect: Defect,
        (source, row): (TableId, u32),
        field: &'static str,
        n: impl Into<Option<i64>>,
    ) {
        self.mark(defect, source, row, field);
        if let Some(rows) = self.c.declared_mut(source) {
            rows.set_number(row, field, n.into());
        }
    }

    fn people(&mut self) {
        for row in 0..self.c.rows(TableId::Employees) {
            let people = TableId::Employees;
            let left = self.c.employees().get(row as usize);
            let left = left.is_some_and(|e| e.left.is_some());
            if left && self.strikes(Defect::LeaverStillValid, row).is_some() {
                self.change(Defect::LeaverStillValid, (people, row), "is_valid", 1);
            }
            // Not applied here: with this defect people with reports may leave when they are made,
            // and this marks those who did.
            if left && !self.c.index.of(people, "reports_to", row).is_empty() {
                self.mark(Defect::LeftManager, people, row, "DOL");
                if let Some(mark) = self.marks.last_mut() {
                    mark.truth = Value::Null;
                }
            }
            if let Some(mut s) = self.strikes(Defect::DuplicateEmail, row) {
                // May be the person's own row; then the address stays and nothing is marked.
                let other = row_no(s.index(self.c.employees().len()));
                if other != row {
                    let email = self.c.shown(people, other, "email");
                    self.mark(Defect::DuplicateEmail, people, row, "email");
                    if let Some(rows) = self.c.declared_mut(people) {
                        rows.set_text(row, "email", email);
                    }
                }
            }
        }
    }

    fn mails(&mut self) {
        for row in 0..self.c.rows(TableId::Emails) {
            if let Some(mut s) = self.strikes(Defect::WrongSignature, row) {
                let other = i64::from(row_no(s.index(self.c.employees().len())));
                let mail = (TableId::Emails, row);
                self.change(Defect::WrongSignature, mail, "signature", other);
            }
            // The typed value stays; only the exported file has the line break.
            if self.strikes(Defect::MalformedEnum, row).is_some() {
                self.mark(Defect::MalformedEnum, TableId::Emails, row, "category");
            }
        }
    }

    fn threads(&mut self) {
        for thread in 0..self.c.thread_count() {
            let table = TableId::Emails;
            let rows: Vec<u32> = self.c.index.of(table, "thread_id", thread).to_vec();
            if rows.len() < 2 || self.strikes(Defect::ThreadDisorder, thread).is_none() {
                continue;
            }
            let times: Vec<i64> = {
                let sent = self.c.column(table, "date");
                rows.iter().filter_map(|row| sent(*row)).collect()
            };
            // Reversed, not shuffled: a thread of two mails is out of order for certain, and the
            // set of times stays.
            for (row, at) in rows.iter().zip(times.iter().rev()) {
                self.change(Defect::ThreadDisorder, (table, *row), "date", *at);
            }
        }
    }

    fn rest(&mut self) {
        for row in 0..self.c.rows(TableId::Conversations) {
            if self.strikes(Defect::SelfConversation, row).is_some() {
                let table = TableId::Conversations;
                let sender = self.c.column(table, "sender_emp_id")(row);
                let field = "recipient_emp_id";
                self.change(Defect::SelfConversation, (table, row), field, sender);
            }
        }
        for row in 0..self.c.rows(TableId::Clients) {
            if let Some(mut s) = self.strikes(Defect::IntegerPhone, row) {
                self.mark(Defect::IntegerPhone, TableId::Clients, row, "phone_number");
                let number = s.between(100_000_000, 9_999_999_999).to_string();
                if let Some(clients) = self.c.declared_mut(TableId::Clients) {
                    clients.set_text(row, "phone_number", number);
                }
            }
        }
        for (defect, table, fields) in [
            (Defect::RatingNoise, TableId::Products, &["rating"][..]),
            (
                Defect::MissingResumeName,
                TableId::Resumes,
                &["name", "email"][..],
            ),
        ] {
            for row in 0..self.c.rows(table) {
                if self.strikes(defect, row).is_some() {
                    for field in fields {
                        self.change(defect, (table, row), field, None);
                    }
                }
            }
        }
        // A file without its issue: the row stays, the exported file has null.
        for row in 0..self.c.rows(TableId::Issues) {
            if self.strikes(Defect::NullIssue, row).is_some() {
                self.mark(Defect::NullIssue, TableId::Issues, row, "issue_id");
            }
        }
    }
}
