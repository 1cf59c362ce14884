//! What a user of a model needs every day: a folder without an option, a `resume` without an option, further
//! fields of requests, and answers to the mistakes that beginners make.

use crate::models::summary;
use crate::program::{boardroom, json, names, ok, refused, verifies};
#[cfg(target_os = "linux")]
use crate::program::{ends, until};
use crate::server::{Act, KEY, Server, reply};
#[cfg(target_os = "linux")]
use crate::signals::terminate;
use serde_json::{Value, json as value};
use std::path::Path;
use std::process::{Command, Output};

const GAME: &str =
    "run beer-game --preset random --set weeks=4 --method direct --agent openai:mock --json";

/// The program in the folder `home`, with a key and without an address.
fn at(home: &Path, line: &str) -> Command {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = boardroom(&words);
    command
        .current_dir(home)
        .env_remove("OPENAI_BASE_URL")
        .env("OPENAI_API_KEY", KEY);
    command
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn parsed(output: &Output) -> Value {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_without_options_is_finished_by_resume_without_options() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    std::fs::write(
        home.join("prices.toml"),
        "[models.mock]\ninput = 10.0\noutput = 100.0\n",
    )
    .unwrap();
    let server = Server::start(0.0);
    server.hold_after(6);
    let line = format!("{GAME} --episodes 4 --concurrency 1 --prices prices.toml --timeout 50");
    let mut child = at(home, &line)
        .env("OPENAI_BASE_URL", &server.base)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until(&mut child, || server.answered() >= 6);
    terminate(&child);
    server.hold_after(usize::MAX);
    assert_eq!(ends(&mut child).0, Some(130));

    let runs = parsed(&at(home, "runs --json").output().unwrap());
    assert_eq!(runs[0]["status"], "unfinished", "{runs}");
    assert_eq!(runs[0]["planned"], 4);
    let folder = runs[0]["folder"].as_str().unwrap().to_owned();
    assert!(folder.starts_with("runs/"), "{folder}");
    assert!(folder.ends_with("-beer-game-openai-mock-1"), "{folder}");
    let access = std::fs::read_to_string(home.join(&folder).join("access.json")).unwrap();
    names(
        &access,
        &[&server.base, "OPENAI_API_KEY", "prices.toml", "50"],
    );
    assert!(!access.contains(KEY));

    let finished = parsed(&at(home, "resume --json").output().unwrap());
    assert_eq!(
        (&finished["episodes"], &finished["failed"]),
        (&4.into(), &0.into())
    );
    let calls = std::fs::read_to_string(home.join(&folder).join("calls.jsonl")).unwrap();
    assert_eq!(calls.lines().count(), 16);
    // The request that was in flight at the stop may have been answered after the program had left.
    let answered = server.answered();
    assert!(
        (16..=17).contains(&answered),
        "{answered} answers for 16 turns"
    );
    // 16 requests of 100 and 10 tokens.
    let cost = finished["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 16.0 * 0.002).abs() < 1e-9, "{cost}");
    verifies(home.join(&folder).display(), 4);
    let runs = parsed(&at(home, "runs runs --json").output().unwrap());
    assert_eq!(runs[0]["status"], "finished");
    assert_eq!(runs[0]["score"], finished["score"]["mean"]);
    assert_eq!(at(home, "resume").output().unwrap().status.code(), Some(2));
}

#[test]
fn every_run_gets_a_folder_and_one_of_nothing_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let runs = home.join("runs");
    let code = |line: &str| {
        let mut command = at(home, line);
        command.env_remove("OPENAI_API_KEY");
        command.output().unwrap().status.code()
    };
    assert_eq!(
        code("run beer-game --agent openai:mock --episodes 2"),
        Some(2)
    );
    assert_eq!(
        code("run beer-game --agent sterman --episodes 2 --no-save"),
        Some(0)
    );
    assert!(!runs.exists());
    assert_eq!(code("run beer-game --agent sterman --episodes 2"), Some(0));
    let listed = parsed(&at(home, "runs --json").output().unwrap());
    let folder = listed[0]["folder"].as_str().unwrap();
    assert!(folder.ends_with("-beer-game-sterman-1"), "{folder}");
    verifies(home.join(folder).display(), 2);
    std::fs::remove_dir_all(&runs).unwrap();
    let server = Server::start(0.0);
    let play = |more: &str| {
        let mut command = at(home, &format!("{GAME} --episodes 1{more}"));
        parsed(
            &command
                .env("OPENAI_BASE_URL", &server.base)
                .output()
                .unwrap(),
        )
    };
    assert_eq!(play(" --no-save")["out"], Value::Null);
    assert!(!runs.exists());
    let (one, two) = (play(""), play(""));
    assert_ne!(one["out"], two["out"]);
    assert_eq!(std::fs::read_dir(&runs).unwrap().count(), 2);
}

/// A folder that somebody else made must not decide where a key is sent.
#[test]
fn a_key_goes_to_no_other_machine_that_only_a_folder_names() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, _| Act::Refuse(401, value!({"error": {"message": "no"}})));
    let out = dir.path().join("run");
    let line = format!("{GAME} --episodes 1 --out {}", out.display());
    assert_eq!(server.run(&line).status.code(), Some(1));
    let file = out.join("access.json");
    let text = std::fs::read_to_string(&file).unwrap();
    // An address for documentation (RFC 5737).
    std::fs::write(&file, text.replace(&server.base, "http://192.0.2.1:9/v1")).unwrap();
    let output = at(dir.path(), "resume run").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    names(&err, &["OPENAI_BASE_URL=http://192.0.2.1:9/v1"]);
}

#[test]
fn further_fields_reach_the_server_the_plan_and_the_tables() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let out = |name: &str| dir.path().join(name).display().to_string();
    let fields = "--model-arg seed=7 --model-arg reasoning_effort=low --model-arg top_p=0.95";
    let plain = summary(&server.run(&format!("{GAME} --episodes 2 --out {}", out("plain"))));
    assert_eq!(plain.get("model_args"), None);
    server.seen.lock().unwrap().clear();
    let asked = summary(&server.run(&format!(
        "{GAME} --episodes 2 {fields} --out {}",
        out("low")
    )));
    let further = value!({"seed": 7, "reasoning_effort": "low"});
    assert_eq!(asked["model_args"], further);
    for body in server.seen.lock().unwrap().iter() {
        let sent = [&body["seed"], &body["reasoning_effort"], &body["top_p"]];
        assert_eq!(sent, [&value!(7), &value!("low"), &value!(0.95)]);
    }
    let dialect = &read(&dir.path().join("low/manifest.json"))["plan"]["model"]["dialect"];
    assert_eq!(
        (&dialect["extra"], &dialect["top_p"]),
        (&further, &value!(0.95))
    );
    let plain = read(&dir.path().join("plain/manifest.json"));
    assert_eq!(plain.pointer("/plan/model/dialect/extra"), None);
    let compared = ok(&format!("compare {} {}", out("plain"), out("low")));
    names(&compared, &["reasoning_effort low", "seed 7"]);

    let line = GAME.replace("openai:", "anthropic:");
    let server = Server::acting(|_, _| Act::Refuse(500, value!({"error": {"message": "down"}})));
    let output = server.run(&format!("{line} --episodes 1 --retries 0 {fields}"));
    assert_eq!(output.status.code(), Some(1));
    let once = server.seen.lock().unwrap().len();
    assert_eq!(server.seen.lock().unwrap()[0]["reasoning_effort"], "low");
    server.seen.lock().unwrap().clear();
    server.run(&format!("{line} --episodes 1 --retries 1 {fields}"));
    assert_eq!(server.seen.lock().unwrap().len(), 2 * once);

    for wrong in ["messages=3", "seed", "top_p=much", "stream=true"] {
        let line = format!("{GAME} --no-save --model-arg {wrong}");
        refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
    }
}

#[test]
fn the_name_of_the_token_field_follows_the_servers_refusal() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|n, body| {
        if body.get("max_tokens").is_some() {
            let text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                        'max_completion_tokens' instead.";
            return Act::Refuse(
                400,
                value!({"error": {"message": text, "param": "max_tokens"}}),
            );
        }
        Act::Answer(reply(body, n))
    });
    let refused = || {
        let mut seen = server.seen.lock().unwrap();
        let count = seen
            .iter()
            .filter(|body| body.get("max_tokens").is_some())
            .count();
        let all = seen.len();
        seen.clear();
        (count, all)
    };
    let out = dir.path().join("run").display().to_string();
    let line = format!("{GAME} --episodes 2 --concurrency 1 --max-tokens 900");
    let first = summary(&server.run(&format!("{line} --out {out}")));
    assert_eq!(first["failed"], 0);
    assert_eq!(
        refused(),
        (1, 9),
        "one refusal, then 8 requests under the other name"
    );
    verifies(&out, 2);
    let again = line.replace("openai:mock", &format!("replay:{out}"));
    assert_eq!(json(&again)["score"], first["score"]);
    summary(&server.run(&format!("{line} --token-field max_completion_tokens")));
    assert_eq!(refused(), (0, 8));
}

#[test]
fn a_timeout_ends_an_attempt() {
    let server = Server::start(0.0);
    server.hold_after(0);
    let output = server.run(&format!("{GAME} --episodes 1 --timeout 0.1 --retries 0"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    names(&err, &["timeout"]);
}

#[test]
fn options_of_inspect_mean_what_they_mean_there() {
    let played = json("run beer-game --preset random --model sterman --limit 2 --json");
    assert_eq!(
        (&played["agent"], &played["episodes"]),
        (&"sterman".into(), &2.into())
    );
    let once = json("run procurement --suite paper --agent greedy --json");
    let twice = json("run procurement --suite paper --agent greedy --epochs 2 --json");
    let count = |run: &Value| run["episodes"].as_u64().unwrap();
    assert_eq!(count(&twice), 2 * count(&once));
    for line in [
        "run beer-game --preset random --agent sterman --epochs 2",
        "run procurement --suite paper --agent greedy --limit 1 --epochs 2",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        names(&refused(&words, 2), &["--episodes"]);
    }
}

/// The table of docs/agents.md.
#[test]
fn the_mistakes_of_beginners_are_answered_with_the_command_that_works() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    ok(&format!(
        "run beer-game --agent sterman --episodes 1 --out {}",
        home.join("runs/a").display()
    ));
    std::fs::write(home.join("plan.toml"), "").unwrap();
    let cases: [(&str, &[&str]); 13] = [
        ("run beer-game --agent gpt-4o", &["--agent openai:gpt-4o"]),
        (
            "run beer-game --agent openai/gpt-4o",
            &["--agent openai:gpt-4o"],
        ),
        (
            "run beer-game --model anthropic/claude-x",
            &["--agent anthropic:claude-x"],
        ),
        ("run consulting --agent gpt-4o", &["openai:gpt-4o"]),
        (
            "run gpt-4o",
            &["boardroom run beer-game --agent openai:gpt-4o"],
        ),
        (
            "inspect eval edt --model openai/gpt-4o --limit 5",
            &["boardroom run", "boardroom view"],
        ),
        ("eval beer-game", &["`eval`", "boardroom run"]),
        ("replay runs", &["runs/a"]),
        ("replay runs/a/episodes.jsonl", &["runs/a"]),
        ("run runs/a", &["boardroom resume runs/a"]),
        ("run plan.toml", &["boardroom run --plan plan.toml --out"]),
        (
            "run beer-game --agent openai:mock --max-cost 1",
            &["--prices prices.toml", "[models.\"mock\"]"],
        ),
        ("resume", &["boardroom resume DIR"]),
    ];
    for (line, facts) in cases {
        let output = at(home, line).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {err}");
        names(&err, facts);
    }
    let mut command = at(home, "run beer-game --agent openai:gpt-4o");
    let output = command.env_remove("OPENAI_API_KEY").output().unwrap();
    names(
        &String::from_utf8_lossy(&output.stderr),
        &["export OPENAI_API_KEY=KEY"],
    );
}

/// What is there so far is shown; a caller that needs a finished run has to wait.
#[test]
fn a_folder_that_is_being_written_can_be_replayed_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (run, page) = (path("run"), path("page.html"));
    ok(&format!(
        "run beer-game --preset random --agent sterman --episodes 3 --out {run}"
    ));
    let records = dir.path().join("run/episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let third = whole.match_indices('\n').nth(1).unwrap().0;
    std::fs::write(&records, &whole[..third + 100]).unwrap();
    let writer = std::fs::File::open(&run).unwrap();
    writer.lock().unwrap();
    names(&ok(&format!("replay {run} --episode 1")), &["episode 1"]);
    ok(&format!("report {run} -o {page}"));
    names(
        &std::fs::read_to_string(&page).unwrap(),
        &["1 of 3 episodes has no record yet"],
    );
    let listed = json(&format!("runs {run} --json"));
    for (name, value) in [
        ("status", value!("running")),
        ("records", value!(2)),
        ("planned", value!(3)),
    ] {
        assert_eq!(listed[0][name], value, "{name}");
    }
    for line in [format!("verify {run}"), format!("resume {run}")] {
        refused(&line.split_whitespace().collect::<Vec<_>>(), 4);
    }
    drop(writer);
    ok(&format!("resume {run}"));
    assert_eq!(std::fs::read_to_string(&records).unwrap(), whole);
}

/// Calls are the same bytes in every run; how long they took stands beside them, and nothing depends on it.
#[test]
fn the_time_of_every_answer_is_kept_beside_the_calls() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let file = |run: &str, name: &str| dir.path().join(run).join(name);
    let lines = |run: &str, name: &str| std::fs::read_to_string(file(run, name)).unwrap();
    for name in ["one", "two"] {
        let out = dir.path().join(name);
        let line = format!(
            "{GAME} --episodes 1 --concurrency 1 --out {}",
            out.display()
        );
        summary(&server.run(&line));
        verifies(out.display(), 1);
    }
    let keys = |name: &str| -> Vec<Value> {
        let text = lines("one", name);
        let parsed = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        parsed.map(|line| line["key"].clone()).collect()
    };
    assert_eq!(keys("calls.jsonl"), keys("times.jsonl"));
    assert_eq!(lines("one", "calls.jsonl").lines().count(), 4);
    // The stamp does not cover the times, and a run without them is complete.
    for change in ["{\"key\"", ""] {
        std::fs::write(file("one", "times.jsonl"), change).unwrap();
        let page = dir.path().join("page.html");
        ok(&format!(
            "report {} -o {}",
            dir.path().join("one").display(),
            page.display()
        ));
        names(
            &std::fs::read_to_string(page).unwrap(),
            &["one</code>: verified"],
        );
    }
    std::fs::remove_file(file("one", "times.jsonl")).unwrap();
    verifies(dir.path().join("one").display(), 1);
}

/// The summary after a run has at most ten lines; `--metrics` has the rest.
#[test]
fn a_summary_has_at_most_ten_lines_and_a_plan_ends_with_one_table() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    std::fs::write(
        dir.path().join("prices.toml"),
        "[models.mock]\ninput = 10.0\noutput = 100.0\n",
    )
    .unwrap();
    let game = GAME.replace(" --json", "");
    let prices = dir.path().join("prices.toml");
    let line = format!("{game} --episodes 2 --prices {}", prices.display());
    let printed = server.run(&line);
    let short = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(short.lines().count() <= 10, "{short}");
    names(
        &short,
        &[
            "mean score",
            "0 failed, 0 forfeited turns, 0 refused calls",
            "requests",
            "tokens",
            "cost [USD]",
        ],
    );
    let printed = server.run(&format!("{line} --metrics"));
    let all = String::from_utf8_lossy(&printed.stdout).into_owned();
    names(&all, &["min", "max", "chain_cost"]);
    assert!(!short.contains("chain_cost"), "{short}");

    let plan = dir.path().join("plan.toml");
    std::fs::write(
        &plan,
        "seeds = [1, 2]\nepisodes = 2\n[[runs]]\nenvironment = \"beer-game\"\nagents = [\"sterman\", \"typical\"]\n",
    )
    .unwrap();
    let printed = ok(&format!(
        "run --plan {} --out {}",
        plan.display(),
        dir.path().join("sweep").display()
    ));
    // A head and a row for each run, and nothing else.
    assert_eq!(printed.lines().count(), 5, "{printed}");
    names(
        &printed,
        &["mean score", "regret", "beer-game_paper_sterman"],
    );
}

/// A refused call is counted, whether it was played now or kept from before.
#[test]
fn refused_calls_are_counted_also_after_a_resume() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("moves.jsonl");
    let good = "{\"tool\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n";
    let bad = good.replace('4', "-4");
    std::fs::write(&script, format!("{bad}{}", good.repeat(4))).unwrap();
    let out = dir.path().join("run");
    let line = format!(
        "run beer-game --set weeks=4 --agent script:{} --episodes 2 --json --out {}",
        script.display(),
        out.display()
    );
    let played = json(&line);
    assert_eq!(played["flags"]["refused"], 2, "{played}");
    let again = json(&format!("resume {} --json", out.display()));
    assert_eq!(again["flags"], played["flags"]);
}

/// `runs` and `replay` do not show a folder that was changed by hand as if it were whole.
#[test]
fn a_record_that_occurs_twice_or_has_another_score_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let line = "run beer-game --agent base-stock --episodes 2 --out runs/one";
    assert!(at(home, line).output().unwrap().status.success());
    let file = home.join("runs/one/episodes.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    let status = || parsed(&at(home, "runs --json").output().unwrap())[0].clone();
    assert_eq!(status()["status"], "finished");

    std::fs::write(&file, format!("{whole}{}\n", whole.lines().next().unwrap())).unwrap();
    let twice = status();
    assert_eq!(twice["status"], "unreadable");
    names(twice["error"].as_str().unwrap(), &["episode 0", "verify"]);

    let mut first: Value = serde_json::from_str(whole.lines().next().unwrap()).unwrap();
    let score = first["score"]["value"].as_f64().unwrap();
    first["score"]["value"] = (score + 1.0).into();
    std::fs::write(&file, format!("{first}\n")).unwrap();
    let shown = at(home, "replay runs/one --episode 0").output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).replace(',', "");
    names(
        &shown,
        &[
            &format!("score {}", score + 1.0),
            &format!("is {score}"),
            "verify",
        ],
    );
}

/// A call that a crash truncated is moved out of the recording, as lines of all other files are.
#[test]
fn a_truncated_call_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let server = Server::start(0.0);
    let line = format!("{GAME} --episodes 2 --out one");
    let run = |line: &str| {
        let mut command = at(home, line);
        command
            .env("OPENAI_BASE_URL", &server.base)
            .output()
            .unwrap()
    };
    assert!(run(&line).status.success());
    for name in ["episodes.jsonl", "calls.jsonl"] {
        let file = home.join("one").join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        // The last episode is played again, and the recording ends in the middle of a call.
        let kept = text.lines().next().unwrap();
        let cut = if name == "calls.jsonl" { "{\"half" } else { "" };
        std::fs::write(&file, format!("{kept}\n{cut}")).unwrap();
    }
    let resumed = run("resume one");
    let err = String::from_utf8_lossy(&resumed.stderr);
    assert!(resumed.status.success(), "{err}");
    names(&err, &["calls.torn"]);
    let aside = std::fs::read_to_string(home.join("one/calls.torn")).unwrap();
    assert!(aside.starts_with("{\"half"), "{aside}");
    let calls = std::fs::read_to_string(home.join("one/calls.jsonl")).unwrap();
    assert!(
        calls
            .lines()
            .all(|call| serde_json::from_str::<Value>(call).is_ok())
    );
}
