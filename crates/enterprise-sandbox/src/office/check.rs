//! Checks of values beyond their own form: links, and consistency with other records.
//!
//! Types, ranges and required fields were checked with the arguments, before any data was read.
//! What remains depends on the office: a manager has to be an active member of the department, a
//! discounted price must not be above the list price, an accepted answer has to belong to the
//! question.
//!
//! A check runs on the record as it would be after the write: new values where there are some,
//! present ones elsewhere. It complains only about rules that a written field takes part in,
//! because imported data may break a rule that the caller has nothing to do with.

use super::Code;
use super::run::{Outcome, Run, refuse};
use crate::org::{Department, parse_level_code};
use crate::row::{EmployeeNo, LEAVES};
use crate::source::{FieldType, TableId};
use crate::value::{Cents, Day, scalar_text, whole_number};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields of a record after a write: written ones replace present ones.
pub(super) type Values<'a> = &'a dyn Fn(&str) -> Value;

fn text(values: Values<'_>, field: &str) -> String {
    scalar_text(&values(field)).unwrap_or_default()
}

/// An amount of a record.
pub(super) fn money(values: Values<'_>, field: &str) -> Cents {
    Cents::from_value(&values(field)).unwrap_or_default()
}

impl Run<'_> {
    /// Checks that every written link has a target.
    /// A target that the caller may not read counts as missing.
    pub(super) fn links(&self, source: TableId, written: &[(&str, &Value)]) -> Outcome<()> {
        let view = self.view();
        for (name, value) in written {
            let Some(field) = source.field(name) else {
                continue;
            };
            if let (FieldType::Link(target), Some(id)) = (field.kind, scalar_text(value))
                && view
                    .find(target, &id)
                    .is_none_or(|row| !self.knows(target, row))
            {
                return refuse(
                    Code::FkViolation,
                    format!(
                        "`{name}`: there is no {} `{}`",
                        target.noun(),
                        sim_core::error::clip(&id)
                    ),
                );
            }
        }
        Ok(())
    }

    /// An active colleague who is not the caller.
    pub(super) fn colleague(&self, id: &str) -> Outcome<EmployeeNo> {
        let view = self.view();
        let Some(person) = view.employee(id) else {
            return refuse(
                Code::FkViolation,
                format!("there is no employee `{}`", sim_core::error::clip(id)),
            );
        };
        if person == self.me {
            return refuse(Code::InvalidArgument, "the recipient must be somebody else");
        }
        if view.person(person).is_none_or(|p| !p.active) {
            return refuse(
                Code::InvalidArgument,
                format!("`{id}` has left the company"),
            );
        }
        Ok(person)
    }

    /// An active member of a department.
    pub(super) fn member(&self, field: &str, id: &str, department: Department) -> Outcome<()> {
        let view = self.view();
        let person = view.employee(id).and_then(|p| view.person(p));
        match person {
            Some(p) if p.active && p.department == department => Ok(()),
            _ => refuse(
                Code::InvalidArgument,
                format!("`{field}` must be an active member of {department}, `{id}` is not"),
            ),
        }
    }

    /// Checks the consistency of a record after a write. `row` is `None` for a new one; `touched`
    /// are the written fields.
    pub(super) fn consistent(
        &self,
        source: TableId,
        row: Option<u32>,
        values: Values<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let priced =
            source == TableId::Sales || touched("actual_price") || touched("discounted_price");
        let dear = priced && money(values, "discounted_price") > money(values, "actual_price");
        match source {
            TableId::Employees => self.consistent_employee(row, values, touched)?,
            TableId::Products | TableId::Sales if dear => {
                let list = match source {
                    TableId::Products => "`actual_price`",
                    _ => "the list price",
                };
                return refuse(
                    Code::InvalidArgument,
                    format!("`discounted_price` must not be above {list}"),
                );
            }
            TableId::Overflow => self.consistent_post(row, values, touched)?,
            _ => {}
        }
        for field in source.fields().iter().filter(|f| touched(f.name)) {
            if let Some(department) = field.member {
                self.member(field.name, &text(values, field.name), department)?;
            }
            if field.past {
                self.not_later(field.name, values)?;
            }
        }
        Ok(())
    }

    /// Refuses a written date after today: sales, reviews and chats record what happened.
    fn not_later(&self, field: &str, values: Values<'_>) -> Outcome<()> {
        let today = self.office.company.clock();
        match Day::parse(&text(values, field)) {
            Some(day) if day > today => refuse(
                Code::InvalidArgument,
                format!("`{field}` {day} lies after today, {today}"),
            ),
            _ => Ok(()),
        }
    }

    /// Questions have a title and may have tags and an accepted answer; answers have a question.
    fn consistent_post(
        &self,
        row: Option<u32>,
        values: Values<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let question = values("post_type") == "question";
        if row.is_none() && question && values("Title").is_null() {
            return refuse(Code::InvalidArgument, "a question needs `Title`");
        }
        if !question && (touched("Title") || touched("Tags") || touched("AcceptedAnswerId")) {
            return refuse(
                Code::InvalidArgument,
                "`Title`, `Tags` and `AcceptedAnswerId` belong to questions",
            );
        }
        let view = self.view();
        let kind_of = |id: &Value| {
            let id = scalar_text(id).unwrap_or_default();
            view.find(TableId::Overflow, &id)
                .map(|r| (r, view.text(TableId::Overflow, r, "post_type")))
        };
        if row.is_none() && !question {
            match kind_of(&values("ParentId")) {
                Some((_, kind)) if kind == "question" => {}
                _ => {
                    return refuse(
                        Code::InvalidArgument,
                        "an answer needs `ParentId`, the question",
                    );
                }
            }
        }
        if row.is_none() && question && !values("ParentId").is_null() {
            return refuse(Code::InvalidArgument, "`ParentId` belongs to answers");
        }
        let accepted = values("AcceptedAnswerId");
        if touched("AcceptedAnswerId") && !accepted.is_null() {
            let own = row.map(|r| view.id(TableId::Overflow, r));
            let parent =
                kind_of(&accepted).map(|(r, _)| view.text(TableId::Overflow, r, "ParentId"));
            if parent != own {
                return refuse(
                    Code::InvalidArgument,
                    "`AcceptedAnswerId` must be an answer to this question",
                );
            }
        }
        Ok(())
    }

    /// Department and level code belong together, leave balances do not exceed the allowance, dates
    /// are in order, the address is free, and the manager fits.
    fn consistent_employee(
        &self,
        row: Option<u32>,
        values: Values<'_>,
        touched: &dyn Fn(&str) -> bool,
    ) -> Outcome<()> {
        let department = Department::parse(&text(values, "category"));
        let code = parse_level_code(&text(values, "Level"));
        let (Some(department), Some((of_level, level))) = (department, code) else {
            return refuse(Code::InvalidArgument, "`category` and `Level` are needed");
        };
        if department != of_level {
            return refuse(
                Code::InvalidArgument,
                format!(
                    "`Level` {} belongs to {of_level}, not to {department}; give both",
                    text(values, "Level")
                ),
            );
        }
        if level == 11 || level == 15 {
            return refuse(Code::InvalidArgument, "levels 11 and 15 are reserved");
        }
        for leave in LEAVES {
            let days = |kind: &str| whole_number(&values(&format!("{kind} {leave} Leaves")));
            if days("Remaining") > days("Total") {
                return refuse(
                    Code::InvalidArgument,
                    format!("`Remaining {leave} Leaves` must not be above `Total {leave} Leaves`"),
                );
            }
        }
        if let (Some(joined), Some(left)) = (
            Day::parse(&text(values, "DOJ")),
            Day::parse(&text(values, "DOL")),
        ) && left < joined
        {
            return refuse(Code::InvalidArgument, "`DOL` must not be before `DOJ`");
        }
        if touched("email") {
            self.free_address(row, &text(values, "email"))?;
        }
        // Only these fields can break the tree. Imported companies have managers who left; changing
        // the salary of a report must not fail because of that.
        let moved = touched("reports_to") || touched("category") || touched("Level");
        if !moved {
            return Ok(());
        }
        self.consistent_manager(row, department, level, values)
    }

    /// Checks the form of a work address and that nobody else has it. Addresses are part of the
    /// directory, which everybody may read.
    fn free_address(&self, row: Option<u32>, email: &str) -> Outcome<()> {
        let shape = email.split_once('@').is_some_and(|(a, b)| {
            !a.is_empty()
                && b.contains('.')
                && !b.contains('@')
                && !email.contains(char::is_whitespace)
        });
        if !shape {
            return refuse(
                Code::InvalidArgument,
                "`email` must be an address like a.b@example.com",
            );
        }
        let taken = self
            .view()
            .people_at(email)
            .into_iter()
            .any(|p| Some(p.0) != row);
        if taken {
            return refuse(
                Code::InvalidArgument,
                format!("the address `{email}` is in use"),
            );
        }
        Ok(())
    }

    /// Keeps the reporting tree valid in both directions: the reports below stay in the department
    /// and at no higher level, the manager above is active, of the department and at no lower
    /// level, and no cycle arises.
    fn consistent_manager(
        &self,
        row: Option<u32>,
        department: Department,
        level: u8,
        values: Values<'_>,
    ) -> Outcome<()> {
        let view = self.view();
        if let Some(own) = row {
            let reports = view.get(TableId::Employees, own, "reportees");
            let ids = reports.as_array().map(Vec::as_slice).unwrap_or_default();
            for id in ids.iter().filter_map(Value::as_str) {
                let below = view.employee(id).and_then(|p| view.person(p));
                if below.is_some_and(|p| p.department != department) {
                    return refuse(
                        Code::InvalidArgument,
                        format!(
                            "{} people report to this person; move them first",
                            ids.len()
                        ),
                    );
                }
                if below.is_some_and(|p| p.level > level) {
                    return refuse(
                        Code::InvalidArgument,
                        format!("`{id}` reports to this person at a higher level"),
                    );
                }
            }
        }
        let Some(id) = scalar_text(&values("reports_to")) else {
            return Ok(());
        };
        let Some(manager) = view.employee(&id) else {
            return refuse(
                Code::FkViolation,
                format!("there is no employee `{}`", sim_core::error::clip(&id)),
            );
        };
        let fits = view
            .person(manager)
            .is_some_and(|m| m.active && m.department == department && m.level >= level);
        if !fits {
            return refuse(
                Code::InvalidArgument,
                format!(
                    "`reports_to` must be an active member of {department} at level {level} or above; `{id}` is not"
                ),
            );
        }
        let own = row.map(EmployeeNo);
        if own == Some(manager) || own.is_some_and(|p| view.is_above(p, manager)) {
            return refuse(Code::InvalidArgument, "nobody can stand above themselves");
        }
        Ok(())
    }
}

/// Computes derived values after a write.
pub(super) fn derive(
    source: TableId,
    written: &mut BTreeMap<String, Value>,
    present: &dyn Fn(&str) -> Value,
) {
    match source {
        TableId::Files => {
            if let Some(content) = written.get("content").and_then(Value::as_str) {
                let hash = crate::synth::write::hash_of(content);
                let size = content.len();
                written.insert("hash".to_owned(), hash.into());
                written.insert("size".to_owned(), size.into());
            }
        }
        TableId::Sales if written.contains_key("discounted_price") => {
            let list = Cents::from_value(&present("actual_price")).unwrap_or_default();
            let price = written.get("discounted_price").and_then(Cents::from_value);
            let percent = list.discount_to(price.unwrap_or_default());
            written.insert("discount_percentage".to_owned(), percent.into());
        }
        _ => {}
    }
}
