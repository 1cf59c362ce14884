//! What the reader of figures should know about the files and answers behind them.

use super::MeasuredSet;
use qa_scoring::AnswerOutcome;
use qa_scoring::load::RemarkKind;
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use std::collections::{BTreeMap, BTreeSet};

/// Most names in a list.
const MOST_NAMES: usize = 20;

/// Notes on what was set aside or odd in result files, and on errors of providers.
pub(super) fn notes(sets: &[MeasuredSet]) -> Vec<String> {
    [without_answer(sets), odd(sets), errors(sets)].concat()
}

/// Names in order, numbers by value; a long list is cut.
fn listed(names: &BTreeSet<&str>) -> String {
    let mut names: Vec<&str> = names.iter().copied().collect();
    // By value, or 10 would stand before 9.
    names.sort_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), *name));
    let rest = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    names.join(", ") + &more
}

/// Questions without a right answer, by task.
fn without_answer(sets: &[MeasuredSet]) -> Vec<String> {
    let mut found = BTreeMap::new();
    for set in sets {
        let grades = set.reports.iter().flat_map(|report| &report.grades);
        let aside = grades.filter(|graded| graded.grade.outcome == AnswerOutcome::NoGold);
        let aside: Vec<&str> = aside.map(|graded| graded.id.as_str()).collect();
        if !aside.is_empty() {
            let (sources, answers, names) = found
                .entry(set.task)
                .or_insert_with(|| (0_u64, 0_u64, BTreeSet::new()));
            *sources += 1;
            *answers += aside.len() as u64;
            names.extend(aside);
        }
    }
    let note = |(task, (sources, answers, names)): (_, (u64, u64, BTreeSet<&str>))| {
        format!(
            "{task}: {} in {} to questions without a right answer set aside and not counted (question {})",
            counted(answers, "answer"),
            counted(sources, "source"),
            listed(&names)
        )
    };
    found.into_iter().map(note).collect()
}

/// Other remarks on result files.
fn odd(sets: &[MeasuredSet]) -> Vec<String> {
    let mut found: BTreeMap<&RemarkKind, (u64, u64, &MeasuredSet)> = BTreeMap::new();
    let remarks = sets
        .iter()
        .flat_map(|set| set.remarks.iter().map(move |remark| (set, remark)));
    // Questions without a right answer have a note of their own, by task.
    for (set, remark) in remarks.filter(|(_, remark)| remark.kind != RemarkKind::NoRightAnswer) {
        let (files, records, _) = found.entry(&remark.kind).or_insert((0, 0, set));
        *files += 1;
        *records += remark.count as u64;
    }
    let note = |(kind, (files, records, first)): (&RemarkKind, (u64, u64, &MeasuredSet))| {
        format!(
            "{}, first {}: {kind} ({})",
            counted(files, "result file"),
            shown_path(&first.place),
            counted(records, "record")
        )
    };
    found.into_iter().map(note).collect()
}

/// Errors of providers in place of answers, by model.
fn errors(sets: &[MeasuredSet]) -> Vec<String> {
    let mut found: BTreeMap<&str, (usize, usize, BTreeSet<String>)> = BTreeMap::new();
    for set in sets {
        let (errors, answers) = set.errors();
        let (all_errors, all, tasks) = found.entry(&set.name).or_default();
        *all_errors += errors;
        *all += answers;
        // Here there is no figure at all; elsewhere the errors are counted as wrong.
        if set.has_only_errors() {
            tasks.insert(set.task.to_string());
        }
    }
    let note = |(name, (errors, answers, tasks)): (&str, (usize, usize, BTreeSet<String>))| {
        let only = if tasks.is_empty() {
            String::new()
        } else {
            let tasks: Vec<String> = tasks.into_iter().collect();
            format!("; provider errors only, so no figure: {}", tasks.join(", "))
        };
        format!(
            "{name}: {errors} of {} are errors of the provider ({:.2} %) and count as wrong{only}",
            counted(answers as u64, "answer"),
            100.0 * errors as f64 / answers as f64
        )
    };
    let found = found.into_iter().filter(|(_, (errors, ..))| *errors > 0);
    found.map(note).collect()
}
