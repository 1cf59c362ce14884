//! What a question run is: everything that decides its records.

use super::data;
use super::item::uid;
use super::pieces::{Piece, pieces};
use super::routed::Routing;
use super::split::{QuestionSplit, in_order};
use agent_client::memory::FeedbackMode;
use agent_client::method::{ItemRecord, MethodSpec, Question};
use agent_client::wire::Dialect;
use qa_scoring::prompt::PromptStyle;
use qa_scoring::{Gold, Settings, Task, VERSION, prompt};
use run_engine::error::RunError;
use run_engine::plan::Shard;
use run_engine::plan::model::check_dialect;
use run_engine::ranges;
use run_engine::run_dir::{RunPlan, Units};
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sim_core::{Digest, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Not;
use std::path::PathBuf;

/// What runs the programs of replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Python {
    /// The system's Python 3
    #[default]
    System,
    /// Nothing: programs count as unsupported
    None,
}

/// A run with every choice made, as the manifest keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QaPlan {
    /// Version of the scorer's figures.
    pub version: u32,
    /// Folder or file of the questions, as named.
    pub data: PathBuf,
    /// The tasks, in order.
    pub tasks: Vec<TaskPlan>,
    /// Who answers, as named.
    pub agent: String,
    /// How the model is asked.
    pub dialect: Dialect,
    /// How an answer is made and what is kept.
    pub method: MethodSpec,
    /// The policy that chooses the method of each question, where there is one; `method` is then that
    /// of its default agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
    /// What the memory may learn from.
    pub feedback: FeedbackMode,
    /// By which rules answers are judged.
    pub scoring: Settings,
    /// What runs programs.
    pub python: Python,
    /// The model that judges free text; without one such answers are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Dialect>,
    /// Questions a task, drawn by the seed; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// The part of the questions that is asked; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<QuestionSplit>,
    /// Number of examples that the model is shown for each task: items drawn by the seed, which are not
    /// asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shots: Option<u32>,
    /// Whether the model is told the role in which BizCompass asks each task.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub roles: bool,
    /// How often the questions are met, each time in an order of its own.
    pub streams: u64,
    /// Seed of the orders and of the split.
    pub seed: Seed,
    /// Part of the work that this folder holds.
    pub shard: Shard,
}

/// A task of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskPlan {
    /// Which.
    pub task: Task,
    /// Digest of its items, so that a resumed run meets the same.
    pub digest: Digest,
}

/// The questions of a task as they are judged and as they are put to a model.
#[derive(Debug, Clone)]
pub struct Questions {
    /// The task.
    pub task: Task,
    /// The items that have a right answer.
    pub items: Vec<qa_scoring::Item>,
    /// How many have none and are not asked.
    pub without_answer: usize,
    /// What was odd in the file.
    pub remarks: Vec<String>,
}

impl Questions {
    /// Reads the questions of a task.
    ///
    /// # Errors
    /// When its file is not there or cannot be read, or holds no question with a right answer.
    pub fn read(data: &std::path::Path, task: Task) -> Result<Self, RunError> {
        let file = data::read(data, task)?;
        let all = file.loaded.records.len();
        let items: Vec<_> = file
            .loaded
            .records
            .into_iter()
            .filter(|item| item.gold != Gold::Absent)
            .collect();
        if items.is_empty() {
            let text = format!(
                "{} holds no question with a right answer",
                shown_path(&file.path)
            );
            return Err(RunError::usage(text));
        }
        Ok(Self {
            task,
            without_answer: all - items.len(),
            items,
            remarks: file
                .loaded
                .remarks
                .iter()
                .map(ToString::to_string)
                .collect(),
        })
    }

    /// Digest of the items.
    ///
    /// # Errors
    /// When they cannot be written as JSON.
    pub fn digest(&self) -> Result<Digest, RunError> {
        Digest::of(&self.items).map_err(|e| RunError::Failed(format!("{}: {e}", self.task)))
    }

    /// The items as they are put to a model whose answers are graded by the rules of `scoring`, in their order.
    #[must_use]
    pub fn asked(&self, scoring: &Settings) -> Vec<Question> {
        self.items
            .iter()
            .map(|item| asked(self.task, item, scoring))
            .collect()
    }

    /// The items as `plan` puts them to a model, in their order, and the places of those that may be asked:
    /// all but the examples that the model is shown and items with the same question as one of them.
    ///
    /// # Errors
    /// When the examples leave no item to ask.
    pub(crate) fn put(&self, plan: &QaPlan) -> Result<(Vec<Question>, BTreeSet<usize>), RunError> {
        let mut asked = self.asked(&plan.scoring);
        let places: BTreeSet<usize> = (0..asked.len()).collect();
        let shots = match plan.shots {
            None if !plan.roles => return Ok((asked, places)),
            None => 0,
            Some(shots) => shots,
        };
        let drawn = in_order(plan.seed, asked.len());
        let drawn: Vec<usize> = drawn.into_iter().zip(0..shots).map(|(at, _)| at).collect();
        let examples: Vec<_> = drawn.iter().filter_map(|at| self.items.get(*at)).collect();
        let instruction = |reasoning| {
            let style = PromptStyle {
                role: plan.roles,
                reasoning,
            };
            let text = prompt::instruction(self.task, style, &plan.scoring);
            if examples.is_empty() {
                text
            } else {
                let examples = prompt::examples(&examples, self.task, style, &plan.scoring);
                format!("{text}\n\n{examples}")
            }
        };
        let (plain, reasoned) = (instruction(false), instruction(true));
        for item in &mut asked {
            item.put = Some(plain.clone());
            item.reasoned = Some(reasoned.clone());
        }
        let shown: BTreeSet<&String> = drawn
            .iter()
            .filter_map(|at| asked.get(*at).map(|item| &item.question))
            .collect();
        let is_open = |at: &usize| {
            asked
                .get(*at)
                .is_some_and(|item| !shown.contains(&item.question))
        };
        let open: BTreeSet<usize> = places.into_iter().filter(is_open).collect();
        if open.is_empty() {
            return Err(RunError::usage(format!(
                "--shots {shots} leaves no question of {} to ask; there are {}",
                self.task,
                asked.len()
            )));
        }
        Ok((asked, open))
    }
}

/// An item as it is put to a model. The digest of a question holds the form of the strict rules, so that runs under
/// different rules are compared question by question; a form that other rules need takes its place.
/// Number of items in `pieces`.
fn count(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.items.len() as u64).sum()
}

fn asked(task: Task, item: &qa_scoring::Item, scoring: &Settings) -> Question {
    let strict = prompt::of(item, task, &Settings::default());
    let truth = match &item.gold {
        Gold::Letters(letters) => Some(letters.to_string()),
        Gold::Text(text) => Some(text.clone()),
        Gold::Absent => None,
    };
    let instruction = |reasoning| {
        let style = PromptStyle {
            role: false,
            reasoning,
        };
        prompt::instruction(task, style, scoring)
    };
    let plain = instruction(false);
    Question {
        id: uid(task, &item.id),
        question: strict.question,
        truth,
        put: (plain != strict.system).then_some(plain),
        instruction: Some(strict.system),
        reasoned: Some(instruction(true)),
        more: json!({"task": task, "id": item.id}),
    }
}

/// Most questions a task.
const MOST_ITEMS: u64 = 10_000_000;

/// Most examples that a model is shown.
pub const MOST_SHOTS: u32 = 100;

/// Most judges of one answer.
const MOST_JUDGES: u32 = 100;

impl RunPlan for QaPlan {
    const KEY: &'static str = "questions";
    const UNIT: &'static str = "item";
    const RECORDS: &'static str = "items.jsonl";
    type Record = ItemRecord;

    fn check_stored(&self) -> Result<(), RunError> {
        self.check()
    }

    fn shard(&self) -> Shard {
        self.shard
    }

    fn whole(&self) -> Self {
        Self {
            shard: Shard::default(),
            ..self.clone()
        }
    }

    fn planned(&self) -> Result<u64, RunError> {
        self.asked()
    }

    fn units(&self) -> Result<Option<Units>, RunError> {
        let questions = self.questions()?;
        Ok(Some(Units {
            folder: count(&pieces(self, &questions)?),
            run: count(&pieces(&self.whole(), &questions)?),
        }))
    }

    fn size_in_words(&self) -> String {
        let items = self.items.map_or_else(
            || "all questions".to_owned(),
            |items| format!("{} a task", counted(items, "question")),
        );
        format!("{items} in {}", counted(self.streams, "stream"))
    }

    fn sized_as(&self, other: &Self) -> Self {
        Self {
            streams: other.streams,
            items: other.items,
            ..self.clone()
        }
    }

    fn is_shorter_than(&self, other: &Self) -> bool {
        // Without a number all questions are asked.
        let items = |plan: &Self| plan.items.unwrap_or(u64::MAX);
        items(self) <= items(other) && (items(self), self.streams) < (items(other), other.streams)
    }

    fn why_fixed(&self, longer: &Self) -> Option<String> {
        (self.items != longer.items)
            .then(|| "more questions would change the random order of all questions".to_owned())
    }
}

impl QaPlan {
    /// Makes sure that the answers can be judged as those before were.
    ///
    /// # Errors
    /// When the run began with another version of the scorer.
    pub(crate) fn check_version(&self) -> Result<(), RunError> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(RunError::usage(format!(
            "the run began with version {} of the scorer and this is version {VERSION}: its \
             figures cannot be mixed; see `boardroom rescore`",
            self.version
        )))
    }

    /// Makes sure that the plan is one that can be read or run, wherever it was read; what is run
    /// or verified needs `check_version` as well.
    ///
    /// # Errors
    /// Names what is out of range or does not fit together.
    pub fn check(&self) -> Result<(), RunError> {
        let tasks: BTreeSet<Task> = self.tasks.iter().map(|task| task.task).collect();
        if tasks.len() != self.tasks.len() || tasks.is_empty() {
            return Err(RunError::usage(
                "name at least one task that has a file, and each task only once",
            ));
        }
        check_dialect(Some(&self.agent), &self.dialect)?;
        if let Some(judge) = &self.judge {
            check_dialect(None, judge)?;
        }
        let bad = |e: agent_client::AgentError| RunError::usage(e.message);
        match &self.routing {
            None => self.method.check().map_err(bad)?,
            Some(routing) => {
                for method in routing.methods.values() {
                    method.check().map_err(bad)?;
                }
                if routing.whole().is_some_and(|whole| whole != self.method) {
                    return Err(RunError::usage(
                        "the method differs from the method of the policy's default agent",
                    ));
                }
            }
        }
        ranges::whole("streams", &self.streams, &(1..=ranges::MOST_STREAMS))?;
        if let Some(items) = &self.items {
            ranges::whole("items", items, &(1..=MOST_ITEMS))?;
        }
        if let Some(shots) = &self.shots {
            ranges::whole("shots", shots, &(1..=MOST_SHOTS))?;
        }
        ranges::whole("judges", &self.scoring.judges, &(1..=MOST_JUDGES))?;
        let learns = self.method.make().map_err(bad)?.memory.is_online();
        if self.streams > 1 && self.routing.is_none() && !learns {
            return Err(RunError::usage(format!(
                "method `{}` learns nothing: --streams applies only to methods with a memory",
                self.method
            )));
        }
        self.shard.check()
    }

    /// Checks that the questions are where the plan says.
    ///
    /// # Errors
    /// Names the path; if it is relative, says from where it was looked for.
    pub(crate) fn check_data(&self) -> Result<(), RunError> {
        if self.data.exists() {
            return Ok(());
        }
        let place = shown_path(&self.data);
        Err(RunError::usage(if self.data.is_relative() {
            format!(
                "there are no questions at {place}: the path is relative to the folder in which the run \
                 was begun; start the program there"
            )
        } else {
            format!("there are no questions at {place}, but the run was begun with them")
        }))
    }

    /// Number of items of this shard, over all streams.
    ///
    /// # Errors
    /// When the files of the questions cannot be read or have changed.
    pub fn asked(&self) -> Result<u64, RunError> {
        Ok(count(&pieces(self, &self.questions()?)?))
    }

    /// Names of the items that are asked, over all shards.
    ///
    /// # Errors
    /// When the examples or the split leave no item, or a method cannot be made.
    pub fn items_asked(
        &self,
        questions: &BTreeMap<Task, Questions>,
    ) -> Result<BTreeSet<String>, RunError> {
        let pieces = pieces(&self.whole(), questions)?;
        let items = pieces.into_iter().flat_map(|piece| piece.items);
        Ok(items.map(|(_, item)| item.id).collect())
    }

    /// Reads the questions again and makes sure that they are those of the plan.
    ///
    /// # Errors
    /// When a file cannot be read or has changed.
    pub fn questions(&self) -> Result<BTreeMap<Task, Questions>, RunError> {
        self.check_data()?;
        let mut all = BTreeMap::new();
        for TaskPlan { task, digest } in &self.tasks {
            let questions = Questions::read(&self.data, *task)?;
            if questions.digest()? != *digest {
                return Err(RunError::usage(format!(
                    "the questions of {task} in {} are not those that the run began with",
                    shown_path(&self.data)
                )));
            }
            all.insert(*task, questions);
        }
        Ok(all)
    }
}
