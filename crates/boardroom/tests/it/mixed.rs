//! Folders that hold games and questions side by side.

use crate::prepared::members;
use crate::program::{call, json, names, ok, refusal, refused};
use crate::server::{Act, Server, said};
use std::path::{Path, PathBuf};

const QUESTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

fn asked(dir: &Path, more: &str) -> String {
    format!(
        "run qa --data {QUESTIONS} --task FPB --agent openai:mock --method direct --seed 4 {more} --out {}",
        dir.display()
    )
}

/// A plan of two agents in one game and of two temperatures in one set of questions, and its folder.
fn played(dir: &Path) -> (Server, PathBuf) {
    let (plan, out) = (dir.join("plan.toml"), dir.join("out"));
    let text = format!(
        "seed = 4\nepisodes = 3\n[[runs]]\nenvironment = \"beer-game\"\npresets = [\"random\"]\n\
         agents = [\"typical\", \"sterman\"]\n[[questions]]\ndata = \"{QUESTIONS}\"\ntask = \"FPB\"\n\
         agent = \"openai:mock\"\nmethod = \"direct\"\ntemperature = [0, 0.8]\n"
    );
    std::fs::write(&plan, text).unwrap();
    let server = Server::acting(|_, _| Act::Answer(said("positive")));
    let line = format!("run --plan {} --out {}", plan.display(), out.display());
    let output = server.run(&line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    (server, out)
}

/// Games and questions of one plan: every command takes the folder, whether as a sweep or as a folder
/// of runs, and keeps the kinds apart.
#[test]
fn a_plan_of_games_and_questions_is_compared_reported_and_exported() {
    let dir = tempfile::tempdir().unwrap();
    let (_server, out) = played(dir.path());
    let page = dir.path().join("report.html");
    for plan_is_there in [true, false] {
        if !plan_is_there {
            std::fs::remove_file(out.join("sweep.toml")).unwrap();
        }
        let folder = out.display();
        let compared = ok(&format!("compare {folder} --json"));
        let environments: Vec<String> = compared
            .lines()
            .map(|line| {
                let found: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(found["others"].as_array().unwrap().len(), 1);
                found["environment"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(environments, ["beer-game", "qa"]);
        ok(&format!("report {folder} -o {}", page.display()));
        let text = std::fs::read_to_string(&page).unwrap();
        names(
            &text,
            &["beer-game · random", "qa · ", "FPB</h2>", "sterman"],
        );
        let table = ok(&format!("export {folder}"));
        let mut rows = table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let at = |name: &str| header.iter().position(|held| *held == name).unwrap();
        let (episode, item, score) = (at("episode"), at("item"), at("score"));
        let (games, answers): (Vec<_>, Vec<_>) = rows.partition(|row| row[item].is_empty());
        assert_eq!((games.len(), answers.len()), (2 * 3, 2 * 4));
        let complete = |row: &Vec<&str>| {
            let filled = [episode, score].iter().all(|at| !row[*at].is_empty());
            filled && row.len() == header.len()
        };
        assert!(games.iter().chain(&answers).all(complete));
        assert_eq!(ok(&format!("rescore {folder} --json")).lines().count(), 4);
        ok(&format!("verify {folder}"));
    }
}

/// Runs of questions that a plan holds and that were never begun are told, as games are.
#[test]
fn questions_that_were_never_asked_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let (_server, out) = played(dir.path());
    let asked = members(&out, "qa_");
    assert_eq!(asked.len(), 2);
    let whole = call(&["verify", out.to_str().unwrap()]);
    assert!(!whole.err.contains("never begun"), "{}", whole.err);
    std::fs::remove_dir_all(&asked[1]).unwrap();
    let page = dir.path().join("report.html");
    for command in [
        &["compare"][..],
        &["verify"],
        &["export"],
        &["report", "-o", page.to_str().unwrap()],
    ] {
        let called = call(&[command, &[out.to_str().unwrap()]].concat());
        assert_eq!(called.code, 0, "{}", called.err);
        names(
            &called.err,
            &["1 run of the plan was never begun", "boardroom resume"],
        );
    }
}

/// The seed draws the questions that are asked, and the seeds of a plan are one agent all the same.
#[test]
fn seeds_that_draw_their_questions_are_one_agent() {
    let dir = tempfile::tempdir().unwrap();
    let (plan, out) = (dir.path().join("plan.toml"), dir.path().join("out"));
    let text = format!(
        "[[questions]]\ndata = \"{QUESTIONS}\"\ntask = \"FPB\"\nagent = [\"openai:one\", \"openai:two\"]\n\
         method = \"direct\"\nitems = 2\nseed = [1, 2, 3]\n"
    );
    std::fs::write(&plan, text).unwrap();
    let server = Server::acting(|_, _| Act::Answer(said("positive")));
    let played = server.run(&format!(
        "run --plan {} --out {}",
        plan.display(),
        out.display()
    ));
    let err = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(0), "{err}");
    let compared = json(&format!("compare {} --json", out.display()));
    assert_eq!(
        compared["others"].as_array().unwrap().len(),
        1,
        "{compared}"
    );
    for (side, agent) in [
        (&compared["first"], "openai:one"),
        (&compared["others"][0], "openai:two"),
    ] {
        assert_eq!(side["agent"], agent);
        assert_eq!(
            (&side["seeds"], &side["episodes"]),
            (&serde_json::json!([1, 2, 3]), &6.into())
        );
    }
}

/// In the table of agents and tasks one way of asking a model is one row over all tasks, and two ways are two rows, also
/// where each task has one of them.
#[test]
fn an_agent_has_one_row_over_the_tasks_of_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let (plan, out) = (dir.path().join("plan.toml"), dir.path().join("out"));
    let part = |preset: &str, options: &str| {
        format!(
            "[[runs]]\nenvironment = \"beer-game\"\npresets = [\"{preset}\"]\nagents = [\"openai:mock\"]\n\
             set = {{ weeks = 3 }}\n{options}\n"
        )
    };
    let text = [
        "episodes = 1\n".to_owned(),
        part("random", "methods = [\"direct\", \"cot\"]"),
        part("stationary", "methods = [\"direct\"]"),
        part("paper", "methods = [\"direct\"]\ntemperature = 1.5"),
    ];
    std::fs::write(&plan, text.concat()).unwrap();
    let server = Server::start(0.0);
    let line = format!("run --plan {} --out {}", plan.display(), out.display());
    let played = server.run(&line);
    let err = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(0), "{err}");
    let page = dir.path().join("report.html");
    ok(&format!("report {} -o {}", out.display(), page.display()));
    let page = std::fs::read_to_string(&page).unwrap();
    names(&page, &["3 tasks, 3 agents, 4 episodes"]);
    let (_, matrix) = page.split_once("<table class=\"matrix\">").unwrap();
    let (matrix, _) = matrix.split_once("</table>").unwrap();
    let rows = matrix.split("<tr><td class=\"left\">").skip(1);
    let mut rows: Vec<(&str, usize)> = rows
        .map(|row| {
            (
                row.split_once('<').unwrap().0,
                row.matches("<td>–</td>").count(),
            )
        })
        .collect();
    rows.sort_unstable();
    let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    let ways = ["cot", "direct", "direct, temperature 1.5"];
    assert_eq!(names, ways.map(|way| format!("openai:mock ({way})")));
    // In the tasks that an agent did not play it has no mean.
    assert!(rows[1].1 < rows[0].1 && rows[1].1 < rows[2].1, "{rows:?}");
}

/// A report shows the scores of labelled questions by capability and difficulty.
#[test]
fn a_report_draws_labelled_questions_by_capability_and_difficulty() {
    let dir = tempfile::tempdir().unwrap();
    let (_server, out) = played(dir.path());
    let [page, labels] = ["report.html", "labels.jsonl"].map(|name| dir.path().join(name));
    let report = format!("report {} -o {}", out.display(), page.display());
    let cut = "hard, Domain Knowledge";
    ok(&report);
    assert!(!std::fs::read_to_string(&page).unwrap().contains(cut));
    let exported = ok(&format!("export {}", out.display()));
    let items = exported
        .split([',', '\n'])
        .filter(|cell| cell.contains("FPB:"));
    let label = |item: &str| {
        format!("{{\"id\": \"{item}\", \"capability\": \"Domain Knowledge\", \"difficulty\": 8}}\n")
    };
    std::fs::write(&labels, items.map(label).collect::<String>()).unwrap();
    ok(&format!("{report} --labels {}", labels.display()));
    assert!(std::fs::read_to_string(&page).unwrap().contains(cut));
}

/// Runs that are named one by one are compared with the first one, so they must be of one kind.
#[test]
fn games_and_questions_that_are_named_one_by_one_are_not_compared() {
    let dir = tempfile::tempdir().unwrap();
    let (_server, out) = played(dir.path());
    let mut runs: Vec<PathBuf> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    runs.sort();
    let named = runs.iter().map(|run| run.to_str().unwrap());
    let line: Vec<&str> = std::iter::once("compare").chain(named).collect();
    names(&refused(&line, 2), &["beer-game", "qa"]);
    // Presets are those of one environment.
    let folder = out.to_str().unwrap();
    let error = refused(&["compare", folder, "--across-presets"], 2);
    names(&error, &["beer-game random", "qa application/FPB"]);
    // A folder without runs is still named.
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for command in ["compare", "export", "report"] {
        names(
            &refused(&[command, empty.to_str().unwrap()], 2),
            &["empty", "manifest.json"],
        );
    }
}

/// The questions of a plan are not asked into a folder that holds a part of them.
#[test]
fn a_part_of_the_questions_of_a_plan_refuses_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let (server, out) = played(dir.path());
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let part = asked(&other.join("part"), "--temperature 0.8 --shard 0/2");
    assert_eq!(server.run(&part).status.code(), Some(0));
    let plan = dir.path().join("plan.toml");
    let before = server.answered();
    let line = format!(
        "run --plan {} --out {} --json",
        plan.display(),
        other.display()
    );
    let output = server.run(&line);
    let error = refusal(&String::from_utf8_lossy(&output.stderr), 2);
    names(&error.message, &["part", "shard 0 of 2", "resume"]);
    assert_eq!(server.answered(), before, "nothing was asked");
    // Another plan beside it does no harm.
    let alone = asked(&out.join("alone"), "--temperature 0.3 --shard 0/2");
    assert_eq!(server.run(&alone).status.code(), Some(0));
    let again = server.run(&format!(
        "run --plan {} --out {}",
        plan.display(),
        out.display()
    ));
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(
        json(&format!("rescore {} --json", out.join("alone").display()))["changed"],
        0
    );
}

/// The first agent of the plan is the one with which the others are compared, whatever the folders are called.
#[test]
fn runs_of_questions_are_compared_in_the_order_of_their_plan() {
    let dir = tempfile::tempdir().unwrap();
    let (plan, out) = (dir.path().join("plan.toml"), dir.path().join("out"));
    let text = format!(
        "[[questions]]\ndata = \"{QUESTIONS}\"\ntask = \"FPB\"\nagent = \"openai:mock\"\n\
         method = \"direct\"\ntemperature = [0.9, 0.1, 0.7, 0.3, 0.5]\n"
    );
    std::fs::write(&plan, text).unwrap();
    let server = Server::acting(|_, _| Act::Answer(said("positive")));
    let played = server.run(&format!(
        "run --plan {} --out {}",
        plan.display(),
        out.display()
    ));
    let err = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(0), "{err}");
    let compared = ok(&format!("compare {} --json", out.display()));
    let found: serde_json::Value = serde_json::from_str(compared.trim()).unwrap();
    let agents: Vec<&str> = std::iter::once(&found["first"])
        .chain(found["others"].as_array().unwrap())
        .map(|side| side["agent"].as_str().unwrap())
        .collect();
    let planned = ["0.9", "0.1", "0.7", "0.3", "0.5"];
    assert_eq!(agents.len(), planned.len(), "{found}");
    for (agent, temperature) in agents.iter().zip(planned) {
        assert!(agent.contains(temperature), "{agents:?}");
    }
}
