//! `boardroom run qa`: a model answers, the scorer scores, the folder stores.

use super::model::{Asked, Model};
use super::{json_lines, named_records};
use crate::program::{self, names, refusal, refused, sandbox, verifies};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// A script that knows the right answers of the sample questions, all but one of FPB.
fn knows(asked: &Asked) -> Result<String, u16> {
    let text = &asked.text;
    if asked.system.contains("You grade") || asked.model == "judge" {
        return Ok("{\"score\": 4}".to_owned());
    }
    let answers = [
        ("Orders doubled", "positive"),
        ("The plant closed", "**Negative**"),
        ("The meeting takes place", "neutral"),
        ("Net sales grew", "negative"),
        (
            "perpetual bond",
            "```python\nc = 6\nyield_ = c / 80 * 100\n```\nAnswer: [[7.5]]",
        ),
        ("A machine costs", "```python\n(48000 - 6000) / 7\n```"),
    ];
    let known = answers.iter().find(|(part, _)| text.contains(part));
    Ok(known
        .map_or("I do not know.", |(_, answer)| answer)
        .to_owned())
}

fn lines(dir: &Path, name: &str) -> Vec<Value> {
    json_lines(&dir.join(name))
}

/// Items with their scores, from the records.
fn scores(dir: &Path) -> BTreeMap<String, f64> {
    let score = |record: Value| record["score"]["value"].as_f64().unwrap();
    let records = named_records(dir).into_iter();
    records
        .map(|(item, record)| (item, score(record)))
        .collect()
}

#[test]
fn questions_are_asked_kept_and_played_again_without_a_server() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 1.0\noutput = 10.0\n").unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let model = Model::start(knows);
    let live = model.json(&format!(
        "run qa --data {SAMPLES} --task FPB,finance/FinCode --agent openai:mock --prices {} \
         --out {} --json",
        prices.display(),
        out("live")
    ));
    assert_eq!(
        (&live["environment"], &live["episodes"]),
        (&"qa".into(), &10.into())
    );
    assert_eq!(live["method"], "cot");
    let figures: Vec<(&str, f64)> = live["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            (
                task["task"].as_str().unwrap(),
                task["headline"]["value"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        figures,
        [("application/FPB", 0.75), ("finance/FinCode", 2.0 / 6.0)]
    );
    assert_eq!(live["score"]["mean"], 0.5);
    assert_eq!(live["usage"]["requests"], 10);
    // 100 tokens read at 1 and 10 written at 10 dollars a million.
    let cost = live["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 10.0 * 200e-6).abs() < 1e-9, "{cost}");
    assert_eq!(model.answered(), 10);
    let live_dir = dir.path().join("live");
    let records = lines(&live_dir, "episodes.jsonl");
    assert_eq!(records.len(), 10);
    let header = &records[0]["header"];
    assert_eq!(
        (
            &header["environment"],
            &header["agent"],
            &header["feedback"]
        ),
        (&"qa".into(), &"openai:mock".into(), &"none".into())
    );
    assert_eq!(live["figures"][0]["profile"], "strict");
    assert_eq!(scores(&live_dir)["application/FPB:4"], 0.0);
    assert_eq!(lines(&live_dir, "instances.jsonl").len(), 10);
    // No gold answer and no gold program is ever sent.
    let calls = std::fs::read_to_string(live_dir.join("calls.jsonl")).unwrap();
    assert!(
        !calls.contains("coupon / price"),
        "the program of the item was shown"
    );
    assert!(!calls.contains("sk-test"));

    let replay = crate::program::json(&format!(
        "run qa --data {SAMPLES} --task FPB,finance/FinCode --agent replay:{} --out {} --json",
        out("live"),
        out("again")
    ));
    assert_eq!(
        (&replay["figures"], &replay["score"]),
        (&live["figures"], &live["score"])
    );
    let bytes = |name: &str, file: &str| std::fs::read(dir.path().join(name).join(file)).unwrap();
    for file in ["episodes.jsonl", "instances.jsonl"] {
        assert!(bytes("live", file) == bytes("again", file), "{file}");
    }
    // The replies can be scored again, and other commands name the kind of this folder.
    let words = format!(
        "score FPB --predictions {} --gold {SAMPLES} --json",
        out("live")
    );
    let strict = crate::program::json(&words);
    assert_eq!(strict["report"]["headline"]["value"], 0.75);
    let paper = crate::program::json(&format!("{words} --profile paper"));
    assert_eq!(paper["report"]["headline"]["value"], 0.75);
    for name in ["live", "again"] {
        verifies(out(name), 10);
    }
    let summary = crate::program::json(&format!("resume {} --json", out("again")));
    assert_eq!(
        (&summary["episodes"], &summary["failed"]),
        (&10.into(), &0.into())
    );
    let error = refused(
        &[
            "run",
            "qa",
            "--data",
            SAMPLES,
            "--agent",
            "openai:mock",
            "--out",
            &out("live"),
        ],
        2,
    );
    names(&error, &[out("live").as_str(), "boardroom resume"]);
}

#[test]
fn what_failed_is_asked_again_and_nothing_is_paid_twice() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    // The model's account is exhausted after three answers.
    let model = Model::start(|asked| {
        if asked.before < 3 {
            knows(asked)
        } else {
            Err(401)
        }
    });
    let output = model.call(&format!(
        "run qa --data {SAMPLES} --task FPB --agent openai:mock --concurrency 1 --out {out} --json"
    ));
    assert_eq!(output.status.code(), Some(1));
    let error = refusal(&String::from_utf8_lossy(&output.stderr), 1);
    assert_eq!(error.kind, "failed");
    names(&error.message, &["boardroom resume"]);
    let run = Path::new(&out);
    assert_eq!(lines(run, "episodes.jsonl").len(), 3);
    assert_eq!(lines(run, "errors.jsonl").len(), 1);
    // A line that was truncated by a power failure is set aside.
    let torn = format!(
        "{}{{\"schema\":1,\"hea",
        std::fs::read_to_string(run.join("episodes.jsonl")).unwrap()
    );
    std::fs::write(run.join("episodes.jsonl"), torn).unwrap();
    let model = Model::start(knows);
    let output = model.call(&format!("resume {out} --json"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    names(&error, &["episodes.torn"]);
    assert_eq!(model.answered(), 1);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&summary["episodes"], &summary["score"]["mean"]),
        (&4.into(), &0.75.into())
    );
    assert!(!run.join("errors.jsonl").exists());
    // The whole run at once has the same records.
    let whole = dir.path().join("whole");
    model.json(&format!(
        "run qa --data {SAMPLES} --task FPB --agent openai:mock --out {} --json",
        whole.display()
    ));
    assert_eq!(
        lines(run, "episodes.jsonl"),
        lines(&whole, "episodes.jsonl")
    );
}

/// A script for a method that reflects after a failure.
fn reflects(asked: &Asked) -> Result<String, u16> {
    if asked.system.contains("You answer questions") {
        return knows(asked);
    }
    Ok(format!("Lesson {}.", asked.text.len()))
}

#[test]
fn a_method_with_a_memory_goes_on_where_it_was_interrupted() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let line = |name: &str| {
        format!(
            "run qa --data {SAMPLES} --task FPB,FinCode --agent openai:mock --method reflexion \
             --streams 2 --seed 3 --out {} --json",
            path(name).display()
        )
    };
    let whole = Model::start(reflects).json(&line("whole"));
    let records = lines(&path("whole"), "episodes.jsonl");
    assert_eq!(records[0]["header"]["feedback"], "outcome");
    assert_eq!((records.len(), &whole["episodes"]), (20, &20.into()));
    assert_eq!(whole["figures"].as_array().unwrap().len(), 4);
    assert!(whole["roles"]["reflector"]["requests"].as_u64().unwrap() >= 8);
    let model = Model::start(|asked| {
        if asked.before < 13 {
            reflects(asked)
        } else {
            Err(401)
        }
    });
    let output = model.call(&line("cut"));
    assert_eq!(output.status.code(), Some(1));
    let kept = lines(&path("cut"), "episodes.jsonl").len();
    assert!((1..20).contains(&kept), "{kept}");
    let model = Model::start(reflects);
    let resumed = model.json(&format!("resume {} --json", path("cut").display()));
    assert_eq!(
        (&resumed["figures"], &resumed["score"]),
        (&whole["figures"], &whole["score"])
    );
    let sorted = |name: &str| {
        let mut lines: Vec<String> = lines(&path(name), "episodes.jsonl")
            .iter()
            .map(Value::to_string)
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("cut"), sorted("whole"));
    // The two streams of a task meet its items in different orders.
    let order = |stream: u64| -> Vec<String> {
        let met = named_records(&path("whole")).into_iter();
        met.filter(|(item, record)| {
            record["header"]["stream"] == stream && item.contains("FinCode")
        })
        .map(|(item, _)| item)
        .collect()
    };
    let [first, second] = [order(0), order(1)];
    assert_ne!(first, second);
    assert_eq!(first.len(), 6);
    let sorted = |mut items: Vec<String>| {
        items.sort();
        items
    };
    assert_eq!(sorted(first), sorted(second));
}

#[test]
fn judges_are_asked_once_more_and_what_they_do_not_say_is_unscored() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    // Two judges of three can be read, one of them after a repair.
    let model = Model::start(|asked| {
        if asked.model != "judge" {
            return Ok("1. A cost to others. 2. A tax.".to_owned());
        }
        Ok(match (asked.before, asked.messages > 2) {
            (1, _) => "{\"score\": 3}".to_owned(),
            (2, _) => "four, I think".to_owned(),
            (3, true) => "{\"score\": 4}".to_owned(),
            _ => "no".to_owned(),
        })
    });
    let line = format!(
        "run qa --data {SAMPLES} --task knowledge/econ/general --agent openai:mock --judge \
         openai:judge --judges 3 --out {} --json",
        out.display()
    );
    // The samples are stored under a name of our own, so the name is given.
    let line = line.replace(SAMPLES, &format!("{SAMPLES}/knowledge/econ_general.json"));
    let summary = model.json(&line);
    let report = &summary["figures"][0];
    assert_eq!(report["headline"]["name"], "judged_score");
    assert_eq!(report["headline"]["value"], 3.5);
    assert_eq!(summary["score"]["mean"], 0.7);
    assert_eq!(summary["agent"], "openai:mock, judge=openai:judge");
    assert_eq!(summary["roles"]["judge"]["requests"], 5);
    let spread = report["metrics"]["judge_spread"].as_f64().unwrap();
    assert!((spread - 0.5_f64.sqrt()).abs() < 1e-12);
    // One reply of the first judge, two of the second and of the third.
    let said: Vec<Value> = lines(&out, "episodes.jsonl")[0]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["seat"] == "judge")
        .map(|entry| entry["input"]["act"]["text"].clone())
        .collect();
    let wanted = [
        "{\"score\": 3}",
        "four, I think",
        "{\"score\": 4}",
        "no",
        "no",
    ];
    assert_eq!(json!(said), json!(wanted));

    let silent = Model::start(|asked| {
        Ok(if asked.model == "judge" {
            "no"
        } else {
            "A tax."
        }
        .to_owned())
    });
    let out = dir.path().join("silent");
    let summary = silent.json(
        &line
            .replace("/run ", "/silent ")
            .replace("--judges 3", "--judges 1"),
    );
    assert_eq!(summary["figures"][0]["outcomes"]["unscored"], 1);
    assert!(summary["figures"][0]["headline"].is_null());
    assert!(summary["score"]["mean"].is_null(), "unscored is not zero");
    assert_eq!(summary["flags"]["unscored"], 1);
    let incident = &lines(&out, "episodes.jsonl")[0]["score"]["incidents"][0];
    assert_eq!(incident["code"], "unscored", "{incident}");
}

#[test]
fn scores_of_other_judges_are_not_compared() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(|asked| {
        Ok(match asked.model.as_str() {
            "kind" => "{\"score\": 5}",
            "strict" => "{\"score\": 2}",
            _ => "A tax.",
        }
        .to_owned())
    });
    let runs = [
        ("a", "one", "kind"),
        ("b", "two", "strict"),
        ("c", "two", "kind"),
    ];
    let out = |name: &str| dir.path().join(name).display().to_string();
    for (name, agent, judge) in runs {
        model.json(&format!(
            "run qa --data {SAMPLES}/knowledge/econ_general.json --task knowledge/econ/general \
             --agent openai:{agent} --judge openai:{judge} --judges 1 --out {} --json",
            out(name)
        ));
    }
    let compared = program::json(&format!("compare {} --json", dir.path().display()));
    assert_eq!(compared["first"]["agent"], "openai:one, judge=openai:kind");
    let others = compared["others"].as_array().unwrap();
    assert_eq!(others.len(), 1, "{others:?}");
    assert_eq!(others[0]["agent"], "openai:two, judge=openai:kind");
    assert_eq!(others[0]["difference"], 0.0);
    refused(&["compare", &out("a"), &out("b")], 2);
}

#[test]
fn samples_and_shards_are_parts_of_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(knows);
    let mut met = BTreeMap::new();
    for shard in 0..3 {
        let out = dir.path().join(format!("{shard}"));
        model.json(&format!(
            "run qa --data {SAMPLES} --task FinCode --agent openai:mock --items 5 --shard {shard}/3 \
             --out {} --json",
            out.display()
        ));
        let part = scores(&out);
        assert!((1..=2).contains(&part.len()));
        met.extend(part);
    }
    assert_eq!(met.len(), 5);
    // A shard of more parts than there are questions has nothing to prove, and nothing wrong.
    let none = dir.path().join("none");
    model.json(&format!(
        "run qa --data {SAMPLES} --task FinCode --agent openai:mock --items 5 --shard 6/9 --out {} --json",
        none.display()
    ));
    verifies(none.display(), 0);
    std::fs::write(none.join("calls.jsonl"), "{}\n").unwrap();
    refused(&["verify", &none.display().to_string()], 1);
}

#[test]
fn wrong_words_are_named() {
    let nowhere = refused(&["run", "qa", "--data", SAMPLES, "--agent", "random"], 2);
    names(&nowhere, &["`random`", "openai:MODEL"]);
    for (words, part) in [
        ("--task FPB --agent openai:m --method haste", "self-refine"),
        ("--task FPB --agent openai:m --method gepa", "instruction"),
        ("--task SECQUE --agent openai:m", "SECQUE"),
        ("--task FPB --agent openai:m --streams 2", "--streams"),
    ] {
        let line = format!("run qa --data {SAMPLES} {words}");
        let error = refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
        names(&error, &[part]);
    }
}

/// Two runs of the same questions are compared item by item, and exported with a row for each item.
#[test]
fn answers_are_compared_and_exported() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let (able, blank) = (
        Model::start(knows),
        Model::start(|_| Ok("I do not know.".to_owned())),
    );
    for (model, name) in [(&able, "able"), (&blank, "blank")] {
        let line = format!(
            "run qa --data {SAMPLES} --task FPB,finance/FinCode --agent openai:mock --out {} --json",
            out(name)
        );
        model.json(&line);
    }
    let line = format!("compare {} {} --json", out("blank"), out("able"));
    let compared = crate::program::json(&line);
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["mean"]),
        (&10.into(), &0.5.into())
    );
    assert_eq!(other["difference"], 0.5);
    assert!(other["agent"].as_str().unwrap().contains("able"), "{other}");
    let episodes = dir.path().join("able/episodes.jsonl");
    let whole = std::fs::read_to_string(&episodes).unwrap();
    std::fs::write(&episodes, format!("{whole}{{\"torn")).unwrap();
    let reader = std::fs::File::open(dir.path().join("able/manifest.json")).unwrap();
    reader.try_lock_shared().unwrap();
    let table = crate::program::ok(&format!("export {} {}", out("able"), out("blank")));
    assert!(
        !dir.path().join("able/episodes.torn").exists(),
        "readers mend nothing"
    );
    assert_eq!(table.lines().count(), 21, "{table}");
    assert!(table.contains("application/FPB:4"), "{table}");
    let missing = out("nosuch");
    let message = refused(
        &["run", "qa", "--data", &missing, "--agent", "openai:mock"],
        2,
    );
    names(&message, &[&missing]);
}
