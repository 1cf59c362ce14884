//! Settings of methods, sampling and few-shot prompts: from the command line and from plan files into the
//! requests, the plan and every later command.

use crate::models::{GAME, complete, summary};
use crate::prepared::{manifest, members, plan_file};
use crate::program::{names, ok, refusal, refused, verifies};
use crate::server::{Act, Server, called, reply, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const QUESTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// A debate of two agents who only vote: two requests a decision instead of six.
#[test]
fn a_setting_of_a_method_reaches_the_requests_the_plan_and_later_commands() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name);
    let server = Server::start(0.0);
    let line = format!(
        "{GAME} --episodes 2 --method debate --method-set agents=2 --method-set rounds=1 --top-p 0.9 --out {}",
        out("live").display()
    );
    let live = summary(&server.run(&line));
    assert_eq!(live["method"], "debate (agents=2, rounds=1)");
    assert_eq!(server.answered(), 2 * 5 * 2);
    assert!(
        server
            .seen
            .lock()
            .unwrap()
            .iter()
            .all(|body| body["top_p"] == 0.9)
    );
    let plan = &manifest(&out("live"))["plan"]["model"];
    assert_eq!(plan["method"]["deliberator"]["debate"]["agents"], 2);
    assert_eq!(plan["dialect"]["top_p"], 0.9);
    verifies(out("live").display(), 2);
    // What was cut off is played with the same settings.
    let records = out("live").join("episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    let first: String = text
        .lines()
        .take(1)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&records, first).unwrap();
    summary(&server.run(&format!("resume {} --json", out("live").display())));
    assert_eq!(std::fs::read_to_string(&records).unwrap(), text);
    assert_eq!(server.answered(), 20, "the answers were recorded");
    // A replay takes over the method of the recording.
    let replay = GAME.replace("openai:mock", &format!("replay:{}", out("live").display()));
    ok(&format!(
        "{replay} --episodes 2 --out {}",
        out("again").display()
    ));
    assert_eq!(
        std::fs::read_to_string(out("again").join("episodes.jsonl")).unwrap(),
        text
    );
    // Runs with other settings have other names.
    let line = line.replace("rounds=1", "rounds=2").replace("live", "more");
    summary(&server.run(&line));
    let compared = ok(&format!(
        "compare {} {}",
        out("live").display(),
        out("more").display()
    ));
    names(&compared, &["rounds=1"]);
}

#[test]
fn a_wrong_setting_is_answered_with_the_right_ones() {
    let call = |more: &str| {
        let line = format!("{GAME} {more}");
        let words: Vec<&str> = line.split_whitespace().collect();
        refused(&words, 2)
    };
    names(
        &call("--method dc --method-set samples=3"),
        &["samples", "words", "retrieve", "max_tokens"],
    );
    names(
        &call("--method dc --method-set retrieve=many"),
        &["retrieve", "0", "1000", "many"],
    );
    names(
        &call("--method cot --method-set reasoning=false"),
        &["reasoning", "temperature"],
    );
    names(&call("--top-p 0"), &["top-p", "above 0"]);
    let described = ok("describe method dc");
    names(
        &described,
        &["retrieve = 0", "from 0 to 1000", "words = 2000"],
    );
    let all = ok("describe method");
    for method in sim_core::METHODS {
        names(&all, &[method.name]);
    }
    refused(&["describe", "method", "nobody"], 2);
    refused(&["describe", "beer-game", "dc"], 2);
}

#[test]
fn a_plan_file_sets_methods_and_sampling() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("sweep");
    let text = "[[runs]]\nenvironment = \"beer-game\"\npresets = [\"random\"]\nset = { weeks = 3 }\n\
                episodes = 1\nagents = [\"openai:mock\"]\nmethods = [\"debate\", \"discussion\"]\n\
                method_set = { rounds = 1 }\ntop_p = 0.8\n";
    let plan = plan_file(dir.path(), text);
    let server = Server::start(0.0);
    let line = format!("run --plan {plan} --out {} --json", out.display());
    complete(&server.run(&line));
    let rounds: Vec<u64> = members(&out, "")
        .into_iter()
        .map(|run| {
            let model = manifest(&run)["plan"]["model"].clone();
            assert_eq!(model["dialect"]["top_p"], 0.8);
            let deliberator = model["method"]["deliberator"].as_object().unwrap();
            deliberator.values().next().unwrap()["rounds"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(rounds, [1, 1]);
    // A method without the setting is refused before any request.
    plan_file(dir.path(), &text.replace("discussion", "cot"));
    let asked = server.answered();
    let output = server.run(&line.replace("sweep", "other"));
    let error = refusal(&String::from_utf8_lossy(&output.stderr), 2);
    names(&error.message, &["runs[0]", "cot", "rounds", "temperature"]);
    assert_eq!(server.answered(), asked);
}

/// The same model asked under `cot`: every request leaves room for the steps, and the answer behind them
/// counts.
#[test]
fn a_label_behind_the_reasoning_counts_under_every_profile() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| {
        let text = body["messages"][1]["content"].as_str().unwrap();
        let label = if text.contains("Orders doubled") {
            "positive"
        } else {
            "neutral"
        };
        Act::Answer(said(&format!(
            "It could be negative, or neutral, or positive.\n\nAnswer: {label}"
        )))
    });
    for profile in ["strict", "paper"] {
        let out = dir.path().join(profile);
        let line = format!(
            "run qa --data {QUESTIONS} --task FPB --agent openai:mock --profile {profile} --json --out {}",
            out.display()
        );
        let printed = summary(&server.run(&line));
        assert_eq!(printed["method"], "cot");
        assert_eq!(printed["score"]["mean"], 0.5, "{profile}");
        let score = format!(
            "score FPB --predictions {} --gold {QUESTIONS} --profile {profile} --json",
            out.display()
        );
        let report: Value = serde_json::from_str(&ok(&score)).unwrap();
        assert_eq!(report["report"]["headline"]["value"], 0.5, "{profile}");
    }
    // The announced label counts without a method that reasons, too.
    let line =
        format!("run qa --data {QUESTIONS} --task FPB --agent openai:mock --method direct --json");
    assert_eq!(summary(&server.run(&line))["score"]["mean"], 0.5);
}

#[test]
fn examples_are_shown_and_never_asked() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name);
    let server = Server::acting(|_, _| Act::Answer(said("positive")));
    let line = |name: &str, more: &str| {
        format!(
            "run qa --data {QUESTIONS} --task FPB --agent openai:mock --method direct {more} --json --out {}",
            out(name).display()
        )
    };
    summary(&server.run(&line("plain", "")));
    let plain = std::mem::take(&mut *server.seen.lock().unwrap());
    let shown = summary(&server.run(&line(
        "shots",
        "--shots 2 --roles --temperature 0.2 --top-p 0.6",
    )));
    assert_eq!(shown["episodes"], 2, "of four items two are examples");
    let asked = |bodies: &[Value]| -> BTreeSet<String> {
        bodies
            .iter()
            .map(|body| body["messages"][1]["content"].to_string())
            .collect()
    };
    let seen = server.seen.lock().unwrap().clone();
    let system = seen[0]["messages"][0]["content"].as_str().unwrap();
    names(
        system,
        &[
            "You are an expert analyst in market trend analysis.",
            "Examples:",
        ],
    );
    let (all, few) = (asked(&plain), asked(&seen));
    let examples = |question: &String| {
        let question: String = serde_json::from_str(question).unwrap();
        system.contains(&question)
    };
    assert_eq!(all.len(), 4);
    assert_eq!(all.difference(&few).filter(|q| examples(q)).count(), 2);
    assert_eq!(few.iter().filter(|q| examples(q)).count(), 0);
    assert!(
        seen.iter()
            .all(|body| body["top_p"] == 0.6 && body["temperature"] == 0.2)
    );
    verifies(out("shots").display(), 2);
    // The questions and rules are the same, so the runs can be compared; their settings differ.
    ok(&format!(
        "compare {} {}",
        out("plain").display(),
        out("shots").display()
    ));
    let settings = |name: &str| {
        let text = std::fs::read_to_string(out(name).join("episodes.jsonl")).unwrap();
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        first["header"]["settings"].clone()
    };
    assert_ne!(settings("plain"), settings("shots"));
    let output = server.run(&line("many", "--shots 4"));
    names(
        &refusal(&String::from_utf8_lossy(&output.stderr), 2).message,
        &["4", "FPB"],
    );
}

/// The grid of BizCompass in small: two temperatures x two values of top-p from one plan file.
#[test]
fn a_plan_file_asks_questions_over_a_grid() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("grid");
    let text = format!(
        "[[questions]]\ndata = \"{QUESTIONS}\"\ntask = \"FPB\"\nagent = \"openai:mock\"\nmethod = \"direct\"\n\
         shots = 1\nroles = true\ntemperature = [0, 0.8]\ntop-p = [0.6, 0.95]\n"
    );
    let plan = plan_file(dir.path(), &text);
    let server = Server::acting(|_, body| {
        let hot = body["temperature"] == 0.8 && body["top_p"] == 0.95;
        Act::Answer(said(if hot { "positive" } else { "rather good" }))
    });
    let line = format!("run --plan {plan} --out {} --json", out.display());
    let printed = complete(&server.run(&line));
    let means: BTreeSet<String> = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["score"]["mean"].to_string())
        .collect();
    assert_eq!((printed.lines().count(), server.answered()), (4, 4 * 3));
    assert_eq!(means.len(), 2, "{means:?}");
    let compared = ok(&format!("compare {}", out.display()));
    names(&compared, &["temperature 0.8", "top-p 0.95"]);
    // Nothing is left to do, and nothing is asked again.
    complete(&server.run(&format!("resume {} --json", out.display())));
    assert_eq!(server.answered(), 12);
    // A wrong key is named.
    plan_file(dir.path(), &text.replace("top-p", "topp"));
    let output = server.run(&line.replace("/grid ", "/other "));
    let error = refusal(&String::from_utf8_lossy(&output.stderr), 2);
    names(&error.message, &["questions[0]", "`topp`"]);
}

/// A server that keeps to the tool choice: two requests a decision, the second with the reasoning of the
/// first.
#[test]
fn cot_reasons_before_each_order_and_resumes_and_verifies() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let server = Server::acting(|n, body| {
        if body["tool_choice"] == "none" {
            return Act::Answer(said(&format!("Thought {n}: demand is even.")));
        }
        match body.get("tools") {
            Some(_) => Act::Answer(called(&json!({"quantity": 100 + n}))),
            None => Act::Answer(reply(body, n)),
        }
    });
    let line = format!(
        "{GAME} --episodes 1 --concurrency 1 --out {}",
        out.display()
    );
    assert_eq!(summary(&server.run(&line))["method"], "cot");
    let seen = server.seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 10);
    for (k, pair) in seen.chunks(2).enumerate() {
        let [think, act] = pair else { unreachable!() };
        assert_eq!(
            (&think["tool_choice"], &act["tool_choice"]),
            (&"none".into(), &"required".into())
        );
        let messages = act["messages"].as_array().unwrap();
        let thought = messages[messages.len() - 2]["content"].as_str().unwrap();
        assert_eq!(thought, format!("Thought {}: demand is even.", 2 * k));
    }
    verifies(out.display(), 1);
}

/// Judges are asked at 0, at another temperature, or without one; the plan keeps it, and `verify` replays it.
#[test]
fn the_temperature_of_a_judge_can_be_set_and_omitted() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| {
        Act::Answer(match body["model"].as_str() {
            Some("marks") => said(
                &json!({"structure": 7, "quant": 6, "business_sense": 8, "communication": 7,
                        "overall": 7, "feedback": "sound"})
                .to_string(),
            ),
            _ => reply(body, 1),
        })
    });
    for (more, expected) in [
        ("", json!(0.0)),
        ("--judge-temperature 0.4", json!(0.4)),
        ("--judge-temperature omitted", Value::Null),
    ] {
        let out = dir.path().join(expected.to_string());
        server.seen.lock().unwrap().clear();
        let line = format!(
            "run consulting --preset short --episodes 1 --rounds 2 --agent ideal --judge openai:marks \
             {more} --json --out {}",
            out.display()
        );
        summary(&server.run(&line));
        let seen = server.seen.lock().unwrap().clone();
        assert!(!seen.is_empty() && seen.iter().all(|body| body["temperature"] == expected));
        verifies(out.display(), 1);
    }
    let call = |line: &str| refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
    let wrong = "run consulting --judge openai:m --judge-temperature hot";
    names(&call(wrong), &["judge-temperature", "omitted"]);
    names(
        &call("run consulting --judge rules --judge-temperature 1"),
        &["judge-temperature"],
    );
    // A method's own temperature is left out where neither it nor the run states one.
    server.seen.lock().unwrap().clear();
    let line = format!("{GAME} --episodes 1 --method debate --method-set temperature=null");
    summary(&server.run(&line));
    let seen = server.seen.lock().unwrap();
    assert!(seen.iter().all(|body| body["temperature"].is_null()));
}
