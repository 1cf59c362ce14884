//! Runs of instances from outside the program.

use qa_scoring::env::{Config, Spec};
use qa_scoring::{Gold, Item};
use run_engine::engine::episodes::{RecordChoice, play, resume};
use run_engine::engine::execute::RunOptions;
use run_engine::engine::finished::Finished;
use run_engine::engine::verify::transcript;
use run_engine::plan::cast::SeatRequest;
use run_engine::plan::list::InstanceList;
use run_engine::plan::model::RunBudget;
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::run_dir::outcome::Check;
use run_engine::verify::verify;
use run_engine::{Registry, RunError};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const RECORDS: &str = "episodes.jsonl";
const INSTANCES: &str = "instances.jsonl";

/// The beginning of a function whose body is asked for, and a body.
const FUNCTION: &str = "def growth(old: float, new: float) -> float:\n";
const BODY: &str = "    return (new - old) / old";

fn registry() -> Registry {
    Registry::new().with(Spec)
}

/// Questions, by task: labels, an open question that a judge reads, and a program.
fn questions() -> Vec<(&'static str, Item)> {
    let text = |id: u32, question: &str, gold: &str| {
        Item::new(id.to_string(), question, Gold::Text(gold.to_owned()))
    };
    let labels = (0..6).map(|id| {
        let question = format!("Rates must rise by {id} points.");
        ("FOMC", text(id, &question, "hawkish"))
    });
    labels
        .chain([
            (
                "econ/general",
                text(6, "Why do prices fall?", "Demand fell."),
            ),
            ("FormulaEval", text(7, FUNCTION, BODY)),
        ])
        .collect()
}

fn plan(agent: &str, seats: &[(&str, &str)]) -> Plan {
    plan_of(questions(), agent, seats)
}

fn plan_of(questions: Vec<(&str, Item)>, agent: &str, seats: &[(&str, &str)]) -> Plan {
    let registry = registry();
    let questions = questions.into_iter().map(|(task, item)| {
        let question = Config::default().question(task.parse().unwrap(), item);
        serde_json::to_value(question).unwrap()
    });
    let kind = registry.kind("qa").unwrap();
    let list = InstanceList::new(kind, "own questions", questions.collect()).unwrap();
    let request = RunRequest {
        list: Some(list),
        ..request(agent, seats)
    };
    Plan::new(&registry, request).unwrap()
}

fn request(agent: &str, seats: &[(&str, &str)]) -> RunRequest {
    let seat = |(seat, agent): &(&str, &str)| {
        let agent = SeatRequest {
            agent: (*agent).to_owned(),
            ..SeatRequest::default()
        };
        ((*seat).to_owned(), agent)
    };
    RunRequest {
        environment: "qa".to_owned(),
        agent: agent.to_owned(),
        seats: seats.iter().map(seat).collect(),
        ..RunRequest::default()
    }
}

fn how<'a>(means: &'a RunBudget, stop: &'a AtomicBool) -> RunOptions<'a> {
    RunOptions {
        means,
        steps: false,
        progress: false,
        stop,
    }
}

fn played_in(dir: &Path, plan: &Plan) -> Finished {
    let folder = Folder::create(dir, plan.clone()).unwrap();
    let (means, stop) = (RunBudget::default(), AtomicBool::new(false));
    play(
        &registry(),
        folder.plan(),
        Some(&folder),
        how(&means, &stop),
    )
    .unwrap()
}

fn resumed(dir: &Path) -> Result<Finished, RunError> {
    let (means, stop) = (RunBudget::default(), AtomicBool::new(false));
    resume(&registry(), dir, how(&means, &stop), &mut |_| Ok(()))
}

fn text(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap()
}

/// The folder holds all that is needed: it can be verified and replayed anywhere, by a program without the list.
#[test]
fn a_run_holds_the_instances_that_it_plays() {
    let dir = tempfile::tempdir().unwrap();
    let (first, moved) = (dir.path().join("run"), dir.path().join("moved"));
    let finished = played_in(&first, &plan("oracle", &[]));
    finished.check().unwrap();
    std::fs::rename(&first, &moved).unwrap();
    let found = verify(&registry(), &moved).unwrap();
    assert!(found.is_sound(), "{found}");
    assert_eq!((found.records, found.planned), (8, Some(8)));
    let proven: Vec<Check> = found.proven.iter().map(|claim| claim.check).collect();
    for check in [Check::Replay, Check::Decisions, Check::Records] {
        assert!(proven.contains(&check), "{found}");
    }
    let wanted = RecordChoice {
        episode: Some(2),
        trial: None,
    };
    let shown = transcript(&registry(), &Folder::read(&moved).unwrap(), wanted).unwrap();
    assert!(shown.contains("by 2 points"), "{shown}");
    assert_eq!(text(&moved, INSTANCES).lines().count(), 8);
}

/// What nobody could score is counted apart, with the reason; the figures are those of each task.
#[test]
fn episodes_without_a_score_are_counted_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let summary = played_in(&out, &plan("oracle", &[])).summary;
    assert_eq!(summary.setting.preset, "own questions");
    // Seven of eight: no judge reads the open question, and without an executor a program counts as unsupported.
    assert_eq!((summary.episodes, summary.failed), (7, 0));
    assert_eq!(summary.flags.get("unscored"), Some(&1));
    assert_eq!(summary.flags.get("unsupported"), Some(&1));
    assert_eq!(summary.score.mean, Some(6.0 / 7.0));
    assert_eq!(summary.notes.len(), 1);
    assert!(
        summary.notes[0].starts_with("1 episode without a score: "),
        "{:?}",
        summary.notes
    );
    let shown = summary.to_string();
    assert!(shown.contains("1 more without a score"), "{shown}");
    assert!(shown.contains("note: 1 episode without a score"), "{shown}");
    let tasks: BTreeMap<&str, &serde_json::Value> = summary
        .figures
        .iter()
        .map(|figures| (figures["task"].as_str().unwrap(), figures))
        .collect();
    assert_eq!(tasks.len(), 3, "{:?}", summary.figures);
    assert_eq!(
        tasks["application/FOMC"]["outcomes"]["right"], 6,
        "{:?}",
        tasks["application/FOMC"]
    );
    assert_eq!(tasks["knowledge/econ/general"]["outcomes"]["unscored"], 1);
    assert!(summary.figures.iter().all(|figures| figures["stream"] == 0));
    // Read again, and not played again.
    let again = resumed(&out).unwrap().summary;
    assert_eq!(
        (again.figures, again.notes),
        (summary.figures, summary.notes)
    );
    assert_eq!((again.score, again.flags), (summary.score, summary.flags));
    // The same without a folder.
    let plan = plan("oracle", &[]);
    let (means, stop) = (RunBudget::default(), AtomicBool::new(false));
    let bare = play(&registry(), &plan, None, how(&means, &stop));
    let bare = bare.unwrap().summary;
    assert_eq!(bare.figures, resumed(&out).unwrap().summary.figures);
}

/// Cut anywhere, even within a line, and continued, the records are those of a run that was not cut.
#[test]
fn a_run_that_was_cut_off_goes_on_as_if_it_had_not_been() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let summary = played_in(&out, &plan("oracle", &[])).summary;
    let whole = text(&out, RECORDS);
    for part in [0, whole.len() / 7, whole.len() / 2, whole.len() - 3] {
        std::fs::write(out.join(RECORDS), &whole[..part]).unwrap();
        let again = resumed(&out).unwrap();
        again.check().unwrap();
        assert_eq!(text(&out, RECORDS), whole, "{part}");
        assert_eq!(again.summary.figures, summary.figures);
        assert_eq!(again.summary.score, summary.score);
        assert!(verify(&registry(), &out).unwrap().is_sound());
    }
}

#[test]
fn changed_instances_are_found_and_not_played() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    played_in(&out, &plan("oracle", &[]));
    let path = out.join(INSTANCES);
    let whole = text(&out, INSTANCES);
    let records = text(&out, RECORDS);
    let cut = records.find('\n').unwrap() + 1;
    std::fs::write(out.join(RECORDS), &records[..cut]).unwrap();
    let shorter: String = whole
        .lines()
        .take(7)
        .map(|line| format!("{line}\n"))
        .collect();
    let changed = [
        whole.replacen("hawkish", "dovish", 1),
        shorter,
        String::new(),
    ];
    for text in changed.into_iter().map(Some).chain([None]) {
        match &text {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let found = verify(&registry(), &out).unwrap();
        assert!(found.failed(Check::Manifest), "{found}");
        let error = resumed(&out).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        assert!(error.to_string().contains(INSTANCES), "{error}");
        assert_eq!(self::text(&out, RECORDS), records[..cut]);
    }
    std::fs::write(&path, whole).unwrap();
    resumed(&out).unwrap().check().unwrap();
    assert_eq!(self::text(&out, RECORDS), records);
}

/// The agent `python` runs the programs of the answers; the record holds their values, so that a verifier needs no
/// Python.
#[test]
fn programs_are_run_at_the_seat_of_the_executor() {
    // This test's own program, which needs no jail.
    python_snippets::trust_programs();
    if let Err(why) = python_snippets::Sandbox::start() {
        eprintln!("SKIPPED: {why}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let plan = plan("oracle", &[("executor", "python")]);
    assert_eq!(plan.agents().collect::<Vec<_>>(), ["oracle", "python"]);
    let finished = played_in(&out, &plan);
    finished.check().unwrap();
    let summary = &finished.summary;
    assert_eq!(summary.flags.get("unsupported"), None);
    assert_eq!((summary.episodes, summary.score.mean), (7, Some(1.0)));
    let program = summary
        .figures
        .iter()
        .find(|figures| figures["task"] == "finance/FormulaEval");
    assert_eq!(program.unwrap()["outcomes"]["right"], 1, "{program:?}");
    assert!(text(&out, RECORDS).contains("\"executor\""));
    let found = verify(&registry(), &out).unwrap();
    assert!(found.is_sound(), "{found}");
    let left = |part: &str| found.unproven.iter().any(|claim| claim.what.contains(part));
    assert!(left("programs"), "{found}");
}

/// A program may have another value every time.
#[test]
fn a_verifier_runs_no_program() {
    python_snippets::trust_programs();
    if let Err(why) = python_snippets::Sandbox::start() {
        eprintln!("SKIPPED: {why}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let clock = "    import time\n    return time.time_ns() / old";
    let clock = Item::new("1", FUNCTION, Gold::Text(clock.to_owned()));
    let plan = plan_of(
        vec![("FormulaEval", clock)],
        "oracle",
        &[("executor", "python")],
    );
    let summary = played_in(&out, &plan).summary;
    assert_eq!((summary.episodes, summary.score.mean), (1, Some(0.0)));
    let found = verify(&registry(), &out).unwrap();
    assert!(found.is_sound(), "{found}");
}

/// It is for a seat that runs programs alone.
#[test]
fn python_plays_no_other_seat() {
    let registry = registry();
    for (agent, seats) in [("python", &[][..]), ("oracle", &[("judge", "python")])] {
        let error = Plan::new(&registry, request(agent, seats)).unwrap_err();
        assert!(error.to_string().contains("python"), "{agent}: {error}");
    }
}
