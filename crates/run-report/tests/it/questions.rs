//! Comparisons, answers, traces and figures of runs of questions.

use agent_client::AgentError;
use agent_client::memory::FeedbackMode;
use agent_client::method::MethodSpec;
use qa_scoring::env::{Config, Question, Spec};
use qa_scoring::{AnswerOutcome, Gold, Item};
use run_engine::engine::episodes::play;
use run_engine::engine::execute::RunOptions;
use run_engine::plan::list::InstanceList;
use run_engine::plan::model::RunBudget;
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::{Registry, RunError};
use run_report::compare::{Comparison, across_presets, compare};
use run_report::questions::measured::measured_sets;
use run_report::questions::{answers, labelled_rows};
use run_report::route::routed::routed;
use run_report::route::traces;
use run_report::runs::{Pool, read_runs};
use serde_json::json;
use sim_core::Seed;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

const FOMC: &str = "application/FOMC";
const GENERAL: &str = "knowledge/econ/general";

fn registry() -> Registry {
    Registry::new().with(Spec)
}

/// `count` questions of `task` with the words `text`.
fn questions(task: &'static str, text: &str, count: u32) -> Vec<(&'static str, Item)> {
    let item = |id: u32| {
        let question = format!("{text} {id}");
        let gold = Gold::Text("hawkish".to_owned());
        (task, Item::new(id.to_string(), question, gold))
    };
    (0..count).map(item).collect()
}

/// Runs in folders that are removed at the end.
struct Runs(TempDir);

impl Runs {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The run `name` of `agent`, who is asked `questions` under `config`.
    fn played(
        &self,
        name: &str,
        agent: &str,
        config: &Config,
        questions: &[(&str, Item)],
    ) -> PathBuf {
        self.made(name, ("own", agent), 0, (config, questions))
    }

    /// As [`played`](Self::played), of the list `list`.
    fn played_as(
        &self,
        name: &str,
        list: &str,
        agent: &str,
        questions: &[(&str, Item)],
    ) -> PathBuf {
        self.made(name, (list, agent), 0, (&Config::default(), questions))
    }

    /// The run `name` with this seed.
    fn seeded(&self, name: &str, seed: u64, questions: &[(&str, Item)]) -> PathBuf {
        self.made(
            name,
            ("own", "oracle"),
            seed,
            (&Config::default(), questions),
        )
    }

    fn made(
        &self,
        name: &str,
        (list, agent): (&str, &str),
        seed: u64,
        (config, questions): (&Config, &[(&str, Item)]),
    ) -> PathBuf {
        let registry = registry();
        let questions = questions.iter().map(|(task, item)| {
            let question = config.question(task.parse().unwrap(), item.clone());
            serde_json::to_value(question).unwrap()
        });
        let kind = registry.kind("qa").unwrap();
        let list = InstanceList::new(kind, list, questions.collect()).unwrap();
        let request = RunRequest {
            environment: "qa".to_owned(),
            agent: agent.to_owned(),
            list: Some(list),
            seed: Seed(seed),
            ..RunRequest::default()
        };
        let path = self.path(name);
        let folder = Folder::create(&path, Plan::new(&registry, request).unwrap()).unwrap();
        let options = RunOptions {
            means: &RunBudget::default(),
            steps: false,
            progress: false,
            stop: &AtomicBool::new(false),
        };
        let finished = play(&registry, folder.plan(), Some(&folder), options).unwrap();
        finished.check().unwrap();
        path
    }
}

fn compared(dirs: &[&Path]) -> Result<Comparison, RunError> {
    let dirs: Vec<PathBuf> = dirs.iter().map(|dir| (*dir).to_owned()).collect();
    compare(&registry(), &Pool::of(read_runs(&dirs)?, &dirs)?)
}

#[test]
fn questions_are_paired_by_their_text_and_rules() {
    let runs = Runs::new();
    let plain = Config::default();
    let what = |count| questions(FOMC, "Rates rise by", count);
    let able = runs.played("able", "oracle", &plain, &what(6));
    let other = runs.played("other", "silent", &plain, &what(8));
    let found = compared(&[&able, &other]).unwrap();
    let side = &found.others[0];
    assert_eq!(
        (side.shared, side.only_first, side.only_this),
        (6, 0, 2),
        "lists that overlap"
    );
    assert_eq!((side.difference, side.verdict), (Some(-1.0), "worse"));
    // The prompt is part of the agent and not of the question.
    let roles = Config {
        roles: true,
        ..Config::default()
    };
    let cast = runs.played("cast", "silent", &roles, &what(6));
    assert_eq!(compared(&[&able, &cast]).unwrap().others[0].shared, 6);
    // The same names, but other questions.
    let who = runs.played(
        "who",
        "silent",
        &plain,
        &questions(FOMC, "Rates fall by", 6),
    );
    let error = compared(&[&able, &who]).unwrap_err();
    assert!(matches!(error, RunError::Usage(_)), "{error:?}");
    assert!(error.to_string().contains("share no instance"), "{error}");
}

/// An answer that nobody could score still has a record.
#[test]
fn what_has_no_score_is_not_said_to_have_no_record() {
    let runs = Runs::new();
    let mixed = [
        questions(FOMC, "Rates rise by", 5),
        questions(GENERAL, "Why", 2),
    ]
    .concat();
    let able = runs.played("able", "oracle", &Config::default(), &mixed);
    let other = runs.played("other", "silent", &Config::default(), &mixed);
    let path = other.join("episodes.jsonl");
    let records = std::fs::read_to_string(&path).unwrap();
    let shorter: String = records
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&path, shorter).unwrap();
    let found = compared(&[&able, &other]).unwrap();
    let side = &found.others[0];
    // An empty answer needs no judge: it has the score 0.
    assert_eq!((side.shared, side.only_first, side.only_this), (5, 0, 1));
    assert_eq!((found.first.unscored, side.side.unscored), (2, 0));
    let text = found.to_string();
    assert!(text.contains("no score"), "{text}");
}

/// What nobody could score is not a score of 0 where presets are compared.
#[test]
fn what_has_no_score_is_no_level() {
    let runs = Runs::new();
    let mixed = [
        questions(FOMC, "Rates rise by", 3),
        questions(GENERAL, "Why", 2),
    ]
    .concat();
    let one = runs.played_as("one", "first", "oracle", &mixed);
    let other = runs.played_as("other", "second", "oracle", &mixed);
    let dirs = [one, other];
    let pools = Pool::of(read_runs(&dirs).unwrap(), &dirs).unwrap();
    let found = across_presets(&registry(), &pools).unwrap();
    let means = found.agents[0]
        .levels
        .iter()
        .map(|level| (level.mean, level.runs.len()));
    assert_eq!(means.collect::<Vec<_>>(), [(Some(1.0), 3), (Some(1.0), 3)]);
}

#[test]
fn answers_are_graded_again_from_their_records() {
    let runs = Runs::new();
    let mixed = [
        questions(FOMC, "Rates rise by", 2),
        questions(GENERAL, "Why", 1),
    ]
    .concat();
    let path = runs.played("run", "oracle", &Config::default(), &mixed);
    let read = read_runs(std::slice::from_ref(&path)).unwrap();
    let all = answers(&registry(), &read[0]).unwrap();
    let outcomes: Vec<AnswerOutcome> = all.iter().map(|answered| answered.grade.outcome).collect();
    let (right, unscored) = (AnswerOutcome::Right, AnswerOutcome::Unscored);
    assert_eq!(outcomes, [right, right, unscored]);
    assert!(all.iter().all(|answered| !answered.is_judged));
    assert_eq!(all[1].question.uid(), "application/FOMC:1");
    assert!(all[1].reply.as_str().to_lowercase().contains("hawkish"));
    let rows = labelled_rows(&registry(), &read[0]).unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.item(), row.task(), row.score))
        .collect();
    assert_eq!(
        seen,
        [
            ("application/FOMC:0", FOMC, Some(1.0)),
            ("application/FOMC:1", FOMC, Some(1.0)),
            ("knowledge/econ/general:0", GENERAL, None),
        ]
    );
}

#[test]
fn traces_are_the_answers_that_were_scored() {
    let runs = Runs::new();
    let mixed = [
        questions(FOMC, "Rates rise by", 2),
        questions(GENERAL, "Why", 1),
    ]
    .concat();
    let path = runs.played("run", "oracle", &Config::default(), &mixed);
    let labels = runs.path("labels.jsonl");
    let label = "{\"id\": \"application/FOMC:1\", \"capability\": null, \"difficulty\": 9}\n";
    std::fs::write(&labels, label).unwrap();
    let found = traces::read(&registry(), std::slice::from_ref(&path), Some(&labels)).unwrap();
    let names: Vec<_> = found
        .records
        .iter()
        .map(|trace| trace.sample_id.as_str())
        .collect();
    assert_eq!(names, ["application/FOMC:0", "application/FOMC:1"]);
    for (trace, difficulty) in found.records.iter().zip([None, Some(9.0)]) {
        assert_eq!((trace.correct, trace.score), (true, 1.0));
        assert_eq!(trace.difficulty_score, difficulty);
        assert!(
            trace
                .question
                .as_ref()
                .unwrap()
                .starts_with("Rates rise by")
        );
    }
    let remarks = found.remarks.join("\n");
    for part in [
        "1 answers that nobody could judge",
        "2 questions without a label",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
    let empty = runs.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let error = traces::read(&registry(), &[empty], None).unwrap_err();
    assert!(matches!(error, RunError::Usage(_)), "{error:?}");
}

/// The figures of papers come from the grades, not from the means of scores.
#[test]
fn measured_sets_are_those_of_each_task() {
    let runs = Runs::new();
    let mixed = [
        questions(FOMC, "Rates rise by", 3),
        questions(GENERAL, "Why", 1),
    ]
    .concat();
    let able = runs.played("able", "oracle", &Config::default(), &mixed);
    let silent = runs.played("silent", "silent", &Config::default(), &mixed);
    let dirs = [able.clone(), silent, able];
    let found = measured_sets(&registry(), &dirs).unwrap();
    assert_eq!(found.sets.len(), 4);
    let twice = |note: &String| note.contains("named twice");
    assert!(found.notes.iter().any(twice), "{:?}", found.notes);
    let of = |model: &str, task: &str| {
        let mut sets = found.sets.iter();
        let set = sets.find(|set| set.model == model && set.task.to_string() == task);
        set.unwrap().reports[0].clone()
    };
    assert_eq!(of("oracle", FOMC).outcomes[&AnswerOutcome::Right], 3);
    assert_eq!(of("silent", FOMC).outcomes.get(&AnswerOutcome::Right), None);
    assert_eq!(of("oracle", GENERAL).outcomes[&AnswerOutcome::Unscored], 1);
    assert_eq!(of("oracle", GENERAL).headline, None);
}

/// Seeds are pooled, also where they draw different parts of a set; one seed twice is refused with both folders.
#[test]
fn seeds_and_parts_of_a_set_are_one_measurement() {
    let runs = Runs::new();
    let all = questions(FOMC, "Rates rise by", 4);
    let one = runs.seeded("one", 1, &all[..3]);
    let two = runs.seeded("two", 2, &all[1..]);
    let found = measured_sets(&registry(), &[one.clone(), two.clone()]).unwrap();
    let [set] = found.sets.as_slice() else {
        panic!("{:?}", found.sets);
    };
    let sizes = set.reports.iter().map(|report| report.grades.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 3]);
    let again = runs.seeded("again", 2, &all[..2]);
    let twice = measured_sets(&registry(), &[two.clone(), again.clone()]).unwrap_err();
    for folder in [&two, &again] {
        let folder = folder.display().to_string();
        assert!(twice.to_string().contains(&folder), "{folder}: {twice}");
    }
    // Other questions of the same names are another set.
    let other = runs.seeded("other", 1, &questions(FOMC, "Prices rise by", 4));
    let found = measured_sets(&registry(), &[two, other]).unwrap();
    assert_eq!(found.sets.len(), 2, "{:?}", found.sets);
}

/// Seeds that draw different questions do not make different settings.
#[test]
fn other_questions_are_not_other_settings() {
    let runs = Runs::new();
    let all = questions(FOMC, "Rates rise by", 4);
    let dirs = [
        runs.seeded("one", 1, &all[..3]),
        runs.seeded("two", 2, &all[1..]),
    ];
    let pools = Pool::of(read_runs(&dirs).unwrap(), &dirs).unwrap();
    let found = compare(&registry(), &pools).unwrap();
    let why = found.others[0].left_out.as_deref().unwrap();
    assert!(why.contains("lists") && !why.contains("settings"), "{why}");
}

#[test]
fn a_policy_chooses_a_method_for_each_question() {
    let runs = Runs::new();
    let (path, labels) = (runs.path("policy.json"), runs.path("labels.jsonl"));
    let policy = |default_agent: &str| {
        json!({"routing_policy": {"default_agent": default_agent, "rules": [
            {"when": {"task_name": "FOMC", "difficulty_bucket": "hard"}, "choose": "DC"},
        ]}})
        .to_string()
    };
    std::fs::write(&path, policy("CoT")).unwrap();
    let label = "{\"id\": \"application/FOMC:1\", \"capability\": null, \"difficulty\": 9}\n";
    std::fs::write(&labels, label).unwrap();
    let mixed = [
        questions(FOMC, "Rates rise by", 3),
        questions(GENERAL, "Why", 1),
    ]
    .concat();
    let asked: Vec<Question> = mixed
        .into_iter()
        .map(|(task, item)| Config::default().question(task.parse().unwrap(), item))
        .collect();
    let make = |name: &str| {
        let method: MethodSpec = name
            .parse()
            .map_err(|e: AgentError| RunError::usage(e.message))?;
        let learns = name == "dc";
        Ok((
            method,
            if learns {
                FeedbackMode::Outcome
            } else {
                FeedbackMode::None
            },
        ))
    };
    let (routing, whole, most) = routed(&path, Some(&labels), &asked, make).unwrap();
    assert_eq!(routing.chosen, ["cot", "dc", "cot", "cot"]);
    assert_eq!(routing.methods.keys().collect::<Vec<_>>(), ["cot", "dc"]);
    assert_eq!((whole.name.as_str(), most), ("aoa", FeedbackMode::Outcome));
    let cot: MethodSpec = "cot".parse().unwrap();
    assert_eq!(
        (whole.deliberator, whole.memory),
        (cot.deliberator, cot.memory)
    );
    // Without labels nothing is known to be hard.
    let (plain, ..) = routed(&path, None, &asked, make).unwrap();
    assert!(
        plain.chosen.iter().all(|name| name == "cot"),
        "{:?}",
        plain.chosen
    );
    std::fs::write(&path, policy("nobody")).unwrap();
    let error = routed(&path, None, &asked, make).unwrap_err();
    assert!(error.to_string().contains("nobody"), "{error}");
}
