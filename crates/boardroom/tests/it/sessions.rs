//! The games of an MCP server, without the protocol around them.

use boardroom::registry::Registry;
use boardroom_serve::sessions::{ClientAnswer, SessionLimits, SessionManager};
use boardroom_serve::transport::serve_streams;
use boardroom_serve::{Server, ServerMode};
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::advance;

/// A session manager that stores nothing.
fn sessions(mode: ServerMode, limits: SessionLimits) -> SessionManager {
    SessionManager::new(Registry::new().into(), plan(), mode, limits, None).unwrap()
}

fn plan() -> Plan {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some("random".to_owned()),
        agent: "mcp".to_owned(),
        episodes: Some(2_000),
        ..RunRequest::default()
    };
    Plan::new(&Registry::new(), request).unwrap()
}

fn open(sessions: &SessionManager) -> String {
    let answer = sessions.new_episode(None);
    assert!(!answer.error, "{}", answer.text);
    answer.value["episode_id"].as_str().unwrap().to_owned()
}

fn order(sessions: &SessionManager, id: &str, quantity: usize) -> ClientAnswer {
    sessions.call(id, "place_order", json!({"quantity": quantity}), None)
}

/// All messages of the client are there before the server reads the first.
#[test]
fn a_client_that_sends_without_waiting_does_not_fill_the_memory() {
    const MESSAGES: usize = 10_000;
    const MOST_TASKS: usize = 1_000;
    let mut text = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string();
    for id in 1..=MESSAGES {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "get_status", "arguments": {}}});
        text.push_str(&format!("\n{call}"));
    }
    text.push('\n');
    let server = Server::new(Arc::new(sessions(
        ServerMode::Play,
        SessionLimits::default(),
    )));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let most = runtime.block_on(async {
        let metrics = tokio::runtime::Handle::current().metrics();
        let most = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let seen = Arc::clone(&most);
        tokio::spawn(async move {
            loop {
                seen.fetch_max(
                    metrics.num_alive_tasks(),
                    std::sync::atomic::Ordering::Relaxed,
                );
                tokio::task::yield_now().await;
            }
        });
        let read = std::io::Cursor::new(text.into_bytes());
        serve_streams(&server, read, tokio::io::sink())
            .await
            .unwrap();
        most.load(std::sync::atomic::Ordering::Relaxed)
    });
    assert!((2..MOST_TASKS).contains(&most), "{most} tasks at a time");
}

#[test]
fn ids_are_long_and_a_guessed_one_opens_nothing() {
    let sessions = sessions(ServerMode::Play, SessionLimits::default());
    let (one, other) = (open(&sessions), open(&sessions));
    assert!(one.len() == 32 && one != other);
    for guess in ["", "0", &one[..31], "00000000000000000000000000000000"] {
        let answer = order(&sessions, guess, 100);
        assert!(answer.error, "{guess}");
        assert_eq!(answer.value["rejected"], "no_such_episode");
    }
}

#[test]
fn a_repeated_request_with_its_turn_acts_once() {
    let sessions = sessions(ServerMode::Play, SessionLimits::default());
    let id = open(&sessions);
    let arguments = json!({"quantity": 100});
    assert!(
        !sessions
            .call(&id, "place_order", arguments.clone(), Some(0))
            .error
    );
    let again = sessions.call(&id, "place_order", arguments, Some(0));
    assert_eq!(again.value["rejected"], "wrong_turn");
    assert_eq!(sessions.status(&id).value["turn"], 1);
}

#[test]
fn games_are_capped() {
    let tight = SessionLimits {
        games: 2,
        ..SessionLimits::default()
    };
    let sessions = sessions(ServerMode::Play, tight);
    open(&sessions);
    open(&sessions);
    assert_eq!(sessions.new_episode(None).value["rejected"], "full");
    assert_eq!(sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn idle_games_are_closed() {
    let idle = Duration::from_secs(200);
    let sessions = sessions(ServerMode::Play, closed_after(idle));
    let first = open(&sessions);
    advance(idle - Duration::from_millis(1)).await;
    open(&sessions);
    assert_eq!(sessions.len(), 2, "the first is not idle for long enough");
    advance(Duration::from_millis(1)).await;
    assert_eq!(sessions.status(&first).value["closed_by"], "idle");
    // Its client may read the result for as long again.
    advance(idle).await;
    assert!(sessions.status(&first).error);
}

#[test]
fn games_that_are_over_make_room() {
    let tight = SessionLimits {
        games: 1,
        ..SessionLimits::default()
    };
    let sessions = sessions(ServerMode::Play, tight);
    let id = open(&sessions);
    assert_eq!(sessions.new_episode(None).value["rejected"], "full");
    for _ in 0..25 {
        order(&sessions, &id, 100);
    }
    open(&sessions);
}

/// Concurrent requests share the available places: a game gets its place before it is opened.
#[test]
fn games_opened_at_once_are_no_more_than_there_may_be() {
    let tight = SessionLimits {
        games: 3,
        ..SessionLimits::default()
    };
    let sessions = Arc::new(sessions(ServerMode::Play, tight));
    let together = Arc::new(std::sync::Barrier::new(60));
    let clients: Vec<_> = (0..60)
        .map(|_| {
            let (sessions, together) = (Arc::clone(&sessions), Arc::clone(&together));
            std::thread::spawn(move || {
                together.wait();
                sessions.new_episode(None)
            })
        })
        .collect();
    let answers: Vec<ClientAnswer> = clients.into_iter().map(|c| c.join().unwrap()).collect();
    let opened: Vec<_> = answers.iter().filter(|answer| !answer.error).collect();
    assert_eq!((opened.len(), sessions.len()), (3, 3));
    let mut refused = answers.iter().filter(|answer| answer.error);
    assert!(refused.all(|answer| answer.value["rejected"] == "full"));
}

/// A game that cannot be opened keeps neither its place nor its episode.
#[test]
fn what_cannot_be_opened_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let tight = SessionLimits {
        games: 1,
        ..SessionLimits::default()
    };
    let sessions = kept_hall(dir.path(), tight);
    let progress = dir.path().join("progress");
    let in_the_way = || std::fs::write(&progress, "no folder").unwrap();
    in_the_way();
    for _ in 0..3 {
        assert_eq!(sessions.new_episode(None).value["rejected"], "cannot_open");
    }
    std::fs::remove_file(&progress).unwrap();
    assert_eq!(sessions.new_episode(None).value["episode"], 0);
    drop(sessions);

    // An unfinished game that cannot be continued does not block other episodes, and a client can
    // still ask for it.
    let sessions = kept_hall(dir.path(), tight);
    std::fs::remove_dir_all(&progress).unwrap();
    in_the_way();
    assert_eq!(sessions.new_episode(None).value["rejected"], "cannot_open");
    std::fs::remove_file(&progress).unwrap();
    let id = sessions.new_episode(None);
    assert_eq!(id.value["episode"], 1);
    for _ in 0..25 {
        order(&sessions, id.value["episode_id"].as_str().unwrap(), 100);
    }
    assert_eq!(sessions.new_episode(Some(0)).value["episode"], 0);
}

/// Inputs are stored for the record, so they count towards the quota of the game, over all servers
/// that continue it.
#[test]
fn a_game_takes_in_only_so_much() {
    let tight = SessionLimits {
        bytes: 10_000,
        ..SessionLimits::default()
    };
    let sessions = sessions(ServerMode::Play, tight);
    let id = open(&sessions);
    let refused = |answer: ClientAnswer| answer.value["rejected"] == "too_long";
    assert!(refused(read(&sessions, &id, 10_000)));
    assert!(refused(sessions.call(
        &id,
        &"x".repeat(10_000),
        json!({}),
        None
    )));
    assert!(!refused(read(&sessions, &id, 8_000)));
    assert!(refused(read(&sessions, &id, 8_000)));
    assert!(!order(&sessions, &id, 100).error, "a short one still fits");
}

/// A call that changes nothing and takes some more bytes than `length`.
fn read(sessions: &SessionManager, id: &str, length: usize) -> ClientAnswer {
    sessions.call(
        id,
        "get_history",
        json!({"weeks": "x".repeat(length)}),
        None,
    )
}

/// A client cannot avoid its score by filling up a game: decisions still fit when other calls no
/// longer do, and when they do not, the game ends and is recorded.
#[test]
fn a_full_game_still_ends() {
    let dir = tempfile::tempdir().unwrap();
    let tight = SessionLimits {
        bytes: 16_000,
        ..SessionLimits::default()
    };
    let sessions = kept_hall(dir.path(), tight);
    let id = open(&sessions);
    let read: Vec<ClientAnswer> = (0..20).map(|_| read(&sessions, &id, 1_000)).collect();
    assert_eq!(read[19].value["rejected"], "too_long");
    let orders: Vec<ClientAnswer> = (0..20).map(|_| order(&sessions, &id, 100)).collect();
    let decided = orders.iter().take_while(|answer| !answer.error).count();
    assert!((1..15).contains(&decided), "{decided} fit into the reserve");
    let end = &orders[decided];
    assert_eq!(end.value["rejected"], "too_long", "{}", end.value);
    assert_eq!(end.value["ending"], "forfeited");
    assert!(end.value["score"]["value"].is_f64() && end.text.contains("Score: "));
    assert_eq!(sessions.status(&id).value["over"], true);
    let records = std::fs::read_to_string(dir.path().join("episodes.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 1);
}

/// Many games share one quota, and none of them gets stuck when it is used up.
#[test]
fn all_games_together_take_in_only_so_much() {
    let tight = SessionLimits {
        bytes: 160_000,
        total: 200_000,
        ..SessionLimits::default()
    };
    let sessions = sessions(ServerMode::Play, tight);
    let games: Vec<String> = (0..3).map(|_| open(&sessions)).collect();
    let full = |answer: &ClientAnswer| answer.value["rejected"] == "full";
    let taken_in = |answer: &ClientAnswer| !full(answer) && answer.value["rejected"] != "too_long";
    let answers: Vec<ClientAnswer> = games
        .iter()
        .flat_map(|id| (0..20).map(|_| read(&sessions, id, 20_000)))
        .collect();
    let count = answers.iter().filter(|answer| taken_in(answer)).count();
    assert_eq!(count, 8, "8 calls of 20 kB and 3 reserves of 10 kB");
    assert!(answers.iter().any(full));
    for id in &games {
        for _ in 0..25 {
            order(&sessions, id, 100);
        }
        assert_eq!(sessions.status(id).value["over"], true);
    }
    assert!(
        !full(&sessions.new_episode(None)),
        "their room is free again"
    );
}

#[test]
fn judging_hides_the_score_and_opens_no_second_game() {
    let sessions = sessions(ServerMode::Eval, SessionLimits::default());
    let id = sessions.bound().unwrap().id.clone();
    assert_eq!(sessions.new_episode(None).value["rejected"], "not_here");
    let mut last = sessions.status(&id);
    for _ in 0..25 {
        assert!(last.value.get("score").is_none() && last.value.get("score_so_far").is_none());
        last = order(&sessions, &id, 100);
    }
    assert!(last.value["score"]["value"].is_f64(), "{}", last.value);
    assert!(order(&sessions, &id, 100).error, "the game is over");
}

/// Every game answers as it would alone, independent of other games.
#[test]
fn a_thousand_games_at_once_do_not_mix() {
    let sessions = Arc::new(sessions(ServerMode::Play, SessionLimits::default()));
    let ids: Vec<String> = (0..1_000).map(|_| open(&sessions)).collect();
    let threads: Vec<_> = (0..8)
        .map(|part| {
            let (sessions, ids) = (Arc::clone(&sessions), ids.clone());
            std::thread::spawn(move || {
                let mine: Vec<usize> = (part..1_000).step_by(8).collect();
                let mut ends = Vec::new();
                for _ in 0..25 {
                    for &game in &mine {
                        let answer = order(&sessions, &ids[game], 100 + game % 7);
                        assert!(!answer.error, "{}", answer.text);
                        if answer.value["over"] == true {
                            ends.push((game, answer.value["score"]["value"].as_f64().unwrap()));
                        }
                    }
                }
                ends
            })
        })
        .collect();
    let ends: Vec<(usize, f64)> = threads
        .into_iter()
        .flat_map(|t| t.join().unwrap())
        .collect();
    assert_eq!(ends.len(), 1_000);
    let kind = Registry::new();
    let kind = kind.kind("beer-game").unwrap();
    let config = kind.configure(Some("random"), &[]).unwrap();
    for (game, score) in ends.into_iter().step_by(37) {
        let case = kind.draw(&config, sim_core::Seed(0), game as u64).unwrap();
        let mut env = case.open().unwrap();
        for _ in 0..25 {
            env.call("place_order", &json!({"quantity": 100 + game % 7}));
        }
        assert_eq!(env.score().unwrap().value(), score, "game {game}");
    }
}

/// A session manager that stores its games in `dir`, new or reopened.
fn kept_hall(dir: &std::path::Path, limits: SessionLimits) -> SessionManager {
    let plan = plan();
    let folder = if dir.join("manifest.json").exists() {
        Folder::open(dir).unwrap()
    } else {
        Folder::create(dir, plan.clone()).unwrap()
    };
    SessionManager::new(
        Registry::new().into(),
        plan,
        ServerMode::Play,
        limits,
        Some(folder),
    )
    .unwrap()
}

fn closed_after(idle: Duration) -> SessionLimits {
    SessionLimits {
        idle,
        ..SessionLimits::default()
    }
}

/// A game whose server was killed can be continued, and its record is that of an uninterrupted game.
#[test]
fn games_outlive_their_server() {
    let hour = closed_after(Duration::from_secs(3_600));
    let finish = |sessions: &SessionManager, id: &str, from: usize| {
        for week in from..25 {
            assert!(!order(sessions, id, 100 + week).error);
        }
    };
    let dir = tempfile::tempdir().unwrap();
    let (broken, whole) = (dir.path().join("broken"), dir.path().join("whole"));
    {
        let sessions = kept_hall(&broken, hour);
        let id = open(&sessions);
        for week in 0..5 {
            assert!(!order(&sessions, &id, 100 + week).error);
        }
        for week in 5..9 {
            assert!(!order(&sessions, &id, 100 + week).error);
        }
    }
    {
        let sessions = kept_hall(&broken, hour);
        let again = sessions.new_episode(None);
        assert_eq!(
            (&again.value["episode"], &again.value["turn"]),
            (&json!(0), &json!(9))
        );
        let id = again.value["episode_id"].as_str().unwrap();
        finish(&sessions, id, 9);
        assert_eq!(sessions.new_episode(None).value["episode"], 1);
    }
    let sessions = kept_hall(&whole, hour);
    let id = open(&sessions);
    finish(&sessions, &id, 0);
    let records = |dir: &std::path::Path| std::fs::read_to_string(dir.join("episodes.jsonl"));
    assert_eq!(records(&broken).unwrap(), records(&whole).unwrap());
}

/// A client that asks for a far episode takes only that one from the others.
#[test]
fn an_episode_asked_for_by_number_uses_up_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let hour = closed_after(Duration::from_secs(3_600));
    let numbers = |sessions: &SessionManager, asked: &[Option<u64>]| -> Vec<Result<u64, Value>> {
        let answers = asked
            .iter()
            .map(|number| sessions.new_episode(*number).value);
        answers
            .map(|value| value["episode"].as_u64().ok_or(value["rejected"].clone()))
            .collect()
    };
    let sessions = kept_hall(dir.path(), hour);
    assert_eq!(
        numbers(&sessions, &[Some(1_999), None, Some(1), None, Some(1_999)]),
        [Ok(1_999), Ok(0), Ok(1), Ok(2), Ok(1_999)]
    );
    drop(sessions);
    // The next server first gives out the unfinished games of the previous one.
    let sessions = kept_hall(dir.path(), hour);
    assert_eq!(
        numbers(&sessions, &[None, None, None, None, None, None, Some(0)]),
        [Ok(0), Ok(1), Ok(2), Ok(1_999), Ok(1_999), Ok(3), Ok(0)]
    );
}
