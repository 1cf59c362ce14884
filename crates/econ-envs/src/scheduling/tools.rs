//! Tools and prompts for language models: `get_previous_attempts_data`, `get_attempt_number`,
//! `get_worker_ids`, `get_task_ids` and `submit_assignment`.
//!
//! ```
//! use econ_envs::scheduling::{Config, Instance, Scheduling};
//! use serde_json::json;
//! use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let config = Config { workers: 2, ..Config::basic() };
//! let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0))?;
//! let mut game = ToolAdapter::new(Scheduling::new(Arc::new(instance))?);
//! let assign = |text: &str| json!({"assignment": text});
//! // Every worker and every task must be named exactly once.
//! assert!(game.call("submit_assignment", &assign("{'W1': 'T1'}")).is_rejected());
//! assert!(!game.call("submit_assignment", &assign("{'W1': 'T2', 'W2': 'T1'}")).is_rejected());
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::action::Action;
use super::blocking::Pair;
use super::config::Horizon;
use super::env::{Attempt, Scheduling};
use super::observation::Feedback;
use crate::action_text::{Literal, Mapping, mapping_argument};
use crate::protocol::{self, none_of, number_of};
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::tool::known_arguments;
use sim_core::{
    ActionError, Environment as _, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput,
    ToolSpec,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl ToolInterface for Scheduling {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let history = protocol::getter_once(
            "get_previous_attempts_data",
            "Shows every assignment tried so far and what was wrong with it. Read this before you \
             submit an assignment.",
            self.instance().config.read_once,
        );
        vec![
            history,
            protocol::attempt_tool(),
            ToolSpec::new(
                "get_worker_ids",
                ToolKind::Getter,
                "Lists the ids of all workers.",
            ),
            ToolSpec::new(
                "get_task_ids",
                ToolKind::Getter,
                "Lists the ids of all tasks.",
            ),
            ToolSpec::new(
                "submit_assignment",
                ToolKind::Action,
                "Submits an assignment of workers to tasks. Takes one argument, `assignment`: a \
                 string that holds a dictionary from worker ids to task ids. With workers A, B, C \
                 and tasks 1, 2, 3 it could be \"{'A': '3', 'B': '1', 'C': '2'}\".",
            )
            .with(
                "assignment",
                json!({
                    "type": "string",
                    "description": "A dictionary written as a string. Its keys are all worker \
                                    ids, its values all task ids, each exactly once."
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        let config = &self.instance().config;
        let notes = config.wording.notes();
        let mut system = format!(
            "You assign workers to tasks: every worker does exactly one task. Find a valid \
             assignment by trial and error. If the one you submit is not valid, you are told one \
             or more problems with it and asked for another. Work through the tools listed below, \
             base every decision on data, and as you go write {notes} into your notes and read \
             them again."
        );
        if config.horizon != Horizon::Hidden {
            let _ = write!(system, " You have {} attempts.", config.periods);
        }
        if config.horizon == Horizon::KnownWithGoal {
            system.push_str(
                " You are judged only by the last assignment you submit, by how few problems it \
                 has; until then attempts are free to be used for learning.",
            );
        }
        let mut opening = "You can now use the tools to work out an assignment. This conversation \
                           starts afresh once you submit one, but the data of all earlier \
                           attempts stay within reach of the tools (get_previous_attempts_data, \
                           read_notes)."
            .to_owned();
        if self.final_attempt() {
            opening.push_str(
                "\n\nThis is your last attempt. Submit the best assignment you can: the one with \
                 the fewest problems.",
            );
        }
        Prompt {
            system,
            opening,
            reminder: protocol::REMINDER.to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        protocol::attempts(self.attempt(), self.instance().config.periods)
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        known_arguments(arguments, &[])?;
        let n = self.instance().config.workers;
        Ok(match tool {
            "get_previous_attempts_data" => ToolOutput::text(history(self.attempts())),
            "get_attempt_number" => protocol::number_output(self.attempt()),
            "get_worker_ids" => protocol::ids_output("W", n),
            "get_task_ids" => protocol::ids_output("T", n),
            _ => return Err(ActionError::unknown_tool(tool, &[])),
        })
    }

    fn read_call(&self, _tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        read_assignment(
            &mapping_argument(arguments, "assignment")?,
            usize::from(self.instance().config.workers),
        )
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        let past = self.attempts().last();
        let mut text = past
            .map(|past| entry(feedback.attempt, past))
            .unwrap_or_default();
        if feedback.stable {
            text.push_str("The assignment is valid: there is no problem with it.\n");
        } else if self.is_over() {
            text.push_str("That was the last attempt.\n");
        }
        text
    }

    fn feedback_value<'a>(&self, feedback: &'a Feedback) -> Option<&'a Feedback> {
        Some(feedback)
    }
}

/// The text of all finished attempts; empty at the start.
fn history(attempts: &[Attempt]) -> String {
    let entries: Vec<String> = (0_u32..)
        .zip(attempts)
        .map(|(number, past)| entry(number, past))
        .collect();
    entries.join("\n")
}

fn entry(number: u32, past: &Attempt) -> String {
    let mut text = format!("Attempt {number}:\n");
    let Some(assignment) = &past.assignment else {
        text.push_str("No assignment was submitted.\n");
        return text;
    };
    text.push_str("Assignment proposed:\n");
    text.push_str(&mapping_text(assignment));
    text.push('\n');
    for (number, &pair) in (1_usize..).zip(&past.shown) {
        problem(&mut text, number, pair, assignment);
    }
    text
}

/// The mapping in the order in which it was written.
fn mapping_text(assignment: &Action) -> String {
    let in_order: Vec<u16> = (0..).take(assignment.task_of.len()).collect();
    let order = if assignment.written.is_empty() {
        &in_order
    } else {
        &assignment.written
    };
    let pairs: Vec<String> = order
        .iter()
        .filter_map(|&w| assignment.task_of.get(usize::from(w)).map(|t| (w, t)))
        .map(|(w, t)| format!("'W{}': 'T{}'", w + 1, t + 1))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn problem(text: &mut String, number: usize, (worker, task): Pair, assignment: &Action) {
    let own = assignment
        .task_of
        .get(usize::from(worker))
        .copied()
        .unwrap_or_default();
    let holder = assignment
        .task_of
        .iter()
        .position(|&t| t == task)
        .unwrap_or_default();
    let (w, t, own, other) = (worker + 1, task + 1, own + 1, holder + 1);
    let _ = writeln!(
        text,
        "\t({number}) Problem: worker W{w} has task T{own} and worker W{other} has task T{t}, but \
         worker W{w} would rather do task T{t}, and worker W{w} is better suited to task T{t} than \
         worker W{other} is."
    );
}

/// The assignment in a mapping from worker ids to task ids, for `n` workers. Only the first fault is
/// reported, in the order of the authors' program: missing workers, missing tasks, unknown workers,
/// unknown tasks.
///
/// # Errors
/// Names the ids at fault.
pub fn read_assignment(mapping: &Mapping, n: usize) -> Result<Action, ActionError> {
    let mut task_of_worker: BTreeMap<u16, &Literal> = BTreeMap::new();
    let mut written = Vec::with_capacity(n.min(mapping.len()));
    let mut unknown_workers = Vec::new();
    let mut holder: BTreeMap<u16, u16> = BTreeMap::new();
    let mut task_of = vec![0_u16; n];
    let mut unknown_tasks = Vec::new();
    for (key, value) in mapping.iter() {
        let worker = index_of(key, "W", n);
        match worker {
            Some(worker) => {
                task_of_worker.insert(worker, value);
                written.push(worker);
            }
            None => unknown_workers.push(clip(key)),
        }
        match value.text().and_then(|id| index_of(id, "T", n)) {
            Some(task) => {
                if let Some(worker) = worker {
                    if let Some(slot) = task_of.get_mut(usize::from(worker)) {
                        *slot = task;
                    }
                    holder.insert(task, worker);
                }
            }
            None => unknown_tasks.push(value.text().map_or_else(|| value.display(), clip)),
        }
    }
    let missing = |prefix: char, has: &dyn Fn(u16) -> bool| -> Vec<String> {
        (0_u16..)
            .take(n)
            .filter(|&i| !has(i))
            .map(|i| format!("{prefix}{}", i + 1))
            .collect()
    };
    let workers = missing('W', &|w| task_of_worker.contains_key(&w));
    none_of(
        "missing_workers",
        "every worker needs a task; missing",
        &workers,
    )?;
    let tasks = missing('T', &|t| holder.contains_key(&t));
    none_of(
        "missing_tasks",
        "every task needs a worker; missing",
        &tasks,
    )?;
    none_of(
        "unknown_workers",
        "there are no such workers",
        &unknown_workers,
    )?;
    none_of("unknown_tasks", "there are no such tasks", &unknown_tasks)?;
    // The usual order has one form, the empty list, so that a record of it stays half as long.
    if written
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a < b))
    {
        written.clear();
    }
    Ok(Action { task_of, written })
}

/// The index that an id such as `W3` stands for, of `n` workers or tasks.
fn index_of(id: &str, prefix: &str, n: usize) -> Option<u16> {
    let index = u16::try_from(number_of(id, prefix)?).ok()?;
    (usize::from(index) < n).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action_text::read_mapping_text;

    fn read(text: &str) -> Result<Action, String> {
        read_assignment(&read_mapping_text(text).unwrap(), 3).map_err(|e| e.to_string())
    }

    #[test]
    fn assignments_are_read_in_any_order() {
        assert_eq!(
            read("{'W1': 'T3', 'W2': 'T1', 'W3': 'T2'}").unwrap(),
            Action::new(vec![2, 0, 1])
        );
        let turned = read("{'W3': 'T2', 'W1': 'T3', 'W2': 'T1'}").unwrap();
        assert_eq!(
            turned,
            Action {
                task_of: vec![2, 0, 1],
                written: vec![2, 0, 1]
            }
        );
        assert_eq!(
            mapping_text(&turned),
            "{'W3': 'T2', 'W1': 'T3', 'W2': 'T1'}"
        );
    }

    #[test]
    fn the_first_fault_is_named() {
        for (text, error) in [
            (
                "{'W1': 'T1', 'X': 'T9'}",
                "every worker needs a task; missing: W2, W3",
            ),
            (
                "{'W1': 'T1', 'W2': 'T1', 'W3': 'T9'}",
                "every task needs a worker; missing: T2, T3",
            ),
            (
                "{'W1': 'T1', 'W2': 'T2', 'W3': 'T3', 'W04': 'T4'}",
                "there are no such workers: W04",
            ),
            (
                "{'W1': 'T1', 'W2': 'T2', 'W3': 3}",
                "every task needs a worker; missing: T3",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), error);
        }
    }

    #[test]
    fn a_problem_in_words() {
        let past = Attempt {
            assignment: Some(Action::new(vec![0, 1])),
            blocking: 1,
            shown: vec![(0, 1)],
        };
        assert_eq!(
            history(&[
                past.clone(),
                Attempt {
                    assignment: None,
                    blocking: 0,
                    shown: vec![]
                }
            ]),
            "Attempt 0:\nAssignment proposed:\n{'W1': 'T1', 'W2': 'T2'}\n\t(1) Problem: worker W1 \
             has task T1 and worker W2 has task T2, but worker W1 would rather do task T2, and \
             worker W1 is better suited to task T2 than worker W2 is.\n\nAttempt 1:\nNo \
             assignment was submitted.\n"
        );
    }
}
