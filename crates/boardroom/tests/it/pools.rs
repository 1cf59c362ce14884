//! Agents compared and ranked over all seeds at once.

use crate::prepared::{manifest, members, plan_file, played, sweep};
use crate::program::{call, json, names, ok, refused};
use serde_json::Value;
use sim_core::stats::{cluster_mean, mean, mean_interval, paired_difference};
use sim_core::{ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const PLAN: &str = r#"
seeds = [1, 2, 3]
episodes = 4

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["sterman", "order-up-to"]

[[runs]]
environment = "pricing"
presets = ["basic"]
agents = ["cost-plus", "hold-first-price"]
"#;

/// The comparisons that `compare --json` prints for these folders.
fn compared(dirs: &[&str]) -> Vec<Value> {
    let called = call(&[&["compare"], dirs, &["--json"]].concat());
    assert_eq!((called.code, called.err.as_str()), (0, ""));
    let lines = called.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn page(dirs: &[&str], file: &Path) -> String {
    let file = file.to_str().unwrap();
    let called = call(&[&["report"], dirs, &["-o", file]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    std::fs::read_to_string(file).unwrap()
}

/// Instance and score of every record of an agent, by seed and episode.
fn scores(sweep: &str, start: &str) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    for path in members(sweep, start) {
        let text = std::fs::read_to_string(path.join("episodes.jsonl")).unwrap();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let header = &record["header"];
            let place = [&header["seed"], &header["episode"]].map(|n| n.as_u64().unwrap());
            let instance = header["instance"].as_str().unwrap().to_owned();
            all.push((place, instance, record["score"]["value"].as_f64().unwrap()));
        }
    }
    all.sort_by_key(|(place, ..)| *place);
    all.into_iter()
        .map(|(_, instance, value)| (instance, value))
        .collect()
}

fn near(a: &Value, b: f64) -> bool {
    (a.as_f64().unwrap() - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// The section of a task in a report.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let mut sections = page.split("<section>").skip(1);
    sections.find(|section| section.contains(title)).unwrap()
}

/// Twelve runs of two tasks give two comparisons and two rankings of two agents, over every
/// instance that was played; page, comparison and a count by hand agree.
#[test]
fn a_sweep_over_seeds_is_compared_agent_by_agent() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = sweep(dir.path(), "sweep", PLAN, "");
    let tasks = compared(&[&sweep]);
    assert_eq!(tasks.len(), 2);
    let page = page(&[&sweep], &dir.path().join("report.html"));
    names(&page, &["2 tasks", "4 agents", "48 episodes"]);
    for (task, names) in tasks.iter().zip([
        ["beer-game_random_sterman", "beer-game_random_order-up-to"],
        ["pricing_basic_cost-plus", "pricing_basic_hold-first-price"],
    ]) {
        let [first, other] = [&task["first"], &task["others"][0]];
        assert_eq!(task["others"].as_array().unwrap().len(), 1);
        let played = names.map(|name| scores(&sweep, name));
        for (side, played) in [first, other].into_iter().zip(&played) {
            assert_eq!(side["seeds"], serde_json::json!([1, 2, 3]));
            for count in ["episodes", "instances", "distinct"] {
                assert_eq!(side[count], 12, "{count}");
            }
            let values: Vec<f64> = played.iter().map(|(_, value)| *value).collect();
            assert!(near(&side["mean"], mean(&values).unwrap()));
            let agent = side["agent"].as_str().unwrap();
            let interval = mean_interval(&values, 0.95, Seed(1).child("interval", 0)).unwrap();
            let row = format!(
                "data-low=\"{}\" data-high=\"{}\"",
                interval.low, interval.high
            );
            assert!(page.contains(&row), "{agent}: {row}");
            assert_eq!(
                side["mean_ci95"],
                serde_json::json!([interval.low, interval.high])
            );
            assert_eq!(
                (&side["preset"], &side["suite"], &side["settings"]),
                (
                    &names[0].split('_').nth(1).unwrap().into(),
                    &Value::Null,
                    &serde_json::json!({})
                )
            );
        }
        let seed = Seed(0).child("compare", 0);
        let naive = paired_difference(&played[1], &played[0], 0.95, seed).unwrap();
        assert_eq!(
            (&other["shared"], &other["shared_instances"]),
            (&12.into(), &12.into())
        );
        assert!(near(&other["difference"], naive.mean));
        let interval = naive.interval.unwrap();
        assert!(near(&other["ci95"][0], interval.low) && near(&other["ci95"][1], interval.high));
        let title = format!("{} · ", task["environment"].as_str().unwrap());
        let section = section(&page, &title);
        assert_eq!(section.matches("<tr data-agent=").count(), 2);
        assert_eq!(section.matches(">12 over 3 seeds</td>").count(), 2);
        assert!(section.contains(">seed "), "the best episode says its seed");
    }
    // The page lists the better agent first; its difference is that of `compare` with the sign
    // reversed.
    let first = &tasks[0];
    assert_eq!(first["first"]["agent"], "sterman", "the first of the plan");
    assert_eq!(first["others"][0]["verdict"], "better");
    let mut turned = members(&sweep, "beer-game_random_order-up-to");
    turned.extend(members(&sweep, "beer-game_random_sterman"));
    let turned: Vec<&str> = turned.iter().map(|path| path.to_str().unwrap()).collect();
    let turned = compared(&turned);
    assert_eq!(turned[0]["others"][0]["verdict"], "worse");
    let ci95 = &turned[0]["others"][0]["ci95"];
    let row = format!("data-low=\"{}\" data-high=\"{}\"", ci95[0], ci95[1]);
    assert!(section(&page, "beer-game · ").contains(&row), "{row}");
    let text = ok(&format!("compare {sweep}"));
    let counted = |fact: &str| text.matches(fact).count();
    assert_eq!(counted("12 episodes over 3 seeds"), 4, "{text}");
    assert_eq!(counted("not verified"), 4, "{text}");
    assert_eq!(counted("12 shared instances"), 2, "{text}");
}

/// The shards of a sweep, and its members listed one by one, are the same agents over the same
/// seeds.
#[test]
fn parts_and_folders_named_by_hand_are_pooled_alike() {
    let dir = tempfile::tempdir().unwrap();
    let whole = sweep(dir.path(), "whole", PLAN, "");
    let parts = [0, 1].map(|i| {
        sweep(
            dir.path(),
            &format!("part{i}"),
            PLAN,
            &format!("--shard {i}/2"),
        )
    });
    let tasks = compared(&[&whole]);
    assert_eq!(compared(&[&parts[0], &parts[1]]), tasks);
    let mut named = members(&whole, "beer-game_random_sterman");
    named.extend(members(&whole, "beer-game_random_order-up-to"));
    let named: Vec<&str> = named.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(named.len(), 6);
    assert_eq!(compared(&named), tasks[..1]);
    let page = page(&named, &dir.path().join("report.html"));
    assert_eq!(page.matches("<tr data-agent=").count(), 2);
    // Without one of them the agents were not played on the same seeds: each run is an agent of its
    // own.
    let message = refused(&[&["compare"], &named[1..]].concat(), 2);
    names(&message, &["instance", "(seed "]);
}

/// A summary says what an observation is: a draw, an instance, or a pass over a list of fewer than six instances.
#[test]
fn a_summary_names_its_observations() {
    let cases = [
        ("--preset paper --agent random", "pass", 2),
        ("--preset random --agent random", "draw", 4),
    ];
    for (words, unit, count) in cases {
        let told = json(&format!(
            "run beer-game {words} --episodes 4 --json --no-save"
        ));
        let score = &told["score"];
        assert_eq!(
            (&score["observation"], &score["observations"]),
            (&unit.into(), &count.into()),
            "{words}"
        );
    }
    let settled =
        json("run beer-game --preset paper --agent sterman --episodes 4 --json --no-save");
    assert_eq!(settled["score"]["observation"], Value::Null);
}

/// On two fixed instances a deterministic agent repeats its results for every seed: two
/// observations, for any number of episodes. An agent that draws random numbers is compared attempt
/// by attempt.
#[test]
fn repetitions_of_fixed_instances_are_no_further_observations() {
    let dir = tempfile::tempdir().unwrap();
    let plan = |agents: &str| {
        format!(
            "seeds = [5, 6, 7]\nepisodes = 2\n[[runs]]\nenvironment = \"beer-game\"\n\
             presets = [\"paper\"]\nagents = [{agents}]\n"
        )
    };
    let agents = "\"order-up-to\", \"random\", \"sterman\"";
    let sweep = sweep(dir.path(), "sweep", &plan(agents), "");
    let [task] = &compared(&[&sweep])[..] else {
        panic!("one task");
    };
    let single = |agent: &str| {
        let words = format!("beer-game --agent {agent}");
        played(dir.path(), agent, &words)
    };
    let (one, other) = (single("order-up-to"), single("sterman"));
    let alone = json(&format!("compare {one} {other} --json"));
    let (random, sterman) = (&task["others"][0], &task["others"][1]);
    for field in [
        "shared",
        "shared_instances",
        "difference",
        "ci95",
        "deterministic",
        "verdict",
    ] {
        assert_eq!(sterman[field], alone["others"][0][field], "{field}");
    }
    assert_eq!(
        (&sterman["episodes"], &sterman["distinct"]),
        (&6.into(), &2.into())
    );
    assert_eq!(
        (&sterman["shared"], &sterman["ci95"]),
        (&2.into(), &Value::Null)
    );
    // Three passes of the other agent over the list, each with its own random numbers.
    assert_eq!(
        (&random["distinct"], &random["instances"]),
        (&3.into(), &2.into())
    );
    assert_eq!(
        (&random["shared"], &random["shared_instances"]),
        (&6.into(), &2.into())
    );
    let values = |start: &str| scores(&sweep, start).into_iter().map(|(_, value)| value);
    let lots: BTreeSet<u64> = values("beer-game_paper_random").map(f64::to_bits).collect();
    assert_eq!(lots.len(), 6, "the seeds draw lots of their own");
    let against = values("beer-game_paper_order-up-to");
    let differences = values("beer-game_paper_random")
        .zip(against)
        .map(|(a, b)| a - b);
    let naive = mean(&differences.collect::<Vec<_>>()).unwrap();
    assert!(near(&random["difference"], naive));
    let text = ok(&format!("compare {sweep}"));
    let pools = [
        "6 episodes over 3 seeds, 2 distinct",
        "6 episodes over 3 seeds, 2 instances",
    ];
    let shared = [
        "2 shared instances",
        "6 shared trials of 2 instances",
        "95 % interval",
    ];
    names(&text, &[&pools[..], &shared].concat());
    let page = page(&[&sweep], &dir.path().join("report.html"));
    assert!(page.contains("6 over 3 seeds, 2 distinct"));
    let ci95 = &random["ci95"];
    let row = format!("data-low=\"{}\" data-high=\"{}\"", ci95[0], ci95[1]);
    assert!(page.contains(&row), "{row}");
}

/// Further seeds meet the same seven instances again: the interval of a difference counts instances, as that of a mean
/// does. By hand: Student's interval of the mean differences of the instances, with 2.4469 for six degrees of freedom.
#[test]
fn the_interval_of_a_difference_counts_instances() {
    let dir = tempfile::tempdir().unwrap();
    let plan = "seeds = [1, 2, 3]\nepisodes = 7\n[[runs]]\nenvironment = \"procurement\"\n\
                presets = [\"basic\"]\nsuite = \"paper\"\nagents = [\"greedy\", \"random\"]\n";
    let sweep = sweep(dir.path(), "sweep", plan, "");
    let [task] = &compared(&[&sweep])[..] else {
        panic!("one task");
    };
    let other = &task["others"][0];
    assert_eq!(
        (&other["shared"], &other["shared_instances"]),
        (&21.into(), &7.into())
    );
    let [greedy, random] =
        ["greedy", "random"].map(|agent| scores(&sweep, &format!("procurement_basic_{agent}")));
    let mut gaps: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for ((instance, ours), (same, theirs)) in random.into_iter().zip(greedy) {
        assert_eq!(instance, same);
        gaps.entry(instance).or_default().push(ours - theirs);
    }
    let of_instances: Vec<f64> = gaps
        .values()
        .map(|gaps| gaps.iter().sum::<f64>() / 3.0)
        .collect();
    assert_eq!(of_instances.len(), 7);
    let centre = of_instances.iter().sum::<f64>() / 7.0;
    let squares = of_instances.iter().map(|gap| (gap - centre).powi(2));
    let half = 2.446_911_851 * (squares.sum::<f64>() / 6.0 / 7.0).sqrt();
    assert!(near(&other["difference"], centre));
    for (end, wanted) in [centre - half, centre + half].into_iter().enumerate() {
        let end = other["ci95"][end].as_f64().unwrap();
        assert!((end - wanted).abs() < 1e-6 * half, "{end} {wanted}");
    }
    let text = ok(&format!("compare {sweep}"));
    names(&text, &["21 shared trials of 7 instances"]);
    // A report names the suite also where all of its runs played it.
    let page = page(&[&sweep], &dir.path().join("report.html"));
    names(&page, &["procurement · basic · suite paper"]);
}

/// If each seed has its own list, the lists are drawn: there is an interval, and repeated results
/// of a deterministic agent on one list count once.
#[test]
fn lists_that_the_seeds_draw_are_no_certainty() {
    let dir = tempfile::tempdir().unwrap();
    let plan = "seeds = [1, 2, 3]\nepisodes = 15\n[[runs]]\nenvironment = \"office\"\n\
                presets = [\"small\"]\nagents = [\"greedy\", \"oracle\"]\n\
                set = { \"tasks.pool\" = 10, \"tasks.search\" = 1, \"tasks.crud\" = 0, \
                \"tasks.unanswerable\" = 0, \
                \"tasks.templates\" = [\"colleague_card\", \"policy_figure\"] }\n";
    let sweep = sweep(dir.path(), "sweep", plan, "");
    let [task] = &compared(&[&sweep])[..] else {
        panic!("one task");
    };
    let other = &task["others"][0];
    assert_eq!(
        (&other["episodes"], &other["instances"]),
        (&45.into(), &30.into())
    );
    assert_eq!(
        (&other["distinct"], &other["shared"]),
        (&30.into(), &30.into())
    );
    assert_eq!(other["deterministic"], false);
    let played = scores(&sweep, "office_small_greedy");
    let distinct: BTreeSet<u64> = played.iter().map(|(_, value)| value.to_bits()).collect();
    assert!(distinct.len() > 1, "an interval has a width: {played:?}");
    let seed = Seed(1).child("interval", 0);
    let found = cluster_mean(played, ScoreRange::SHARE, 0.95, seed).unwrap();
    assert_eq!(found.clusters, 30);
    let interval = found.interval.unwrap();
    let row = format!(
        "data-low=\"{:?}\" data-high=\"{:?}\"",
        interval.low, interval.high
    );
    let page = page(&[&sweep], &dir.path().join("report.html"));
    assert!(page.contains(&row), "{row}");
    assert!(page.contains("45 over 3 seeds, 30 distinct"));
}

/// A fixed instance pairs runs of different seeds, attempt by attempt.
#[test]
fn single_runs_of_different_seeds_pair_on_a_fixed_instance() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, agent: &str, seed: u64| {
        let words = format!("beer-game --agent {agent} --seed {seed} --episodes 8");
        played(dir.path(), name, &words)
    };
    let (a, b) = (run("a", "random", 1), run("b", "random", 2));
    let pair = json(&format!("compare {a} {b} --json"));
    assert_eq!(pair["first"]["agent"], "random (seed 1)");
    assert_eq!(pair["others"][0]["shared"], 8);
    assert_eq!(pair["others"][0]["only_this"], 0);
    let other = run("c", "sterman", 3);
    let pair = json(&format!("compare {a} {other} --json"));
    assert_eq!(pair["others"][0]["shared"], 8);
}

/// A plan that was played twice gives two competitors for each agent, named by sweep.
#[test]
fn two_sweeps_of_one_plan_do_not_flow_together() {
    let dir = tempfile::tempdir().unwrap();
    let plan = "seeds = [1, 2]\nepisodes = 3\n[[runs]]\nenvironment = \"beer-game\"\n\
                presets = [\"random\"]\nagents = [\"random\"]\n";
    let (here, there) = (
        sweep(dir.path(), "here", plan, ""),
        sweep(dir.path(), "there", plan, ""),
    );
    let [task] = &compared(&[&here, &there])[..] else {
        panic!("one task");
    };
    assert_eq!(task["first"]["agent"], "random (here)");
    let other = &task["others"][0];
    assert_eq!(other["agent"], "random (there)");
    assert_eq!(
        (&other["episodes"], &other["shared"]),
        (&6.into(), &6.into())
    );
    assert_eq!(other["difference"], 0.0);
}

/// Equal scores that do not depend on chance are reported as equal, not as "not distinguishable".
#[test]
fn equal_exact_scores_are_equal() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, agent: &str| {
        let words = format!("beer-game --agent {agent}");
        played(dir.path(), name, &words)
    };
    let (a, b) = (run("a", "order-up-to"), run("b", "order-up-to:1800"));
    let pair = json(&format!("compare {a} {b} --json"));
    let other = &pair["others"][0];
    assert_eq!(
        (
            &other["verdict"],
            &other["distinguishable"],
            &other["better"]
        ),
        (&"equal".into(), &false.into(), &Value::Null)
    );
    let text = ok(&format!("compare {a} {b}"));
    assert!(!text.contains("not distinguishable"), "{text}");
    let file = dir.path().join("report.html");
    let both = page(&[&a, &b], &file);
    assert!(!both.contains("not distinguishable"), "{both}");
    // Of three agents, two are equally best; one alone is only described.
    let c = run("c", "sterman");
    let three = page(&[&a, &b, &c], &file);
    names(&three, &["equally best"]);
    let alone = page(&[&c], &file);
    assert!(!alone.contains("best, "), "{alone}");
    // One drawn game is too little for a verdict.
    let drawn = |name: &str, agent: &str| {
        let words = format!("beer-game --preset random --episodes 1 --agent {agent}");
        played(dir.path(), name, &words)
    };
    let (d, e) = (drawn("d", "order-up-to"), drawn("e", "sterman"));
    let pair = json(&format!("compare {d} {e} --json"));
    assert_eq!(pair["others"][0]["verdict"], "not distinguishable");
    let page = page(&[&d, &e], &file);
    names(&page, &["not distinguishable"]);
}

/// Of many runs with one name, unfinished ones are listed with preset and seed.
#[test]
fn what_is_unfinished_is_named_by_preset_and_seed() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = sweep(dir.path(), "sweep", PLAN, "");
    let of_two = |path: &&PathBuf| manifest(path)["plan"]["seed"] == 2;
    let all = members(&sweep, "pricing_basic_cost-plus");
    let member = all.iter().find(of_two).unwrap();
    std::fs::write(member.join("episodes.jsonl"), "").unwrap();
    let file = dir.path().join("report.html");
    let called = call(&["report", &sweep, "-o", file.to_str().unwrap()]);
    assert_eq!(called.code, 0);
    let facts = [
        "4 of 4 episodes",
        "`boardroom resume",
        "preset basic, seed 2",
    ];
    names(&called.err, &facts);
    // The other runs of that agent are still one competitor, and the output lists the missing ones.
    let compared = call(&["compare", &sweep, "--json"]);
    assert_eq!((compared.code, &compared.err), (0, &called.err));
    let task: Value = serde_json::from_str(compared.out.lines().nth(1).unwrap()).unwrap();
    let other = &task["others"][0];
    assert_eq!(
        (&other["shared"], &other["only_this"]),
        (&8.into(), &4.into())
    );
    let why = other["left_out"].as_str().unwrap();
    names(why, &["4 episodes", "cost-plus"]);
}

/// The report uses the reference with which the run was played.
#[test]
fn the_report_takes_the_references_that_the_runs_found() {
    let dir = tempfile::tempdir().unwrap();
    let plan = "seeds = [1, 2]\nepisodes = 3\nreference = \"search\"\n[[runs]]\n\
                environment = \"beer-game\"\npresets = [\"random\"]\nagents = [\"adaptive\"]\n";
    let sweep = sweep(dir.path(), "sweep", plan, "");
    let file = dir.path().join("report.html");
    let all = page(&[&sweep], &file);
    names(&all, &["proven optimum"]);
    assert!(!all.contains("bound that no play can beat"), "{all}");
    let member = members(&sweep, "beer-game").remove(0);
    let member = member.to_str().unwrap();
    let summary = json(&format!("resume {member} --json"));
    assert_eq!(summary["reference"]["status"], "proven");
    let optimum = summary["reference"]["optimum"].as_f64().unwrap();
    let one = page(&[member], &file);
    let said = format!("proven optimum {}", run_engine::words::fine(optimum));
    assert!(one.contains(&said), "{said}: {one}");
    // Without a stored reference, only the quick bound is available.
    std::fs::remove_file(Path::new(member).join("references.jsonl")).unwrap();
    let bound = page(&[member], &file);
    names(&bound, &["bound that no play can beat"]);
    assert!(!bound.contains("proven optimum"), "{bound}");
}

/// Two tasks of one preset: headings and columns tell them apart, and agents keep their names.
#[test]
fn tasks_are_told_apart_by_their_headings() {
    let dir = tempfile::tempdir().unwrap();
    let plan = r#"
seed = 3
episodes = 4

[[runs]]
environment = "procurement"
presets = ["basic"]
suite = "paper"
agents = ["random", "greedy"]

[[runs]]
environment = "procurement"
presets = ["basic"]
agents = ["random", "greedy"]

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["sterman", "order-up-to"]

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["sterman", "order-up-to"]
set = { weeks = 10 }
"#;
    let sweep = sweep(dir.path(), "sweep", plan, "");
    let page = page(&[&sweep], &dir.path().join("report.html"));
    names(&page, &["4 tasks", "4 agents", "32 episodes"]);
    assert!(!page.contains("greedy (") && !page.contains("order-up-to ("));
    let titles = [
        "procurement · basic · suite paper",
        "beer-game · random · weeks = 10",
    ];
    names(&page, &titles);
    let text = ok(&format!("compare {sweep}"));
    for heading in [
        "procurement, suite paper [",
        "procurement [",
        "beer-game, weeks = 10 [",
    ] {
        assert_eq!(text.matches(heading).count(), 1, "{heading}: {text}");
    }
    let tasks = compared(&[&sweep]);
    let settings: Vec<&Value> = tasks
        .iter()
        .map(|task| &task["first"]["settings"])
        .collect();
    assert_eq!(
        settings.last(),
        Some(&&serde_json::json!({"weeks": 10})),
        "tasks stand in the order of the plan"
    );
    assert_eq!(tasks[0]["first"]["suite"], "paper");
    for side in tasks
        .iter()
        .flat_map(|task| [&task["first"], &task["others"][0]])
    {
        let agent = side["agent"].as_str().unwrap();
        assert!(!agent.contains('('), "{agent}");
    }
    // A table for other programs can be grouped by task.
    let table = ok(&format!("export {sweep}"));
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|held| *held == name).unwrap();
    let places = ["environment", "preset", "suite", "settings", "seed"].map(place);
    let task = |row: &str| places.map(|at| row.split(',').nth(at).unwrap().to_owned());
    let tasks: BTreeSet<[String; 5]> = table.lines().skip(1).map(task).collect();
    assert_eq!(tasks.len(), 4, "{tasks:?}");
    // And by the value of a setting, which a digest does not say.
    let places = ["environment", "set"].map(place);
    let played = |row: &str| places.map(|at| row.split(',').nth(at).unwrap().to_owned());
    let played: BTreeSet<[String; 2]> = table.lines().skip(1).map(played).collect();
    let games = ["", "weeks = 10"].map(|set| ["beer-game".to_owned(), set.to_owned()]);
    let markets = ["procurement".to_owned(), String::new()];
    assert_eq!(played, games.into_iter().chain([markets]).collect());
    // Listed one by one, runs of one agent are named by what differs, and get no suffix if nothing
    // does.
    let greedy = members(&sweep, "procurement_basic_greedy");
    let [a, b] = [0, 1].map(|at: usize| greedy[at].to_str().unwrap());
    let message = refused(&["compare", a, b], 2);
    names(&message, &["greedy (suite paper)"]);
    assert!(!message.contains(" ()"), "{message}");
}

/// The results of a plan are reported run by run.
#[test]
fn runs_of_a_plan_are_announced_with_seed_and_settings() {
    let dir = tempfile::tempdir().unwrap();
    let text = "seeds = [1, 2]\nepisodes = 2\n[[runs]]\nenvironment = \"beer-game\"\n\
                presets = [\"random\"]\nagents = [\"sterman\"]\nset = { weeks = 10 }\n";
    let file = plan_file(dir.path(), text);
    let run = |out: &str, more: &str| {
        let out = dir.path().join(out);
        ok(&format!("run --plan {file} --out {} {more}", out.display()))
    };
    let text = run("text", "");
    for seed in [1, 2] {
        let seed = seed.to_string();
        let rows = text.lines().map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
        });
        let rows: Vec<Vec<&str>> = rows
            .map(Iterator::collect)
            .filter(|row: &Vec<&str>| row.get(2) == Some(&seed.as_str()))
            .collect();
        assert_eq!(rows.len(), 1, "{text}");
        names(rows[0][0], &["beer-game random", "weeks = 10"]);
        assert_eq!(rows[0][1..4], ["sterman", &seed, "2"], "{text}");
    }
    let objects = run("json", "--json");
    for (object, seed) in objects.lines().zip([1, 2]) {
        let object: Value = serde_json::from_str(object).unwrap();
        assert_eq!(
            (&object["seed"], &object["preset"]),
            (&seed.into(), &"random".into())
        );
        assert_eq!(
            (&object["suite"], &object["settings"]),
            (&Value::Null, &serde_json::json!({"weeks": 10}))
        );
    }
}

/// A score that exceeds the proven optimum by no more than the rounding counts as reaching it, not
/// as beating it.
#[test]
fn what_rounding_leaves_is_no_negative_shortfall() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").to_str().unwrap().to_owned();
    let text = ok(&format!(
        "run pricing --preset basic --agent optimal --episodes 200 --out {out}"
    ));
    names(&text, &["within rounding"]);
    assert!(!text.contains("-0"), "{text}");
    let page = page(&[&out], &dir.path().join("report.html"));
    names(&page, &["0 (within rounding)", "proven optimum"]);
}

/// A manifest that is labelled with a preset and holds other settings does not pass for the preset, also alone.
#[test]
fn settings_other_than_those_of_the_preset_are_named_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    let run = "run beer-game --preset random --agent sterman --episodes 2 --set weeks=7 --out";
    ok(&format!("{run} {out}"));
    let page = page(&[&out], &dir.path().join("report.html"));
    names(&page, &["beer-game · random · weeks = 7"]);
    let listed = ok(&format!("runs {}", dir.path().display()));
    names(&listed, &["random (weeks = 7)"]);
    let plain = dir.path().join("plain").display().to_string();
    ok(&format!(
        "run beer-game --preset classic --agent sterman --episodes 2 --out {plain}"
    ));
    let levels = ok(&format!("compare {out} {plain} --across-presets"));
    names(&levels, &["random (weeks = 7)", "classic"]);
}
