//! What scores are measured against: searches, best known values, plays by own information, ratios,
//! and the difficulty of presets.

use crate::program::{json, names, ok, refused, verifies};
use run_engine::words::fine;
use serde_json::Value;
use std::path::Path;

fn in_dir(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().unwrap().to_owned()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// With the same effort, the oracle plays the plan of the reference; the folder verifies.
#[test]
fn optimal_plays_the_plan_of_the_search() {
    let dir = tempfile::tempdir().unwrap();
    let out = in_dir(dir.path(), "run");
    let summary = json(&format!(
        "run beer-game --preset random --set weeks=10 --agent optimal --episodes 4 --seed 3 \
         --reference search --out {out} --json"
    ));
    assert_eq!(summary["reference"]["regret"], 0.0);
    assert_eq!(summary["reference"]["optimum"], summary["score"]["mean"]);
    verifies(&out, 4);
}

/// The plan of the long search for the game of the next test: it costs 5,000, which is the bound. That of
/// the short search costs 5,027.
const BETTER: [u32; 25] = [
    81, 111, 232, 3, 2245, 0, 56, 32, 140, 0, 0, 5, 226, 190, 352, 0, 360, 210, 595, 28, 244, 555,
    0, 180, 341,
];

#[test]
fn a_better_play_becomes_the_best_known_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let [script, better, other] =
        ["script.jsonl", "better", "other"].map(|name| in_dir(dir.path(), name));
    let lines = BETTER.map(|units| format!("{{\"quantity\":{units}}}\n"));
    std::fs::write(&script, lines.concat()).unwrap();
    let run = |agent: &str, out: &str| {
        format!(
            "run beer-game --preset random --set opponents=[\"smoothing-4\"] \
             --set demand={{\"kind\":\"step\",\"low\":100,\"high\":274,\"from_week\":6}} \
             --agent {agent} --out {out}"
        )
    };
    let found = json(&format!(
        "{} --json",
        run(&format!("script:{script}"), &better)
    ));
    let reference = &found["reference"];
    assert_eq!(reference["status"], "best-known");
    assert_eq!(
        (&reference["raised"], &reference["regret"]),
        (&1.into(), &0.0.into())
    );
    assert_eq!(
        (&reference["optimum"], &found["score"]["mean"]),
        (&5000.0.into(), &5000.0.into())
    );
    let said = ok(&format!("resume {better}"));
    names(&said, &["best known raised by this run in 1 instance"]);
    // What is stored does not change, so the other commands hold.
    verifies(&better, 1);
    names(
        &ok(&format!("rescore {better}")),
        &["changed 0, unfinished 0"],
    );
    // In a report the other agents of the task are measured by it too.
    let alone = json(&format!("{} --json", run("order-up-to", &other)));
    let page = in_dir(dir.path(), "report.html");
    ok(&format!("report {better} {other} -o {page}"));
    let page = std::fs::read_to_string(page).unwrap();
    let regret = number(&alone["score"]["mean"]) - number(&reference["optimum"]);
    assert!(regret > number(&alone["reference"]["regret"]));
    names(&page, &["best known raised by this run", &fine(regret)]);
}

/// The two parts of the distance from a bound that knows the future.
#[test]
fn own_information_splits_the_regret() {
    let run = |more: &str| format!("run beer-game --preset random --episodes 30 --seed 11 {more}");
    let best = json(&run("--agent prepared --json"));
    let reference = &best["reference"];
    assert_eq!(reference["own_information"], best["score"]["mean"]);
    assert_eq!(reference["regret_of_decisions"], 0.0);
    // The oracle uses more than what its seat sees.
    let oracle = json(&run("--agent optimal --json"));
    assert_eq!(oracle["oracle"], true);
    assert!(oracle["reference"]["price_of_information"].is_number());
    assert_eq!(oracle["reference"].get("regret_of_decisions"), None);
    assert!(!ok(&run("--agent optimal")).contains("regret of the decisions"));
    let other = json(&run("--agent sterman --json"));
    let reference = &other["reference"];
    let [regret, price, decisions] = ["regret", "price_of_information", "regret_of_decisions"]
        .map(|key| number(&reference[key]));
    assert!(price > 0.0 && decisions > 0.0);
    assert!((regret - price - decisions).abs() < 1e-6 * regret);
    names(
        &ok(&run("--agent sterman --metrics")),
        &[
            "own info",
            "price of information",
            "regret of the decisions",
        ],
    );
    let firm =
        json("run edt --set risk_mode=\"bernoulli-once\" --agent expected --episodes 20 --json");
    assert_eq!(firm["reference"]["own_information"], firm["score"]["mean"]);
    assert!(number(&firm["reference"]["price_of_information"]) > 0.0);
    // Nothing is drawn: nothing is hidden that has a price.
    let paper = json("run beer-game --agent sterman --json");
    assert_eq!(paper["reference"].get("own_information"), None);
}

/// The measure of the paper on unknown markets, in every output.
#[test]
fn procurement_shows_ratio_and_solved() {
    let dir = tempfile::tempdir().unwrap();
    let out = in_dir(dir.path(), "run");
    let summary = json(&format!(
        "run procurement --preset basic --suite paper --agent optimal --out {out} --json"
    ));
    for name in ["ratio", "solved"] {
        assert!(
            (number(&summary["metrics"][name]["mean"]) - 1.0).abs() < 1e-9,
            "{name}"
        );
    }
    names(&ok(&format!("resume {out} --metrics")), &["12 of 12"]);
    let table = ok(&format!("export {out}"));
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let at = header.iter().position(|name| *name == "solved").unwrap();
    assert!(header.contains(&"ratio"));
    assert_eq!(rows.filter(|row| row[at] == "1").count(), 12);
    let page = in_dir(dir.path(), "report.html");
    ok(&format!("report {out} -o {page}"));
    names(&std::fs::read_to_string(page).unwrap(), &["1 (12 of 12)"]);
}

/// A search that found too little: the ratio is measured by what the run reached, as the regret is.
#[test]
fn ratio_and_regret_use_the_raised_best_known_value() {
    let dir = tempfile::tempdir().unwrap();
    let runs = ["basic", "medium"].map(|preset| {
        let out = in_dir(dir.path(), preset);
        ok(&format!(
            "run procurement --preset {preset} --suite paper --agent optimal --reference search --out {out}"
        ));
        let file = Path::new(&out).join("references.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let optimum = number(&line["reference"]["optimum"]);
            line["reference"]["optimum"] = (optimum * 0.8).into();
            line["reference"]["status"] = "best-known".into();
            format!("{line}\n")
        });
        let text: String = lines.collect();
        std::fs::write(&file, text).unwrap();
        let summary = json(&format!("resume {out} --json"));
        assert_eq!(summary["reference"]["raised"], 12);
        assert_eq!(summary["reference"]["regret"], 0.0);
        for name in ["ratio", "solved"] {
            assert_eq!(summary["metrics"][name]["mean"], 1.0, "{name}");
        }
        out
    });
    let [basic, medium] = &runs;
    let compared = json(&format!("compare {basic} {medium} --across-presets --json"));
    for level in compared["agents"][0]["levels"].as_array().unwrap() {
        assert_eq!(level["mean"], 1.0);
    }
    let table = ok(&format!("export {basic}"));
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let at = header.iter().position(|name| *name == "ratio").unwrap();
    assert!(rows.all(|row| row[at] == "1"), "{table}");
}

#[test]
fn presets_are_compared_and_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let play = |preset: &str, agent: &str| {
        let out = in_dir(dir.path(), &format!("{preset}-{agent}"));
        ok(&format!(
            "run procurement --preset {preset} --suite paper --agent {agent} --out {out}"
        ));
        out
    };
    let [basic, medium] = ["basic", "medium"].map(|preset| play(preset, "random"));
    let figure = in_dir(dir.path(), "levels.svg");
    // The order of the folders does not matter: presets stand as `describe` lists them.
    let compare = format!("compare {medium} {basic} --across-presets --figure {figure}");
    let found = json(&format!("{compare} --json"));
    assert_eq!(found["measure"], "ratio");
    assert_eq!(found["presets"], serde_json::json!(["basic", "medium"]));
    let [agent] = found["agents"].as_array().unwrap().as_slice() else {
        panic!("one agent: {found}");
    };
    let test = &agent["tests"][0];
    let means = [0, 1].map(|place| number(&agent["levels"][place]["mean"]));
    assert!((number(&test["difference"]) - (means[0] - means[1])).abs() < 1e-12);
    assert!(means[0] > means[1] && number(&test["p"]) < 0.05);
    assert_eq!(test["is_harder"], true);
    let runs = agent["levels"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 12);
    assert!(
        runs.iter()
            .all(|run| number(&run["exploration_rate"]) > 0.0)
    );
    let svg = std::fs::read_to_string(&figure).unwrap();
    // A point for each of 24 episodes in both panels.
    assert_eq!(svg.matches("<circle").count(), 48);
    names(&svg, &["exploration rate", "basic", "medium"]);
    // The figure may be drawn again, and the text says the same.
    names(
        &ok(&compare),
        &["basic - medium", "Welch", "medium is harder"],
    );
    refused(&["compare", &basic, "--across-presets"], 2);
    refused(&["compare", &basic, &medium, "--figure", &figure], 2);
}

/// The means of the table in `docs/edt.md`, apart from those of the long search (`optimal`).
#[test]
fn the_page_of_the_firm_says_what_its_policies_earn() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/edt.md");
    let page = std::fs::read_to_string(page).unwrap();
    let columns = [
        "--set risk_mode=bernoulli-repeat",
        "--preset small",
        "--preset large",
    ];
    for policy in ["random", "template", "simple", "local-search"] {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{policy}` |")))
            .unwrap();
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        for (cell, settings) in cells[3..].iter().zip(columns) {
            let summary = json(&format!(
                "run edt --agent {policy} --episodes 10 --seed 1 {settings} --no-save --json"
            ));
            let printed: f64 = cell.replace(',', "").parse().unwrap();
            let mean = number(&summary["score"]["mean"]);
            assert_eq!(printed, mean, "{policy} {settings}");
        }
    }
}
