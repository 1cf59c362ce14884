//! The pieces of a run of questions, which do not depend on one another.

use super::plan::{QaPlan, Questions};
use super::routed::Routing;
use agent_client::method::{MethodSpec, Question};
use qa_scoring::Task;
use run_engine::error::RunError;
use std::collections::BTreeMap;

/// Items that are answered one after the other: a whole stream or, if the method does not learn, one
/// item.
pub(crate) struct Piece {
    pub(crate) task: Task,
    pub(crate) stream: u64,
    /// The method that makes an answer and what it remembers.
    pub(crate) method: MethodSpec,
    /// Whether the method learns from one item for the next.
    pub(crate) online: bool,
    /// Whether other methods answer other items of the same stream.
    routed: bool,
    /// Items with their places in the stream.
    pub(crate) items: Vec<(u64, Question)>,
}

impl Piece {
    /// Its name, for files and messages.
    pub(crate) fn name(&self) -> String {
        let method = if self.routed {
            format!(", {}", self.method)
        } else {
            String::new()
        };
        format!("{}, stream {}{method}", self.task, self.stream)
    }
}

/// The pieces of this shard, in order.
///
/// # Errors
/// When a method or the policy that chooses it cannot be made.
pub(crate) fn pieces(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
) -> Result<Vec<Piece>, RunError> {
    let chooser = plan.routing.as_ref().map(Routing::chooser).transpose()?;
    let mut pieces = Vec::new();
    for task in plan.tasks.iter().map(|task| task.task) {
        let unread = || RunError::Failed(format!("the questions of {task} were not read"));
        let questions = questions.get(&task).ok_or_else(unread)?;
        let (asked, open) = questions.put(plan)?;
        let most = plan.items.and_then(|n| usize::try_from(n).ok());
        let mut part: Vec<usize> = match &plan.split {
            Some(split) => split.places(plan.seed, asked.len()),
            None => (0..asked.len()).collect(),
        };
        part.retain(|place| open.contains(place));
        if part.is_empty() {
            return Err(RunError::usage(format!(
                "the split leaves no question of {task}: it has {}",
                asked.len()
            )));
        }
        // The stream determines only the order of the items, not their choice.
        let mut sample = plan.seed.child("sample", 0).order(0, part.len());
        sample.truncate(most.unwrap_or(usize::MAX));
        sample.sort_unstable();
        let chosen: Vec<usize> = sample
            .into_iter()
            .filter_map(|place| part.get(place).copied())
            .collect();
        let method_of = |place: usize| {
            let Some(chooser) = &chooser else {
                return Ok(&plan.method);
            };
            let item = questions.items.get(place);
            let chosen = item.and_then(|item| chooser.method(task, item, plan.tasks.len() == 1));
            chosen.ok_or_else(|| {
                RunError::usage(format!(
                    "the routing of the plan has no method for a question of {task}"
                ))
            })
        };
        for stream in 0..plan.streams {
            let met = plan.seed.order(stream, chosen.len());
            let mut by_method: BTreeMap<&str, (&MethodSpec, Vec<Question>)> = BTreeMap::new();
            for place in met.iter().filter_map(|place| chosen.get(*place)) {
                let Some(item) = asked.get(*place).cloned() else {
                    continue;
                };
                let method = method_of(*place)?;
                let group = by_method.entry(&method.name);
                group.or_insert_with(|| (method, Vec::new())).1.push(item);
            }
            for (method, items) in by_method.into_values() {
                let made = method.make().map_err(|e| RunError::usage(e.to_string()))?;
                let online = made.memory.is_online();
                let piece = |items| Piece {
                    task,
                    stream,
                    method: method.clone(),
                    online,
                    routed: chooser.is_some(),
                    items,
                };
                let items: Vec<(u64, Question)> = (0..).zip(items).collect();
                if online {
                    pieces.push(piece(items));
                } else {
                    pieces.extend(items.into_iter().map(|item| piece(vec![item])));
                }
            }
        }
    }
    let numbered = pieces.into_iter().zip(0_u64..);
    let ours = numbered.filter(|(_, number)| number % plan.shard.count == plan.shard.index);
    Ok(ours.map(|(piece, _)| piece).collect())
}
