//! Draws tasks: category and domain by a fixed schedule, persona and template at random, repeated
//! until the checks pass.
//!
//! ```text
//!  index ─► schedule: category, domain        (same for every seed)
//!  seed, index ─► attempt 0, 1, 2, ...
//!                   persona   one of the active staff of the domain
//!                   template  kept for 40 attempts
//!                   draft ─► finish: wording, plan, checks ─► TaskSpec
//! ```
//!
//! Invariants:
//!
//! - A task is a function of (company, access rules, configuration, seed, index). Tasks can be
//!   drawn in any order and on any thread, and task 7 is the same whether or not the others are
//!   drawn.
//! - Each of the blocks 0 to 99, 100 to 199, ... has the exact mix of categories and the exact mix
//!   of domains, up to rounding by largest remainder.
//! - A returned task has passed all [`Checks`](super::Checks). Attempts that fail are dropped
//!   silently; a task that cannot be drawn at all is an error ([`DroppedTask`]) and never replaced
//!   by an easier one.

use super::check::{examine, first_person};
use super::draft::{Claim, Ctx, Draft};
use super::templates::{self, Template};
use super::{
    Category, Checks, Difficulty, GoldOutcome, Provenance, Subtask, TaskDomain, TaskSpec,
    Uniqueness, plan,
};
use crate::data::overlay::Overlay;
use crate::data::row::EmployeeNo;
use crate::data::synth::apportion;
use crate::data::synth::phrases::{capital, fill, pair, pick};
use crate::data::tables::TableId;
use crate::data::value::row_no;
use crate::tools::office::Office;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ConfigError, Ranges, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// How tasks are drawn.
///
/// The three shares sum to 1, and each holds exactly in every hundred tasks; they are rounded to millionths. Missing
/// fields take the default; unknown fields are an error.
///
/// ```
/// use enterprise_sandbox::tasks::TaskConfig;
///
/// let config: TaskConfig = serde_json::from_str(
///     r#"{"search": 1, "crud": 0, "unanswerable": 0, "domains": {"hr": 1}, "templates": ["my_salary"]}"#,
/// )?;
/// assert!(config.check().is_ok());
/// let typo = TaskConfig { templates: vec!["my_celery".to_owned()], ..config };
/// assert_eq!(typo.check().unwrap_err().place, "templates");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct TaskConfig {
    /// Share of tasks that look something up (default 0.65, the paper's). It, `crud` and `unanswerable` sum to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub search: f64,
    /// Share of tasks that write something (default 0.30).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub crud: f64,
    /// Share of tasks that cannot be done (default 0.05).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub unanswerable: f64,
    /// Weights of the domains, 0 to 1,000,000 (default 1 each).
    /// Domains that are not named have weight 0.
    pub domains: BTreeMap<TaskDomain, f64>,
    /// Names of the only templates to use (default all).
    /// Every task that is drawn names its template. A category without a template cannot be drawn, so
    /// set its share to 0.
    pub templates: Vec<String>,
    /// Most attempts to draw one task in one domain (default 4,000).
    /// Most attempts end early, at a row that does not suit the template.
    #[schemars(range(min = 1, max = 100_000))]
    pub tries: u32,
    /// Number of different tasks in a run: further episodes play them again, which is what
    /// reliability (pass^k) is measured on (default none: every episode has a task of its own). A runner keeps
    /// all of them in memory (about 15 kB each).
    #[schemars(range(min = 1, max = 10_000))]
    pub pool: Option<u32>,
}

impl Default for TaskConfig {
    fn default() -> Self {
        Self {
            search: 0.65,
            crud: 0.30,
            unanswerable: 0.05,
            domains: TaskDomain::ALL.into_iter().map(|d| (d, 1.0)).collect(),
            templates: Vec::new(),
            tries: 4_000,
            pool: None,
        }
    }
}

impl TaskConfig {
    fn shares(&self) -> [(Category, f64); 3] {
        [
            (Category::Search, self.search),
            (Category::Crud, self.crud),
            (Category::Unanswerable, self.unanswerable),
        ]
    }

    /// Checks shares, weights and names.
    ///
    /// # Errors
    /// Names the field and the allowed values.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        for (domain, weight) in &self.domains {
            ConfigError::check_range(format!("domains.{domain}"), *weight, 0.0, 1e6)?;
        }
        let weights = whole_weights(self.domains.values().copied());
        if weights.iter().all(|n| *n == 0) {
            let message = "at least one weight must be 0.000001 or above";
            return Err(ConfigError::new("domains", message));
        }
        let [search, crud, unanswerable] = [self.search, self.crud, self.unanswerable];
        let sum = search + crud + unanswerable;
        // Scaled to their sum, `unanswerable = 0.5` beside the other defaults would give 34 tasks in a hundred. Three
        // decimals, so that three thirds may be written.
        if (sum - 1.0).abs() > 0.0011 {
            let message = format!(
                "`search`, `crud` and `unanswerable` are shares of all tasks and must sum to 1: {search}, {crud} and \
                 {unanswerable} sum to {}",
                (sum * 1e6).round() / 1e6
            );
            return Err(ConfigError::new("search", message));
        }
        let known = templates::all().count();
        if self.templates.len() > known {
            let message = format!(
                "{} names, there are {known} templates",
                self.templates.len()
            );
            return Err(ConfigError::new("templates", message));
        }
        for name in &self.templates {
            if templates::all().all(|t| t.info.id != name) {
                return Err(ConfigError::new("templates", unknown_template(name)));
            }
        }
        Ok(())
    }
}

/// The message for a template that does not exist, with the names that begin most like it.
fn unknown_template(name: &str) -> String {
    let mut known: Vec<&str> = templates::all().map(|t| t.info.id).collect();
    let alike = |id: &str| {
        id.bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    known.sort_by_key(|id| std::cmp::Reverse(alike(id)));
    let count = known.len();
    known.truncate(4);
    format!(
        "there is no template `{}`; there are {count}, such as {}",
        sim_core::error::clip(name),
        known.join(", ")
    )
}

/// The error for a task that could not be drawn.
///
/// Typical causes are a small company (nobody in the department has a suitable record), one's own
/// policies that forbid what the templates need, or a list of templates without one for this
/// category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {category:?} task of {domain:?} could be drawn in {tries} tries")]
pub struct DroppedTask {
    /// Requested category.
    pub category: Category,
    /// Requested domain.
    pub domain: TaskDomain,
    /// Number of attempts.
    pub tries: u32,
}

/// Tasks are drawn in blocks of this length, each with the exact mix.
const BLOCK: u64 = 100;

/// Share of requests with a greeting or a word of thanks.
const FRAMED: f64 = 0.24;

/// Draws tasks from an office. A task is a function of seed and number, so tasks can be drawn in any
/// order and on several threads.
///
/// ```
/// use enterprise_sandbox::{Config, Spec};
/// use sim_core::Seed;
///
/// let generator = Spec::default().generator(&Config::of(50))?;
/// let (tasks, dropped) = generator.batch(Seed(3), 20);
/// assert_eq!((tasks.len(), dropped.len()), (20, 0));
/// assert!(tasks.iter().all(|task| task.checks.pass()));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    office: Office,
    config: TaskConfig,
    personas: BTreeMap<TaskDomain, Vec<EmployeeNo>>,
}

/// Weights in millionths. Shares are apportioned with whole numbers, so that they are exact.
fn whole_weights(weights: impl Iterator<Item = f64>) -> Vec<u64> {
    weights
        .map(|w| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be between 0 and a million"
            )]
            let whole = (w * 1e6).round() as u64;
            whole
        })
        .collect()
}

impl Generator {
    /// A generator over an office, whose rules must be enforced: otherwise plans would contain calls that
    /// are refused when the task is played.
    ///
    /// # Errors
    /// When the configuration is out of range; names the field.
    pub fn new(office: Office, config: TaskConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let overlay = Overlay::default();
        let view = office.view(&overlay);
        let of = |domain: TaskDomain| -> Vec<EmployeeNo> {
            let departments = domain.departments().iter();
            let staff = departments.flat_map(|d| view.company.index.staff(*d));
            let staff = staff.map(|row| EmployeeNo(*row));
            // The rules forbid everything to people who left: none of their tasks could be done.
            staff
                .filter(|p| view.person(*p).is_some_and(|x| x.active))
                .collect()
        };
        let personas = TaskDomain::ALL.map(|d| (d, of(d))).into();
        Ok(Self {
            office,
            config,
            personas,
        })
    }

    /// The people who make the requests of a domain.
    pub(super) fn personas(&self, domain: TaskDomain) -> &[EmployeeNo] {
        self.personas.get(&domain).map_or(&[], Vec::as_slice)
    }

    /// The office that tasks are drawn from.
    #[must_use]
    pub fn office(&self) -> &Office {
        &self.office
    }

    /// Category and domain of task number `index`: exact shares in every block of a hundred.
    ///
    /// It does not depend on the seed: task 12 of two runs has the same category and domain.
    #[must_use]
    pub fn schedule(&self, index: u64) -> (Category, TaskDomain) {
        // A shuffled list of exact counts instead of independent draws: a run of a hundred tasks has
        // 65, 30 and 5 tasks of each category, and not about so many. The shuffle uses a fixed seed, so
        // two runs with different seeds can be compared task by task.
        // Category and domain are shuffled independently of each other, so every domain gets every
        // category in the long run.
        let (block, place) = (index / BLOCK, usize::try_from(index % BLOCK).unwrap_or(0));
        let plan = |name: &str, counts: &[u64]| -> usize {
            let mut order: Vec<usize> = counts
                .iter()
                .enumerate()
                .flat_map(|(n, count)| std::iter::repeat_n(n, usize::try_from(*count).unwrap_or(0)))
                .collect();
            Seed(0).stream(name, block).shuffle(&mut order);
            order.get(place).copied().unwrap_or(0)
        };
        let shares = self.config.shares();
        let counts = apportion(
            BLOCK,
            &whole_weights(shares.map(|(_, share)| share).into_iter()),
        );
        let category = shares.get(plan("schedule.category", &counts));
        let category = category.map_or(Category::Unanswerable, |(category, _)| *category);
        let counts = apportion(BLOCK, &whole_weights(self.config.domains.values().copied()));
        let n = plan("schedule.domain", &counts);
        let domain = self
            .config
            .domains
            .keys()
            .nth(n)
            .copied()
            .unwrap_or(TaskDomain::Hr);
        (category, domain)
    }

    /// Task number `index` of a seed, of the scheduled category; of another domain when the
    /// scheduled one has none.
    ///
    /// # Errors
    /// When no domain of the configuration has such a task.
    pub fn scheduled(&self, seed: Seed, index: u64) -> Result<TaskSpec, DroppedTask> {
        let (category, first) = self.schedule(index);
        let others = self.domains().filter(|d| *d != first);
        self.of_any(seed, index, category, std::iter::once(first).chain(others))
    }

    /// The domains of the configuration.
    fn domains(&self) -> impl Iterator<Item = TaskDomain> + Clone {
        let weighted = self.config.domains.iter().filter(|(_, w)| **w > 0.0);
        weighted.map(|(domain, _)| *domain)
    }

    /// A task of the first of these domains that has one; else the error of the last.
    fn of_any(
        &self,
        seed: Seed,
        index: u64,
        category: Category,
        domains: impl Iterator<Item = TaskDomain>,
    ) -> Result<TaskSpec, DroppedTask> {
        let mut drawn = Err(DroppedTask {
            category,
            domain: TaskDomain::Hr,
            tries: 0,
        });
        for domain in domains {
            drawn = self.draw(seed, index, category, domain);
            if drawn.is_ok() {
                break;
            }
        }
        drawn
    }

    /// The first `count` tasks of a seed, in the exact mix, with the errors for those that could
    /// not be drawn.
    #[must_use]
    pub fn batch(&self, seed: Seed, count: u64) -> (Vec<TaskSpec>, Vec<DroppedTask>) {
        let (mut tasks, mut dropped) = (Vec::new(), Vec::new());
        for index in 0..count {
            match self.scheduled(seed, index) {
                Ok(task) => tasks.push(task),
                Err(e) => dropped.push(e),
            }
        }
        (tasks, dropped)
    }

    /// The first `count` training tasks: the examples of few-shot prompts. They are drawn from a stream of
    /// their own, so no run plays them, and they are the same for every seed. Categories and domains take
    /// turns.
    ///
    /// # Errors
    /// When there is no such task.
    pub fn examples(&self, count: u32) -> Result<Vec<TaskSpec>, DroppedTask> {
        let shares = self.config.shares().into_iter();
        let categories = shares.filter(|(_, share)| *share > 0.0);
        let categories: Vec<Category> = categories.map(|(category, _)| category).collect();
        let seed = Seed(0).child("training", 0);
        let turns = self.domains().count();
        let example = |n: usize| {
            let category = categories.get(n % categories.len().max(1));
            let category = category.copied().unwrap_or(Category::Search);
            let domains = self.domains().cycle().skip(n % turns.max(1)).take(turns);
            self.of_any(seed, n as u64, category, domains)
        };
        (0..count as usize).map(example).collect()
    }

    /// Draws a task of a category and domain.
    ///
    /// # Errors
    /// When no draft passes its checks within the maximum number of attempts.
    ///
    /// Unlike [`scheduled`](Self::scheduled), it does not fall back to other domains.
    pub fn draw(
        &self,
        seed: Seed,
        index: u64,
        category: Category,
        domain: TaskDomain,
    ) -> Result<TaskSpec, DroppedTask> {
        let wanted = |t: &&Template| {
            t.info.category == category
                && t.info.domains.contains(&domain)
                && (self.config.templates.is_empty()
                    || self.config.templates.iter().any(|n| n == t.info.id))
        };
        let templates: Vec<&'static Template> = templates::all().filter(wanted).collect();
        let weights: Vec<f64> = templates.iter().map(|t| f64::from(t.weight)).collect();
        let personas = self.personas(domain);
        let given_up = DroppedTask {
            category,
            domain,
            tries: self.config.tries,
        };
        if templates.is_empty() || personas.is_empty() {
            return Err(given_up);
        }
        let overlay = Overlay::default();
        let own = seed.child("task", index);
        let coin = own.stream("coin", 0).chance(0.5);
        let mut template = None;
        for attempt in 0..self.config.tries {
            // One stream for each attempt: a change of a template does not move the draws of later
            // attempts.
            let mut s = own.stream("try", u64::from(attempt));
            // A template is kept for many personas, so that rare ones are drawn too.
            // Drawn anew for every attempt, a template that fits one persona in fifty would nearly
            // always lose against one that fits everybody, and its weight would mean nothing.
            if attempt % 40 == 0 {
                template = s.weighted(&weights).and_then(|n| templates.get(n).copied());
            }
            let (Some(template), Some(me)) = (template, s.pick(personas).copied()) else {
                break;
            };
            let view = self.office.view(&overlay);
            let mut c = Ctx {
                office: &self.office,
                view,
                me,
                domain,
                s,
                coin,
            };
            let Some(draft) = plan::draft(&mut c, template.info.id) else {
                continue;
            };
            if let Some(task) = finish(&mut c, template, draft) {
                return Ok(task);
            }
        }
        Err(given_up)
    }
}

/// A phrase with its slots filled; unknown slots stay, and the caller drops such a wording.
fn render(template: &str, slots: &BTreeMap<String, String>) -> String {
    fill(template, |name| {
        slots
            .get(name)
            .cloned()
            .unwrap_or_else(|| format!("{{{name}}}"))
    })
}

/// Wordings of a draft: every phrase with its slots filled.
fn wordings(d: &Draft) -> Vec<String> {
    let ask = |p: &&str| capital(&render(p, &d.slots));
    d.phrases.iter().map(ask).collect()
}

/// Makes a task of a draft: chooses the wording, runs the plan and the checks. `None` if a check fails.
fn finish(c: &mut Ctx<'_>, template: &Template, d: Draft) -> Option<TaskSpec> {
    let all = wordings(&d);
    let chosen = c.s.pick(&all)?.clone();
    let (before, after) = match c.s.chance(FRAMED) {
        true => pair(pick(&mut c.s, "frames")),
        false => ("", ""),
    };
    let instruction = format!("{before}{chosen}{after}");
    // A brace that is left means that a phrase uses a slot that the template did not fill. All
    // wordings are checked, because another one may be chosen later.
    if all
        .iter()
        .any(|w| w.contains(['{', '}']) || !first_person(w))
    {
        return None;
    }
    let category = template.info.category;
    let outcome = examine(c, &d, &instruction, category)?;
    let others = all.into_iter().filter(|w| *w != chosen).collect();
    let kind = (template.info.id, category);
    task_of(c, d, kind, (instruction, others), outcome)
}

/// The task of a draft whose plan was run, with its wording and others; `None` if a check failed.
pub(super) fn task_of(
    c: &Ctx<'_>,
    d: Draft,
    (template, category): (&str, Category),
    (instruction, variants): (String, Vec<String>),
    (gold, checks): (GoldOutcome, Checks),
) -> Option<TaskSpec> {
    if !checks.pass() {
        return None;
    }
    let unique = |claim: &Claim| Uniqueness {
        source: claim.source,
        conditions: claim.conditions.clone(),
        rows: claim
            .rows
            .iter()
            .map(|r| c.view.id(claim.source, *r))
            .collect(),
    };
    let slots: BTreeMap<String, String> = d
        .slots
        .iter()
        // Slots of other wordings would make every rephrasing fail.
        .filter(|(_, v)| instruction.contains(v.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    let subtasks = subtasks(&d)?;
    let depth = depth(&subtasks);
    let row = |(source, row): &(TableId, u32)| Provenance {
        source: *source,
        id: c.view.id(*source, *row),
    };
    let rows: BTreeSet<Provenance> = d.rows.iter().map(row).collect();
    let difficulty = if subtasks.len() < 3 {
        Difficulty::Easy
    } else {
        Difficulty::Hard
    };
    let mut task = TaskSpec {
        id: String::new(),
        domain: c.domain,
        category,
        difficulty,
        persona: c.my_id(),
        variants,
        instruction,
        template: template.to_owned(),
        slots,
        subtasks,
        gold,
        unique: d.claims.iter().map(unique).collect(),
        forbidden: d.forbidden,
        checks,
        provenance: rows.into_iter().collect(),
        depth,
    };
    // The digest of everything else, so that two tasks with the same id are the same task.
    let digest = sim_core::Digest::of(&task).ok()?;
    // The id is empty in the digest, so the digest covers everything but itself.
    task.id = format!("{}-{}-{}", task.domain, task.template, digest.short());
    Some(task)
}

/// The steps of a plan, numbered from 1. The code tools serve three sources; which one follows from the
/// arguments.
fn subtasks(d: &Draft) -> Option<Vec<Subtask>> {
    let number = |n: usize| row_no(n) + 1;
    d.steps
        .iter()
        .enumerate()
        .map(|(n, step)| {
            let tool = crate::tools::find(step.tool)?;
            let kind = step.arguments.get("kind").and_then(Value::as_str);
            let source = match (tool.code, kind) {
                (true, Some("file")) => TableId::Files,
                (true, Some("issue")) => TableId::Issues,
                (true, None) if step.arguments.get("issue_id").is_some() => TableId::Issues,
                (true, None) if step.arguments.get("path").is_some() => TableId::Files,
                _ => tool.source,
            };
            Some(Subtask {
                id: number(n),
                subgoal: step.subgoal.clone(),
                call: row_no(n),
                tool: step.tool.to_owned(),
                source,
                depends_on: step.depends.iter().map(|b| number(*b)).collect(),
                facts: step.facts.clone(),
            })
        })
        .collect()
}

/// Longest chain of dependent steps. A step depends on earlier steps only, so one pass is enough.
fn depth(subtasks: &[Subtask]) -> u32 {
    let mut depths: BTreeMap<u32, u32> = BTreeMap::new();
    for s in subtasks {
        let below = s.depends_on.iter().filter_map(|b| depths.get(b)).max();
        depths.insert(s.id, below.copied().unwrap_or(0) + 1);
    }
    depths.into_values().max().unwrap_or(0)
}
