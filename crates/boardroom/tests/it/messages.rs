//! What the program tells about runs: prices, costs, failures, answers, and where questions lie.

use crate::models::summary;
use crate::prepared::plan_file;
use crate::program::{call, names, ok, refused};
use crate::server::{Act, Server, reply};
use serde_json::json;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
const GAME: &str = "run beer-game --set weeks=3 --episodes 1 --agent openai:mock";

fn prices(dir: &Path, model: &str) -> String {
    let path = dir.join(format!("{model}.toml"));
    std::fs::write(
        &path,
        format!("[models.{model}]\ninput = 10.0\noutput = 100.0\n"),
    )
    .unwrap();
    path.display().to_string()
}

/// A model without a price would count as free: it is refused before anything is asked or written.
#[test]
fn a_price_file_must_price_every_model_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let (server, other) = (Server::start(0.0), prices(dir.path(), "other"));
    let text = "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"random\", \"openai:mock\"]\n";
    let plan = plan_file(dir.path(), text);
    let out = dir.path().join("run");
    for line in [
        format!("{GAME} --prices {other} --out {}", out.display()),
        format!("run --plan {plan} --prices {other} --out {}", out.display()),
        format!(
            "run qa --data {SAMPLES} --task FPB --agent openai:mock --judge openai:judge --prices {} \
             --out {}",
            prices(dir.path(), "mock"),
            out.display()
        ),
    ] {
        let output = server.run(&line);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {err}");
        assert!(err.contains("has no price"), "{line}: {err}");
        assert!(!out.exists(), "{line}");
    }
    assert_eq!(server.answered(), 0);
}

#[test]
fn the_text_of_a_priced_run_says_what_it_cost() {
    let dir = tempfile::tempdir().unwrap();
    let (server, file) = (Server::start(0.0), prices(dir.path(), "mock"));
    let text = |line: &str| {
        let output = server.run(line);
        assert_eq!(output.status.code(), Some(0), "{line}");
        String::from_utf8(output.stdout).unwrap()
    };
    for line in [
        GAME,
        "run consulting --preset short --rounds 1 --episodes 1 --agent openai:mock",
    ] {
        let priced = text(&format!("{line} --prices {file}"));
        assert!(priced.contains("cost [USD]"), "{priced}");
        assert!(!text(line).contains("cost [USD]"), "{line}");
    }
}

/// A run of questions goes on from any folder.
#[test]
fn questions_are_found_from_another_folder() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|n, body| match n {
        0..=1 => Act::Answer(reply(body, n)),
        2 => Act::Refuse(401, json!({"error": {"message": "no", "code": 401}})),
        _ => Act::Answer(reply(body, n)),
    });
    let out = dir.path().join("run");
    let fixtures = Path::new(SAMPLES).parent().unwrap();
    let line = format!(
        "run qa --data qa --task FPB --agent openai:mock --concurrency 1 --json --out {}",
        out.display()
    );
    let output = server
        .command(&line)
        .current_dir(fixtures)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let mut resume = server.command(&format!("resume {} --json", out.display()));
    let output = resume.current_dir(dir.path()).output().unwrap();
    assert_eq!(summary(&output)["episodes"], 4);
    ok(&format!("verify {}", out.display()));
}

/// The report lists what failed, and `replay` of an answer shows the right one and the outcome.
#[test]
fn failures_and_right_answers_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|n, body| match n {
        0..=1 => Act::Answer(reply(body, n)),
        _ => Act::Refuse(
            401,
            json!({"error": {"message": "<no credit>", "code": 401}}),
        ),
    });
    let (out, page) = (dir.path().join("run"), dir.path().join("page.html"));
    let line = format!(
        "run qa --data {SAMPLES} --task FPB --agent openai:mock --concurrency 1 --out {}",
        out.display()
    );
    assert_eq!(server.run(&line).status.code(), Some(1));
    let errors = std::fs::read_to_string(out.join("errors.jsonl")).unwrap();
    let count = errors.lines().count();
    let failed: serde_json::Value = serde_json::from_str(errors.lines().next().unwrap()).unwrap();
    ok(&format!("report {} -o {}", out.display(), page.display()));
    let page = std::fs::read_to_string(page).unwrap();
    let plural = if count == 1 { "" } else { "s" };
    let said = format!("Failed when last tried: {count} episode{plural} (auth: {count})");
    assert!(page.contains(&said), "{said}");
    assert!(page.contains(&format!("failed: {count}")), "{page}");
    let name = format!("<td class=\"left\">{}</td>", failed["episode"]);
    assert!(page.contains(&name), "{name}");
    assert!(
        page.contains("&lt;no credit&gt;") && !page.contains("<no credit>"),
        "no reason"
    );

    let shown = ok(&format!("replay {}", out.display()));
    assert!(shown.contains("right answer "), "{shown}");
    assert!(shown.contains("outcome: "), "{shown}");
    let none = refused(&["replay", out.to_str().unwrap(), "--episode", "9"], 2);
    assert!(none.contains("2 of 4 planned episodes have one"), "{none}");
}

/// Interviews have no periods to plan and no successes: the flags for them do not exist.
#[test]
fn interviews_take_no_flags_of_episodes() {
    let help = ok("run consulting --help");
    for flag in ["--planning", "--update-every", "--success"] {
        assert!(!help.contains(flag), "{flag}");
        let err = refused(&["run", "consulting", flag, "1"], 2);
        assert!(err.contains("unexpected argument"), "{err}");
    }
    let policies = ok("run --help");
    assert!(policies.contains("--planning") && policies.contains("--success"));
}

/// Beside clients and people `--seat` takes a policy only, so the options of models at seats are for `run` alone.
#[test]
fn the_help_of_games_has_no_options_of_models() {
    let flags = [
        "--seat-set",
        "--interviewer",
        "--judge",
        "--judges",
        "--judge-temperature",
    ];
    let words = |help: &str| -> Vec<String> {
        let words = help
            .split_whitespace()
            .filter(|word| word.starts_with("--"));
        words.map(str::to_owned).collect()
    };
    for command in ["play", "serve", "classroom"] {
        for game in ["", " qa", " consulting"] {
            let help = words(&ok(&format!("{command}{game} --help")));
            assert!(help.contains(&"--seat".to_owned()), "{command}{game}");
            let shown = flags
                .iter()
                .find(|flag| help.iter().any(|word| word == *flag));
            assert_eq!(shown, None, "{command}{game}");
        }
        // They are still refused by name.
        let line = [
            command,
            "consulting",
            "--preset",
            "short",
            "--judge",
            "openai:m",
        ];
        assert!(refused(&line, 2).contains("judge"), "{command}");
        // With or without a seat that has an agent, an option of a model is refused as what it is.
        for option in ["--seat-set=judge.temperature=1", "--judge-temperature=1"] {
            let said = refused(&[command, "consulting", option], 2);
            names(&said, &["models", "only policies", "boardroom run"]);
            assert!(!said.contains("openai:"), "{said}");
        }
    }
    let of_runs = words(&ok("run consulting --help"));
    assert!(of_runs.contains(&"--seat-set".to_owned()));
}

#[test]
fn a_missing_record_is_named_with_what_there_is() {
    let dir = tempfile::tempdir().unwrap();
    let (game, held) = (dir.path().join("game"), dir.path().join("held"));
    ok(&format!(
        "run beer-game --agent random --episodes 3 --out {}",
        game.display()
    ));
    ok(&format!(
        "run consulting --preset short --agent ideal --out {}",
        held.display()
    ));
    let asked = |dir: &Path| refused(&["replay", dir.to_str().unwrap(), "--episode", "77"], 2);
    assert!(asked(&game).contains("episode 77 has no record; 3 of 3 planned episodes have one"));
    assert!(asked(&held).contains("episode 77 has no record"));
    let shown = ok(&format!("replay {}", held.display()));
    assert!(shown.contains("closed by the interviewer"), "{shown}");
    assert!(!shown.contains("ended by Token"), "{shown}");
    // One record more than planned.
    let path = held.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{}\n", text.lines().next().unwrap())).unwrap();
    let found = call(&["verify", held.to_str().unwrap()]);
    assert_eq!(found.code, 1);
    let count = text.lines().count();
    assert!(
        found.out.contains(&format!(
            "{} records ({count} planned) not verified",
            count + 1
        )),
        "{}",
        found.out
    );
}
