//! Commands over run folders.

use super::{Transcript, drawn, play};
use crate::prepared::members;
use crate::server::{Act, Server, called};
use serde_json::json;

/// A plan with two tasks, each with two agents and two seeds.
const PLAN: &str = r#"
seeds = [1, 2]
episodes = 3

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["sterman", "order-up-to"]

[[runs]]
environment = "pricing"
presets = ["basic"]
agents = ["cost-plus"]
"#;

fn sweep(said: &Transcript) {
    said.file("plan.toml", PLAN);
    said.given("run --plan plan.toml --out sweep");
}

/// The folder of a member of the sweep, by the beginning of its name.
fn member(said: &Transcript, start: &str) -> String {
    let first = &members(said.path("sweep"), start)[0];
    format!("sweep/{}", first.file_name().unwrap().to_str().unwrap())
}

/// Folders in which something is missing, cut off or altered.
fn damaged(said: &mut Transcript) {
    for name in [
        "torn", "altered", "broken", "double", "foreign", "newer", "short",
    ] {
        play(said, name, "sterman", "");
    }
    let text = said.read("torn/episodes.jsonl");
    said.file("torn/episodes.jsonl", &text[..text.len() - 40]);
    said.lines("altered/episodes.jsonl", |lines| {
        let mut record: serde_json::Value = serde_json::from_str(&lines[2]).unwrap();
        let quantity = &mut record["entries"][11]["input"]["act"]["quantity"];
        *quantity = (quantity.as_i64().unwrap() + 1).into();
        lines[2] = record.to_string();
    });
    said.lines("broken/episodes.jsonl", |lines| {
        lines[1] = "<<<<<<< mine".to_owned()
    });
    said.lines("double/episodes.jsonl", |lines| {
        lines.push(lines[0].clone())
    });
    said.lines("foreign/episodes.jsonl", |lines| {
        lines.push("{\"schema\": 1}".to_owned())
    });
    let manifest = said.read("newer/manifest.json");
    said.file(
        "newer/manifest.json",
        &manifest.replacen("\"schema\": 1", "\"schema\": 9", 1),
    );
    said.lines("short/episodes.jsonl", |lines| lines.truncate(9));
    std::fs::create_dir(said.path("none")).unwrap();
}

#[test]
fn verify() {
    let mut said = Transcript::new();
    said.says("verify --help");
    damaged(&mut said);
    for folder in [
        "none", "torn", "altered", "broken", "double", "foreign", "newer", "short",
    ] {
        said.says(&format!("verify {folder}"));
    }
    play(&said, "good", "sterman", "");
    said.says("verify good");
    said.file("good/notes.txt", "mine");
    said.says("verify good");
    play(&said, "shard", "sterman", "--shard 1/3");
    said.says("verify shard");
    said.file("moves.jsonl", &"{\"quantity\": 400}\n".repeat(30));
    said.given("run beer-game --episodes 1 --agent script:moves.jsonl --out scripted");
    said.says("verify scripted");
    std::fs::remove_file(said.path("moves.jsonl")).unwrap();
    said.says("verify scripted");
    // Without input, the game is left at once.
    said.command("play beer-game --out mine").output().unwrap();
    said.says("verify mine");
    sweep(&said);
    said.says("verify sweep");
    std::fs::remove_dir_all(said.path(&member(&said, "pricing"))).unwrap();
    said.says("verify sweep");
    said.given("run consulting --preset short --agent ideal --out talks");
    said.says("verify talks");
    let records = said.read("talks/episodes.jsonl");
    said.file(
        "talks/episodes.jsonl",
        &records.replacen("\"rounds\":", "\"rounds\":1", 1),
    );
    said.says("verify talks");
    let held = std::fs::File::open(said.path("good")).unwrap();
    held.lock().unwrap();
    said.says("verify good");
    said.is("verify");
}

/// What is proven of the run of a model.
#[test]
fn verify_of_a_model() {
    let mut said = Transcript::new();
    let server = Server::acting(|_, _| Act::Answer(called(&json!({"quantity": 200}))));
    said.file(
        "prices.toml",
        "[models.mock]\ninput = 10.0\noutput = 100.0\n",
    );
    let line = "run beer-game --preset random --set weeks=5 --agent openai:mock --episodes 2 \
                --concurrency 1 --prices prices.toml --out run";
    said.asks(line, &server.base);
    said.says("verify run");
    said.lines("run/episodes.jsonl", |lines| lines.truncate(1));
    std::fs::remove_file(said.path("run/verified.json")).unwrap();
    said.says("verify run");
    said.is("verify_of_a_model");
}

#[test]
fn resume() {
    let mut said = Transcript::new();
    said.says("resume --help");
    damaged(&mut said);
    for folder in [
        "none", "torn", "altered", "broken", "double", "foreign", "newer", "short", "short",
    ] {
        said.says(&format!("resume {folder}"));
    }
    let manifest = said.read("short/manifest.json");
    let mut value: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    value["plan"]["version"] = 99.into();
    value["plan_digest"] = json!(sim_core::Digest::of(&value["plan"]).unwrap());
    said.file("short/manifest.json", &value.to_string());
    said.says("resume short");
    sweep(&said);
    std::fs::remove_dir_all(said.path(&member(&said, "pricing"))).unwrap();
    said.says("resume sweep");
    play(&said, "held", "sterman", "");
    let held = std::fs::File::open(said.path("held")).unwrap();
    held.lock().unwrap();
    said.says("resume held");
    said.is("resume");
}

/// A run of clients is continued by its server.
#[cfg(feature = "mcp")]
#[test]
fn resume_of_clients() {
    let mut said = Transcript::new();
    said.answers("serve beer-game --record games", "");
    said.says("resume games");
    said.says("verify games");
    said.is("resume_of_clients");
}

#[test]
fn replay() {
    let mut said = Transcript::new();
    said.says("replay --help");
    said.given("run beer-game --agent constant:400 --episodes 1 --set weeks=3 --out run");
    said.says("replay none");
    said.says("replay run --episode 9");
    sweep(&said);
    said.says("replay sweep");
    said.says("replay run");
    said.given("run consulting --preset short --agent ideal --out talks");
    said.says("replay talks --episode 3");
    said.is("replay");
}

#[test]
fn rescore() {
    let mut said = Transcript::new();
    said.says("rescore --help");
    play(&said, "run", "sterman", "");
    said.says("rescore none");
    said.says("rescore run");
    said.is("rescore");
}

#[test]
fn compare() {
    let mut said = Transcript::new();
    said.says("compare --help");
    play(&said, "a", "sterman", "");
    play(&said, "b", "order-up-to", "");
    play(&said, "c", "order-up-to:1775", "");
    play(&said, "half", "sterman", "--shard 0/2");
    play(&said, "third", "sterman", "--shard 0/3");
    play(&said, "rest", "sterman", "--shard 1/2");
    play(&said, "again", "sterman", "--shard 1/2");
    drawn(&said, "other-seed", "sterman", "--episodes 12 --seed 3");
    drawn(&said, "few", "sterman", "--episodes 8 --seed 2");
    drawn(&said, "handful", "sterman", "--episodes 4 --seed 2");
    said.given("run beer-game --agent sterman --out exact");
    said.given("run beer-game --agent order-up-to --out better");
    said.given("run beer-game --agent order-up-to:1800 --out same");
    said.given("run procurement --episodes 3 --agent greedy --out fair");
    said.given("run procurement --episodes 3 --agent optimal --out oracle");
    said.given("run efficiency-equality --agent max-efficiency --episodes 4 --out one-end");
    said.given("run efficiency-equality --agent max-equality --episodes 4 --out other-end");
    for name in ["ideal", "silent"] {
        said.given(&format!(
            "run consulting --preset short --agent {name} --out {name}"
        ));
    }
    for folders in [
        "a",
        "a a",
        "a none",
        "half third",
        "rest again half",
        "a other-seed",
        "a ideal",
        "a b",
        "b a",
        "b c",
        "b few",
        "b handful",
        "exact better",
        "better same",
        "fair oracle",
        "one-end other-end",
        "ideal silent",
    ] {
        said.says(&format!("compare {folders}"));
    }
    sweep(&said);
    said.says("compare sweep");
    let member = member(&said, "beer-game_random_sterman");
    said.file(&format!("{member}/episodes.jsonl"), "");
    said.says("compare sweep");
    said.is("compare");
}

#[test]
fn report() {
    let mut said = Transcript::new();
    said.says("report --help");
    play(&said, "a", "sterman", "");
    play(&said, "b", "order-up-to", "");
    play(&said, "c", "order-up-to:1775", "");
    drawn(&said, "d", "sterman", "--episodes 1 --seed 2");
    drawn(&said, "e", "order-up-to", "--episodes 1 --seed 2");
    play(&said, "half", "sterman", "--shard 0/2");
    play(&said, "third", "sterman", "--shard 0/3");
    said.given("run pricing --preset basic --agent optimal --episodes 20 --out optimal");
    said.given("run efficiency-equality --agent max-efficiency --episodes 4 --out one-end");
    said.given("run efficiency-equality --agent max-equality --episodes 4 --out other-end");
    said.given("run consulting --preset short --agent ideal --out ideal");
    for (name, agent) in [
        ("exact", "order-up-to"),
        ("same", "order-up-to:1800"),
        ("worse", "sterman"),
    ] {
        said.given(&format!("run beer-game --agent {agent} --out {name}"));
    }
    said.file("notes.txt", "mine\n");
    said.says("report none");
    said.says("report a -o notes.txt");
    said.says("report a -o a/episodes.jsonl");
    said.says("report half third");
    sweep(&said);
    let member = member(&said, "beer-game_random_sterman");
    said.file(&format!("{member}/episodes.jsonl"), "");
    for (name, folders) in [
        ("better", "a b"),
        ("alike", "b c"),
        ("equal", "exact same"),
        ("equally-best", "exact same worse"),
        ("few", "d e"),
        ("optimal", "optimal"),
        ("litmus", "one-end other-end"),
        ("mixed", "a ideal"),
        ("shard", "half"),
        ("sweep", "sweep"),
    ] {
        said.says(&format!("report {folders} -o {name}.html"));
        match name {
            "better" => said.page("better.html"),
            _ => said.top_of_page(&format!("{name}.html")),
        }
    }
    said.is("report");
}

#[test]
fn export() {
    let mut said = Transcript::new();
    said.says("export --help");
    damaged(&mut said);
    said.file("notes.txt", "mine\n");
    said.says("export none");
    for folder in [
        "broken",
        "double",
        "short -o notes.txt",
        "short -o short/episodes.jsonl",
    ] {
        said.says(&format!("export {folder}"));
    }
    play(&said, "half", "sterman", "--shard 0/2");
    play(&said, "third", "sterman", "--shard 0/3");
    said.says("export half third");
    said.given("run beer-game --agent constant:400 --episodes 2 --out run");
    said.says("export run");
    said.says("export short -o short.csv");
    said.is("export");
}
