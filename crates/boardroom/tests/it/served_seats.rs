//! Questions and interviews over `serve`: a client is the one who is tested, and policies play the other seats. What a
//! client is sent holds no fact that it did not ask for and no right answer.

use crate::classroom::ask;
use crate::program::{boardroom, call, json as told, names, ok, refused, verifies};
use crate::wire::Served;
use boardroom::registry::Registry;
use boardroom_serve::ServerMode;
use boardroom_serve::sessions::{ClientAnswer, SessionLimits, SessionManager};
use qa_scoring::interview::{
    CandidateScript, CaseStudy, LeakAuditor, ScriptedCandidate, Speaker, Transcript, cases,
};
use run_engine::plan::source::InstanceSource;
use run_engine::plan::{Plan, RunRequest};
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use sim_core::{EpisodeRecord, Input, Session};
use std::path::Path;

fn sessions(environment: &str) -> SessionManager {
    let request = RunRequest {
        environment: environment.to_owned(),
        agent: "mcp".to_owned(),
        episodes: Some(1_000),
        ..RunRequest::default()
    };
    let plan = Plan::new(&Registry::new(), request).unwrap();
    let limits = SessionLimits::default();
    SessionManager::new(Registry::new().into(), plan, ServerMode::Play, limits, None).unwrap()
}

/// Everything that a client is sent with an answer.
fn wire(answer: &ClientAnswer) -> String {
    let reminder = answer.reminder.as_deref().unwrap_or_default();
    // Texts as they are read, and as they stand in JSON.
    format!("{}\n{reminder}\n{}", answer.text, texts(&answer.value))
}

fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| format!("{key}: {}", texts(value)))
                .collect()
        }
        other => format!("{other}\n"),
    }
}

/// Checks what a client was sent in an interview on `case` so far.
fn holds_nothing_hidden(case: &CaseStudy, sent: &str, transcript: &Transcript, place: &str) {
    let (_, told) = LeakAuditor::new(case).audit(transcript);
    for fact in &case.gated {
        let is_told = told.iter().any(|(id, _)| *id == fact.id);
        assert!(
            is_told || !sent.contains(&fact.text),
            "{place}: fact {} was not asked for: {sent}",
            fact.id
        );
    }
    let rubric = case.rubric.quant_checks.iter();
    let rubric = rubric.map(|check| check.how.as_str());
    for text in case.hidden_texts().into_iter().chain(rubric) {
        // A candidate may say by itself what nobody told it.
        let mut said = transcript.of(Speaker::Candidate);
        assert!(
            text.is_empty() || !sent.contains(text) || said.any(|said| said.contains(text)),
            "{place}: {text}: {sent}"
        );
    }
}

/// Over all cases: whether a client asks for everything, for nothing or for what it should.
#[test]
fn no_answer_holds_a_fact_that_was_not_asked_for() {
    let sessions = sessions("consulting");
    let cases = cases().unwrap();
    let scripts = [
        CandidateScript::Ideal,
        CandidateScript::Silent,
        CandidateScript::Spoofer,
        CandidateScript::Shotgun,
    ];
    let step = small_or_full(5, 1);
    for (number, case) in cases.iter().enumerate().step_by(step) {
        let script = scripts[(number / step) % scripts.len()];
        let candidate = ScriptedCandidate::new(script, case.clone());
        let mut answer = sessions.new_episode(Some(number as u64));
        let id = answer.value["episode_id"].as_str().unwrap().to_owned();
        let mut told = 0;
        while answer.value["over"] == false {
            let place = format!("{} {script:?}", case.id);
            let seen = sessions.seat_state(&id).unwrap();
            assert_eq!(seen.seat.name(), "agent");
            assert_eq!(seen.observation["case"], Value::Null);
            assert!(
                answer.value.get("score_so_far").is_none(),
                "{}",
                answer.value
            );
            let transcript: Transcript =
                serde_json::from_value(seen.observation["transcript"].clone()).unwrap();
            let status = sessions.status(&id);
            let all = [
                wire(&answer),
                wire(&status),
                texts(&seen.observation),
                seen.rules.clone(),
                seen.opening.clone(),
                texts(&json!(seen.tools)),
                format!("{:?}", seen.rows),
            ];
            holds_nothing_hidden(case, &all.concat(), &transcript, &place);
            told = LeakAuditor::new(case).audit(&transcript).1.len();
            let text = candidate.speak(transcript.answers());
            answer = sessions.call(&id, "say", json!({"text": text}), None);
            assert!(!answer.error, "{}", answer.text);
        }
        // The end tells marks, and not by whose answers they would have been better.
        let end = wire(&answer);
        for text in case.hidden_texts() {
            assert!(text.is_empty() || !end.contains(text), "{}: {end}", case.id);
        }
        assert!(
            answer.value["score"]["value"].is_number(),
            "{}",
            answer.value
        );
        assert!(script != CandidateScript::Ideal || told > 1, "{}", case.id);
    }
}

/// There is one seat for clients, and only its tools.
#[test]
fn clients_cannot_take_the_seats_of_others() {
    for (environment, tool) in [("consulting", "say"), ("qa", "answer")] {
        let sessions = sessions(environment);
        let seats: Vec<&str> = sessions.seats().iter().map(sim_core::Seat::name).collect();
        assert_eq!(seats, ["agent"]);
        let tools = sessions.tools();
        assert_eq!(tools.len(), 1);
        assert_eq!(tools[0].name, tool);
        assert!(!tools[0].description.to_lowercase().contains("judg"));
        let opened = sessions.new_episode(None);
        assert_eq!(opened.value.get("seats"), None, "{}", opened.value);
        assert_eq!(opened.value.get("seat"), None);
        let id = opened.value["episode_id"].as_str().unwrap();
        for seat in ["interviewer", "judge", "judge_1", "executor"] {
            let answer = sessions.call(seat, tool, json!({"text": "10"}), None);
            assert_eq!(answer.value["rejected"], "no_such_episode");
            let aside = sessions.set_bot(seat, Some("silent"));
            assert!(aside.is_ok() && sessions.status(id).value["over"] == false);
        }
        // The policies of those seats cannot be let play the seat of the client either.
        assert!(sessions.check_policy("rules", 0).is_err());
        assert!(sessions.check_policy("none", 0).is_err());
    }
    for words in [
        &["serve", "consulting", "--seat", "agent=ideal"][..],
        &["serve", "consulting", "--seat", "judge_1=openai:m"],
        &["serve", "consulting", "--interviewer", "openai:m"],
        &["serve", "qa", "--judge", "openai:m"],
        &[
            "serve",
            "collusion",
            "--seat",
            "seller_1=best-reply",
            "--seat",
            "seller_2=best-reply",
        ],
    ] {
        let said = refused(words, 2);
        let about = if said.contains("openai") {
            "boardroom run"
        } else {
            "clients"
        };
        names(&said, &[about]);
    }
}

/// A client that leaves an interview is marked for what it said so far; a question that is left is wrong.
#[test]
fn what_is_left_is_judged() {
    let sessions = sessions("consulting");
    let case = &cases().unwrap()[0];
    let candidate = ScriptedCandidate::new(CandidateScript::Ideal, case.clone());
    let opened = sessions.new_episode(Some(0));
    let id = opened.value["episode_id"].as_str().unwrap();
    for round in 0..4 {
        let text = candidate.speak(round);
        let _ = sessions.call(id, "say", json!({"text": text}), None);
    }
    let end = sessions.close_episode(id).value;
    assert_eq!(end["score"]["metrics"]["rounds"], 4.0, "{end}");
    assert!(end["score"]["value"].as_f64().unwrap() > 0.0, "{end}");
    // Refused calls use up the tries of a turn, and do not take the marks with them.
    let opened = sessions.new_episode(Some(0));
    let id = opened.value["episode_id"].as_str().unwrap();
    let mut last = opened.value.clone();
    for _ in 0..100 {
        last = sessions.call(id, "say", json!({"words": 1}), None).value;
        if last["over"] == true {
            break;
        }
    }
    assert!(last["score"]["value"].is_number(), "{last}");
    let questions = self::sessions("qa");
    let opened = questions.new_episode(Some(2));
    assert!(
        !wire(&opened).contains("0.25"),
        "the right answer is not told"
    );
    let end = questions.close_episode(opened.value["episode_id"].as_str().unwrap());
    assert_eq!(end.value["score"]["value"], 0.0, "{}", end.value);
}

/// The records in a folder.
fn records(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What was done in a record, by seat: the actions, whether a call or a policy made them.
fn actions(record: &Value) -> Vec<(Value, Value)> {
    let entries = record["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let act = &entry["input"]["act"];
            let action = if act.is_null() { &entry["action"] } else { act };
            (entry["seat"].clone(), action.clone())
        })
        .collect()
}

/// The same words in the protocol and in `run` give the same interview; the server goes on where it was killed.
#[test]
fn an_interview_over_the_protocol_is_that_of_run() {
    let dir = tempfile::tempdir().unwrap();
    let (ran, served) = (dir.path().join("ran"), dir.path().join("served"));
    ok(&format!(
        "run consulting --preset short --episodes 1 --agent ideal --out {}",
        ran.display()
    ));
    let ran = records(&ran).remove(0);
    let said: Vec<Value> = actions(&ran)
        .into_iter()
        .filter(|(seat, _)| seat == "agent")
        .map(|(_, action)| action["text"].clone())
        .collect();
    let out = served.display().to_string();
    let words = [
        "serve",
        "consulting",
        "--preset",
        "short",
        "--http",
        "127.0.0.1:0",
        "--record",
        &out,
    ];
    let mut server = Served::of(&mut boardroom(&words));
    let tools = server.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let listed: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(listed, ["new_episode", "get_status", "say"]);
    let text = &tools[2]["inputSchema"]["properties"]["text"];
    assert_eq!(text["type"], "string");
    let mut id = server.open();
    let mut last = Value::Null;
    for (round, text) in said.iter().enumerate() {
        if round == 3 {
            drop(server);
            server = Served::of(&mut boardroom(&words));
            id = server.open();
            let status = server.call("get_status", &json!({"episode_id": id}));
            assert_eq!(status["structuredContent"]["turn"], 7, "{status}");
        }
        last = server.call(
            "say",
            &json!({"episode_id": id, "text": text, "turn": 2 * round + 1}),
        );
        assert_eq!(last["isError"], false, "{last}");
    }
    let end = &last["structuredContent"];
    assert_eq!(end["score"]["value"], ran["score"]["value"], "{end}");
    assert_eq!(end["score"]["metrics"], ran["score"]["metrics"]);
    drop(server);
    let record = records(&served).remove(0);
    assert_eq!(actions(&record), actions(&ran));
    assert_eq!(record["score"], ran["score"]);
    verifies(served.display(), 1);
    let text = ok(&format!("verify {out}"));
    names(&text, &["interviewer=rules, judge_1=rules"]);
    // Marks that the judge did not give are found, also in a record that is whole in itself.
    let forged = forged(&serde_json::from_value(record).unwrap());
    std::fs::write(served.join("episodes.jsonl"), format!("{forged}\n")).unwrap();
    let called = call(&["verify", &out]);
    assert_eq!(called.code, 1, "{}", called.out);
    names(
        &(called.out + &called.err),
        &["decides differently", "judge_1"],
    );
}

/// The line of the same interview with the best marks.
fn forged(record: &EpisodeRecord) -> String {
    let registry = Registry::new();
    let request = RunRequest {
        environment: "consulting".to_owned(),
        preset: Some("short".to_owned()),
        agent: "mcp".to_owned(),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry, request).unwrap();
    let source = InstanceSource::of(registry.kind("consulting").unwrap(), &plan).unwrap();
    let case = source.case(0).unwrap();
    let mut session = Session::new(case.open().unwrap(), record.header.clone(), plan.limits);
    for entry in &record.entries {
        let is_judge = session.env().turn().name() == "judge_1";
        let marks = json!({"structure": 10, "quant": 10, "business_sense": 10, "communication": 10,
            "overall": 10, "feedback": ""});
        let _ = session.apply(if is_judge {
            Input::Act(json!({"text": marks.to_string()}))
        } else {
            entry.input.clone()
        });
    }
    let forged = session.finish().unwrap();
    assert_eq!(forged.score.value(), 10.0);
    serde_json::to_string(&forged).unwrap()
}

/// The same questions as for `run`, over OpenEnv's HTTP and the protocol.
#[test]
fn questions_over_http_are_those_of_run() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("fomc.json");
    let items = json!([
        {"ID": 1, "Text": "Rates must rise.", "Answer": "hawkish"},
        {"ID": 2, "Text": "Rates will fall.", "Answer": "dovish"},
        {"ID": 3, "Text": "Rates stay where they are.", "Answer": "neutral"},
    ]);
    std::fs::write(&data, items.to_string()).unwrap();
    let choice = format!("--data {} --task FOMC --items 2 --seed 5", data.display());
    let ran = dir.path().join("ran");
    let summary = told(&format!(
        "run qa {choice} --agent oracle --json --out {}",
        ran.display()
    ));
    assert_eq!(summary["episodes"], 2);
    let ran = records(&ran);
    let served = dir.path().join("served");
    let line = format!(
        "serve qa {choice} --openenv --http 127.0.0.1:0 --record {}",
        served.display()
    );
    let words: Vec<&str> = line.split_whitespace().collect();
    let server = Served::of(&mut boardroom(&words));
    let post = |path: &str, body: Value| ask(&server.address, "POST", path, "", &body.to_string());
    for (number, record) in ran.iter().enumerate() {
        let (status, reset) = post("/reset", json!({"episode": number}));
        assert_eq!(status, 200, "{reset}");
        let seen = &reset["observation"];
        assert_eq!(seen["observation"]["seat"], "agent", "{reset}");
        let id = &reset["metadata"]["episode_id"];
        let text = actions(record)[0].1["text"].clone();
        let action = json!({"tool": "answer", "arguments": {"text": text}});
        let (status, step) = post("/step", json!({"action": action, "episode_id": id}));
        assert_eq!((status, &step["done"]), (200, &json!(true)), "{step}");
        assert_eq!(step["reward"], 1.0, "{step}");
    }
    // A third question was not chosen.
    let refused = server.call("new_episode", &json!({"episode": 2}));
    assert_eq!(
        refused["structuredContent"]["rejected"], "no_such_episode",
        "{refused}"
    );
    drop(server);
    let mut records = records(&served);
    records.sort_by_key(|record| record["header"]["episode"].as_u64());
    for (record, ran) in records.iter().zip(&ran) {
        assert_eq!(record["header"]["instance"], ran["header"]["instance"]);
        assert_eq!(record["score"], ran["score"]);
        assert_eq!(actions(record), actions(ran));
    }
    verifies(served.display(), 2);
}
