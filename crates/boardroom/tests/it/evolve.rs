//! `boardroom evolve`: a model that answers better under a planted phrase, and a reflector that proposes
//! that phrase.

use crate::models::summary;
use crate::prepared::plan_file;
use crate::program::{names, refusal};
use crate::server::{Act, Server, called, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// The instruction that the reflector proposes.
const PLANTED: &str = "Mind the planted rule.";

fn messages(body: &Value) -> String {
    body["messages"].to_string()
}

/// What the reflector says; `None` if the request is not its own.
fn proposes(body: &Value) -> Option<Act> {
    let asks = messages(body).contains("Write the whole new instruction");
    asks.then(|| {
        Act::Answer(said(&format!(
            "Here it is. <instruction>{PLANTED}</instruction>"
        )))
    })
}

/// Whether the agent works under the planted instruction.
fn is_told(body: &Value) -> bool {
    body["messages"][0]["content"].to_string().contains(PLANTED)
}

/// The answers to the sample questions, for a model that was told to mind the rule.
fn answers(body: &Value) -> Act {
    if let Some(proposal) = proposes(body) {
        return proposal;
    }
    let known = [
        ("Orders doubled", "positive"),
        ("The plant closed", "negative"),
        ("The meeting takes place", "neutral"),
        ("Net sales grew", "positive"),
        ("owns and owes", "B"),
        ("sells bonds", "A"),
        ("does not change with output", "C"),
        ("in the money", "D"),
        ("sold on credit", "B"),
    ];
    let text = messages(body);
    let answer = known
        .iter()
        .find(|(part, _)| text.contains(part) && is_told(body));
    Act::Answer(said(answer.map_or("I do not know.", |(_, answer)| answer)))
}

/// Checks that the search found the planted instruction, and that it is better on the validation items.
fn improved(found: &Value, out: &Path) {
    let search = &found["found"];
    assert_eq!(search["instruction"], PLANTED, "{found}");
    assert!(
        search["mean"].as_f64() > search["first_mean"].as_f64(),
        "{found}"
    );
    assert!(search["metric_calls"].as_u64() <= found["budget"].as_u64());
    let written = std::fs::read_to_string(out.join("instruction.txt")).unwrap();
    assert_eq!(written.trim(), PLANTED);
    let items = |name: &str| -> BTreeSet<String> {
        let list = found[name].as_array().unwrap();
        list.iter().map(Value::to_string).collect()
    };
    let (train, validation) = (items("training_items"), items("validation_items"));
    assert!(train.is_disjoint(&validation), "{train:?}, {validation:?}");
}

#[test]
fn an_instruction_for_questions_is_found_and_used_on_other_questions() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| answers(body));
    let out = dir.path().join("search");
    let data = format!("--data {SAMPLES} --task FPB,FinKnow --agent openai:mock --json");
    let line = format!(
        "evolve qa {data} --train 1 --validation 1 --metric-calls 30 --out {}",
        out.display()
    );
    let found = summary(&server.run(&line));
    improved(&found, &out);
    assert_eq!(
        (&found["environment"], &found["preset"], &found["train"]),
        (
            &json!("qa"),
            &json!("application/FPB,finance/FinKnow"),
            &json!(2)
        )
    );
    // The same command asks nothing again.
    let answered = server.answered();
    assert_eq!(summary(&server.run(&line)), found);
    assert_eq!(server.answered(), answered);

    let run = dir.path().join("run");
    let line = format!(
        "run qa {data} --method gepa --instruction {} --split test --train 2 --out {}",
        out.display(),
        run.display()
    );
    let played = summary(&server.run(&line));
    assert_eq!(
        (&played["episodes"], &played["score"]["mean"]),
        (&json!(5), &json!(1.0))
    );
    let asked: BTreeSet<String> = crate::qa::named_records(&run)
        .into_iter()
        .map(|(item, _)| item)
        .collect();
    assert_eq!(asked.len(), 5);
    for list in ["training_items", "validation_items"] {
        for item in found[list].as_array().unwrap() {
            let item = item.as_str().unwrap();
            assert!(item.contains("FPB:") || item.contains("FinKnow:"), "{item}");
            assert!(!asked.contains(item), "{item} was asked");
        }
    }
    crate::program::verifies(run.display(), 5);
}

/// The cap ends the search, and a higher one continues it: nothing is paid for twice.
#[test]
fn a_search_keeps_to_its_cap_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| answers(body));
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 1.0\noutput = 10.0\n").unwrap();
    let line = |out: &str| {
        format!(
            "evolve qa --data {SAMPLES} --task FPB --agent openai:mock --train 2 --validation 2 \
             --metric-calls 14 --max-tokens 10 --json --prices {} --out {}",
            prices.display(),
            dir.path().join(out).display()
        )
    };
    let whole = summary(&server.run(&line("whole")));
    let asked = server.answered();
    // A reply costs 200 millionths of a dollar.
    let capped = server.run(&format!("{} --max-cost 0.0009", line("cut")));
    assert_eq!(capped.status.code(), Some(3));
    let err = String::from_utf8_lossy(&capped.stderr).into_owned();
    names(&refusal(&err, 3).message, &["the same command", "cut"]);
    let paid = server.answered() - asked;
    assert!(paid > 0 && paid < 5, "{paid}");
    let done = summary(&server.run(&format!("{} --max-cost 1", line("cut"))));
    assert_eq!(done["found"], whole["found"]);
    assert_eq!(
        server.answered(),
        2 * asked,
        "no answer was asked for twice"
    );
}

#[test]
fn an_instruction_for_interviews_is_found_and_used_on_other_cases() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| {
        if let Some(proposal) = proposes(body) {
            return proposal;
        }
        Act::Answer(said(&match body["model"].as_str().unwrap() {
            // The judge likes the words of a candidate that was told the rule.
            "marks" => {
                let mark = if messages(body).contains("planted words") {
                    9
                } else {
                    3
                };
                json!({"structure": mark, "quant": mark, "business_sense": mark,
                       "communication": mark, "overall": mark, "feedback": "so so"})
                .to_string()
            }
            _ if messages(body).contains(PLANTED) => "I use the planted words.".to_owned(),
            _ => "I wonder.".to_owned(),
        }))
    });
    let out = dir.path().join("search");
    let team = "--agent openai:talks --judge openai:marks --rounds 2 --seed 4 --json";
    let line = format!(
        "evolve consulting {team} --train 2 --validation 3 --metric-calls 17 --out {}",
        out.display()
    );
    let found = summary(&server.run(&line));
    improved(&found, &out);
    assert_eq!(found["found"]["first_mean"], 0.3);
    assert_eq!(found["found"]["mean"], 0.9);

    let run = dir.path().join("run");
    let line = format!(
        "run consulting {team} --method gepa --instruction {} --split test --train 5 --episodes 4 --out {}",
        out.display(),
        run.display()
    );
    assert_eq!(summary(&server.run(&line))["score"]["mean"], 9.0);
    let asked: BTreeSet<String> = crate::qa::json_lines(&run.join("instances.jsonl"))
        .iter()
        .map(|interview| interview["case"]["id"].to_string())
        .collect();
    assert_eq!(asked.len(), 47);
    for (list, count) in [("training_items", 2), ("validation_items", 3)] {
        let searched = found[list].as_array().unwrap();
        assert_eq!(searched.len(), count);
        for case in searched {
            assert!(!asked.contains(&case.to_string()), "{case} is in the test");
        }
    }
}

/// The preset has two games; each of them is on one side.
#[test]
fn an_instruction_is_found_on_a_preset_with_few_games() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| {
        if let Some(proposal) = proposes(body) {
            return proposal;
        }
        let quantity = if is_told(body) { 400 } else { 2_000 };
        Act::Answer(called(&json!({"quantity": quantity})))
    });
    let out = dir.path().join("search");
    let line = format!(
        "evolve beer-game --preset paper --agent openai:mock --metric-calls 7 --json --out {}",
        out.display()
    );
    let output = server.run(&line);
    let found = summary(&output);
    improved(&found, &out);
    assert_eq!(
        (&found["train"], &found["validation"]),
        (&json!(1), &json!(1))
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    names(&said, &["2 different instances"]);

    let game =
        "run beer-game --preset paper --agent openai:mock --json --method gepa --instruction";
    let better = summary(&server.run(&format!("{game} {}", out.display())));
    let first = dir.path().join("first.txt");
    std::fs::write(&first, "Order much.").unwrap();
    let worse = summary(&server.run(&format!("{game} {}", first.display())));
    let cost = |run: &Value| run["score"]["mean"].as_f64().unwrap();
    assert!(cost(&better) < cost(&worse));
}

/// As a run, a search keeps what its server refused. It does not ask twice, also if it begins again from its manifest.
#[test]
fn a_search_keeps_what_its_server_refuses() {
    let dir = tempfile::tempdir().unwrap();
    let refused = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&refused);
    let server = Server::acting(move |_, body| {
        if body["messages"][0]["role"] == "system" {
            count.fetch_add(1, Ordering::Relaxed);
            return Act::Refuse(
                400,
                json!({"error": {"message": "System role not supported"}}),
            );
        }
        answers(body)
    });
    let out = dir.path().join("search");
    let line = format!(
        "evolve qa --data {SAMPLES} --task FPB,FinKnow --agent openai:mock --json --train 1 --validation 1 \
         --metric-calls 30 --concurrency 1 --out {}",
        out.display()
    );
    summary(&server.run(&line));
    let text = std::fs::read_to_string(out.join("search.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        manifest["learnt"]["openai:mock"]["ways"],
        json!(["no-system"])
    );
    assert_eq!(refused.load(Ordering::Relaxed), 1);
    // Without its result and its calls the search asks everything again, in the way that it has learnt.
    for file in ["evolved.json", "instruction.txt", "calls.jsonl"] {
        std::fs::remove_file(out.join(file)).unwrap();
    }
    let before = server.answered();
    summary(&server.run(&line));
    assert!(server.answered() > before);
    assert_eq!(refused.load(Ordering::Relaxed), 1);
}

/// A search of questions in `out`, with the model of [`answers`].
fn search_line(out: &Path) -> String {
    format!(
        "evolve qa --data {SAMPLES} --task FPB --agent openai:mock --train 2 --validation 2 \
         --metric-calls 14 --json --out {}",
        out.display()
    )
}

/// What a call that must be refused says, and the files of `dir` with their content.
fn refused_in(server: &Server, line: &str, dir: &Path) -> String {
    let held = || -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        let mut held: Vec<_> = files
            .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
            .collect();
        held.sort();
        held
    };
    let (before, answered) = (held(), server.answered());
    let line = if line.contains("--json") {
        line.to_owned()
    } else {
        format!("{line} --json")
    };
    let output = server.run(&line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!(held(), before, "{line}");
    assert_eq!(server.answered(), answered, "{line}");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    refusal(&err, 2).message
}

#[test]
fn a_folder_holds_one_search_or_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::acting(|_, body| answers(body));
    let search = path("search");
    let line = search_line(&search);
    let found = summary(&server.run(&line));
    let manifest = std::fs::read_to_string(search.join("search.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["schema"], 1);
    assert_eq!(
        manifest["search"]["training_items"],
        found["training_items"]
    );
    assert_eq!(manifest["search"]["environment"], "qa");

    // Another search: another seed, another environment.
    let other = format!("{line} --seed 9");
    names(
        &refused_in(&server, &other, &search),
        &["another search", "seed"],
    );
    let games = format!(
        "evolve beer-game --preset paper --agent openai:mock --metric-calls 7 --out {}",
        search.display()
    );
    names(
        &refused_in(&server, &games, &search),
        &["another search", "environment"],
    );
    // Runs and sweeps.
    let out = search.display();
    let question = format!("run qa --data {SAMPLES} --task FPB --agent openai:mock --out {out}");
    let game = format!("run beer-game --agent sterman --episodes 1 --out {out}");
    let talk = format!("run consulting --agent ideal --out {out}");
    let runs = "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"sterman\"]\nepisodes = 1\n";
    let plan = plan_file(dir.path(), runs);
    let sweep = format!("run --plan {plan} --out {out}");
    for line in [&question, &game, &talk, &sweep] {
        names(
            &refused_in(&server, line, &search),
            &["search for an instruction"],
        );
    }
    // The same search is still found.
    assert_eq!(summary(&server.run(&line)), found);

    // Folders that hold something else.
    let run = path("run");
    crate::program::ok(&format!(
        "run beer-game --agent sterman --episodes 1 --out {}",
        run.display()
    ));
    names(&refused_in(&server, &search_line(&run), &run), &["a run"]);
    let mine = path("mine");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("notes.txt"), "mine").unwrap();
    names(
        &refused_in(&server, &search_line(&mine), &mine),
        &["notes.txt"],
    );

    // A search that cannot begin leaves nothing behind.
    let unknown = search_line(&path("none")).replace("--json", "--json --max-cost 1");
    assert_eq!(server.run(&unknown).status.code(), Some(2));
    assert!(!path("none").exists());
}

/// `run` says if it asks what the search had for training, and keeps that in the manifest and the summary.
#[test]
fn a_run_on_training_items_is_marked() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::acting(|_, body| answers(body));
    let search = path("search");
    summary(&server.run(&search_line(&search)));
    let data = format!("--data {SAMPLES} --task FPB --agent openai:mock --method gepa --json");
    let run = |name: &str, more: &str| {
        let line = format!("run qa {data} {more} --out {}", path(name).display());
        let output = server.run(&line);
        let told = String::from_utf8_lossy(&output.stderr).contains("warning: 2 of the 4 items");
        let manifest = std::fs::read_to_string(path(name).join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let noted = !manifest["notes"].is_null();
        assert_eq!(manifest["notes"], summary(&output)["notes"]);
        assert_eq!(noted, told);
        crate::program::verifies(path(name).display(), 4);
        told
    };
    let file = |name: &str| format!("--instruction {}", search.join(name).display());
    assert!(run("folder", &file("")));
    assert!(run("text", &file("instruction.txt")));
    assert!(run("json", &file("evolved.json")));
    let copy = path("copy.txt");
    std::fs::copy(search.join("instruction.txt"), &copy).unwrap();
    assert!(!run("copy", &format!("--instruction {}", copy.display())));

    // A preset with a list of games: the run plays the game from which the instruction was made.
    let games = Server::acting(|_, body| {
        proposes(body).unwrap_or_else(|| Act::Answer(called(&json!({"quantity": 400}))))
    });
    let search = path("games");
    let line = "--preset paper --agent openai:mock --json";
    let searched = format!(
        "evolve beer-game {line} --metric-calls 7 --out {}",
        search.display()
    );
    summary(&games.run(&searched));
    let run = format!(
        "run beer-game {line} --method gepa --instruction {}",
        search.display()
    );
    let said = String::from_utf8_lossy(&games.run(&run).stderr).into_owned();
    assert!(said.contains("warning: 1 of the 2 items"), "{said}");
}

/// The instruction that a search on questions begins with does not work against the form that a label needs.
#[test]
fn the_first_instruction_for_questions_asks_for_no_form_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    // A model that does as it is told: it writes down what it compares if it is told to.
    let server = Server::acting(|_, body| {
        if let Some(proposal) = proposes(body) {
            return proposal;
        }
        let told = body["messages"][0]["content"].to_string();
        let writes = ["write down", "compare", "step by step"];
        let Act::Answer(answer) = answers(&json!({
            "messages": [{"content": PLANTED}, body["messages"].clone()]
        })) else {
            unreachable!()
        };
        let label = answer["choices"][0]["message"]["content"].as_str().unwrap();
        Act::Answer(said(&if writes.iter().any(|word| told.contains(word)) {
            format!("It could be positive, neutral or negative. {label}")
        } else {
            label.to_owned()
        }))
    });
    let found = summary(&server.run(&search_line(&dir.path().join("search"))));
    assert_eq!(found["found"]["first_mean"], 1.0, "{found}");
}

/// A litmus test has no better end, so there is nothing to search for.
#[test]
fn litmus_tests_have_no_better_instruction() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    for name in ["patience", "efficiency-equality", "collusion"] {
        let out = dir.path().join(name);
        let line = format!(
            "evolve {name} --agent openai:mock --json --out {}",
            out.display()
        );
        let output = server.run(&line);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        names(&refusal(&err, 2).message, &[name, "neither end"]);
        assert!(!out.exists());
    }
    assert_eq!(server.answered(), 0);
}

/// The first line of a model's run names the method, and the sampling that was asked for.
#[test]
fn the_first_line_of_a_run_says_how_the_model_was_asked() {
    let server = Server::start(0.0);
    let first = |more: &str| {
        let line = format!("run beer-game --preset paper --set weeks=3 --episodes 1 {more}");
        let text = String::from_utf8(server.run(&line).stdout).unwrap();
        text.lines().next().unwrap_or_default().to_owned()
    };
    let line = first("--agent openai:mock --method debate --temperature 0.3 --top-p 0.9");
    names(&line, &["method debate", "temperature 0.3", "top-p 0.9"]);
    let line = first("--agent openai:mock");
    names(&line, &["method cot"]);
    assert!(!line.contains("temperature"), "{line}");
    let line = first("--agent sterman");
    assert!(!line.contains("method"), "{line}");
}
