//! Counting what one piece of work uses.

use crate::backend::{AgentBackend, Structured};
use crate::error::AgentError;
use crate::reply::{Reply, Usage};
use crate::request::{ModelRole, Request};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Replies and tokens, by role.
///
/// Only replies are counted, not attempts and not money, so that a replayed run shows the same
/// numbers as the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Used {
    /// Replies and their tokens.
    pub roles: BTreeMap<ModelRole, RoleUse>,
}

/// What one role used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleUse {
    /// Replies.
    pub replies: u32,
    /// Their tokens.
    pub usage: Usage,
}

impl Used {
    /// Replies of all roles.
    #[must_use]
    pub fn replies(&self) -> u32 {
        let counts = self.roles.values().map(|role| role.replies);
        counts.fold(0, u32::saturating_add)
    }

    /// Adds what another piece of work used.
    pub fn add(&mut self, other: &Self) {
        for (role, more) in &other.roles {
            let sum = self.roles.entry(*role).or_default();
            sum.replies = sum.replies.saturating_add(more.replies);
            sum.usage += more.usage;
        }
    }
}

/// A backend that counts what passes through it.
#[derive(Debug, Clone)]
pub struct Metered {
    inner: Arc<dyn AgentBackend>,
    used: Arc<Mutex<Used>>,
}

impl Metered {
    /// Counts the replies of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn AgentBackend>) -> Self {
        Self {
            inner,
            used: Arc::default(),
        }
    }

    /// Another backend counted on the same sheet.
    #[must_use]
    pub fn with(&self, inner: Arc<dyn AgentBackend>) -> Self {
        Self {
            inner,
            used: Arc::clone(&self.used),
        }
    }

    /// What was used so far.
    #[must_use]
    pub fn used(&self) -> Used {
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl AgentBackend for Metered {
    fn name(&self) -> String {
        self.inner.name()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        let role = request.role;
        let reply = self.inner.ask(request).await?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = used.roles.entry(role).or_default();
        sum.replies = sum.replies.saturating_add(1);
        sum.usage += reply.usage;
        Ok(reply)
    }

    fn structured(&self) -> Structured {
        self.inner.structured()
    }

    fn settings(&self) -> serde_json::Value {
        self.inner.settings()
    }
}
