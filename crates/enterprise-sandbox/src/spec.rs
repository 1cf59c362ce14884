//! The office as the runner sees it: name, presets, generator, reference, policies.
//!
//! Use a [`Spec`] instead of [`Instance::generate`] to control how long companies stay in memory,
//! or to draw tasks of an imported company.

use crate::batch::{Batch, Vectors};
use crate::config::Config;
use crate::data::company::Company;
use crate::env::OfficeTask;
use crate::instance::Instance;
use crate::offices::Offices;
use crate::policy;
use crate::tasks::Generator;
use crate::tools::embedding::Embedder;
use sim_core::{
    BatchEnvironment, ConfigError, EnvironmentAbout, EnvironmentSpec, Episode, PolicySpec,
    ScoreRange, Seed, Sense,
};
use std::sync::Arc;

/// Implements [`EnvironmentSpec`] for the office.
///
/// It keeps the last few companies, access rules and generators, so that a thousand tasks of one
/// company make it once. Clones share them. Imported companies are registered with [`add`](Self::add)
/// and stay until the last clone is dropped.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    offices: Arc<Offices>,
}

sim_core::boxed_spec!(Spec);

impl Spec {
    /// Registers an imported company; returns the digest by which [`Config::imported`] names it.
    /// Computing the digest writes every text of the company.
    ///
    /// The digest is part of every instance of that company, so a stored run cannot be opened with
    /// other data by mistake.
    pub fn add(&self, company: Arc<Company>) -> String {
        self.offices.add(company)
    }

    /// Digests of the registered companies that no configuration has named so far.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        self.offices.unused()
    }

    /// Registers the embedder that makes the vectors of runs with `search = "embedding"`; a later one
    /// replaces it.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.offices.embed_with(embedder);
    }

    /// The generator of a configuration. Tasks are always drawn with enforced rules, so that the
    /// same task can be played with and without enforcement.
    ///
    /// # Errors
    /// When the configuration is invalid.
    pub fn generator(&self, config: &Config) -> Result<Arc<Generator>, ConfigError> {
        self.offices.generator(config)
    }
}

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "office",
        version: 9,
        about: "a company's systems behind access rules: find facts, change records, or refuse",
        unit: "success",
        sense: Sense::Maximise,
        range: ScoreRange::SHARE,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = OfficeTask;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(presets check reference plots);

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::draw(&self.offices, config, episode)
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        config.tasks.pool.map(u64::from)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<OfficeTask, ConfigError> {
        OfficeTask::begin(&self.offices, instance)
    }

    fn policies(&self) -> Vec<PolicySpec<OfficeTask, Instance>> {
        policy::with_offices(&self.offices)
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        let vectors = Vectors::with_offices(&self.offices, config)?;
        Ok(Some(Box::new(Batch::of(vectors, lanes, seed)?)))
    }
}
