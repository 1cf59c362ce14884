use super::*;
use beer_game::Spec;
use run_engine::plan::RunRequest;
use run_engine::plan::cast::SeatRequest;
use run_engine::plan::options::ModelOptions;
use run_engine::verify::verify;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::advance;

fn registry() -> Registry {
    Registry::new().with_boxed(Spec.boxed())
}

const IDLE: Duration = Duration::from_secs(60);

/// A session manager for games of `preset` with a folder, that closes games after [`IDLE`].
fn hasty(dir: &Path, preset: &str) -> SessionManager {
    let options = SessionOptions {
        follows: true,
        ..SessionOptions::new(ServerMode::Play, SessionLimits::of(10, IDLE))
    };
    managed(dir, preset, options)
}

fn managed(dir: &Path, preset: &str, options: SessionOptions) -> SessionManager {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some(preset.to_owned()),
        agent: "mcp".to_owned(),
        episodes: Some(10),
        ..RunRequest::default()
    };
    requested(dir, request, options)
}

fn requested(dir: &Path, request: RunRequest, options: SessionOptions) -> SessionManager {
    let plan = Plan::new(&registry(), request).unwrap();
    let path = dir.join("games");
    let folder = if path.join("manifest.json").exists() {
        Folder::open(&path).unwrap()
    } else {
        Folder::create(&path, plan.clone()).unwrap()
    };
    SessionManager::with(registry(), plan, options, Some(folder)).unwrap()
}

fn records(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("games/episodes.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn verifies(dir: &Path) {
    let found = verify(&registry(), &dir.join("games")).unwrap();
    assert!(found.is_sound(), "{found:?}");
}

fn order(sessions: &SessionManager, id: &str, quantity: u64) -> ClientAnswer {
    sessions.call(id, "place_order", json!({"quantity": quantity}), None)
}

/// A long call does not expire its game, and the idle time of the client starts after the call.
#[tokio::test(start_paused = true)]
#[expect(
    clippy::await_holding_lock,
    reason = "the test has one task, which takes no lock while time passes"
)]
async fn a_game_in_use_stays() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "paper");
    let opened = sessions.open("me", None, None).unwrap();
    let over = |sessions: &SessionManager| sessions.status(&opened.id).value["over"] == true;
    let found = sessions.find(&opened.id).unwrap();
    let game = found.game();
    advance(IDLE).await;
    sessions.close_idle();
    drop(game);
    // A game is in use between being found and being locked as well.
    advance(IDLE).await;
    sessions.close_idle();
    drop(found);
    advance(IDLE - Duration::from_millis(1)).await;
    assert!(!over(&sessions));
    advance(IDLE).await;
    assert!(over(&sessions));
}

/// An agent that stops after 10 of 25 weeks: the host closes its game, or the time does.
#[tokio::test(start_paused = true)]
async fn a_game_that_is_left_is_scored_recorded_and_flagged() {
    for idle in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let sessions = hasty(dir.path(), "paper");
        let opened = sessions.open("me", Some(3), None).unwrap();
        for _ in 0..10 {
            assert!(!order(&sessions, &opened.id, 400).error);
        }
        let end = if idle {
            advance(IDLE).await;
            sessions.close_idle();
            sessions.status(&opened.id)
        } else {
            sessions.close_episode(&opened.id)
        };
        let why = if idle { "idle" } else { "host" };
        assert_eq!(end.value["closed_by"], why, "{}", end.value);
        assert_eq!(end.value["ending"], "forfeited");
        let result = &end.value["result"];
        assert!(result["value"].as_f64().unwrap() > 9_200.0, "{result}");
        assert_eq!(result["reference"]["value"], 9_200.0);
        assert_eq!(result["reference"]["status"], "proven");
        assert_eq!(result["incidents"].as_array().unwrap().len(), 15);
        assert!(end.text.contains("forfeited_week (15)"), "{}", end.text);
        assert!(order(&sessions, &opened.id, 1).error, "it is over");
        // Closing it again changes nothing.
        assert_eq!(sessions.close_episode(&opened.id).value, end.value);
        let kept = records(dir.path());
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0]["score"]["value"], result["value"]);
        assert_eq!(kept[0]["ending"], "forfeited");
        drop(sessions);
        verifies(dir.path());
    }
}

#[test]
fn the_end_tells_the_whole_result() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "paper");
    let opened = sessions.open("me", None, None).unwrap();
    let mut last = sessions.status(&opened.id);
    for _ in 0..25 {
        assert!(last.value.get("result").is_none());
        last = order(&sessions, &opened.id, 400);
    }
    let result = &last.value["result"];
    for (key, value) in [
        ("value", json!(9_200.0)),
        ("regret", json!(0.0)),
        ("normalised_score", json!(1.0)),
        ("unit_score", json!(1.0)),
        ("incidents", json!([])),
        ("trial", json!(0)),
    ] {
        assert_eq!(result[key], value, "{key}");
    }
    assert!(
        last.text.contains("Reference: 9,200 (proven)"),
        "{}",
        last.text
    );
    assert!(sessions.status(&opened.id).text.contains("Unit score: 1"));
}

/// Groups of rollouts play one episode together, epochs play it again, and all of it verifies.
#[test]
fn an_episode_is_played_any_number_of_times() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "random");
    let group: Vec<Opened> = (0..3)
        .map(|_| sessions.open("me", Some(7), None).unwrap())
        .collect();
    let trials: Vec<u32> = group.iter().map(|opened| opened.trial).collect();
    assert_eq!(trials, [0, 1, 2]);
    let again = sessions.open("me", Some(7), Some(1)).unwrap_err();
    assert_eq!(again.value["rejected"], "given_out");
    for (quantity, opened) in (100..).zip(&group) {
        for _ in 0..25 {
            order(&sessions, &opened.id, quantity);
        }
    }
    drop(sessions);
    // Another server on the folder goes on counting.
    let sessions = hasty(dir.path(), "random");
    let next = sessions.open("me", Some(7), None).unwrap();
    assert_eq!((next.episode, next.trial), (7, 3));
    let _ = sessions.close_episode(&next.id);
    drop(sessions);
    let kept: Vec<(u64, u64)> = records(dir.path())
        .iter()
        .map(|record| &record["header"])
        .map(|h| (h["episode"].as_u64().unwrap(), h["trial"].as_u64().unwrap()))
        .collect();
    assert_eq!(kept, [(7, 0), (7, 1), (7, 2), (7, 3)]);
    verifies(dir.path());
}

#[test]
fn a_client_has_only_its_share_of_the_games() {
    let dir = tempfile::tempdir().unwrap();
    let limits = SessionLimits {
        per_client: 2,
        ..SessionLimits::of(10, IDLE)
    };
    let options = SessionOptions::new(ServerMode::Play, limits);
    let sessions = managed(dir.path(), "paper", options);
    let first = sessions.open("red", None, None).unwrap();
    sessions.open("red", None, None).unwrap();
    let refused = sessions.open("red", None, None).unwrap_err();
    assert_eq!(refused.value["rejected"], "full");
    sessions.open("blue", None, None).unwrap();
    let _ = sessions.close_episode(&first.id);
    sessions.open("red", None, None).unwrap();
    // The host opens games for all of them.
    for _ in 0..3 {
        sessions.open(crate::clients::HOST, None, None).unwrap();
    }
}

/// What a seat sends after its decision is refused, and is no load on the memory of the game of all.
#[test]
fn refused_calls_of_a_seat_do_not_use_up_the_game() {
    let dir = tempfile::tempdir().unwrap();
    let limits = SessionLimits {
        bytes: 20_000,
        ..SessionLimits::of(10, IDLE)
    };
    let options = SessionOptions::new(ServerMode::Play, limits);
    let sessions = managed(dir.path(), "classic", options);
    let opened = sessions.open("me", None, None).unwrap();
    let mut seats = opened.seats.iter();
    let (_, retailer) = seats.next().unwrap();
    assert!(!order(&sessions, retailer, 4).error);
    for _ in 0..1_000 {
        assert_eq!(order(&sessions, retailer, 4).value["rejected"], "sealed");
    }
    assert!(!order(&sessions, seats.next().unwrap().1, 4).error);
}

#[test]
fn the_only_episode_can_be_chosen_and_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let options = || SessionOptions {
        episode: Some(4),
        ..SessionOptions::new(ServerMode::Eval, SessionLimits::default())
    };
    for trial in 0..2 {
        let sessions = managed(dir.path(), "random", options());
        let bound = sessions.bound().unwrap().clone();
        assert_eq!((bound.episode, bound.trial), (4, trial));
        let _ = sessions.close_episode(&bound.id);
    }
    verifies(dir.path());
}

/// The order of an order-up-to rule for what a seat sees.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole numbers, not negative"
)]
fn up_to(level: f64, seen: &Value) -> u64 {
    let of = |key: &str| seen[key].as_f64().unwrap();
    let order = level - (of("inventory") - of("backlog") + of("on_order"));
    order.max(0.0) as u64
}

const LEVELS: [(&str, f64); 4] = [
    ("retailer", 32.0),
    ("wholesaler", 32.0),
    ("distributor", 32.0),
    ("brewery", 24.0),
];

/// Four clients, each with the identifier of a seat, decide in any order. A seat that is not in turn
/// decides as well, sees its own seat alone, and learns no order before the week is over.
#[test]
fn seats_are_played_by_clients_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut sessions = hasty(dir.path(), "classic");
    let mut opened = sessions.open("me", None, None).unwrap();
    let id = |opened: &Opened, seat: &str| {
        let mut seats = opened.seats.iter();
        let (_, id) = seats.find(|(known, _)| known.name() == seat).unwrap();
        id.clone()
    };
    let mut last = Value::Null;
    for week in 0..36_usize {
        // In another order every week, so that all seats decide in turn and out of turn.
        for k in 0..4 {
            let (seat, level) = LEVELS[(k * 3 + week) % 4];
            let own = id(&opened, seat);
            let state = sessions.seat_state(&own).unwrap();
            assert_eq!((state.seat.name(), state.decided), (seat, false));
            assert_eq!(state.observation["role"], seat);
            assert_eq!(state.rows.len(), week);
            let order = up_to(level, &state.observation);
            let refused = sessions.call(&own, "place_order", json!({"quantity": -1}), None);
            assert_eq!(refused.value["seat"], seat);
            assert!(refused.error, "{}", refused.text);
            let quantity = json!({"quantity": order});
            let told = sessions.call(&own, "place_order", quantity, Some(week as u64));
            assert!(!told.error, "{}", told.text);
            if k < 3 {
                assert_eq!(told.value["sealed"], true, "{}", told.value);
                assert!(told.value.get("score_so_far").is_none());
                let again = order_again(&sessions, &own);
                assert_eq!(again.value["rejected"], "sealed");
                let status = sessions.status(&own);
                assert_eq!(status.value["decided"], true);
                assert_eq!(status.value["waiting_for"].as_array().unwrap().len(), 3 - k);
            }
            if k == 3 {
                // Whichever seat it is: the week is over, and the record holds an older reply.
                is_told_the_week(&told, week);
            }
            last = told.value;
            if week == 5 && k == 0 {
                // What a failing disk damaged is an error, and no seat has to decide again without a word.
                drop(sessions);
                let sealed = dir.path().join("games/progress/0.sealed");
                let whole = std::fs::read(&sealed).unwrap();
                for damaged in [&whole[..whole.len() - 10], b""] {
                    std::fs::write(&sealed, damaged).unwrap();
                    let refused = hasty(dir.path(), "classic").open("me", Some(0), None);
                    let told = refused.map(|_| ()).unwrap_err().text;
                    assert!(told.contains("0.sealed"), "{told}");
                }
                std::fs::write(&sealed, whole).unwrap();
                sessions = hasty(dir.path(), "classic");
                opened = sessions.open("me", Some(0), None).unwrap();
            }
            if week == 5 && k == 1 {
                // A server that is stopped in the middle of a week loses no decision.
                drop(sessions);
                sessions = hasty(dir.path(), "classic");
                opened = sessions.open("me", Some(0), None).unwrap();
                let now = sessions.status(&id(&opened, seat)).value;
                assert_eq!((&now["turn"], &now["decided"]), (&json!(5), &json!(true)));
            }
        }
    }
    assert_eq!(last["score"]["metrics"]["chain_cost"], 204.0, "{last}");
    assert_eq!(last["result"]["reference"]["value"], 158.0);
    drop(sessions);
    verifies(dir.path());
}

/// Checks that the answer to a decision that ended week `week` (counted from 0) has the result of the week.
fn is_told_the_week(told: &ClientAnswer, week: usize) {
    let reply = told.value["reply"].as_str().unwrap();
    let result = format!("In week {}, ", week + 1);
    assert!(reply.contains(&result), "week {week}: {reply}");
    assert!(!reply.contains("when the other roles"), "{reply}");
    assert!(told.text.starts_with(reply), "{}", told.text);
}

/// One client and three policies: each week ends with the client's order, whichever seat it plays.
#[test]
fn a_client_beside_policies_is_told_the_result_of_each_week() {
    let (seats, policies) = (LEVELS.map(|(seat, _)| seat), ["sterman", "order-up-to"]);
    for (own, policy) in seats.iter().zip(policies.iter().cycle()) {
        let dir = tempfile::tempdir().unwrap();
        let rest = seats.iter().filter(|seat| *seat != own);
        let by = |seat: &&str| {
            let agent = SeatRequest {
                agent: (*policy).to_owned(),
                model: ModelOptions::default(),
            };
            ((*seat).to_owned(), agent)
        };
        let request = RunRequest {
            environment: "beer-game".to_owned(),
            preset: Some("classic".to_owned()),
            agent: "mcp".to_owned(),
            seats: rest.map(by).collect(),
            ..RunRequest::default()
        };
        let options = SessionOptions {
            follows: true,
            ..SessionOptions::new(ServerMode::Play, SessionLimits::default())
        };
        let sessions = requested(dir.path(), request, options);
        let opened = sessions.open("me", None, None).unwrap();
        let mut costs = Vec::new();
        for week in 0..36 {
            let told = order(&sessions, &opened.id, 5);
            assert!(!told.error, "{}", told.text);
            is_told_the_week(&told, week);
            let reply = told.value["reply"].as_str().unwrap();
            let (_, cost) = reply.rsplit_once("so far ").unwrap();
            let cost = cost.lines().next().unwrap().trim_end_matches('.');
            costs.push(cost.replace(',', "").parse::<f64>().unwrap());
        }
        // The costs that were told are those of the rows, which come from the results of the game.
        let rows = sessions.rows(&opened.id);
        let (_, rows) = rows.iter().find(|(seat, _)| seat.name() == *own).unwrap();
        let total = |row: &PeriodRow| row.outcome["total_cost"].as_f64().unwrap();
        assert_eq!(costs, rows.iter().map(total).collect::<Vec<_>>(), "{own}");
        drop(sessions);
        verifies(dir.path());
    }
}

fn order_again(sessions: &SessionManager, id: &str) -> ClientAnswer {
    order(sessions, id, 1)
}

/// The rows of a seat hold its own orders, those of the running week are left out.
#[test]
fn policies_fill_empty_seats() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "classic");
    let opened = sessions.open("me", None, None).unwrap();
    let mut seats = opened.seats.iter();
    let (_, own) = seats.find(|(seat, _)| seat.name() == "wholesaler").unwrap();
    for (seat, id) in &opened.seats {
        if seat.name() != "wholesaler" {
            sessions.set_bot(id, Some("order-up-to")).unwrap();
        }
    }
    assert!(sessions.set_bot(own, Some("nobody")).is_err());
    assert_eq!(sessions.waiting_for(&opened.id).len(), 3);
    for week in 0..36 {
        let state = sessions.seat_state(own).unwrap();
        assert_eq!((state.period.index, state.decided), (week, false));
        if week == 7 {
            let wait = sessions.wait(&opened.id).unwrap();
            assert!(sessions.decide_for(own, "order-up-to", wait).unwrap());
            assert!(!sessions.decide_for(own, "order-up-to", wait).unwrap());
        } else {
            assert!(!order(&sessions, own, up_to(32.0, &state.observation)).error);
        }
    }
    assert_eq!(sessions.status(own).value["over"], true);
    let rows = sessions.rows(&opened.id);
    assert!(rows.iter().all(|(_, rows)| rows.len() == 36));
    assert!(
        rows.iter()
            .all(|(_, rows)| rows[35].outcome["total_cost"].is_number())
    );
    drop(sessions);
    verifies(dir.path());
}

/// A game that ends in the middle of a week keeps the orders of that week.
#[tokio::test(start_paused = true)]
async fn sealed_decisions_count_when_a_game_is_closed() {
    for idle in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let sessions = hasty(dir.path(), "classic");
        let opened = sessions.open("me", None, None).unwrap();
        let id = |seat: &str| {
            let mut seats = opened.seats.iter();
            seats.find(|(known, _)| known.name() == seat).unwrap().1
        };
        for (quantity, (seat, _)) in (1..).zip(LEVELS) {
            assert!(!order(&sessions, id(seat), quantity).error);
        }
        for (quantity, seat) in [(5, "brewery"), (6, "wholesaler")] {
            assert!(!order(&sessions, id(seat), quantity).error);
        }
        sessions
            .set_bot(id("distributor"), Some("constant:7"))
            .unwrap();
        if idle {
            advance(IDLE).await;
            sessions.close_idle();
        } else {
            let _ = sessions.close_episode(&opened.id);
        }
        let record = records(dir.path()).remove(0);
        let orders: Vec<(u64, &Value, &Value)> = record["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                let call = entry.pointer("/input/call/arguments/quantity");
                let act = entry.pointer("/input/act/quantity");
                let quantity = call.or(act).unwrap_or(&Value::Null);
                (entry["period"].as_u64().unwrap(), &entry["seat"], quantity)
            })
            .filter(|(period, _, _)| *period < 3)
            .collect();
        let week = |number: u64| {
            let own = orders.iter().filter(|(period, _, _)| *period == number);
            own.map(|(_, _, quantity)| (*quantity).clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(week(0), [1, 2, 3, 4].map(Value::from));
        // The retailer alone had not decided.
        assert_eq!(
            week(1),
            [Value::Null, json!(6), json!(7), json!(5)],
            "{record}"
        );
        assert!(week(2).iter().all(Value::is_null), "{record}");
        drop(sessions);
        verifies(dir.path());
    }
}

/// The Beer Game with policies that show how a seat uses them.
#[derive(Debug, Clone)]
struct Odd;

/// Its orders are refused.
struct Stubborn;

/// Orders how often it was asked and told what came of it.
struct Counting {
    asked: i64,
    told: i64,
}

impl sim_core::Policy<beer_game::BeerGame> for Stubborn {
    fn act(&mut self, _: &beer_game::Observation) -> beer_game::Action {
        beer_game::Action::of(-1)
    }
}

impl sim_core::Policy<beer_game::BeerGame> for Counting {
    fn act(&mut self, _: &beer_game::Observation) -> beer_game::Action {
        self.asked += 1;
        beer_game::Action::of(10 * self.asked + self.told)
    }

    fn learn(&mut self, _: &beer_game::Feedback) {
        self.told += 1;
    }
}

impl sim_core::EnvironmentSpec for Odd {
    const ABOUT: sim_core::EnvironmentAbout = sim_core::EnvironmentAbout {
        name: "odd",
        version: 1,
        about: "the Beer Game with odd policies",
        unit: "cost",
        sense: sim_core::Sense::Minimise,
        ..sim_core::EnvironmentAbout::DEFAULT
    };

    type Env = beer_game::BeerGame;
    type Config = beer_game::Config;
    type Instance = beer_game::Instance;

    fn presets(&self) -> Vec<sim_core::Preset<Self::Config>> {
        Spec.presets()
    }

    fn check(&self, config: &Self::Config) -> Result<(), sim_core::ConfigError> {
        Spec.check(config)
    }

    fn generate(
        &self,
        config: &Self::Config,
        episode: sim_core::Episode,
    ) -> Result<Self::Instance, sim_core::ConfigError> {
        Spec.generate(config, episode)
    }

    fn begin(&self, instance: Arc<Self::Instance>) -> Result<Self::Env, sim_core::ConfigError> {
        Spec.begin(instance)
    }

    fn reference(&self, _: &Self::Instance, _: sim_core::Effort) -> sim_core::Reference {
        sim_core::Reference::none()
    }

    fn policies(&self) -> Vec<sim_core::PolicySpec<Self::Env, Self::Instance>> {
        use sim_core::PolicySpec;
        vec![
            PolicySpec::new("stubborn", "orders -1", |_| Ok(Stubborn)),
            PolicySpec::new("counting", "orders how often it was asked", |_| {
                Ok(Counting { asked: 0, told: 0 })
            }),
        ]
    }
}

/// The only game of a server, new or continued, and its server.
fn odd(dir: &Path, preset: &str) -> (SessionManager, Opened) {
    let registry = || Registry::new().with(Odd);
    let request = RunRequest {
        environment: "odd".to_owned(),
        preset: Some(preset.to_owned()),
        agent: "mcp".to_owned(),
        episodes: Some(1),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry(), request).unwrap();
    let path = dir.join("games");
    let folder = if path.exists() {
        Folder::open(&path).unwrap()
    } else {
        Folder::create(&path, plan.clone()).unwrap()
    };
    let options = SessionOptions {
        follows: true,
        ..SessionOptions::new(ServerMode::Play, SessionLimits::default())
    };
    let sessions = SessionManager::with(registry(), plan, options, Some(folder)).unwrap();
    let opened = sessions.open("me", Some(0), None).unwrap();
    (sessions, opened)
}

/// A policy that takes a seat over has been asked and told once for every decision, whatever else the
/// seat did: look-ups, refused orders, and a policy's own order that was refused.
#[test]
fn a_policy_learns_from_decisions_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (sessions, opened) = odd(dir.path(), "paper");
    let id = opened.seats.values().next().unwrap();
    for week in 0..2 {
        assert!(!sessions.call(id, "get_stock", json!({}), None).error);
        let negative = json!({"quantity": -1});
        assert!(sessions.call(id, "place_order", negative, Some(week)).error);
        assert!(!order(&sessions, id, 100).error);
    }
    let decides = |name: &str, week: u32| {
        let wait = sessions.wait(&opened.id).unwrap();
        assert_eq!(wait.period, week);
        sessions.decide_for(id, name, wait).unwrap()
    };
    assert!(decides("stubborn", 2));
    assert!(decides("counting", 3));
    // When the time is up a second time, it has decided once itself.
    assert!(decides("counting", 4));
    let rows = sessions.rows(&opened.id).remove(0).1;
    let orders: Vec<&Value> = rows.iter().map(|row| &row.action["quantity"]).collect();
    assert_eq!(orders[..2], [100, 100]);
    assert!(rows[2].action.is_null(), "it was forfeited");
    assert_eq!(orders[3..], [43, 54]);
}

/// The turn of a seat ends when its time is up, also where the decision of the policy is refused, and
/// also out of turn; a later server finds it decided.
#[test]
fn a_policy_that_is_refused_forfeits_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let (sessions, opened) = odd(dir.path(), "classic");
    let decide = |sessions: &SessionManager, opened: &Opened, seat: &str| {
        let mut seats = opened.seats.iter();
        let (_, id) = seats.find(|(known, _)| known.name() == seat).unwrap();
        let wait = sessions.wait(&opened.id).unwrap();
        assert_eq!(wait.period, 0);
        sessions.decide_for(id, "stubborn", wait).unwrap()
    };
    assert!(decide(&sessions, &opened, "brewery"));
    let names = |sessions: &SessionManager, opened: &Opened| -> Vec<String> {
        let waiting = sessions.waiting_for(&opened.id);
        waiting.iter().map(Seat::to_string).collect()
    };
    let left = ["retailer", "wholesaler", "distributor"];
    assert_eq!(names(&sessions, &opened), left);
    drop(sessions);
    let (sessions, opened) = odd(dir.path(), "classic");
    assert_eq!(names(&sessions, &opened), left);
    for seat in left {
        assert!(decide(&sessions, &opened, seat), "{seat}");
    }
    let turn = &sessions.status(&opened.id).value["turn"];
    assert_eq!(turn, 1, "the week is over");
}

/// What is said of a write that failed names the game.
#[test]
fn a_failed_write_names_episode_and_trial() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "classic");
    let opened = sessions.open("me", Some(3), Some(2)).unwrap();
    let (_, brewery) = opened
        .seats
        .iter()
        .find(|(seat, _)| seat.name() == "brewery")
        .unwrap();
    std::fs::remove_dir_all(dir.path().join("games/progress")).unwrap();
    let wait = sessions.wait(&opened.id).unwrap();
    assert!(sessions.decide_for(brewery, "order-up-to", wait).unwrap());
    let told = sessions.take_unkept();
    assert!(
        told.iter()
            .any(|line| line.starts_with("trial 2 of episode 3 could not be saved: ")),
        "{told:?}"
    );
}

/// A thousand games that end at once are all recorded.
#[test]
fn records_of_many_threads_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path(), "paper");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let opened = sessions.open("me", Some(0), None).unwrap();
                    assert_eq!(
                        sessions.close_episode(&opened.id).value["not_kept"],
                        Value::Null
                    );
                }
            });
        }
    });
    drop(sessions);
    assert_eq!(records(dir.path()).len(), 40);
    verifies(dir.path());
}
