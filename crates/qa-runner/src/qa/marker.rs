//! The scorer as the agent layer's grader.

use super::item::{runs_programs, uid};
use super::judge::BackendJudge;
use super::plan::{Python, QaPlan, Questions};
use agent_client::AgentError;
use agent_client::backend::AgentBackend;
use agent_client::meter::{Metered, Used};
use agent_client::method;
use agent_client::request::{ModelRole, Slot};
use async_trait::async_trait;
use python_snippets::Sandbox;
use qa_scoring::grade::Grade;
use qa_scoring::judge::Judge;
use qa_scoring::prompt::is_announced;
use qa_scoring::snippet::SnippetRunner;
use qa_scoring::{AnswerOutcome, Grader, Item, Metric, Settings, Task};
use run_engine::engine::model::backends::Models;
use run_engine::error::RunError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Share of the best score from which a graded answer is told to a memory as a success. Nothing else
/// depends on it: figures are means.
const SUCCESS: f64 = 0.8;

/// What runs the programs of replies; nothing for [`Python::None`].
///
/// # Errors
/// When the system has no Python 3, or no jail and programs are not trusted.
pub fn runner(python: Python) -> Result<Option<Box<dyn SnippetRunner + Send>>, RunError> {
    match python {
        Python::System => match Sandbox::start() {
            Ok(sandbox) => Ok(Some(Box::new(sandbox))),
            Err(why) => Err(RunError::usage(why.to_string())),
        },
        Python::None => Ok(None),
    }
}

/// What judges the answers of a run.
pub struct ItemGrader {
    settings: Settings,
    version: u32,
    items: BTreeMap<String, (Task, Item)>,
    runner: Option<Mutex<Box<dyn SnippetRunner + Send>>>,
    judge: Option<Arc<dyn AgentBackend>>,
}

impl std::fmt::Debug for ItemGrader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ItemGrader")
            .field("settings", &self.settings)
            .field("items", &self.items.len())
            .field("judge", &self.judge)
            .finish_non_exhaustive()
    }
}

impl ItemGrader {
    /// Judges answers to `items` by these rules, with something to run programs and somebody to judge
    /// free text where there is either.
    #[must_use]
    pub fn new(
        settings: Settings,
        items: impl IntoIterator<Item = (Task, Item)>,
        runner: Option<Box<dyn SnippetRunner + Send>>,
        judge: Option<Arc<dyn AgentBackend>>,
    ) -> Self {
        Self {
            settings,
            version: qa_scoring::VERSION,
            items: items
                .into_iter()
                .map(|(task, item)| (uid(task, &item.id), (task, item)))
                .collect(),
            runner: runner.map(Mutex::new),
            judge,
        }
    }

    /// A marker with the rules, the sandbox and the judge of a run; the judge is the second of `models`.
    ///
    /// # Errors
    /// When programs cannot be run here.
    pub fn open(
        plan: &QaPlan,
        questions: &BTreeMap<Task, Questions>,
        models: &Models,
    ) -> Result<Self, RunError> {
        let programs = if questions.keys().any(|task| runs_programs(*task)) {
            runner(plan.python)?
        } else {
            None
        };
        let judge = match &plan.judge {
            Some(_) => Some(models.backend(1)?),
            None => None,
        };
        let items = questions.iter().flat_map(|(task, questions)| {
            let items = questions.items.iter().cloned();
            items.map(|item| (*task, item))
        });
        Ok(Self {
            // Records name the version that their run began with.
            version: plan.version,
            ..Self::new(plan.scoring.clone(), items, programs, judge)
        })
    }

    /// By which rules.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether somebody judges free text.
    #[must_use]
    pub fn has_judge(&self) -> bool {
        self.judge.is_some()
    }

    /// The grade of a reply to the item `uid`, and the judge's replies. It blocks, so do not call it from
    /// asynchronous code.
    ///
    /// # Errors
    /// When there is no such item, or a judge cannot be asked now.
    pub fn mark(
        &self,
        uid: &str,
        reply: &str,
        runtime: &tokio::runtime::Handle,
    ) -> Result<(Grade, Used), AgentError> {
        let Some((task, item)) = self.items.get(uid) else {
            return Err(AgentError::setup(format!("there is no question `{uid}`")));
        };
        let metered = self
            .judge
            .as_ref()
            .map(|judge| Metered::new(Arc::clone(judge)));
        let mut judge = metered.as_ref().map(|backend| {
            let slot = Slot::new("judged").child("", uid);
            let backend = Arc::new(backend.clone());
            BackendJudge::new(backend, runtime.clone(), ModelRole::Judge, slot)
        });
        let mut grader = Grader::new(self.settings.clone());
        if let Some(judge) = &mut judge {
            grader = grader.with_judge(judge as &mut dyn Judge);
        }
        let grade = match &self.runner {
            // Only programs wait for one another, and only as long as they run.
            Some(runner) if runs_programs(*task) => {
                let mut runner = runner.lock().unwrap_or_else(PoisonError::into_inner);
                let mut run = |snippet: &_| runner.run(snippet);
                grader.with_runner(&mut run).grade(*task, item, Some(reply))
            }
            _ => grader.grade(*task, item, Some(reply)),
        };
        match judge.and_then(BackendJudge::failed) {
            Some(error) => Err(error),
            None => Ok((grade, metered.map(|judge| judge.used()).unwrap_or_default())),
        }
    }

    /// Its name in records.
    #[must_use]
    pub fn name(&self) -> String {
        let judge = self
            .judge
            .as_ref()
            .map_or_else(String::new, |judge| format!(", judged by {}", judge.name()));
        let letters = self
            .settings
            .letters
            .map_or_else(String::new, |rule| format!(", letters {}", rule.name()));
        let tags = self
            .settings
            .tags
            .map_or_else(String::new, |rule| format!(", tags {}", rule.name()));
        format!(
            "qa-scoring {}, {}{letters}{tags}{judge}",
            self.version, self.settings.profile
        )
    }
}

/// The marker in one stream: remembers its grades until they are fetched.
#[derive(Debug)]
pub struct StreamMarker {
    marker: Arc<ItemGrader>,
    /// Whether the method reasons before its answers.
    reasons: bool,
    grades: Mutex<BTreeMap<String, (Grade, Used)>>,
}

/// The part of a reply that is judged: where the rules of `settings` for `task` read the whole reply and the reply
/// begins with reasoning (`reasons`), only the answer.
pub(crate) fn judged<'t>(
    (task, settings): (Task, &Settings),
    reasons: bool,
    text: &'t str,
    answer: &'t str,
) -> &'t str {
    if reasons && is_announced(task, settings) {
        answer
    } else {
        text
    }
}

impl StreamMarker {
    /// A marker for one stream of a method that `reasons` before its answers or does not.
    #[must_use]
    pub fn new(marker: Arc<ItemGrader>, reasons: bool) -> Self {
        Self {
            marker,
            reasons,
            grades: Mutex::default(),
        }
    }

    /// Takes out the grade of an item and the judge's replies; `None` if there is none or it was taken before.
    #[must_use]
    pub fn fetch(&self, uid: &str) -> Option<(Grade, Used)> {
        let mut grades = self.grades.lock().unwrap_or_else(PoisonError::into_inner);
        grades.remove(uid)
    }
}

#[async_trait]
impl method::AnswerGrader for StreamMarker {
    fn name(&self) -> String {
        self.marker.name()
    }

    async fn grade(
        &self,
        item: &method::Question,
        answer: &str,
        text: &str,
    ) -> Result<method::AnswerVerdict, AgentError> {
        let (marker, uid) = (Arc::clone(&self.marker), item.id.clone());
        let task = marker.items.get(&uid).map(|(task, _)| *task);
        let settings = marker.settings();
        let text = task.map_or(text, |task| {
            judged((task, settings), self.reasons, text, answer)
        });
        let text = text.to_owned();
        let runtime = tokio::runtime::Handle::current();
        let work = move || marker.mark(&uid, &text, &runtime);
        let marked = tokio::task::spawn_blocking(work).await;
        let (Ok(grade), Some(task)) = (marked, task) else {
            return Err(AgentError::setup(format!("`{}` cannot be judged", item.id)));
        };
        let (grade, used) = grade?;
        let told = told(task, &grade);
        let mut grades = self.grades.lock().unwrap_or_else(PoisonError::into_inner);
        grades.insert(item.id.clone(), (grade, used));
        Ok(told)
    }
}

/// A grade as the agent layer knows it: between 0 and 1, with a word for the memory that does not give
/// the answer away.
#[must_use]
pub fn told(task: Task, grade: &Grade) -> method::AnswerVerdict {
    let top = match task.metric() {
        Metric::Judged => 5.0,
        _ => 1.0,
    };
    let score = (grade.value.unwrap_or(0.0) / top).clamp(0.0, 1.0);
    let word = match grade.outcome {
        AnswerOutcome::Right => "right".to_owned(),
        AnswerOutcome::Wrong => "wrong".to_owned(),
        AnswerOutcome::Graded => format!("{score:.2} of 1"),
        AnswerOutcome::NoAnswer => "no answer could be read in the reply".to_owned(),
        AnswerOutcome::ProviderError | AnswerOutcome::Missing => "there is no reply".to_owned(),
        AnswerOutcome::Unsupported => "the program cannot be run here".to_owned(),
        AnswerOutcome::Unscored | AnswerOutcome::NoGold => "not judged".to_owned(),
    };
    let note = grade
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(" ({note})"));
    method::AnswerVerdict {
        score,
        correct: grade.outcome == AnswerOutcome::Right
            || (grade.outcome == AnswerOutcome::Graded && score >= SUCCESS),
        feedback: format!("{word}{note}"),
    }
}
