//! Runs of one environment from a program of one's own, with its own agent.
//!
//! ```no_run
//! use beer_game::Action;
//! use run_engine::EpisodeRun;
//!
//! let run = EpisodeRun::of(beer_game::Spec)
//!     .episodes(20)
//!     .seed(7)
//!     .decide("base-stock", |seen| {
//!         Action::nearest(1_000.0 - seen.inventory + seen.backlog - seen.on_order, seen.largest_order)
//!     });
//! println!("{}", run.play_in("runs/base-stock".as_ref())?.summary);
//! println!("{}", run.verify("runs/base-stock".as_ref())?);
//! # Ok::<(), run_engine::RunError>(())
//! ```

use crate::engine::episode::EpisodeRunner;
use crate::engine::execute::{RunOptions, play_all};
use crate::engine::finished::Finished;
use crate::error::RunError;
use crate::files::run_file;
use crate::plan::agent::{AgentSpec, OWN, OwnAgent};
use crate::plan::model::RunBudget;
use crate::plan::source::InstanceSource;
use crate::plan::{Plan, RunRequest};
use crate::registry::Registry;
use crate::run_dir::Folder;
use crate::run_dir::manifest::MANIFEST;
use crate::run_dir::outcome::Verified;
use serde_json::Value;
use sim_core::dyn_spec::untyped_policy;
use sim_core::{Effort, Environment, EnvironmentSpec, Limits, Policy, Seat, Seed};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Longest name of an own agent \[characters\].
const LONGEST_NAME: usize = 100;

type ObservationOf<S> = <<S as EnvironmentSpec>::Env as Environment>::Observation;
type ActionOf<S> = <<S as EnvironmentSpec>::Env as Environment>::Action;

/// A run of episodes of one environment. Unless said otherwise, the first preset is played by its
/// policy `random`, each distinct instance once or 100 drawn ones, with seed 0.
#[derive(Debug)]
pub struct EpisodeRun<S> {
    registry: Registry,
    request: RunRequest,
    own: Option<OwnAgent>,
    spec: PhantomData<fn() -> S>,
}

impl<S: EnvironmentSpec> EpisodeRun<S> {
    /// A run of the environment `spec`.
    #[must_use]
    pub fn of(spec: S) -> Self {
        Self {
            registry: Registry::new().with(spec),
            request: RunRequest {
                environment: S::ABOUT.name.to_owned(),
                agent: "random".to_owned(),
                ..RunRequest::default()
            },
            own: None,
            spec: PhantomData,
        }
    }

    /// Plays this preset.
    #[must_use]
    pub fn preset(mut self, name: &str) -> Self {
        self.request.preset = Some(name.to_owned());
        self
    }

    /// Replaces a setting of the preset: dotted path (`cost.backlog`) and value.
    #[must_use]
    pub fn set(mut self, path: &str, value: impl Into<Value>) -> Self {
        self.request.settings.push((path.to_owned(), value.into()));
        self
    }

    /// Plays this many episodes, 1 to 10,000,000.
    #[must_use]
    pub fn episodes(mut self, count: u64) -> Self {
        self.request.episodes = Some(count);
        self
    }

    /// Draws instances and the chance of agents from this seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.seed = Seed(seed);
        self
    }

    /// Gives an agent these limits on queries and tries in a period.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.request.limits = limits;
        self
    }

    /// Allows this much work for the references.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.request.effort = effort;
        self
    }

    /// Lets a policy of the environment play (`order-up-to`, `constant:400`), or a script
    /// (`script:FILE`).
    #[must_use]
    pub fn policy(mut self, name: &str) -> Self {
        name.clone_into(&mut self.request.agent);
        self.own = None;
        self
    }

    /// Lets `decide` play every seat: it gets what the seat in turn sees and returns the action.
    /// `name` stands in the records as `own:NAME`.
    #[must_use]
    pub fn decide<F>(self, name: &str, decide: F) -> Self
    where
        F: Fn(&ObservationOf<S>) -> ActionOf<S> + Send + Sync + 'static,
    {
        let decide = Arc::new(decide);
        self.agent(name, move |_, _| Decide(Arc::clone(&decide)))
    }

    /// Lets the policy that `make` returns play a seat of an episode; the seed is for its chance.
    /// Each seat of each episode gets a policy of its own. `name` stands in the records as `own:NAME`.
    #[must_use]
    pub fn agent<P, F>(mut self, name: &str, make: F) -> Self
    where
        P: Policy<S::Env> + 'static,
        F: Fn(&Seat, Seed) -> P + Send + Sync + 'static,
    {
        self.request.agent = format!("{OWN}:{name}");
        self.own = Some(OwnAgent::new(move |seat: &Seat, seed: Seed| {
            untyped_policy::<S>(Box::new(make(seat, seed)))
        }));
        self
    }

    /// The plan, with every choice made.
    ///
    /// # Errors
    /// Names what does not exist, does not fit or lies outside its range.
    pub fn plan(&self) -> Result<Plan, RunError> {
        if let Some(name) = self.request.agent.strip_prefix(&format!("{OWN}:")) {
            // The name stands in records and in lines for people, which it must not break.
            let length = name.chars().count();
            if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
                return Err(RunError::usage(format!(
                    "the name of an agent must have 1 to {LONGEST_NAME} printable characters, not \
                     `{}`",
                    sim_core::error::clip(name)
                )));
            }
        }
        let agent = AgentSpec::parse(&self.request.agent)?;
        if matches!(
            agent,
            AgentSpec::Human | AgentSpec::Client | AgentSpec::Classroom | AgentSpec::Model
        ) {
            return Err(RunError::usage(format!(
                "`{}` cannot play here: name a policy of the environment or a script, or use `decide` or \
                 `agent`",
                sim_core::error::clip(&self.request.agent)
            )));
        }
        Plan::new(&self.registry, self.request.clone())
    }

    /// Plays all episodes and stores nothing.
    ///
    /// # Errors
    /// When the plan cannot be played. Failed episodes are not an error: they are listed in the
    /// returned value.
    pub fn play(&self) -> Result<Finished, RunError> {
        self.play_with(&self.plan()?, None)
    }

    /// Plays the episodes that have no record in the run folder `dir`, which is made if it does not
    /// exist. A finished run of fewer episodes is extended.
    ///
    /// # Errors
    /// When the plan cannot be played, `dir` holds another run, or it cannot be read or written.
    pub fn play_in(&self, dir: &Path) -> Result<Finished, RunError> {
        let plan = self.plan()?;
        let folder = if run_file::exists(&dir.join(MANIFEST)) {
            let folder = Folder::open(dir)?;
            // Any other plan has to be a longer one of the same run; `extended` refuses all else.
            if *folder.plan() == plan {
                folder
            } else {
                folder.extended(&plan, Vec::new())?
            }
        } else {
            Folder::create(dir, plan.clone())?
        };
        self.play_with(&plan, Some(&folder))
    }

    /// Runs every check on the run folder `dir`. The decisions of an own agent are not proven: only
    /// the program that has the agent could make them again.
    ///
    /// # Errors
    /// When there is no run in `dir`, another process writes it, or a file cannot be read.
    pub fn verify(&self, dir: &Path) -> Result<Verified, RunError> {
        crate::verify::verify(&self.registry, dir)
    }

    fn play_with(&self, plan: &Plan, folder: Option<&Folder>) -> Result<Finished, RunError> {
        let source = InstanceSource::of(self.registry.kind(S::ABOUT.name)?, plan)?;
        let agent = match (AgentSpec::parse(&plan.agent)?, &self.own) {
            // A name alone has no policies: only this program can make them.
            (AgentSpec::Own { name, .. }, own) => AgentSpec::Own {
                name,
                make: own.clone(),
            },
            (agent, _) => agent,
        };
        let table = EpisodeRunner::with(plan, &source, agent)?;
        let options = RunOptions {
            means: &RunBudget::default(),
            steps: false,
            progress: false,
            stop: &AtomicBool::new(false),
        };
        play_all(&table, folder, options)
    }
}

/// A function that decides without a memory.
struct Decide<F>(Arc<F>);

impl<E, F> Policy<E> for Decide<F>
where
    E: Environment,
    F: Fn(&E::Observation) -> E::Action + Send + Sync,
{
    fn act(&mut self, observation: &E::Observation) -> E::Action {
        (self.0)(observation)
    }
}
