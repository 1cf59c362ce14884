//! `office.json`, and policy documents as text. The published ones are PDF exports; a user who has
//! their text passes it as `.txt`: the title, an optional `label:` line, `1. Heading`, `1.1 rule`.
//!
//! A label names a department or `level>=12`; without one, all active staff may read the document.

use super::report::Log;
use super::{ImportError, NativeTree, listed};
use crate::company::Company;
use crate::export::CARD;
use crate::org::Department;
use crate::row::{PolicyRow, ReaderLabel, SectionRow};
use crate::source::TableId;
use crate::value::Day;
use serde::Deserialize;

/// Data without a place in the published tree.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Card {
    pub(super) clock: Option<Day>,
}

/// The date of the office clock, if the tree was exported by this crate.
pub(super) fn card(tree: &NativeTree) -> Result<Card, ImportError> {
    let Some((path, text)) = tree.find(CARD) else {
        return Ok(Card::default());
    };
    serde_json::from_str(text).map_err(|e| ImportError::NotACard {
        path: path.to_owned(),
        message: e.to_string(),
    })
}

/// Every text file in the folder of policy documents; the file name is the id.
pub(super) fn policies(c: &mut Company, tree: &NativeTree, log: &mut Log) {
    let mut ids: Vec<Box<str>> = Vec::new();
    for (path, text) in tree.under("policy_documents", ".txt") {
        log.opened(TableId::PolicyDocuments, path);
        *log.rows.entry(TableId::PolicyDocuments).or_default() += 1;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        ids.push(file.trim_end_matches(".txt").into());
        c.policies.push(policy(text));
    }
    listed(c, TableId::PolicyDocuments, ids);
}

/// One document. Lines that are not numbered are rules of the section above them.
fn policy(text: &str) -> PolicyRow {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let mut policy = PolicyRow {
        title: lines.next().unwrap_or_default().into(),
        label: ReaderLabel::All,
        sections: Vec::new(),
    };
    for line in lines {
        if let Some(label) = line.strip_prefix("label:") {
            policy.label = read_label(label.trim());
            continue;
        }
        let (number, rest) = line.split_once(' ').unwrap_or(("", line));
        let numbered = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        let rule = number
            .split_once('.')
            .is_some_and(|(a, b)| numbered(a) && numbered(b));
        if !rule && number.strip_suffix('.').is_some_and(numbered) {
            policy.sections.push(SectionRow {
                heading: rest.into(),
                rules: Vec::new(),
            });
            continue;
        }
        let said = if rule { rest } else { line };
        if policy.sections.is_empty() {
            policy.sections.push(SectionRow {
                heading: "Text".into(),
                rules: Vec::new(),
            });
        }
        if let Some(section) = policy.sections.last_mut() {
            section.rules.push(said.into());
        }
    }
    policy
}

fn read_label(text: &str) -> ReaderLabel {
    match text.strip_prefix("level>=").and_then(|l| l.parse().ok()) {
        Some(level) => ReaderLabel::Level(level),
        None => Department::parse(text).map_or(ReaderLabel::All, ReaderLabel::Department),
    }
}
