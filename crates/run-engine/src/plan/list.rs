//! Instances that come from outside the program: the questions of a data set, cases of one's own.
//!
//! A run folder holds them in `instances.jsonl`, one a line, so it can be resumed and verified anywhere; the plan holds
//! their digest.

use crate::error::RunError;
use crate::files::{regular, run_file};
use crate::terminal::{shown_name, shown_path};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::bytes::canonical_text;
use sim_core::{Digest, DynEnvironmentSpec, DynInstance};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a run folder that holds the instances.
pub(crate) const INSTANCES: &str = "instances.jsonl";

/// Largest such file that is read \[bytes\].
const MOST_BYTES: u64 = 1 << 30;

/// Most JSON values of all instances together, which are in memory at once.
const MOST_VALUES: usize = 10_000_000;

/// A list of instances that a run plays in place of those of its configuration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceList {
    /// Its name, for people (`fin/single`).
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
        // Where the instances are held does not make it another list; the digest stands for them.
        (&self.name, self.digest, &self.groups) == (&other.name, other.digest, &other.groups)
    }
}

impl InstanceList {
    /// The list of these instances of `kind`. Those of a group stand together.
    ///
    /// # Errors
    /// When there is none, one cannot be played, or those of a group do not stand together.
    pub fn new(
        kind: &dyn DynEnvironmentSpec,
        name: impl Into<String>,
        instances: Vec<Value>,
    ) -> Result<Self, RunError> {
        if instances.is_empty() {
            return Err(RunError::usage("there is no instance to play"));
        }
        let cases = instances.iter().map(|instance| kind.load(instance));
        let groups = groups_of(&cases.collect::<Result<Vec<_>, _>>()?)?;
        let text = text(&instances);
        if sim_core::strict::holds_more_than(text.as_bytes(), MOST_VALUES) {
            return Err(RunError::usage(format!(
                "the instances hold more than {MOST_VALUES} JSON values; play fewer of them in one run"
            )));
        }
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
        let counts = self.groups.iter().map(|(_, count)| *count);
        // The counts of a manifest may be any numbers.
        counts.fold(0, u64::saturating_add)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances, ready to be played.
    ///
    /// # Errors
    /// When their file cannot be read, is not that of the plan, or its groups are not those of the plan.
    pub(crate) fn cases(
        &self,
        kind: &dyn DynEnvironmentSpec,
    ) -> Result<Vec<Arc<dyn DynInstance>>, RunError> {
        let all = self.instances()?;
        let cases = all.iter().map(|instance| kind.load(instance));
        let cases = cases.collect::<Result<Vec<_>, _>>()?;
        // The groups decide what a memory learns from, and the digest of the file does not cover
        // those of the manifest.
        if groups_of(&cases)? != self.groups {
            return Err(RunError::usage(format!(
                "the groups of {} in the plan differ from those of its instances",
                shown_name(&self.name)
            )));
        }
        Ok(cases)
    }

    /// # Errors
    /// When their file cannot be read, or is not that of the plan.
    fn instances(&self) -> Result<Arc<Vec<Value>>, RunError> {
        let path = match &self.held {
            Held::Here(instances) => return Ok(Arc::clone(instances)),
            Held::File(path) => path,
            Held::Nowhere => {
                let text = format!(
                    "the instances of {} were not loaded, and no run folder is known that holds them",
                    shown_name(&self.name)
                );
                return Err(RunError::Failed(text));
            }
        };
        let bytes = regular::if_there(run_file::json_bytes(path, MOST_BYTES, MOST_VALUES));
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

/// The groups of `cases` in order, each with its number of instances.
fn groups_of(cases: &[Arc<dyn DynInstance>]) -> Result<Vec<(String, u64)>, RunError> {
    let mut groups: Vec<(String, u64)> = Vec::new();
    let mut known = BTreeSet::new();
    for case in cases {
        let group = case.group().unwrap_or_default();
        if let Some((_, count)) = groups.last_mut().filter(|(last, _)| *last == group) {
            *count += 1;
        } else if !known.insert(group.clone()) {
            return Err(RunError::usage(format!(
                "the instances of {} do not stand together",
                shown_name(&group)
            )));
        } else {
            groups.push((group, 1));
        }
    }
    Ok(groups)
}

fn text(instances: &[Value]) -> String {
    let lines = instances
        .iter()
        .map(|instance| canonical_text(instance) + "\n");
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::options::{MethodOptions, ModelOptions, Sampling};
    use crate::plan::routing::Routing;
    use crate::plan::{Plan, RunRequest};
    use crate::registry::Registry;
    use qa_scoring::env::Config;
    use qa_scoring::{Gold, Item};
    use sim_core::Seed;
    use std::collections::BTreeMap;

    fn registry() -> Registry {
        Registry::new().with(qa_scoring::env::Spec)
    }

    /// A question for each of `tasks`.
    fn list(registry: &Registry, tasks: &[&str]) -> Result<InstanceList, RunError> {
        let questions = tasks.iter().zip(0..).map(|(task, id): (_, u32)| {
            let item = Item::new(
                id.to_string(),
                "Rates must rise.",
                Gold::Text("hawkish".to_owned()),
            );
            let question = Config::default().question(task.parse().unwrap(), item);
            serde_json::to_value(question).unwrap()
        });
        InstanceList::new(registry.kind("qa").unwrap(), "own", questions.collect())
    }

    /// Questions of the two tasks, asked by a model with `method`.
    fn request(list: InstanceList, method: &str, streams: Option<u64>) -> RunRequest {
        RunRequest {
            environment: "qa".to_owned(),
            agent: "openai:m".to_owned(),
            seed: Seed(7),
            list: Some(list),
            model: ModelOptions::of_method(
                MethodOptions {
                    method: Some(method.to_owned()),
                    streams,
                    ..MethodOptions::default()
                },
                Sampling::default(),
            ),
            ..RunRequest::default()
        }
    }

    const TWO: [&str; 5] = ["FOMC", "FOMC", "FOMC", "FPB", "FPB"];

    #[test]
    fn the_file_is_that_of_the_plan_or_is_refused() {
        let registry = registry();
        let kind = registry.kind("qa").unwrap();
        let list = list(&registry, &TWO).unwrap();
        assert_eq!(
            list.groups,
            [
                ("application/FOMC".to_owned(), 3),
                ("application/FPB".to_owned(), 2)
            ]
        );
        assert_eq!((list.len(), list.is_empty()), (5, false));
        let dir = tempfile::tempdir().unwrap();
        list.write(dir.path()).unwrap();
        let stored = serde_json::to_value(&list).unwrap();
        let mut read: InstanceList = serde_json::from_value(stored).unwrap();
        assert_eq!(read, list);
        let digests = |list: &InstanceList| {
            let cases = list.cases(kind);
            cases.map(|cases| cases.iter().map(|case| case.digest()).collect::<Vec<_>>())
        };
        assert!(digests(&read).is_err(), "it does not say where they are");
        read.attach(dir.path());
        assert_eq!(digests(&read).unwrap(), digests(&list).unwrap());
        // Written again, byte for byte.
        let again = tempfile::tempdir().unwrap();
        read.write(again.path()).unwrap();
        let bytes = |dir: &Path| std::fs::read(dir.join(INSTANCES)).unwrap();
        assert_eq!(bytes(again.path()), bytes(dir.path()));
        let mut other = read.clone();
        other.groups = vec![("application/FOMC".to_owned(), 5)];
        let error = digests(&other).unwrap_err();
        assert!(error.to_string().contains("groups"), "{error}");
        let path = dir.path().join(INSTANCES);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("hawkish", "dovish", 1)).unwrap();
        for part in ["the run began with", "is missing"] {
            let error = digests(&read).unwrap_err();
            assert!(matches!(error, RunError::Usage(_)), "{error:?}");
            assert!(error.to_string().contains(part), "{error}");
            let _ = std::fs::remove_file(&path);
        }
    }

    /// A manifest of somebody else may state any counts.
    #[test]
    fn groups_of_any_length_are_counted() {
        let stated = serde_json::json!({
            "name": "own",
            "digest": Digest([0; 32]),
            "groups": [["a", u64::MAX], ["b", 2]],
        });
        let list: InstanceList = serde_json::from_value(stated).unwrap();
        assert_eq!(list.len(), u64::MAX);
    }

    #[test]
    fn instances_of_a_group_stand_together() {
        let registry = registry();
        let error = list(&registry, &["FOMC", "FPB", "FOMC"]).unwrap_err();
        assert!(error.to_string().contains("FOMC"), "{error}");
        assert!(list(&registry, &[]).is_err());
        let broken = vec![serde_json::json!({"task": "FOMC"})];
        assert!(InstanceList::new(registry.kind("qa").unwrap(), "own", broken).is_err());
    }

    /// Each stream has a memory for each group, and meets every instance once.
    #[test]
    fn a_memory_learns_within_its_group() {
        let registry = registry();
        let list = list(&registry, &TWO).unwrap();
        let plan = Plan::new(&registry, request(list.clone(), "dc", Some(3))).unwrap();
        assert_eq!(
            (plan.preset.as_str(), plan.episodes, plan.total()),
            ("own", 5, 15)
        );
        let rows = plan.rows();
        let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, (0..6).collect::<Vec<_>>());
        for (row, group) in rows.iter().zip([0..3, 3..5].into_iter().cycle()) {
            assert_eq!(row.stream, row.number / 2);
            let mut places: Vec<u64> = row.episodes.iter().map(|k| k - row.stream * 5).collect();
            places.sort_unstable();
            assert_eq!(places, group.collect::<Vec<_>>());
        }
        let firsts = rows
            .iter()
            .step_by(2)
            .map(|row| row.episodes.first().map(|k| k % 5));
        assert!(
            firsts.collect::<std::collections::BTreeSet<_>>().len() > 1,
            "one order for all streams"
        );
        let mut all = plan.in_order();
        all.sort_unstable();
        assert_eq!(all, (0..15).collect::<Vec<_>>());
        // A part of the list cuts the last group.
        let cut = RunRequest {
            episodes: Some(4),
            ..request(list.clone(), "dc", None)
        };
        let rows = Plan::new(&registry, cut).unwrap().rows();
        let sizes: Vec<usize> = rows.iter().map(|row| row.episodes.len()).collect();
        assert_eq!(sizes, [3, 1]);
        let longer = RunRequest {
            episodes: Some(6),
            ..request(list.clone(), "dc", None)
        };
        let error = Plan::new(&registry, longer).unwrap_err();
        assert!(error.to_string().contains("fewer than the 6"), "{error}");
        let plain = Plan::new(&registry, request(list, "direct", None)).unwrap();
        assert_eq!((plain.streams, plain.rows().len()), (None, 0));
    }

    fn routing(chosen: &[&str]) -> Routing {
        let methods = ["direct", "dc"].map(|name| (name.to_owned(), name.parse().unwrap()));
        Routing {
            policy: Value::Null,
            labels: BTreeMap::new(),
            methods: methods.into_iter().collect(),
            chosen: chosen.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Each instance has the method that the policy chose, and a method its own memory in each group.
    #[test]
    fn a_routed_run_has_a_method_for_each_instance() {
        let registry = registry();
        let list = list(&registry, &TWO).unwrap();
        let routed = |chosen: &[&str]| {
            let request = request(list.clone(), "dc", Some(2));
            let routing = Some(routing(chosen));
            Plan::new(&registry, RunRequest { routing, ..request })
        };
        let plan = routed(&["dc", "direct", "dc", "dc", "dc"]).unwrap();
        for stream in [0, 5] {
            let names = (0..5).map(|k| plan.method_of(stream + k).unwrap().name.clone());
            assert_eq!(
                names.collect::<Vec<_>>(),
                ["dc", "direct", "dc", "dc", "dc"]
            );
        }
        let rows = plan.rows();
        let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, (0..6).collect::<Vec<_>>());
        let sizes: Vec<usize> = rows.iter().map(|row| row.episodes.len()).collect();
        assert_eq!(sizes, [2, 1, 2, 2, 1, 2]);
        for row in &rows {
            let mut names = row
                .episodes
                .iter()
                .map(|k| plan.method_of(*k).unwrap().name.clone());
            let first = names.next().unwrap();
            assert!(names.all(|name| name == first));
        }
        for chosen in [&["dc", "dc"][..], &[], &["dc", "dc", "dc", "dc", "cot"]] {
            let error = routed(chosen).unwrap_err();
            assert!(
                error.to_string().contains("one method for each instance"),
                "{error}"
            );
        }
    }
}
