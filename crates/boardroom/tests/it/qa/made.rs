//! `boardroom qa build` and `boardroom qa label`, with a model that follows a script.

use super::model::{Asked, Model};
use serde_json::{Value, json};
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

const TEXT: &str = "Let demand be D = 100 - 2p. Costs are c = 10 per unit.\nTable 1 lists prices and sales. \
    The main result is that the monopolist sets p = 30.";

/// What the model does with the question named by its first word.
fn writes(asked: &Asked) -> Result<String, u16> {
    let about = |word: &str| asked.text.contains(&format!("<question>\n{word}"));
    let draft = |name: &str, evidence: &str| {
        json!({"question": format!("{name} What price does the monopolist set?"),
            "answer": "30, since marginal revenue 50 - q equals 10.", "evidence": [evidence]})
    };
    let value = if asked.system.contains("You write examination questions") {
        if asked.messages <= 2 {
            // The first reply cannot be read; the repair can.
            return Ok("Here are some questions.".to_owned());
        }
        json!({"questions": [
            draft("Plain", "Costs are c = 10 per unit."),
            draft("Invented", "Costs are c = 12 per unit."),
            draft("Shallow", "Let demand be D = 100 - 2p."),
            draft("Open", "The main result is that the monopolist sets p = 30."),
        ]})
    } else if asked.system.contains("three scales") {
        json!({"A": if about("Shallow") { 5 } else { 7 }, "B": 7, "C": 8, "why": "x"})
    } else if asked.system.contains("become a choice") {
        json!({"clarity": if about("Open") { 6 } else { 9 }, "misconception": 9})
    } else {
        json!({"question": "What price is set?", "right": "30", "distractors": [
            {"text": "20", "kind": "missing_step"},
            {"text": "10", "kind": "anchor_trap"},
            {"text": "60", "kind": "sign_error"},
        ]})
    };
    Ok(format!("```json\n{value}\n```"))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn questions_are_made_from_a_text_and_every_draft_is_accounted_for() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("monopoly.md");
    std::fs::write(&text, TEXT).unwrap();
    let out = dir.path().join("made");
    let model = Model::start(writes);
    let made = model.json(&format!(
        "qa build {} --agent openai:writer --drafts 4 --out {} --json",
        text.display(),
        out.display()
    ));
    assert_eq!(made["built"], json!({"general.json": 1, "single.json": 1}));
    assert_eq!(made["dropped"], json!({"evidence": 1, "filter": 1}));
    let report = read(&out.join("report.json"));
    assert_eq!(report["built"].as_array().unwrap().len(), 2);
    assert_eq!(report["dropped"].as_array().unwrap().len(), 2);
    let single = read(&out.join("single.json"));
    assert_eq!(single[0]["ID"], "monopoly:1");
    let letter = single[0]["Answer"].as_str().unwrap();
    assert_eq!(single[0]["Options"][letter], "30");
    // The generated questions can be answered and scored like any other question.
    let answers = dir.path().join("answers.jsonl");
    std::fs::write(
        &answers,
        json!({"id": "monopoly:1", "prediction": letter}).to_string(),
    )
    .unwrap();
    let scored = crate::program::json(&format!(
        "score knowledge/fin/single --predictions {} --gold {} --json",
        answers.display(),
        out.join("single.json").display()
    ));
    assert_eq!(scored["report"]["headline"]["value"], 1.0);
    // The recording reproduces the questions without a server.
    let again = dir.path().join("again");
    crate::program::ok(&format!(
        "qa build {} --agent replay:{} --drafts 4 --out {}",
        text.display(),
        out.display(),
        again.display()
    ));
    assert_eq!(read(&again.join("report.json")), report);

    // A later build into the same folder leaves no questions that its report does not know.
    let open = Model::start(|asked| {
        if asked.system.contains("become a choice") {
            return Ok(json!({"clarity": 6, "misconception": 9}).to_string());
        }
        writes(asked)
    });
    let made = open.json(&format!(
        "qa build {} --agent openai:other --drafts 4 --out {} --json",
        text.display(),
        out.display()
    ));
    assert_eq!(made["built"], json!({"general.json": 2}));
    assert!(!out.join("single.json").exists());
}

#[test]
fn questions_are_labelled_for_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(|asked| {
        Ok(if asked.text.contains("Oslo") {
            "I cannot tell.".to_owned()
        } else {
            "Capability: Domain Knowledge\nDifficultyScore: 2\nReasoning: plain.".to_owned()
        })
    });
    let output = model.call(&format!(
        "qa label --data {SAMPLES} --task FPB --agent openai:labeller --calls {}",
        dir.path().join("calls").display()
    ));
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    crate::program::names(&said, &["1 repl"]);
    let labels = dir.path().join("labels.jsonl");
    std::fs::write(&labels, &output.stdout).unwrap();
    let scored = crate::program::json(&format!(
        "score FPB --predictions {SAMPLES}/predictions/FPB.csv --gold {SAMPLES} --labels {} \
         --by capability,difficulty --json",
        labels.display()
    ));
    let sizes: Vec<&Value> = scored["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["n"])
        .collect();
    assert_eq!(sizes, [&json!(1), &json!(3)]);
}

/// Items of different tasks share identifiers, so labels carry the names over all tasks: everything that
/// joins them finds each of them.
#[test]
fn labels_of_several_tasks_are_found_wherever_they_are_joined() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(|asked| {
        Ok(if asked.model == "labeller" {
            "Capability: Domain Knowledge\nDifficultyScore: 2\nReasoning: plain.".to_owned()
        } else {
            "I do not know.".to_owned()
        })
    });
    let tasks = format!("--data {SAMPLES} --task FPB,FOMC,FinKnow");
    let output = model.call(&format!("qa label {tasks} --agent openai:labeller"));
    assert_eq!(output.status.code(), Some(0));
    let labels = dir.path().join("labels.jsonl");
    std::fs::write(&labels, &output.stdout).unwrap();
    let ids: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            let label: Value = serde_json::from_str(line).unwrap();
            label["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 11);
    for name in [
        "application/FPB:1",
        "application/FOMC:1",
        "finance/FinKnow:1",
    ] {
        assert!(ids.iter().any(|id| id == name), "{name} is not in {ids:?}");
    }
    // The same labels under bare identifiers cannot be joined with a run of three tasks.
    let bare = dir.path().join("bare.jsonl");
    let text = std::fs::read_to_string(&labels).unwrap();
    let text = ["application/FPB:", "application/FOMC:", "finance/FinKnow:"]
        .iter()
        .fold(text, |text, name| text.replace(name, ""));
    std::fs::write(&bare, text).unwrap();

    let run = |method: &str| dir.path().join(method).display().to_string();
    for method in ["cot", "self-refine"] {
        model.json(&format!(
            "run qa {tasks} --agent openai:mock --method {method} --json --out {}",
            run(method)
        ));
    }
    for (file, unlabelled) in [(&labels, false), (&bare, true)] {
        let learnt = crate::program::call(&[
            "route",
            "learn",
            "--predictions",
            &run("cot"),
            &run("self-refine"),
            "--labels",
            file.to_str().unwrap(),
            "-o",
            dir.path().join("policy.json").to_str().unwrap(),
        ]);
        assert_eq!(learnt.code, 0, "{}", learnt.err);
        assert_eq!(
            learnt.err.contains("11 questions without a label"),
            unlabelled,
            "{}",
            learnt.err
        );
        std::fs::remove_file(dir.path().join("policy.json")).unwrap();
    }
    for (task, items) in [("FPB", 4), ("FOMC", 2), ("FinKnow", 5)] {
        let scored = crate::program::json(&format!(
            "score {task} --predictions {} --gold {SAMPLES} --labels {} --by capability --json",
            run("cot"),
            labels.display()
        ));
        let cells = scored["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 1, "{task}: {cells:?}");
        assert_eq!(cells[0]["n"], items);
        assert!(
            cells[0].to_string().contains("Domain Knowledge"),
            "{cells:?}"
        );
    }
}
