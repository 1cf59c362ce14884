//! How many requests are answered at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for requests that are answered at a time: in total, and of each client, so that one client does not
/// take all of them. Others wait.
#[derive(Debug)]
pub struct Admission {
    places: Arc<Semaphore>,
    share: usize,
    shares: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// What a request holds while it is answered.
#[derive(Debug)]
pub struct Admitted {
    _places: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
}

impl Admission {
    /// `places` in total, of which one client may have `share`.
    #[must_use]
    pub fn new(places: usize, share: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            share: share.min(places),
            shares: Mutex::default(),
        }
    }

    /// Waits for a place for a request of `client`.
    pub async fn admit(&self, client: &str) -> Admitted {
        let share = {
            let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
            if !shares.contains_key(client) {
                // Clients without a request are forgotten.
                shares.retain(|_, share| Arc::strong_count(share) > 1);
            }
            let new = || Arc::new(Semaphore::new(self.share));
            Arc::clone(shares.entry(client.to_owned()).or_insert_with(new))
        };
        // The semaphores are never closed, so acquiring a permit cannot fail.
        let share = share.acquire_owned().await.ok();
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        Admitted {
            _places: (share, place),
        }
    }
}
