//! One task with all settings that determine its outcome.
//!
//! An instance can be stored as JSON and opened in another process: the company is made again from
//! its recipe, and the policies in force are compared with the recorded digest. Size about 15 kB,
//! nearly all of it the task with its other wordings.

use crate::access::{AccessConfig, Enforcement};
use crate::config::{Config, PlanHint, SearchKind};
use crate::data::overlay::Overlay;
use crate::data::synth::CompanyConfig;
use crate::data::tables::TableId;
use crate::data::view::CompanyView;
use crate::offices::Offices;
use crate::tasks::{Attempt, FactKind, TaskSpec, right_under};
use crate::tools::ToolSet;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// An example in the prompt: a request, and what was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Who made the request.
    pub persona: String,
    /// The request.
    pub request: String,
    /// Keys and kinds of the facts to report.
    pub asks: Vec<(String, FactKind)>,
    /// The right steps: one call a line, the answer or the refusal last.
    pub steps: String,
}

/// One task to play, with all settings that determine its outcome.
///
/// It holds the recipe of the company, not its rows, so its size does not grow with the company.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The company, as a recipe: equal recipes give equal companies.
    pub company: CompanyConfig,
    /// Digest of an imported company, which must have been registered with the
    /// [`Spec`](crate::Spec) that opens the instance; `company` is not used then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// Access control.
    pub access: AccessConfig,
    /// Digest of the policies in force, so that a task is not played under other rules than those
    /// it was drawn for.
    pub policy_version: String,
    /// Names of the tools.
    /// It does not influence which task is drawn.
    pub surface: ToolSet,
    /// The part of the plan that is shown to the agent.
    pub plan: PlanHint,
    /// Whether useless tools are offered in addition.
    pub distractors: bool,
    /// Whether the access rules are shown to the agent.
    pub show_rules: bool,
    /// Examples that are shown to the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// How the tools find records by a query.
    #[serde(default, skip_serializing_if = "SearchKind::is_default")]
    pub search: SearchKind,
    /// The model that makes the vectors of a search by embedding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
    /// The task, with its gold plan and expected outcome. Agents must not see it.
    pub task: TaskSpec,
}

impl Example {
    fn of(view: &CompanyView<'_>, task: &TaskSpec, enforcement: Enforcement) -> Self {
        let people = TableId::Employees;
        let text = |field| {
            let row = view.find(people, &task.persona);
            row.map_or_else(String::new, |row| view.text(people, row, field))
        };
        Self {
            persona: format!(
                "{} ({}), {}, level {}",
                text("Name"),
                task.persona,
                text("category"),
                text("Level")
            ),
            request: task.instruction.clone(),
            asks: task
                .asks()
                .map(|(key, kind)| (key.to_owned(), kind))
                .collect(),
            steps: right_under(task, enforcement).text(),
        }
    }
}

impl Instance {
    /// The right run: the gold plan and its answer or refusal. It scores 1 under the instance's own
    /// settings.
    ///
    /// Where the access rules are not enforced, a task that cannot be done has a plan without the
    /// writing calls that only the rules would stop.
    ///
    /// ```
    /// use enterprise_sandbox::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
    /// assert!(!instance.right().calls.is_empty());
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn right(&self) -> Attempt {
        right_under(&self.task, self.access.enforcement)
    }

    /// Draws the task of an episode. `episode.index` selects category and domain by a fixed
    /// schedule, in which every hundred tasks have the exact shares of the configuration;
    /// `episode.seed` draws the rest.
    ///
    /// The company is made once and shared: this function, [`OfficeTask::new`](crate::OfficeTask::new)
    /// and [`policies`](crate::policies) keep the last few companies of the process in memory (9 MB
    /// each at 1,260 people, 435 MB at 100,000). A [`Spec`](crate::Spec) has companies of its own,
    /// frees them when it is dropped, and also draws tasks of imported companies.
    ///
    /// # Errors
    /// When a setting is out of range (the error names it), when `config.imported` is set, or when
    /// no such task can be drawn in this company within `config.tasks.tries` attempts.
    ///
    /// ```
    /// use enterprise_sandbox::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let config = Config::of(50);
    /// let one = Instance::generate(&config, Episode::of_run(Seed(7), 0))?;
    /// let other = Instance::generate(&config, Episode::of_run(Seed(7), 1))?;
    /// assert_ne!(one.task.instruction, other.task.instruction);
    /// assert!(one.task.checks.pass());
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        Self::draw(Offices::of_process(), config, episode)
    }

    /// [`generate`](Self::generate) with the companies and rules of `offices`.
    pub(crate) fn draw(
        offices: &Offices,
        config: &Config,
        episode: Episode,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let generator = offices.generator(config)?;
        let task = generator
            .scheduled(episode.seed, episode.index)
            .map_err(|e| ConfigError::new("tasks", e.to_string()))?;
        let examples = generator
            .examples(config.shots)
            .map_err(|e| ConfigError::new("shots", e.to_string()))?;
        let overlay = Overlay::default();
        let view = generator.office().view(&overlay);
        let examples = examples
            .iter()
            .map(|task| Example::of(&view, task, config.access.enforcement));
        Ok(Self {
            company: config.company.clone(),
            imported: config.imported.clone(),
            access: config.access.clone(),
            policy_version: offices.access(&config.access)?.version(),
            surface: config.surface,
            plan: config.plan,
            distractors: config.distractors,
            show_rules: config.show_rules,
            examples: examples.collect(),
            search: config.search,
            embedding_model: config.embedding_model.clone(),
            task,
        })
    }
}
