//! A model in place of the rules: it is shown each question and picks the agent.

use super::request;
use agent_client::backend::AgentBackend;
use agent_client::parallel::in_order;
use agent_client::request::{Schema, Slot};
use agent_client::structured::ask;
use agent_client::{AgentError, ErrorClass};
use aoa_router::ask::{Pick, choice};
use aoa_router::{Agents, RoutingPlaybook, TraceRecord};
use run_engine::error::RunError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The picks, by sample, and the number of samples for which the model gave no usable one: they are
/// left to the default agent.
///
/// # Errors
/// When the model fails for good.
pub async fn picks(
    model: Arc<dyn AgentBackend>,
    playbook: &RoutingPlaybook,
    agents: &Agents,
    traces: &[TraceRecord],
    at_once: usize,
) -> Result<(BTreeMap<String, String>, usize), RunError> {
    let mut samples: BTreeMap<&str, &TraceRecord> = BTreeMap::new();
    for trace in traces {
        // Asked once for each sample: all its traces have the same question.
        samples.entry(&trace.sample_id).or_insert(trace);
    }
    let form = Schema::new("pick", "the agent that answers", Pick::schema(agents));
    let names: Vec<String> = samples.keys().map(|id| (*id).to_owned()).collect();
    let asked: Vec<_> = samples
        .values()
        .map(|trace| {
            let question = trace.question.as_deref().unwrap_or("(not recorded)");
            let words = choice(playbook, agents, &trace.sample(), question);
            request(words, Slot::new("pick").child("", &trace.sample_id))
        })
        .collect();
    let work = asked.into_iter().map(|asked| {
        let (model, form, agents) = (Arc::clone(&model), form.clone(), agents.clone());
        async move {
            let check = |it: &Pick| it.check(&agents);
            ask(&*model, asked, &form, check).await
        }
    });
    let (mut picks, mut unusable, mut broken) = (BTreeMap::new(), 0, None::<AgentError>);
    in_order(work, at_once, |number, result| {
        match (result, names.get(number)) {
            (Ok(typed), Some(name)) => drop(picks.insert(name.clone(), typed.value.choose)),
            // A pick that cannot be used, or a request that is filtered, is of this sample alone.
            // Any other failure would meet the next one too, and its default would look like a
            // choice.
            (Err(e), _) if e.class != ErrorClass::Unusable && !e.class.is_an_answer() => {
                broken.get_or_insert(e);
            }
            _ => unusable += 1,
        }
    })
    .await;
    match broken {
        Some(e) => Err(RunError::failed(e)),
        None => Ok((picks, unusable)),
    }
}
