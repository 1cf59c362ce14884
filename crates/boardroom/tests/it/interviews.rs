//! Consulting interviews through the whole program.

use crate::models::{recorded_keys, summary};
use crate::program::{json, names, ok, refused, refused_json, verifies};
use crate::server::{Act, Server, reply, said};
use serde_json::{Value, json as value};
use sim_core::testkit::small_or_full;
use std::collections::BTreeSet;
use std::path::Path;

fn mean(printed: &Value) -> f64 {
    printed["score"]["mean"].as_f64().unwrap()
}

fn records(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Without any key: better candidates get better marks on all cases, and the records pass
/// `verify`.
#[test]
fn slow_scripted_candidates_are_marked_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = Vec::new();
    for agent in ["ideal", "never-recommends", "shotgun", "silent"] {
        let out = dir.path().join(agent);
        let line = format!(
            "run consulting --agent {agent} --json --out {}",
            out.display()
        );
        let printed = json(&line);
        let held = qa_scoring::interview::cases().unwrap().len();
        assert_eq!(printed["episodes"], held);
        assert_eq!(printed["metrics"]["leaks"]["mean"], 0.0);
        assert_eq!(printed["agent"], agent, "the rules are not named");
        let ids: BTreeSet<String> = records(&out)
            .iter()
            .map(|r| r["header"]["instance"].to_string())
            .collect();
        assert_eq!(ids.len(), held);
        if small_or_full(agent == "ideal", true) {
            verifies(out.display(), held as u64);
        }
        marks.push(mean(&printed));
    }
    assert!(marks.windows(2).all(|pair| pair[0] > pair[1]), "{marks:?}");
    assert!(marks[0] >= 8.5 && marks[3] <= 3.0, "{marks:?}");
    let spoofer = mean(&json("run consulting --agent spoofer --json"));
    assert!(spoofer <= 3.0, "{spoofer}");
    assert_eq!(json("run consulting --preset short --json")["episodes"], 20);

    let ideal = dir.path().join("ideal");
    let text = ok(&format!("replay {} --episode 3", ideal.display()));
    names(&text, &["dairy-trucks"]);
    let episodes = ideal.join("episodes.jsonl");
    let changed = std::fs::read_to_string(&episodes).unwrap();
    let changed = changed.replacen("\"rounds\":", "\"rounds\":1", 1);
    std::fs::write(&episodes, changed).unwrap();
    let path = ideal.display().to_string();
    let broken = refused(&["verify", &path], 1);
    names(&broken, &["[replay] ", "episode 0"]);
    // The marks do not depend on the number that was changed.
    let rescored = json(&format!("rescore {path} --json"));
    assert_eq!(
        (&rescored["episodes"], &rescored["changed"]),
        (&52.into(), &0.into())
    );
    let changed = std::fs::read_to_string(&episodes).unwrap();
    let changed = changed.replacen("\"value\":10.0", "\"value\":9.0", 1);
    std::fs::write(&episodes, changed).unwrap();
    let rescored = json(&format!("rescore {path} --json"));
    assert_eq!(rescored["changed"], 1, "{rescored}");
    assert_eq!(rescored["present_mean"], 10.0, "{rescored}");
}

/// A model answers, others interview and judge; the recording reproduces the whole run.
#[test]
fn models_sit_on_every_side_and_the_recording_verifies() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|n, body| {
        if n % 4 == 3 {
            return Act::Refuse(500, value!({"error": {"message": "tired"}}));
        }
        let said_so = match body["model"].as_str().unwrap() {
            // It closes after a while, and gives marks by the schema.
            "asks" if body["messages"].as_array().unwrap().len() > 8 => {
                said(&format!("Thank you. {}", qa_scoring::interview::END_TOKEN))
            }
            "asks" => said("And what follows from that?"),
            "marks" => said(
                &value!({"structure": 7, "quant": "6.5/10", "business_sense": 8,
                         "communication": 7, "overall": 7.5, "feedback": "sound"})
                .to_string(),
            ),
            _ => reply(body, n),
        };
        Act::Answer(said_so)
    });
    for (method, streams) in [("cot", ""), ("dc", "--streams 2")] {
        let out = dir.path().join(method);
        let line = format!(
            "run consulting --preset short --episodes 4 --agent openai:talks --interviewer openai:asks \
             --judge openai:marks --method {method} {streams} --json --out {}",
            out.display()
        );
        let printed = summary(&server.run(&line));
        let held: u64 = if method == "dc" { 8 } else { 4 };
        assert_eq!(printed["episodes"], held);
        assert!((mean(&printed) - 7.5).abs() < 1e-9);
        assert_eq!(
            printed["agent"],
            "openai:talks, interviewer=openai:asks, judge_1=openai:marks"
        );
        let feedback = if method == "dc" { "outcome" } else { "none" };
        for record in records(&out) {
            assert_eq!(record["header"]["feedback"], feedback);
            let asked: BTreeSet<&str> = record["entries"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|entry| entry["causes"]["said"].as_u64() >= Some(1))
                .map(|entry| entry["seat"].as_str().unwrap())
                .collect();
            assert_eq!(asked, BTreeSet::from(["agent", "interviewer", "judge_1"]));
        }
        let roles = printed["roles"].as_object().unwrap();
        for role in ["agent", "interviewer", "judge"] {
            assert!(roles.contains_key(role), "{roles:?}");
        }
        verifies(out.display(), held);
        let again = dir.path().join(format!("{method}-again"));
        let replayed = line
            .replace("openai:talks", &format!("replay:{}", out.display()))
            .replace(" --interviewer openai:asks", "")
            .replace("--judge openai:marks", "")
            .replace(
                &format!("--out {}", out.display()),
                &format!("--out {}", again.display()),
            );
        ok(&replayed);
        let bytes = |run: &Path| std::fs::read(run.join("episodes.jsonl")).unwrap();
        assert!(
            bytes(&out) == bytes(&again),
            "a replay gives the same bytes"
        );
    }

    // An interview lost in a crash is held again from the recording, and no request is paid for
    // twice.
    let out = dir.path().join("dc");
    let episodes = out.join("episodes.jsonl");
    let whole = std::fs::read_to_string(&episodes).unwrap();
    let kept: Vec<&str> = whole.lines().take(3).collect();
    let torn = kept.last().unwrap().get(..40).unwrap();
    std::fs::write(&episodes, format!("{}\n{torn}", kept.join("\n"))).unwrap();
    let calls = recorded_keys(&out).len();
    let answered = server.answered();
    let resumed = summary(&server.run(&format!("resume {} --json", out.display())));
    assert_eq!(resumed["episodes"], 8);
    assert_eq!(server.answered(), answered);
    assert_eq!(recorded_keys(&out).len(), calls);
    let mut again: Vec<String> = std::fs::read_to_string(&episodes)
        .unwrap()
        .lines()
        .filter(|line| line.ends_with('}'))
        .map(str::to_owned)
        .collect();
    let mut before: Vec<String> = whole.lines().map(str::to_owned).collect();
    again.sort();
    before.sort();
    assert!(again == before, "the same records");
}

#[test]
fn wrong_interviews_are_named() {
    // The parser of the command line explains these in several lines.
    for (words, part) in [
        (["--kind", "magic"], "market_entry"),
        (["--train", "3"], "--split"),
        (["--episodes", "0"], "100000"),
    ] {
        let err = refused(&[&["run", "consulting"], &words[..]].concat(), 2);
        assert!(err.contains(part), "{words:?}: {err}");
    }
    let cases: [(&[&str], &str); 10] = [
        (&["--agent", "genius"], "never-recommends"),
        (&["--preset", "huge"], "short"),
        (&["--interviewer", "nobody"], "rules"),
        (&["--judge", "openai:"], "`openai:<model>`"),
        (&["--method", "dc"], "--method"),
        (&["--max-cost", "1"], "--max-cost"),
        (&["--agent", "replay:nowhere"], "nowhere"),
        (&["--cases", "nowhere"], "nowhere"),
        (&["--industry", "magic"], "retail"),
        (&["--split", "test", "--train", "500"], "no case is left"),
    ];
    for (words, part) in cases {
        let all: Vec<&str> = ["run", "consulting"].iter().chain(words).copied().collect();
        let refusal = refused_json(&all, 2);
        names(&refusal.message, &[part]);
        assert_eq!(refusal.message.lines().count(), 1, "{words:?}: {refusal:?}");
    }
}

/// Two judges who differ by two marks in every interview.
#[test]
fn a_report_shows_how_far_the_judges_are_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let server = Server::acting(|_, body| {
        let mark = if body["model"] == "strict" { 5 } else { 7 };
        Act::Answer(said(
            &value!({"structure": mark, "quant": mark, "business_sense": mark,
                     "communication": mark, "overall": mark, "feedback": "sound"})
            .to_string(),
        ))
    });
    summary(&server.run(&format!(
        "run consulting --preset short --episodes 3 --agent ideal --judge openai:strict --judge \
         openai:kind --json --out {}",
        path("two")
    )));
    ok(&format!("report {} -o {}", path("two"), path("page.html")));
    let page = std::fs::read_to_string(path("page.html")).unwrap();
    names(
        &page,
        &["overall marks of an interview: mean and 95 % interval"],
    );
}

/// A judge whose marks can never be read is named: the scores are those of the others.
#[test]
fn a_judge_that_gives_no_marks_is_not_dropped_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let server = Server::acting(|_, body| {
        Act::Answer(if body["model"] == "prose" {
            said("a fine interview")
        } else {
            said(
                &value!({"structure": 6, "quant": 6, "business_sense": 6,
                         "communication": 6, "overall": 6, "feedback": "sound"})
                .to_string(),
            )
        })
    });
    let line = format!(
        "run consulting --preset short --episodes 2 --agent ideal --judge openai:kind --judge openai:prose --out {}",
        path("run")
    );
    let called = server.run(&line);
    assert!(called.status.success());
    let told = String::from_utf8_lossy(&called.stdout);
    names(&told, &["2 scored by fewer judges than asked"]);
    let shown = ok(&format!("replay {} --episode 0", path("run")));
    names(&shown, &["judge_2 gave no marks that can be read"]);
    let verified = ok(&format!("verify {}", path("run")));
    names(&verified, &["2 records"]);
    let table = ok(&format!("export {}", path("run")));
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    for column in ["interviewer", "judge", "method", "options", "run"] {
        assert!(columns.contains(&column), "{column}: {columns:?}");
    }
    assert!(lines.all(|row| {
        let is_told = row.contains("openai:kind") && row.contains("openai:prose");
        is_told && !row.contains("judge_1: ") && !row.contains("judge_2: ")
    }));
    // Of the options, those that are not the default.
    let line = line.replace(&path("run"), &path("set"));
    let called = server.run(&format!("{line} --seat-set judge_2.temperature=1"));
    assert!(called.status.success());
    let table = ok(&format!("export {}", path("set")));
    names(&table, &[",judge_2: temperature = 1.0,"]);
}

/// Interviews are compared case by case, exported, and shown in a report next to episodes.
#[test]
fn interviews_are_compared_and_exported() {
    let dir = tempfile::tempdir().unwrap();
    let hold = |name: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        ok(&format!(
            "run consulting --preset short --episodes 4 --agent {name} --out {out}"
        ));
        out
    };
    let (ideal, silent) = (hold("ideal"), hold("silent"));
    let compared = json(&format!("compare {ideal} {silent} --json"));
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["better"]),
        (&4.into(), &"ideal".into())
    );
    assert_eq!(
        (&other["verdict"], &other["deterministic"]),
        (&"worse".into(), &true.into())
    );
    let text = ok(&format!("compare {ideal} {silent}"));
    names(&text, &["4 episodes", "4 shared instances"]);
    let table = ok(&format!("export {ideal} {silent}"));
    assert_eq!(table.lines().count(), 9, "{table}");
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    for column in ["episode", "score", "case", "structure", "leaks"] {
        assert!(columns.contains(&column), "{column}: {columns:?}");
    }
    assert_eq!(table.matches(",city-parking,").count(), 2, "{table}");
    let game = dir.path().join("game").to_str().unwrap().to_owned();
    ok(&format!("run beer-game --episodes 1 --out {game}"));
    let page = dir.path().join("report.html");
    ok(&format!(
        "report {silent} {game} {ideal} --output {}",
        page.display()
    ));
    let page = std::fs::read_to_string(page).unwrap();
    names(&page, &["2 tasks", "9 episodes", "consulting · short"]);
    names(
        &refused(&["compare", &game, &ideal], 2),
        &["beer-game", "consulting"],
    );
    names(
        &refused(&["compare", &ideal, &ideal], 2),
        &[ideal.as_str(), "twice"],
    );
}

/// Reading changes nothing in a folder, and several readers can work at the same time.
#[test]
fn any_number_read_interviews_and_mend_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let path = out.to_str().unwrap().to_owned();
    ok(&format!(
        "run consulting --preset short --episodes 4 --agent ideal --out {path}"
    ));
    let other = dir.path().join("other").to_str().unwrap().to_owned();
    ok(&format!(
        "run consulting --preset short --episodes 4 --agent silent --out {other}"
    ));
    let episodes = out.join("episodes.jsonl");
    let mut text = std::fs::read_to_string(&episodes).unwrap();
    text.push_str("{\"torn\":");
    std::fs::write(&episodes, &text).unwrap();
    let entries = || {
        let all = std::fs::read_dir(&out).unwrap();
        let all: BTreeSet<_> = all.map(|entry| entry.unwrap().file_name()).collect();
        all
    };
    let before = entries();
    let reader = std::fs::File::open(&out).unwrap();
    reader.try_lock_shared().unwrap();
    assert_eq!(ok(&format!("export {path}")).lines().count(), 5);
    ok(&format!("compare {path} {other}"));
    ok(&format!("replay {path} --episode 0"));
    let verified = crate::program::call(&["verify", &path]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert!(verified.out.starts_with("4 records "), "{}", verified.out);
    names(&verified.err, &["8 bytes"]);
    assert_eq!(std::fs::read_to_string(&episodes).unwrap(), text);
    // `verify` adds only its stamp.
    assert!(entries().is_superset(&before) && entries().len() <= before.len() + 1);
    let busy = refused_json(&["resume", &path], 4);
    assert_eq!(busy.kind, "busy");
    names(&busy.message, &[&path]);

    // Damage in the middle of a file is reported.
    drop(reader);
    let mut lines: Vec<&str> = text.lines().take(4).collect();
    lines[1] = "{\"torn\":";
    std::fs::write(&episodes, lines.join("\n") + "\n").unwrap();
    for (command, code) in [("export", 2), ("verify", 1), ("resume", 2)] {
        let wrong = refused(&[command, &path], code);
        names(&wrong, &["episodes.jsonl", "line 2"]);
    }
}

/// Shards of one run count as one, and a run that was held twice as two.
#[test]
fn shards_of_interviews_are_put_together() {
    let dir = tempfile::tempdir().unwrap();
    let hold = |name: &str, more: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        ok(&format!(
            "run consulting --preset short --episodes 4 --out {out} {more}"
        ));
        out
    };
    let silent = hold("silent", "--agent silent");
    let parts = [0, 1].map(|i| {
        let more = format!("--agent ideal --shard {i}/2");
        hold(&format!("s{i}"), &more)
    });
    let line = format!("compare {silent} {} {} --json", parts[0], parts[1]);
    let compared = json(&line);
    assert_eq!(compared["others"].as_array().unwrap().len(), 1);
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["agent"]),
        (&4.into(), &"ideal".into())
    );
    assert_eq!(other["left_out"], Value::Null);
    let again = hold("again", "--agent ideal --shard 1/2");
    let compared = json(&format!("compare {} {again} --json", parts[1]));
    assert_eq!(compared["first"]["agent"], "ideal (s1)");
    assert_eq!(compared["others"][0]["agent"], "ideal (again)");
}

#[test]
fn interviews_and_questions_are_described() {
    let text = ok("describe consulting");
    names(&text, &["short", "20 cases", "never-recommends"]);
    names(&ok("describe qa"), &["finance/:", "executor", "oracle"]);
}

/// Files of one's own cases are checked one by one, held and verified; a run with other cases is another run.
#[test]
fn own_cases_are_checked_and_held() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("cases");
    std::fs::create_dir(&folder).unwrap();
    let named = |id: &str| {
        let all = qa_scoring::interview::cases().unwrap();
        let mut case = all.into_iter().find(|case| case.id == id).unwrap();
        case.id = format!("my-{id}");
        case
    };
    let write = |file: &str, case: &qa_scoring::interview::CaseStudy| {
        std::fs::write(folder.join(file), serde_json::to_string(case).unwrap()).unwrap();
    };
    write("a.json", &named("bus-fares"));
    write("b.json", &named("wind-repower"));
    let path = folder.display().to_string();
    let checked = ok(&format!("cases check {path}"));
    assert_eq!(checked.matches("no findings").count(), 2, "{checked}");

    let run = dir.path().join("run").display().to_string();
    let held = json(&format!("run consulting --cases {path} --json --out {run}"));
    assert_eq!(held["episodes"], 2);
    assert!(mean(&held) >= 8.5);
    assert!(ok(&format!("verify {run}")).starts_with("2 records verified\n"));
    let pricing = json(&format!(
        "run consulting --cases {path} --kind pricing --json"
    ));
    assert_eq!(pricing["episodes"], 1);

    // The run holds its cases, so it is verified and continued whatever becomes of the files; with other cases it is
    // another run.
    let mut changed = named("bus-fares");
    changed.objective.push_str(" Why?");
    write("a.json", &changed);
    assert!(ok(&format!("verify {run}")).starts_with("2 records verified\n"));
    assert_eq!(json(&format!("resume {run} --json"))["episodes"], 2);
    let other = ["run", "consulting", "--cases", &path, "--out", &run];
    names(&refused(&other, 2), &[&run, "another run"]);
    let held = Path::new(&run).join("instances.jsonl");
    let text = std::fs::read_to_string(&held).unwrap();
    assert!(text.contains("my-bus-fares") && !text.contains("Why?"));
    std::fs::write(&held, text.replace("my-bus-fares", "my-bus-fees")).unwrap();
    for (command, code) in [("verify", 1), ("resume", 2)] {
        names(&refused(&[command, &run], code), &["instances.jsonl"]);
    }

    // A wrong answer stops a run before it begins, and the file is named; so do other mistakes.
    changed.rubric.quant_checks[0].value = 1.0;
    write("a.json", &changed);
    let refusal = refused(&["run", "consulting", "--cases", &path], 2);
    assert!(
        refusal.contains("a.json") && refusal.lines().count() == 1,
        "{refusal}"
    );
    std::fs::write(folder.join("a.json"), "{}").unwrap();
    let refusal = refused(&["run", "consulting", "--cases", &path], 2);
    assert!(
        refusal.contains("a.json") && refusal.contains("missing field"),
        "{refusal}"
    );
    let found = crate::program::call(&["cases", "check", &path, "--json"]);
    let lines: Vec<Value> = found
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((found.code, lines.len()), (1, 2));
    assert_eq!(lines[0]["playable"], false);
    assert_eq!(lines[1]["findings"], value!([]));
    write("a.json", &named("wind-repower"));
    let refusal = refused(&["run", "consulting", "--cases", &path], 2);
    assert!(
        refusal.contains("b.json") && refusal.contains("a.json"),
        "{refusal}"
    );
}

/// Training and test cases have nothing in common and make up all cases together.
#[test]
fn cases_are_split_by_the_seed() {
    let dir = tempfile::tempdir().unwrap();
    let held = |part: &str| {
        let out = dir.path().join(part);
        ok(&format!(
            "run consulting --agent silent --split {part} --train 12 --seed 5 --out {}",
            out.display()
        ));
        let ids: BTreeSet<String> = records(&out)
            .iter()
            .map(|r| r["header"]["instance"].to_string())
            .collect();
        ids
    };
    let (train, test) = (held("train"), held("test"));
    assert_eq!((train.len(), test.len()), (12, 40));
    assert!(train.is_disjoint(&test));
    assert_eq!(ok("cases list").lines().count(), 52);
    // The schema has exactly the fields of a case.
    let schema = json("cases schema");
    assert_eq!(schema["additionalProperties"], false);
    let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let mut expected = [
        "id",
        "title",
        "length",
        "industry",
        "kind",
        "background",
        "objective",
        "gated",
        "internal",
        "rubric",
    ];
    expected.sort_unstable();
    let mut fields: Vec<&str> = fields.into_iter().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, expected);
}
