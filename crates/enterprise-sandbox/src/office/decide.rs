//! Access decisions during a call: who the caller is, what the rules say, and which refusal a caller
//! gets.
//!
//! Records that a caller may not read must not influence any reply to that caller, refusals included.
//! So the code of a refusal is chosen by what the caller may know, not by what exists.
//!
//! Which refusal a caller gets:
//!
//! | the record | the caller | reply |
//! |---|---|---|
//! | exists, caller may read it | may not do this to it | `ACCESS_DENIED` |
//! | does not exist | could read or act on records of any owner | `NOT_FOUND` |
//! | does not exist, or caller may not read it | any other | `ACCESS_DENIED` |
//! | the same, with `hide_existence` | any | `NOT_FOUND` |
//!
//! So trying identifiers one by one tells a caller nothing: for a caller who may read only some
//! records, existing and missing identifiers give the same reply. Whether a caller "could read
//! records of any owner" is decided by asking the rules about a record of an unknown person
//! ([`Resource::absent`]).

use super::Code;
use super::run::{Outcome, Refusal, Run, not_found, refuse};
use crate::access::{AccessDecision, AccessRequest, Act, Enforcement, RequestContext, Resource};
use crate::source::TableId;
use crate::toolset::{Call, Claim};
use std::sync::Arc;

impl Run<'_> {
    /// Whether refusals of the rules take effect (mode `on`).
    pub(super) fn enforced(&self) -> bool {
        self.office.access.config().enforcement == Enforcement::On
    }

    /// Whether records that the caller may not read are reported as missing. Only while rules are
    /// enforced: without enforcement nothing is hidden.
    pub(super) fn hides(&self) -> bool {
        self.enforced() && self.office.access.config().hide_existence
    }

    /// Checks that arguments that name the caller match the session's user.
    pub(super) fn claims(&mut self, call: &Call) -> Outcome<()> {
        for claim in &call.claims {
            let view = self.view();
            let emails = |id: &str| {
                view.employee(id)
                    .map(|p| view.text(TableId::Employees, p.0, "email").to_lowercase())
            };
            let my_id = view.id(TableId::Employees, self.me.0);
            let my_email = emails(&my_id).unwrap_or_default();
            let honest = match claim {
                Claim::Id(id) => *id == my_id,
                Claim::Email(email) => email.to_lowercase() == my_email,
                // The published tools take both participants of a conversation; one of them has to
                // be the caller.
                Claim::Pair(a, b) => *a == my_id || *b == my_id,
                Claim::PairEmail(a, b) => {
                    a.to_lowercase() == my_email || b.to_lowercase() == my_email
                }
            };
            if honest {
                continue;
            }
            let other = match claim {
                Claim::Id(id) | Claim::Pair(id, _) => view.employee(id),
                Claim::Email(email) | Claim::PairEmail(email, _) => {
                    view.people_at(email).first().copied()
                }
            };
            self.impersonation = true;
            if self.enforced() {
                return refuse(Code::AccessDenied, "the caller must be named truly");
            }
            // Without enforcement the claimed identity is accepted, as in the published code.
            self.would_refuse += 1;
            self.me = other.unwrap_or(self.me);
        }
        Ok(())
    }

    /// Evaluates the rules and applies the mode of enforcement: whether to continue.
    pub(super) fn ask(&mut self, act: Act, resource: Resource, c: &RequestContext) -> bool {
        let access = Arc::clone(&self.office.access);
        if access.config().enforcement == Enforcement::Off {
            return true;
        }
        let request = AccessRequest {
            principal: self.me,
            act,
            resource,
            context: c,
        };
        let AccessDecision { allow, rules } = access.decide(&self.view(), &request);
        for rule in rules {
            let rule = rule.into_owned();
            if !self.rules.contains(&rule) {
                self.rules.push(rule);
            }
        }
        if !allow && !self.enforced() {
            self.would_refuse += 1;
            return true;
        }
        allow
    }

    /// A refusal by the rules.
    pub(super) fn denied<T>(&mut self) -> Outcome<T> {
        Err(Refusal {
            code: Code::AccessDenied,
            message: String::new(),
            rules: std::mem::take(&mut self.rules),
        })
    }

    /// Whether the caller has a mail in their mailbox (other sources: always true).
    pub(super) fn in_mailbox(&self, source: TableId, row: u32) -> bool {
        source != TableId::Emails
            || self
                .state
                .overlay
                .entry(source, row)
                .is_none_or(|e| e.hidden_from.is_empty() || !e.hidden_from.contains(&self.my_id()))
    }

    /// Whether a row exists from the caller's point of view: records that callers may not read must
    /// not influence the replies to them.
    pub(super) fn knows(&self, source: TableId, row: u32) -> bool {
        !self.enforced()
            || self
                .office
                .access
                .may_read(&self.view(), self.me, source, row)
    }

    /// Whether the caller may read records of any owner, so that identifiers and the number of
    /// records are not secret.
    pub(super) fn knows_all(&self, source: TableId) -> bool {
        let view = self.view();
        let stranger = Resource::absent(&view, source, "");
        !self.enforced()
            || self
                .office
                .access
                .may_read_resource(&view, self.me, stranger)
    }

    /// The refusal for an id that does not exist, and for an id that the caller may not know: both
    /// must get the same reply. Callers who may read or change records of any owner are told that
    /// the record does not exist; all others, that they lack permission.
    pub(super) fn absent<T>(
        &mut self,
        act: Act,
        source: TableId,
        id: &str,
        c: &RequestContext,
    ) -> Outcome<T> {
        if !self.enforced() || self.hides() {
            return not_found(source, id);
        }
        let stranger = Resource::absent(&self.view(), source, id);
        // Rules about the real record would tell that it exists: only those about the record of the
        // unknown person may be reported.
        self.rules.clear();
        let open = self.ask(act, stranger, c)
            || self
                .office
                .access
                .may_read_resource(&self.view(), self.me, stranger);
        if open {
            not_found(source, id)
        } else {
            self.denied()
        }
    }

    /// The existing row of an id on which the call may act, or the right refusal.
    pub(super) fn target(
        &mut self,
        act: Act,
        source: TableId,
        id: &str,
        c: &RequestContext,
    ) -> Outcome<u32> {
        let Some(row) = self.view().find(source, id) else {
            let removed = self.view().removed(source, id);
            return match removed.filter(|row| self.knows(source, *row)) {
                Some(_) => not_found(source, id),
                None => self.absent(act, source, id, c),
            };
        };
        if !self.in_mailbox(source, row) {
            return not_found(source, id);
        }
        let resource = Resource::of(&self.view(), source, row);
        if self.ask(act, resource, c) {
            return Ok(row);
        }
        if act != Act::Read && self.knows(source, row) {
            return self.denied();
        }
        self.absent(act, source, id, c)
    }
}
