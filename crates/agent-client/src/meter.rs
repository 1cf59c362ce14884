//! Counts the usage of one piece of work.
//!
//! A [`Metered`] backend wraps another one for the time of one unit of work. The record of the unit holds its
//! [`Used`]; the costs of the whole run are in the [`CostLedger`](crate::ledger::CostLedger).

use crate::backend::{AgentBackend, Structured};
use crate::cause::{Cause, Causes, cause_of};
use crate::error::{AgentError, ErrorClass};
use crate::reply::{Finish, Reply, Usage};
use crate::request::{ModelRole, Request};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Replies and tokens, by role.
///
/// Only replies are counted, not attempts and costs, so that a replayed run shows the same numbers
/// as the recorded one.
///
/// A reply that had to be repaired counts once for each attempt of the repair.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Used {
    /// Replies and their tokens.
    pub roles: BTreeMap<ModelRole, RoleUse>,
}

/// Usage of one role.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleUse {
    /// Replies.
    pub replies: u32,
    /// Their tokens.
    pub usage: Usage,
    /// Their causes, and those of requests without a reply.
    #[serde(default, skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
}

impl Used {
    /// Replies of all roles.
    #[must_use]
    pub fn replies(&self) -> u32 {
        let counts = self.roles.values().map(|role| role.replies);
        counts.fold(0, u32::saturating_add)
    }

    /// Causes of the replies to the agent.
    #[must_use]
    pub fn causes(&self) -> Causes {
        self.causes_of(ModelRole::Agent)
    }

    /// Causes of the replies to `role`.
    #[must_use]
    pub fn causes_of(&self, role: ModelRole) -> Causes {
        let role = self.roles.get(&role);
        role.map(|role| role.causes.clone()).unwrap_or_default()
    }

    /// Causes of the replies to the other roles: judge, interviewer and reflector.
    pub fn others(&self) -> impl Iterator<Item = (ModelRole, &Causes)> {
        let others = self.roles.iter();
        let others =
            others.filter(|(role, of)| **role != ModelRole::Agent && !of.causes.is_empty());
        others.map(|(role, of)| (*role, &of.causes))
    }

    /// Adds the usage of another piece of work.
    pub fn add(&mut self, other: &Self) {
        for (role, more) in &other.roles {
            let sum = self.roles.entry(*role).or_default();
            sum.replies = sum.replies.saturating_add(more.replies);
            sum.usage += more.usage;
            sum.causes.add(&more.causes);
        }
    }
}

/// A backend that counts the replies of another one. If a filter withheld a reply and it has neither text nor calls,
/// the result is an error of the class [`ErrorClass::Filtered`], as if the server had refused the request.
///
/// # Example
/// ```
/// use agent_client::backends::Scripted;
/// use agent_client::meter::Metered;
/// use agent_client::{AgentBackend, Message, ModelRole, Request, Slot};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), agent_client::AgentError> {
/// let agent = Metered::new(Arc::new(Scripted::texts(["400"])));
/// let judge = agent.with(Arc::new(Scripted::texts(["8"])));
/// let ask = |role| Request::new(role, Slot::new("q1"), vec![Message::user("?")]);
/// agent.ask(ask(ModelRole::Agent)).await?;
/// judge.ask(ask(ModelRole::Judge)).await?;
/// assert_eq!(agent.used().replies(), 2); // both are counted together
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Metered {
    inner: Arc<dyn AgentBackend>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    used: Used,
    /// Cause of the last reply, by role.
    last: BTreeMap<ModelRole, Cause>,
}

impl Metered {
    /// Counts the replies of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn AgentBackend>) -> Self {
        Self {
            inner,
            state: Arc::default(),
        }
    }

    /// Another backend whose replies are added to the same counts.
    #[must_use]
    pub fn with(&self, inner: Arc<dyn AgentBackend>) -> Self {
        Self {
            inner,
            state: Arc::clone(&self.state),
        }
    }

    /// Usage so far.
    #[must_use]
    pub fn used(&self) -> Used {
        self.lock().used.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AgentBackend for Metered {
    fn name(&self) -> String {
        self.inner.name()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        let role = request.role;
        let outcome = self.inner.ask(request).await;
        let mut state = self.lock();
        // Counted before the error is returned: a request that failed has a cause too.
        if let Some(cause) = cause_of(&outcome) {
            state.last.insert(role, cause);
            let sum = state.used.roles.entry(role).or_default();
            sum.causes.count(cause);
        }
        let reply = outcome?;
        let sum = state.used.roles.entry(role).or_default();
        sum.replies = sum.replies.saturating_add(1);
        sum.usage += reply.usage;
        // Some servers report a withheld reply by a finish reason, others by an error: both become the same error.
        if reply.finish == Finish::Filter && reply.is_blank() {
            return Err(AgentError {
                role: Some(role),
                ..AgentError::new(
                    ErrorClass::Filtered,
                    "a filter of the provider withheld the reply",
                )
            });
        }
        Ok(reply)
    }

    fn recount(&self, role: ModelRole, cause: Cause) {
        let mut state = self.lock();
        // A reply that was cut off lacks a call for that reason. If it were recounted here, another reply, which was
        // said, would be counted as malformed.
        if state.last.insert(role, cause) == Some(Cause::Said) {
            let sum = state.used.roles.entry(role).or_default();
            sum.causes.recount(cause);
            self.inner.recount(role, cause);
        }
    }

    fn structured(&self) -> Structured {
        self.inner.structured()
    }

    fn settings(&self) -> serde_json::Value {
        self.inner.settings()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::Scripted;
    use crate::message::Message;
    use crate::request::Slot;

    /// A list of failures books a withheld reply to the role that was asked.
    #[tokio::test]
    async fn a_withheld_reply_is_a_failure_of_its_role() {
        let withheld = Reply {
            finish: Finish::Filter,
            ..Reply::text("")
        };
        let metered = Metered::new(Arc::new(Scripted::new([withheld])));
        let chat = vec![Message::user("?")];
        let request = Request::new(ModelRole::Reflector, Slot::new("s"), chat);
        let error = metered.ask(request).await.unwrap_err();
        let found = (error.class, error.role);
        assert_eq!(found, (ErrorClass::Filtered, Some(ModelRole::Reflector)));
    }

    #[tokio::test]
    async fn only_the_last_reply_is_counted_again() {
        let cut = Reply {
            finish: Finish::Length,
            ..Reply::text("I think")
        };
        let script = Scripted::new([Reply::text("4"), cut, Reply::text("5")]);
        let metered = Metered::new(Arc::new(script));
        let causes = || metered.used().causes().to_string();
        for (recounted, expected) in [
            (Cause::Said, "1 said"),
            (Cause::Malformed, "1 said, 1 cut off"),
            (Cause::Refused, "1 said, 1 cut off, 1 refused by the rules"),
        ] {
            let chat = vec![Message::user("?")];
            let request = Request::new(ModelRole::Agent, Slot::new("s"), chat);
            metered.ask(request).await.unwrap();
            if recounted != Cause::Said {
                metered.recount(ModelRole::Agent, recounted);
            }
            assert_eq!(causes(), expected);
        }
    }
}
