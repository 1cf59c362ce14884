//! The office as an environment of the runner. Companies, rules and generators are cached, so that
//! a thousand tasks of one company generate it once.

use crate::access::{Access, Enforcement, EngineKind};
use crate::company::Company;
use crate::config::Config;
use crate::environment::{Instance, OfficeTask};
use crate::office::Office;
use crate::policy;
use crate::search::SearchIndex;
use crate::synth::{CompanyConfig, synthesise};
use crate::task::Generator;
use serde::Serialize;
use sim_core::{
    ConfigError, Effort, EnvironmentSpec, Episode, PolicySpec, Preset, Reference, Sense, Status,
    canonical_json,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of cached companies; the one with the oldest key is dropped first.
const KEPT: usize = 4;

#[derive(Debug, Default)]
struct Kept {
    companies: BTreeMap<String, (Arc<Company>, Arc<SearchIndex>)>,
    imported: BTreeMap<String, (Arc<Company>, Arc<SearchIndex>)>,
    accesses: BTreeMap<String, Arc<Access>>,
    generators: BTreeMap<String, Arc<Generator>>,
}

/// The enterprise office.
#[derive(Debug, Clone, Default)]
pub struct OfficeFamily {
    kept: Arc<Mutex<Kept>>,
}

fn key<T: Serialize>(value: &T) -> Result<String, ConfigError> {
    canonical_json(value).map_err(|e| ConfigError::new("", e.to_string()))
}

fn make_room<T>(map: &mut BTreeMap<String, T>) {
    while map.len() >= KEPT {
        map.pop_first();
    }
}

impl OfficeFamily {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A thread that panicked leaves only complete values behind.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an imported company; returns the digest by which configurations name it.
    pub fn add(&self, company: Arc<Company>) -> String {
        let digest = company.digest().to_string();
        let entry = (company, Arc::new(SearchIndex::new()));
        self.kept().imported.insert(digest.clone(), entry);
        digest
    }

    fn company(
        &self,
        recipe: &CompanyConfig,
        imported: Option<&str>,
    ) -> Result<(Arc<Company>, Arc<SearchIndex>), ConfigError> {
        if let Some(digest) = imported {
            return self.kept().imported.get(digest).cloned().ok_or_else(|| {
                let digest = sim_core::error::clip(digest);
                ConfigError::new(
                    "imported",
                    format!("no company with digest `{digest}` was imported"),
                )
            });
        }
        let name = key(recipe)?;
        if let Some(known) = self.kept().companies.get(&name) {
            return Ok(known.clone());
        }
        let company = Arc::new(synthesise(recipe).map_err(|e| e.within("company"))?);
        let entry = (company, Arc::new(SearchIndex::new()));
        let mut kept = self.kept();
        make_room(&mut kept.companies);
        // Another thread may have been faster; the two entries are equal.
        Ok(kept.companies.entry(name).or_insert(entry).clone())
    }

    fn access(&self, config: &crate::access::AccessConfig) -> Result<Arc<Access>, ConfigError> {
        let name = key(config)?;
        if let Some(known) = self.kept().accesses.get(&name) {
            return Ok(Arc::clone(known));
        }
        let access = Arc::new(Access::new(config.clone()).map_err(|e| e.within("access"))?);
        let mut kept = self.kept();
        make_room(&mut kept.accesses);
        Ok(Arc::clone(kept.accesses.entry(name).or_insert(access)))
    }

    fn office(
        &self,
        recipe: &CompanyConfig,
        imported: Option<&str>,
        access: &crate::access::AccessConfig,
    ) -> Result<Office, ConfigError> {
        let (company, search) = self.company(recipe, imported)?;
        Ok(Office::new(company, self.access(access)?, search))
    }

    /// The generator of a configuration. Tasks are always drawn with enforced rules, so that the
    /// same task can be played with and without enforcement.
    ///
    /// # Errors
    /// When the configuration is invalid.
    pub fn generator(&self, config: &Config) -> Result<Arc<Generator>, ConfigError> {
        let mut access = config.access.clone();
        access.enforcement = Enforcement::On;
        access.engine = EngineKind::Native;
        access.explain = false;
        let name = key(&(&config.company, &config.imported, &access, &config.tasks))?;
        if let Some(known) = self.kept().generators.get(&name) {
            return Ok(Arc::clone(known));
        }
        let office = self.office(&config.company, config.imported.as_deref(), &access)?;
        let made = Generator::new(office, config.tasks.clone()).map_err(|e| e.within("tasks"))?;
        let mut kept = self.kept();
        make_room(&mut kept.generators);
        Ok(Arc::clone(
            kept.generators.entry(name).or_insert(Arc::new(made)),
        ))
    }
}

impl EnvironmentSpec for OfficeFamily {
    const NAME: &'static str = "office";
    const VERSION: u32 = 2;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str =
        "a company's systems behind access rules: find facts, change records, or refuse";
    const UNIT: &'static str = "success";

    type Env = OfficeTask;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        Config::presets()
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        config.check()?;
        let generator = self.generator(config)?;
        let task = generator
            .scheduled(episode.seed, episode.index)
            .map_err(|e| ConfigError::new("tasks", e.to_string()))?;
        Ok(Instance {
            company: config.company.clone(),
            imported: config.imported.clone(),
            access: config.access.clone(),
            policy_version: self.access(&config.access)?.version(),
            surface: config.surface,
            plan: config.plan,
            distractors: config.distractors,
            show_rules: config.show_rules,
            task,
        })
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        config.tasks.pool.map(u64::from)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<OfficeTask, ConfigError> {
        let office = self.office(
            &instance.company,
            instance.imported.as_deref(),
            &instance.access,
        )?;
        let version = office.access().version();
        if version != instance.policy_version {
            let message =
                format!("the policies in force are `{version}`, not those of the instance");
            return Err(ConfigError::new("policy_version", message));
        }
        let persona = sim_core::error::clip(&instance.task.persona);
        OfficeTask::new(instance, office).ok_or_else(|| {
            ConfigError::new(
                "task.persona",
                format!("`{persona}` does not work in this company"),
            )
        })
    }

    fn reference(&self, _: &Instance, _: Effort) -> Reference {
        Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: Some(0.0),
            status: Status::Proven,
            method: "the plan of the task, run on the office when it was drawn".to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<OfficeTask, Instance>> {
        policy::specs(self)
    }
}
