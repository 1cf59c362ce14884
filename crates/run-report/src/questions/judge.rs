//! A model as the scorer's judge.

use agent_client::AgentError;
use agent_client::backend::AgentBackend;
use agent_client::message::Message;
use agent_client::request::{ModelRole, Request, Slot};
use qa_scoring::judge::{Judge, JudgeRequest, JudgeSpeaker, NoReply, Round};
use std::sync::Arc;
use tokio::runtime::Handle;

/// Asks a backend and waits. Only for threads on which no asynchronous work runs.
#[derive(Debug, Clone)]
pub struct BackendJudge {
    backend: Arc<dyn AgentBackend>,
    runtime: Handle,
    role: ModelRole,
    slot: Slot,
    failed: Option<AgentError>,
}

impl BackendJudge {
    /// A judge that asks `backend` on `runtime`; its requests are counted for `role` and stand at `slot`.
    #[must_use]
    pub fn new(
        backend: Arc<dyn AgentBackend>,
        runtime: Handle,
        role: ModelRole,
        slot: Slot,
    ) -> Self {
        Self {
            backend,
            runtime,
            role,
            slot,
            failed: None,
        }
    }

    /// Why the judge could not be asked, if asking again later may bring a reply. A grade that was made
    /// without it must not be stored.
    #[must_use]
    pub fn failed(self) -> Option<AgentError> {
        self.failed
    }
}

impl Judge for BackendJudge {
    fn ask(&mut self, request: &JudgeRequest) -> Result<String, NoReply> {
        let mut messages = vec![Message::system(&request.system)];
        messages.extend(request.messages.iter().map(|message| match message.from {
            JudgeSpeaker::User => Message::user(&message.text),
            JudgeSpeaker::Judge => Message::assistant(&message.text),
        }));
        let round = match request.round {
            Round::First => "first",
            Round::Repair => "repair",
        };
        // Several judges are one model asked several times: the slot keeps their answers apart.
        let slot = self.slot.child("judge", request.judge).child("", round);
        let asked = Request::new(self.role, slot, messages);
        match self.runtime.block_on(self.backend.ask(asked)) {
            Ok(reply) => Ok(reply.said.text),
            Err(error) => {
                // Leave out the number of attempts, because a replay makes none.
                let reason = format!("{}: {}", error.class, error.message);
                // A request that is too long or filtered fails at every attempt, so the grade
                // stands without the judge. Any other failure may pass, and a grade without the
                // judge would last.
                if !error.class.is_an_answer() {
                    self.failed.get_or_insert(error);
                }
                Err(NoReply { reason })
            }
        }
    }
}
