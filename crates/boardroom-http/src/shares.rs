//! Who holds how many connections, and which of them is closed first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::time::Instant;

/// Whose connections are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Address(IpAddr),
    Client(Arc<str>),
}

/// A connection that may give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Since when it waits for its client.
    pub since: Instant,
    /// Until when it gives way only if its holder has nothing else.
    pub grace: Instant,
}

/// Place of an offered connection among those of its holder: those with grace are last, in the order in which it
/// ends; the others in the order of [`Offer::since`].
type Place = (bool, Instant, u64);

/// Place of a holder among all: its weight, whether it is a known client, and its first connection.
type Rank = (Reverse<usize>, bool, Place);

#[derive(Debug, Default)]
struct Held {
    count: usize,
    offered: BTreeSet<Place>,
}

#[derive(Debug)]
struct Member {
    holder: Holder,
    /// Its offer, and its place.
    offered: Option<(Offer, Place)>,
}

/// Connections by holder. Each operation takes a time that is logarithmic in their number: a flood is a long row of
/// connections that enter and give way, and each of them must cost little.
#[derive(Debug)]
pub(crate) struct Shares {
    /// What a holder weighs that has this many.
    weight: fn(&Holder, usize) -> usize,
    members: BTreeMap<u64, Member>,
    held: BTreeMap<Holder, Held>,
    /// All holders with an offered connection.
    order: BTreeSet<Rank>,
    /// Connections with grace, by its end.
    graced: BTreeSet<(Instant, u64)>,
}

impl Shares {
    pub(crate) fn new(weight: fn(&Holder, usize) -> usize) -> Self {
        Self {
            weight,
            members: BTreeMap::new(),
            held: BTreeMap::new(),
            order: BTreeSet::new(),
            graced: BTreeSet::new(),
        }
    }

    /// Number of connections.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Enters a connection, or changes what is known of it. `offer` is `None` while it may not give way.
    pub(crate) fn set(&mut self, number: u64, holder: Holder, offer: Option<Offer>) {
        // A client is named again by each of its requests, and mostly nothing has changed.
        if let Some(known) = self.members.get(&number)
            && known.holder == holder
            && known.offered.map(|(offer, _)| offer) == offer
        {
            return;
        }
        self.remove(number);
        // With grace, even if that has ended: only `first` is told the time, and moves it there.
        let offered = offer.map(|offer| (offer, (true, offer.grace, number)));
        self.change(&holder, |held| {
            held.count += 1;
            held.offered.extend(offered.map(|(_, place)| place));
        });
        self.graced
            .extend(offered.map(|(offer, _)| (offer.grace, number)));
        self.members.insert(number, Member { holder, offered });
    }

    /// Forgets a connection, if it is known.
    pub(crate) fn remove(&mut self, number: u64) {
        let Some(member) = self.members.remove(&number) else {
            return;
        };
        if let Some((offer, _)) = member.offered {
            self.graced.remove(&(offer.grace, number));
        }
        self.change(&member.holder, |held| {
            held.count -= 1;
            if let Some((_, place)) = &member.offered {
                held.offered.remove(place);
            }
        });
    }

    /// The connection that gives way: of the holder with the largest weight, of two with the same weight the one
    /// without a token, the one that waits longest.
    pub(crate) fn first(&mut self, now: Instant) -> Option<u64> {
        // Each connection leaves its grace once, so the moves of a flood together cost as much as
        // its entries.
        while let Some(&(end, number)) = self.graced.first() {
            if end > now {
                break;
            }
            self.graced.pop_first();
            let Some(member) = self.members.get_mut(&number) else {
                continue;
            };
            let Some((offer, place)) = &mut member.offered else {
                continue;
            };
            let before = *place;
            *place = (false, offer.since, number);
            let (after, holder) = (*place, member.holder.clone());
            self.change(&holder, |held| {
                held.offered.remove(&before);
                held.offered.insert(after);
            });
        }
        self.order.first().map(|&(.., (.., number))| number)
    }

    /// Changes what a holder has, and its place in the order.
    fn change(&mut self, holder: &Holder, change: impl FnOnce(&mut Held)) {
        let weight = self.weight;
        let rank = |held: &Held| {
            let is_known = matches!(holder, Holder::Client(_));
            let first = held.offered.first()?;
            Some((Reverse(weight(holder, held.count)), is_known, *first))
        };
        let held = self.held.entry(holder.clone()).or_default();
        if let Some(before) = rank(held) {
            self.order.remove(&before);
        }
        change(held);
        self.order.extend(rank(held));
        if held.count == 0 {
            self.held.remove(holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The same choice, by looking at all connections.
    fn choice(all: &BTreeMap<u64, (Holder, Option<Offer>)>, now: Instant) -> Option<u64> {
        let offered = all.iter().filter_map(|(number, (holder, offer))| {
            let offer = (*offer)?;
            let same = all.values().filter(|(other, _)| other == holder).count();
            let is_known = matches!(holder, Holder::Client(_));
            let has_grace = offer.grace > now;
            let at = if has_grace { offer.grace } else { offer.since };
            Some(((Reverse(same), is_known, has_grace, at), *number))
        });
        offered.min().map(|(_, number)| number)
    }

    #[tokio::test(start_paused = true)]
    async fn the_choice_is_that_of_a_comparison_of_all() {
        let mut shares = Shares::new(|_, count| count);
        let mut all = BTreeMap::new();
        let mut drawn = 1_u64;
        let mut draw = |below: u64| {
            drawn = drawn
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (drawn >> 33) % below
        };
        let (begin, mut chosen) = (Instant::now(), 0);
        for step in 0..5_000_u64 {
            let now = begin + Duration::from_millis(step);
            let number = draw(60);
            let holder = match draw(5) {
                0 => Holder::Client("a".into()),
                1 => Holder::Client("b".into()),
                2 => Holder::Address(std::net::Ipv4Addr::LOCALHOST.into()),
                _ => Holder::Address(std::net::Ipv4Addr::UNSPECIFIED.into()),
            };
            if draw(4) == 0 {
                shares.remove(number);
                all.remove(&number);
            } else {
                let grace = now + Duration::from_millis(draw(80));
                let offer = Some(Offer { since: now, grace }).filter(|_| draw(4) > 0);
                shares.set(number, holder.clone(), offer);
                all.insert(number, (holder, offer));
            }
            let first = shares.first(now);
            assert_eq!(first, choice(&all, now), "step {step}");
            assert_eq!(shares.len(), all.len());
            // What gives way is closed now and then.
            if let Some(first) = first.filter(|_| draw(3) == 0) {
                shares.remove(first);
                all.remove(&first);
                chosen += 1;
            }
        }
        assert!(chosen > 1_000, "{chosen}");
        for number in 0..60 {
            shares.remove(number);
        }
        assert!(shares.held.is_empty() && shares.order.is_empty() && shares.graced.is_empty());
    }
}
