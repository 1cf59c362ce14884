//! Measures a server under load, with clients in the same process.
//!
//! ```text
//! cargo run --release -p boardroom-serve --example load                 all three
//! cargo run --release -p boardroom-serve --example load -- mcp          1,000 games at once over HTTP
//! cargo run --release -p boardroom-serve --example load -- openenv      64 rollouts over WebSockets
//! cargo run --release -p boardroom-serve --example load -- classroom    30 teams of four, pages connected
//! ```
//!
//! Every game is recorded, and the records are verified at the end. It ends with an error where the server
//! is slower, or takes more memory, than it may on two cores.

#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use beer_game::Spec;
use boardroom_serve::classroom::{Classroom, ClassroomOptions};
use boardroom_serve::openenv::Reward;
use boardroom_serve::sessions::{SessionLimits, SessionManager, SessionOptions};
use boardroom_serve::transport::{bind, serve_http};
use boardroom_serve::{Server, ServerMode};
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::verify::verify;
use run_engine::{Registry, RunError};
use serde_json::{Value, json};
use std::error::Error;
use std::future::Future;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tungstenite::Message;

type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;
type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;
type Ready = Box<dyn FnOnce(SocketAddr) + Send>;

/// Games that are open at the same time over MCP.
const GAMES: usize = 1_000;
/// Connections of the clients over MCP.
const CLIENTS: usize = 64;
/// Rollouts at the same time over OpenEnv.
const ROLLOUTS: usize = 64;
/// Episodes of each rollout.
const EPISODES: u64 = 20;
/// Teams of the classroom.
const TEAMS: u32 = 30;
/// Fewest calls per second, longest wait of 99 in 100 of them, and most memory \[MB\] over MCP.
const CALLS: f64 = 3_000.0;
const WAIT: Duration = Duration::from_millis(50);
const MEMORY: u64 = 300;
/// Fewest steps per second over OpenEnv.
const STEPS: f64 = 2_000.0;
/// Longest time until a page of the classroom shows a new week.
const SHOWN: Duration = Duration::from_millis(200);
/// Time for which the players of the classroom think, each week.
const THOUGHT: Duration = Duration::from_millis(700);
/// Weeks of the Beer Game, and of the classic one.
const WEEKS: u64 = 25;
const CLASSIC: u64 = 36;

fn main() -> Done {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = wanted.is_empty();
    let mut faults = Vec::new();
    for (name, work) in [
        ("mcp", mcp as fn() -> Done),
        ("openenv", openenv),
        ("classroom", classroom),
    ] {
        let does = all || wanted.iter().any(|word| word == name);
        if let Some(Err(fault)) = does.then(work) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.join("; ").into())
}

/// An error that names the limits which do not hold.
fn limits(all: &[(&str, bool)]) -> Done {
    let missed = all.iter().filter(|(_, holds)| !holds);
    let missed: Vec<&str> = missed.map(|(limit, _)| *limit).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("there should be {}", missed.join(", ")).into())
}

fn registry() -> Registry {
    Registry::new().with_boxed(Spec.boxed())
}

fn sessions(dir: &Path, preset: &str, agent: &str) -> Done<Arc<SessionManager>> {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some(preset.to_owned()),
        agent: agent.to_owned(),
        episodes: Some(1_000_000),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry(), request)?;
    let folder = Folder::create(dir, plan.clone())?;
    let options = SessionOptions {
        follows: agent == "classroom",
        ..SessionOptions::new(ServerMode::Play, SessionLimits::default())
    };
    Ok(Arc::new(SessionManager::with(
        registry(),
        plan,
        options,
        Some(folder),
    )?))
}

/// Runs `work` against a server.
fn with_server<T>(
    serve: impl FnOnce(SocketAddr, Ready, Stop) -> Result<(), RunError> + Send,
    work: impl FnOnce(SocketAddr) -> Done<T>,
) -> Done<T> {
    let (tell, told) = channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            let ready: Ready = Box::new(move |address| {
                // The receiver waits for it.
                let _ = tell.send(address);
            });
            let stop: Stop = Box::pin(async move { drop(stopped.await) });
            serve(SocketAddr::from(([127, 0, 0, 1], 0)), ready, stop)
        });
        let address = told.recv()?;
        let done = work(address);
        drop(stop);
        thread.join().map_err(|_| "the server crashed")??;
        done
    })
}

/// Runs `work` on `count` threads and returns what each of them returned.
fn on_threads<T: Send>(count: usize, work: impl Fn(usize) -> Done<T> + Sync) -> Done<Vec<T>> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|k| scope.spawn(move || work(k))).collect();
        let done = threads.into_iter().map(|thread| {
            let done = thread.join();
            done.unwrap_or_else(|_| Err("a client crashed".into()))
        });
        done.collect()
    })
}

/// A connection that stays open.
struct Client {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    token: String,
}

impl Client {
    fn new(host: SocketAddr, token: &str) -> Done<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            host,
            token: token.to_owned(),
        })
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> Done {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.host,
            self.token,
            body.len()
        );
        Ok(self.stream.get_mut().write_all(request.as_bytes())?)
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Done<Value> {
        self.send(method, path, body)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server hung up".into());
            }
            let line = line.trim_end().to_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body)?)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Done<Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let answer = self.ask("POST", "/mcp", &request.to_string())?;
        let found = answer.pointer("/result/structuredContent").cloned();
        found.ok_or_else(|| format!("no result: {answer}").into())
    }
}

fn mcp() -> Done {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("games");
    let server = Server::new(sessions(&path, "random", "mcp")?);
    let (mut waits, seconds) = with_server(
        |address, ready, stop| serve_http(&server, address, ready, stop),
        |address| {
            let began = Instant::now();
            let waits = on_threads(CLIENTS, |k| play_games(address, k))?;
            Ok((waits.concat(), began.elapsed().as_secs_f64()))
        },
    )?;
    drop(server);
    let rate = waits.len() as f64 / seconds;
    waits.sort_unstable();
    let wait = quantile(&waits, 0.99);
    println!(
        "mcp: {GAMES} games at once over {CLIENTS} connections: {rate:.0} calls/s, p50 {:.1} ms, p99 {:.1} ms",
        millis(quantile(&waits, 0.5)),
        millis(wait),
    );
    let memory = peak();
    checked(&path, GAMES)?;
    limits(&[
        ("at least 3,000 calls/s", rate >= CALLS),
        ("a p99 below 50 ms", wait < WAIT),
        ("less than 300 MB of memory", memory < MEMORY),
    ])
}

/// Plays the games of one client, a week of each after the other, and checks that none is mixed up
/// with another.
fn play_games(address: SocketAddr, client: usize) -> Done<Vec<Duration>> {
    let mut connection = Client::new(address, "")?;
    let mut waits = Vec::new();
    let mut games = Vec::new();
    for number in (client..GAMES).step_by(CLIENTS) {
        let began = Instant::now();
        let opened = connection.call("new_episode", &json!({"episode": number}))?;
        waits.push(began.elapsed());
        let id = opened.get("episode_id").cloned();
        games.push((number, id.ok_or("no game")?));
    }
    for week in 0..WEEKS {
        for (number, id) in &games {
            let order = json!({"episode_id": id, "quantity": 50 + number % 97, "turn": week});
            let began = Instant::now();
            let told = connection.call("place_order", &order)?;
            waits.push(began.elapsed());
            let over = told.get("over") == Some(&Value::Bool(true));
            if told.get("rejected").is_some() || over != (week + 1 == WEEKS) {
                return Err(format!("game {number}, week {week}: {told}").into());
            }
        }
    }
    Ok(waits)
}

fn openenv() -> Done {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("games");
    let server = Server::new(sessions(&path, "random", "mcp")?).with_openenv(Reward::Score);
    let seconds = with_server(
        |address, ready, stop| serve_http(&server, address, ready, stop),
        |address| {
            let began = Instant::now();
            on_threads(ROLLOUTS, |k| roll_out(address, k as u64))?;
            Ok(began.elapsed().as_secs_f64())
        },
    )?;
    drop(server);
    let steps = ROLLOUTS as u64 * EPISODES * WEEKS;
    let rate = steps as f64 / seconds;
    println!("openenv: {ROLLOUTS} rollouts at once: {rate:.0} steps/s");
    checked(&path, ROLLOUTS * usize::try_from(EPISODES)?)?;
    limits(&[("at least 2,000 steps/s", rate >= STEPS)])
}

fn roll_out(address: SocketAddr, number: u64) -> Done {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (mut socket, _) =
        tungstenite::client(format!("ws://{address}/ws"), stream).map_err(|e| e.to_string())?;
    let mut ask = |message: &Value| -> Done<Value> {
        socket.send(Message::text(message.to_string()))?;
        let answer: Value = serde_json::from_str(socket.read()?.to_text()?)?;
        match answer.get("type").and_then(Value::as_str) {
            Some("observation") => Ok(answer),
            _ => Err(answer.to_string().into()),
        }
    };
    for episode in 0..EPISODES {
        ask(&json!({"type": "reset", "data": {"seed": number * EPISODES + episode}}))?;
        let step = json!({"type": "step", "data": {"quantity": 50 + number}});
        let mut last = Value::Null;
        for _ in 0..WEEKS {
            last = ask(&step)?;
        }
        if last.pointer("/data/done") != Some(&Value::Bool(true)) {
            return Err(last.to_string().into());
        }
    }
    Ok(())
}

/// When the last order of a week was answered, or a page showed the next one.
struct Seen {
    team: usize,
    seat: usize,
    /// The week that began, from 0.
    week: u64,
    at: Instant,
}

/// How long a page took to show a week, and which.
struct Lag {
    took: Duration,
    page: String,
}

fn classroom() -> Done {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("games");
    let options = ClassroomOptions {
        teams: TEAMS,
        episode: 0,
        bot: "order-up-to".to_owned(),
        stand_in: "order-up-to".to_owned(),
        models: None,
        limit: None,
        is_open: false,
    };
    let classroom = Classroom::open(
        sessions(&path, "classic", "classroom")?,
        options,
        Some(&path),
    )?;
    let links = classroom.links();
    let tokens: Vec<String> = links.iter().map(|link| link.token.clone()).collect();
    let mut lags = with_server(
        move |address, ready, stop| classroom.serve(bind(address)?, ready, stop),
        |address| teach(address, &tokens),
    )?;
    lags.sort_unstable_by_key(|lag| lag.took);
    let waits: Vec<Duration> = lags.iter().map(|lag| lag.took).collect();
    let longest = quantile(&waits, 1.0);
    println!(
        "classroom: {TEAMS} teams of four at once: a page shows a new week after p50 {:.0} ms, p99 {:.0} ms, \
         at most {:.0} ms ({} updates)",
        millis(quantile(&waits, 0.5)),
        millis(quantile(&waits, 0.99)),
        millis(longest),
        waits.len(),
    );
    let slowest = lags.iter().rev().take(10);
    let slowest = slowest.map(|lag| format!("{} {:.0} ms", lag.page, millis(lag.took)));
    println!("  slowest: {}", slowest.collect::<Vec<_>>().join("; "));
    checked(&path, usize::try_from(TEAMS)?)?;
    limits(&[("every page within 200 ms", longest <= SHOWN)])
}

/// Plays all teams, and returns how long each page took to show each new week.
fn teach(address: SocketAddr, tokens: &[String]) -> Done<Vec<Lag>> {
    let (teacher, seats) = tokens.split_first().ok_or("no links")?;
    let mut desk = Client::new(address, teacher)?;
    let places: Vec<(String, &String)> = seats
        .iter()
        .map(|token| {
            let me = Client::new(address, token)?.ask("GET", "/api/me", "")?;
            let seat = me.get("seat").and_then(Value::as_str).unwrap_or_default();
            let path = format!(
                "/api/teams/{}/seats/{seat}",
                me.get("team").unwrap_or(&Value::Null)
            );
            Ok((path, token))
        })
        .collect::<Done<_>>()?;
    for (path, token) in &places {
        Client::new(address, token)?.ask("POST", &format!("{path}/join"), "{}")?;
    }
    desk.ask("POST", "/api/teacher/start", "{}")?;
    let closed: Mutex<Vec<Seen>> = Mutex::default();
    let (tell, told) = channel::<Seen>();
    let stop = AtomicBool::new(false);
    let stop = &stop;
    let lags = std::thread::scope(|scope| {
        let mut pages = Vec::new();
        for (place, (path, token)) in places.iter().enumerate() {
            let mut page = Client::new(address, token)?;
            page.send("GET", &format!("{path}/events"), "")?;
            page.stream
                .get_ref()
                .set_read_timeout(Some(Duration::from_millis(500)))?;
            let tell = tell.clone();
            pages.push(scope.spawn(move || watch(page, place, stop, &tell)));
        }
        drop(tell);
        let teams = usize::try_from(TEAMS)?;
        let played = on_threads(teams, |team| {
            let from = team * 4;
            let own = places.get(from..from + 4).ok_or("no seats")?;
            let mut clients = own
                .iter()
                .map(|(path, token)| Ok((path, Client::new(address, token)?)))
                .collect::<Done<Vec<_>>>()?;
            // No class closes every week of every team in the same instant.
            std::thread::sleep(THOUGHT.mul_f64(team as f64 / teams as f64));
            for week in 0..CLASSIC {
                for (path, client) in &mut clients {
                    let order =
                        json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": week});
                    let told = client.ask("POST", &format!("{path}/act"), &order.to_string())?;
                    if told.get("error") != Some(&Value::Bool(false)) {
                        return Err(format!("team {team}, week {week}: {told}").into());
                    }
                }
                let at = Instant::now();
                let mut closed = closed.lock().unwrap_or_else(PoisonError::into_inner);
                closed.push(Seen {
                    team,
                    seat: 3,
                    week: week + 1,
                    at,
                });
                drop(closed);
                // Without a pause the pages would show several weeks at once.
                std::thread::sleep(THOUGHT);
            }
            Ok(())
        });
        stop.store(true, Ordering::Relaxed);
        for page in pages {
            page.join().map_err(|_| "a page crashed")?;
        }
        played?;
        Ok::<_, Box<dyn Error + Send + Sync>>(lags(&closed, &told))
    })?;
    if lags.len() != places.len() * usize::try_from(CLASSIC)? {
        return Err(format!("{} updates are missing", places.len() * 36 - lags.len()).into());
    }
    Ok(lags)
}

fn lags(closed: &Mutex<Vec<Seen>>, told: &Receiver<Seen>) -> Vec<Lag> {
    let closed = closed.lock().unwrap_or_else(PoisonError::into_inner);
    let lag = |seen: Seen| {
        let Seen {
            team,
            seat,
            week,
            at,
        } = seen;
        let mut all = closed.iter();
        let began = all.find(|of| (of.team, of.week) == (team, week))?;
        Some(Lag {
            took: at.saturating_duration_since(began.at),
            page: format!("team {} seat {} week {}", team + 1, seat + 1, week + 1),
        })
    };
    told.try_iter().filter_map(lag).collect()
}

/// Reads the events of a page and tells when each week began.
fn watch(mut page: Client, place: usize, stop: &AtomicBool, tell: &std::sync::mpsc::Sender<Seen>) {
    let (team, seat) = (place / 4, place % 4);
    let mut week = 0;
    let mut line = String::new();
    while !stop.load(Ordering::Relaxed) || week < CLASSIC {
        match page.stream.read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(_) if stop.load(Ordering::Relaxed) => return,
            // The rest of the line comes later.
            Err(_) => continue,
        }
        let data = line.strip_prefix("data: ");
        let seen: Option<Value> = data.and_then(|data| serde_json::from_str(data).ok());
        line.clear();
        let Some(seen) = seen else { continue };
        let over = seen.get("over") == Some(&Value::Bool(true));
        let turn = seen.get("turn").and_then(Value::as_u64);
        let now = if over { Some(CLASSIC) } else { turn };
        if let Some(now) = now.filter(|now| *now > week) {
            let at = Instant::now();
            for week in week + 1..=now {
                // The receiver lives as long as the pages.
                let _ = tell.send(Seen {
                    team,
                    seat,
                    week,
                    at,
                });
            }
            week = now;
        }
    }
}

fn checked(path: &Path, games: usize) -> Done {
    let found = verify(&registry(), path)?;
    println!(
        "  {} of {games} records, {}; memory of server and clients at most {} MB",
        found.records,
        if found.is_sound() {
            "all verified"
        } else {
            "NOT SOUND"
        },
        peak()
    );
    if found.is_sound() && found.records == games as u64 {
        return Ok(());
    }
    Err(format!("{found:?}").into())
}

/// Highest memory of this process so far \[MB\]; 0 where the system does not tell it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let figure = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    figure.unwrap_or(0) / 1_024
}

fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let last = sorted.len().saturating_sub(1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last place"
    )]
    let place = (last as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
