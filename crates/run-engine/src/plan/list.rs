//! Instances that come from outside the program: the questions of a data set, cases of one's own.
//!
//! A run folder holds them in `instances.jsonl`, one a line, so it can be resumed and verified anywhere; the plan holds
//! their digest.

use crate::error::RunError;
use crate::files::{regular, run_file};
use crate::terminal::shown_path;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::bytes::canonical_text;
use sim_core::{Digest, DynEnvironmentSpec};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a run folder that holds the instances.
pub(crate) const INSTANCES: &str = "instances.jsonl";

/// Largest such file that is read \[bytes\].
const MOST_BYTES: u64 = 1 << 30;

/// A list of instances that a run plays in place of those of its configuration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceList {
    /// What it is, for people (`fin/single`).
    pub name: String,
    /// Digest of the file.
    pub digest: Digest,
    /// The groups in order, each with its number of instances: a memory learns from one instance for the next in its
    /// group only.
    pub groups: Vec<(String, u64)>,
    #[serde(skip)]
    held: Held,
}

/// Where the instances are.
#[derive(Debug, Clone, Default)]
enum Held {
    #[default]
    Nowhere,
    Here(Arc<Vec<Value>>),
    File(PathBuf),
}

impl PartialEq for InstanceList {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.digest, &self.groups) == (&other.name, other.digest, &other.groups)
    }
}

impl InstanceList {
    /// The list of these instances of `kind`. Those of a group stand together.
    ///
    /// # Errors
    /// When there is none, or one cannot be played.
    pub fn new(
        kind: &dyn DynEnvironmentSpec,
        name: impl Into<String>,
        instances: Vec<Value>,
    ) -> Result<Self, RunError> {
        if instances.is_empty() {
            return Err(RunError::usage("there is no instance to play"));
        }
        let mut groups: Vec<(String, u64)> = Vec::new();
        for instance in &instances {
            let group = kind.load(instance)?.group().unwrap_or_default();
            match groups.last_mut().filter(|(last, _)| *last == group) {
                Some((_, count)) => *count += 1,
                None => groups.push((group, 1)),
            }
        }
        let text = text(&instances);
        Ok(Self {
            name: name.into(),
            digest: Digest::of_bytes(text.as_bytes()),
            groups,
            held: Held::Here(Arc::new(instances)),
        })
    }

    /// Number of instances.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.groups.iter().map(|(_, count)| count).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances.
    ///
    /// # Errors
    /// When their file cannot be read, or is not that of the plan.
    pub(crate) fn instances(&self) -> Result<Arc<Vec<Value>>, RunError> {
        let path = match &self.held {
            Held::Here(instances) => return Ok(Arc::clone(instances)),
            Held::File(path) => path,
            Held::Nowhere => {
                let text = format!("the instances of {} are not here", self.name);
                return Err(RunError::Failed(text));
            }
        };
        let bytes = regular::if_there(run_file::bytes(path, MOST_BYTES));
        let Some(bytes) = bytes.map_err(RunError::file(path))? else {
            return Err(RunError::usage(format!(
                "{} is missing: the run folder needs the instances that it plays",
                shown_path(path)
            )));
        };
        if Digest::of_bytes(&bytes) != self.digest {
            return Err(RunError::usage(format!(
                "{} does not hold the instances that the run began with",
                shown_path(path)
            )));
        }
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let read = |line: &[u8]| sim_core::strict::json(line).map_err(RunError::in_file(path));
        Ok(Arc::new(lines.map(read).collect::<Result<_, _>>()?))
    }

    /// Writes the instances to the run folder `dir`.
    ///
    /// # Errors
    /// When they are not here, or the file cannot be written.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), RunError> {
        let path = dir.join(INSTANCES);
        run_file::replace_bytes(&path, text(&self.instances()?).as_bytes(), true)
    }

    /// From now on the instances are those in the run folder `dir`.
    pub(crate) fn attach(&mut self, dir: &Path) {
        self.held = Held::File(dir.join(INSTANCES));
    }
}

fn text(instances: &[Value]) -> String {
    let lines = instances.iter().map(|instance| canonical_text(instance) + "\n");
    lines.collect()
}
