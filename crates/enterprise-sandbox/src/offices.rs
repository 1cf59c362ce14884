//! Companies, access rules and task generators, shared by all tasks that use them: a thousand tasks
//! of one company make it once.
//!
//! ```text
//!  CompanyConfig ─key─► company + search indexes (at most 4; imported ones are kept for good)
//!  AccessConfig ──key─► access rules             (at most 4)
//!  Config ────────key─► task generator           (at most 4)
//! ```
//!
//! A key is the canonical JSON of the settings, so two configurations that differ only in the order
//! of fields share an entry. There is one cache for the process, and one for each
//! [`Spec`](crate::Spec).

use crate::access::{Access, AccessConfig, Enforcement, EngineKind};
use crate::config::Config;
use crate::data::company::Company;
use crate::data::search::SearchIndex;
use crate::data::synth::{CompanyConfig, synthesise};
use crate::tasks::Generator;
use crate::tools::embedding::Embedder;
use crate::tools::office::Office;
use serde::Serialize;
use sim_core::{ConfigError, canonical_json};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Maximum number of cached companies, of access rules and of generators.
const KEPT: usize = 4;

/// A company and its search indexes, which fill as they are used.
type Indexed = (Arc<Company>, Arc<SearchIndex>);

/// A company that was registered.
#[derive(Debug)]
struct Imported {
    company: Indexed,
    /// Whether a configuration has named it.
    named: bool,
}

/// The cached values, by the canonical JSON of the settings that they were made from.
#[derive(Debug, Default)]
struct Kept {
    companies: BTreeMap<String, Indexed>,
    /// By digest. These are never dropped, because no recipe gives them again.
    imported: BTreeMap<String, Imported>,
    accesses: BTreeMap<String, Arc<Access>>,
    generators: BTreeMap<String, Arc<Generator>>,
}

/// A cache of companies, access rules and generators. Every value is a function of its settings, so
/// results do not depend on what is cached.
#[derive(Debug, Default)]
pub(crate) struct Offices {
    kept: Mutex<Kept>,
    embedder: Mutex<Option<Arc<dyn Embedder>>>,
}

/// The offices of [`Instance::generate`](crate::Instance::generate) and all calls without a
/// [`Spec`](crate::Spec).
static OF_PROCESS: LazyLock<Arc<Offices>> = LazyLock::new(Arc::default);

fn key<T: Serialize>(value: &T) -> Result<String, ConfigError> {
    canonical_json(value).map_err(|e| ConfigError::new("", e.to_string()))
}

impl Offices {
    /// The offices that all calls without a [`Spec`](crate::Spec) share.
    pub(crate) fn of_process() -> &'static Arc<Self> {
        &OF_PROCESS
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A thread that panicked leaves only complete values behind.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an imported company and returns its digest.
    pub(crate) fn add(&self, company: Arc<Company>) -> String {
        let digest = company.digest().to_string();
        let entry = Imported {
            company: (company, Arc::new(SearchIndex::new())),
            named: false,
        };
        self.kept().imported.insert(digest.clone(), entry);
        digest
    }

    /// Digests of the registered companies that no configuration has named.
    pub(crate) fn unused(&self) -> Vec<String> {
        let kept = self.kept();
        let unused = kept.imported.iter().filter(|(_, company)| !company.named);
        unused.map(|(digest, _)| digest.clone()).collect()
    }

    /// Registers the embedder of searches.
    pub(crate) fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        let mut kept = self.embedder.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(embedder);
    }

    /// The embedder of searches.
    pub(crate) fn embedder(&self) -> Result<Arc<dyn Embedder>, ConfigError> {
        let kept = self.embedder.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone().ok_or_else(|| {
            ConfigError::missing(
                "search",
                "`embedding` needs vectors; name the folder of their recording with --embeddings DIR",
            )
        })
    }

    /// The value of this name in a part of the cache, made if it is not there.
    fn cached<T: Clone>(
        &self,
        part: impl Fn(&mut Kept) -> &mut BTreeMap<String, T>,
        name: String,
        make: impl FnOnce() -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        if let Some(known) = part(&mut self.kept()).get(&name) {
            return Ok(known.clone());
        }
        // Made without the lock, so that threads do not wait for each other.
        let made = make()?;
        let mut kept = self.kept();
        let map = part(&mut kept);
        // Which entry goes does not matter for results, and a program rarely uses more than `KEPT` settings in turn, so
        // it is the first in the order of the map.
        while map.len() >= KEPT {
            map.pop_first();
        }
        // Another thread may have been faster; the two entries are equal.
        Ok(map.entry(name).or_insert(made).clone())
    }

    fn company(
        &self,
        recipe: &CompanyConfig,
        imported: Option<&str>,
    ) -> Result<Indexed, ConfigError> {
        if let Some(digest) = imported {
            if let Some(known) = self.kept().imported.get_mut(digest) {
                known.named = true;
                return Ok(known.company.clone());
            }
            let digest = sim_core::error::clip(digest);
            return Err(ConfigError::missing(
                "imported",
                format!(
                    "no company with digest `{digest}` was imported; name its folder with --office DIR"
                ),
            ));
        }
        self.cached(
            |kept| &mut kept.companies,
            key(recipe)?,
            || {
                let company = synthesise(recipe).map_err(|e| e.within("company"))?;
                Ok((Arc::new(company), Arc::new(SearchIndex::new())))
            },
        )
    }

    /// The access rules of a configuration.
    pub(crate) fn access(&self, config: &AccessConfig) -> Result<Arc<Access>, ConfigError> {
        self.cached(
            |kept| &mut kept.accesses,
            key(config)?,
            || {
                let access = Access::new(config.clone()).map_err(|e| e.within("access"))?;
                Ok(Arc::new(access))
            },
        )
    }

    /// The office with the company of a recipe, or an imported one, and these access rules.
    pub(crate) fn office(
        &self,
        recipe: &CompanyConfig,
        imported: Option<&str>,
        access: &AccessConfig,
    ) -> Result<Office, ConfigError> {
        let (company, search) = self.company(recipe, imported)?;
        Ok(Office::new(company, self.access(access)?, search))
    }

    /// The generator of a configuration. Tasks are always drawn with enforced rules, so that the
    /// same task can be played with and without enforcement.
    pub(crate) fn generator(&self, config: &Config) -> Result<Arc<Generator>, ConfigError> {
        let mut access = config.access.clone();
        access.enforcement = Enforcement::On;
        // A task needs thousands of decisions. The native predicates decide as the policies do, and
        // much faster.
        access.engine = EngineKind::Native;
        // No plan asks for explanations, so settings that differ only there share a generator.
        access.explain = false;
        let name = key(&(&config.company, &config.imported, &access, &config.tasks))?;
        self.cached(
            |kept| &mut kept.generators,
            name,
            || {
                let office = self.office(&config.company, config.imported.as_deref(), &access)?;
                let made = Generator::new(office, config.tasks.clone());
                Ok(Arc::new(made.map_err(|e| e.within("tasks"))?))
            },
        )
    }
}
