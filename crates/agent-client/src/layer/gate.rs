//! Lets equal requests pass one after the other.

use super::Call;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// Gates by the key of their request.
type Running = BTreeMap<[u8; 32], Arc<AsyncMutex<()>>>;

/// One gate for each request in progress. Of several equal requests at the same time only one is
/// sent; the others get its answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates {
    running: Arc<Mutex<Running>>,
}

impl Gates {
    /// The gate of `call`.
    pub(crate) fn of(&self, call: &Call) -> Arc<AsyncMutex<()>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // Gates that nobody holds are dropped here: a request may be cancelled, so it has no end at
        // which it could do that.
        running.retain(|_, gate| Arc::strong_count(gate) > 1);
        Arc::clone(running.entry(call.key.0).or_default())
    }
}
