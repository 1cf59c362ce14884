//! A line of slots in which orders or goods wait for their week.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Longest delay that a pipeline can hold \[weeks\].
// The slots are an array of this length and not a list, so that a chain has no heap memory and a search can copy it.
pub const MAX_DELAY: u32 = 8;

const SLOTS: usize = MAX_DELAY as usize;

/// Amounts on their way, one slot for each week; the slot that arrives next comes first.
///
/// A week first [`take`](Self::take)s what arrives and then [`add`](Self::add)s what is sent: it
/// will arrive as many weeks later as the pipeline has slots. In JSON a pipeline is the list of
/// its slots, next arrival first.
///
/// ```
/// use beer_game::chain::Pipeline;
///
/// let mut goods = Pipeline::filled(2, 100.0);
/// assert_eq!(goods.take(), 100.0);
/// goods.put(400.0);
/// assert_eq!(goods.total(), 500.0);
/// assert_eq!(goods.take(), 100.0, "this week still the old flow");
/// goods.put(0.0);
/// assert_eq!(goods.take(), 400.0, "two weeks after it was sent");
/// ```
///
/// Two pipelines are equal if the same amounts arrive in the same weeks, wherever their
/// rings begin.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline {
    // A ring: INVARIANT next < len <= MAX_DELAY and len >= 1; slots from `len` on are 0. `last` is the slot
    // before `next`; it is kept because every week writes there.
    slots: [f64; SLOTS],
    len: u8,
    next: u8,
    last: u8,
}

/// The place of a slot. The remainder changes nothing, by the invariant of the ring, but the compiler then
/// needs no check of bounds.
#[inline(always)]
const fn place(slot: u8) -> usize {
    slot as usize % SLOTS
}

impl Pipeline {
    /// A pipeline of `delay` slots \[weeks\] with `each` \[units\] in every slot; the delay is
    /// brought into `1..=MAX_DELAY`.
    ///
    /// Settings of a game are checked before ([`Config::check`](crate::Config::check)),
    /// so this concerns callers with delays of their own only.
    #[must_use]
    pub fn filled(delay: u32, each: f64) -> Self {
        let len = delay.clamp(1, MAX_DELAY);
        let mut slots = [0.0; SLOTS];
        slots
            .iter_mut()
            .take(len as usize)
            .for_each(|slot| *slot = each);
        let len = len as u8;
        Self {
            slots,
            len,
            next: 0,
            last: len - 1,
        }
    }

    /// Takes the amount that arrives this week \[units\]; its slot becomes the last one, and empty.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a place is below SLOTS")]
    pub fn take(&mut self) -> f64 {
        // Orders of the published games take one week: a ring of one slot has no places to keep.
        if self.len == 1 {
            return std::mem::take(&mut self.slots[0]);
        }
        let arrived = std::mem::take(&mut self.slots[place(self.next)]);
        self.last = self.next;
        self.next = if self.next + 1 == self.len {
            0
        } else {
            self.next + 1
        };
        arrived
    }

    /// Sends `units` on their way in the slot that arrives last, which [`take`](Self::take) has
    /// just emptied. Unlike [`add`](Self::add) this need not wait for what stood there.
    #[inline]
    pub fn put(&mut self, units: f64) {
        *self.last_slot() = units;
    }

    /// Sends `units` on their way: they join the slot that arrives last.
    ///
    /// For senders that may send twice a week, such as a brewery that orders from itself.
    #[inline]
    pub fn add(&mut self, units: f64) {
        *self.last_slot() += units;
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a place is below SLOTS")]
    fn last_slot(&mut self) -> &mut f64 {
        &mut self.slots[place(self.last)]
    }

    /// All that is on its way \[units\].
    ///
    /// Summed in order of arrival, so that a pipeline that was saved and read again gives the same
    /// last bit.
    #[inline]
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a place is below SLOTS")]
    pub fn total(&self) -> f64 {
        // Goods of the published games take one week or two, and every observation needs the sum.
        if self.len <= 2 {
            // From 0, as in the loop below: -0 becomes 0 in both.
            let first = 0.0 + self.slots[place(self.next)];
            let second = self.slots[place(self.last)];
            return if self.len == 1 { first } else { first + second };
        }
        let mut total = 0.0;
        let mut at = self.next;
        // Few slots: a plain walk round the ring is shorter than two loops over its halves.
        for _ in 0..self.len {
            total += self.slots[place(at)];
            at = if at + 1 == self.len { 0 } else { at + 1 };
        }
        total
    }

    /// Number of slots \[weeks\].
    #[must_use]
    pub fn delay(&self) -> u32 {
        u32::from(self.len)
    }

    /// The slots, next arrival first \[units\].
    ///
    /// Yields [`delay`](Self::delay) amounts.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        let ring = self.slots.iter().copied().take(usize::from(self.len));
        ring.clone()
            .cycle()
            .skip(usize::from(self.next))
            .take(usize::from(self.len))
    }
}

impl PartialEq for Pipeline {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Serialize for Pipeline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Pipeline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Vec::<f64>::deserialize(deserializer)?;
        if given.is_empty() || given.len() > SLOTS {
            return Err(serde::de::Error::custom(format!(
                "a pipeline has 1 to {MAX_DELAY} slots, not {}",
                given.len()
            )));
        }
        let mut pipeline = Self::filled(1, 0.0);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked against MAX_DELAY above"
        )]
        let len = given.len() as u8;
        pipeline.len = len;
        pipeline.last = len - 1;
        for (slot, units) in pipeline.slots.iter_mut().zip(given) {
            *slot = units;
        }
        Ok(pipeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives_after_the_delay() {
        let mut line = Pipeline::filled(3, 4.0);
        for (sent, expected) in [
            (10.0, 4.0),
            (20.0, 4.0),
            (30.0, 4.0),
            (0.0, 10.0),
            (0.0, 20.0),
        ] {
            assert_eq!(line.take(), expected);
            line.add(sent);
        }
        assert_eq!(line.total(), 30.0);
    }

    #[test]
    fn every_delay_keeps_the_order_of_arrival() {
        for delay in 1..=MAX_DELAY {
            let mut line = Pipeline::filled(delay, 1.0);
            let mut plain = std::collections::VecDeque::from(vec![1.0; delay as usize]);
            for week in 0..20 {
                let sent = f64::from(week) * 7.0 + 0.3;
                assert_eq!(Some(line.take()), plain.pop_front(), "delay {delay}");
                plain.push_back(0.0);
                assert_eq!(line.total(), plain.iter().fold(0.0, |sum, x| sum + x));
                line.put(sent);
                line.add(2.0);
                *plain.back_mut().unwrap() = sent + 2.0;
                assert!(line.iter().eq(plain.iter().copied()), "delay {delay}");
                assert_eq!(line.total(), plain.iter().fold(0.0, |sum, x| sum + x));
            }
        }
    }

    #[test]
    fn json_lists_the_next_arrival_first_and_forgets_the_ring() {
        let mut line = Pipeline::filled(3, 1.0);
        line.take();
        line.add(5.0);
        let json = serde_json::to_string(&line).unwrap();
        assert_eq!(json, "[1.0,1.0,5.0]");
        let mut back: Pipeline = serde_json::from_str(&json).unwrap();
        assert_eq!(back, line);
        for sent in 0..7 {
            assert_eq!(back.take(), line.take());
            back.add(f64::from(sent));
            line.add(f64::from(sent));
        }
        assert!(serde_json::from_str::<Pipeline>("[]").is_err());
        assert!(serde_json::from_str::<Pipeline>("[1,1,1,1,1,1,1,1,1]").is_err());
    }
}
