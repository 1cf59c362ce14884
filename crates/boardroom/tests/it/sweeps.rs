//! Many runs from one plan file.

use crate::prepared::{members, plan_file};
use crate::program::{call, json, names, ok, refusal, refused, refused_json, sorted_lines, until};
use std::path::{Path, PathBuf};

const PLAN: &str = r#"
seed = 4
episodes = 12

[[runs]]
environment = "beer-game"
presets = ["random", "stationary"]
agents = ["random", "sterman"]

[[runs]]
environment = "beer-game"
agents = ["constant:400"]
episodes = 2
set = { "cost.backlog" = 2.0 }
"#;

/// Every record below a folder, sorted.
fn records(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let file: PathBuf = entry.unwrap().path().join("episodes.jsonl");
        if file.exists() {
            all.extend(sorted_lines(&file));
        }
    }
    all.sort();
    all
}

#[test]
fn a_plan_runs_every_combination_once_and_shards_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let file = plan_file(dir.path(), PLAN);
    let whole = dir.path().join("whole");
    let out = ok(&format!(
        "run --plan {file} --out {} --json",
        whole.display()
    ));
    assert_eq!(out.lines().count(), 5);
    assert_eq!(records(&whole).len(), 4 * 12 + 2);
    let again = ok(&format!(
        "run --plan {file} --out {} --json",
        whole.display()
    ));
    assert_eq!(again.lines().count(), 5, "nothing is played twice");
    assert_eq!(records(&whole).len(), 4 * 12 + 2);
    ok(&format!("verify {}", whole.display()));
    let mut parts = Vec::new();
    for i in 0..4 {
        let part = dir.path().join(format!("part{i}"));
        ok(&format!(
            "run --plan {file} --out {} --json --shard {i}/4",
            part.display()
        ));
        parts.extend(records(&part));
    }
    parts.sort();
    assert_eq!(parts, records(&whole));
}

/// Runs of one episode are divided too: every shard gets its part of the runs, `resume` continues
/// that part alone, and the parts together are the whole.
#[test]
fn shards_divide_runs_of_a_single_episode() {
    let dir = tempfile::tempdir().unwrap();
    let text = "seeds = [0, 1, 2, 3, 4, 5]\nepisodes = 1\n[[runs]]\nenvironment = \"beer-game\"\n\
                presets = [\"random\"]\nagents = [\"typical\", \"sterman\"]\n";
    let file = plan_file(dir.path(), text);
    let whole = dir.path().join("whole");
    ok(&format!("run --plan {file} --out {}", whole.display()));
    let mut parts = Vec::new();
    for i in 0..4 {
        let part = dir.path().join(format!("part{i}"));
        ok(&format!(
            "run --plan {file} --out {} --shard {i}/4",
            part.display()
        ));
        let played = records(&part);
        assert_eq!(played.len(), 3, "shard {i}");
        std::fs::remove_dir_all(&members(&part, "")[0]).unwrap();
        ok(&format!("resume {}", part.display()));
        assert_eq!(records(&part), played, "shard {i} resumed");
        parts.extend(played);
    }
    parts.sort();
    assert_eq!(parts, records(&whole));
}

/// With several folders, each line names its folder: those that passed and those that failed.
#[test]
fn verifying_a_sweep_names_its_members() {
    let dir = tempfile::tempdir().unwrap();
    let file = plan_file(dir.path(), PLAN);
    let out = dir.path().join("out");
    ok(&format!("run --plan {file} --out {}", out.display()));
    let verified = ok(&format!("verify {}", out.display()));
    let members = members(&out, "");
    // The verdict, and the line about what is proven.
    assert_eq!(verified.lines().count(), 2 * members.len());
    for member in &members {
        let line = |line: &str| {
            line.starts_with(&format!("{}: ", member.display())) && line.contains(" records ")
        };
        assert!(verified.lines().any(line), "{verified}");
    }
    let altered = members[1].join("episodes.jsonl");
    let text = std::fs::read_to_string(&altered).unwrap();
    let score = text.find("\"score\"").unwrap();
    let digit = score + text[score..].find(|c: char| c.is_ascii_digit()).unwrap();
    let mut text = text.into_bytes();
    text[digit] = if text[digit] == b'9' { b'1' } else { b'9' };
    std::fs::write(&altered, text).unwrap();
    let called = call(&["verify", out.to_str().unwrap()]);
    assert_eq!(called.code, 1, "{}", called.err);
    let name = |path: &Path| format!("{}: ", path.display());
    assert!(
        called.err.contains(&name(&members[1])) && !called.err.contains(&name(&members[0])),
        "{}",
        called.err
    );
    assert!(called.out.contains(&name(&members[0])), "{}", called.out);
    let sound = format!("{}2 records ", name(&members[1]));
    assert!(!called.out.contains(&sound), "{}", called.out);
}

#[test]
fn an_interrupted_sweep_is_finished_by_resume() {
    let dir = tempfile::tempdir().unwrap();
    let file = plan_file(dir.path(), PLAN);
    let out = dir.path().join("cut");
    ok(&format!("run --plan {file} --out {} --json", out.display()));
    let whole = records(&out);
    let runs = members(&out, "");
    std::fs::remove_dir_all(&runs[0]).unwrap();
    let called = call(&["verify", out.to_str().unwrap()]);
    let name = runs[0].file_name().unwrap().to_str().unwrap();
    assert_eq!(
        called.code, 0,
        "as for a run that lacks episodes: {}",
        called.err
    );
    names(&called.err, &["1 run ", name]);
    let half = runs[1].join("episodes.jsonl");
    let text = std::fs::read_to_string(&half).unwrap();
    std::fs::write(&half, &text[..text.len() / 2]).unwrap();
    ok(&format!("resume {} --json", out.display()));
    assert_eq!(records(&out), whole);
}

/// The message names the folder of the sweep: resuming the run alone would leave the rest unplayed.
#[cfg(unix)]
#[test]
fn a_sweep_stopped_within_a_run_names_the_sweep_to_go_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let long = PLAN.replacen("episodes = 12", "episodes = 1000000", 1);
    let file = plan_file(dir.path(), &long);
    let out = dir.path().join("cut");
    let mut child = crate::program::boardroom(&["run", "--plan", &file, "--out"])
        .arg(&out)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until(&mut child, || out.exists() && !records(&out).is_empty());
    let interrupt = ["-INT", &child.id().to_string()];
    let sent = std::process::Command::new("kill").args(interrupt).status();
    assert!(sent.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let said = String::from_utf8(done.stderr).unwrap();
    let resume = format!("`boardroom resume {}`", out.display());
    names(&said, &["4 runs", &resume]);
}

#[test]
fn shards_are_read_from_the_variables_of_schedulers() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = |name: &str, variables: &[(&str, &str)]| {
        let line = format!(
            "run beer-game --preset random --agent sterman --episodes 9 --json --shard auto --out {}",
            out(name)
        );
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = crate::program::boardroom(&words);
        command.envs(variables.iter().copied()).output().unwrap()
    };
    let slurm = [
        ("SLURM_ARRAY_TASK_ID", "3"),
        ("SLURM_ARRAY_TASK_COUNT", "3"),
        ("SLURM_ARRAY_TASK_MIN", "1"),
    ];
    assert!(run("slurm", &slurm).status.success());
    // In steps of 3 and from 0: 0, 3, 6.
    let steps = [
        ("SLURM_ARRAY_TASK_ID", "6"),
        ("SLURM_ARRAY_TASK_COUNT", "3"),
        ("SLURM_ARRAY_TASK_MIN", "0"),
        ("SLURM_ARRAY_TASK_MAX", "6"),
        ("SLURM_ARRAY_TASK_STEP", "3"),
    ];
    assert!(run("steps", &steps).status.success());
    // A list with gaps: 0, 1, 6.
    let list = [
        steps[0],
        steps[1],
        steps[2],
        steps[3],
        ("SLURM_ARRAY_TASK_STEP", "1"),
    ];
    assert_eq!(run("list", &list).status.code(), Some(2));
    let pods = [("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "3")];
    assert!(run("pods", &pods).status.success());
    let lines = |name: &str| sorted_lines(&dir.path().join(name).join("episodes.jsonl"));
    assert_eq!((lines("slurm").len(), lines("slurm")), (3, lines("pods")));
    assert_eq!(lines("steps"), lines("pods"));
    let none = run("none", &[]);
    assert_eq!(none.status.code(), Some(2));
    let said = String::from_utf8(none.stderr).unwrap();
    let variables = ["auto", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
    names(&refusal(&said, 2).message, &variables);
}

#[test]
fn wrong_plans_are_named_by_place() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out").to_str().unwrap().to_owned();
    let wrong = |text: &str, facts: &[&str]| {
        let file = plan_file(dir.path(), text);
        let refusal = refused_json(&["run", "--plan", &file, "--out", &out], 2);
        let message = refusal.message.as_str();
        assert!(message.trim().lines().count() <= 2, "{message}");
        names(message, &[&[file.as_str()], facts].concat());
        assert!(!Path::new(&out).exists(), "a wrong plan begins nothing");
    };
    let runs = |body: &str| format!("[[runs]]\nenvironment = \"beer-game\"\n{body}\n");
    let played = "agents = [\"random\"]";
    wrong("seed = 1\ncolour = 2\nruns = []\n", &["line 2", "colour"]);
    wrong("runs = []", &["runs"]);
    wrong(
        &runs("agents = [\"nobody\"]"),
        &["runs[0]: agent", "`nobody`"],
    );
    wrong(
        &runs("agents = [\"random\", \"random\"]"),
        &["random", "twice"],
    );
    wrong(
        &runs(&format!("{played}\nset = {{ x = 1 }}")),
        &["runs[0]", "`x`"],
    );
    // As in `[[questions]]`, where a list stands for several runs.
    for several in [
        "{ \"board.ship_delay\" = [1, 2] }",
        "[{ \"board.ship_delay\" = 1 }, { \"board.ship_delay\" = 2 }]",
    ] {
        let body = format!("{played}\nset = {several}");
        wrong(&runs(&body), &["list", "one table [[runs]]"]);
    }
    // The keys of questions are named as a plan has them, and none that only a command line has.
    let questions = |key: &str| format!("[[questions]]\nagent = \"oracle\"\n{key}\n");
    wrong(
        &questions("set = { weeks = 3 }"),
        &["questions[0]", "`set`", "temperature"],
    );
    wrong(&questions("temprature = 0.5"), &["`temperature`"]);
    for key in ["set = { weeks = 3 }", "nothing = 1"] {
        let file = plan_file(dir.path(), &questions(key));
        let message = refused_json(&["run", "--plan", &file, "--out", &out], 2).message;
        assert!(
            !message.contains("--") && !message.contains("max-cost"),
            "{message}"
        );
    }
    let quarrel = runs("agents = [\"openai:x\"]\nmethods = [\"quarrel\"]");
    wrong(&quarrel, &["runs[0]", "quarrel"]);
    for option in ["methods = [\"cot\"]", "temperature = 0.5"] {
        let name = option.split(' ').next().unwrap();
        wrong(
            &runs(&format!("{played}\n{option}")),
            &["runs[0]", name, "models"],
        );
    }
    wrong("seed = 1\n", &["[[runs]]", "`environment`", "`agents`"]);
    wrong(
        &format!("seeds = 3\n{}", runs(played)),
        &["line 1", "`3`", "list"],
    );
    // An empty list means neither "nothing" nor the default: it is an error.
    for (text, place) in [
        (runs("agents = []"), "runs[0]: agents"),
        (format!("seeds = []\n{}", runs(played)), "plan.toml: seeds"),
        (runs(&format!("{played}\npresets = []")), "runs[0]: presets"),
        (runs(&format!("{played}\nmethods = []")), "runs[0]: methods"),
    ] {
        wrong(&text, &[place, "empty list"]);
    }
    wrong(
        &runs(&format!("{played}\nepisodes = 0")),
        &["runs[0]: episodes", "`0`"],
    );
    let file = plan_file(dir.path(), PLAN);
    let money = ["run", "--plan", &file, "--out", &out, "--max-cost", "1"];
    names(&refused_json(&money, 2).message, &["--max-cost"]);
    names(
        &refused_json(&["run", "--plan", &file], 2).message,
        &["--out"],
    );
    let both = ["run", "beer-game", "--plan", &file, "--out", &out];
    names(&refused_json(&both, 2).message, &["--plan"]);
    assert_eq!(
        call(&["run", "--plan", "nowhere.toml", "--out", &out]).code,
        2
    );
    json(&format!("run beer-game --agent sterman --json --out {out}"));
}

/// The plans in the documentation use names and settings that exist.
#[test]
fn the_published_layouts_can_be_planned() {
    use boardroom::registry::Registry;
    use run_engine::plan::Shard;
    use run_engine::sweep::Sweep;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let (sweep, _) = Sweep::read(&path).unwrap();
        let plans = sweep
            .plans(&Registry::new(), Shard::default())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let asks = !sweep.questions.is_empty();
        assert!(plans.len() >= 8 || asks, "{}", path.display());
        files += 1;
    }
    assert!(files >= 4, "{files} plans");
}

/// Every seed and every method of a model is a run of its own; a policy has no method.
#[test]
fn seeds_and_methods_multiply() {
    use boardroom::registry::Registry;
    use run_engine::plan::Shard;
    use run_engine::sweep::Sweep;
    let dir = tempfile::tempdir().unwrap();
    let text = r#"
seeds = [1, 2, 3]
[[runs]]
environment = "beer-game"
agents = ["sterman", "openai:some-model"]
methods = ["cot", "debate"]
"#;
    let file = plan_file(dir.path(), text);
    let plans = |file: &str| {
        let (sweep, _) = Sweep::read(Path::new(file)).unwrap();
        sweep.plans(&Registry::new(), Shard::default())
    };
    let made = plans(&file).unwrap();
    assert_eq!(made.len(), 3 + 3 * 2);
    let folders: std::collections::BTreeSet<&String> = made.iter().map(|(name, _)| name).collect();
    assert_eq!(folders.len(), 9);
    let file = plan_file(dir.path(), &format!("seed = 1\n{text}"));
    let error = plans(&file).unwrap_err().to_string();
    names(&error, &["`seed`", "`seeds`"]);
    let file = plan_file(dir.path(), &text.replace("debate", "quarrel"));
    let error = plans(&file).unwrap_err().to_string();
    names(&error, &["runs[0]", "quarrel"]);
}

/// The methods that take an instruction get it, by whatever name, and the others of the list do without.
#[test]
fn an_instruction_goes_to_the_methods_that_take_one() {
    use agent_client::method::MemorySpec;
    use boardroom::registry::Registry;
    use run_engine::plan::Shard;
    use run_engine::sweep::Sweep;
    let dir = tempfile::tempdir().unwrap();
    let instruction = dir.path().join("instruction.txt");
    std::fs::write(&instruction, "Order little.").unwrap();
    let sweep = |methods: &str| {
        let text = format!(
            "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"openai:m\", \"sterman\"]\n{methods}\n\
             instruction = \"{}\"\n",
            instruction.display()
        );
        Sweep::read(Path::new(&plan_file(dir.path(), &text)))
            .unwrap()
            .0
    };
    let good = sweep(r#"methods = ["cot", "reasoning+instruction", "gepa"]"#);
    good.check_settings_of_models().unwrap();
    let plans = good.plans(&Registry::new(), Shard::default()).unwrap();
    let memories = plans.iter().filter_map(|(_, plan)| plan.model.as_ref());
    let instructions = memories.map(|model| match &model.method.memory {
        MemorySpec::Instruction(text) => text.as_deref(),
        _ => None,
    });
    let expected = [None, Some("Order little."), Some("Order little.")];
    assert_eq!(instructions.collect::<Vec<_>>(), expected);
    for (methods, part) in [
        (r#"methods = ["cot"]"#, "instruction"),
        ("", "instruction"),
        ("method = \"gepa\"\nmethods = [\"gepa\"]", "`methods`"),
    ] {
        let error = sweep(methods).check_settings_of_models().unwrap_err();
        names(&error.to_string(), &["runs[0]", part]);
    }
}

/// A few lines can stand for more runs than memory holds; they are counted before any is made.
#[test]
fn a_plan_of_too_many_runs_is_refused() {
    use run_engine::sweep::Sweep;
    let dir = tempfile::tempdir().unwrap();
    let lists = |keys: usize, length: usize| {
        let list = (0..length).collect::<Vec<_>>();
        let lines = (0..keys).map(|key| format!("key{key} = {list:?}\n"));
        format!("[[questions]]\n{}", lines.collect::<String>())
    };
    let runs =
        "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"a\", \"b\"]\nmethods = [\"c\"]\n";
    let seeds = |count: usize| format!("seeds = {:?}\n", (0..count).collect::<Vec<_>>());
    for (text, fits) in [
        (lists(5, 10), true),
        (lists(12, 10), false),
        (lists(64, 2), false),
        (lists(5, 10) + &lists(1, 1), false),
        (seeds(50_000) + runs, true),
        (seeds(50_001) + runs, false),
        (seeds(1_000) + &lists(2, 11), false),
    ] {
        let read = Sweep::read(Path::new(&plan_file(dir.path(), &text)));
        assert_eq!(read.is_ok(), fits, "{:.60}", text);
    }
}

/// The seeds at the head of a plan are those of questions too, unless a table names its own.
#[test]
fn seeds_of_a_plan_hold_for_questions() {
    let dir = tempfile::tempdir().unwrap();
    let questions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
    let table =
        format!("[[questions]]\ndata = \"{questions}\"\ntask = \"FPB\"\nagent = \"oracle\"\n");
    for (number, (head, own, expected)) in [
        ("seeds = [1, 2, 3]\n", "", vec![1, 2, 3]),
        ("seed = 4\n", "", vec![4]),
        ("seeds = [1, 2, 3]\n", "seed = [7, 8]\n", vec![7, 8]),
    ]
    .into_iter()
    .enumerate()
    {
        let file = plan_file(dir.path(), &format!("{head}{table}{own}"));
        let out = dir.path().join(number.to_string());
        ok(&format!("run --plan {file} --out {}", out.display()));
        let mut seeds: Vec<u64> = std::fs::read_dir(&out)
            .unwrap()
            .filter_map(|entry| {
                let manifest = entry.unwrap().path().join("manifest.json");
                let manifest = std::fs::read_to_string(manifest).ok()?;
                let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
                manifest["plan"]["seed"].as_u64()
            })
            .collect();
        seeds.sort_unstable();
        assert_eq!(seeds, expected, "{head}{own}");
    }
}

/// In the table at the end of a plan, runs of one model are told apart by how it is sampled.
#[test]
fn a_sampling_that_differs_is_named() {
    use boardroom::registry::Registry;
    use run_engine::plan::Shard;
    use run_engine::sweep::Sweep;
    use run_report::runs::labels::models_apart;
    let dir = tempfile::tempdir().unwrap();
    let part = |agent: &str, options: &str| {
        format!("[[runs]]\nenvironment = \"beer-game\"\nagents = [\"{agent}\"]\n{options}\n")
    };
    let text = [
        part("openai:m", "temperature = 0.25"),
        part("openai:m", "temperature = 0.75"),
        part("openai:other", "temperature = 0.75"),
        part("sterman", ""),
    ];
    let file = plan_file(dir.path(), &text.concat());
    let (sweep, _) = Sweep::read(Path::new(&file)).unwrap();
    let plans = sweep.plans(&Registry::new(), Shard::default()).unwrap();
    let words = models_apart(&plans.iter().map(|(_, plan)| plan).collect::<Vec<_>>());
    assert_eq!(words.len(), 4);
    names(&words[0], &["0.25"]);
    names(&words[1], &["0.75"]);
    assert_eq!(words[2..], ["", ""]);
    // One that is said to have a temperature, beside one that only seems to have none, would mislead.
    let text = [
        part(
            "openai:m",
            "methods = [\"direct\", \"cot\"]\ntemperature = 0.5",
        ),
        part("openai:m", "methods = [\"direct\"]"),
    ];
    let file = plan_file(dir.path(), &text.concat());
    let (sweep, _) = Sweep::read(Path::new(&file)).unwrap();
    let plans = sweep.plans(&Registry::new(), Shard::default()).unwrap();
    let words = models_apart(&plans.iter().map(|(_, plan)| plan).collect::<Vec<_>>());
    assert_eq!(
        words,
        ["direct, temperature 0.5", "cot, temperature 0.5", "direct"]
    );
}

/// One folder holds one division of a sweep; with two, episodes would be stored twice.
#[test]
fn another_division_of_a_plan_is_refused_in_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let file = plan_file(dir.path(), PLAN);
    let out = dir.path().join("out").to_str().unwrap().to_owned();
    ok(&format!("run --plan {file} --out {out} --shard 0/2"));
    for shard in ["0/1", "0/3"] {
        let words = ["run", "--plan", &file, "--out", &out, "--shard", shard];
        let message = refused(&words, 2);
        names(
            &message,
            &[out.as_str(), "shard 0 of 2", "boardroom resume"],
        );
        assert_eq!(message.trim().lines().count(), 1, "{message}");
    }
    // The other half may be in the same folder, and `resume` continues both.
    ok(&format!("run --plan {file} --out {out} --shard 1/2"));
    let all = records(Path::new(&out));
    assert_eq!(all.len(), 4 * 12 + 2);
    for entry in std::fs::read_dir(&out).unwrap() {
        let records = entry.unwrap().path().join("episodes.jsonl");
        if records.exists() {
            std::fs::write(records, "").unwrap();
        }
    }
    ok(&format!("resume {out}"));
    assert_eq!(records(Path::new(&out)), all);
}

/// A run in the folder of a sweep would be ignored by every command, and a sweep in the folder of a
/// run as well.
#[test]
fn a_run_and_a_sweep_do_not_share_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let file = plan_file(dir.path(), PLAN);
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (run, sweep) = (path("run"), path("sweep"));
    ok(&format!(
        "run beer-game --agent sterman --episodes 2 --out {run}"
    ));
    let message = refused(&["run", "--plan", &file, "--out", &run], 2);
    names(&message, &[&run]);
    assert!(!Path::new(&run).join("sweep.toml").exists());
    ok(&format!("verify {run}"));
    ok(&format!("run --plan {file} --out {sweep}"));
    for kind in ["beer-game", "consulting"] {
        let message = refused(&["run", kind, "--out", &sweep], 2);
        names(&message, &[sweep.as_str(), "sweep"]);
    }
    assert!(!Path::new(&sweep).join("manifest.json").exists());
}
