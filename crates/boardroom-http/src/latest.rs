//! Places of which the oldest holder gives way.

use crate::lock;
use std::collections::VecDeque;
use std::sync::Mutex;
use tokio::sync::oneshot;

/// A number of places; when all are taken, the oldest holder loses its place to the newest.
///
/// For what a client may hold for long without using it (a stream, a long body that does not arrive): it must
/// not keep others out, and nobody has to tell an idle holder from one that is gone.
#[derive(Debug)]
pub struct Latest {
    most: usize,
    holders: Mutex<VecDeque<oneshot::Sender<()>>>,
}

impl Latest {
    /// `most` places.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            holders: Mutex::default(),
        }
    }

    /// Takes a place. It is given back when the result is dropped, and lost when the result is ready.
    pub fn enter(&self) -> oneshot::Receiver<()> {
        let (holder, lost) = oneshot::channel();
        let mut holders = lock(&self.holders);
        // A receiver that was dropped tells nobody, so places that were given back are found when
        // one is needed.
        holders.retain(|holder| !holder.is_closed());
        // At least one place: with none, the loop would look for a holder to send away and never
        // end.
        while holders.len() >= self.most.max(1) {
            if let Some(oldest) = holders.pop_front() {
                // It fails only if the place was given back just now.
                let _ = oldest.send(());
            }
        }
        holders.push_back(holder);
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way_unless_a_place_is_free() {
        let places = Latest::new(2);
        let (mut first, second) = (places.enter(), places.enter());
        drop(second);
        let mut third = places.enter();
        assert!(first.try_recv().is_err(), "there was a free place");
        let mut fourth = places.enter();
        assert!(first.try_recv().is_ok());
        assert!(third.try_recv().is_err() && fourth.try_recv().is_err());
    }
}
