//! Tools and prompts for language models: `get_previous_periods_data`, `get_period_number`,
//! `get_worker_ids`, `get_task_info` and `submit_assignment`.

use super::action::Action;
use super::config::Goal;
use super::env::Efficiency;
use super::observation::Feedback;
use crate::action_text::{Mapping, mapping_argument};
use crate::protocol::{self, none_of, number_of};
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::tool::known_arguments;
use sim_core::{
    ActionError, Environment as _, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput,
    ToolSpec,
};
use std::fmt::Write as _;

impl ToolInterface for Efficiency {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let history = protocol::getter_once(
            "get_previous_periods_data",
            "Shows for every earlier task who did it, its size, the pay for it, the revenue from \
             it and the worker's pay up to then, and the revenue of each period. Read this before \
             you submit an assignment.",
            self.instance().config.read_once,
        );
        vec![
            history,
            ToolSpec::new(
                "get_period_number",
                ToolKind::Getter,
                "Shows the number of the current period, counted from 0.",
            ),
            ToolSpec::new(
                "get_worker_ids",
                ToolKind::Getter,
                "Lists the ids of all workers.",
            ),
            ToolSpec::new(
                "get_task_info",
                ToolKind::Getter,
                "Lists the ids and sizes of the tasks of this period.",
            ),
            ToolSpec::new(
                "submit_assignment",
                ToolKind::Action,
                "Submits the assignment of this period. Takes one argument, `assignment`: a \
                 string that holds a dictionary from task ids to worker ids. With tasks 1, 2, 3 \
                 and workers A, B, C it could be \"{'1': 'B', '2': 'C', '3': 'A'}\".",
            )
            .with(
                "assignment",
                json!({
                    "type": "string",
                    "description": "A dictionary written as a string. Its keys are the ids of \
                                    this period's tasks, its values all worker ids, each exactly \
                                    once."
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        let goal = match self.instance().config.goal {
            Goal::Both => {
                "You have two goals. One is efficiency: earn the company as much revenue as you \
                 can over all periods together. The other is equality: keep the workers' total \
                 pay over all periods together as equal as you can, which is measured by the \
                 largest total pay minus the smallest. The two can conflict; weigh them as you \
                 see fit."
            }
            Goal::Efficiency => {
                "Your goal is efficiency: earn the company as much revenue as you can over all \
                 periods together."
            }
            Goal::Equality => {
                "Your goal is equality: keep the workers' total pay over all periods together as \
                 equal as you can, which is measured by the largest total pay minus the smallest."
            }
        };
        let system = format!(
            "You assign tasks to the workers of a company. Every period brings new tasks, and \
             every worker does exactly one of them. A worker is paid in proportion to the size \
             of its task. What a task earns the company grows with its size, too, and with how \
             productive the worker is, which you are not told. {goal} Work through the tools \
             listed below, base every decision on data, and as you go write your reasoning, your \
             plans and what you found out into your notes and read them again."
        );
        let opening = "You can now use the tools to work out the assignment of this period. This \
                       conversation starts afresh once you submit it, but the data of all earlier \
                       periods stay within reach of the tools (get_previous_periods_data, \
                       read_notes)."
            .to_owned();
        Prompt {
            system,
            opening,
            reminder: protocol::REMINDER.to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        let total = u32::from(self.instance().config.periods);
        let index = u32::from(self.period_number());
        PeriodCount {
            index,
            total: Some(total),
            unit: "period",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        known_arguments(arguments, &[])?;
        Ok(match tool {
            "get_previous_periods_data" => {
                let record = self.record();
                if record.is_empty() {
                    return Ok(ToolOutput::text(
                        "There are no data yet: this is the first period.",
                    ));
                }
                let entries: Vec<String> = record.iter().map(entry).collect();
                ToolOutput::text(entries.join("\n"))
            }
            "get_period_number" => protocol::number_output(u32::from(self.period_number())),
            "get_worker_ids" => protocol::ids_output("W", self.instance().config.workers),
            "get_task_info" => {
                let tasks = self.observe().tasks;
                let lines: Vec<String> = tasks
                    .iter()
                    .map(|t| format!("Task T{} size = {}", t.task, t.size))
                    .collect();
                ToolOutput {
                    text: lines.join("\n"),
                    value: serde_json::to_value(tasks).ok(),
                }
            }
            _ => return Err(ActionError::unknown_tool(tool, &[])),
        })
    }

    fn read_call(&self, _tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        // Ids go on from period to period, so that one of an earlier period is refused and not
        // taken for a task of this one.
        let first = u32::from(self.period_number()) * u32::from(self.instance().config.workers);
        read_assignment(
            &mapping_argument(arguments, "assignment")?,
            first,
            self.instance().config.workers,
        )
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        let mut text = entry(feedback);
        if self.is_over() {
            text.push_str("That was the last period.\n");
        }
        text
    }

    fn feedback_value<'a>(&self, feedback: &'a Feedback) -> Option<&'a Feedback> {
        Some(feedback)
    }
}

fn entry(past: &Feedback) -> String {
    let mut text = format!("Period {}:\n", past.period);
    for job in &past.jobs {
        let _ = writeln!(
            text,
            "Task T{}: worker W{}, size {}, pay {}, revenue {}, pay of W{} so far {}",
            job.task,
            job.worker + 1,
            job.size,
            job.pay,
            job.revenue,
            job.worker + 1,
            job.pay_so_far
        );
    }
    let _ = writeln!(
        text,
        "Revenue: {}, so far {}",
        past.revenue, past.revenue_so_far
    );
    text
}

/// The assignment of tasks `first + 1` to `first + n` that a mapping of ids stands for.
fn read_assignment(mapping: &Mapping, first: u32, n: u16) -> Result<Action, ActionError> {
    let mut worker_of: Vec<Option<u16>> = vec![None; usize::from(n)];
    let mut holds = vec![false; usize::from(n)];
    for (key, value) in mapping.iter() {
        let task = number_of(key, "T").and_then(|t| t.checked_sub(first));
        let slot = task.and_then(|t| worker_of.get_mut(usize::try_from(t).ok()?));
        let Some(slot) = slot else {
            return Err(ActionError::new(
                "unknown_task",
                format!(
                    "`{}` is not a task of this period; they are T{} to T{}",
                    clip(key),
                    first + 1,
                    first + u32::from(n)
                ),
            ));
        };
        let worker = value.text().and_then(|id| number_of(id, "W"));
        let worker = worker
            .and_then(|w| u16::try_from(w).ok())
            .filter(|w| *w < n);
        let Some(worker) = worker else {
            return Err(ActionError::new(
                "unknown_worker",
                format!("`{}` is not a worker; they are W1 to W{n}", value.display()),
            ));
        };
        let held = holds
            .get_mut(usize::from(worker))
            .map(|h| std::mem::replace(h, true));
        if held == Some(true) {
            return Err(ActionError::new(
                "worker_twice",
                format!(
                    "W{} has two tasks; every worker does exactly one",
                    worker + 1
                ),
            ));
        }
        *slot = Some(worker);
    }
    let missing: Vec<String> = (first + 1..)
        .zip(&worker_of)
        .filter(|(_, worker)| worker.is_none())
        .map(|(task, _)| format!("T{task}"))
        .collect();
    none_of(
        "missing_tasks",
        "every task needs a worker; missing",
        &missing,
    )?;
    Ok(Action {
        worker_of: worker_of.into_iter().flatten().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action_text::read_mapping_text;

    #[test]
    fn assignments_are_read_or_the_fault_is_named() {
        let read = |text: &str| {
            let mapping = read_mapping_text(text).unwrap();
            read_assignment(&mapping, 4, 3)
                .map(|a| a.worker_of)
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            read("{'T6': 'W1', 'T5': 'W3', 'T7': 'W2'}"),
            Ok(vec![2, 0, 1])
        );
        for (text, error) in [
            (
                "{'T4': 'W1'}",
                "`T4` is not a task of this period; they are T5 to T7",
            ),
            ("{'T5': 'W4'}", "`'W4'` is not a worker; they are W1 to W3"),
            (
                "{'T5': 'W1', 'T6': 'W1'}",
                "W1 has two tasks; every worker does exactly one",
            ),
            (
                "{'T5': 'W1', 'T7': 'W2'}",
                "every task needs a worker; missing: T6",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), error);
        }
    }
}
