//! The policy documents: their wording is fixed, their numbers are drawn for the company.
//!
//! Numbers are slots such as `{10-20}` in `words/policies.txt`. A task that asks for a figure of a
//! policy therefore cannot be answered from memory of another company's policies. Two documents
//! have restricted readers, so that denials occur among them too.

use crate::org::Department;
use crate::row::{PolicyRow, ReaderLabel, SectionRow};
use sim_core::{Seed, Stream};

/// All documents with their ids.
pub(super) fn policies(seed: Seed) -> (Vec<PolicyRow>, Vec<Box<str>>) {
    let (mut policies, mut ids): (Vec<PolicyRow>, Vec<Box<str>>) = (Vec::new(), Vec::new());
    let mut numbers = seed.stream("policies", 0);
    for line in include_str!("../../words/policies.txt").lines() {
        if line.starts_with("//") || line.is_empty() {
            continue;
        }
        if let Some(heading) = line.strip_prefix("## ") {
            if let Some(policy) = policies.last_mut() {
                policy.sections.push(SectionRow {
                    heading: heading.into(),
                    rules: Vec::new(),
                });
            }
        } else if let Some(head) = line.strip_prefix("# ") {
            let mut parts = head.split(" | ");
            let title = parts.next().unwrap_or_default();
            ids.push(parts.next().unwrap_or_default().into());
            let label = label(parts.next().unwrap_or_default());
            policies.push(PolicyRow {
                title: title.into(),
                label,
                sections: Vec::new(),
            });
            // A stream for each document: a rule that is added to one moves no figure of another.
            numbers = seed.stream("policies", ids.len() as u64);
        } else if let Some(section) = policies.last_mut().and_then(|p| p.sections.last_mut()) {
            section.rules.push(rule(line, &mut numbers).into());
        }
    }
    // In the order of their file names, because an exported tree is read in this order.
    let mut all: Vec<(Box<str>, PolicyRow)> = ids.into_iter().zip(policies).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let (ids, policies) = all.into_iter().unzip();
    (policies, ids)
}

fn label(text: &str) -> ReaderLabel {
    match text.strip_prefix("level>=").and_then(|l| l.parse().ok()) {
        Some(level) => ReaderLabel::Level(level),
        None => Department::parse(text).map_or(ReaderLabel::All, ReaderLabel::Department),
    }
}

/// Replaces `{low-high}` by a number in that range; round numbers where the range is wide.
fn rule(line: &str, numbers: &mut Stream) -> String {
    super::phrases::fill(line, |slot| {
        let (low, high) = slot.split_once('-').unwrap_or((slot, slot));
        let (low, high): (i64, i64) = (low.parse().unwrap_or(0), high.parse().unwrap_or(0));
        let step = match high - low {
            0..=20 => 1,
            21..=200 => 5,
            _ => 100,
        };
        (numbers.between(low.div_euclid(step), high / step) * step)
            .max(low)
            .to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_documents_are_read() {
        let (policies, ids) = policies(Seed(1));
        assert_eq!((policies.len(), ids.len()), (24, 24));
        for p in &policies {
            assert!(!p.sections.is_empty());
            assert!(
                p.sections.iter().all(|s| !s.rules.is_empty()),
                "{}",
                p.title
            );
            assert!(!p.text().contains(['{', '}']));
        }
        assert_eq!(
            policies
                .iter()
                .filter(|p| p.label != ReaderLabel::All)
                .count(),
            2
        );
    }
}
