//! Runs in which models judge and interview: whose replies were incomplete, what was asked, how a run goes on.

use crate::models::summary;
use crate::program::{json, names, ok, refused, sorted_lines, verifies};
use crate::server::{Act, Request, Server, said};
use serde_json::{Value, json as value};
use std::path::Path;

/// A completion with another reason to stop and this text.
fn ended(finish: &str, text: &str) -> Act {
    let mut reply = said(text);
    reply["choices"][0]["finish_reason"] = finish.into();
    Act::Answer(reply)
}

/// The two forms in which a provider withholds a reply.
fn withheld(as_error: bool) -> Act {
    if as_error {
        return Act::Refuse(
            400,
            value!({"error": {"code": "content_filter", "message":
                "The response was filtered due to the prompt triggering content management policy"}}),
        );
    }
    ended("content_filter", "")
}

fn records(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    let lines = text.lines();
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The reasons why episodes have no score.
fn unscored(printed: &Value) -> Vec<String> {
    let notes = printed["notes"].as_array().unwrap().iter();
    let notes = notes.map(|note| note.as_str().unwrap().to_owned());
    notes
        .filter(|note| note.contains("without a score"))
        .collect()
}

fn model(request: &Request) -> &str {
    request.body["model"].as_str().unwrap()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Questions with letters, and one that a judge grades.
fn questions(dir: &Path, count: u64) -> String {
    let items: Vec<Value> = (0..count)
        .map(|id| {
            value!({"ID": id, "Text": format!("Rates rise by {id} points."), "Answer": "hawkish"})
        })
        .collect();
    let path = dir.join("FOMC.json");
    std::fs::write(&path, serde_json::to_string(&items).unwrap()).unwrap();
    format!("--data {} --task FOMC", path.display())
}

const JUDGED: &str = concat!(
    "run qa --data ",
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/qa/knowledge/econ_general.json --task knowledge/econ/general --agent openai:m --concurrency 1 \
     --retries 1 --judge openai:judge"
);

/// Missing replies of a judge are counted for the judge everywhere, not for the model that answers.
#[test]
fn a_judge_that_is_filtered_or_fails_is_named_as_such() {
    for as_error in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("judged");
        let server = Server::answering(move |request| match model(request) {
            "judge" => withheld(as_error),
            _ => Act::Answer(said("Prices rise.")),
        });
        let line = format!("{JUDGED} --out {}", out.display());
        let printed = summary(&server.run(&format!("{line} --json")));
        assert_eq!(printed["causes"], value!({"said": 1}), "{printed}");
        let judge = printed["causes_of_others"]["judge"].clone();
        assert_eq!(judge["filtered"], 1, "{printed}");
        assert!(judge.get("said").is_none());
        assert_eq!(printed["flags"]["unscored"], 1);
        let why = unscored(&printed);
        assert_eq!(
            why,
            ["1 episode without a score: the judge gave no reply: filtered"]
        );
        let entry = &records(&out)[0]["entries"][1];
        assert_eq!(
            (&entry["seat"], &entry["causes"]),
            (&"judge".into(), &judge)
        );
        verifies(out.display(), 1);
        let text = String::from_utf8(server.run(&format!("resume {}", out.display())).stdout);
        names(
            &text.unwrap(),
            &[
                "1 episode without a score",
                "the judge",
                "1 of 1 reply of the judge",
            ],
        );
        let report = json(&format!("report {} --json", out.display()));
        let agent = &report["tasks"][0]["agents"][0];
        assert_eq!(agent["summary"]["causes_of_others"]["judge"], judge);
        assert_eq!(
            agent["summary"]["usage"]["requests"],
            printed["usage"]["requests"]
        );
        #[cfg(feature = "view")]
        {
            let pages = dir.path().join("pages");
            ok(&format!(
                "view {} --export {}",
                dir.path().display(),
                pages.display()
            ));
            let page = std::fs::read_to_string(pages.join("run.judged.html")).unwrap();
            names(&page, &["replies of the judge", "1 filtered"]);
        }
    }
    // A judge whose server fails leaves the question for `resume`; the failure is its own.
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("failed");
    let server = Server::answering(|request| match model(request) {
        "judge" => Act::Refuse(500, value!({"error": {"message": "tired"}})),
        _ => Act::Answer(said("Prices rise.")),
    });
    let ran = server.run(&format!("{JUDGED} --json --out {}", out.display()));
    assert_eq!(ran.status.code(), Some(1));
    let printed: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(
        printed["causes_of_others"]["judge"],
        value!({"failed": 1}),
        "{printed}"
    );
    assert!(
        printed
            .get("causes")
            .is_none_or(|causes| causes.get("failed").is_none())
    );
    let errors = std::fs::read_to_string(out.join("errors.jsonl")).unwrap();
    let line: Value = serde_json::from_str(errors.trim()).unwrap();
    assert_eq!(line["role"], "judge");
}

#[test]
fn what_needs_a_judge_and_has_none_says_so_where_the_score_stands() {
    let server = Server::answering(|_| Act::Answer(said("Prices rise.")));
    let line = JUDGED.replace("--judge openai:judge", "");
    let printed = server.run(&line);
    let text = String::from_utf8(printed.stdout).unwrap();
    names(&text, &["1 episode without a score", "there is no judge"]);
    assert!(!text.contains("0.0000 USD"), "{text}");
}

/// An interview ends in the same way, whichever way the provider says that it withheld a reply.
#[test]
fn a_filter_ends_an_interview_in_one_way() {
    for (who, how) in [("talks", "candidate_error"), ("asks", "interviewer_error")] {
        let ends: Vec<(Value, Value)> = [false, true]
            .map(|as_error| {
                let dir = tempfile::tempdir().unwrap();
                let out = dir.path().join("run");
                let server = Server::answering(move |request| {
                    let chat = request.body["messages"].as_array().unwrap().len();
                    match model(request) {
                        this if this == who && chat > 3 => withheld(as_error),
                        _ => Act::Answer(said("What does it cost?")),
                    }
                });
                let line = format!(
                    "run consulting --preset short --episodes 1 --agent openai:talks --method direct --interviewer \
                     openai:asks --json --out {}",
                    out.display()
                );
                let printed = summary(&server.run(&line));
                assert_eq!(printed["flags"][how], 1, "{who} {as_error}: {printed}");
                verifies(out.display(), 1);
                let causes = [printed["causes"].clone(), printed["causes_of_others"].clone()];
                let record = records(&out).remove(0);
                let said: Vec<Value> = record["entries"].as_array().unwrap().iter()
                    .map(|entry| value!([entry["seat"], entry["input"]["act"]["text"]]))
                    .collect();
                (value!(causes), value!(said))
            })
            .into();
        assert_eq!(ends[0], ends[1], "{who}");
    }
}

/// A run whose replies are all cut off stops, and so does one that is resumed; a filter's replies between them do not
/// count.
#[test]
fn a_run_that_is_only_cut_off_stops_also_after_a_resume() {
    for filters in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        let server = Server::answering(move |request| match request.number % 2 {
            0 if filters => withheld(false),
            _ => ended("length", "I think that"),
        });
        let data = questions(dir.path(), 60);
        let line = format!(
            "run qa {data} --agent openai:m --method direct --concurrency 1 --out {}",
            out.display()
        );
        let mut before = 0;
        for line in [line, format!("resume {} --concurrency 1", out.display())] {
            let ran = server.run(&line);
            let err = String::from_utf8_lossy(&ran.stderr);
            assert_ne!(ran.status.code(), Some(0), "{filters}: {line}");
            names(&err, &["the first 8 replies", "--max-tokens"]);
            let asked = server.answered() - before;
            assert!(
                if filters {
                    (15..=16).contains(&asked)
                } else {
                    asked == 8
                },
                "{asked}"
            );
            before = server.answered();
        }
    }
}

/// Moderation is the outcome of an item and does not end the run.
#[test]
fn a_run_that_is_only_filtered_goes_on_and_says_so() {
    for as_error in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        let server = Server::answering(move |_| withheld(as_error));
        let data = questions(dir.path(), 20);
        let line = format!(
            "run qa {data} --agent openai:m --method direct --concurrency 1 --out {}",
            out.display()
        );
        let ran = server.run(&line);
        assert_eq!(ran.status.code(), Some(0), "{as_error}");
        let text = String::from_utf8(ran.stdout).unwrap();
        names(&text, &["withheld all 20 replies", "20 filtered"]);
        assert_eq!(records(&out).len(), 20);
        verifies(out.display(), 20);
    }
}

/// Filters whose messages differ from request to request are one reason, which is stated once.
#[test]
fn items_without_a_grade_are_counted_by_class() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("judged");
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/qa/knowledge/econ_general.json"
    );
    let all: Vec<Value> = (0..3)
        .map(|id| value!({"ID": id, "Question": format!("What is externality {id}?"), "Answer": "A cost to others."}))
        .collect();
    let data = dir.path().join("knowledge").join("econ_general.json");
    std::fs::create_dir_all(data.parent().unwrap()).unwrap();
    std::fs::write(&data, serde_json::to_string(&all).unwrap()).unwrap();
    let server = Server::answering(|request| match model(request) {
        "judge" => Act::Refuse(
            400,
            value!({"error": {"code": "content_filter", "message":
                format!("The response was filtered, request {}", request.number)}}),
        ),
        _ => Act::Answer(said("Prices rise.")),
    });
    let line = JUDGED.replace(fixture, &data.display().to_string());
    let printed = summary(&server.run(&format!("{line} --json --out {}", out.display())));
    let why = unscored(&printed);
    assert_eq!(
        why,
        ["3 episodes without a score: the judge gave no reply: filtered"]
    );
    let text = ok(&format!("resume {}", out.display()));
    assert_eq!(text.matches(&why[0]).count(), 1, "{text}");
}

/// What a folder holds is told without the files that its plan names, which may be those of somebody else.
#[test]
fn an_unfinished_question_run_whose_data_moved_is_unfinished() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("runs").join("qa");
    let server = Server::answering(|_| Act::Answer(said("hawkish")));
    let data = questions(dir.path(), 4);
    summary(&server.run(&format!(
        "run qa {data} --agent openai:m --method direct --json --out {}",
        out.display()
    )));
    let runs = dir.path().join("runs").display().to_string();
    assert_eq!(
        json(&format!("runs {runs} --json"))[0]["status"],
        "finished"
    );
    std::fs::remove_file(dir.path().join("FOMC.json")).unwrap();
    for (kept, status) in [(4, "finished"), (1, "unfinished"), (0, "unfinished")] {
        let lines: String = records(&out)
            .iter()
            .take(kept)
            .map(|record| format!("{record}\n"))
            .collect();
        std::fs::write(out.join("episodes.jsonl"), lines).unwrap();
        let listed = json(&format!("runs {runs} --json"));
        assert_eq!(listed[0]["status"], status, "{listed}");
        assert_eq!(listed[0]["planned"], 4);
        #[cfg(feature = "view")]
        {
            let pages = dir.path().join(format!("pages{kept}"));
            ok(&format!("view {runs} --export {}", pages.display()));
            let page = std::fs::read_to_string(pages.join("run.qa.html")).unwrap();
            assert!(page.contains(&format!("{kept} of 4")), "{kept}");
        }
    }
    // The questions are in the folder.
    let resumed = summary(&server.run(&format!("resume {} --json", out.display())));
    assert_eq!(resumed["episodes"], 4);
    verifies(out.display(), 4);
}

/// All commands show the same requests, tokens and cost, also after failures and a resume.
#[test]
fn requests_are_counted_alike_after_retries_filters_failures_and_more_units() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("runs").join("run");
    let server = Server::answering(|request| match request.number {
        1 | 4 => Act::Refuse(500, value!({"error": {"message": "tired"}})),
        3 => withheld(true),
        6 => withheld(false),
        9..12 => Act::Refuse(500, value!({"error": {"message": "tired"}})),
        _ => Act::Answer(said("hawkish")),
    });
    let play = |episodes: u64| {
        format!(
            "run consulting --preset short --rounds 3 --concurrency 1 --retries 1 --method direct --agent openai:m \
             --episodes {episodes} --json --out {}",
            out.display()
        )
    };
    let check = |printed: &Value| {
        let calls = std::fs::read_to_string(out.join("calls.jsonl")).unwrap();
        let calls: Vec<Value> = calls
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let tokens: u64 = calls
            .iter()
            .filter_map(|call| call["usage"]["input"].as_u64())
            .sum();
        let report = json(&format!("report {} --json", out.display()));
        let reported = &report["tasks"][0]["agents"][0]["summary"];
        for usage in [&printed["usage"], &reported["usage"]] {
            assert_eq!(usage["requests"], calls.len(), "{usage}");
            assert_eq!(usage["tokens_in"], tokens, "{usage}");
        }
        assert_eq!(printed["causes"], reported["causes"]);
    };
    let ran = server.run(&play(2));
    check(&serde_json::from_slice(&ran.stdout).unwrap());
    check(&summary(
        &server.run(&format!("resume {} --json", out.display())),
    ));
    check(&summary(&server.run(&play(4))));
    assert_eq!(records(&out).len(), 4);
    verifies(out.display(), 4);
}

/// A finished run is extended by interviews or streams; for another run, the refusal names the difference.
#[test]
fn interviews_and_streams_are_added_and_other_settings_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let line = |n: u64, more: &str, name: &str| {
        let out = at(name);
        format!(
            "run consulting --agent never-recommends --episodes {n} {more} --out {}",
            out.display()
        )
    };
    ok(&line(2, "", "grown"));
    ok(&line(5, "", "grown"));
    ok(&line(5, "", "whole"));
    let text = |name: &str| std::fs::read_to_string(at(name).join("episodes.jsonl")).unwrap();
    assert_eq!(text("grown"), text("whole"));
    verifies(at("grown").display(), 5);
    for (asked, facts) in [
        (line(6, "--rounds 4", "grown"), ["rounds", "another run"]),
        (line(6, "--seed 3", "grown"), ["seed", "another run"]),
        (line(3, "", "grown"), ["5 episodes", "only get longer"]),
        (
            line(6, "", "grown").replace("--episodes 6", ""),
            ["5 episodes", "--episodes"],
        ),
    ] {
        names(&refused(&words(&asked), 2), &facts);
    }
    assert_eq!(text("grown"), text("whole"));

    let server = Server::answering(|_| Act::Answer(said("hawkish")));
    let data = questions(dir.path(), 5);
    let ask = |more: &str, name: &str| {
        server.run(&format!(
            "run qa {data} --agent openai:m --method dc --json {more} --out {}",
            at(name).display()
        ))
    };
    assert_eq!(summary(&ask("--streams 1", "qa"))["episodes"], 5);
    assert_eq!(summary(&ask("--streams 3", "qa"))["episodes"], 15);
    assert_eq!(summary(&ask("--streams 3", "fresh"))["episodes"], 15);
    // The records of the first stream are there before those of the others begin.
    let lines = |name: &str| sorted_lines(&at(name).join("episodes.jsonl"));
    assert_eq!(lines("qa"), lines("fresh"));
    verifies(at("qa").display(), 15);
    for (more, fact) in [
        ("--streams 3 --seed 2", "seed"),
        ("--streams 4 --items 3", "another run"),
        ("--streams 2", "only get longer"),
    ] {
        let refusal = ask(more, "qa");
        assert_eq!(refusal.status.code(), Some(2));
        names(&String::from_utf8_lossy(&refusal.stderr), &[fact]);
    }
}

/// The refusal names a part of a run by its option, not by a field of the plan.
#[test]
fn one_episode_alone_is_another_part_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let game = format!(
        "run beer-game --preset random --agent sterman --out {}",
        out.display()
    );
    ok(&format!("{game} --episodes 2"));
    let refusal = refused(&words(&format!("{game} --episode 4")), 2);
    names(&refusal, &["the whole run", "--episode 4"]);
    assert!(!refusal.contains("shard.count"), "{refusal}");
}

#[test]
fn a_run_without_records_is_left_out_of_a_comparison() {
    let dir = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for agent in ["sterman", "random", "constant:4"] {
        let out = dir.path().join(agent.replace(':', "-"));
        let out = out.display().to_string();
        ok(&format!(
            "run beer-game --preset random --agent {agent} --episodes 8 --out {out}"
        ));
        folders.push(out);
    }
    std::fs::write(Path::new(&folders[1]).join("episodes.jsonl"), "").unwrap();
    let line = format!("compare {}", folders.join(" "));
    names(
        &ok(&line),
        &["random", "no record yet and is left out", "constant:4"],
    );
    let compared = json(&format!("{line} --json"));
    assert_eq!(compared["others"].as_array().unwrap().len(), 1);
    assert_eq!(compared["notes"].as_array().unwrap().len(), 1);
    let report = json(&format!("report {} {} --json", folders[0], folders[2]));
    let task = &report["tasks"][0];
    assert_eq!(task["agents"].as_array().unwrap().len(), 2);
    let best = task["agents"][0]["summary"]["agent"].as_str().unwrap();
    assert!(
        task["headline"].as_str().unwrap().starts_with(best),
        "{task}"
    );
}

/// Servers that take requests in different ways are named.
#[test]
fn ways_that_runs_have_learnt_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for refuses in [false, true] {
        let out = dir.path().join(refuses.to_string()).display().to_string();
        let server = Server::answering(move |request| {
            if refuses && !request.body["temperature"].is_null() {
                return Act::Refuse(
                    400,
                    value!({"error": {"message":
                    "Unsupported parameter: 'temperature' is not supported with this model."}}),
                );
            }
            Act::Answer(said("What does it cost?"))
        });
        summary(&server.run(&format!(
            "run consulting --preset short --rounds 2 --episodes 2 --agent openai:m --temperature 0.5 --json --out {out}"
        )));
        folders.push(out);
    }
    let compared = json(&format!("compare {} --json", folders.join(" ")));
    let notes = compared["notes"].to_string();
    names(&notes, &["no-temperature", "as planned"]);
    let report = json(&format!("report {} --json", folders.join(" ")));
    let about = report["tasks"][0]["about"].to_string();
    names(&about, &["no-temperature", "as planned"]);
}

/// Agents of different names may also be asked in different ways.
#[test]
fn methods_and_sampling_of_different_models_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::answering(|_| Act::Answer(said("hawkish")));
    let data = questions(dir.path(), 6);
    let mut folders = Vec::new();
    for (model, options) in [("a", "direct"), ("b", "cot --temperature 0.9")] {
        let out = dir.path().join(model).display().to_string();
        summary(&server.run(&format!(
            "run qa {data} --agent openai:{model} --method {options} --json --out {out}"
        )));
        folders.push(out);
    }
    let ways = [
        "openai:a (method direct",
        "openai:b (method cot",
        "temperature",
    ];
    let compared = json(&format!("compare {} --json", folders.join(" ")));
    names(&compared["notes"].to_string(), &ways);
    let report = json(&format!("report {} --json", folders.join(" ")));
    names(&report["tasks"][0]["about"].to_string(), &ways);
    // Options that are the default are not listed.
    let table = ok(&format!("export {}", folders.join(" ")));
    assert!(
        table.contains(",direct,,") && table.contains(",cot,temperature = 0.9,"),
        "{table}"
    );
}

/// How the agent was asked does not depend on what the server of an interviewer refuses.
#[test]
fn ways_of_other_participants_are_not_those_of_the_agent() {
    let dir = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for refuses in [false, true] {
        let out = dir.path().join(refuses.to_string()).display().to_string();
        let server = Server::answering(move |request| {
            let is_system = request.body["messages"][0]["role"] == "system";
            if refuses && model(request) == "asks" && is_system {
                return Act::Refuse(
                    400,
                    value!({"error": {"message": "System role not supported"}}),
                );
            }
            Act::Answer(said("What does it cost?"))
        });
        summary(&server.run(&format!(
            "run consulting --preset short --rounds 2 --episodes 2 --agent openai:m --interviewer openai:asks --json \
             --out {out}"
        )));
        let text = std::fs::read_to_string(Path::new(&out).join("manifest.json")).unwrap();
        assert_eq!(text.contains("no-system"), refuses, "{text}");
        folders.push(out);
    }
    let compared = json(&format!("compare {} --json", folders.join(" ")));
    assert!(!compared.to_string().contains("no-system"), "{compared}");
    let report = json(&format!("report {} --json", folders.join(" ")));
    let about = report["tasks"][0]["about"].to_string();
    assert!(!about.contains("no-system"), "{about}");
}

/// Causes of the answers of a question run, in every place.
#[test]
fn causes_of_answers_are_shown_by_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("runs").join("qa");
    let server = Server::answering(|request| match request.number {
        0 => ended("length", "I think that"),
        1 => withheld(false),
        2 => withheld(true),
        5.. => Act::Refuse(500, value!({"error": {"message": "tired"}})),
        _ => Act::Answer(said("hawkish")),
    });
    let data = questions(dir.path(), 6);
    let ran = server.run(&format!(
        "run qa {data} --agent openai:m --method direct --concurrency 1 --retries 1 --json --out {}",
        out.display()
    ));
    assert_eq!(ran.status.code(), Some(1));
    let printed: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let counts = value!({"said": 2, "cut_off": 1, "filtered": 2, "failed": 1});
    assert_eq!(printed["causes"], counts, "{printed}");
    assert_eq!(printed["usage"]["requests"], 5);
    let report = json(&format!("report {} --json", out.display()));
    let agent = &report["tasks"][0]["agents"][0];
    assert_eq!(agent["summary"]["causes"], counts);
    assert_eq!(agent["summary"]["usage"]["requests"], 5);
    assert_eq!(agent["failures"][0]["role"], "agent");
    for key in ["failed", "method"] {
        assert_eq!(agent["summary"][key], printed[key], "{key}");
    }
    assert_eq!(printed["failed"], 1);
    names(
        &ok(&format!("verify {}", out.display())),
        &["the causes of 5 replies"],
    );
    let exported = ok(&format!("export {}", out.display()));
    names(&exported, &["replies_filtered"]);
    let of_records = records(&out).into_iter().map(|record| {
        let causes = &record["entries"][0]["causes"];
        causes.as_object().unwrap().len()
    });
    assert_eq!(of_records.sum::<usize>(), 5);
}

/// `score` tells its caller by the exit code that the judge could not be asked.
#[test]
fn a_judge_that_cannot_be_asked_fails_the_command_that_scores() {
    let server = Server::answering(|request| match model(request) {
        "judge" => Act::Refuse(401, value!({"error": {"message": "no such key"}})),
        _ => Act::Answer(said("Prices rise.")),
    });
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("answers");
    let asked = JUDGED.replace("--judge openai:judge", "");
    server.run(&format!("{asked} --out {}", out.display()));
    let gold = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/qa/knowledge/econ_general.json"
    );
    let scored = server.run(&format!(
        "score knowledge/econ/general --predictions {} --gold {gold} --judge openai:judge",
        out.display()
    ));
    assert_eq!(scored.status.code(), Some(1));
    let said = String::from_utf8(scored.stderr).unwrap();
    names(&said, &["the judge could not be asked", "no such key"]);
}
