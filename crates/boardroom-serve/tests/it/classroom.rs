//! A classroom, played by clients over HTTP as its pages do.

use crate::client::{Running, sessions, verifies};
use boardroom_serve::ServerMode;
use boardroom_serve::classroom::{
    Classroom, ClassroomOptions, Link, ModelFuture, ModelPlayer, ModelTurn,
};
use boardroom_serve::transport::bind;
use serde_json::{Value, json};
use sim_core::{Input, Seat};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEVELS: [(&str, f64); 4] = [
    ("retailer", 32.0),
    ("wholesaler", 32.0),
    ("distributor", 32.0),
    ("brewery", 24.0),
];

fn options(teams: u32) -> ClassroomOptions {
    ClassroomOptions {
        teams,
        episode: 0,
        bot: "order-up-to".to_owned(),
        stand_in: "order-up-to".to_owned(),
        models: None,
        limit: None,
        is_open: false,
    }
}

pub(crate) struct School {
    pub(crate) server: Running,
    links: Vec<Link>,
}

impl School {
    pub(crate) fn open(dir: &Path, preset: &str, teams: u32, limit: Option<u64>) -> Self {
        let options = ClassroomOptions {
            limit: limit.map(Duration::from_secs),
            ..options(teams)
        };
        Self::with(dir, preset, options)
    }

    fn with(dir: &Path, preset: &str, options: ClassroomOptions) -> Self {
        let sessions = sessions(dir, preset, "classroom", ServerMode::Play);
        let classroom = Classroom::open(sessions, options, Some(dir)).unwrap();
        let links = classroom.links();
        let server = Running::start(move |address, ready, stop| {
            classroom.serve(bind(address)?, ready, stop)
        });
        Self { server, links }
    }

    fn token(&self, of: &str) -> String {
        let link = self.links.iter().find(|link| link.of == of);
        link.unwrap_or_else(|| panic!("{of}: {:?}", self.links))
            .token
            .clone()
    }

    pub(crate) fn player(&self, team: usize, seat: &'static str) -> Player {
        Player {
            token: self.token(&format!("team {team}, {seat}")),
            path: format!("/api/teams/{team}/seats/{seat}"),
        }
    }

    fn teacher(&self) -> Value {
        let token = self.token("teacher");
        self.server
            .json("GET", "/api/teacher", &token, &Value::Null)
            .1
    }

    pub(crate) fn teach(&self, what: &str, body: &Value) {
        let token = self.token("teacher");
        let (status, told) =
            self.server
                .json("POST", &format!("/api/teacher/{what}"), &token, body);
        assert_eq!(status, 200, "{told}");
    }
}

pub(crate) struct Player {
    pub(crate) token: String,
    pub(crate) path: String,
}

impl Player {
    fn sees(&self, school: &School) -> Value {
        let (status, seen) = school
            .server
            .json("GET", &self.path, &self.token, &Value::Null);
        assert_eq!(status, 200, "{seen}");
        seen
    }

    fn post(&self, school: &School, what: &str, body: &Value) -> (u16, Value) {
        let path = format!("{}/{what}", self.path);
        school.server.json("POST", &path, &self.token, body)
    }

    pub(crate) fn join(&self, school: &School) {
        assert_eq!(self.post(school, "join", &json!({"name": "Ada"})).0, 200);
    }

    pub(crate) fn order(&self, school: &School, quantity: u64, turn: u64) -> Value {
        let body =
            json!({"tool": "place_order", "arguments": {"quantity": quantity}, "turn": turn});
        let (status, told) = self.post(school, "act", &body);
        assert_eq!((status, &told["error"]), (200, &json!(false)), "{told}");
        told
    }
}

fn up_to(level: f64, seen: &Value) -> u64 {
    let of = |key: &str| seen["observation"][key].as_f64().unwrap();
    (level - (of("inventory") - of("backlog") + of("on_order"))).max(0.0) as u64
}

/// Four people play the classic game with order-up-to levels 32, 32, 32 and 24; in week 10 the server
/// stops and starts again.
#[test]
fn four_people_play_the_classic_game() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let mut school = School::open(&dir, "classic", 1, None);
    let players: Vec<Player> = LEVELS
        .iter()
        .map(|(seat, _)| school.player(1, seat))
        .collect();
    let before = players[0].sees(&school);
    assert_eq!(
        (&before["phase"], before.get("observation")),
        (&json!("lobby"), None)
    );
    let (status, _) = players[0].post(&school, "act", &json!({"tool": "place_order"}));
    assert_eq!(status, 409, "the game has not begun");
    for player in &players {
        player.join(&school);
    }
    school.teach("start", &json!({}));
    let mut retailer = school
        .server
        .events(&format!("{}/events", players[0].path), &players[0].token);
    for week in 0..36 {
        let mut places: Vec<usize> = (0..4).collect();
        places.rotate_left(week % 4);
        for (count, place) in places.into_iter().enumerate() {
            let (seat, level) = LEVELS[place];
            let seen = players[place].sees(&school);
            assert_eq!(
                (&seen["turn"], &seen["decided"]),
                (&json!(week), &json!(false))
            );
            assert_eq!(seen["observation"]["role"], seat);
            // Its own past weeks, and nothing of the running one.
            assert_eq!(seen["rows"].as_array().unwrap().len(), week);
            let told = players[place].order(&school, up_to(level, &seen), week as u64);
            if count < 3 {
                assert_eq!(
                    (&told["sealed"], &told["text"]),
                    (&json!(true), &Value::Null)
                );
                for other in &players {
                    let seen = other.sees(&school);
                    assert_eq!(seen["turn"], week);
                    let known = seen["players"].as_array().unwrap();
                    assert!(known.iter().all(|player| player.get("order").is_none()));
                }
            }
            if week == 10 && count == 1 {
                // The third and the fourth have not decided yet.
                drop(retailer);
                drop(school);
                school = School::open(&dir, "classic", 1, None);
                let seen = players[place].sees(&school);
                assert_eq!(
                    (&seen["turn"], &seen["decided"]),
                    (&json!(10), &json!(true))
                );
                assert_eq!(seen["name"], "Ada");
                let path = format!("{}/events", players[0].path);
                retailer = school.server.events(&path, &players[0].token);
            }
        }
        let next = week as u64 + 1;
        retailer.until(|seen| seen["turn"] == next || seen["over"] == true);
    }
    let end = players[3].sees(&school);
    let debrief = &end["debrief"];
    assert_eq!(
        debrief["result"]["metrics"]["chain_cost"], 204.0,
        "{debrief}"
    );
    assert_eq!(debrief["result"]["reference"]["value"], 158.0);
    assert_eq!(debrief["optimum"]["result"]["value"], 158.0);
    assert!(debrief["result"]["metrics"]["bullwhip_brewery"].is_number());
    for rows in [&debrief["rows"], &debrief["optimum"]["rows"]] {
        for (seat, _) in LEVELS {
            assert_eq!(rows[seat].as_array().unwrap().len(), 36, "{seat}");
        }
    }
    // Also a classroom that is over can be opened again.
    let result = debrief["result"].clone();
    drop(retailer);
    drop(school);
    let school = School::open(&dir, "classic", 1, None);
    let again = school.player(1, "brewery").sees(&school);
    assert_eq!(again["debrief"]["result"], result);
    drop(school);
    verifies(&dir);
}

#[test]
fn a_token_opens_its_own_seat_alone() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 2, None);
    let token = school.token("team 1, retailer");
    let teacher = school.token("teacher");
    let ask = |method: &str, path: &str, token: &str| {
        let body = if method == "POST" {
            json!({})
        } else {
            Value::Null
        };
        school.server.json(method, path, token, &body).0
    };
    let own = "/api/teams/1/seats/retailer";
    assert_eq!(ask("GET", own, &token), 200);
    for seat in [
        "/api/teams/1/seats/brewery",
        "/api/teams/2/seats/retailer",
        "/api/teams/3/seats/retailer",
        "/api/teams/1/seats/nobody",
        "/api/teams/%31/seats/brewery",
        "/api/teams/1/seats/..%2fbrewery",
    ] {
        assert_eq!(ask("GET", seat, &token), 403, "{seat}");
        assert_eq!(ask("GET", &format!("{seat}/events"), &token), 403, "{seat}");
        assert_eq!(ask("POST", &format!("{seat}/join"), &token), 403, "{seat}");
        assert_eq!(ask("POST", &format!("{seat}/act"), &token), 403, "{seat}");
    }
    assert_eq!(ask("GET", "/api/teacher", &token), 403);
    assert_eq!(ask("GET", "/api/teacher/events", &token), 403);
    for what in ["start", "pause", "limit", "bot", "end"] {
        assert_eq!(ask("POST", &format!("/api/teacher/{what}"), &token), 403);
    }
    assert_eq!(ask("GET", own, &teacher), 403, "the teacher does not play");
    assert_eq!(ask("GET", own, "x"), 401);
    assert_eq!(ask("GET", "/api/teacher", &teacher), 200);

    let headers = [
        ("Origin", "http://evil.example"),
        ("Authorization", token.as_str()),
    ];
    assert_eq!(school.server.send("GET", own, &headers, "").0, 403);
    let mut bytes = 0;
    for path in ["/", "/page.js", "/page.css"] {
        let (status, head, body) = school.server.send("GET", path, &[], "");
        assert_eq!(status, 200);
        assert!(
            head.contains("content-security-policy: default-src 'none'"),
            "{head}"
        );
        assert!(
            !body.contains("http:") || path == "/page.js",
            "no external resources"
        );
        bytes += body.len();
    }
    assert!(bytes < 100_000, "{bytes} bytes, uncompressed");
}

/// The page's button for a fair end hands every seat of a person to a policy: the game is whole, and keeps what is sealed.
#[test]
fn a_game_whose_people_are_replaced_ends_as_a_whole_game() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let school = School::open(&dir, "classic", 1, None);
    let players = ["retailer", "brewery"].map(|seat| school.player(1, seat));
    for player in &players {
        player.join(&school);
    }
    school.teach("start", &json!({}));
    for week in 0..3 {
        for player in &players {
            player.order(&school, 8, week);
        }
    }
    players[1].order(&school, 99, 3);
    for seat in ["retailer", "brewery"] {
        let bot = json!({"team": 1, "seat": seat, "policy": "order-up-to"});
        school.teach("bot", &bot);
    }
    let seen = players[1].sees(&school);
    let debrief = &seen["debrief"];
    assert_eq!(debrief["result"]["ending"], "complete", "{debrief}");
    assert_eq!(debrief["result"]["incidents"], json!([]));
    assert_eq!(debrief["rows"]["brewery"][3]["action"]["quantity"], 99);
    drop(school);
    verifies(&dir);
}

#[test]
fn policies_take_empty_seats_and_time_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let school = School::open(&dir, "classic", 2, None);
    let player = school.player(1, "distributor");
    player.join(&school);
    // Team 2 has nobody: its policies play to the end at once.
    school.teach("start", &json!({}));
    let all = school.teacher();
    assert_eq!(
        (&all["teams"][0]["over"], &all["teams"][1]["over"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        all["teams"][1]["rows"]["brewery"].as_array().unwrap().len(),
        36
    );
    for week in 0..3 {
        let seen = player.sees(&school);
        assert_eq!(seen["turn"], week);
        let told = player.order(&school, up_to(32.0, &seen), week);
        // The policies have decided, so the week is over and its result is there.
        let text = told["text"].as_str().unwrap();
        assert!(text.contains(&format!("In week {}, ", week + 1)), "{text}");
        assert!(!text.contains("when the other roles"), "{text}");
    }
    school.teach("pause", &json!({}));
    let order = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": 3});
    assert_eq!(player.post(&school, "act", &order).0, 409);
    school.teach("start", &json!({}));
    // A person takes the seat of a policy.
    let brewer = school.player(1, "brewery");
    brewer.join(&school);
    player.order(&school, 4, 3);
    assert_eq!(player.sees(&school)["turn"], 3, "it waits for the brewer");
    let (_, again) = player.post(&school, "act", &order);
    assert_eq!(again["rejected"], "sealed");
    let text = again["text"].as_str().unwrap();
    assert!(!text.contains("get_status"), "a page has no tools: {text}");
    // A page that decides too late has the number of another week, and counts weeks from 1.
    let late = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": 2});
    let (_, told) = player.post(&school, "act", &late);
    assert_eq!(told["rejected"], "wrong_turn");
    let text = told["text"].as_str().unwrap();
    assert!(!text.contains(|c: char| c.is_ascii_digit()), "{text}");
    brewer.order(&school, 4, 3);
    assert_eq!(player.sees(&school)["turn"], 4);
    // Nobody decides any more: after one second each, the policy does.
    let mut events = school
        .server
        .events(&format!("{}/events", player.path), &player.token);
    school.teach("limit", &json!({"seconds": 1}));
    events.until(|seen| seen["turn"] == 6);
    school.teach("end", &json!({"team": 1}));
    let end = events.until(|seen| seen["over"] == true);
    assert_eq!(end["debrief"]["result"]["closed_by"], "host");
    // The weeks that were forfeited at the end have their results as well.
    for (seat, rows) in end["debrief"]["rows"].as_object().unwrap() {
        let rows = rows.as_array().unwrap();
        let costs = rows.iter().map(|row| row["outcome"]["total_cost"].as_f64());
        let costs: Option<Vec<f64>> = costs.collect();
        assert!(
            costs.is_some_and(|costs| costs.len() == 36 && costs.is_sorted()),
            "{seat}"
        );
    }
    drop(events);
    drop(school);
    verifies(&dir);
}

/// The game of a team without people is over at once; the class goes on with the others, also after the
/// server was stopped.
#[test]
fn a_class_goes_on_after_the_game_of_one_team_is_over() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let mut school = School::open(&dir, "classic", 2, None);
    let player = school.player(1, "retailer");
    player.join(&school);
    school.teach("start", &json!({}));
    for week in 0..2 {
        drop(school);
        school = School::open(&dir, "classic", 2, None);
        let all = school.teacher();
        let over = |team: usize| all["teams"][team]["over"].clone();
        assert_eq!((over(0), over(1)), (json!(false), json!(true)));
        assert!(all["teams"][1]["result"]["value"].is_number(), "{all}");
        assert_eq!(player.sees(&school)["turn"], week);
        player.order(&school, 4, week);
    }
    // The weeks of the other team, which has the same demand, are not shown while this one plays.
    let brewery = school.player(2, "brewery").sees(&school);
    assert_eq!(brewery["over"], true);
    assert_eq!(brewery["debrief"], json!({"waits_for": "teams"}));
    // A policy played this seat; its player is told the same as those of other games that are over, also in a pause.
    for then in ["pause", "start"] {
        school.teach(then, &json!({}));
        let (status, told) = four(&school, &school.player(2, "brewery"), 0);
        assert_eq!(
            (status, &told["text"]),
            (200, &json!("The game of your team is over.")),
            "{told}"
        );
    }
    // Nobody takes a seat of a game that is over, and the teacher is told why.
    let body = json!({"team": 2, "seat": "brewery", "policy": "constant:4"});
    let teacher = school.token("teacher");
    let path = "/api/teacher/bot";
    let (status, told) = school.server.json("POST", path, &teacher, &body);
    let why = told["message"].as_str().unwrap();
    assert!(
        status == 400 && why.contains("team 2 is over"),
        "{status} {told}"
    );
    let all = school.teacher();
    let brewery = &all["teams"][1]["seats"][3];
    assert_eq!(brewery["bot"], "order-up-to", "who played it stays");
    school.teach("end", &json!({"team": 1}));
    let brewery = school.player(2, "brewery").sees(&school);
    let own = brewery["debrief"]["rows"]["brewery"].as_array().unwrap();
    assert_eq!(own.len(), 36);
    drop(school);
    verifies(&dir);
}

/// The teacher is offered each policy as it is named without an argument, where that is enough: with the
/// example of its argument, which suits another preset, it would be another rule.
#[test]
fn policies_are_offered_without_an_argument_that_may_be_left_out() {
    let dir = tempfile::tempdir().unwrap();
    for preset in ["classic", "paper"] {
        let school = School::open(&dir.path().join(preset), preset, 1, None);
        let all = school.teacher();
        let offered = all["room"]["policies"].as_array().unwrap();
        for name in ["order-up-to", "random", "system-dynamics", "optimal"] {
            assert!(offered.contains(&json!(name)), "{preset}: {offered:?}");
        }
        // Only these need their arguments.
        let with: Vec<&str> = offered
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| name.contains(':'))
            .collect();
        assert_eq!(with, ["smoothing:4", "constant:400"], "{preset}");
        for name in offered {
            let seat = &all["teams"][0]["seats"][0]["seat"];
            school.teach("bot", &json!({"team": 1, "seat": seat, "policy": name}));
        }
    }
}

/// A game with one seat has one link.
#[test]
fn one_person_plays_a_game_with_one_seat() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let school = School::open(&dir, "paper", 1, None);
    let seat = school.links[1].clone();
    assert_eq!((school.links.len(), seat.of.as_str()), (2, "team 1"));
    let (_, me) = school
        .server
        .json("GET", "/api/me", &seat.token, &Value::Null);
    let player = Player {
        token: seat.token,
        path: format!("/api/teams/1/seats/{}", me["seat"].as_str().unwrap()),
    };
    player.join(&school);
    school.teach("start", &json!({}));
    for week in 0..25 {
        let told = player.order(&school, 400, week);
        assert!(told["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let end = player.sees(&school);
    assert_eq!(end["debrief"]["result"]["value"], 9_200.0);
    let (_, own) = end["debrief"]["rows"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(own.as_array().unwrap().len(), 25);
    drop(school);
    verifies(&dir);
}

/// A seat that was handed to a policy says so, and its person has to join before the next order.
#[test]
fn a_person_takes_a_seat_back() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 1, None);
    let players = LEVELS.map(|(seat, _)| school.player(1, seat));
    for player in &players {
        player.join(&school);
    }
    school.teach("start", &json!({}));
    let brewer = &players[3];
    let of_bot = |policy: &str| {
        let body = json!({"team": 1, "seat": "brewery", "policy": policy});
        school.teach("bot", &body);
        let seen = brewer.sees(&school);
        let players = seen["players"].as_array().unwrap();
        let mut own = players.iter().filter(|player| player["seat"] == "brewery");
        own.next().unwrap().clone()
    };
    let own = of_bot("constant:4");
    assert_eq!(
        (&own["bot"], &own["model"]),
        (&json!("constant:4"), &json!(false))
    );
    let order = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": 0});
    let (status, told) = brewer.post(&school, "act", &order);
    assert_eq!((status, &told["rejected"]), (409, &json!("not_yours")));
    let why = told["message"].as_str().unwrap();
    assert!(why.contains("join"), "{why}");
    brewer.join(&school);
    brewer.order(&school, 4, 0);
}

/// All teams play one episode, so its best play is shown to nobody who could tell those that still play.
#[test]
fn the_optimum_waits_for_every_team() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 2, None);
    school.player(1, "brewery").join(&school);
    // Team 2 has policies alone: its game is over at once.
    school.teach("start", &json!({}));
    let early = school.player(2, "retailer");
    let mut events = school
        .server
        .events(&format!("{}/events", early.path), &early.token);
    let first = events.until(|seen| seen["over"] == true);
    let debrief = &first["debrief"];
    assert_eq!(
        (&debrief["optimum"], &debrief["waits_for"]),
        (&Value::Null, &json!("teams"))
    );
    assert_eq!(debrief.get("result"), None);
    assert_eq!(
        debrief.get("rows"),
        None,
        "they show the demand of all weeks"
    );
    // The teacher may see it at any time, once it is solved.
    let teacher = school.token("teacher");
    let mut room = school.server.events("/api/teacher/events", &teacher);
    let room = room.until(|seen| seen["optimum"]["rows"].is_object());
    assert_eq!(room["optimum"]["result"]["value"], 158.0);
    assert_eq!(early.sees(&school)["debrief"]["optimum"], Value::Null);
    school.teach("end", &json!({"team": 1}));
    let last = events.until(|seen| seen["debrief"]["waits_for"].is_null());
    assert_eq!(last["debrief"]["optimum"], room["optimum"]);
}

/// Who takes a seat while the policies are being seated plays it.
#[test]
fn a_person_joins_while_the_policies_take_their_seats() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 24, None);
    // The teams of policies before the last one play to their ends first.
    let (first, player) = (school.player(1, "retailer"), school.player(24, "retailer"));
    std::thread::scope(|scope| {
        scope.spawn(|| school.teach("start", &json!({})));
        while first.sees(&school)["over"] != true {}
        player.join(&school);
    });
    let seen = player.sees(&school);
    let own = &seen["players"][0];
    assert_eq!(
        (&own["seat"], &own["bot"]),
        (&json!("retailer"), &Value::Null)
    );
    assert_eq!(
        (&seen["over"], &seen["decided"]),
        (&json!(false), &json!(false)),
        "a policy decided for the person"
    );
    player.order(&school, 4, 0);
}

const MODEL: &str = "openai:up-to";
const BROKEN: &str = "openai:broken";

/// Models whose answers are known: one orders up to the level of its seat, the other one fails.
#[derive(Debug)]
struct Models {
    names: Vec<String>,
    /// The names of the turns that were asked for.
    asked: Mutex<Vec<String>>,
}

impl Models {
    fn new() -> Arc<Self> {
        let names = [MODEL, BROKEN].map(str::to_owned).to_vec();
        let asked = Mutex::default();
        Arc::new(Self { names, asked })
    }
}

impl ModelPlayer for Models {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn play(&self, turn: ModelTurn) -> ModelFuture {
        self.asked.lock().unwrap().push(turn.name);
        let env = turn.session.env();
        let seat: Seat = env.turn();
        let (_, level) = LEVELS.iter().find(|(of, _)| *of == seat.name()).unwrap();
        let quantity = up_to(*level, &json!({"observation": env.observation()}));
        let played = if turn.model == BROKEN {
            Err("there is no such server".to_owned())
        } else {
            let call = |tool: &str, arguments| Input::Call {
                tool: tool.to_owned(),
                arguments,
            };
            Ok(vec![
                call("get_stock", json!({})),
                call("place_order", json!({"quantity": quantity})),
            ])
        };
        Box::pin(async move { played })
    }
}

/// A person and three models play; the server stops in between, and one model is replaced by a policy.
#[test]
fn models_play_empty_seats() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let models = Models::new();
    let with_models = || ClassroomOptions {
        bot: MODEL.to_owned(),
        models: Some(Arc::clone(&models) as Arc<dyn ModelPlayer>),
        ..options(1)
    };
    let mut school = School::with(&dir, "classic", with_models());
    let seen = school.teacher();
    assert_eq!(seen["room"]["models"], json!([MODEL, BROKEN]));
    let player = school.player(1, "wholesaler");
    player.join(&school);
    school.teach("start", &json!({}));
    let path = format!("{}/events", player.path);
    let mut events = school.server.events(&path, &player.token);
    for week in 0..36 {
        if week == 12 {
            drop(events);
            drop(school);
            school = School::with(&dir, "classic", with_models());
            let bot = json!({"team": 1, "seat": "brewery", "policy": "order-up-to"});
            school.teach("bot", &bot);
            events = school.server.events(&path, &player.token);
        }
        let seen = events.until(|seen| seen["turn"] == week);
        player.order(&school, up_to(32.0, &seen), week);
    }
    let end = events.until(|seen| seen["over"] == true);
    let metrics = &end["debrief"]["result"]["metrics"];
    assert_eq!(metrics["chain_cost"], 204.0, "{end}");
    let asked = models.asked.lock().unwrap().clone();
    let of = |seat: &str| {
        let mut turns: Vec<&String> = asked.iter().filter(|name| name.contains(seat)).collect();
        turns.sort();
        turns.dedup();
        turns.len()
    };
    assert_eq!((of("/retailer/"), of("/distributor/")), (36, 36));
    assert!((12..=13).contains(&of("/brewery/")), "{}", of("/brewery/"));
    drop(events);
    drop(school);
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
    assert!(
        text.matches("get_stock").count() >= 72,
        "its calls are recorded"
    );
    verifies(&dir);
}

/// Where a model fails, the policy decides and the teacher is told; nobody waits.
#[test]
fn a_policy_stands_in_for_a_model_that_fails() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let with_models = ClassroomOptions {
        models: Some(Models::new()),
        ..options(1)
    };
    let school = School::with(&dir, "classic", with_models);
    let player = school.player(1, "retailer");
    player.join(&school);
    let teacher = school.token("teacher");
    let choose = |policy: &str| {
        let body = json!({"team": 1, "seat": "brewery", "policy": policy});
        let path = "/api/teacher/bot";
        school.server.json("POST", path, &teacher, &body).0
    };
    for wrong in [
        "openai:other",
        "nobody",
        "constant:many",
        "script:/etc/passwd",
    ] {
        assert_eq!(choose(wrong), 400, "{wrong}");
    }
    assert_eq!(choose("constant:4"), 200);
    assert_eq!(choose(BROKEN), 200);
    school.teach("start", &json!({}));
    let path = format!("{}/events", player.path);
    let mut events = school.server.events(&path, &player.token);
    for week in 0..3 {
        let seen = events.until(|seen| seen["turn"] == week);
        player.order(&school, up_to(32.0, &seen), week);
    }
    events.until(|seen| seen["turn"] == 3);
    let all = school.teacher();
    let seats = all["teams"][0]["seats"].as_array().unwrap();
    let brewery = seats.iter().find(|seat| seat["seat"] == "brewery").unwrap();
    let fault = &brewery["fault"];
    assert_eq!(fault["why"], "there is no such server", "{brewery}");
    // It may have failed in the next week as well by now.
    assert!(fault["turn"] == 2 || fault["turn"] == 3, "{brewery}");
    // A person takes the seat, and the remark is gone.
    school.player(1, "brewery").join(&school);
    let all = school.teacher();
    let seats = all["teams"][0]["seats"].as_array().unwrap();
    assert!(seats.iter().all(|seat| seat["fault"].is_null()));
    school.teach("end", &json!({"team": 1}));
    drop(events);
    drop(school);
    verifies(&dir);
    // The folder remembers its models; without them it cannot go on.
    let sessions = sessions(&dir, "classic", "classroom", ServerMode::Play);
    let unknown = ClassroomOptions {
        bot: MODEL.to_owned(),
        ..options(1)
    };
    assert!(Classroom::open(sessions, unknown, Some(&dir)).is_err());
}

/// A pause before the start would leave the empty seats without a policy.
#[test]
fn only_games_that_run_are_paused() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 1, None);
    let teacher = school.token("teacher");
    let path = "/api/teacher/pause";
    let (status, told) = school.server.json("POST", path, &teacher, &json!({}));
    assert_eq!(status, 400, "{told}");
    let player = school.player(1, "retailer");
    player.join(&school);
    school.teach("start", &json!({}));
    school.teach("pause", &json!({}));
    school.teach("start", &json!({}));
    player.order(&school, 4, 0);
    assert_eq!(
        player.sees(&school)["turn"],
        1,
        "policies play the other seats"
    );
}

/// While the folder of the class is gone, nothing counts as sealed, both pages say so, and only the teacher
/// lets the class go on.
#[test]
fn a_class_that_cannot_be_saved_says_so_and_pauses() {
    let dir = tempfile::tempdir().unwrap();
    let (dir, away) = (dir.path().join("school"), dir.path().join("away"));
    let school = School::open(&dir, "classic", 1, None);
    let teacher = school.token("teacher");
    let players: Vec<Player> = LEVELS
        .iter()
        .map(|(seat, _)| school.player(1, seat))
        .collect();
    for player in &players {
        player.join(&school);
    }
    school.teach("start", &json!({}));
    let order = |player: &Player, turn: u64| {
        let body = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": turn});
        player.post(&school, "act", &body)
    };
    let path = format!("{}/events", players[0].path);
    let mut events = school.server.events(&path, &players[0].token);
    assert_eq!(order(&players[1], 0).1["sealed"], true);
    std::fs::rename(&dir, &away).unwrap();
    let (status, told) = order(&players[2], 0);
    // The check that runs every second may have paused the class before.
    if status == 200 {
        assert_eq!(
            (&told["sealed"], &told["kept"]),
            (&Value::Null, &json!(false))
        );
    }
    let seen = events.until(|seen| seen["unsaved"] == true);
    assert_eq!(seen["phase"], "paused");
    let room = school.teacher()["room"].clone();
    assert!(room["unsaved_why"].is_string(), "{room}");
    let (status, told) = order(&players[3], 0);
    assert!(status == 409 && told["rejected"] == "paused", "{told}");
    let start = |body: Value| {
        let path = "/api/teacher/start";
        school.server.json("POST", path, &teacher, &body).0
    };
    assert_eq!(start(json!({})), 400, "only without being saved");
    assert_eq!(start(json!({"unsaved": true})), 200);
    let (_, told) = order(&players[3], 0);
    assert_eq!(
        (&told["error"], &told["kept"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(told["sealed"], Value::Null);
    assert_eq!(
        players[0].sees(&school)["unsaved"],
        true,
        "as long as it is so"
    );
    // Once the folder is back, everything is written, and the warning ends.
    std::fs::rename(&away, &dir).unwrap();
    events.until(|seen| seen["unsaved"] == false);
    if players[2].sees(&school)["decided"] == false {
        order(&players[2], 0);
    }
    assert_eq!(order(&players[0], 0).1["kept"], true);
    drop(events);
    drop(school);
    let school = School::open(&dir, "classic", 1, None);
    assert_eq!(
        school.player(1, "retailer").sees(&school)["turn"],
        1,
        "nothing is lost"
    );
    school.teach("end", &json!({"team": 1}));
    drop(school);
    verifies(&dir);
}

/// A class of one team whose members have joined, in the folder `dir`.
fn joined(dir: &Path) -> (School, Vec<Player>) {
    let school = School::open(dir, "classic", 1, None);
    let players = LEVELS.map(|(seat, _)| school.player(1, seat));
    for player in &players {
        player.join(&school);
    }
    school.teach("start", &json!({}));
    (school, players.into())
}

/// The answer to an order of four units.
fn four(school: &School, player: &Player, turn: u64) -> (u16, Value) {
    let body = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": turn});
    player.post(school, "act", &body)
}

/// What was written while the folder was elsewhere is there once when the folder is back: twice, the game would not
/// replay, and its record would be a double one.
#[test]
fn what_is_decided_while_the_folder_is_elsewhere_is_saved_once() {
    let dir = tempfile::tempdir().unwrap();
    let (dir, away) = (dir.path().join("school"), dir.path().join("away"));
    let (mut school, players) = joined(&dir);
    // With every decision of the retailer a turn of the game is written.
    for ends in [false, true] {
        let path = format!("{}/events", players[0].path);
        let mut events = school.server.events(&path, &players[0].token);
        let turn = players[0].sees(&school)["turn"].as_u64().unwrap();
        std::fs::rename(&dir, &away).unwrap();
        if ends {
            school.teach("end", &json!({"team": 1}));
        } else if four(&school, &players[0], turn).0 == 409 {
            // The check that runs every second was first.
            school.teach("start", &json!({"unsaved": true}));
            assert_eq!(four(&school, &players[0], turn).1["kept"], false);
        }
        events.until(|seen| seen["unsaved"] == true);
        std::fs::rename(&away, &dir).unwrap();
        events.until(|seen| seen["unsaved"] == false);
        if !ends {
            school.teach("start", &json!({}));
            for player in &players[1..] {
                assert_eq!(four(&school, player, turn).1["kept"], true);
            }
        }
        drop(events);
        drop(school);
        school = School::open(&dir, "classic", 1, None);
        let seen = players[0].sees(&school);
        assert_eq!(
            (&seen["over"], seen["turn"].as_u64()),
            (&json!(ends), (!ends).then_some(turn + 1))
        );
    }
    drop(school);
    verifies(&dir);
}

/// Where a sealed decision cannot be written and everything else can, the class does not go on as if it were, and waits
/// for the teacher also after a restart.
#[test]
fn a_sealed_decision_that_is_not_written_is_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let (school, players) = joined(&dir);
    let teacher = school.token("teacher");
    let start = |school: &School| {
        let path = "/api/teacher/start";
        school.server.json("POST", path, &teacher, &json!({})).0
    };
    let path = format!("{}/events", players[1].path);
    let mut events = school.server.events(&path, &players[1].token);
    let sealed = dir.join("progress/0.sealed");
    std::fs::create_dir(&sealed).unwrap();
    assert_eq!(four(&school, &players[1], 0).1["kept"], false);
    assert_eq!(start(&school), 400, "it is not written yet");
    assert_eq!(players[1].sees(&school)["unsaved"], true);
    std::fs::remove_dir(&sealed).unwrap();
    events.until(|seen| seen["unsaved"] == false);
    drop(events);
    drop(school);
    let school = School::open(&dir, "classic", 1, None);
    let seen = players[1].sees(&school);
    assert_eq!(
        (&seen["decided"], &seen["phase"]),
        (&json!(true), &json!("paused"))
    );
    assert_eq!(start(&school), 200);
}

/// The server still knows what was in the folder of unfinished games, and writes it again.
#[test]
fn the_folder_of_unfinished_games_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let (school, players) = joined(&dir);
    for player in &players {
        four(&school, player, 0);
    }
    assert_eq!(four(&school, &players[1], 1).1["kept"], true);
    std::fs::remove_dir_all(dir.join("progress")).unwrap();
    school.teach("start", &json!({}));
    let links = school.links.clone();
    drop(school);
    let school = School::open(&dir, "classic", 1, None);
    assert_eq!(school.links, links);
    let seen = players[1].sees(&school);
    assert_eq!((&seen["turn"], &seen["decided"]), (&json!(1), &json!(true)));
}

/// Records do not say why a game ended early, and the results of a class do, also from a later server.
#[test]
fn what_was_closed_early_is_called_so_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("school");
    let mut school = School::open(&dir, "classic", 2, None);
    let player = school.player(1, "retailer");
    player.join(&school);
    // Team 2 has nobody: its policies play to the end.
    school.teach("start", &json!({}));
    player.order(&school, 4, 0);
    school.teach("end", &json!({"team": 1}));
    for restarts in 0..3 {
        let all = school.teacher();
        let why = |team: usize| all["teams"][team]["result"]["closed_by"].clone();
        assert_eq!((why(0), why(1)), (json!("host"), Value::Null), "{restarts}");
        let debrief = player.sees(&school)["debrief"].clone();
        assert_eq!(debrief["result"]["closed_by"], "host", "{restarts}");
        drop(school);
        school = School::open(&dir, "classic", 2, None);
    }
    drop(school);
    verifies(&dir);
}

/// Until all teams are over, no answer tells a team its result, and who played stays as it was.
#[test]
fn nothing_is_told_or_changed_after_the_game_of_a_team() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 2, None);
    let (early, other) = (school.player(1, "brewery"), school.player(2, "brewery"));
    early.join(&school);
    // A name that nobody sees is none.
    let name = json!({"name": "\u{200b}\u{3164} "});
    let (_, seen) = other.post(&school, "join", &name);
    assert_eq!(seen["name"], "brewery");
    school.teach("start", &json!({}));
    school.teach("end", &json!({"team": 1}));
    let (status, told) = four(&school, &early, 1);
    assert_eq!((status, &told["error"]), (200, &json!(true)));
    let text = told["text"].as_str().unwrap();
    assert!(!text.contains(|c: char| c.is_ascii_digit()), "{text}");
    let late = school.player(1, "retailer");
    let seats = school.teacher()["teams"][0]["seats"].clone();
    assert_eq!(late.post(&school, "join", &json!({"name": "Eve"})).0, 400);
    assert_eq!(school.teacher()["teams"][0]["seats"], seats);
    school.teach("end", &json!({"team": 2}));
    assert!(early.sees(&school)["debrief"]["result"]["value"].is_number());
}
