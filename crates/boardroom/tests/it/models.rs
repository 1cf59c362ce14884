//! Models play through the whole program, against a server of our own on the loopback interface.

use crate::prepared::members;
use crate::program::{
    Refusal, json as answer, names, ok, refusal, sorted_lines, until, verifies, without_saving,
};
use crate::server::{Act, KEY, Server, called, said};
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use std::path::Path;
use std::process::Output;

/// What the program printed when it ended well.
pub fn complete(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The summary that the program printed of a complete run.
pub fn summary(output: &Output) -> Value {
    serde_json::from_str(&complete(output)).unwrap()
}

/// The error of an incomplete run with `--json`, which must end with this exit code.
fn complaint(output: &Output, code: i32) -> Refusal {
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert!(
        err.lines().count() <= 2 && !err.contains("panicked"),
        "{err}"
    );
    refusal(&err, code)
}

/// Every file below a folder, as bytes.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    all
}

/// Keys of the recorded calls.
pub fn recorded_keys(run: &Path) -> Vec<String> {
    let calls = std::fs::read_to_string(run.join("calls.jsonl")).unwrap();
    calls
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .map(|l| l["key"].to_string())
        .collect()
}

/// Numbers of the recorded episodes, in the order of the file.
pub fn recorded_episodes(run: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    let number = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["header"]["episode"].as_u64().unwrap()
    };
    text.lines().map(number).collect()
}

pub const GAME: &str = "run beer-game --preset random --set weeks=5 --agent openai:mock --json";

/// The server fails three requests in ten, each in another way; in the ordinary run there are 40
/// episodes.
#[test]
fn slow_200_episodes_survive_failures_and_play_again_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let server = Server::start(0.3);
    let game = GAME.replace("weeks=5", "weeks=3");
    let episodes = small_or_full(40, 200);
    let line = format!(
        "{game} --episodes {episodes} --concurrency 32 --out {}",
        out("live")
    );
    let live = summary(&server.run(&line));
    assert_eq!(
        (&live["episodes"], &live["failed"]),
        (&episodes.into(), &0.into())
    );
    let asked = 3 * usize::try_from(episodes).unwrap();
    assert_eq!(server.answered(), asked, "no answer is asked for twice");
    let failed = server.seen.lock().unwrap().len() - asked;
    assert!(failed > asked * 3 / 10, "{failed} requests failed");
    verifies(out("live"), episodes);
    let numbers = recorded_episodes(&dir.path().join("live"));
    assert_eq!(
        numbers,
        (0..episodes).collect::<Vec<_>>(),
        "each once, and in order"
    );
    let again = game.replace("openai:mock", &format!("replay:{}", out("live")));
    for (name, at_once) in [("again", 32), ("alone", 1)] {
        let line = format!(
            "{again} --episodes {episodes} --concurrency {at_once} --out {}",
            out(name)
        );
        let replayed: Value = serde_json::from_str(&ok(&line)).unwrap();
        assert_eq!(replayed["score"], live["score"]);
        let bytes = |name: &str| std::fs::read(dir.path().join(name).join("episodes.jsonl"));
        assert!(
            bytes("live").unwrap() == bytes(name).unwrap(),
            "a replay gives the same bytes, at {at_once} at once"
        );
    }
}

#[test]
fn the_key_stands_in_no_file_and_no_output() {
    let dir = tempfile::tempdir().unwrap();
    // It quotes the rejected key, as servers do, plain and in base64.
    let base64 = "c2stdGVzdC0wMTIzNDU2Nzg5YWJjZGVmZ2hpag";
    let server = Server::acting(move |n, body| {
        let quote = json!({"error": {"message": format!("no: {KEY}, {base64}")}});
        match n % 5 {
            0 => Act::Refuse(500, quote),
            _ if n > 25 => Act::Refuse(401, quote),
            _ => Act::Answer(crate::server::reply(body, n)),
        }
    });
    let outputs = [
        server.run(&format!(
            "{GAME} --episodes 3 --method dc --out {}",
            dir.path().join("learns").display()
        )),
        server.run(&format!(
            "{GAME} --episodes 9 --out {}",
            dir.path().join("refused").display()
        )),
    ];
    summary(&outputs[0]);
    let refused = complaint(&outputs[1], 1);
    names(&refused.message, &["auth: ", "[key]"]);
    let mut searched = 0;
    let said = outputs
        .into_iter()
        .flat_map(|output| [output.stdout, output.stderr])
        .map(|bytes| ("output".to_owned(), bytes));
    for (name, bytes) in files(dir.path()).into_iter().chain(said) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY) && !text.contains(base64), "{name}");
        searched += 1;
    }
    assert!(searched >= 10, "{searched}");
}

/// A failure that retries cannot fix ends the run at once and is reported.
#[test]
fn a_fatal_failure_is_named_and_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, _| {
        Act::Refuse(
            401,
            json!({"error": {"message": "this key is not known here"}}),
        )
    });
    let out = dir.path().join("run");
    let line = format!(
        "{GAME} --episodes 50 --concurrency 4 --out {}",
        out.display()
    );
    let error = complaint(&server.run(&line), 1);
    assert_eq!(error.kind, "failed");
    // The answer of the server is quoted, with the command that continues the run.
    let resume = format!("`boardroom resume {}", out.display());
    let facts = ["episode 0", ": auth: ", &resume];
    names(&error.message, &facts);
    // Several episodes were in progress; their reason is told once.
    let quoted = error.message.matches("this key is not known here");
    assert_eq!(quoted.count(), 1, "{}", error.message);
    let asked = server.seen.lock().unwrap().len();
    assert!(asked <= 8, "{asked} requests after the first refusal");
    let errors = std::fs::read_to_string(out.join("errors.jsonl")).unwrap();
    let first: Value = serde_json::from_str(errors.lines().next().unwrap()).unwrap();
    assert_eq!((&first["episode"], &first["tries"]), (&0.into(), &1.into()));
}

/// A run is not continued with another version of the environment.
#[test]
fn a_run_of_another_version_is_not_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let out = dir.path().join("run");
    summary(&server.run(&format!("{GAME} --episodes 2 --out {}", out.display())));
    let manifest = out.join("manifest.json");
    let mut value: Value =
        serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    let version = value["plan"]["version"].as_u64().unwrap();
    value["plan"]["version"] = json!(version + 1);
    value["plan_digest"] = json!(sim_core::Digest::of(&value["plan"]).unwrap());
    std::fs::write(&manifest, value.to_string()).unwrap();
    let answered = server.answered();
    let error = complaint(&server.run(&format!("resume {} --json", out.display())), 2);
    let made_with = format!("version {}", version + 1);
    names(&error.message, &[made_with.as_str(), "`boardroom rescore`"]);
    assert_eq!(server.answered(), answered, "nothing was asked");
}

/// Kills a run ten times (three times in the ordinary run) at moments drawn with `seed`; each kill may
/// lose as many answers as there were open requests.
pub fn kill_ten_times(server: &Server, first: &str, resume: &str, seed: u64) {
    for kill in 0..small_or_full(3, 10_u64) {
        let before = server.answered();
        let more = 3 + sim_core::Seed(seed).stream("kill", kill).index(20);
        server.hold_after(before + more);
        let mut child = server
            .command(if kill == 0 { first } else { resume })
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        until(&mut child, || server.answered() >= before + more);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    server.hold_after(usize::MAX);
}

/// A model run that is killed requests no answer twice and ends with the records of an
/// uninterrupted one.
#[test]
fn slow_a_killed_model_run_resumes_without_paying_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::acting(|_, body| {
        let text = body["messages"].to_string();
        Act::Answer(called(&json!({"quantity": 100 + text.len() % 300})))
    });
    let line = |name: &str| {
        format!(
            "{GAME} --episodes 60 --concurrency 4 --out {}",
            path(name).display()
        )
    };
    summary(&server.run(&line("whole")));
    let whole = server.answered();
    let resume = format!("resume {} --json --concurrency 4", path("cut").display());
    kill_ten_times(&server, &line("cut"), &resume, 3);
    let resumed = server.run(&resume);
    assert_eq!(summary(&resumed)["episodes"], 60);
    let lines = |name: &str| sorted_lines(&path(name).join("episodes.jsonl"));
    assert_eq!(lines("cut"), lines("whole"));
    let asked = server.answered() - whole;
    // An answer that had not arrived at a kill never reached the disk; at most four per kill.
    assert!(asked >= whole && asked <= whole + 40, "{asked} of {whole}");
    let mut keys = recorded_keys(&path("cut"));
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(count, keys.len(), "no recorded answer was asked for again");
}

#[test]
fn the_budget_holds_and_a_higher_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 10.0\noutput = 100.0\n").unwrap();
    let out = dir.path().join("run");
    let more = format!(
        "--episodes 20 --concurrency 32 --max-tokens 10 --prices {} --out {}",
        prices.display(),
        out.display()
    );
    // 100 tokens in and 10 out cost 0.002 dollars; 100 requests are needed.
    let poor = server.run(&format!("{GAME} {more} --max-cost 0.15"));
    let error = complaint(&poor, 3);
    assert_eq!(error.kind, "budget");
    names(&error.message, &["--max-cost"]);
    let spent = server.answered() as f64 * 0.002;
    assert!(spent < 0.15 + 0.002, "{spent}");
    assert!(
        spent > 0.05,
        "{spent}: the cap stops nothing before it must"
    );
    // A resume that names neither cap nor prices keeps those of the run.
    std::fs::remove_file(&prices).unwrap();
    let resume = format!("resume {} --json", out.display());
    complaint(&server.run(&resume), 3);
    let still = complaint(&server.run(&format!("{resume} --max-cost 0.15")), 3);
    names(&still.message, &["0.15"]);
    let rich = summary(&server.run(&format!("{resume} --max-cost 5")));
    assert_eq!(
        (&rich["episodes"], &rich["failed"]),
        (&20.into(), &0.into())
    );
    let cost = rich["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 0.2).abs() < 1e-6, "{cost}: all sittings together");
    assert_eq!(server.answered(), 100);
}

/// The cap is one for all runs of a plan, in all calls of the program together.
#[test]
fn the_budget_of_a_plan_holds_for_all_of_its_runs_on_resume() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 10.0\noutput = 100.0\n").unwrap();
    let plan = dir.path().join("plan.toml");
    let text = "seeds = [1, 2, 3]\nepisodes = 5\n[[runs]]\nenvironment = \"beer-game\"\n\
        presets = [\"random\"]\nset = { weeks = 5 }\nagents = [\"openai:mock\"]\nmax_tokens = 10\n";
    std::fs::write(&plan, text).unwrap();
    let out = dir.path().join("out");
    // A call that is refused leaves nothing that `resume` would play without its cap.
    let refused = server.run(&format!(
        "run --plan {} --out {} --json --max-cost 0.08",
        plan.display(),
        out.display()
    ));
    names(&complaint(&refused, 2).message, &["--prices"]);
    assert!(!out.join("sweep.toml").exists());
    // Each of the three runs sends 25 requests of 0.002 dollars.
    let begun = server.run(&format!(
        "run --plan {} --out {} --json --concurrency 1 --prices {} --max-cost 0.08",
        plan.display(),
        out.display(),
        prices.display()
    ));
    let error = complaint(&begun, 3);
    assert_eq!(error.kind, "budget");
    names(&error.message, &["0.08", "1 run", out.to_str().unwrap()]);
    let first = server.answered();
    assert!((26..=40).contains(&first), "{first}");
    // Neither the cap nor the prices are named again, and one run has no folder yet.
    std::fs::remove_file(&prices).unwrap();
    let resume = format!("resume {} --json --concurrency 1", out.display());
    names(&complaint(&server.run(&resume), 3).message, &["0.08"]);
    // What the second run has paid is not free for the first one, which goes on.
    let run = |seed: u64| {
        let of = |run: &std::path::PathBuf| {
            let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
            serde_json::from_str::<Value>(&manifest).unwrap()["plan"]["seed"] == seed
        };
        members(&out, "beer-game").into_iter().find(of).unwrap()
    };
    // As of a process that died when it had made the folder of the run, and nothing more.
    for name in [
        "episodes.jsonl",
        "calls.jsonl",
        "prices.json",
        "cap.json",
        "access.json",
    ] {
        std::fs::remove_file(run(1).join(name)).unwrap();
    }
    let before = server.answered();
    complaint(&server.run(&format!("{resume} --max-cost 0.05")), 3);
    let played = server.answered() - before;
    let left = 25 - (first - 25);
    assert!((1..=left).contains(&played), "{played} of {left}");
    let done = complete(&server.run(&format!("{resume} --max-cost 5")));
    let costs: Vec<f64> = done
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["usage"]["cost_usd"].as_f64())
        .map(Option::unwrap)
        .collect();
    assert_eq!(costs.len(), 3);
    for cost in costs {
        assert!((cost - 0.05).abs() < 1e-9, "{cost}");
    }
}

/// What was paid before a price was named counts at that price: against the cap, and in every table.
#[test]
fn calls_without_a_price_cost_what_their_tokens_cost_once_a_price_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 0.0\noutput = 100.0\n").unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let run = path("run");
    let line = |episodes: u64| {
        format!("{GAME} --episodes {episodes} --concurrency 1 --max-tokens 10 --out {run}")
    };
    // 25 requests of 10 tokens; each of them will cost 0.001 dollars.
    let free = summary(&server.run(&line(5)));
    assert_eq!(free["usage"]["cost_usd"], 0.0);
    let priced = format!("--prices {}", prices.display());
    let poor = server.run(&format!("{} {priced} --max-cost 0.03", line(20)));
    assert_eq!(poor.status.code(), Some(3));
    assert_eq!(server.answered(), 30);
    let resume = format!("resume {run} --json --concurrency 1");
    let done = summary(&server.run(&format!("{resume} --max-cost 5")));
    let cost = |summary: &Value| summary["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost(&done) - 0.1).abs() < 1e-9, "{done}");
    let finished = summary(&server.run(&resume));
    assert!((cost(&finished) - 0.1).abs() < 1e-9, "{finished}");
    let page = path("report.html");
    ok(&format!("report {run} -o {page}"));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("0.1 USD"), "the report counts them too");
    verifies(&run, 20);

    // The same in a plan, whose first run was finished without a price.
    let plan = dir.path().join("plan.toml");
    let text = "seeds = [1, 2]\nepisodes = 5\n[[runs]]\nenvironment = \"beer-game\"\n\
        presets = [\"random\"]\nset = { weeks = 5 }\nagents = [\"openai:mock\"]\nmax_tokens = 10\n";
    std::fs::write(&plan, text).unwrap();
    let out = path("out");
    let before = server.answered();
    server.hold_after(before + 26);
    let mut child = server
        .command(&format!(
            "run --plan {} --out {out} --concurrency 1",
            plan.display()
        ))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until(&mut child, || server.answered() >= before + 26);
    child.kill().unwrap();
    child.wait().unwrap();
    server.hold_after(usize::MAX);
    let resume = format!("resume {out} --json --concurrency 1");
    let poor = server.run(&format!("{resume} {priced} --max-cost 0.03"));
    assert_eq!(poor.status.code(), Some(3));
    let paid = server.answered() - before;
    assert!((26..=31).contains(&paid), "{paid}");
    // It is said why a plan stops before all of its cap is used.
    let said = String::from_utf8_lossy(&poor.stderr);
    names(&said, &["$0.03", "next request may cost"]);
    // The prices are those of both runs from now on, also of the one that had nothing left to play.
    let rich = complete(&server.run(&format!("{resume} --max-cost 5")));
    for line in rich.lines() {
        let summary: Value = serde_json::from_str(line).unwrap();
        assert!((cost(&summary) - 0.025).abs() < 1e-9, "{summary}");
    }
    assert_eq!(rich.lines().count(), 2);
}

/// Prices that are named late reach runs that were verified, which stay verified; those that are named later replace
/// them.
#[test]
fn late_prices_of_a_plan_reach_verified_runs() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let path = |name: &str| dir.path().join(name).display().to_string();
    let text = "seeds = [1, 2]\nepisodes = 2\n[[runs]]\nenvironment = \"beer-game\"\n\
        presets = [\"random\"]\nset = { weeks = 5 }\nagents = [\"openai:mock\"]\nmax_tokens = 10\n";
    std::fs::write(path("plan.toml"), text).unwrap();
    let out = path("out");
    complete(&server.run(&format!("run --plan {} --out {out}", path("plan.toml"))));
    ok(&format!("verify {out}"));
    let costs = |resume: &str| {
        let lines = complete(&server.run(&format!("resume {out} --json {resume}")));
        let costs = lines.lines().map(|line| {
            let summary: Value = serde_json::from_str(line).unwrap();
            summary["usage"]["cost_usd"].as_f64().unwrap()
        });
        costs.collect::<Vec<_>>()
    };
    let prices = |output: f64| {
        let book = format!("[models.mock]\ninput = 0.0\noutput = {output:.1}\n");
        std::fs::write(path("prices.toml"), book).unwrap();
        format!("--prices {}", path("prices.toml"))
    };
    // 10 requests of 10 tokens in each run.
    for (price, cost) in [(100.0, 0.01), (200.0, 0.02)] {
        for resume in [prices(price), String::new()] {
            let all = costs(&resume);
            assert_eq!(all.len(), 2);
            assert!(all.iter().all(|all| (all - cost).abs() < 1e-9), "{all:?}");
        }
        let table = ok(&format!("export {out}"));
        let verified = |row: &str| row.split(',').any(|cell| cell == "verified");
        assert!(table.lines().all(verified), "{table}");
        let report = answer(&format!("report {out} --json"));
        let usage = report.pointer("/tasks/0/agents/0/summary/usage/cost_usd");
        let told = usage.and_then(Value::as_f64).unwrap();
        assert!((told - 2.0 * cost).abs() < 1e-9, "{told}");
        ok(&format!("verify {out}"));
    }
    // A price does not make a folder verified that was changed.
    let run = members(&out, "beer-game").remove(0);
    let held = run.join("prices.json");
    let text = std::fs::read_to_string(&held).unwrap();
    std::fs::write(&held, text + "\n").unwrap();
    costs(&prices(1.0));
    names(&ok(&format!("export {}", run.display())), &["altered"]);
}

/// A cap that a refused start names does not hold for the next one.
#[test]
fn a_refused_start_does_not_raise_the_cap_of_a_plan() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 10.0\noutput = 100.0\n").unwrap();
    let plan = dir.path().join("plan.toml");
    let text = "episodes = 5\n[[runs]]\nenvironment = \"beer-game\"\npresets = [\"random\"]\n\
        set = { weeks = 5 }\nagents = [\"openai:mock\"]\nmax_tokens = 10\n";
    std::fs::write(&plan, text).unwrap();
    let out = dir.path().join("out");
    complaint(
        &server.run(&format!(
            "run --plan {} --out {} --json --concurrency 1 --prices {} --max-cost 0.02",
            plan.display(),
            out.display(),
            prices.display()
        )),
        3,
    );
    let cap = || std::fs::read_to_string(out.join("cap.json")).unwrap();
    assert_eq!(cap(), "0.02");
    let asked = server.answered();
    let folder = out.display().to_string();
    // Another process is using the folder of the run.
    let run = members(&out, "beer-game").remove(0);
    let held = std::fs::File::open(run).unwrap();
    held.lock().unwrap();
    let resume = format!("resume {folder} --json --max-cost 5");
    complaint(&server.run(&resume), 4);
    assert_eq!((cap().as_str(), server.answered()), ("0.02", asked));
    drop(held);
    complete(&server.run(&resume));
    assert_eq!(cap(), "5.0");
}

/// Only what asks a server needs a price.
#[test]
fn a_recording_needs_no_price() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let from = dir.path().join("from");
    summary(&server.run(&format!("{GAME} --episodes 2 --out {}", from.display())));
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.other]\ninput = 1.0\noutput = 1.0\n").unwrap();
    let plan = dir.path().join("plan.toml");
    let text = format!(
        "episodes = 2\n[[runs]]\nenvironment = \"beer-game\"\npresets = [\"random\"]\n\
         set = {{ weeks = 5 }}\nagents = [\"replay:{}\"]\n",
        from.display()
    );
    std::fs::write(&plan, text).unwrap();
    let out = dir.path().join("out");
    let line = format!(
        "run --plan {} --out {} --json --prices {} --max-cost 1",
        plan.display(),
        out.display(),
        prices.display()
    );
    for _ in 0..2 {
        assert_eq!(summary(&server.run(&line))["episodes"], 2);
    }
}

#[test]
fn wrong_means_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let server = Server::start(0.0);
    let refused = |words: &str| {
        let output = server.run(&format!("{GAME} {words}"));
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        refusal(&err, 2)
    };
    let prices = [
        ("nowhere.toml".to_owned(), "nowhere.toml"),
        (
            file("a.toml", "[models.mock]\ninput = \"much\"\n"),
            "a.toml",
        ),
        (
            file("b.toml", "[models.mock]\ninput = -1\noutput = 1\n"),
            "b.toml",
        ),
        (file("c.toml", "[models.mock\n"), "c.toml"),
        (
            file("d.toml", "[models.mock]\ninput = 1\nouput = 1\n"),
            "ouput",
        ),
    ];
    for (path, part) in prices {
        let error = refused(&format!("--max-cost 1 --prices {path}"));
        names(&error.message, &[part]);
        assert_eq!(error.message.lines().count(), 1, "{error:?}");
    }
    let empty = file("empty.txt", "\n");
    let cases = [
        ("--max-cost lots", "lots"),
        ("--max-cost -1", "-1"),
        ("--max-cost NaN", "NaN"),
        ("--max-cost 1", "price"),
        ("--temperature 9", "0 to 2"),
        ("--max-tokens 0", "1 to 10000000"),
        ("--method cott", "self-refine"),
        ("--method gepa", "--instruction"),
        ("--method cot --instruction x.txt", "gepa"),
        (&format!("--method gepa --instruction {empty}"), "empty.txt"),
        ("--method gepa --instruction nowhere", "nowhere"),
        ("--feedback some", "ground_truth"),
        ("--method cot --streams 3", "--streams"),
        ("--method dc --streams 0", "0"),
        ("--method dc --update-every 0", "--update-every"),
        ("--method dc --success NaN", "--success"),
        (
            "--method dc --streams 9000000 --episodes 9000000",
            "not `9000000` times --streams 9000000",
        ),
    ];
    for (words, part) in cases {
        names(&refused(words).message, &[part]);
    }
    let words = ["run", "beer-game", "--agent", "openai:mock"];
    let without = without_saving(&words)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    assert_eq!(without.status.code(), Some(2));
    names(
        &String::from_utf8_lossy(&without.stderr),
        &["OPENAI_API_KEY"],
    );
    assert_eq!(server.answered(), 0, "nothing was asked");
}

/// 30 % of the requests fail in one of four ways; the others get an answer that depends on the
/// question alone.
fn unreliable() -> Server {
    Server::acting(|n, body| {
        let mut chance = sim_core::Seed(11).stream("fault", n);
        if chance.chance(0.3) {
            return match chance.below(4) {
                0 => Act::Refuse(500, json!({"error": {"message": "tired", "code": 500}})),
                1 => Act::Refuse(503, json!({"error": {"message": "come back later"}})),
                2 => Act::Answer(json!({"choices": []})),
                _ => Act::Reset,
            };
        }
        let text = body["messages"].to_string();
        Act::Answer(said(["positive", "negative", "neutral"][text.len() % 3]))
    })
}

/// Runs `line` to its end without interruption, and again with ten kills: the records are equal,
/// and every command accepts both folders.
fn killed_equals_whole(line: &str, units: u64, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = unreliable();
    let run = |name: &str| format!("{line} --concurrency 8 --out {}", path(name).display());
    assert_eq!(summary(&server.run(&run("whole")))["episodes"], units);
    let resume = format!("resume {} --json --concurrency 8", path("cut").display());
    kill_ten_times(&server, &run("cut"), &resume, seed);
    assert_eq!(summary(&server.run(&resume))["episodes"], units);
    let lines = |name: &str| sorted_lines(&path(name).join("episodes.jsonl"));
    assert_eq!(lines("cut"), lines("whole"));
    let records = |name: &str| std::fs::read(path(name).join("episodes.jsonl")).unwrap();
    assert!(records("cut") == records("whole"), "the order of records");
    let keys = recorded_keys(&path("cut"));
    let different: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!(
        keys.len(),
        different.len(),
        "no recorded answer was asked for again"
    );
    let both = format!("{} {}", path("cut").display(), path("whole").display());
    let verified = ok(&format!("verify {both}"));
    let counted = format!(": {units} records ");
    assert_eq!(verified.matches(&counted).count(), 2, "{verified}");
    let compared = ok(&format!("compare {both}"));
    let said = ["equal", "not distinguishable"];
    assert!(
        said.iter().any(|verdict| compared.contains(verdict)),
        "{compared}"
    );
    for name in ["cut", "whole"] {
        let out = path(name);
        let shown = ok(&format!("replay {} --episode 7", out.display()));
        assert!(shown.lines().count() > 3, "{shown}");
        ok(&format!("export {}", out.display()));
    }
    for line in ok(&format!("rescore {both} --json")).lines() {
        let rescored: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (
                &rescored["episodes"],
                &rescored["changed"],
                &rescored["unfinished"]
            ),
            (&units.into(), &0.into(), &0.into())
        );
    }
    let page = path("report.html");
    ok(&format!("report {both} --output {}", page.display()));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("openai:mock") && page.contains("verified"));
}

#[test]
fn slow_500_questions_killed_ten_times_end_in_the_same_answers() {
    let units = small_or_full(120, 500);
    let data = tempfile::tempdir().unwrap();
    let items: Vec<Value> = (1..=units)
        .map(|id| json!({"ID": id, "sentence": format!("Sales rose by {id} % in region {}.", id % 37), "label": "positive"}))
        .collect();
    let file = data.path().join("FPB.json");
    std::fs::write(&file, json!(items).to_string()).unwrap();
    let line = format!(
        "run qa --agent openai:mock --json --task FPB --data {}",
        file.display()
    );
    killed_equals_whole(&line, units, 21);
}

#[test]
fn slow_interviews_killed_ten_times_end_in_the_same_records() {
    let units = small_or_full(16, 48);
    let line = format!("run consulting --agent openai:mock --json --episodes {units} --rounds 6");
    killed_equals_whole(&line, units, 22);
}
