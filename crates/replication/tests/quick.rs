//! The quick sections agree with their sources, and with the page.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use replication::{plans, section_text};

#[test]
fn quick_sections_hold_and_are_on_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/replication.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut computed = 0;
    for plan in plans().into_iter().filter(|plan| plan.is_quick) {
        let section = (plan.compute)().unwrap();
        let missed: Vec<_> = section.missed().collect();
        assert!(missed.is_empty(), "{}: {missed:#?}", plan.key);
        assert!(!section.rows.is_empty(), "{} has no rows", plan.key);
        let text = section_text(&section);
        assert!(page.contains(&text), "run `cargo xtask replicate`: {text}");
        computed += 1;
    }
    assert_eq!(computed, 5);
}

#[test]
fn every_section_has_its_key() {
    let keys: Vec<&str> = plans().iter().map(|plan| plan.key).collect();
    assert_eq!(keys.len(), 9);
    for key in &keys {
        assert_eq!(
            keys.iter().filter(|other| other == &key).count(),
            1,
            "{key}"
        );
    }
}

#[test]
fn what_is_absent_has_a_reason() {
    for absent in replication::absent::ABSENT {
        assert!(
            absent.reason.len() > 10 && !absent.place.is_empty(),
            "{absent:?}"
        );
    }
}
