//! Questions that each go to the method a policy chooses: `--method aoa:FILE`.

use super::item::uid;
use crate::labels::{Labels, label_of, read_labels};
use crate::policy;
use agent_client::memory::FeedbackMode;
use agent_client::method::{METHODS, MethodSpec};
use aoa_router::{Agents, Router, RoutingPlaybook, Strictness};
use qa_scoring::{Item, Task};
use run_engine::error::RunError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What `--method` begins with to name a policy.
pub const PREFIX: &str = "aoa:";

/// The name of the method of a run in which a policy chooses.
pub const NAME: &str = "aoa";

/// A policy with the methods that it chooses among.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routing {
    /// The policy.
    pub playbook: RoutingPlaybook,
    /// The methods, by the names that the policy has for them.
    pub methods: BTreeMap<String, MethodSpec>,
    /// What is known of the questions besides their text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: Labels,
}

impl Routing {
    /// Reads the policy at `path` and has `make` make each of its methods.
    ///
    /// # Errors
    /// When it is not a policy over the agent methods, or one of its methods cannot be made.
    pub fn read(
        path: &Path,
        labels: Option<&Path>,
        make: impl Fn(&str) -> Result<(MethodSpec, FeedbackMode), RunError>,
    ) -> Result<(Self, FeedbackMode), RunError> {
        let (playbook, _) = policy::read_policy(path, &Agents::methods(), Strictness::Strict)?;
        let router = Router::new(&playbook.routing_policy, &Agents::methods())?;
        let mut methods = BTreeMap::new();
        let mut most = FeedbackMode::None;
        for name in router.choosable() {
            let (method, feedback) = make(name)?;
            methods.insert(name.to_owned(), method);
            most = most.max(feedback);
        }
        let labels = match labels {
            Some(path) => read_labels(path)?,
            None => Labels::new(),
        };
        let routing = Self {
            playbook,
            methods,
            labels,
        };
        Ok((routing, most))
    }

    /// The method of the default agent, under the name of the routing as a whole.
    #[must_use]
    pub fn whole(&self) -> Option<MethodSpec> {
        let default_agent = &self.playbook.routing_policy.default_agent;
        let mut names = METHODS.map(|method| method.name).into_iter();
        let name = names.find(|it| it.eq_ignore_ascii_case(default_agent.trim()))?;
        self.methods.get(name).map(|method| MethodSpec {
            name: NAME.to_owned(),
            ..method.clone()
        })
    }

    /// What chooses the method of a question.
    ///
    /// # Errors
    /// When the policy cannot be followed, as after a change of the manifest.
    pub fn chooser(&self) -> Result<Chooser<'_>, RunError> {
        Ok(Chooser {
            router: Router::new(&self.playbook.routing_policy, &Agents::methods())?,
            routing: self,
        })
    }
}

/// Chooses the method of each question.
#[derive(Debug)]
pub struct Chooser<'r> {
    router: Router,
    routing: &'r Routing,
}

impl Chooser<'_> {
    /// The method of a question; `only` where the run has a single task, so that a label may name the
    /// question without it.
    #[must_use]
    pub fn method(&self, task: Task, item: &Item, only: bool) -> Option<&MethodSpec> {
        let labels = &self.routing.labels;
        let label = label_of(labels, &uid(task, &item.id), &item.id, only);
        let sample = policy::sample(task, item, label);
        self.routing.methods.get(self.router.choose(&sample).agent)
    }
}
