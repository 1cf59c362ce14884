//! Commands over finished run folders.

use crate::program::{Refusal, call, json, names, ok, refused, refused_json};
use serde_json::Value;
use std::path::Path;

/// Plays `agent` on 40 drawn games into `dir/name`.
fn play(dir: &Path, name: &str, agent: &str, more: &str) -> String {
    let out = dir.join(name).to_str().unwrap().to_owned();
    let run = "run beer-game --preset random --episodes 40 --seed 2 --json";
    json(&format!("{run} --agent {agent} --out {out} {more}"));
    out
}

#[test]
fn runs_are_compared_instance_by_instance() {
    let dir = tempfile::tempdir().unwrap();
    let sterman = play(dir.path(), "a", "sterman", "");
    let good = play(dir.path(), "b", "order-up-to", "");
    let compared = json(&format!("compare {sterman} {good} --json"));
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["verdict"]),
        (&40.into(), &"better".into())
    );
    let difference = other["difference"].as_f64().unwrap();
    let means = [&compared["first"], other].map(|side| side["mean"].as_f64().unwrap());
    assert!(
        (difference - (means[1] - means[0])).abs() < 1e-6,
        "{difference} {means:?}"
    );
    let [low, high] = [0, 1].map(|i| other["ci95"][i].as_f64().unwrap());
    assert!(low < difference && difference < high && high < 0.0);
    let reversed = json(&format!("compare {good} {sterman} --json"));
    let other = &reversed["others"][0];
    let verdict = [&other["agent"], &other["verdict"], &other["better"]];
    assert_eq!(verdict, ["sterman", "worse", "order-up-to"]);
}

#[test]
fn what_cannot_be_told_apart_is_said_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let one = play(dir.path(), "a", "order-up-to", "");
    let other = play(dir.path(), "b", "order-up-to:1775", "");
    let compared = json(&format!("compare {one} {other} --json"));
    let side = &compared["others"][0];
    assert_eq!(
        (&side["difference"], &side["shared_instances"]),
        (&0.0.into(), &40.into())
    );
    assert_eq!(side["verdict"], "not distinguishable");
}

/// On a fixed list of instances nothing is drawn, so a difference has no interval.
#[test]
fn deterministic_runs_differ_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, agent: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        json(&format!(
            "run beer-game --preset classic --agent {agent} --json --out {out}"
        ));
        out
    };
    let (one, other) = (run("a", "sterman"), run("b", "order-up-to"));
    let compared = json(&format!("compare {one} {other} --json"));
    let side = &compared["others"][0];
    assert_eq!(
        (&side["deterministic"], &side["ci95"]),
        (&true.into(), &Value::Null)
    );
    assert_eq!(
        (&side["verdict"], &side["better"]),
        (&"better".into(), &"order-up-to".into())
    );
    let lots = run("c", "random");
    let compared = json(&format!("compare {one} {lots} --json"));
    assert_eq!(compared["others"][0]["deterministic"], false);
}

/// The report shows the intervals of `compare --json`, and loads nothing from other files or the
/// network.
#[test]
fn the_report_agrees_with_compare_and_needs_no_network() {
    let dir = tempfile::tempdir().unwrap();
    let sterman = play(dir.path(), "a", "sterman", "");
    let good = play(dir.path(), "b", "order-up-to", "");
    let file = dir.path().join("report.html");
    ok(&format!("report {sterman} {good} -o {}", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    let compared = json(&format!("compare {good} {sterman} --json"));
    let other = &compared["others"][0];
    let shown = |value: &Value| run_engine::words::fine(value.as_f64().unwrap());
    let verdict = format!(
        "{} ({} to {})",
        shown(&other["difference"]),
        shown(&other["ci95"][0]),
        shown(&other["ci95"][1])
    );
    assert!(page.contains(&verdict), "{verdict}");
    // The two runs compared, and the plots of the best episode.
    assert!(page.matches("<svg").count() > 3);
    names(&page, &["order-up-to", "week 25"]);
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let places = page.matches(outside).count();
        let names = page.matches("http://www.w3.org/2000/svg").count();
        assert!(
            places == 0 || (outside == "http://" && places == names),
            "{outside}"
        );
    }
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    names(&refused(&["report", empty], 2), &[empty, "run folder"]);
}

#[test]
fn shards_count_as_one_run_and_a_plan_played_twice_as_two() {
    let dir = tempfile::tempdir().unwrap();
    let whole = play(dir.path(), "whole", "order-up-to", "");
    let parts: Vec<String> = (0..2)
        .map(|i| {
            play(
                dir.path(),
                &format!("s{i}"),
                "sterman",
                &format!("--shard {i}/2"),
            )
        })
        .collect();
    let compared = json(&format!("compare {whole} {} {} --json", parts[0], parts[1]));
    assert_eq!(compared["others"].as_array().unwrap().len(), 1);
    assert_eq!(compared["others"][0]["episodes"], 40);
    let again = play(dir.path(), "again", "sterman", "--shard 1/2");
    let compared = json(&format!("compare {} {again} --json", parts[1]));
    assert_eq!(compared["first"]["agent"], "sterman (s1)");
    assert_eq!(compared["others"][0]["agent"], "sterman (again)");
    let refused = |dirs: &[&str]| refused_json(&[&["compare"], dirs].concat(), 2);
    let usage = |refusal: Refusal, facts: &[&str]| {
        assert_eq!(refusal.kind, "usage", "{refusal:?}");
        names(&refusal.message, facts);
    };
    usage(refused(&[&parts[1], &again, &parts[0]]), &[&parts[0]]);
    usage(refused(&[&whole, &again, &whole]), &[&whole, "twice"]);
    usage(refused(&[&whole]), &["two runs"]);
}

#[test]
fn rescoring_todays_records_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = play(dir.path(), "a", "sterman", "");
    let rescored = json(&format!("rescore {run} --json"));
    assert_eq!(
        (&rescored["changed"], &rescored["unfinished"]),
        (&0.into(), &0.into())
    );
    assert_eq!(rescored["stored_mean"], rescored["present_mean"]);
    assert_eq!(rescored["episodes"], 40);
}

#[test]
fn the_table_has_a_row_an_episode_and_a_column_a_metric() {
    let dir = tempfile::tempdir().unwrap();
    let run = play(dir.path(), "a", "sterman", "");
    let table = ok(&format!("export {run}"));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 41);
    let head: Vec<&str> = rows[0].split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let summary: Value = json(&format!("resume {run} --json"));
    let mean = rows[1..]
        .iter()
        .map(|row| {
            row.split(',')
                .nth(column("score"))
                .unwrap()
                .parse::<f64>()
                .unwrap()
        })
        .sum::<f64>()
        / 40.0;
    assert!((mean - summary["score"]["mean"].as_f64().unwrap()).abs() < 1e-6);
    assert!(column("chain_cost") > column("score"));
    for row in &rows[1..] {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |name: &str| cells[column(name)].parse::<f64>().ok();
        let against = number("optimum").or(number("bound")).unwrap();
        let lost = number("score").unwrap() - against;
        assert!((number("regret").unwrap() - lost).abs() < 1e-9, "{row}");
        let known = ["proven", "bound", "best-known"];
        assert!(known.contains(&cells[column("reference")]), "{row}");
    }
    let file = dir.path().join("table.csv");
    ok(&format!("export {run} -o {}", file.display()));
    assert_eq!(std::fs::read_to_string(file).unwrap(), table);
}

/// Runs with the same name are told apart by the settings that differ; runs of the same plan by
/// folder.
#[test]
fn runs_of_one_name_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, more: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        json(&format!(
            "run beer-game --preset random --agent random --episodes 8 --json --out {out} {more}"
        ));
        out
    };
    let (a, b) = (run("a", "--seed 4"), run("b", "--seed 4"));
    let file = dir.path().join("report.html");
    ok(&format!("report {a} {b} -o {}", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    names(&page, &["random (a)", "random (b)"]);
    let other = run("c", "--seed 5");
    let why = refused(&["compare", &a, &other], 2);
    names(&why, &["random (seed 4)", "random (seed 5)"]);
    let costly = run("d", "--seed 4 --set cost.backlog=3.0");
    ok(&format!("report {a} {costly} -o {}", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    names(&page, &["cost.backlog = 3.0"]);
}

#[test]
fn what_is_left_out_is_said_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let many = play(dir.path(), "many", "order-up-to", "");
    let few = dir.path().join("few").to_str().unwrap().to_owned();
    let run = "run beer-game --preset random --episodes 30 --seed 2 --json";
    json(&format!("{run} --agent sterman --out {few}"));
    let compared = json(&format!("compare {many} {few} --json"));
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["only_first"]),
        (&30.into(), &10.into())
    );
    assert_eq!(other["better"], "order-up-to");
    // A narrow interval over few instances is not evidence.
    let handful = dir.path().join("handful").to_str().unwrap().to_owned();
    let run = "run beer-game --preset random --episodes 4 --seed 2 --json";
    json(&format!("{run} --agent sterman --out {handful}"));
    let compared = json(&format!("compare {many} {handful} --json"));
    let few_shared = &compared["others"][0];
    assert_eq!(
        (&few_shared["shared"], &few_shared["verdict"]),
        (&4.into(), &"not distinguishable".into())
    );
    let why = other["left_out"].as_str().unwrap();
    names(
        why,
        &["order-up-to", "40 episodes", "sterman", "30 episodes"],
    );
}

/// A litmus test gives no ranking, in every output that shows its scores.
#[test]
fn where_neither_end_is_better_nobody_is() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        let line = format!("run efficiency-equality --agent {name} --episodes 8 --out {out}");
        let text = ok(&line);
        assert!(!text.contains("higher is better") && !text.contains("lower is better"));
        out
    };
    let (one, other) = (run("max-efficiency"), run("max-equality"));
    let compared = json(&format!("compare {one} {other} --json"));
    let side = &compared["others"][0];
    assert_eq!(
        (&compared["sense"], &side["better"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(side["verdict"], "lower");
    let file = dir.path().join("report.html");
    ok(&format!("report {one} {other} -o {}", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(!page.contains("is best") && !page.contains("best episode"));
    for line in ["list --json", "run patience --episodes 1 --json"] {
        let printed = json(line);
        let all = printed
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![printed.clone()]);
        let litmus = |kind: &&Value| kind["environment"] == "patience";
        assert_eq!(
            all.iter().find(litmus).unwrap()["sense"],
            Value::Null,
            "{line}"
        );
    }
}

/// The members of a sweep are compared task by task; a command that takes a run lists the runs of
/// the sweep.
#[test]
fn a_sweep_is_compared_by_task_and_replayed_by_member() {
    let dir = tempfile::tempdir().unwrap();
    let plan = dir.path().join("plan.toml");
    let text = "episodes = 8\n[[runs]]\nenvironment = \"beer-game\"\n\
                presets = [\"random\", \"stationary\"]\nagents = [\"sterman\", \"order-up-to\"]\n\
                [[runs]]\nenvironment = \"pricing\"\nagents = [\"cost-plus\"]\n";
    std::fs::write(&plan, text).unwrap();
    let sweep = dir.path().join("sweep").to_str().unwrap().to_owned();
    ok(&format!("run --plan {} --out {sweep}", plan.display()));
    let called = crate::program::call(&["compare", &sweep, "--json"]);
    assert_eq!(called.code, 0, "{}", called.err);
    assert_eq!(called.out.lines().count(), 2, "{}", called.out);
    for line in called.out.lines() {
        let compared: Value = serde_json::from_str(line).unwrap();
        assert_eq!(compared["others"].as_array().unwrap().len(), 1);
    }
    names(&called.err, &["pricing basic cost-plus"]);
    // A member without records does not stop the others.
    let of_sterman = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("beer-game_random_sterman").then_some(path)
    };
    let member = std::fs::read_dir(&sweep).unwrap().find_map(of_sterman);
    let records = member.unwrap().join("episodes.jsonl");
    let kept = std::fs::read(&records).unwrap();
    std::fs::write(&records, "").unwrap();
    let called = crate::program::call(&["compare", &sweep, "--json"]);
    assert_eq!(
        (called.code, called.out.lines().count()),
        (0, 1),
        "{}",
        called.err
    );
    names(
        &called.err,
        &["beer-game random sterman", "beer-game random order-up-to"],
    );
    assert_eq!(called.err.lines().count(), 4, "{}", called.err);
    names(&called.err, &["8 of 8 episodes"]);
    std::fs::write(&records, kept).unwrap();
    let message = refused(&["replay", &sweep], 2);
    names(&message, &["sweep", "beer-game_random_"]);
    let file = dir.path().join("report.html");
    ok(&format!("report {sweep} -o {}", file.display()));
    names(&std::fs::read_to_string(&file).unwrap(), &["3 tasks"]);
}

/// A command that cannot start leaves no folder behind.
#[test]
fn a_run_that_could_not_begin_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let path = out.to_str().unwrap();
    let keyless = |words: &[&str], base: &str| {
        let mut command = crate::program::boardroom(words);
        command
            .env_remove("OPENAI_API_KEY")
            .env_remove("OPENAI_BASE_URL");
        if !base.is_empty() {
            command
                .env("OPENAI_BASE_URL", base)
                .env("OPENAI_API_KEY", "none");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!out.exists(), "{words:?}");
    };
    let model = ["--agent", "openai:some-model", "--out", path];
    for base in ["", "no address"] {
        for run in ["beer-game", "consulting"] {
            keyless(&[&["run", run][..], &model[..]].concat(), base);
        }
    }
    ok(&format!("run beer-game --episodes 1 --out {path}"));
}

/// The remark on one game of a person names the command that continues it, and uses the singular.
#[test]
fn an_unfinished_game_of_a_person_goes_on_with_play() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    // Without input, the game is left at once.
    assert_eq!(call(&["play", "beer-game", "--out", &out]).code, 130);
    let called = call(&["verify", &out]);
    assert_eq!(called.code, 0);
    let again = "`boardroom play beer-game --preset paper --seed 0 --out";
    names(&called.err, &["1 episode ", again]);
    let text = ok("run beer-game --agent sterman --episodes 1");
    names(&text, &["1 episode of seed 0"]);
}

/// Parts of two divisions of one run share episodes: they are refused, so no episode counts twice.
#[test]
fn overlapping_shards_are_refused_with_both_folders() {
    let dir = tempfile::tempdir().unwrap();
    let half = play(dir.path(), "half", "sterman", "--shard 0/2");
    let third = play(dir.path(), "third", "sterman", "--shard 0/3");
    let file = dir.path().join("report.html");
    let page = ["report", &half, &third, "-o", file.to_str().unwrap()];
    for words in [
        &["export", &half, &third][..],
        &["compare", &half, &third],
        &page,
    ] {
        let message = refused(words, 2);
        names(&message, &["half (shard 0 of 2)", "third (shard 0 of 3)"]);
    }
    assert!(!file.exists());
    // Parts of different size without common episodes are one run.
    for shard in ["1/4", "3/4"] {
        let name = shard.replace('/', "of");
        play(dir.path(), &name, "sterman", &format!("--shard {shard}"));
    }
    let parts = ["1of4", "3of4"].map(|name| dir.path().join(name).display().to_string());
    let called = crate::program::call(&["export", &half, &parts[0], &parts[1]]);
    assert_eq!((called.code, called.out.lines().count()), (0, 41));
    assert_eq!(called.err, "");
    let interviews = |name: &str, shard: &str| {
        let out = dir.path().join(name).to_str().unwrap().to_owned();
        ok(&format!(
            "run consulting --preset short --episodes 4 --agent ideal --shard {shard} --out {out}"
        ));
        out
    };
    let (half, third) = (interviews("i2", "0/2"), interviews("i3", "0/3"));
    let message = refused(&["export", &half, &third], 2);
    names(&message, &["i2 (shard 0 of 2)", "i3 (shard 0 of 3)"]);
}

/// A page or a table over a part of a run says so, and names the command for the rest.
#[test]
fn what_is_unfinished_is_said_on_page_and_beside_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let whole = play(dir.path(), "whole", "order-up-to", "");
    let file = dir.path().join("report.html");
    let file = file.to_str().unwrap();
    let said = |run: &str| {
        let called = crate::program::call(&["report", run, "-o", file]);
        assert_eq!(called.code, 0, "{}", called.err);
        let exported = crate::program::call(&["export", run]);
        assert_eq!((exported.code, &exported.err), (0, &called.err));
        let page = std::fs::read_to_string(file).unwrap();
        // The page escapes slashes.
        let page = page.replace("&#x2f;", "/");
        for line in called.err.lines() {
            let shown = page.find(line);
            assert!(shown.unwrap() < page.find("<ul>").unwrap(), "{line}");
        }
        called.err
    };
    assert_eq!(said(&whole), "");
    let records = Path::new(&whole).join("episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    let kept: String = text.lines().take(37).map(|l| format!("{l}\n")).collect();
    std::fs::write(&records, kept).unwrap();
    names(&said(&whole), &["3 of 40 episodes", "`boardroom resume"]);
    let shard = play(dir.path(), "shard", "sterman", "--shard 0/2");
    names(&said(&shard), &["shard 0 of 2", "20 of 40 episodes"]);
    let plan = dir.path().join("plan.toml");
    let text = "episodes = 4\n[[runs]]\nenvironment = \"beer-game\"\n\
                agents = [\"sterman\", \"order-up-to\"]\n";
    std::fs::write(&plan, text).unwrap();
    let sweep = dir.path().join("sweep").to_str().unwrap().to_owned();
    ok(&format!("run --plan {} --out {sweep}", plan.display()));
    assert_eq!(said(&sweep), "");
    let mut runs: Vec<_> = std::fs::read_dir(&sweep)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    runs.sort();
    std::fs::remove_dir_all(&runs[0]).unwrap();
    names(&said(&sweep), &["1 run ", "beer-game_"]);
    ok(&format!("resume {sweep}"));
    assert_eq!(said(&sweep), "");
}
