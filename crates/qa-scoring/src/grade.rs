//! Grades one answer to one item under a profile.
//!
//! [`Grader::grade`] never fails: a missing answer, an error of the provider, code that cannot be
//! run and an unreadable judge are separate outcomes and are counted apart from wrong answers.
//!
//! | outcome | value | counted |
//! |---|---|---|
//! | `right`, `wrong`, `graded` | 1, 0, between | yes |
//! | `no_answer`, `provider_error`, `missing` | 0 | yes, as wrong (but the profile `authors` leaves an empty and a missing reply to a knowledge question out, and in a report without a judge none is counted beside an `unscored` one) |
//! | `unsupported` | 0 | yes, and apart in `accuracy_supported` |
//! | `unscored`, `no_gold` | none | no |

mod choice;
mod numeric;
mod written;

use crate::item::{Gold, Item};
use crate::judge::{Judge, Verdict};
use crate::letters::LetterSet;
use crate::load::is_provider_error;
use crate::metric::LineCounts;
use crate::profile::Profile;
use crate::rouge::{Rouge, RougeScores, Stemming};
use crate::rules::tags::TagCounts;
use crate::snippet::SnippetRunner;
use crate::task::{Metric, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;

/// The outcome of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum AnswerOutcome {
    // In the order in which a report lists them.
    /// Right.
    Right,
    /// Wrong.
    Wrong,
    /// Given a value between wrong and right.
    Graded,
    /// The reply holds no answer; counts as wrong.
    NoAnswer,
    /// The reply is an error of the provider; counts as wrong.
    ProviderError,
    /// There is no reply; counts as wrong.
    Missing,
    /// The code of the reply cannot be run here. Counts as wrong in the accuracy
    /// over all items and is left out of the accuracy over those that could be run.
    Unsupported,
    /// The judge's reply could not be read, or there is no judge; not counted.
    Unscored,
    /// The item has no right answer; not counted.
    NoGold,
}

/// Details of an answer, for figures over many items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Detail {
    /// Letters, right and given.
    Letters {
        /// The right ones.
        right: LetterSet,
        /// The given ones, empty without an answer.
        given: LetterSet,
    },
    /// Labels in lower case, right and given.
    Label {
        /// The right one.
        right: String,
        /// The given one; absent without an answer.
        given: Option<String>,
    },
    /// Places of a list.
    Tags(TagCounts),
    /// Lines in common.
    Lines(LineCounts),
    /// ROUGE.
    Rouge(RougeScores),
    /// Exact match and F1 of spans.
    Spans {
        /// Exact match, 0 or 1.
        exact: f64,
        /// F1.
        f1: f64,
    },
    /// A number, with whether it is within 1 %.
    Number {
        /// The number as read; absent without one.
        given: Option<f64>,
        /// Whether it is within 1 % of the right one.
        within_one_per_cent: bool,
    },
    /// What the judges said.
    Judged(Verdict),
}

/// The grade of one answer.
///
/// Made by [`Grader::grade`]; stored in records of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// Its outcome.
    pub outcome: AnswerOutcome,
    /// Its contribution to the mean: 0 to 1, or 0 to 5 if a judge scores; absent if it is not
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The answer as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// Whether the flexible rule, which takes the last number of the reply, would find it right; absent where the right
    /// answer is not a number, and under rules that do not read numbers strictly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flexible: Option<bool>,
    /// Details for figures over many items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// A note for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Grade {
    pub(crate) fn of(outcome: AnswerOutcome, value: impl Into<Option<f64>>) -> Self {
        Self {
            outcome,
            value: value.into(),
            read: None,
            flexible: None,
            detail: None,
            note: None,
        }
    }

    pub(crate) fn verdict(right: bool) -> Self {
        if right {
            Self::of(AnswerOutcome::Right, 1.0)
        } else {
            Self::of(AnswerOutcome::Wrong, 0.0)
        }
    }

    /// There is no right answer.
    pub(crate) fn no_gold() -> Self {
        Self::of(AnswerOutcome::NoGold, None)
    }

    /// Right if the sets are equal; an empty set is not an answer.
    pub(crate) fn letters(right: LetterSet, given: LetterSet) -> Self {
        let grade = Self::verdict(right == given).detail(Detail::Letters { right, given });
        if given.is_empty() {
            grade.without_answer()
        } else {
            grade.read(given.to_string())
        }
    }

    pub(crate) fn read(mut self, answer: impl Into<String>) -> Self {
        self.read = Some(answer.into());
        self
    }

    pub(crate) fn flexible(mut self, right: Option<bool>) -> Self {
        self.flexible = right;
        self
    }

    pub(crate) fn detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Turns a wrong grade into one for a missing answer.
    pub(crate) fn without_answer(mut self) -> Self {
        // A right grade stays: an answer was there, however little of it was read.
        if self.outcome == AnswerOutcome::Wrong {
            self.outcome = AnswerOutcome::NoAnswer;
        }
        self
    }
}

/// The form of the replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReplyForm {
    /// The whole reply of the model. The default.
    #[default]
    Full,
    /// The answer only, already extracted: the profile `authors` then skips its own extraction.
    Answer,
}

/// Settings of the grader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The rules (default: strict).
    #[serde(default)]
    pub profile: Profile,
    /// Whether ROUGE uses stemming (default: no).
    #[serde(default)]
    pub stemming: Stemming,
    /// Whether per cent signs and scale words of numbers are also applied, so that 12.5 % is right for 0.125 (default:
    /// no).
    #[serde(default)]
    pub lenient: bool,
    /// Number of judges for each answer (default: 1).
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    pub judges: u32,
    /// The form of the replies (default: full).
    #[serde(default)]
    pub form: ReplyForm,
    /// How option letters are read (default: as the profile says).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letters: Option<LetterReading>,
    /// How lists of tags are compared (default: as the profile says).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<TagRule>,
    /// Whether ROUGE-Lsum is computed as well (default: no).
    #[serde(default, skip_serializing_if = "is_false")]
    pub lsum: bool,
    /// Whether reports have confidence intervals (default: yes). They take longer than grading
    /// short answers.
    #[serde(default = "yes")]
    pub intervals: bool,
}

/// How option letters are read from a reply to a BizCompass question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum LetterReading {
    /// An explicit final answer takes precedence over mentions ([`letters`](crate::extract::letters)).
    Strict,
    /// BizCompass's evaluator: the first of A to D anywhere in the upper-cased reply, so that
    /// "Answer: B" is read as A ([`evaluator_letter`](crate::extract::published::evaluator_letter)).
    Published,
    /// BizCompass's inference over an API: the first capital A to D anywhere
    /// ([`api_letter`](crate::extract::published::api_letter)).
    Api,
    /// BizCompass's inference on local models: capitals A to D that stand alone; one letter is asked
    /// for: the first; several: all of them
    /// ([`local_letters`](crate::extract::published::local_letters)).
    Local,
}

/// How a list of tags is compared with the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum TagRule {
    /// Ours ([`strict`](crate::rules::tags::strict)).
    Strict,
    /// EnterpriseBench's code ([`authors`](crate::rules::tags::authors)).
    Firm,
    /// ACE's code, where the set comes from ([`ace`](crate::rules::tags::ace)).
    Ace,
}

fn yes() -> bool {
    true
}

/// Whether a setting is off, its default, so that it need not be stored.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_false(setting: &bool) -> bool {
    !setting
}

fn one() -> u32 {
    1
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: Profile::Strict,
            stemming: Stemming::Off,
            lenient: false,
            judges: 1,
            form: ReplyForm::Full,
            letters: None,
            tags: None,
            lsum: false,
            intervals: true,
        }
    }
}

/// Grades answers, with a runner for code and a judge where there are any.
///
/// ```
/// use qa_scoring::{Gold, Grader, Item, AnswerOutcome, Settings, Task};
/// let item = Item::new("1", "Rates?", Gold::Text("dovish".into()));
/// let task: Task = "FOMC".parse()?;
/// let grade = Grader::new(Settings::default()).grade(task, &item, Some("**Dovish.**"));
/// assert_eq!(grade.outcome, AnswerOutcome::Right);
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
pub struct Grader<'a> {
    settings: Settings,
    rouge: Rouge,
    runner: Option<&'a mut dyn SnippetRunner>,
    judge: Option<&'a mut dyn Judge>,
}

impl std::fmt::Debug for Grader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grader")
            .field("settings", &self.settings)
            .field("runner", &self.runner.is_some())
            .field("judge", &self.judge.is_some())
            .finish_non_exhaustive()
    }
}

impl<'a> Grader<'a> {
    /// A grader that runs no code and asks no judge.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            // One for all answers: it keeps its tables from one text to the next.
            rouge: Rouge::new(settings.stemming),
            settings,
            runner: None,
            judge: None,
        }
    }

    /// The same with a runner for code.
    #[must_use]
    pub fn with_runner(mut self, runner: &'a mut dyn SnippetRunner) -> Self {
        self.runner = Some(runner);
        self
    }

    /// The same with a judge.
    #[must_use]
    pub fn with_judge(mut self, judge: &'a mut dyn Judge) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether it has a judge.
    #[must_use]
    pub fn has_judge(&self) -> bool {
        self.judge.is_some()
    }

    /// Grades a reply; `None` for none.
    ///
    /// The metric of the task chooses the rule, the profile its variant. A code task runs code only with a runner, a judged task
    /// asks only with a judge; without them the outcomes are `unsupported` and `unscored`, or the companion rule decides.
    pub fn grade(&mut self, task: Task, item: &Item, reply: Option<&str>) -> Grade {
        let Some(reply) = reply else {
            return self.without_reply(task, item, AnswerOutcome::Missing);
        };
        // A blank reply is a reply: what the model did not say and what the file does not have are
        // counted apart.
        if reply.trim().is_empty() {
            return self.without_reply(task, item, AnswerOutcome::NoAnswer);
        }
        // Before the rules: the text of an error may well hold a letter or a number.
        if is_provider_error(reply) {
            return self.empty(task, item, AnswerOutcome::ProviderError);
        }
        match task.metric() {
            Metric::Letter => choice::letter(&self.settings, item, reply),
            Metric::LetterSet => choice::letter_set(&self.settings, item, reply),
            Metric::Choice => {
                let reply = self.answer_of(reply);
                choice::option(self.settings.profile, item, &reply)
            }
            Metric::Label(labels) => choice::label(self.settings.profile, labels, item, reply),
            Metric::Program => numeric::program(self, item, reply),
            Metric::Quantity => numeric::quantity(self, item, reply),
            Metric::Formula => numeric::formula(self, item, reply),
            Metric::Tags => numeric::tags(self, item, reply),
            Metric::Completion => numeric::completion(self, item, reply),
            Metric::Rouge => written::rouge(self, item, reply),
            Metric::Judged => written::judged(self, item, reply),
            Metric::JudgedLabel(companion) => written::judged_label(self, companion, item, reply),
        }
    }

    /// The grade of an item whose reply is an error of the provider.
    pub(crate) fn provider_error(&self, task: Task, item: &Item) -> Grade {
        self.empty(task, item, AnswerOutcome::ProviderError)
    }

    /// The grade of an item whose reply is empty or missing.
    fn without_reply(&self, task: Task, item: &Item, outcome: AnswerOutcome) -> Grade {
        let grade = self.empty(task, item, outcome);
        let published =
            self.settings.profile == Profile::Authors && matches!(task, Task::Knowledge(..));
        if !published || grade.value.is_none() {
            return grade;
        }
        // The published evaluation removes records with an empty answer before it counts.
        Grade::of(outcome, None).note("left out of the count by the published evaluation")
    }

    /// The grade of an item without a usable reply, with the empty details that sums over items
    /// need.
    fn empty(&self, task: Task, item: &Item, outcome: AnswerOutcome) -> Grade {
        // Whether an item counts depends on the item and the rules, never on the reply.
        let counted = item.gold != Gold::Absent
            || task.metric() == Metric::Rouge
                && written::counts_without_gold(self.settings.profile);
        if !counted {
            return Grade::no_gold();
        }
        let mut grade = Grade::of(outcome, 0.0);
        grade.detail =
            match (task.metric(), &item.gold) {
                (Metric::Letter | Metric::LetterSet | Metric::Choice, Gold::Letters(right)) => {
                    Some(Detail::Letters {
                        right: *right,
                        given: LetterSet::EMPTY,
                    })
                }
                (Metric::Label(_), Gold::Text(right)) => Some(Detail::Label {
                    right: crate::extract::plain_label(right),
                    given: None,
                }),
                (Metric::Tags, Gold::Text(right)) => {
                    // Of an empty reply all rules count the same: no hits, and the places of the
                    // right list.
                    Some(Detail::Tags(crate::rules::tags::strict("", right)))
                }
                (Metric::Rouge, _) => Some(Detail::Rouge(written::no_overlap(&self.settings))),
                (Metric::JudgedLabel(companion), Gold::Text(right)) => Some(
                    written::companion_detail(companion, &self.settings, item, right, ""),
                ),
                _ => None,
            };
        grade
    }

    /// The part of the reply that the profile's rules read.
    fn answer_of(&self, reply: &str) -> String {
        if self.settings.profile == Profile::Authors && self.settings.form == ReplyForm::Full {
            crate::extract::final_answer(reply)
        } else {
            reply.to_owned()
        }
    }
}
