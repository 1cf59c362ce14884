//! Questions that each go to the method a policy chooses: `--method aoa:FILE`.

use super::policy;
use crate::questions::labels::{Labels, label_of, read_labels};
use agent_client::memory::FeedbackMode;
use agent_client::method::{METHODS, MethodSpec};
use aoa_router::{Agents, Router, RoutingPlaybook, Strictness};
use qa_scoring::env::Question;
use run_engine::error::RunError;
use run_engine::plan::routing::{ROUTED, Routing};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What `--method` begins with to name a policy.
pub const PREFIX: &str = "aoa:";

/// The methods that the policy at `path` chooses for `questions`, the method of its default agent under the name of the
/// whole, and the most that any of them may learn from. `make` makes a method by its name; `labels` say what is known of
/// the questions.
///
/// # Errors
/// When it is not a policy over the agent methods, or one of its methods cannot be made.
pub fn routed(
    path: &Path,
    labels: Option<&Path>,
    questions: &[Question],
    make: impl Fn(&str) -> Result<(MethodSpec, FeedbackMode), RunError>,
) -> Result<(Routing, MethodSpec, FeedbackMode), RunError> {
    // Strict: an unknown field may be a condition, and a rule without it would choose for other
    // questions.
    let (playbook, _) = policy::read_policy(path, &Agents::methods(), Strictness::Strict)?;
    let router = Router::new(&playbook.routing_policy, &Agents::methods())?;
    let mut methods = BTreeMap::new();
    let mut most = FeedbackMode::None;
    for name in router.choosable() {
        let (method, feedback) = make(name)?;
        methods.insert(name.to_owned(), method);
        // The most of all, since a run is marked by what any of its methods may see.
        most = most.max(feedback);
    }
    let labels = labels.map(read_labels).transpose()?.unwrap_or_default();
    // Chosen before the run, from what is known of the questions alone. The plan holds the choices,
    // so that a resumed run makes the same ones.
    let chosen = chosen(&router, &labels, questions);
    let whole = whole(&playbook, &methods).ok_or_else(|| {
        RunError::usage(format!(
            "the default agent `{}` of the policy is not a method",
            playbook.routing_policy.default_agent
        ))
    })?;
    let routing = Routing {
        policy: sim_core::bytes::json(&playbook),
        labels,
        methods,
        chosen,
    };
    Ok((routing, whole, most))
}

/// The method of the default agent, under the name of the routing as a whole.
fn whole(playbook: &RoutingPlaybook, methods: &BTreeMap<String, MethodSpec>) -> Option<MethodSpec> {
    let default_agent = &playbook.routing_policy.default_agent;
    let mut names = METHODS.map(|method| method.name).into_iter();
    let name = names.find(|it| it.eq_ignore_ascii_case(default_agent.trim()))?;
    methods.get(name).map(|method| MethodSpec {
        name: ROUTED.to_owned(),
        ..method.clone()
    })
}

/// The names of the methods of the questions; where there is a single task, a label may name a question without it.
fn chosen(router: &Router, labels: &Labels, questions: &[Question]) -> Vec<String> {
    let tasks: BTreeSet<_> = questions.iter().map(|question| question.task).collect();
    let choose = |question: &Question| {
        let (name, id) = (question.uid(), &question.item.id);
        let label = label_of(labels, &name, id, tasks.len() == 1);
        let sample = policy::sample(question.task, &question.item, label);
        router.choose(&sample).agent.to_owned()
    };
    questions.iter().map(choose).collect()
}
