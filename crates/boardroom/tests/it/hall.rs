//! The games of an MCP server, without the protocol around them.

use boardroom::registry::Registry;
use boardroom_serve::Mode;
use boardroom_serve::hall::{Answer, HallLimits, SessionManager};
use run_engine::plan::{Plan, RunRequest};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn hall(mode: Mode, limits: HallLimits) -> SessionManager {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some("random".to_owned()),
        agent: "mcp".to_owned(),
        episodes: Some(2_000),
        ..RunRequest::default()
    };
    let plan = Plan::new(&Registry::new(), request).unwrap();
    SessionManager::new(Registry::new().into(), plan, mode, limits, None).unwrap()
}

fn open(hall: &SessionManager) -> String {
    let answer = hall.new_episode(None);
    assert!(!answer.error, "{}", answer.text);
    answer.value["episode_id"].as_str().unwrap().to_owned()
}

fn order(hall: &SessionManager, id: &str, quantity: usize) -> Answer {
    hall.call(id, "place_order", json!({"quantity": quantity}), None)
}

#[test]
fn ids_are_long_and_a_guessed_one_opens_nothing() {
    let hall = hall(Mode::Play, HallLimits::default());
    let (one, other) = (open(&hall), open(&hall));
    assert!(one.len() == 32 && one != other);
    for guess in ["", "0", &one[..31], "00000000000000000000000000000000"] {
        let answer = order(&hall, guess, 100);
        assert!(answer.error, "{guess}");
        assert_eq!(answer.value["rejected"], "no_such_episode");
    }
}

#[test]
fn a_repeated_request_with_its_turn_acts_once() {
    let hall = hall(Mode::Play, HallLimits::default());
    let id = open(&hall);
    let arguments = json!({"quantity": 100});
    assert!(
        !hall
            .call(&id, "place_order", arguments.clone(), Some(0))
            .error
    );
    let again = hall.call(&id, "place_order", arguments, Some(0));
    assert_eq!(again.value["rejected"], "wrong_turn");
    assert_eq!(hall.status(&id).value["turn"], 1);
}

#[test]
fn games_are_capped() {
    let tight = HallLimits {
        games: 2,
        ..HallLimits::default()
    };
    let hall = hall(Mode::Play, tight);
    open(&hall);
    open(&hall);
    assert_eq!(hall.new_episode(None).value["rejected"], "full");
    assert_eq!(hall.len(), 2);
}

#[test]
fn idle_games_are_closed() {
    let hall = hall(Mode::Play, closed_after(Duration::from_millis(200)));
    let first = open(&hall);
    std::thread::sleep(Duration::from_millis(300));
    open(&hall);
    assert!(hall.status(&first).error, "it was idle");
    assert!(hall.len() <= 1);
}

#[test]
fn games_that_are_over_make_room() {
    let tight = HallLimits {
        games: 1,
        ..HallLimits::default()
    };
    let hall = hall(Mode::Play, tight);
    let id = open(&hall);
    assert_eq!(hall.new_episode(None).value["rejected"], "full");
    for _ in 0..25 {
        order(&hall, &id, 100);
    }
    open(&hall);
}

/// Concurrent requests share the available places: a game gets its place before it is opened.
#[test]
fn games_opened_at_once_are_no_more_than_there_may_be() {
    let tight = HallLimits {
        games: 3,
        ..HallLimits::default()
    };
    let hall = Arc::new(hall(Mode::Play, tight));
    let together = Arc::new(std::sync::Barrier::new(60));
    let clients: Vec<_> = (0..60)
        .map(|_| {
            let (hall, together) = (Arc::clone(&hall), Arc::clone(&together));
            std::thread::spawn(move || {
                together.wait();
                hall.new_episode(None)
            })
        })
        .collect();
    let answers: Vec<Answer> = clients.into_iter().map(|c| c.join().unwrap()).collect();
    let opened: Vec<_> = answers.iter().filter(|answer| !answer.error).collect();
    assert_eq!((opened.len(), hall.len()), (3, 3));
    let mut refused = answers.iter().filter(|answer| answer.error);
    assert!(refused.all(|answer| answer.value["rejected"] == "full"));
}

/// A game that cannot be opened keeps neither its place nor its episode.
#[test]
fn what_cannot_be_opened_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let tight = HallLimits {
        games: 1,
        ..HallLimits::default()
    };
    let hall = kept_hall(dir.path(), tight);
    let progress = dir.path().join("progress");
    let in_the_way = || std::fs::write(&progress, "no folder").unwrap();
    in_the_way();
    for _ in 0..3 {
        assert_eq!(hall.new_episode(None).value["rejected"], "cannot_open");
    }
    std::fs::remove_file(&progress).unwrap();
    assert_eq!(hall.new_episode(None).value["episode"], 0);
    drop(hall);

    // An unfinished game that cannot be continued does not block other episodes, and a client can
    // still ask for it.
    let hall = kept_hall(dir.path(), tight);
    std::fs::remove_dir_all(&progress).unwrap();
    in_the_way();
    assert_eq!(hall.new_episode(None).value["rejected"], "cannot_open");
    std::fs::remove_file(&progress).unwrap();
    let id = hall.new_episode(None);
    assert_eq!(id.value["episode"], 1);
    for _ in 0..25 {
        order(&hall, id.value["episode_id"].as_str().unwrap(), 100);
    }
    assert_eq!(hall.new_episode(Some(0)).value["episode"], 0);
}

/// Inputs are stored for the record, so they count towards the quota of the game, over all servers
/// that continue it.
#[test]
fn a_game_takes_in_only_so_much() {
    let tight = HallLimits {
        bytes: 10_000,
        ..HallLimits::default()
    };
    let hall = hall(Mode::Play, tight);
    let id = open(&hall);
    let refused = |answer: Answer| answer.value["rejected"] == "too_long";
    assert!(refused(read(&hall, &id, 10_000)));
    assert!(refused(hall.call(
        &id,
        &"x".repeat(10_000),
        json!({}),
        None
    )));
    assert!(!refused(read(&hall, &id, 8_000)));
    assert!(refused(read(&hall, &id, 8_000)));
    assert!(!order(&hall, &id, 100).error, "a short one still fits");
}

/// A call that changes nothing and takes some more bytes than `length`.
fn read(hall: &SessionManager, id: &str, length: usize) -> Answer {
    hall.call(
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
    let tight = HallLimits {
        bytes: 16_000,
        ..HallLimits::default()
    };
    let hall = kept_hall(dir.path(), tight);
    let id = open(&hall);
    let read: Vec<Answer> = (0..20).map(|_| read(&hall, &id, 1_000)).collect();
    assert_eq!(read[19].value["rejected"], "too_long");
    let orders: Vec<Answer> = (0..20).map(|_| order(&hall, &id, 100)).collect();
    let decided = orders.iter().take_while(|answer| !answer.error).count();
    assert!((1..15).contains(&decided), "{decided} fit into the reserve");
    let end = &orders[decided];
    assert_eq!(end.value["rejected"], "too_long", "{}", end.value);
    assert_eq!(end.value["ending"], "forfeited");
    assert!(end.value["score"]["value"].is_f64() && end.text.contains("Score: "));
    assert_eq!(hall.status(&id).value["over"], true);
    let records = std::fs::read_to_string(dir.path().join("episodes.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 1);
}

/// Many games share one quota, and none of them gets stuck when it is used up.
#[test]
fn all_games_together_take_in_only_so_much() {
    let tight = HallLimits {
        bytes: 160_000,
        total: 200_000,
        ..HallLimits::default()
    };
    let hall = hall(Mode::Play, tight);
    let games: Vec<String> = (0..3).map(|_| open(&hall)).collect();
    let full = |answer: &Answer| answer.value["rejected"] == "full";
    let taken_in = |answer: &Answer| !full(answer) && answer.value["rejected"] != "too_long";
    let answers: Vec<Answer> = games
        .iter()
        .flat_map(|id| (0..20).map(|_| read(&hall, id, 20_000)))
        .collect();
    let count = answers.iter().filter(|answer| taken_in(answer)).count();
    assert_eq!(count, 8, "8 calls of 20 kB and 3 reserves of 10 kB");
    assert!(answers.iter().any(full));
    for id in &games {
        for _ in 0..25 {
            order(&hall, id, 100);
        }
        assert_eq!(hall.status(id).value["over"], true);
    }
    assert!(!full(&hall.new_episode(None)), "their room is free again");
}

#[test]
fn judging_hides_the_score_and_opens_no_second_game() {
    let hall = hall(Mode::Eval, HallLimits::default());
    let id = hall.bound_episode().unwrap();
    assert_eq!(hall.new_episode(None).value["rejected"], "not_here");
    let mut last = hall.status(&id);
    for _ in 0..25 {
        assert!(last.value.get("score").is_none() && last.value.get("score_so_far").is_none());
        last = order(&hall, &id, 100);
    }
    assert!(last.value["score"]["value"].is_f64(), "{}", last.value);
    assert!(order(&hall, &id, 100).error, "the game is over");
}

/// Every game answers as it would alone, independent of other games.
#[test]
fn a_thousand_games_at_once_do_not_mix() {
    let hall = Arc::new(hall(Mode::Play, HallLimits::default()));
    let ids: Vec<String> = (0..1_000).map(|_| open(&hall)).collect();
    let threads: Vec<_> = (0..8)
        .map(|part| {
            let (hall, ids) = (Arc::clone(&hall), ids.clone());
            std::thread::spawn(move || {
                let mine: Vec<usize> = (part..1_000).step_by(8).collect();
                let mut ends = Vec::new();
                for _ in 0..25 {
                    for &game in &mine {
                        let answer = order(&hall, &ids[game], 100 + game % 7);
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
fn kept_hall(dir: &std::path::Path, limits: HallLimits) -> SessionManager {
    use run_engine::run_dir::Folder;
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some("random".to_owned()),
        agent: "mcp".to_owned(),
        episodes: Some(2_000),
        ..RunRequest::default()
    };
    let plan = Plan::new(&Registry::new(), request).unwrap();
    let folder = if dir.join("manifest.json").exists() {
        Folder::open(dir).unwrap()
    } else {
        Folder::create(dir, plan.clone()).unwrap()
    };
    SessionManager::new(
        Registry::new().into(),
        plan,
        Mode::Play,
        limits,
        Some(folder),
    )
    .unwrap()
}

fn closed_after(idle: Duration) -> HallLimits {
    HallLimits {
        idle,
        ..HallLimits::default()
    }
}

/// A game whose client stopped sending or whose server was killed can be continued, and its record
/// is that of an uninterrupted game.
#[test]
fn games_outlive_their_client_and_their_server() {
    let hour = closed_after(Duration::from_secs(3_600));
    let finish = |hall: &SessionManager, id: &str, from: usize| {
        for week in from..25 {
            assert!(!order(hall, id, 100 + week).error);
        }
    };
    let dir = tempfile::tempdir().unwrap();
    let (broken, whole) = (dir.path().join("broken"), dir.path().join("whole"));
    {
        let hall = kept_hall(&broken, closed_after(Duration::from_millis(1_500)));
        let id = open(&hall);
        for week in 0..5 {
            assert!(!order(&hall, &id, 100 + week).error);
        }
        std::thread::sleep(Duration::from_millis(1_600));
        let again = hall.new_episode(None);
        assert_eq!(
            (&again.value["episode"], &again.value["turn"]),
            (&json!(0), &json!(5))
        );
        let id = again.value["episode_id"].as_str().unwrap();
        for week in 5..9 {
            assert!(!order(&hall, id, 100 + week).error);
        }
    }
    {
        let hall = kept_hall(&broken, hour);
        let again = hall.new_episode(None);
        assert_eq!(
            (&again.value["episode"], &again.value["turn"]),
            (&json!(0), &json!(9))
        );
        let id = again.value["episode_id"].as_str().unwrap();
        assert_eq!(hall.new_episode(Some(0)).value["rejected"], "given_out");
        finish(&hall, id, 9);
        assert_eq!(hall.new_episode(None).value["episode"], 1);
    }
    let hall = kept_hall(&whole, hour);
    let id = open(&hall);
    finish(&hall, &id, 0);
    let records = |dir: &std::path::Path| std::fs::read_to_string(dir.join("episodes.jsonl"));
    assert_eq!(records(&broken).unwrap(), records(&whole).unwrap());
}

/// A client that asks for a far episode takes only that one from the others.
#[test]
fn an_episode_asked_for_by_number_uses_up_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let hour = closed_after(Duration::from_secs(3_600));
    let numbers = |hall: &SessionManager, asked: &[Option<u64>]| -> Vec<_> {
        let answers = asked.iter().map(|number| hall.new_episode(*number).value);
        answers
            .map(|value| value["episode"].as_u64().ok_or(value["rejected"].clone()))
            .collect()
    };
    let given_out = Err(json!("given_out"));
    let hall = kept_hall(dir.path(), hour);
    assert_eq!(
        numbers(&hall, &[Some(1_999), None, Some(1), None, Some(1_999)]),
        [Ok(1_999), Ok(0), Ok(1), Ok(2), given_out.clone()]
    );
    drop(hall);
    // The next server first gives out the unfinished games of the previous one.
    let hall = kept_hall(dir.path(), hour);
    assert_eq!(
        numbers(&hall, &[None, None, None, None, None, Some(0)]),
        [Ok(0), Ok(1), Ok(2), Ok(1_999), Ok(3), given_out]
    );
}
