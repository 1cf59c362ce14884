//! Tools that are not about the records of one source.
//!
//! | tool | what it does | recorded |
//! |---|---|---|
//! | `document_read` | sections of policy documents, by words, by document, by heading or number | yes |
//! | `llm_call` | passes a prompt to the office's model | yes |
//! | `whoami` | the caller's directory entry and today | no |
//! | `explain_access` | the rules that decide about another call | no |
//!
//! The last two are questions about the session. Agents get them as getters, answered from a copy
//! of the state ([`crate::tools`]); a script that sends one as an action makes a recorded call.

use super::read::NO_VECTORS;
use super::run::{Outcome, Run, not_found, refuse};
use super::{Code, action_of};
use crate::access::{Access, AccessRequest, Act, Enforcement, RequestContext, Resource};
use crate::search::{Hit, places, rank, section_text};
use crate::source::TableId;
use crate::toolset::{self, Call, Op};
use crate::value::row_no;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Run<'_> {
    /// Passages of policy documents: whole sections.
    pub(super) fn document(&mut self, call: &Call) -> Outcome<Value> {
        let source = TableId::PolicyDocuments;
        let only = match call.keys.first() {
            Some(id) => Some(self.target(Act::Read, source, id, &RequestContext::default())?),
            None => None,
        };
        let company = self.office.shared_company();
        let embedding = self.office.embedding.clone();
        let found: Vec<(Option<Hit>, u32, usize)> = match &call.query {
            Some(_) if embedding.is_some() => {
                places(&company).map(|(row, n)| (None, row, n)).collect()
            }
            Some(query) => self
                .office
                .search
                .sections(&company, &crate::search::words(query))
                .into_iter()
                .map(|(hit, row, n)| (Some(hit), row, n))
                .collect(),
            None => {
                let rows = only.into_iter();
                rows.flat_map(|row| {
                    let count = company
                        .policies
                        .get(row as usize)
                        .map_or(0, |p| p.sections.len());
                    (0..count).map(move |n| (None, row, n))
                })
                .collect()
            }
        };
        let mut wanted = Vec::new();
        for (hit, row, n) in found {
            let heading = company
                .policies
                .get(row as usize)
                .and_then(|p| p.sections.get(n))
                .map(|s| s.heading.to_lowercase());
            let named = call.section.as_ref().is_none_or(|s| {
                *s == (n + 1).to_string() || heading.as_ref() == Some(&s.to_lowercase())
            });
            if !named || only.is_some_and(|o| o != row) {
                continue;
            }
            // Without rules there is nothing that would have been refused, so nothing is counted.
            let off = self.office.access.config().enforcement == Enforcement::Off;
            let allowed = self
                .office
                .access
                .may_read(&self.view(), self.me, source, row);
            if allowed || off {
                wanted.push((hit, row, n));
            } else if !self.enforced() {
                self.would_refuse += 1;
                wanted.push((hit, row, n));
            }
        }
        // Rank only now, so that scores depend only on text that the caller may read. Without a query,
        // the whole document is returned.
        let hits: Vec<Hit> = wanted.iter().filter_map(|(hit, ..)| hit.clone()).collect();
        let ranked: Vec<(i64, u32, usize)> = if let (Some(query), Some(embedding)) =
            (&call.query, &embedding)
        {
            let texts = wanted
                .iter()
                .map(|(_, row, n)| section_text(&company, *row, *n).unwrap_or_default());
            let Ok(ranked) = embedding.rank(query, texts.collect()) else {
                return refuse(Code::Unavailable, NO_VECTORS);
            };
            ranked
                .into_iter()
                .filter_map(|(score, place)| {
                    let (_, row, n) = wanted.get(place)?;
                    Some((score, *row, *n))
                })
                .take(call.limit_of_passages())
                .collect()
        } else if call.query.is_none() {
            wanted.into_iter().map(|(_, row, n)| (0, row, n)).collect()
        } else {
            rank(hits)
                .into_iter()
                .filter_map(|(score, place)| {
                    let is_it = |hit: &Option<Hit>| hit.as_ref().is_some_and(|h| h.row == place);
                    let (_, row, n) = wanted.iter().find(|(hit, ..)| is_it(hit))?;
                    Some((score, *row, *n))
                })
                .take(call.limit_of_passages())
                .collect()
        };
        let mut passages = Vec::new();
        for (score, row, n) in ranked {
            let Some(policy) = company.policies.get(row as usize) else {
                continue;
            };
            let Some(section) = policy.sections.get(n) else {
                continue;
            };
            let numbered = (n + 1).to_string();
            let rules: Vec<String> = section
                .rules
                .iter()
                .enumerate()
                .map(|(r, rule)| format!("{}.{} {rule}", n + 1, r + 1))
                .collect();
            self.state.seen.insert((source, row));
            passages.push(json!({
                "document_id": company.id(source, row),
                "title": &*policy.title,
                "section": format!("{numbered} {}", section.heading),
                "page": n + 1,
                "text": rules.join("\n"),
                "score": score,
            }));
        }
        self.records += row_no(passages.len());
        if passages.is_empty() && call.query.is_none() {
            return not_found(source, call.section.as_deref().unwrap_or("section"));
        }
        Ok(json!({"passages": passages}))
    }

    /// Passes a prompt on to the office's language model, if it has one.
    pub(super) fn model(&mut self, call: &Call) -> Outcome<Value> {
        let said = self
            .office
            .model
            .as_ref()
            .and_then(|m| m.complete(&call.text));
        match said {
            Some(text) => Ok(json!({"text": text})),
            None => refuse(
                Code::Unavailable,
                "no language model is connected in this office",
            ),
        }
    }

    /// The caller's own directory entry, and today.
    pub(super) fn who_am_i(&self) -> Value {
        let view = self.view();
        let row = self.me.0;
        let get = |field| view.get(TableId::Employees, row, field);
        json!({
            "emp_id": get("emp_id"),
            "name": get("Name"),
            "email": get("email"),
            "department": get("category"),
            "level": get("Level"),
            "reports_to": get("reports_to"),
            "today": self.office.company.clock().to_string(),
        })
    }

    /// The rules that decide about a call. A record that the caller cannot see gets the same
    /// explanation as one that does not exist.
    pub(super) fn explain(&mut self, call: &Call) -> Outcome<Value> {
        let access = std::sync::Arc::clone(&self.office.access);
        if !access.config().explain {
            return refuse(
                Code::Unavailable,
                "explanations are switched off in this office",
            );
        }
        let Some((tool, given)) = &call.about else {
            return refuse(Code::InvalidArgument, "`tool` is needed");
        };
        let none;
        let inner = match given {
            Some(inner) => inner,
            None => match toolset::parse(tool, &Value::Null) {
                Ok(inner) => {
                    none = inner;
                    &none
                }
                Err(e) => return refuse(Code::InvalidArgument, e.message),
            },
        };
        let Some(action) = action_of(inner) else {
            return Ok(json!({"tool": tool.name, "decision": "always", "rules": []}));
        };
        let decision = match inner.keys.first() {
            Some(id) => self.explain_record(&access, inner, action.act, id),
            None => None,
        };
        let rules: Vec<Value> = access
            .rules_for(action)
            .into_iter()
            .map(|r| json!({"id": r.id, "says": r.reason, "forbids": r.forbids}))
            .collect();
        let named = action.name().unwrap_or_default();
        Ok(json!({"tool": tool.name, "action": named, "decision": decision, "rules": rules}))
    }

    /// The decision about one record; `None` if the caller may know that it does not exist, or if
    /// existence is hidden. A record that the caller may neither act on nor read is explained with the
    /// rules for an absent record: the rules for the record itself would tell who its people are.
    fn explain_record(&self, access: &Access, inner: &Call, act: Act, id: &str) -> Option<Value> {
        let view = self.view();
        let c = RequestContext {
            fields: inner.changes.keys().map(|k| (*k).to_owned()).collect(),
            ..RequestContext::default()
        };
        let ask = |resource: Resource| {
            let request = AccessRequest {
                principal: self.me,
                act,
                resource,
                context: &c,
            };
            access.decide(&view, &request)
        };
        let reads = |resource: Resource| access.may_read_resource(&view, self.me, resource);
        let known = view.find(inner.source, id).and_then(|row| {
            let resource = Resource::of(&view, inner.source, row);
            let decided = ask(resource);
            (decided.allow || reads(resource)).then_some(decided)
        });
        let decided = match known {
            Some(decided) => decided,
            None if access.config().hide_existence => return None,
            None => {
                let stranger = Resource::absent(&view, inner.source, id);
                let decided = ask(stranger);
                if decided.allow || reads(stranger) {
                    return None;
                }
                decided
            }
        };
        let rules: BTreeSet<_> = decided.rules.into_iter().collect();
        Some(json!({"allow": decided.allow, "rules": rules}))
    }
}

impl Call {
    /// Number of passages: one by default.
    fn limit_of_passages(&self) -> usize {
        // 20 is the default of lists and above the maximum of this tool, so it means that no number
        // was given.
        let told = self.tool.op == Op::Document && self.limit != 20;
        if told { self.limit } else { 1 }
    }
}
