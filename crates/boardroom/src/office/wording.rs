//! Requests reworded by a model.

use agent_client::AgentError;
use agent_client::backend::AgentBackend as _;
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::message::Message;
use agent_client::request::{ModelRole, Request, Slot};
use enterprise_sandbox::tasks::Rephraser;
use run_engine::engine::model::ask::runtime;
use run_engine::error::RunError;
use run_engine::plan::model::ModelPlan;
use run_engine::plan::options::ModelOptions;
use sim_core::Digest;
use std::cell::RefCell;

/// System message of the requests to the model.
const ORDER: &str = "You reword requests that office workers write to an assistant. Keep the first \
person and the meaning. Copy every name, identifier, number, date, amount and quoted text exactly \
as it stands. Do not mention data, databases or context. Reply with the new wording alone, in one \
line.";

/// A model that rewords requests, one at a time.
pub struct ModelRephraser {
    client: Client,
    runtime: tokio::runtime::Runtime,
    trouble: RefCell<Option<AgentError>>,
}

impl ModelRephraser {
    /// The model called `agent` (`openai:model`, `anthropic:model`).
    ///
    /// # Errors
    /// When it is not a model, or its settings are missing from the environment.
    pub fn new(agent: &str) -> Result<Self, RunError> {
        let Some(plan) = ModelPlan::new(agent, &ModelOptions::default())? else {
            return Err(RunError::usage(format!(
                "`{}` is not a model; name openai:MODEL or anthropic:MODEL",
                sim_core::error::clip(agent)
            )));
        };
        let usage = |e: AgentError| RunError::usage(e.to_string());
        let settings = ClientSettings::from_env(plan.dialect).map_err(usage)?;
        Ok(Self {
            client: Client::new(settings, &Shared::default()).map_err(usage)?,
            runtime: runtime()?,
            trouble: RefCell::new(None),
        })
    }

    /// The last failure of the model, if there was one.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.borrow().as_ref().map(ToString::to_string)
    }
}

impl Rephraser for ModelRephraser {
    fn rephrase(&self, instruction: &str) -> Option<String> {
        let slot = Slot::new(Digest::of_bytes(instruction.as_bytes()).short());
        let words = vec![Message::system(ORDER), Message::user(instruction)];
        let asked = self.client.ask(Request::new(ModelRole::Agent, slot, words));
        match self.runtime.block_on(asked) {
            Ok(reply) => Some(reply.said.text.trim().to_owned()),
            Err(e) => {
                // Kept, as a source of wordings has no way to report an error.
                *self.trouble.borrow_mut() = Some(e);
                None
            }
        }
    }
}

impl std::fmt::Debug for ModelRephraser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelRephraser")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
