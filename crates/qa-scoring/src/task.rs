//! The tasks: their files, numbers of items and scoring.
//!
//! Three families. *Knowledge* (BizCompass): four domains times four question types. *Application*
//! (BizCompass): 21 tasks of analysts, traders and consultants. *Finance*: the ten structured sets
//! of the enterprise benchmark.

mod application;
mod finance;
mod knowledge;

pub use application::Application;
pub use finance::Finance;
pub use knowledge::{Domain, QuestionType};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use strum::VariantArray;

/// One task of one of the three families.
///
/// Its name is `knowledge/fin/single`, `application/AP_A` or `finance/FinCode`; the last part alone
/// is read too where it is unambiguous.
///
/// ```
/// use qa_scoring::{Metric, Task};
/// let task: Task = "FRM".parse()?;
/// assert_eq!(task.to_string(), "application/FRM");
/// assert_eq!(task.metric(), Metric::Letter);
/// assert_eq!(Task::all().count(), 16 + 21 + 10);
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// A question type of a BizCompass domain.
    Knowledge(Domain, QuestionType),
    /// An application task of BizCompass.
    Application(Application),
    /// A structured set of the enterprise benchmark.
    Finance(Finance),
}

/// The scoring of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metric {
    /// One option letter: accuracy.
    Letter,
    /// A set of option letters: exact match, and F1 in addition.
    LetterSet,
    /// One label of a closed set, given in lower case: accuracy and balanced accuracy.
    Label(&'static [&'static str]),
    /// Free text against a reference: the mean of ROUGE-1, ROUGE-2 and ROUGE-L.
    Rouge,
    /// Free text scored 0 to 5 by a judge.
    Judged,
    /// Right or wrong as decided by a judge, with a companion rule that needs no judge.
    JudgedLabel(Companion),
    /// A program, or the number that it computes, within 1 %.
    Program,
    /// A number or a span copied from the context.
    Quantity,
    /// One option given as its place, counted from 0.
    Choice,
    /// A list of tags, place by place.
    Tags,
    /// A plain number, exactly.
    Formula,
    /// The body of a function, by running it.
    Completion,
}

/// The rule whose figure is printed next to a judge's percentage, and instead of it without a
/// judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Companion {
    /// A number within 1 %, or yes or no.
    Number,
    /// Exact match and F1 of the TAT-QA evaluator.
    Spans,
    /// F1 over lines "entity, TYPE".
    Entities,
    /// F1 over lines "token:TAG" that carry a tag other than O.
    TokenTags,
}

/// The kind of a task's figure, for sums over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum MetricFamily {
    /// Per cent right.
    Accuracy,
    /// Per cent ROUGE.
    Rouge,
    /// Per cent right as decided by a judge.
    JudgedLabel,
    /// A judge's mean, 0 to 5.
    JudgedScore,
}

impl MetricFamily {
    /// The figure of a perfect answer in the unit of tables: 5 for judged scores, else 100 per cent.
    #[must_use]
    pub fn full(self) -> f64 {
        match self {
            Self::JudgedScore => 5.0,
            Self::Accuracy | Self::Rouge | Self::JudgedLabel => 100.0,
        }
    }

    /// Number of application tasks of the family: 8, 3, 4 and 6, as the heads of Table 3 say.
    #[must_use]
    pub fn application_tasks(self) -> usize {
        let of = |task: &Application| Task::Application(*task).family() == self;
        Application::VARIANTS.iter().filter(|task| of(task)).count()
    }
}

impl Task {
    /// Every task.
    pub fn all() -> impl Iterator<Item = Self> {
        let knowledge = Domain::ALL
            .into_iter()
            .flat_map(|d| QuestionType::ALL.map(|q| Self::Knowledge(d, q)));
        knowledge
            .chain(Application::VARIANTS.iter().copied().map(Self::Application))
            .chain(Finance::VARIANTS.iter().copied().map(Self::Finance))
    }

    /// Its scoring.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::Knowledge(_, QuestionType::Single) => Metric::Letter,
            Self::Knowledge(_, QuestionType::Multiple) => Metric::LetterSet,
            Self::Knowledge(_, QuestionType::General | QuestionType::Table) => Metric::Judged,
            Self::Application(task) => task.metric(),
            Self::Finance(task) => task.metric(),
        }
    }

    /// The kind of its figure.
    #[must_use]
    pub fn family(self) -> MetricFamily {
        match self.metric() {
            Metric::Rouge => MetricFamily::Rouge,
            Metric::Judged => MetricFamily::JudgedScore,
            Metric::JudgedLabel(_) => MetricFamily::JudgedLabel,
            _ => MetricFamily::Accuracy,
        }
    }

    /// Number of items in the published file, for finance sets in the test split; `None` for the two
    /// knowledge files that the repository does not hold (OM and Stat General QA).
    #[must_use]
    pub fn items(self) -> Option<usize> {
        match self {
            Self::Knowledge(domain, kind) => knowledge::items(domain, kind),
            Self::Application(task) => Some(task.items()),
            Self::Finance(task) => Some(task.items()),
        }
    }

    /// Weight of the task in sums over tasks \[items\]: the published number of items, except for
    /// TATQA, whose weight of 336 is the value with which Table 3 of the paper is reproduced.
    #[must_use]
    pub fn weight(self) -> Option<usize> {
        match self {
            Self::Application(Application::TatQa) => Some(336),
            other => other.items(),
        }
    }

    /// Path of the file inside the published repository, where there is one.
    #[must_use]
    pub fn file(self) -> Option<String> {
        match self {
            Self::Knowledge(domain, kind) => Some(format!(
                "Dataset/{}/{}/questions.json",
                domain.folder(),
                kind.folder()
            )),
            Self::Application(task) => Some(format!("Dataset/Actual_Task/{}", task.file())),
            Self::Finance(_) => None,
        }
    }

    /// The task of a path: by the folders of the published repository, in any location; else by the
    /// file's name, a task's own (`FPB.json`, `om_single.json`) or one that begins or ends with a
    /// finance set's (`codefinqa_test.jsonl`, `ace_formula_test.jsonl`).
    ///
    /// The repository has SD_Trader twice, once under its role and once under its own name.
    ///
    /// ```
    /// use qa_scoring::Task;
    /// let task = |path| Task::of_path(path).map(|task| task.to_string());
    /// assert_eq!(task("x/Dataset/Fin/Table QA/questions.json").as_deref(), Some("knowledge/fin/table"));
    /// assert_eq!(task("data/tat_qa_test.jsonl").as_deref(), Some("finance/TAT-QA"));
    /// assert_eq!(task("data/test_FinCode.jsonl").as_deref(), Some("finance/FinCode"));
    /// assert_eq!(task("data/notes.json"), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.replace('\\', "/");
        let published =
            Self::all().find(|task| task.file().is_some_and(|file| path.ends_with(&file)));
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name
            .strip_suffix(".jsonl")
            .or_else(|| name.strip_suffix(".json"))?;
        let plain = |text: &str| -> String {
            text.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_lowercase()
        };
        let named = |task: &Self| {
            // The name of a file cannot hold the stroke of `om/single`.
            let own = task.short_name().replace('/', "_");
            own.eq_ignore_ascii_case(stem)
        };
        let own = Self::all().find(named);
        let stem = plain(stem);
        let aliased = match stem.as_str() {
            "sdtrader" => Some(Self::Application(Application::SdTrader)),
            "pmconsultant" => Some(Self::Application(Application::PmConsultant)),
            _ => None,
        };
        let around = || {
            let mut sets: Vec<(&str, Finance)> = Finance::VARIANTS
                .iter()
                .map(|set| (set.into(), *set))
                .collect();
            // The longest name first: FormulaEval before formula, CodeTAT-QA before TAT-QA.
            sets.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
            sets.into_iter()
                .find(|(name, _)| {
                    let name = plain(name);
                    // Else `aceformulatest` would neither begin nor end with the name of its set.
                    let words = stem.strip_prefix("ace").unwrap_or(&stem);
                    words.starts_with(&name) || words.ends_with(&name)
                })
                .map(|(_, set)| Self::Finance(set))
        };
        // The folders first: all knowledge files have the name `questions.json`.
        published.or(own).or(aliased).or_else(around)
    }

    /// The name of its item `id` over all tasks: `finance/FinCode:3`.
    #[must_use]
    pub fn uid(self, id: &str) -> String {
        format!("{self}:{id}")
    }

    /// Its name without the family: `fin/single`, `FRM`, `FinCode`.
    #[must_use]
    pub fn short_name(self) -> String {
        match self {
            Self::Knowledge(domain, kind) => format!("{domain}/{kind}"),
            Self::Application(task) => task.column().to_owned(),
            Self::Finance(task) => task.to_string(),
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self {
            Self::Knowledge(..) => "knowledge",
            Self::Application(_) => "application",
            Self::Finance(_) => "finance",
        };
        write!(f, "{family}/{}", self.short_name())
    }
}

/// The error for a name that is not that of exactly one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTask {
    /// The name that was asked for.
    pub name: String,
    /// The tasks of which it is one part of the name, such as those of `single`.
    pub matches: Vec<Task>,
}

impl fmt::Display for UnknownTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, matches } = self;
        if matches.is_empty() {
            return write!(
                f,
                "there is no task `{name}`; tasks are written like knowledge/fin/single, \
                 application/FRM or finance/FinCode"
            );
        }
        let names: Vec<String> = matches.iter().map(Task::to_string).collect();
        write!(
            f,
            "`{name}` is part of the names of several tasks; name those you mean: {}",
            names.join(",")
        )
    }
}

impl std::error::Error for UnknownTask {}

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let wanted = name.trim();
        let same = |text: String| text.eq_ignore_ascii_case(wanted);
        let mut by_short = Self::all().filter(|task| same(task.short_name()));
        let parts = |task: &Self| {
            let full = task.to_string();
            let mut parts = full.split('/');
            parts.any(|part| part.eq_ignore_ascii_case(wanted))
        };
        Self::all()
            .find(|task| same(task.to_string()))
            .or_else(|| by_short.next().filter(|_| by_short.next().is_none()))
            .ok_or_else(|| UnknownTask {
                name: sim_core::error::clip(name),
                matches: Self::all().filter(parts).collect(),
            })
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_weights_sum_to_the_published_total() {
        for task in Task::all() {
            assert_eq!(task.to_string().parse::<Task>().unwrap(), task);
        }
        let total: usize = Application::VARIANTS
            .iter()
            .filter_map(|&a| Task::Application(a).weight())
            .sum();
        assert_eq!(total, 8_449);
        let finance: usize = Finance::VARIANTS.iter().map(|t| t.items()).sum();
        assert_eq!(finance, 4_655);
        // "TAT-QA" is a finance set, "TATQA" an application column.
        assert_eq!(
            "tat-qa".parse::<Task>().unwrap(),
            Task::Finance(Finance::TatQa)
        );
        assert!("FinQA".parse::<Task>().is_ok());
        assert_eq!("poetry".parse::<Task>().unwrap_err().matches, []);
        let several = "Single".parse::<Task>().unwrap_err();
        assert_eq!(several.matches.len(), 4);
        for task in &several.matches {
            assert!(several.to_string().contains(&task.to_string()), "{several}");
        }
    }
}
