//! The report of each task over answered questions.

use super::question::QuestionEnv;
use crate::score::{GradedItem, SetReport, report_of};
use crate::task::Task;
use std::collections::BTreeMap;

/// A report of each task, in the order of the tasks, with the grades of all finished questions of `played`.
#[must_use]
pub fn reports(played: &[&QuestionEnv]) -> Vec<SetReport> {
    let mut sets: BTreeMap<Task, Vec<&QuestionEnv>> = BTreeMap::new();
    for env in played {
        sets.entry(env.question().task).or_default().push(env);
    }
    let report = |(task, envs): (Task, Vec<&QuestionEnv>)| {
        let settings = &envs.first()?.question().scoring;
        let judged = envs.iter().any(|env| env.is_judged());
        let grades = envs.iter().filter_map(|env| {
            let id = env.question().item.id.clone();
            let grade = env.grade()?.clone();
            Some(GradedItem { id, grade })
        });
        Some(report_of(task, settings, grades.collect(), judged))
    };
    sets.into_iter().filter_map(report).collect()
}
