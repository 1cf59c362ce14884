use crate::program::{call, json, names, ok, refused, refused_json, sorted_lines, verifies};
use boardroom::Registry;
use serde_json::Value;

fn random(agent: &str, episodes: u32) -> Value {
    json(&format!(
        "run beer-game --preset random --agent {agent} --episodes {episodes} --seed 7 --json"
    ))
}

fn without_time(mut summary: Value) -> Value {
    let object = summary.as_object_mut().unwrap();
    object.remove("seconds").unwrap();
    object.remove("out").unwrap();
    summary
}

#[test]
fn one_object_with_score_interval_reference_and_metrics() {
    let summary = random("order-up-to", 1000);
    assert_eq!(summary["environment"], "beer-game");
    assert_eq!(
        (&summary["episodes"], &summary["failed"]),
        (&1000.into(), &0.into())
    );
    let mean = summary["score"]["mean"].as_f64().unwrap();
    let [low, high] = [0, 1].map(|i| summary["score"]["ci95"][i].as_f64().unwrap());
    assert!(low < mean && mean < high);
    assert_eq!(summary["reference"]["status"], "bound");
    assert!(summary["reference"]["bound"].as_f64().unwrap() < mean);
    assert!(!summary["metrics"].as_object().unwrap().is_empty());
    assert_eq!(
        without_time(summary),
        without_time(random("order-up-to", 1000))
    );
}

/// Without records policies play without a log; the summary has the same digits.
#[test]
fn without_records_the_summary_is_the_same() {
    for run in [
        "beer-game --preset random --agent random --episodes 40",
        "beer-game --preset classic --agent sterman --episodes 3",
        "edt --agent random --episodes 3",
        "procurement --preset basic --agent random --episodes 5",
        "scheduling --preset basic --agent random --episodes 5",
        "pricing --preset medium --agent random --episodes 3",
        "ceo --agent random --episodes 20",
        "office --agent oracle --episodes 5",
    ] {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("run");
        let kept = json(&format!(
            "run {run} --seed 7 --out {} --json",
            folder.display()
        ));
        let alone = json(&format!("run {run} --seed 7 --no-save --json"));
        assert_eq!(without_time(alone), without_time(kept), "{run}");
    }
}

/// Policies with more information have lower costs, significantly.
#[test]
fn mean_cost_falls_from_random_to_sterman_to_order_up_to() {
    let interval = |agent| {
        let summary = random(agent, 400);
        [0, 1].map(|i| summary["score"]["ci95"][i].as_f64().unwrap())
    };
    let [random, sterman, order_up_to] = ["random", "sterman", "order-up-to"].map(interval);
    assert!(order_up_to[1] < sterman[0], "{order_up_to:?} {sterman:?}");
    assert!(sterman[1] < random[0], "{sterman:?} {random:?}");
}

#[test]
fn a_deterministic_preset_says_so_and_gives_no_interval() {
    let summary = json("run beer-game --preset paper --agent constant:400 --json");
    assert_eq!(summary["deterministic"], true);
    assert_eq!(summary["score"]["ci95"], Value::Null);
    assert_eq!(summary["episodes"], 2, "one for each line-up of opponents");
    let lots = json("run beer-game --preset paper --agent random --episodes 4 --json");
    assert_eq!(lots["deterministic"], false);
}

/// 9,200 is proven for both line-ups of the default preset.
#[test]
fn the_reference_of_the_default_preset_is_proven() {
    let summary = json("run beer-game --agent optimal --json");
    assert_eq!(summary["reference"]["status"], "proven");
    assert_eq!(summary["reference"]["optimum"], 9200.0);
    assert_eq!(summary["score"]["mean"], 9200.0);
    assert_eq!(summary["reference"]["regret"], 0.0);
}

/// Rules that order on goods in transit react to a shipment before it arrives: the bound must allow
/// for it.
#[test]
fn no_play_beats_its_bound_for_any_agent_and_any_information_of_the_others() {
    let start = r#"demand={"kind":"step","low":100,"high":400,"from_week":1}"#;
    let games = [
        (
            "--preset paper --set weeks=5 --set play.controlled=[\"brewery\"] \
             --set opponents=[\"base-stock\"] --set play.largest_order=150",
            "constant:150",
        ),
        (
            "--preset paper-exact --set weeks=6 --set play.controlled=[\"distributor\"] \
             --set board.brewery_self_order=false --set play.largest_order=200",
            "optimal",
        ),
        (
            "--preset classic --set board.initial_inventory=13 \
             --set board.rounding=orders-and-costs",
            "optimal",
        ),
    ];
    for (game, agent) in games {
        let demand = if game.contains("classic") {
            String::new()
        } else {
            format!("--set {start} --set board.initial_inventory=0")
        };
        let summary = json(&format!(
            "run beer-game {game} {demand} --agent {agent} --json"
        ));
        let bound = summary["reference"]["bound"].as_f64().unwrap();
        let least = summary["score"]["mean"].as_f64().unwrap();
        assert!(
            least >= bound - 1e-9,
            "{game}: {least} below the bound {bound}"
        );
    }
}

#[test]
fn steps_follow_as_lines() {
    let out = ok("run beer-game --agent constant:400 --episodes 1 --json --steps");
    let lines: Vec<Value> = out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 1 + 25);
    assert_eq!(lines[1]["period"], 0);
    assert!(lines[25]["action"].is_object() && lines[25]["feedback"].is_object());
}

#[test]
fn one_episode_is_played_by_its_number() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let game = "run beer-game --preset random --agent sterman --seed 3";
    ok(&format!(
        "{game} --episodes 5 --out {}",
        at("all").display()
    ));
    ok(&format!("{game} --episode 4 --out {}", at("one").display()));
    let lines = |name: &str| {
        let text = std::fs::read_to_string(at(name).join("episodes.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines("one"), lines("all")[4..]);
    verifies(at("one").display(), 1);
}

#[test]
fn a_run_is_kept_verified_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let out = out.to_str().unwrap();
    let agent = "--preset random --agent sterman --episodes 20 --seed 3";
    let summary = json(&format!("run beer-game {agent} --json --out {out}"));
    assert_eq!(summary["out"], out);
    verifies(out, 20);
    let text = ok(&format!("replay {out} --episode 7"));
    names(&text, &["week 25", "score "]);
    let again = json(&format!("resume {out} --json"));
    assert_eq!(
        without_time(summary),
        without_time(again),
        "nothing is left to play"
    );
    let twice = refused_json(&["run", "beer-game", "--out", out], 2);
    names(&twice.message, &[out, "boardroom resume"]);
}

#[test]
fn shards_together_are_the_whole_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = "run beer-game --preset random --agent random --episodes 30 --seed 5 --json";
    json(&format!("{run} --out {}", path("whole")));
    let mut parts = Vec::new();
    for i in 0..4 {
        json(&format!(
            "{run} --out {} --shard {i}/4",
            path(&i.to_string())
        ));
        parts.extend(sorted_lines(
            &dir.path().join(i.to_string()).join("episodes.jsonl"),
        ));
    }
    parts.sort();
    assert_eq!(
        parts,
        sorted_lines(&dir.path().join("whole/episodes.jsonl"))
    );
}

#[test]
fn an_instance_is_written_and_played() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("instance.json");
    let file = file.to_str().unwrap();
    ok(&format!(
        "generate beer-game --preset random --seed 9 -o {file}"
    ));
    let from_file = json(&format!(
        "run beer-game --instance {file} --agent order-up-to --json"
    ));
    let drawn =
        json("run beer-game --preset random --seed 9 --episodes 1 --agent order-up-to --json");
    assert_eq!(from_file["score"]["mean"], drawn["score"]["mean"]);
    assert_eq!(from_file["reference"]["bound"], drawn["reference"]["bound"]);

    // An instance of other numbers is none of this program.
    let mut other: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    other["version"] = 99.into();
    std::fs::write(file, other.to_string()).unwrap();
    let words = [
        "run",
        "beer-game",
        "--instance",
        file,
        "--agent",
        "order-up-to",
    ];
    let refused = refused(&words, 2);
    names(&refused, &["version 99", "boardroom generate beer-game"]);
}

/// The name of its file and its digest stand where others have their preset and settings.
#[test]
fn a_run_of_an_instance_is_labelled_with_the_instance() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let file = path("bullwhip.json");
    ok(&format!(
        "generate beer-game --preset random --seed 9 -o {file}"
    ));
    let mut printed = Vec::new();
    for agent in ["order-up-to", "sterman"] {
        let out = path(agent);
        printed.push(json(&format!(
            "run beer-game --instance {file} --agent {agent} --json --out {out}"
        )));
        verifies(&out, 1);
        ok(&format!("resume {out}"));
    }
    let records = std::fs::read_to_string(path("sterman/episodes.jsonl")).unwrap();
    let record: Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    let digest = record["header"]["instance"].as_str().unwrap();
    assert_eq!(record["header"]["config"], digest);
    let label = format!("bullwhip@{}", &digest[..16]);
    for summary in &printed {
        assert_eq!(summary["preset"], label.as_str());
        assert_eq!(summary["instance"], digest);
        assert_eq!(summary["settings"], serde_json::json!({}));
    }
    let runs = format!("{} {}", path("order-up-to"), path("sterman"));
    let table = ok(&format!("export {runs}"));
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[place("preset")], label);
        assert_eq!(cells[place("settings")], &digest[..16]);
    }
    let compared = json(&format!("compare {runs} --json"));
    assert_eq!(
        compared["first"]["name"],
        format!("beer-game {label} order-up-to")
    );
    assert_eq!(compared["others"][0]["preset"], label.as_str());
    assert_eq!(compared["others"][0]["instance"], digest);

    let both = [
        "run",
        "beer-game",
        "--instance",
        &file,
        "--preset",
        "random",
    ];
    names(&refused(&both, 2), &["--preset", "--set"]);
    // The label of a plan is checked with the rest of it.
    let manifest = dir.path().join("sterman/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace(&label, "paper@0123456789abcdef")).unwrap();
    let verified = call(&["verify", &path("sterman")]);
    assert_eq!(verified.code, 1, "{}{}", verified.out, verified.err);
}

/// With several seats, each step says what its week brought the seat; in the record the same is computed
/// again.
#[test]
fn every_seat_of_a_table_shows_what_its_period_brought() {
    for (line, seats, field) in [
        (
            "beer-game --preset classic --agent constant:4",
            4,
            "inventory",
        ),
        ("collusion --agent match-rival", 2, "quantity"),
        (
            "collusion --preset monopoly --agent monopoly",
            1,
            "quantity",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run").display().to_string();
        let printed = ok(&format!(
            "run {line} --episodes 1 --json --steps --out {out}"
        ));
        let steps: Vec<Value> = printed
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(steps.len() > 30 && steps.len().is_multiple_of(seats));
        for step in &steps {
            assert!(step["outcome"][field].is_number(), "{line}: {step}");
        }
        let first = &steps[0]["outcome"];
        let told = ok(&format!("replay {out}"));
        let seat = steps[0]["seat"].as_str().unwrap();
        names(
            &told,
            &[format!("{seat} in "), format!("{field} {}", first[field])],
        );
    }
    // A single seat is told it by the feedback.
    let alone = ok("run beer-game --agent constant:400 --episodes 1 --json --steps");
    let step: Value = serde_json::from_str(alone.lines().nth(1).unwrap()).unwrap();
    assert!(step["feedback"]["outcome"].is_object() && step.get("outcome").is_none());
}

#[test]
fn everything_is_listed_and_described() {
    let list = json("list --json");
    let names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|k| k["environment"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"beer-game"));
    let text = ok("list");
    for name in names {
        assert!(text.contains(name));
        let about = ok(&format!("describe {name}"));
        for part in [
            "AS AN AGENT IS TOLD",
            "TOOLS",
            "SETTINGS",
            "PRESETS",
            "POLICIES",
        ] {
            assert!(about.contains(part), "{name}: {part}");
        }
    }
    // A setting that is not written at its default, the fields of a choice, and a list.
    for (name, part) in [
        ("beer-game", "\n  disclosure (full, paper): "),
        ("edt", "\n  template.drawn.projects ("),
        ("collusion", " values, each "),
    ] {
        let about = ok(&format!("describe {name}"));
        assert!(about.contains(part), "{name}: {part}");
    }
}

/// Comments of the code are the texts of settings and of files; those who read them there write JSON.
#[test]
fn descriptions_have_no_rust_in_them() {
    let schemas = [
        "cases schema",
        "route schema policy",
        "route schema experience",
    ];
    let mut texts: Vec<String> = schemas.iter().map(|command| ok(command)).collect();
    texts.push(ok("describe method"));
    for kind in Registry::new().kinds() {
        texts.push(ok(&format!("describe {}", kind.name())));
        texts.push(serde_json::to_string_pretty(&kind.config_schema()).unwrap());
    }
    let rust = ["[`", "`]", "::", "..=", "```"];
    let lines = texts.iter().flat_map(|text| text.lines());
    let found: Vec<&str> = lines
        .filter(|line| rust.iter().any(|rust| line.contains(rust)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
