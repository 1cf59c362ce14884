//! What servers of models send: bodies, whole HTTP answers, recorded calls; and price files.

use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, committed, longest};
use agent_client::backends::Func;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::layer::budget::Budget;
use agent_client::layer::limiter::Limiter;
use agent_client::layer::record::Record;
use agent_client::layer::retry::{Retry, RetrySettings};
use agent_client::layer::transport::Raw;
use agent_client::layer::{Answer, Call, StageLayer};
use agent_client::ledger::CostLedger;
use agent_client::money::{Money, PriceBook};
use agent_client::pace::{Pace, PaceSettings};
use agent_client::play::{Agent, PlaySettings, play};
use agent_client::store::{Journal, MemoryStore};
use agent_client::wire::{ApiKind as Wire, Dialect};
use agent_client::{
    AgentBackend as _, AgentError, Message, ModelRole, Reply, Request, Slot, Tool, Usage,
};
use anyhow::{Context as _, Result};
use boardroom::Registry;
use serde_json::json;
use sim_core::scrub::Scrub;
use sim_core::{Header, Limits, Seed, Session};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tower::{ServiceBuilder, ServiceExt as _};

/// Bodies.
pub const REPLY: Target = Target {
    name: "reply",
    about: "bodies of answers: decoded, booked, recorded, and played in a game",
    weight: 4,
    longest: longest::TEXT,
    open: replies,
};

/// Answers as bytes.
pub const SERVER: Target = Target {
    name: "server",
    about: "whole HTTP answers over the loopback interface, headers included",
    weight: 2,
    longest: longest::FILE,
    open: answers,
};

/// Price files.
pub const PRICES: Target = Target {
    name: "prices",
    about: "price files; what a request cost can be read back",
    weight: 1,
    longest: longest::FILE,
    open: prices,
};

/// Recorded calls.
pub const CALLS: Target = Target {
    name: "calls",
    about: "recorded calls: opened, summed up, replayed",
    weight: 1,
    longest: longest::TEXT,
    open: calls,
};

fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime")
}

fn request(slot: &str) -> Request {
    let messages = vec![Message::system("Decide."), Message::user("How many?")];
    Request {
        tools: vec![Tool {
            name: "place_order".to_owned(),
            description: "orders".to_owned(),
            schema: json!({"type": "object", "properties": {"quantity": {"type": "integer"}}}),
        }],
        ..Request::new(ModelRole::Agent, Slot::new(slot), messages)
    }
}

/// No pauses: a test has no patience.
fn at_once() -> RetrySettings {
    RetrySettings {
        attempts: 2,
        identical: 2,
        first_pause: 0.0,
        longest_pause: 0.0,
    }
}

/// What a server sent.
#[derive(Debug, Clone)]
struct Sent {
    status: u16,
    body: Vec<u8>,
}

/// The replies in what was sent, through every stage but the network, and what they cost.
async fn through(wire: Wire, sent: Vec<Sent>) -> Vec<Result<Reply, AgentError>> {
    let dialect = Arc::new(Dialect::new(wire, "m"));
    let book = PriceBook::parse("[models.m]\ninput = 2.5\noutput = 10\ncached = 0.5\n");
    let price = book.ok().and_then(|book| book.price("m"));
    let price = price.unwrap_or(agent_client::money::Price::FREE);
    let ledger = CostLedger::new("50".parse::<Money>().ok());
    let scrub = Scrub::new([]);
    let store = Arc::new(MemoryStore::default());
    let Ok(cassette) = Cassette::open(store, CassetteMode::Both, scrub.clone()) else {
        return Vec::new();
    };
    let pace = Pace::new(&PaceSettings {
        // The largest limit, so that the stage runs and hardly ever waits.
        tokens_per_minute: NonZeroU32::new(u32::MAX),
        ..PaceSettings::default()
    });
    let next = Arc::new(AtomicUsize::new(0));
    let count = sent.len();
    let clean = scrub.clone();
    let server = tower::service_fn(move |call: Call| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        // From the first again, because retries ask more often than there are bodies.
        let one = sent.get(number % sent.len().max(1)).cloned();
        let clean = clean.clone();
        async move {
            let one = one.ok_or_else(|| AgentError::setup("nothing was sent"))?;
            let raw = Raw {
                cost: None,
                status: one.status,
                body: one.body,
                retry_after: None,
                reset: None,
            };
            raw.read(&call, &clean)
        }
    });
    let stages = ServiceBuilder::new()
        .layer(StageLayer(Budget::new(Arc::clone(&ledger), price)))
        .layer(StageLayer(Record::new(cassette, price)))
        .layer(StageLayer(Limiter::new(Arc::clone(&pace))))
        .layer(StageLayer(Retry::new(
            at_once(),
            pace,
            Arc::clone(&ledger),
            scrub,
        )))
        .service(server);
    let mut replies = Vec::new();
    for number in 0..count {
        let call = Call::new(&dialect, &request(&format!("e{number}")));
        let answer: Result<Answer, AgentError> = stages.clone().oneshot(call).await;
        replies.push(answer.and_then(|answer| answer.reply));
    }
    let _ = serde_json::to_string(&ledger.spending());
    replies
}

fn session(registry: &Registry) -> Option<Session> {
    let spec = registry.kind("beer-game").ok()?;
    let config = spec.configure(Some("random"), &[("weeks".to_owned(), json!(4))]);
    let case = spec.draw(&config.ok()?, Seed(1), 0).ok()?;
    let header = Header {
        agent: "openai:m".to_owned(),
        ..super::world::header(spec, &*case)
    };
    Some(Session::new(case.open().ok()?, header, Limits::default()))
}

fn replies() -> Result<Opened> {
    let (runtime, registry) = (runtime()?, Registry::new());
    Ok(Opened::new(committed(REPLY.name)?, move |input| {
        let Some(bundle) = Bundle::read(input) else {
            return Verdict::Refused;
        };
        let wire = match bundle.text("kind").as_str() {
            "anthropic" => Wire::Anthropic,
            _ => Wire::OpenAi,
        };
        let sent: Vec<Sent> = bundle
            .open()
            .map(|(name, body)| Sent {
                status: name
                    .split_whitespace()
                    .next()
                    .and_then(|s| s.parse().ok())
                    .unwrap_or(200),
                body: body.clone(),
            })
            .collect();
        let replies = runtime.block_on(through(wire, sent));
        if !replies.iter().any(Result::is_ok) {
            return Verdict::Refused;
        }
        let Some(mut session) = session(&registry) else {
            return Verdict::Refused;
        };
        let next = AtomicUsize::new(0);
        let backend = Func::new("f", move |_: &Request| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let reply = replies.get(number % replies.len().max(1));
            reply
                .cloned()
                .unwrap_or_else(|| Err(AgentError::setup("no reply")))
        });
        let minds = Agent::new(Arc::new(backend));
        let settings = PlaySettings::default();
        let _ = runtime.block_on(play(
            &mut session,
            &minds,
            &settings,
            &Slot::new("e0"),
            &mut |_| (),
        ));
        Verdict::Played
    }))
}

/// A server that sends the bytes that it is told to, whatever it is asked.
fn serve(bytes: &Arc<Mutex<Vec<u8>>>) -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let bytes = Arc::clone(bytes);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
            let mut asked = Vec::new();
            let mut piece = [0_u8; 16_384];
            // A request of a test is short; its body ends with the object's brace.
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                asked.extend_from_slice(piece.get(..length).unwrap_or_default());
                if asked.ends_with(b"}") {
                    break;
                }
            }
            let answer = bytes.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let _ = stream.write_all(&answer);
        }
    });
    Ok(port)
}

fn answers() -> Result<Opened> {
    let runtime = runtime()?;
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let port = serve(&bytes)?;
    Ok(Opened::new(committed(SERVER.name)?, move |input| {
        *bytes.lock().unwrap_or_else(PoisonError::into_inner) = input.to_vec();
        let mut settings = ClientSettings::new(
            Dialect::new(Wire::OpenAi, "m"),
            format!("http://127.0.0.1:{port}/v1"),
            None,
        );
        settings.retry = RetrySettings {
            attempts: 1,
            ..at_once()
        };
        // Half of the time after which an input counts as hung.
        settings.transport.attempt_timeout = 5.0;
        let Ok(client) = Client::new(settings, &Shared::default()) else {
            return Verdict::Broken("the client cannot be made".to_owned());
        };
        match runtime.block_on(client.ask(request("e0"))) {
            Ok(_) => Verdict::Played,
            // An error that was understood is an answer too.
            Err(e) if e.status.is_some() => Verdict::Played,
            Err(_) => Verdict::Refused,
        }
    }))
}

/// Counts at which a cost goes wrong.
const COUNTS: [u64; 7] = [0, 1, 999_999, 1 << 31, 1 << 53, 1 << 63, u64::MAX];

fn prices() -> Result<Opened> {
    Ok(Opened::new(committed(PRICES.name)?, |input| {
        // The program refuses a longer price file.
        if input.len() as u64 > run_engine::files::regular::MOST_TOML {
            return Verdict::Refused;
        }
        let text = String::from_utf8_lossy(input);
        let Ok(book) = PriceBook::parse(&text) else {
            let _ = text.trim().parse::<Money>();
            return Verdict::Refused;
        };
        for name in book.models.keys() {
            let Some(price) = book.price(name) else {
                continue;
            };
            for input in COUNTS {
                for cached in [0, 1, u64::MAX] {
                    let usage = Usage {
                        input,
                        cached,
                        stored: cached,
                        output: input,
                        ..Usage::default()
                    };
                    let cost = price.of(&usage);
                    let text = serde_json::to_string(&cost).unwrap_or_default();
                    if serde_json::from_str::<Money>(&text).is_err() {
                        return Verdict::Broken(format!("a cost that cannot be read back: {text}"));
                    }
                }
            }
        }
        match serde_json::to_string(&book).map(|text| PriceBook::parse(&text)) {
            Ok(Ok(_)) => Verdict::Played,
            _ => Verdict::Broken("a price book that cannot be read back".to_owned()),
        }
    }))
}

fn calls() -> Result<Opened> {
    let runtime = runtime()?;
    Ok(Opened::new(committed(CALLS.name)?, move |input| {
        let text = String::from_utf8_lossy(input);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let store = Arc::new(MemoryStore::of(lines));
        let _ = Journal::open(Arc::<MemoryStore>::clone(&store));
        let Ok(cassette) = Cassette::open(store, CassetteMode::Replay, Scrub::new([])) else {
            return Verdict::Refused;
        };
        let _ = (cassette.spent(), cassette.len());
        let Ok(client) = Client::replay(&cassette, None, None) else {
            return Verdict::Refused;
        };
        let _ = runtime.block_on(client.ask(request("e0")));
        Verdict::Played
    }))
}
