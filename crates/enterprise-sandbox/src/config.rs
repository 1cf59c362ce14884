//! Settings of a run: the company, its access rules, its tasks, and what the agent is given.
//!
//! ```text
//!  Config ─┬─ company: CompanyConfig   who works there, how much data, which defects
//!          ├─ access: AccessConfig     which rules, whether they are enforced
//!          ├─ tasks: TaskConfig        which tasks
//!          ├─ surface, plan, distractors, show_rules, shots   what the agent is given
//!          └─ search, embedding_model                         how tools find records
//! ```
//!
//! `surface`, `plan`, `distractors`, `show_rules`, `shots`, `search` and `access.enforcement` are
//! ablations: they change what an agent sees or may do, and leave the tasks as they are, so runs with different
//! values can be compared task by task.

use crate::access::{Access, AccessConfig, EngineKind};
use crate::data::synth::CompanyConfig;
use crate::tasks::TaskConfig;
use crate::tools::ToolSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::error::clip;
use sim_core::{ConfigError, Preset, Ranges};

/// How much of the plan the agent is told (the paper's gold planning, in three strengths; never
/// arguments or answers).
///
/// The paper's best result is 0.41 with the strategy ReAct and 0.63 with the gold plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanHint {
    /// Nothing (default).
    #[default]
    None,
    /// The subgoals, in no order.
    Subgoals,
    /// The subgoals with the tool of each.
    Tools,
    /// The subgoals with their tools, in order, with what depends on what.
    Order,
}

/// How the tools find records by a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// By shared words, ranked by BM25 (default).
    #[default]
    Bm25,
    /// By the similarity of vectors that a model makes of the texts; the twenty nearest records are
    /// found.
    Embedding,
}

impl SearchKind {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Longest name of a model \[bytes\].
const LONGEST_MODEL: usize = 200;

/// Settings: the company, its rules, its tasks, and what the agent is given. The default has the paper's
/// head-count and mix of tasks.
///
/// ```
/// use enterprise_sandbox::Config;
/// use enterprise_sandbox::config::PlanHint;
///
/// let config = Config { plan: PlanHint::Tools, ..Config::of(200) };
/// config.check()?;
/// assert_eq!(Config::of(3).check().unwrap_err().place, "company.employees");
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The company to make (default 1,260 people).
    pub company: CompanyConfig,
    /// Digest of an imported company that was registered with the environment's spec, in
    /// place of a made one.
    pub imported: Option<String>,
    /// Access control.
    pub access: AccessConfig,
    /// Which tasks.
    pub tasks: TaskConfig,
    /// Names of the tools (default `compact`).
    pub surface: ToolSet,
    /// How much of the plan is told (default nothing).
    pub plan: PlanHint,
    /// Whether twelve useless tools are offered as well (default false).
    pub distractors: bool,
    /// Whether the access rules are told in words (default false).
    pub show_rules: bool,
    /// Number of examples in the prompt (default 0): requests with the steps and the end that
    /// were right. They are training tasks, which no run plays; the paper gives two.
    #[schemars(range(min = 0, max = 20))]
    pub shots: u32,
    /// How the tools find records by a query (default `bm25`).
    pub search: SearchKind,
    /// With `search` = `embedding`: the model that makes the vectors.
    pub embedding_model: Option<String>,
}

impl Config {
    /// The settings of the paper with a company of `employees` people, 50 to 100,000.
    #[must_use]
    pub fn of(employees: u32) -> Self {
        Self {
            company: CompanyConfig {
                employees,
                ..CompanyConfig::default()
            },
            ..Self::default()
        }
    }

    /// The preset called `name` (`paper`, `small` or `large`); `None` when there is no such preset.
    ///
    /// ```
    /// use enterprise_sandbox::Config;
    ///
    /// let small = Config::preset("small").ok_or("no such preset")?;
    /// assert_eq!(small.company.employees, 50);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Preset::find(Self::presets(), name)
    }

    /// All presets, the default first.
    #[must_use]
    pub fn presets() -> Vec<Preset<Self>> {
        vec![
            Preset::new(
                "paper",
                "1,260 people, as published: 65% search, 30% CRUD, 5% unanswerable",
                Self::default(),
            ),
            Preset::new("small", "50 people", Self::of(50)),
            Preset::new("large", "10,000 people", Self::of(10_000)),
        ]
    }

    /// Checks all ranges. Policies of the caller's own are parsed and checked against the schema; the
    /// standard ones are known to be right. Settings that need Cedar are refused without the feature `cedar`.
    ///
    /// # Errors
    /// Names the first field at fault and its valid range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.company.check().map_err(|e| e.within("company"))?;
        self.tasks.check().map_err(|e| e.within("tasks"))?;
        self.check_ranges()?;
        // With another set a model would learn names that it is not offered.
        if self.shots > 0 && self.surface != ToolSet::Compact {
            let message =
                "the examples use the names of the tool set `compact`; set surface=compact";
            return Err(ConfigError::new("shots", message));
        }
        let named = self
            .embedding_model
            .as_deref()
            .map(|name| name.trim().len());
        match (self.search, named) {
            (SearchKind::Embedding, Some(1..=LONGEST_MODEL)) | (SearchKind::Bm25, None) => {}
            (SearchKind::Embedding, _) => {
                let message = format!(
                    "search = embedding needs the name of a model, of at most {LONGEST_MODEL} characters"
                );
                return Err(ConfigError::new("embedding_model", message));
            }
            (SearchKind::Bm25, Some(_)) => {
                let message = "a model is for search = embedding only";
                return Err(ConfigError::new("embedding_model", message));
            }
        }
        // Last, because parsing policies costs more than all other checks.
        if self.access.policies.is_some() || self.access.engine == EngineKind::Cedar {
            let access = Access::new(self.access.clone()).map_err(|e| e.within("access"))?;
            let rules = access.rules();
            let wordless = rules.iter().find(|rule| rule.reason.trim().is_empty());
            if let Some(rule) = wordless.filter(|_| self.show_rules) {
                let message = format!(
                    "show_rules tells a rule by its @reason, and the policy `{}` has none",
                    clip(&rule.id)
                );
                return Err(ConfigError::new("access.policies", message));
            }
        }
        Ok(())
    }
}
