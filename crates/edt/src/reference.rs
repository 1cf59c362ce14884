//! References for scores: best known earnings, bound and baseline.
//!
//! Three values tell how good a plan is: the baseline (the Simple plan of the paper), the
//! best plan known, and an upper bound that no plan exceeds. [`Status::Proven`] means
//! that the last two are equal.

use crate::action::{Action, Window};
use crate::chance::RiskMode;
use crate::engine::Engine;
use crate::firm::Firm;
use crate::instance::Instance;
use crate::optimum::{ProofLimits, RiskScope, SearchSettings, best_plan, upper_bound};
use crate::policy;
use sim_core::{Effort, Reference, Status};

/// The optimum of the paper's template, as search and proof give it (a test repeats both): all
/// consultants, full risk, project 2 from 2 to 95, projects 4, 7, 9, 10 from 1 to 95.
pub(crate) fn paper_optimum(instance: &Instance) -> Option<Action> {
    let known = instance.risk_mode == RiskMode::Threshold && instance.firm == Firm::paper();
    // The proof holds for the firm as printed; a changed template is searched like any other.
    known.then(|| {
        let window = |start| {
            Some(Window {
                start,
                deadline: 95.0,
            })
        };
        let full = window(1.0);
        let projects = vec![
            None,
            window(2.0),
            None,
            full,
            None,
            None,
            full,
            None,
            full,
            full,
        ];
        Action {
            consultants: 12,
            risk_level: 1.0,
            projects,
        }
    })
}

/// A search of 100,000 plans a run for ten projects, fewer for more. Up to 2,000 projects the time of a run does not
/// grow with the firm.
fn search(instance: &Instance, runs: u32) -> SearchSettings {
    let projects = u32::try_from(instance.firm.projects.len())
        .unwrap_or(u32::MAX)
        // A smaller firm gets no more moves: its search is a matter of seconds as it is.
        .max(10);
    SearchSettings {
        runs,
        // The time to simulate a plan is proportional to the number of projects.
        moves: (1_000_000 / projects).max(500),
        ..SearchSettings::default()
    }
}

/// Number of annealing runs that `effort` allows for the plan.
fn runs(effort: Effort) -> u32 {
    match effort {
        Effort::Quick => 3,
        Effort::Search => 9,
    }
}

/// The stored optimum, or the plan of the reference of the same effort. A quick reference has no
/// plan, so the plan of a short search takes its place.
pub(crate) fn best_known(instance: &Instance, effort: Effort) -> Action {
    paper_optimum(instance).unwrap_or_else(|| {
        let chance = instance.chance(0.0);
        search(instance, runs(effort))
            .run(&instance.firm, &chance, |_, _| {})
            .decision
    })
}

/// The earnings in this instance of the best known plan that does not use its draws \[money\];
/// `None` where nothing is drawn, and with [`Effort::Quick`] for firms without a stored plan.
///
/// The draws are made after the only decision, so this is the plan with the best mean over draws. For
/// the paper's template it is stored (`docs/edt.md` says how it was found); for other firms
/// [`Effort::Search`] searches for it on imagined draws.
///
/// ```
/// use edt::config::RiskMode;
/// use edt::reference::own_information;
/// use edt::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed};
///
/// let drawn = Config { risk_mode: RiskMode::BernoulliRepeat, ..Config::default() };
/// let of = |config: &Config| Instance::generate(config, Episode::of_run(Seed(5), 0));
/// let instance = of(&drawn)?;
/// let earned = own_information(&instance, Effort::Quick).ok_or("stored")?;
/// let known = reference(&instance, Effort::Quick);
/// assert!(known.baseline < Some(earned) && Some(earned) < known.bound);
/// assert_eq!(own_information(&of(&Config::default())?, Effort::Quick), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn own_information(instance: &Instance, effort: Effort) -> Option<f64> {
    if !instance.risk_mode.is_random() {
        return None;
    }
    let plan = match (stored_expected(instance), effort) {
        (Some(plan), _) => plan,
        (None, Effort::Search) => policy::expected_plan(instance, effort),
        (None, Effort::Quick) => return None,
    };
    let chance = instance.chance(plan.risk_level);
    let run = Engine::new(&instance.firm).run(&plan, &chance);
    Some(run.accumulated_earnings)
}

/// The plan with the best mean earnings known for the paper's template, where extensions and follow-ons
/// are drawn. It takes full risk and every project; each window is a start and a deadline.
pub(crate) fn stored_expected(instance: &Instance) -> Option<Action> {
    let (consultants, windows) = match instance.risk_mode {
        RiskMode::Threshold => return None,
        RiskMode::BernoulliRepeat => (
            12,
            [
                [58, 95],
                [1, 56],
                [16, 95],
                [1, 55],
                [1, 58],
                [1, 95],
                [1, 56],
                [12, 95],
                [4, 95],
                [1, 51],
            ],
        ),
        RiskMode::BernoulliOnce => (
            11,
            [
                [1, 50],
                [35, 95],
                [34, 95],
                [1, 49],
                [2, 70],
                [1, 61],
                [1, 60],
                [1, 69],
                [2, 95],
                [1, 48],
            ],
        ),
    };
    let projects = windows.map(|[start, deadline]| {
        Some(Window {
            start: f64::from(start),
            deadline: f64::from(deadline),
        })
    });
    (instance.firm == Firm::paper()).then(|| Action {
        consultants,
        risk_level: 1.0,
        projects: projects.to_vec(),
    })
}

/// The reference of an instance: best known earnings, upper bound and baseline \[money\].
///
/// [`Effort::Quick`]: the stored optimum for the paper's template; for other firms no search, and the
/// bound of [`capacity_bound`](crate::optimum::capacity_bound). [`Effort::Search`]: annealing, the
/// Lagrangian bound and the proof; the work is limited in counted steps, never in time, so that the
/// result is the same on every machine. The baseline is the Simple plan of the paper.
///
/// For a drawn firm, the quick reference has a bound and no optimum:
///
/// ```
/// use edt::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed, Status};
///
/// let small = Config::preset("small").ok_or("no such preset")?;
/// let instance = Instance::generate(&small, Episode::of_run(Seed(3), 0))?;
/// let quick = reference(&instance, Effort::Quick);
/// assert_eq!((quick.optimum, quick.status), (None, Status::Bound));
/// assert!(quick.bound > quick.baseline);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn reference(instance: &Instance, effort: Effort) -> Reference {
    let firm = &instance.firm;
    let mut engine = Engine::new(firm);
    let mut earn = |decision: &Action| {
        engine
            .run(decision, &instance.chance(decision.risk_level))
            .accumulated_earnings
    };
    // The Simple plan exists for every firm, and no method of the paper's comparison beats it.
    let baseline = earn(&Action::simple(firm));
    let stored = paper_optimum(instance);
    if let (Some(optimum), Effort::Quick) = (&stored, effort) {
        let value = earn(optimum);
        return Reference {
            optimum: Some(value),
            bound: Some(value),
            baseline: Some(baseline),
            status: Status::Proven,
            method: "stored result of annealing and layered proof".to_owned(),
        };
    }
    match effort {
        Effort::Quick => {
            // No known earnings and no rounds: the capacity bound alone, in microseconds. A mean over many
            // drawn firms then compares bounds of one kind.
            let bound = upper_bound(
                firm,
                RiskScope::Any,
                None,
                f64::NEG_INFINITY,
                0,
                &ProofLimits::default(),
            );
            Reference {
                optimum: None,
                bound: Some(bound),
                baseline: Some(baseline),
                status: Status::Bound,
                method: "staff time sold at the best rates".to_owned(),
            }
        }
        Effort::Search => {
            let limits = ProofLimits::default();
            let claim = best_plan(
                firm,
                &instance.chance(0.0),
                &search(instance, runs(effort)),
                1_500,
                &limits,
            );
            Reference {
                optimum: Some(claim.earnings),
                bound: Some(claim.bound),
                baseline: Some(baseline),
                status: if claim.proven {
                    Status::Proven
                } else {
                    Status::BestKnown
                },
                method: "annealing, Lagrangian bound, layered proof".to_owned(),
            }
        }
    }
}
