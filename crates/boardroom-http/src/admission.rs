//! How many requests are answered at a time.

use crate::lock;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for requests that are answered at a time: in total, and of each client, so that one client does not
/// take all of them. Others wait.
#[derive(Debug)]
pub struct Admission {
    /// For requests that are answered or wait.
    present: Arc<Semaphore>,
    places: Arc<Semaphore>,
    share: usize,
    shares: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// What a request holds while it is answered.
#[derive(Debug)]
pub struct Admitted {
    _places: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
    _present: Option<OwnedSemaphorePermit>,
}

impl Admission {
    /// `places` in total, of which one client may have `share`.
    #[must_use]
    pub fn new(places: usize, share: usize) -> Self {
        Self {
            present: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            places: Arc::new(Semaphore::new(places)),
            share: share.min(places),
            shares: Mutex::default(),
        }
    }

    /// The same, but at most `waiting` requests wait: each holds a connection, which does not give way.
    #[must_use]
    pub fn with_queue(self, waiting: usize) -> Self {
        let most = self.places.available_permits() + waiting;
        Self {
            present: Arc::new(Semaphore::new(most)),
            ..self
        }
    }

    /// Waits for a place for a request of `client`; `None` if too many wait already.
    pub async fn try_admit(&self, client: &str) -> Option<Admitted> {
        let present = Arc::clone(&self.present).try_acquire_owned().ok()?;
        let admitted = self.admit(client).await;
        Some(Admitted {
            _present: Some(present),
            ..admitted
        })
    }

    /// Waits for a place for a request of `client`, however many wait.
    pub async fn admit(&self, client: &str) -> Admitted {
        let share = {
            let mut shares = lock(&self.shares);
            // A pass over all clients only when a new name enters: the map cannot grow otherwise,
            // and a client that asks again does not pay for the others.
            if !shares.contains_key(client) {
                // Clients without a request are forgotten.
                shares.retain(|_, share| Arc::strong_count(share) > 1);
            }
            let new = || Arc::new(Semaphore::new(self.share));
            Arc::clone(shares.entry(client.to_owned()).or_insert_with(new))
        };
        // The semaphores are never closed, so acquiring a permit cannot fail.
        // Its own share first. A request that waited for its share while it held a place would keep
        // the place from other clients, and one client could hold them all.
        let share = share.acquire_owned().await.ok();
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        Admitted {
            _places: (share, place),
            _present: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn a_request_that_finds_a_full_queue_is_refused_and_others_are_answered_in_turn() {
        let all = Admission::new(2, 2).with_queue(1);
        let first = all.try_admit("one").await.unwrap();
        let _second = all.try_admit("one").await.unwrap();
        let mut third = Box::pin(all.try_admit("one"));
        let soon = Duration::from_millis(1);
        let waits = tokio::time::timeout(soon, third.as_mut()).await;
        assert!(waits.is_err(), "both places are taken");
        assert!(all.try_admit("two").await.is_none(), "one waits already");
        drop(first);
        let _third = third.await.unwrap();
        // Whoever gave up waiting leaves the queue.
        drop(tokio::time::timeout(soon, all.try_admit("two")).await);
        let last = tokio::time::timeout(soon, all.try_admit("two")).await;
        assert!(last.is_err(), "it waits, and is not refused");
    }
}
