//! Own agents of an outside program, through [`EpisodeRun`].

use beer_game::{Action, BeerGame, Feedback, Observation, Spec};
use run_engine::engine::execute::{RunOptions, execute};
use run_engine::plan::model::RunBudget;
use run_engine::run_dir::outcome::Check;
use run_engine::{EpisodeRun, Registry, RunError};
use sim_core::{Policy, Seed};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

fn base_stock(seen: &Observation) -> Action {
    let position = seen.inventory + seen.on_order - seen.backlog;
    Action::nearest(1_200.0 - position, seen.largest_order)
}

fn run() -> EpisodeRun<Spec> {
    EpisodeRun::of(Spec).preset("random").episodes(20).seed(7)
}

fn records(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap()
}

#[test]
fn an_own_agent_plays_into_a_folder_that_is_verified_but_for_its_decisions() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let own = run().decide("base-stock", base_stock);
    let finished = own.play_in(&out).unwrap();
    assert_eq!(
        (finished.summary.episodes, finished.summary.failed),
        (20, 0)
    );
    assert!(!finished.summary.deterministic);
    assert!(finished.summary.reference.regret.is_some());
    assert!(records(&out).contains("\"own:base-stock\""));
    let found = own.verify(&out).unwrap();
    assert!(found.is_sound(), "{found}");
    let proven: Vec<Check> = found.proven.iter().map(|claim| claim.check).collect();
    assert!(proven.contains(&Check::Replay) && proven.contains(&Check::Order));
    assert!(!proven.contains(&Check::Decisions));
    let left = |check| found.unproven.iter().any(|claim| claim.check == check);
    assert!(left(Check::Decisions), "{found}");
    // The same agent without a folder does the same.
    let again = own.play().unwrap();
    assert_eq!(again.summary.score, finished.summary.score);
}

#[test]
fn a_changed_score_of_an_own_agent_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let own = run().episodes(3).decide("base-stock", base_stock);
    own.play_in(dir.path()).unwrap();
    let text = records(dir.path());
    let at = text.find("\"quantity\":").unwrap() + "\"quantity\":".len();
    let changed = format!("{}9{}", &text[..at], &text[at..]);
    std::fs::write(dir.path().join("episodes.jsonl"), changed).unwrap();
    let found = own.verify(dir.path()).unwrap();
    assert!(found.failed(Check::Replay), "{found}");
}

/// What is missing is played, and the file is that of a run that was not cut off.
#[test]
fn a_run_that_was_cut_off_goes_on_with_the_same_agent_and_plan_only() {
    let dir = tempfile::tempdir().unwrap();
    let own = run().decide("base-stock", base_stock);
    own.play_in(dir.path()).unwrap();
    let whole = records(dir.path());
    let cut: usize = whole.lines().take(7).map(|line| line.len() + 1).sum();
    std::fs::write(dir.path().join("episodes.jsonl"), &whole[..cut + 30]).unwrap();
    own.play_in(dir.path()).unwrap();
    assert_eq!(records(dir.path()), whole);
    for other in [
        run().decide("other", base_stock),
        run().seed(8).decide("base-stock", base_stock),
        run().policy("order-up-to"),
    ] {
        let error = other.play_in(dir.path()).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error}");
    }
    // Another program can read the plan, but has no such agent.
    let plan = own.plan().unwrap();
    let registry = Registry::new().with(Spec);
    let options = RunOptions {
        means: &RunBudget::default(),
        steps: false,
        progress: false,
        stop: &AtomicBool::new(false),
    };
    let error = execute(&registry, &plan, None, options).unwrap_err();
    assert!(matches!(error, RunError::Usage(_)), "{error}");
}

/// A person, a client of a server and a model cannot be played by this program.
#[test]
fn who_cannot_play_here_is_refused() {
    for agent in ["human", "mcp", "openai:model", "replay:folder"] {
        for error in [
            run().policy(agent).plan().map(|_| ()),
            run().policy(agent).play().map(|_| ()),
        ] {
            let error = error.unwrap_err();
            assert!(matches!(error, RunError::Usage(_)), "{error}");
            assert!(error.to_string().contains("cannot play here"), "{error}");
        }
    }
}

/// A refused plan and a finished run leave the folder as it is, with its stamp.
#[test]
fn what_is_refused_or_finished_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let own = run().episodes(3).decide("base-stock", base_stock);
    own.play_in(dir.path()).unwrap();
    assert!(own.verify(dir.path()).unwrap().is_sound());
    let files = || -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = std::fs::read_dir(dir.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect()
    };
    let before = files();
    assert!(before.keys().any(|path| path.ends_with("verified.json")));
    run()
        .seed(8)
        .decide("base-stock", base_stock)
        .play_in(dir.path())
        .unwrap_err();
    assert!(files() == before);
    own.play_in(dir.path()).unwrap();
    assert!(files() == before);
}

/// Orders what was demanded last, with a memory: it learns from feedback, and has a seed.
struct Follower {
    seed: Seed,
    weeks: u64,
}

impl Policy<BeerGame> for Follower {
    fn act(&mut self, seen: &Observation) -> Action {
        let extra = self.seed.stream("extra", self.weeks).between(0, 5);
        let order = Action::nearest(seen.incoming_order, seen.largest_order - 5);
        Action::of(order.quantity + extra)
    }

    fn learn(&mut self, _: &Feedback) {
        self.weeks += 1;
    }
}

#[test]
fn agents_with_a_memory_are_made_for_each_seat_of_each_episode() {
    let follower = || run().agent("follower", |_, seed| Follower { seed, weeks: 0 });
    let (one, other) = (follower().play().unwrap(), follower().play().unwrap());
    assert_eq!(one.summary.score, other.summary.score);
    let policy = run().policy("order-up-to").play().unwrap();
    assert_ne!(one.summary.score, policy.summary.score);
}

#[test]
fn names_of_agents_are_checked() {
    for name in ["", "two\nlines", &"x".repeat(101)] {
        let error = run().decide(name, base_stock).plan().unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{name:?}");
    }
    assert!(run().decide("base stock, 2nd", base_stock).plan().is_ok());
}
