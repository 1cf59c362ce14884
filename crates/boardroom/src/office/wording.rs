//! Requests reworded by a model.

use agent_client::AgentError;
use agent_client::backend::AgentBackend;
use agent_client::message::Message;
use agent_client::request::{ModelRole, Request, Slot};
use enterprise_sandbox::tasks::Rephraser;
use run_engine::engine::model::ask::runtime;
use run_engine::error::RunError;
use sim_core::Digest;
use std::cell::RefCell;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// System message of the requests to the model.
const ORDER: &str = "You reword requests that office workers write to an assistant. Keep the first \
person and the meaning. Copy every name, identifier, number, date, amount and quoted text exactly \
as it stands. Do not mention data, databases or context. Reply with the new wording alone, in one \
line.";

/// A model that rewords requests, one at a time; without a model there are no new wordings.
#[derive(Debug)]
pub struct ModelRephraser {
    model: Option<(Arc<dyn AgentBackend>, Runtime)>,
    trouble: RefCell<Option<AgentError>>,
}

impl ModelRephraser {
    /// Wordings by `model`.
    ///
    /// # Errors
    /// When the system gives no thread for its requests.
    pub fn new(model: Option<Arc<dyn AgentBackend>>) -> Result<Self, RunError> {
        let model = model.map(|model| Ok::<_, RunError>((model, runtime()?)));
        Ok(Self {
            model: model.transpose()?,
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
        let (model, runtime) = self.model.as_ref()?;
        let slot = Slot::new(Digest::of_bytes(instruction.as_bytes()).short());
        let words = vec![Message::system(ORDER), Message::user(instruction)];
        let asked = model.ask(Request::new(ModelRole::Agent, slot, words));
        match runtime.block_on(asked) {
            Ok(reply) => Some(reply.said.text.trim().to_owned()),
            Err(e) => {
                // Kept, as a source of wordings has no way to report an error.
                *self.trouble.borrow_mut() = Some(e);
                None
            }
        }
    }
}
