//! The open connections, and which of them gives way to a new one.

use crate::descriptors;
use crate::lock;
use crate::shares::{Holder, Offer, Shares};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;

/// Descriptors that are left for the program itself and for connections that are being closed.
const RESERVED: usize = 64;

/// Connections that may exist beyond the limit, because they gave way and are being closed.
const CLOSING: usize = 16;

/// Maximum number of connections, however many files may be open: each may take 32 KiB.
const MOST: usize = 8_192;

/// Time for which a new connection, or the next request on one, gives way only if its client has nothing else.
const GRACE: Duration = Duration::from_secs(1);

/// Connections that a client with a token has before it counts as one that holds many: a browser opens six.
const USUAL: usize = 8;

/// Limits of a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of connections (default: half of the descriptors of the process, at most 8,192). When it is
    /// reached, a new one closes the connection that waits longest of the client with the most connections. A client
    /// is a token, or the address of connections without one.
    pub connections: usize,
    /// Maximum number of connections of one address (of IPv6 the first 64 bits) of another machine (default: half of
    /// all connections, because the members of a class may share one address). This machine has no limit of its own: a
    /// proxy connects from it.
    pub per_address: usize,
    /// Maximum number of streams (default: half of all connections). When it is reached, a new stream without a
    /// token is refused. A new stream with a token closes the oldest stream of the clients without a token, or else
    /// of the client with the most streams.
    pub streams: usize,
    /// Time for the head of a request from its first byte, and for the first byte of a connection (default
    /// 10 s).
    pub head: Duration,
    /// Time for the body of a request (default 10 s).
    pub body: Duration,
    /// Time that a connection may be idle after an answer (default 60 s).
    pub idle: Duration,
    /// Time for which a client may read nothing of what is sent to it (default 30 s).
    pub write: Duration,
    /// Maximum length of a body \[bytes\] (default 2 MiB).
    pub longest_body: usize,
}

impl Default for Limits {
    /// Raises the number of descriptors of the process to what the system permits.
    fn default() -> Self {
        let files = descriptors::raised().saturating_sub(RESERVED);
        let connections = (files / 2).clamp(16, MOST);
        Self {
            connections,
            per_address: connections / 2,
            streams: connections / 2,
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            write: Duration::from_secs(30),
            longest_body: 2 << 20,
        }
    }
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It never sent anything.
    New,
    /// The head of its first request arrived with it, and nobody has read it yet: it does not give way before.
    Unread,
    /// Its last request was answered.
    Idle,
    /// The head of a request arrives.
    Head,
    /// The body of a request arrives.
    Body,
    /// A request is being answered.
    Busy,
    /// The answer is sent.
    Answer,
    /// Events, or messages of a WebSocket, are sent until one side ends it.
    Stream,
}

/// An open connection; it is forgotten when this is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    number: u64,
    all: Arc<Connections>,
    /// Since it is held in this and not in the list, it also counts connections that gave way and are being closed.
    _place: Option<OwnedSemaphorePermit>,
    state: Mutex<State>,
}

/// What is known of a connection. Whoever changes it locks the list first.
#[derive(Debug, Clone)]
struct State {
    address: IpAddr,
    opened: Instant,
    /// What it does, and since when.
    phase: (Phase, Instant),
    /// The client that last showed a valid token on the connection; a proxy may serve several clients.
    client: Option<Arc<str>>,
}

impl State {
    fn holder(&self) -> Holder {
        let client = self.client.clone();
        client.map_or(Holder::Address(self.address), Holder::Client)
    }

    /// Whether it may give way. It has grace while it is new, and when its next request began just now.
    fn offer(&self) -> Option<Offer> {
        let (phase, since) = self.phase;
        let from = match phase {
            // A stream waits for its client from its first moment, so it would always be the first
            // to go here. Streams have a limit of their own instead, see `admits_stream`.
            Phase::Busy | Phase::Stream | Phase::Unread => return None,
            // An idle connection has its answer. To be idle gives no new grace, only a new request does.
            Phase::New | Phase::Idle => self.opened,
            Phase::Head | Phase::Body | Phase::Answer => since,
        };
        let grace = from + GRACE;
        Some(Offer { since, grace })
    }
}

/// The open connections of a server.
#[derive(Debug)]
struct Open {
    last: u64,
    /// The address of each, and how it is told to close.
    // A sender, not the connection: a reader of the list could hold the last reference to one, and
    // to drop it locks the list again.
    listed: BTreeMap<u64, (IpAddr, oneshot::Sender<()>)>,
    all: Shares,
    /// Those of each address of another machine.
    of_address: BTreeMap<IpAddr, Shares>,
    streams: Shares,
}

/// All connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: Limits,
    open: Mutex<Open>,
    /// For those that exist, also if they had to give way and are being closed.
    places: Arc<Semaphore>,
}

/// Shares are fair: the holder with the most connections gives way, so that nobody keeps others out by holding many.
fn weight(holder: &Holder, count: usize) -> usize {
    // With a token the usual number of connections weighs nothing, while a single connection of an
    // address weighs one. So a client with a token and no more than these gives way after everybody
    // who shows none.
    match holder {
        Holder::Address(_) => count,
        Holder::Client(_) => count.saturating_sub(USUAL),
    }
}

/// All clients without a token count as one holder, whose streams are closed first.
fn weight_of_streams(holder: &Holder, count: usize) -> usize {
    match holder {
        Holder::Address(_) => usize::MAX,
        Holder::Client(_) => count,
    }
}

impl Open {
    /// Enters what is known of a connection, unless it had to give way.
    fn note(&mut self, number: u64, state: &State) {
        // A connection that was told to close still reports what it does until its task ends. To
        // enter it again would keep it for ever, because only listed connections are forgotten.
        if !self.listed.contains_key(&number) {
            return;
        }
        let (holder, offer) = (state.holder(), state.offer());
        if !state.address.is_loopback() {
            let shares = self.of_address.entry(state.address);
            let shares = shares.or_insert_with(|| Shares::new(weight));
            shares.set(number, holder.clone(), offer);
        }
        if let (Phase::Stream, since) = state.phase {
            let holder = match &holder {
                Holder::Address(_) => Holder::Address(Ipv4Addr::UNSPECIFIED.into()),
                Holder::Client(_) => holder.clone(),
            };
            // Grace that has ended already: among streams the oldest goes, however short it has
            // existed.
            let grace = since;
            self.streams
                .set(number, holder, Some(Offer { since, grace }));
        } else {
            self.streams.remove(number);
        }
        self.all.set(number, holder, offer);
    }

    fn forget(&mut self, number: u64) -> Option<oneshot::Sender<()>> {
        let (address, close) = self.listed.remove(&number)?;
        self.all.remove(number);
        self.streams.remove(number);
        if let Some(shares) = self.of_address.get_mut(&address) {
            shares.remove(number);
            if shares.len() == 0 {
                self.of_address.remove(&address);
            }
        }
        Some(close)
    }

    /// Forgets a connection and tells it to close; `false` if there is none.
    fn close(&mut self, number: Option<u64>) -> bool {
        let Some(close) = number.and_then(|number| self.forget(number)) else {
            return false;
        };
        // It fails only if the connection was closed just now.
        let _ = close.send(());
        true
    }
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        let open = Open {
            last: 0,
            listed: BTreeMap::new(),
            all: Shares::new(weight),
            of_address: BTreeMap::new(),
            streams: Shares::new(weight_of_streams),
        };
        Arc::new(Self {
            limits,
            open: Mutex::new(open),
            places: Arc::new(Semaphore::new(limits.connections + CLOSING)),
        })
    }

    /// Waits until so few connections exist, those that are being closed included, that one more may.
    pub(crate) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so acquiring a permit cannot fail.
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Lists a connection from `address`, whose first head `has_arrived`, and gives what is ready when it has to give
    /// way. `None` if all places are taken and no connection may give way.
    pub(crate) fn enter(
        self: &Arc<Self>,
        address: IpAddr,
        has_arrived: bool,
        place: Option<OwnedSemaphorePermit>,
    ) -> Option<(Arc<Connection>, oneshot::Receiver<()>)> {
        let address = network(address);
        let now = Instant::now();
        let mut open = lock(&self.open);
        // The limit of the address before the limit of all: what it closes is also a place among
        // all, so that one new connection closes one other and not two.
        if let Some(same) = open.of_address.get_mut(&address)
            && same.len() >= self.limits.per_address
        {
            let chosen = same.first(now);
            if !open.close(chosen) {
                return None;
            }
        }
        if open.listed.len() >= self.limits.connections {
            let chosen = open.all.first(now);
            if !open.close(chosen) {
                return None;
            }
        }
        let (close, closed) = oneshot::channel();
        open.last += 1;
        let number = open.last;
        let phase = if has_arrived {
            Phase::Unread
        } else {
            Phase::New
        };
        let state = State {
            address,
            opened: now,
            phase: (phase, now),
            client: None,
        };
        open.listed.insert(number, (address, close));
        open.note(number, &state);
        let connection = Connection {
            number,
            all: Arc::clone(self),
            _place: place,
            state: Mutex::new(state),
        };
        Some((Arc::new(connection), closed))
    }

    /// Closes the connection that gives way first, when the process has no descriptor left.
    pub(crate) fn shed(&self) {
        let mut open = lock(&self.open);
        let chosen = open.all.first(Instant::now());
        open.close(chosen);
    }

    /// Whether one more stream may open. For a client with a token (`is_known`), another stream is closed if there is
    /// no place: the oldest of the clients without a token, or of the client with the most streams.
    fn admits_stream(&self, is_known: bool) -> bool {
        let mut open = lock(&self.open);
        if open.streams.len() < self.limits.streams {
            return true;
        }
        if !is_known {
            return false;
        }
        let oldest = open.streams.first(Instant::now());
        oldest.is_none() || open.close(oldest)
    }
}

/// The address, of IPv6 without the last 64 bits, which a machine chooses as it likes.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) if !six.is_loopback() => {
            Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX)).into()
        }
        address => address,
    }
}

impl Connection {
    /// What it does, and since when.
    pub(crate) fn phase(&self) -> (Phase, Instant) {
        lock(&self.state).phase
    }

    pub(crate) fn set_phase(&self, phase: Phase) {
        self.change(|state| state.phase = (phase, Instant::now()));
    }

    /// Goes on to `phase` if it does `now`.
    pub(crate) fn set_phase_if(&self, now: Phase, phase: Phase) {
        if self.phase().0 == now {
            self.set_phase(phase);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut open = lock(&self.all.open);
        let mut state = lock(&self.state);
        change(&mut state);
        open.note(self.number, &state);
    }

    /// When it has to have gone on, if it waits for its client.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let (phase, since) = self.phase();
        let limits = &self.all.limits;
        match phase {
            Phase::New | Phase::Unread | Phase::Head => Some(since + limits.head),
            Phase::Idle => Some(since + limits.idle),
            Phase::Body | Phase::Busy | Phase::Answer | Phase::Stream => None,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.all.limits
    }

    /// Notes that the client with this name has shown a valid token.
    pub(crate) fn set_client(&self, name: &str) {
        self.change(|state| {
            if state.client.as_deref() != Some(name) {
                state.client = Some(name.into());
            }
        });
    }

    /// Marks the connection as a stream; `false` if there are too many streams and its client has shown no token.
    pub(crate) fn begin_stream(&self) -> bool {
        let is_known = lock(&self.state).client.is_some();
        if !self.all.admits_stream(is_known) {
            return false;
        }
        self.set_phase(Phase::Stream);
        true
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.all.open).forget(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(connections: usize) -> Limits {
        Limits {
            connections,
            per_address: 2,
            ..Limits::default()
        }
    }

    #[tokio::test]
    async fn the_connection_that_waits_longest_without_a_token_gives_way() {
        let all = Connections::new(limits(4));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let mut open: Vec<_> = (0..4)
            .map(|_| all.enter(here, false, None).unwrap())
            .collect();
        open[0].0.set_client("one");
        open[1].0.set_phase(Phase::Busy);
        assert!(open[2].0.begin_stream());
        let newest = all.enter(here, false, None).unwrap();
        assert!(
            open[3].1.try_recv().is_ok(),
            "the only idle one without a token"
        );
        newest.0.set_phase(Phase::Busy);
        let _last = all.enter(here, false, None).unwrap();
        assert!(open[0].1.try_recv().is_ok(), "then one with a token");
        _last.0.set_phase(Phase::Busy);
        assert!(all.enter(here, false, None).is_none(), "all are busy");
        drop(newest);
        assert!(all.enter(here, false, None).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_a_request_does_not_give_way_before_it_is_read() {
        let all = Connections::new(limits(10));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let mut with_request = all.enter(here, true, None).unwrap();
        for _ in 0..3 {
            let burst: Vec<_> = (0..50).map(|_| all.enter(here, false, None)).collect();
            assert!(burst.iter().all(Option::is_some));
            tokio::time::advance(GRACE * 2).await;
            assert!(with_request.1.try_recv().is_err());
        }
        // A head that turned out not to be one.
        with_request.0.set_phase_if(Phase::Unread, Phase::Head);
        tokio::time::advance(GRACE * 2).await;
        let _burst: Vec<_> = (0..50).map(|_| all.enter(here, false, None)).collect();
        assert!(with_request.1.try_recv().is_ok());
    }

    /// One client that holds the whole table keeps nobody out.
    #[tokio::test(start_paused = true)]
    async fn the_client_with_the_most_connections_gives_way() {
        let all = Connections::new(limits(40));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let enter = |client: Option<&str>, phase| {
            let (connection, closed) = all.enter(here, false, None).unwrap();
            if let Some(client) = client {
                connection.set_client(client);
            }
            connection.set_phase(phase);
            (connection, closed)
        };
        let mut teacher = enter(Some("teacher"), Phase::Idle);
        let mut many: Vec<_> = (0..39)
            .map(|_| enter(Some("student"), Phase::Idle))
            .collect();
        let gone = |held: &mut Vec<(Arc<Connection>, oneshot::Receiver<()>)>| {
            let before = held.len();
            held.retain_mut(|one| one.1.try_recv().is_err());
            before - held.len()
        };
        for _ in 0..10 {
            let mut new = enter(None, Phase::New);
            tokio::time::advance(Duration::from_millis(100)).await;
            let mut other = enter(None, Phase::New);
            assert_eq!(gone(&mut many), 2);
            assert!(new.1.try_recv().is_err() && other.1.try_recv().is_err());
            many.push(enter(Some("student"), Phase::Idle));
            drop((new, other));
            many.push(enter(Some("student"), Phase::Idle));
        }
        assert!(teacher.1.try_recv().is_err());
    }

    /// On a server without tokens all clients of a machine are one holder; what is new has a moment to send.
    #[tokio::test(start_paused = true)]
    async fn half_sent_bodies_and_what_waits_longest_give_way_to_new_connections() {
        let all = Connections::new(limits(20));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let half = || {
            let one = all.enter(here, false, None).unwrap();
            one.0.set_phase(Phase::Body);
            one
        };
        let mut many: Vec<_> = (0..20).map(|_| half()).collect();
        tokio::time::advance(Duration::from_secs(2)).await;
        for _ in 0..10 {
            let mut honest = all.enter(here, false, None).unwrap();
            tokio::time::advance(Duration::from_millis(100)).await;
            many.push(half());
            assert!(honest.1.try_recv().is_err(), "it is new");
        }
        tokio::time::advance(Duration::from_secs(2)).await;
        let mut late = all.enter(here, false, None).unwrap();
        late.0.set_phase(Phase::Head);
        many.push(half());
        assert!(late.1.try_recv().is_err(), "its request began just now");
    }

    #[tokio::test]
    async fn addresses_of_one_network_of_ipv6_are_one_client() {
        let all = Connections::new(limits(100));
        let enter = |last: u16| {
            let address = format!("2001:db8:0:1::{last:x}");
            all.enter(address.parse().unwrap(), false, None).unwrap()
        };
        let (mut first, _second, _third) = (enter(1), enter(2), enter(3));
        assert!(first.1.try_recv().is_ok());
    }

    #[tokio::test]
    async fn the_client_with_the_most_streams_loses_its_oldest() {
        let all = Connections::new(Limits {
            streams: 3,
            ..limits(10)
        });
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let begin = |client: Option<&str>| {
            let (connection, closed) = all.enter(here, false, None).unwrap();
            if let Some(client) = client {
                connection.set_client(client);
            }
            let began = connection.begin_stream();
            (connection, closed, began)
        };
        let mut many = [begin(Some("many")), begin(Some("many"))];
        let mut few = begin(Some("few"));
        assert!(!begin(None).2, "without a token it is refused");
        assert!(many[0].1.try_recv().is_err());
        let mut new = begin(Some("few"));
        assert!(new.2 && many[0].1.try_recv().is_ok());
        assert!(few.1.try_recv().is_err() && many[1].1.try_recv().is_err());
        let newest = begin(Some("many"));
        assert!(newest.2 && few.1.try_recv().is_ok() && new.1.try_recv().is_err());
    }

    #[tokio::test]
    async fn an_address_of_another_machine_has_a_limit_of_its_own() {
        let all = Connections::new(limits(100));
        let there: IpAddr = "192.0.2.1".parse().unwrap();
        let mut first = all.enter(there, false, None).unwrap();
        let mut other = all
            .enter("192.0.2.2".parse().unwrap(), false, None)
            .unwrap();
        let _second = all.enter(there, false, None).unwrap();
        let _third = all.enter(there, false, None).unwrap();
        assert!(first.1.try_recv().is_ok() && other.1.try_recv().is_err());
    }

    /// A reader of the list that holds the last reference to a connection would wait for its own lock.
    #[test]
    fn connections_end_while_the_list_is_read() {
        let all = Connections::new(limits(50));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let (done, ended) = std::sync::mpsc::channel();
        for _ in 0..2 {
            let (all, done) = (Arc::clone(&all), done.clone());
            std::thread::spawn(move || {
                for _ in 0..10_000 {
                    let open: Vec<_> = (0..20).map(|_| all.enter(here, false, None)).collect();
                    assert!(all.admits_stream(true));
                    drop(open);
                }
                let _ = done.send(());
            });
        }
        for _ in 0..2 {
            let end = ended.recv_timeout(Duration::from_secs(30));
            assert!(end.is_ok(), "a thread waits for a lock that it holds");
        }
    }
}
