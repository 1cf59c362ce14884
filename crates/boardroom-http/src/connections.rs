//! The open connections, and which of them gives way to a new one.

use crate::descriptors;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Descriptors that are left for the program itself and for connections that are being closed.
const RESERVED: usize = 64;

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
    state: Arc<State>,
    all: Arc<Connections>,
}

/// Address, phase and client of a connection.
#[derive(Debug)]
struct State {
    address: IpAddr,
    opened: Instant,
    /// What it does, and since when.
    phase: Mutex<(Phase, Instant)>,
    /// The client that last showed a valid token on the connection; a proxy may serve several clients.
    client: Mutex<Option<Arc<str>>>,
}

/// An entry of the list of connections. It holds the state and not the [`Connection`]: dropping the last reference to
/// a connection locks the list, so a reader of the list, which has locked it, must not hold such a reference.
#[derive(Debug)]
struct Listed {
    state: Arc<State>,
    close: oneshot::Sender<()>,
}

/// Whose connections are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Address(IpAddr),
    Client(Arc<str>),
}

impl State {
    fn phase(&self) -> (Phase, Instant) {
        *lock(&self.phase)
    }

    fn holder(&self) -> Holder {
        let client = lock(&self.client).clone();
        client.map_or(Holder::Address(self.address), Holder::Client)
    }

    /// Whether it is new, or its next request began just now.
    fn has_grace(&self, now: Instant) -> bool {
        let (phase, since) = self.phase();
        let is_waiting = matches!(phase, Phase::New | Phase::Idle);
        now < self.opened + GRACE || (!is_waiting && now < since + GRACE)
    }

    fn is_known(&self) -> bool {
        lock(&self.client).is_some()
    }
}

/// All connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: Limits,
    open: Mutex<(u64, BTreeMap<u64, Listed>)>,
    /// Those that exist, also if they have to give way and are being closed.
    alive: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            open: Mutex::default(),
            alive: AtomicUsize::new(0),
        })
    }

    /// A place for a connection from `address`, and what is ready when it has to give way. `None` if there is
    /// no place and no connection that may give way.
    pub(crate) fn enter(
        self: &Arc<Self>,
        address: IpAddr,
    ) -> Option<(Arc<Connection>, oneshot::Receiver<()>)> {
        let address = network(address);
        let mut open = lock(&self.open);
        let (next, listed) = &mut *open;
        if !address.is_loopback() {
            let is_same = |other: &State| other.address == address;
            let count = listed.values().filter(|one| is_same(&one.state)).count();
            if count >= self.limits.per_address && !make_way(listed, is_same) {
                return None;
            }
        }
        if listed.len() >= self.limits.connections && !make_way(listed, |_| true) {
            return None;
        }
        let (close, closed) = oneshot::channel();
        *next += 1;
        self.alive.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        let state = Arc::new(State {
            address,
            opened: now,
            phase: Mutex::new((Phase::New, now)),
            client: Mutex::default(),
        });
        let connection = Connection {
            number: *next,
            state: Arc::clone(&state),
            all: Arc::clone(self),
        };
        listed.insert(*next, Listed { state, close });
        Some((Arc::new(connection), closed))
    }

    /// Closes the connection that can best be spared, when the process has no descriptor left.
    pub(crate) fn shed(&self) {
        make_way(&mut lock(&self.open).1, |_| true);
    }

    /// Whether more connections than may be open still exist, because they are being closed.
    pub(crate) fn is_crowded(&self) -> bool {
        self.alive.load(Ordering::Relaxed) > self.limits.connections + RESERVED / 4
    }

    /// Whether one more stream may open. For a client with a token (`is_known`), another stream is closed if there is
    /// no place.
    fn admits_stream(&self, is_known: bool) -> bool {
        let listed = &mut lock(&self.open).1;
        let streams = || {
            listed.iter().filter_map(|(number, one)| {
                let (phase, since) = one.state.phase();
                let client = lock(&one.state.client).clone();
                (phase == Phase::Stream).then_some((client, since, *number))
            })
        };
        if streams().count() < self.limits.streams {
            return true;
        }
        if !is_known {
            return false;
        }
        // All clients without a token count as one client, whose streams are closed first.
        let mut held: BTreeMap<Option<Arc<str>>, usize> = BTreeMap::new();
        for (client, ..) in streams() {
            *held.entry(client).or_default() += 1;
        }
        let most = held
            .into_iter()
            .max_by_key(|(client, count)| (client.is_none(), *count))
            .map(|(client, _)| client);
        let oldest = streams()
            .filter(|(client, ..)| Some(client) == most.as_ref())
            .min_by_key(|&(_, since, number)| (since, number))
            .map(|(.., number)| number);
        oldest.is_none_or(|number| close(listed, number))
    }
}

/// Removes a connection and tells it to close; `false` if it is not listed.
fn close(listed: &mut BTreeMap<u64, Listed>, number: u64) -> bool {
    let Some(one) = listed.remove(&number) else {
        return false;
    };
    // It fails only if the connection was closed just now.
    let _ = one.close.send(());
    true
}

/// Removes a connection among those that fit, and tells it to close; `false` if none may give way. Shares are fair:
/// it is one of the holder with the most connections, so that nobody keeps others out by holding many. Of this
/// holder it is the one that has waited longest for its client: a half-sent body is no more than an idle connection.
fn make_way(listed: &mut BTreeMap<u64, Listed>, fits: impl Fn(&State) -> bool) -> bool {
    let mut held: BTreeMap<Holder, usize> = BTreeMap::new();
    for one in listed.values() {
        *held.entry(one.state.holder()).or_default() += 1;
    }
    let now = Instant::now();
    let candidates = listed.iter().filter_map(|(number, one)| {
        let (phase, since) = one.state.phase();
        if matches!(phase, Phase::Busy | Phase::Stream) || !fits(&one.state) {
            return None;
        }
        let holder = one.state.holder();
        let count = held.get(&holder).copied().unwrap_or_default();
        let is_known = matches!(holder, Holder::Client(_));
        let share = count.saturating_sub(if is_known { USUAL } else { 0 });
        let grace = one.state.has_grace(now);
        Some(((Reverse(share), is_known, grace, since), *number))
    });
    let chosen = candidates.min().map(|(_, number)| number);
    chosen.is_some_and(|number| close(listed, number))
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
        self.state.phase()
    }

    pub(crate) fn set_phase(&self, phase: Phase) {
        *lock(&self.state.phase) = (phase, Instant::now());
    }

    /// When it has to have gone on, if it waits for its client.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let (phase, since) = self.phase();
        let limits = &self.all.limits;
        match phase {
            Phase::New | Phase::Head => Some(since + limits.head),
            Phase::Idle => Some(since + limits.idle),
            Phase::Body | Phase::Busy | Phase::Answer | Phase::Stream => None,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.all.limits
    }

    /// Notes that the client with this name has shown a valid token.
    pub(crate) fn set_client(&self, name: &str) {
        *lock(&self.state.client) = Some(name.into());
    }

    /// Marks the connection as a stream; `false` if there are too many streams and its client has shown no token.
    pub(crate) fn begin_stream(&self) -> bool {
        if !self.all.admits_stream(self.state.is_known()) {
            return false;
        }
        self.set_phase(Phase::Stream);
        true
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.all.open).1.remove(&self.number);
        self.all.alive.fetch_sub(1, Ordering::Relaxed);
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
    async fn who_waits_longest_without_a_token_gives_way() {
        let all = Connections::new(limits(4));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let mut open: Vec<_> = (0..4).map(|_| all.enter(here).unwrap()).collect();
        open[0].0.set_client("one");
        open[1].0.set_phase(Phase::Busy);
        assert!(open[2].0.begin_stream());
        let newest = all.enter(here).unwrap();
        assert!(
            open[3].1.try_recv().is_ok(),
            "the only idle one without a token"
        );
        newest.0.set_phase(Phase::Busy);
        let _last = all.enter(here).unwrap();
        assert!(open[0].1.try_recv().is_ok(), "then one with a token");
        _last.0.set_phase(Phase::Busy);
        assert!(all.enter(here).is_none(), "all are busy");
        drop(newest);
        assert!(all.enter(here).is_some());
    }

    /// One client that holds the whole table keeps nobody out.
    #[tokio::test(start_paused = true)]
    async fn the_client_with_the_most_connections_gives_way() {
        let all = Connections::new(limits(40));
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let enter = |client: Option<&str>, phase| {
            let (connection, closed) = all.enter(here).unwrap();
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
            let one = all.enter(here).unwrap();
            one.0.set_phase(Phase::Body);
            one
        };
        let mut many: Vec<_> = (0..20).map(|_| half()).collect();
        tokio::time::advance(Duration::from_secs(2)).await;
        for _ in 0..10 {
            let mut honest = all.enter(here).unwrap();
            tokio::time::advance(Duration::from_millis(100)).await;
            many.push(half());
            assert!(honest.1.try_recv().is_err(), "it is new");
        }
        tokio::time::advance(Duration::from_secs(2)).await;
        let mut late = all.enter(here).unwrap();
        late.0.set_phase(Phase::Head);
        many.push(half());
        assert!(late.1.try_recv().is_err(), "its request began just now");
    }

    #[tokio::test]
    async fn addresses_of_one_network_of_ipv6_are_one_client() {
        let all = Connections::new(limits(100));
        let enter = |last: u16| {
            let address = format!("2001:db8:0:1::{last:x}");
            all.enter(address.parse().unwrap()).unwrap()
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
            let (connection, closed) = all.enter(here).unwrap();
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
        let mut first = all.enter(there).unwrap();
        let mut other = all.enter("192.0.2.2".parse().unwrap()).unwrap();
        let _second = all.enter(there).unwrap();
        let _third = all.enter(there).unwrap();
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
                    let open: Vec<_> = (0..20).map(|_| all.enter(here)).collect();
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
