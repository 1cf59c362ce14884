//! Reads one record by its id, or a page of a list.
//!
//! ```text
//!  ids ──────────────► rows by id ───────┐
//!  query ────────────► rows with a word ─┼─► exists? in the mailbox? passes the filters? ─► may the caller read it?
//!  filters ─► tables ─► candidate rows ──┘                                                      │
//!        page ◄── offset, limit ◄── order: rank of the search, or newest first, or row ◄────────┘
//! ```
//!
//! With vectors, a query selects no rows: all rows that the caller may read are ranked, and the nearest
//! are found. Dates, names and links are compared in the current state, so a record that was changed in this
//! episode is found by its new values and not by its old ones.

use super::Code;
use super::run::{LONGEST_REPLY, Outcome, Run, not_found, refuse};
use crate::access::{Act, Enforcement, FilteredCount, RequestContext, Resource};
use crate::data::row::EmployeeNo;
use crate::data::search::{Hit, rank, searched_text, words};
use crate::data::tables::TableId;
use crate::data::value::{Day, Moment};
use crate::data::view::CompanyView;
use crate::tools::embedding::{Embedding, NEAREST};
use crate::tools::{ArgBinding, Call, Filter};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The message to an agent whose search has no vectors.
pub(super) const NO_VECTORS: &str = "the search does not work at present";

/// Page size of the published tools, which have no paging arguments.
const WHOLE_PAGE: usize = 200;

/// A filter with its value, and the target row of a link.
struct Test<'c> {
    filter: Filter,
    value: &'c str,
    /// For links and names: the matching ids.
    ids: BTreeSet<String>,
}

/// Seconds of a record's date; the minimum for a record without a date.
fn stamp(view: &CompanyView<'_>, source: TableId, row: u32) -> i64 {
    // Sorting asks this for every row of a list. The company has the date as a number; only written
    // rows have to parse it.
    if view.overlay.entry(source, row).is_none() {
        let rows = view.company.declared(source);
        return rows.and_then(|rows| rows.stamp(row)).unwrap_or(i64::MIN);
    }
    let dated = source.table().dated;
    dated
        .and_then(|field| Moment::parse(&view.text(source, row, field)))
        .map_or(i64::MIN, |(m, _)| m.0)
}

/// Whether a text matches a pattern in which `*` matches any run of characters; case is ignored.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    // The first part is bound to the start and the last to the end of the text. Between them the
    // earliest match of each part is the best, because it leaves most text to the others.
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Run<'_> {
    /// Reads one record by its id, or a page of a list: rows are found (by ids, by words or by filters),
    /// rows that the caller may not read are dropped, and only then the rest is ranked and cut into
    /// pages. So neither the order nor the number of pages depends on withheld rows.
    pub(super) fn read(&mut self, call: &Call) -> Outcome<Value> {
        let paging = call
            .tool
            .args
            .iter()
            .any(|a| a.binding == ArgBinding::Limit);
        let limit = if paging { call.limit } else { WHOLE_PAGE };
        let tests = self.tests(call);
        // A tool that takes a list of ids answers with a list even for one id, and leaves out those
        // that do not exist or may not be read; a single id is answered or refused.
        let several = call.tool.args.iter().any(|a| a.binding == ArgBinding::Keys);
        if let (false, [id]) = (several, call.keys.as_slice()) {
            return self.one(call, id, &tests);
        }
        let mut withheld = 0u32;
        let mut searched: Option<Vec<String>> = None;
        let rows = if several {
            let view = self.view();
            call.keys
                .iter()
                .filter_map(|id| view.find(call.source, id))
                .collect()
        } else if let (Some(query), None) = (&call.query, &self.office.embedding) {
            self.rows_with(call.source, searched.insert(words(query)))
        } else {
            self.candidates(call, &tests)
        };
        // Rows that do not fit are dropped before the rules are asked, so that the count of withheld rows
        // is that of matching rows.
        let mut allowed = Vec::new();
        for row in rows {
            let fits = {
                let view = self.view();
                view.exists(call.source, row)
                    && self.in_mailbox(call.source, row)
                    && tests.iter().all(|t| t.matches(&view, call.source, row))
            };
            if !fits {
                continue;
            }
            if self.may_list(call, row) {
                allowed.push(row)
            } else {
                withheld += 1
            }
        }
        if let Some(words) = searched {
            // Rank only now, so that the order depends only on records that the caller may read.
            let ranked = rank(&self.hits(call.source, &words, &allowed));
            allowed = ranked.into_iter().map(|(_, row)| row).collect();
        } else if let (Some(query), Some(embedding), false) =
            (&call.query, &self.office.embedding, several)
        {
            allowed = self.nearest(embedding, call.source, query, &allowed)?;
        } else if !several && call.source.table().dated.is_some() {
            let view = self.view();
            allowed.sort_by_cached_key(|row| {
                (std::cmp::Reverse(stamp(&view, call.source, *row)), *row)
            });
        }
        let more = allowed.len() > call.offset.saturating_add(limit);
        let page: Vec<u32> = allowed.into_iter().skip(call.offset).take(limit).collect();
        let mut items: Vec<Value> = Vec::with_capacity(page.len());
        for row in page {
            let item = Value::Object(self.item(call, row, false)?);
            // Published tools that show a single column (names, days) list each value once.
            if call.tool.show.is_empty() || !items.contains(&item) {
                items.push(item);
            }
        }
        let next = if more {
            json!(format!("next-{}", call.offset + limit))
        } else {
            Value::Null
        };
        let mut body = json!({"items": items, "next_cursor": next});
        if let (true, Some(map)) = (self.tells_count(call.source), body.as_object_mut()) {
            map.insert("filtered_count".to_owned(), withheld.into());
        }
        Self::short_enough(body)
    }

    /// The body, unless it is too long for a reply.
    fn short_enough(body: Value) -> Outcome<Value> {
        let length = sim_core::bytes::canonical_text(&body).len();
        if length > LONGEST_REPLY {
            return refuse(
                Code::ResultTooLarge,
                format!(
                    "the reply would have {length} characters, at most {LONGEST_REPLY} are sent; ask for fewer records"
                ),
            );
        }
        Ok(body)
    }

    /// Reads one record by its id; the filters of the call must match it too.
    fn one(&mut self, call: &Call, id: &str, tests: &[Test<'_>]) -> Outcome<Value> {
        let row = self.target(Act::Read, call.source, id, &RequestContext::default())?;
        let view = self.view();
        if !tests.iter().all(|t| t.matches(&view, call.source, row)) {
            return not_found(call.source, id);
        }
        let item = self.item(call, row, true)?;
        Self::short_enough(json!({"items": [item], "next_cursor": null}))
    }

    /// Whether a row may be part of a list.
    fn may_list(&mut self, call: &Call, row: u32) -> bool {
        let access = &self.office.access;
        if access.config().enforcement == Enforcement::Off {
            return true;
        }
        let mut allowed = access.may_read(&self.view(), self.me, call.source, row);
        if access.config().all_or_nothing
            && call
                .fields
                .iter()
                .any(|f| call.source.field(f).is_some_and(|f| f.restricted))
        {
            allowed = allowed && self.may_see_restricted(row);
        }
        if !allowed && !self.enforced() {
            self.entry.would_refuse += 1;
            return true;
        }
        allowed
    }

    /// Whether the caller may see the restricted fields of a person.
    fn may_see_restricted(&mut self, row: u32) -> bool {
        let resource = Resource::of(&self.view(), TableId::Employees, row);
        self.ask(Act::ReadSensitive, resource, &RequestContext::default())
    }

    /// Whether the caller is told how many records were withheld.
    fn tells_count(&self, source: TableId) -> bool {
        let config = self.office.access.config();
        if !self.enforced() || config.hide_existence || source.is_private() {
            return false;
        }
        match config.report_filtered_count {
            FilteredCount::Never => false,
            FilteredCount::Always => true,
            FilteredCount::Senior => self.view().person(self.me).is_some_and(|p| p.level >= 12),
        }
    }

    /// A record in the form in which it is shown: the fields asked for, else those of the tool, else all
    /// that are not restricted. Restricted fields are withheld by name. The record is noted as seen,
    /// which determines later what may be disclosed. `alone` adds the files and issues of a repository.
    fn item(&mut self, call: &Call, row: u32, alone: bool) -> Outcome<Map<String, Value>> {
        let source = call.source;
        let asked: Vec<&'static str> = if !call.fields.is_empty() {
            call.fields.clone()
        } else if call.tool.show.is_empty() {
            let usual = source.fields().iter().filter(|f| !f.restricted);
            usual.map(|f| f.name).collect()
        } else {
            call.tool.show.to_vec()
        };
        let is_restricted = |name: &&str| source.field(name).is_some_and(|f| f.restricted);
        let restricted: Vec<&'static str> = asked.iter().copied().filter(is_restricted).collect();
        let mut withheld: Vec<&'static str> = Vec::new();
        if !restricted.is_empty() {
            if self.may_see_restricted(row) {
                self.state.seen_restricted.insert(row);
            } else if alone && self.office.access.config().all_or_nothing {
                return self.denied();
            } else {
                withheld = restricted;
            }
        }
        let view = self.view();
        let shown = asked
            .iter()
            .copied()
            .filter(|name| !withheld.contains(name));
        let mut record = view.record(source, row, shown);
        // A tool that shows chosen columns has no place for a version.
        if call.tool.show.is_empty() {
            record.insert("version".to_owned(), view.version(source, row).into());
        }
        // Repositories have no field for their contents; the paper's tool shows them with the
        // repository.
        if alone && source == TableId::Repositories && call.tool.code {
            let name = view.id(source, row);
            let known = |part| {
                let mut rows = self.referring(part, "repo_name", source, &name);
                rows.retain(|row| self.knows(part, *row));
                rows.into_iter()
            };
            let path = |file| view.get(TableId::Files, file, "path");
            let files: Vec<Value> = known(TableId::Files).map(path).collect();
            let issue = |row| {
                let fields = ["issue_id", "title", "status", "path"];
                Value::Object(view.record(TableId::Issues, row, fields.into_iter()))
            };
            let issues: Vec<Value> = known(TableId::Issues).map(issue).collect();
            record.insert("files".to_owned(), files.into());
            record.insert("issues".to_owned(), issues.into());
        }
        if call.tool.code {
            record.insert("kind".to_owned(), source.noun().into());
        }
        if !withheld.is_empty() {
            record.insert("withheld_fields".to_owned(), json!(withheld));
        }
        self.state.seen.insert((source, row));
        self.entry.records += 1;
        Ok(record)
    }

    /// The filters of a call with their links resolved.
    fn tests<'c>(&self, call: &'c Call) -> Vec<Test<'c>> {
        let view = self.view();
        let mut tests: Vec<Test<'c>> = call
            .filters
            .iter()
            .map(|(filter, value)| {
                let ids = match filter {
                    Filter::NameOf(_, source, field) => named(&view, *source, field, value)
                        .into_iter()
                        .filter(|row| self.knows(*source, *row))
                        .map(|row| view.id(*source, row))
                        .collect(),
                    _ => BTreeSet::from([value.clone()]),
                };
                Test {
                    filter: *filter,
                    value,
                    ids,
                }
            })
            .collect();
        let person = |field: &'static str, ids: BTreeSet<String>| {
            let filter = if field == "participant" {
                Filter::Participant
            } else {
                Filter::Link(field)
            };
            Test {
                filter,
                value: "",
                ids,
            }
        };
        if let Some(field) = call.my_own {
            let me = view.id(TableId::Employees, self.me.0);
            tests.push(person(field, BTreeSet::from([me])));
        }
        // Two participants are a claim, one of them has to be the caller, and a filter at the same
        // time: the list has the mails or conversations of these two.
        for claim in call.claims.iter().filter(|claim| claim.is_pair) {
            for name in &claim.names {
                let ids = match claim.by_address {
                    true => {
                        let people = view.people_at(name).into_iter();
                        people.map(|p| view.id(TableId::Employees, p.0)).collect()
                    }
                    false => BTreeSet::from([name.clone()]),
                };
                tests.push(person("participant", ids));
            }
        }
        tests
    }

    /// Rows that a list has to examine, in row order: those of the narrowest lookup table, or all. Each
    /// row is tested afterwards, so a table may hold rows that do not match, but must hold all that do.
    fn candidates(&self, call: &Call, tests: &[Test<'_>]) -> Vec<u32> {
        let view = self.view();
        let source = call.source;
        // Only the participants may read mails and conversations, so a caller's own are enough.
        let own = (source.is_private() && self.enforced()).then_some(self.me.0);
        let own = own.and_then(|me| view.candidates(source, "participant", me));
        let lists = tests.iter().filter_map(|test| test.rows(&view, source));
        let narrowest = own.into_iter().chain(lists).min_by_key(Vec::len);
        narrowest.unwrap_or_else(|| (0..view.rows(source)).collect())
    }

    /// The rows whose texts are nearest to a query, nearest first.
    fn nearest(
        &self,
        embedding: &Embedding,
        source: TableId,
        query: &str,
        rows: &[u32],
    ) -> Outcome<Vec<u32>> {
        let view = self.view();
        let texts = rows
            .iter()
            .map(|row| searched_text(source, |field| view.get(source, *row, field)));
        match embedding.rank(query, texts.collect()) {
            Ok(ranked) => {
                let nearest = ranked.into_iter().take(NEAREST);
                Ok(nearest.filter_map(|(_, n)| rows.get(n).copied()).collect())
            }
            Err(_) => refuse(Code::Unavailable, NO_VECTORS),
        }
    }

    /// Rows that contain words of a query, in order. Changed records are matched by their new text.
    fn rows_with(&self, source: TableId, words: &[String]) -> Vec<u32> {
        let view = self.view();
        // A caller has few mails of their own, and others may read them only under policies of one's own.
        let participants_only = source.is_private()
            && self.enforced()
            && self.office.access.config().policies.is_none();
        if participants_only && let Some(own) = view.candidates(source, "participant", self.me.0) {
            let hits = self.hits(source, words, &own).into_iter();
            return hits.map(|hit| hit.row).collect();
        }
        let mut rows = self.office.search.rows(view.company, source, words);
        if let Some(written) = view.overlay.of(source) {
            rows.retain(|row| !written.contains_key(row));
            let there = written.keys().copied();
            let there = there.filter(|row| view.exists(source, *row));
            rows.extend(there.filter(|row| written_hit(&view, source, *row, words).is_some()));
            rows.sort_unstable();
        }
        rows
    }

    /// The hits among these rows.
    fn hits(&self, source: TableId, words: &[String], rows: &[u32]) -> Vec<Hit> {
        let view = self.view();
        let is_written = |row: &u32| view.overlay.entry(source, *row).is_some();
        let (written, base): (Vec<u32>, Vec<u32>) = rows.iter().copied().partition(is_written);
        let mut hits = self.office.search.hits(view.company, source, words, &base);
        let written = written.into_iter();
        hits.extend(written.filter_map(|row| written_hit(&view, source, row, words)));
        hits
    }
}

/// The hit of a record that was written in this episode.
fn written_hit(view: &CompanyView<'_>, source: TableId, row: u32, words: &[String]) -> Option<Hit> {
    let text = searched_text(source, |field| view.get(source, row, field));
    Hit::of(row, &text, words)
}

/// Rows of a source whose name field has this value, in any case, in row order. Written rows are searched in
/// addition to the company's index, because the name may have changed; its fingerprints may collide, so every
/// hit is compared with the text.
pub(crate) fn named(view: &CompanyView<'_>, source: TableId, field: &str, name: &str) -> Vec<u32> {
    let index = &view.company.index;
    let base: Vec<u32> = match index.named(source, field, name) {
        Some(rows) => rows.collect(),
        None => (0..view.company.rows(source)).collect(),
    };
    let written = view
        .overlay
        .of(source)
        .into_iter()
        .flat_map(|r| r.keys().copied());
    let mut rows: Vec<u32> = base.into_iter().chain(written).collect();
    rows.sort_unstable();
    rows.dedup();
    let lower = name.to_lowercase();
    rows.retain(|row| {
        view.exists(source, *row) && view.text(source, *row, field).to_lowercase() == lower
    });
    rows
}

impl CompanyView<'_> {
    /// People with an address, in row order.
    pub(crate) fn people_at(&self, email: &str) -> Vec<EmployeeNo> {
        let rows = named(self, TableId::Employees, "email", email);
        rows.into_iter().map(EmployeeNo).collect()
    }
}

/// People with a name, in any case, in row order.
pub(crate) fn named_people(view: &CompanyView<'_>, name: &str) -> Vec<EmployeeNo> {
    named(view, TableId::Employees, "Name", name)
        .into_iter()
        .map(EmployeeNo)
        .collect()
}

impl Test<'_> {
    /// Rows that may match, if there is a lookup table for the filter.
    fn rows(&self, view: &CompanyView<'_>, source: TableId) -> Option<Vec<u32>> {
        let by_link = |field: &'static str| {
            let mut all = Vec::new();
            for id in &self.ids {
                let key = view.key(source, field, id).unwrap_or(u32::MAX);
                all.extend(view.candidates(source, field, key)?);
            }
            all.sort_unstable();
            all.dedup();
            Some(all)
        };
        match self.filter {
            Filter::Participant => by_link("participant"),
            Filter::NameOf(field, ..) | Filter::Link(field) => by_link(field),
            Filter::Same(field) if source.field(field)?.is_looked_up() => {
                Some(named(view, source, field, self.value))
            }
            _ => None,
        }
    }

    /// Whether a row passes the filter in its current state.
    fn matches(&self, view: &CompanyView<'_>, source: TableId, row: u32) -> bool {
        let text = |field: &str| view.text(source, row, field);
        match self.filter {
            Filter::Link(field) | Filter::NameOf(field, _, _) => self.ids.contains(&text(field)),
            Filter::Participant => {
                self.ids.contains(&text("sender_emp_id"))
                    || self.ids.contains(&text("recipient_emp_id"))
            }
            Filter::Same(field) => text(field).to_lowercase() == self.value.to_lowercase(),
            Filter::Prefix(field) => text(field)
                .to_lowercase()
                .starts_with(&self.value.to_lowercase()),
            Filter::Wildcard(field) => wildcard(self.value, &text(field)),
            Filter::Has(field) => view
                .get(source, row, field)
                .as_array()
                .is_some_and(|list| list.iter().any(|v| v.as_str() == Some(self.value))),
            Filter::From(field) | Filter::To(field) => {
                match (Day::of(&text(field)), Day::parse(self.value), self.filter) {
                    (Some(day), Some(bound), Filter::From(_)) => day >= bound,
                    (Some(day), Some(bound), _) => day <= bound,
                    _ => false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wildcard;

    #[test]
    fn wildcards_by_hand() {
        for (pattern, text, fits) in [
            ("kettle", "Kettle", true),
            ("ket*", "kettle", true),
            ("*tle", "kettle", true),
            ("k*t*e", "kettle", true),
            ("*", "", true),
            ("ket", "kettle", false),
            ("*x*", "kettle", false),
            ("k*k", "k", false),
        ] {
            assert_eq!(wildcard(pattern, text), fits, "{pattern} {text}");
        }
    }
}
