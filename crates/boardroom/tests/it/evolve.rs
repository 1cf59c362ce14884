//! `boardroom evolve`: a model that answers better under a planted phrase, and a reflector that proposes
//! that phrase.

use crate::models::summary;
use crate::program::{names, refusal};
use crate::server::{Act, Server, called, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

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
    let records = std::fs::read_to_string(run.join("items.jsonl")).unwrap();
    for list in ["training_items", "validation_items"] {
        for item in found[list].as_array().unwrap() {
            assert!(!records.contains(&item.to_string()), "{item} was asked");
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
    let cases = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    for list in ["training_items", "validation_items"] {
        for case in found[list].as_array().unwrap() {
            assert!(
                !cases.contains(&format!("\"id\":{case}")),
                "{case} is in the test"
            );
            assert!(
                !cases.contains(&format!("\"id\": {case}")),
                "{case} is in the test"
            );
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
