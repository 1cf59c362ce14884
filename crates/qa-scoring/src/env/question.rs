//! The environment of one question.

use super::verdict::told;
use super::{runs_programs, text_argument};
use crate::grade::{Grade, Grader, Settings};
use crate::item::{Gold, Item};
use crate::judge::{JudgeRequest, JudgeSpeaker, NoReply};
use crate::prompt::{self, PromptStyle, is_announced};
use crate::snippet::{Snippet, SnippetReply};
use crate::task::Task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{
    ActionError, Ask, ChatMessage, ConfigError, Environment, Incident, NotFinite, PeriodCount,
    Prompt, Ranges, ReplyForm, RestoreError, Retold, Score, Seat, TextReply, ToolInterface,
    ToolKind, ToolOutput, ToolSpec,
};
use std::cell::RefCell;
use std::sync::Arc;

/// Maximum number of examples that a model is shown.
pub const MOST_SHOTS: u32 = 100;

/// The seat that judges free text.
pub const JUDGE: Seat = Seat::named("judge");

/// The seat that runs programs.
pub const EXECUTOR: Seat = Seat::named("executor");

/// Settings of a run of questions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The rules by which answers are judged.
    pub scoring: Settings,
    /// Number of examples that the model is shown for each task: questions drawn by the seed of the run, which are not
    /// asked.
    #[schemars(range(min = 0, max = MOST_SHOTS))]
    pub shots: u32,
    /// Whether the model is told the role in which BizCompass asks each task.
    pub roles: bool,
}

impl Config {
    /// A question without examples under these settings.
    #[must_use]
    pub fn question(&self, task: Task, item: Item) -> Question {
        let [system, reasoned] = self.instructions(task, &[]);
        Question {
            task,
            item,
            scoring: self.scoring.clone(),
            system,
            reasoned,
        }
    }

    /// The instructions for answers at once and for answers after reasoning, with these examples.
    pub(super) fn instructions(&self, task: Task, examples: &[&Item]) -> [String; 2] {
        [false, true].map(|reasoning| {
            let style = PromptStyle {
                role: self.roles,
                reasoning,
            };
            let text = prompt::instruction(task, style, &self.scoring);
            if examples.is_empty() {
                text
            } else {
                let examples = prompt::examples(examples, task, style, &self.scoring);
                format!("{text}\n\n{examples}")
            }
        })
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        let scoring = self.scoring.check_ranges();
        scoring.map_err(|error| error.within("scoring"))
    }
}

/// A question with everything that decides its prompt and its grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The task that it belongs to.
    pub task: Task,
    /// The question and its right answer.
    pub item: Item,
    /// By which rules answers are judged.
    pub scoring: Settings,
    /// The instruction, with examples where there are any.
    pub system: String,
    /// The instruction for a model that reasons step by step first.
    pub reasoned: String,
}

/// The replies so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The agent's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<TextReply>,
    /// The replies of the judge, in the order of its requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<TextReply>,
    /// The replies of the executor, in the order of the programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executed: Vec<TextReply>,
}

impl State {
    fn replies(&self) -> usize {
        usize::from(self.answer.is_some()) + self.judged.len() + self.executed.len()
    }
}

/// What the seat in turn sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The seat.
    pub seat: Seat,
    /// The question, its context and its options, for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What the judge is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<JudgeRequest>,
    /// The program that the executor runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
}

/// What comes next. It follows from the state.
#[derive(Debug, Clone, PartialEq)]
enum Turn {
    Agent,
    Judge(JudgeRequest),
    Executor(Snippet),
    Over(Grade),
}

/// A question that is answered once and graded by the rules.
#[derive(Debug, Clone)]
pub struct QuestionEnv {
    instance: Arc<Question>,
    state: State,
    next: Turn,
}

impl QuestionEnv {
    /// The question before its answer.
    ///
    /// # Errors
    /// When there is no right answer, or a setting is out of range.
    pub fn new(instance: Arc<Question>) -> Result<Self, ConfigError> {
        let config = Config {
            scoring: instance.scoring.clone(),
            ..Config::default()
        };
        // Again here, since a question may come from a file, whose settings no configuration has
        // checked.
        config.check()?;
        if instance.item.gold == Gold::Absent {
            let text = "the question has no right answer, so no reply to it can be scored";
            return Err(ConfigError::new("item.gold", text));
        }
        Ok(Self {
            instance,
            state: State::default(),
            next: Turn::Agent,
        })
    }

    /// The question.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.instance
    }

    /// The grade; `None` before the end.
    #[must_use]
    pub fn grade(&self) -> Option<&Grade> {
        match &self.next {
            Turn::Over(grade) => Some(grade),
            _ => None,
        }
    }

    /// Whether a judge took part or would take part in the grade.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.state
            .judged
            .first()
            .is_some_and(|reply| !reply.declines())
    }

    /// Grades with the replies so far: what comes next is the first request that they do not answer, or the grade.
    fn proceed(&self, state: &State) -> Turn {
        let Some(answer) = &state.answer else {
            return Turn::Agent;
        };
        let Question {
            task,
            item,
            scoring,
            ..
        } = &*self.instance;
        // In a cell, because judge and runner write it while the grader holds both.
        let asked = RefCell::new(None);
        let mut judged = state.judged.iter();
        let mut judge = |request: &JudgeRequest| match judged.next() {
            Some(reply) => reply.text.clone().ok_or_else(|| NoReply {
                reason: reply.failure.clone().unwrap_or_default(),
            }),
            None => {
                asked
                    .borrow_mut()
                    // Only the first open request counts: the grader goes on with a stand-in for
                    // its reply, and what it asks after that may change with the real one.
                    .get_or_insert_with(|| Turn::Judge(request.clone()));
                Err(NoReply {
                    reason: "it was not asked yet".to_owned(),
                })
            }
        };
        let mut executed = state.executed.iter();
        let mut runner = |snippet: &Snippet| match executed.next() {
            Some(reply) => value_of(reply),
            None => {
                asked
                    .borrow_mut()
                    .get_or_insert_with(|| Turn::Executor(snippet.clone()));
                SnippetReply::Unsupported {
                    what: "it was not run yet".to_owned(),
                }
            }
        };
        let declines = |replies: &[TextReply]| replies.first().is_some_and(TextReply::declines);
        let mut grader = Grader::new(scoring.clone());
        // A seat that declined the first request would decline all of them.
        if !declines(&state.judged) {
            grader = grader.with_judge(&mut judge);
        }
        if runs_programs(*task) && !declines(&state.executed) {
            grader = grader.with_runner(&mut runner);
        }
        // Graded from the beginning after each reply, instead of going on with a grader that was
        // halted: so the replies are the whole state, and to restore it is to grade it.
        let grade = grader.grade(*task, item, Some(self.instance.graded_text(answer)));
        drop(grader);
        asked.into_inner().unwrap_or(Turn::Over(grade))
    }

    fn truth(&self) -> Option<String> {
        match &self.instance.item.gold {
            Gold::Letters(letters) => Some(letters.to_string()),
            Gold::Text(text) => Some(text.clone()),
            Gold::Absent => None,
        }
    }

    fn put(&self) -> String {
        prompt::question(&self.instance.item)
    }
}

/// The value of a program in the reply of the executor.
fn value_of(reply: &TextReply) -> SnippetReply {
    let unsupported = |what: String| SnippetReply::Unsupported { what };
    match (&reply.text, &reply.failure) {
        // Unsupported where it cannot be read: a fault of the executor must not count against the
        // answer.
        (Some(text), _) => {
            serde_json::from_str(text).unwrap_or_else(|e| unsupported(e.to_string()))
        }
        (None, failure) => unsupported(failure.clone().unwrap_or_default()),
    }
}

impl Environment for QuestionEnv {
    type State = State;
    type Action = TextReply;
    type Observation = Observation;
    type Feedback = ();

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        if state.answer.is_none() && state.replies() > 0 {
            let text = "an answer was judged before it was given";
            return Err(ConfigError::new("state.answer", text).into());
        }
        self.next = self.proceed(&state);
        self.state = state;
        Ok(())
    }

    fn seats(&self) -> Vec<Seat> {
        let executor = runs_programs(self.instance.task).then_some(EXECUTOR);
        [Seat::AGENT, JUDGE].into_iter().chain(executor).collect()
    }

    fn turn(&self) -> Seat {
        match &self.next {
            Turn::Agent | Turn::Over(_) => Seat::AGENT,
            Turn::Judge(_) => JUDGE,
            Turn::Executor(_) => EXECUTOR,
        }
    }

    fn observe(&self) -> Observation {
        let mut seen = Observation {
            seat: self.turn(),
            question: None,
            request: None,
            snippet: None,
        };
        match &self.next {
            Turn::Agent | Turn::Over(_) => seen.question = Some(self.put()),
            Turn::Judge(request) => seen.request = Some(request.clone()),
            Turn::Executor(snippet) => seen.snippet = Some(snippet.clone()),
        }
        seen
    }

    fn step(&mut self, reply: &TextReply) -> Result<(), ActionError> {
        match &self.next {
            Turn::Over(_) => return Err(ActionError::episode_over()),
            Turn::Agent => self.state.answer = Some(reply.clone()),
            Turn::Judge(_) => self.state.judged.push(reply.clone()),
            Turn::Executor(_) => {
                // Refused here, where the executor learns why. If it were taken, it would count as
                // unsupported and hide the mistake.
                if let Some(text) = &reply.text {
                    serde_json::from_str::<SnippetReply>(text).map_err(|e| {
                        let text =
                            format!("the executor replies with the value of the program: {e}");
                        ActionError::new("bad_action", text)
                    })?;
                }
                self.state.executed.push(reply.clone());
            }
        }
        self.next = self.proceed(&self.state);
        Ok(())
    }

    fn forfeit(&mut self) {
        // A reply without a text is always taken.
        let taken = self.step(&TextReply::failed("forfeited"));
        debug_assert!(
            taken.is_ok() || self.is_over(),
            "a question refused no reply"
        );
    }

    fn is_over(&self) -> bool {
        matches!(self.next, Turn::Over(_))
    }

    /// The share of the full score; the outcome is an incident unless the answer is right, wrong or graded.
    fn score(&self) -> Result<Score, NotFinite> {
        let Some(grade) = self.grade() else {
            return Score::unscored("there is no grade yet");
        };
        let note = grade.note.clone().unwrap_or_default();
        if grade.value.is_none() {
            let why = if note.is_empty() {
                "no reason is given"
            } else {
                &note
            };
            return Score::unscored(why);
        }
        let told = told(self.instance.task, grade);
        let outcome = serde_json::to_value(grade.outcome).ok();
        let outcome = outcome.and_then(|outcome| Some(outcome.as_str()?.to_owned()));
        let is_usual = |code: &String| ["right", "wrong", "graded"].contains(&code.as_str());
        let incident = outcome.filter(|code| !is_usual(code)).map(|code| Incident {
            code,
            period: 0,
            note,
        });
        Ok(Score::new(told.score)?.incidents(incident))
    }
}

impl ToolInterface for QuestionEnv {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        let about = match self.next {
            Turn::Judge(_) => "Gives the judgement.",
            Turn::Executor(_) => "Gives the value of the program, as JSON.",
            _ => "Gives the answer, in the form that the instruction asks for.",
        };
        let text = json!({"type": "string", "description": "The whole reply."});
        vec![ToolSpec::new("answer", ToolKind::Action, about).with("text", text)]
    }

    fn briefing(&self) -> Prompt {
        let system = self.ask().map(|ask| ask.system);
        let opening = match &self.next {
            Turn::Agent | Turn::Over(_) => self.put(),
            Turn::Judge(request) => {
                let last = request.messages.last();
                last.map(|message| message.text.clone()).unwrap_or_default()
            }
            Turn::Executor(snippet) => snippet.code.clone(),
        };
        Prompt {
            system: system.unwrap_or_default(),
            opening,
            reminder: "Call `answer` with your reply.".to_owned(),
        }
    }

    fn ask(&self) -> Option<Ask> {
        match &self.next {
            Turn::Agent => Some(Ask {
                system: self.instance.system.clone(),
                reasoned: Some(self.instance.reasoned.clone()),
                chat: vec![ChatMessage::to_seat(self.put())],
                form: ReplyForm::Answer,
                again: 0,
            }),
            Turn::Judge(request) => Some(Ask {
                system: request.system.clone(),
                reasoned: None,
                chat: request
                    .messages
                    .iter()
                    .map(|message| ChatMessage {
                        own: message.from == JudgeSpeaker::Judge,
                        text: message.text.clone(),
                    })
                    .collect(),
                form: ReplyForm::Speech,
                again: 0,
            }),
            Turn::Executor(_) | Turn::Over(_) => None,
        }
    }

    fn retold(&self) -> Option<Retold> {
        let answer = self.state.answer.as_ref();
        let told = self.grade().map(|grade| told(self.instance.task, grade));
        let text = answer.map(TextReply::as_str).unwrap_or_default();
        // What it thought is its own: no reflector or memory gets it.
        let spoken = crate::extract::without_thinking(text).text();
        Some(Retold {
            task: self.put(),
            transcript: spoken.unwrap_or_default().into_owned(),
            decision: answer
                .and_then(|reply| reply.answer.clone())
                .unwrap_or_else(|| text.to_owned()),
            feedback: told
                .as_ref()
                .map_or_else(String::new, |told| told.feedback.clone()),
            success: told.is_some_and(|told| told.correct),
            truth: self.truth(),
        })
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: u32::try_from(self.state.replies()).unwrap_or(u32::MAX),
            total: None,
            unit: "reply",
        }
    }

    fn get(&self, tool: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Err(ActionError::unknown_tool(tool, &["answer"]))
    }

    fn read_call(&self, _: &str, arguments: &Value) -> Result<TextReply, ActionError> {
        text_argument(arguments)
    }

    fn read_text(&self, text: &str) -> Option<Result<TextReply, ActionError>> {
        Some(Ok(TextReply::text(text)))
    }

    fn feedback_text(&self, (): &()) -> String {
        let text = if self.is_over() {
            "The answer is graded."
        } else {
            "Noted."
        };
        text.to_owned()
    }

    fn feedback_value<'a>(&self, (): &'a ()) -> Option<&'a ()> {
        None
    }
}

impl Question {
    /// The part of `reply` that is graded: where the rules read the whole reply and the agent reasoned first, only the
    /// answer.
    #[must_use]
    pub fn graded_text<'r>(&self, reply: &'r TextReply) -> &'r str {
        match (&reply.text, &reply.answer) {
            (Some(_), Some(answer)) if is_announced(self.task, &self.scoring) => answer,
            // A model that gave nothing to grade gets the grade of an empty reply.
            _ => reply.as_str(),
        }
    }

    /// Its name over all tasks: `finance/FinCode:3`.
    #[must_use]
    pub fn uid(&self) -> String {
        self.task.uid(&self.item.id)
    }
}
