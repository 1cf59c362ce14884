//! A whole run against a server that fails three requests in ten.

use crate::episodes::{case, session};
use crate::faults::settings;
use crate::server::{Act, Server, completion_calls};
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, Shared};
use agent_client::ledger::CostLedger;
use agent_client::parallel::in_order;
use agent_client::play::{Agent, PlaySettings, play};
use agent_client::store::{MemoryStore, Store};
use agent_client::{AgentBackend, Slot};
use sim_core::scrub::Scrub;
use sim_core::testkit::small_or_full;
use sim_core::{Limits, Seed, Session};
use std::sync::Arc;

/// Episodes that are played.
fn episodes() -> u64 {
    small_or_full(60, 200)
}

/// Plays every episode, up to ten attempts each, and returns the records in order.
async fn run(backend: Arc<dyn AgentBackend>, at_once: usize) -> Vec<String> {
    let work = (0..episodes()).map(|index| {
        let backend = Arc::clone(&backend);
        async move {
            let case = case(index);
            let minds = Agent::new(backend);
            let slot = Slot::new(format!("episode{index}"));
            let mut game = session(&*case, index, Limits::default());
            let mut saved = Vec::new();
            for _sitting in 0..10 {
                let played = play(
                    &mut game,
                    &minds,
                    &PlaySettings::default(),
                    &slot,
                    &mut |s| {
                        saved = s.entries().to_vec();
                    },
                )
                .await;
                match played {
                    Ok(_) => {
                        let record = game.finish().unwrap();
                        record.verify(case.open().unwrap()).unwrap();
                        return serde_json::to_string(&record).unwrap();
                    }
                    Err(e) => assert!(e.class.is_transient(), "{e}"),
                }
                let env = case.open().unwrap();
                let header = game.header().clone();
                game = Session::resume(env, header, Limits::default(), saved.clone()).unwrap();
            }
            panic!("episode {index} did not end");
        }
    });
    let mut records = Vec::new();
    in_order(work, at_once, |index, record| {
        assert_eq!(index, records.len());
        records.push(record);
    })
    .await;
    records
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_200_episodes_survive_a_server_that_fails_three_in_ten() {
    let server = Server::start(|n, seen| {
        let mut chance = Seed(5).stream("fault", n as u64);
        if chance.chance(0.3) {
            return match chance.below(5) {
                0 => Act::bytes(500, format!("trouble {n}")),
                1 => Act::bytes(429, "{}").with("retry-after-ms", "3"),
                2 => Act::Reset,
                3 => Act::bytes(200, "{\"choices\": ["),
                _ => Act::Hang,
            };
        }
        // A model at temperature 1: all answers differ.
        let papers = chance.below(50);
        let looked = seen.body["messages"].as_array().unwrap().len() > 2;
        let call = if looked || chance.chance(0.5) {
            ("order", format!("{{\"papers\": {papers}}}"))
        } else {
            ("get_yesterday", "{}".to_owned())
        };
        Act::json(200, &completion_calls(&[(call.0, &call.1)]))
    })
    .await;
    let store = Arc::new(MemoryStore::default());
    let lines: Arc<dyn Store> = Arc::clone(&store) as _;
    let ledger = CostLedger::new(None);
    let shared = Shared {
        ledger: Some(Arc::clone(&ledger)),
        cassette: Some(
            Cassette::open(Arc::clone(&lines), CassetteMode::Both, Scrub::default()).unwrap(),
        ),
        ..Shared::default()
    };
    let client = Client::new(settings(&server), &shared).unwrap();
    let records = run(Arc::new(client), 32).await;
    assert_eq!(records.len() as u64, episodes());
    let retries = ledger.spending().retries;
    let answered = ledger.spending().total().requests - ledger.spending().total().replayed;
    assert!(
        retries * 10 > answered * 3,
        "{retries} retries, {answered} answered"
    );
    let recorded = store.lines().len() as u64;
    assert_eq!(answered, recorded, "no answered request is paid for twice");
    let keys: std::collections::BTreeSet<String> = store
        .lines()
        .iter()
        .map(|line| {
            agent_client::store::StoredCall::read(line)
                .unwrap()
                .key
                .to_string()
        })
        .collect();
    assert_eq!(keys.len() as u64, recorded);
    drop(server);

    for at_once in [1, 32] {
        let tape =
            Cassette::open(Arc::clone(&lines), CassetteMode::Replay, Scrub::default()).unwrap();
        let replay = Client::replay(&tape, None, None).unwrap();
        let again = run(Arc::new(replay), at_once).await;
        assert!(
            again == records,
            "a replay gives the same bytes, at {at_once} at once"
        );
    }
}
