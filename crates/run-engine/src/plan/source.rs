//! Where the instances of a run come from.

use crate::error::RunError;
use crate::files::regular;
use crate::terminal::shown_path;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, DynEnvironmentSpec, DynGenerator, DynInstance, Seed, Stored};
use std::path::Path;
use std::sync::Arc;

/// An instance in a file: what `boardroom generate` writes and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceFile {
    /// Form of this file.
    pub schema: u32,
    /// Environment that it belongs to.
    pub environment: String,
    /// Version of the environment's numbers that wrote it.
    pub version: u32,
    /// The instance itself.
    pub instance: Value,
}

impl Stored for InstanceFile {
    const WHAT: &'static str = "instance file";
    const SCHEMA: u32 = 1;
}

impl InstanceFile {
    /// Reads the file at `path` for `kind`.
    ///
    /// # Errors
    /// When it cannot be read, is not an instance file, or belongs to another environment or version.
    pub fn read_for(kind: &dyn DynEnvironmentSpec, path: &Path) -> Result<Self, RunError> {
        let text = regular::bytes(path, regular::MOST_DATA).map_err(RunError::file(path))?;
        let value = sim_core::strict::json(&text)
            .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", shown_path(path))))?;
        // An instance alone does not tell whose it is and of which version, so that it could play other numbers than
        // it was made for.
        let envelope = ["schema", "environment", "version", "instance"];
        if let Some(missing) = envelope.iter().find(|key| value.get(**key).is_none()) {
            return Err(RunError::usage(format!(
                "{} has no `{missing}`; an instance file is {{\"schema\": {}, \"environment\": \"{name}\", \"version\": {}, \
                 \"instance\": ..}}, as `boardroom generate {name}` prints it",
                shown_path(path),
                Self::SCHEMA,
                kind.version(),
                name = kind.name()
            )));
        }
        let file = Self::read(value).map_err(RunError::in_file(path))?;
        if file.environment != kind.name() {
            return Err(RunError::usage(format!(
                "{} holds an instance of `{}`, not of `{}`",
                shown_path(path),
                file.environment,
                kind.name()
            )));
        }
        if file.version != kind.version() {
            return Err(RunError::usage(format!(
                "{} holds an instance of version {} of `{name}`, and the numbers of this program are those of version {}; \
                 write it anew with `boardroom generate {name}`",
                shown_path(path),
                file.version,
                kind.version(),
                name = kind.name()
            )));
        }
        // Only to see whether it can be played, while the error can still name the file.
        kind.load(&file.instance).map_err(RunError::in_file(path))?;
        Ok(file)
    }
}

/// The list or generator that a run takes its episodes from.
pub struct InstanceSource<'a> {
    pub(super) kind: &'a dyn DynEnvironmentSpec,
    pub(super) seed: Seed,
    pub(super) cases: Cases,
    /// Episodes after which the instances come again, where several streams meet them.
    pub(super) again: Option<u64>,
}

pub(super) enum Cases {
    /// Episode k plays the case k modulo the length.
    Listed(Vec<Arc<dyn DynInstance>>),
    Drawn(Box<dyn DynGenerator>),
}

impl<'a> InstanceSource<'a> {
    /// The environment.
    #[must_use]
    pub fn kind(&self) -> &'a dyn DynEnvironmentSpec {
        self.kind
    }

    fn listed(&self) -> &[Arc<dyn DynInstance>] {
        match &self.cases {
            Cases::Listed(cases) => cases,
            Cases::Drawn(_) => &[],
        }
    }

    /// How many different instances there are, where they are not drawn.
    #[must_use]
    pub fn distinct(&self) -> Option<usize> {
        Some(self.listed().len()).filter(|count| *count > 0)
    }

    /// Digests of the list: episode k without streams plays the one at k modulo the length. Empty where
    /// instances are drawn.
    #[must_use]
    pub fn listed_digests(&self) -> Vec<Digest> {
        self.listed().iter().map(|case| case.digest()).collect()
    }

    /// The instance of episode `index`.
    ///
    /// # Errors
    /// When the generator refuses the configuration.
    pub fn case(&self, index: u64) -> Result<Arc<dyn DynInstance>, RunError> {
        // Streams count their episodes on, but all of them meet the same instances.
        let index = self.again.map_or(index, |n| index % n.max(1));
        let listed = match &self.cases {
            Cases::Drawn(generator) => return Ok(generator.draw(self.seed, index)?),
            Cases::Listed(cases) => cases,
        };
        // A run that is longer than its list begins it again.
        let place = index.checked_rem(listed.len() as u64);
        let case = place.and_then(|place| listed.get(usize::try_from(place).ok()?));
        case.map(Arc::clone)
            .ok_or_else(|| RunError::Failed(format!("there is no instance for episode {index}")))
    }
}

impl std::fmt::Debug for InstanceSource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("kind", &self.kind.name())
            .field("listed", &self.listed().len())
            .finish_non_exhaustive()
    }
}

/// The name of an instance: its last label, which is the most precise one, or its digest.
#[must_use]
pub fn instance_name(case: &dyn DynInstance) -> String {
    match case.labels().pop() {
        Some((_, label)) => label,
        None => case.digest().to_string(),
    }
}
