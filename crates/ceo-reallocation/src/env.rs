//! The environment: seats, turns, and the state that changes during an episode.
//!
//! # Order of events in a round
//!
//! 1. In deliberation, the four advisors report in the order CFO, CTO, COO, CMO, once in
//!    private and once in each round of messages.
//! 2. The chief executive decides. A reply without a readable plan is answered and may be
//!    repeated as often as `unreadable_retries` says; after that it ends the round with 0
//!    points.
//! 3. The plan is scored. A plan that breaks a hard limit is scored too, with 0 for
//!    validity, and nothing is moved.
//! 4. With more than one round the company moves on ([`crate::dynamics::advance`]);
//!    distress ends the episode early, and the missing rounds count 0.
//!
//! ```
//! use ceo_reallocation::plan::{DecisionType, ReallocationPlan};
//! use ceo_reallocation::{Action, CeoReallocation, Config, Feedback, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let config = Config { rounds: 3, ..Config::of_scenario("C3-R3") };
//! let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0))?;
//! let mut env = CeoReallocation::new(Arc::new(instance))?;
//!
//! // The reference plan of the scenario scores 97.5 in the first round; then the company changes.
//! let plan = env.scenario().evaluation.reference_plan.clone();
//! let Feedback::Decided { accepted, score, .. } = env.step(&Action::Plan(plan))? else {
//!     return Err("the plan is readable".into());
//! };
//! assert!(accepted && (score - 97.5).abs() < 1e-9);
//! assert_eq!(env.scenario().round, 4);
//!
//! // Doing nothing for the other two rounds.
//! while !env.is_over() {
//!     let idle = ReallocationPlan::from_deltas([], DecisionType::Conservative, "Keep the allocation.");
//!     env.step(&Action::Plan(idle))?;
//! }
//! assert!(env.score()?.value() < 97.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::Action;
use crate::config::Visibility;
use crate::deliberation::{Talk, facts};
use crate::dynamics::Decision;
use crate::instance::Instance;
use crate::observation::{
    AdvisorView, BriefView, ChiefView, CommonView, Feedback, Observation, staff_proposal,
};
use crate::plan::{ReallocationPlan, Violation};
use crate::rubric::older_rubric;
use crate::scenario::{MAX_UNITS, Officer, Scenario, UnitId};
use crate::score::{ScoreCard, Scorer};
use crate::scoring::PreferenceSource;
use crate::world::{NO_DECISION, REJECTED, World};
use sim_core::{ActionError, ConfigError, Environment, NotFinite, RestoreError, Score, Seat};
use std::collections::BTreeMap;
use std::sync::Arc;

mod balance;
mod state;
mod summary;

pub(crate) use balance::balanced;
pub use state::{RoundEnd, RoundResult, State};
use summary::summary;

/// Seat of the chief executive, in deliberation; in the other modes it is the only seat,
/// [`Seat::AGENT`].
pub const CHIEF: Seat = Seat::named("ceo");

/// Characters of a rationale that go into the company's history.
const RATIONALE_LIMIT: usize = 2_000;

/// The chief executive's task: moving capital between business units, round by round.
///
/// Shared parts are behind an `Arc`, so a clone copies the state only. The score of a
/// round is fixed when the round ends and does not change later.
#[derive(Debug, Clone)]
pub struct CeoReallocation {
    instance: Arc<Instance>,
    state: State,
    scorer: Arc<Scorer>,
}

impl CeoReallocation {
    /// The environment at the start of an episode.
    ///
    /// # Errors
    /// When the instance is at fault; names the place.
    ///
    /// It compiles the scorer of the first round; every later round compiles its own,
    /// because the units and limits have changed.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        instance.check()?;
        let scorer = Scorer::new(&instance.scenario, &instance.config.scoring)?;
        let state = State {
            world: World::start(&instance),
            results: Vec::new(),
            unreadable: 0,
            talk: Talk::default(),
            distress: false,
        };
        Ok(Self {
            instance,
            state,
            scorer: Arc::new(scorer),
        })
    }

    /// The instance.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The scenario of the running round, hidden parts included.
    ///
    /// For tests, oracles and reports. A policy that is not an oracle uses the
    /// observation.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.state.world.scenario
    }

    /// The scorer of the running round.
    ///
    /// It changes with the round: keep the [`Scorer`] of a round only as long as the
    /// round lasts.
    #[must_use]
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// The advisor in turn; `None` for the chief executive.
    ///
    /// Always `None` outside of deliberation, and after the episode.
    #[must_use]
    pub fn officer_in_turn(&self) -> Option<Officer> {
        if self.instance.config.visibility != Visibility::Deliberation || self.is_over() {
            return None;
        }
        self.state.talk.officer(&self.instance.config.deliberation)
    }

    fn decisions_left(&self) -> u32 {
        let done = u32::try_from(self.state.results.len()).unwrap_or(u32::MAX);
        self.instance.config.rounds.saturating_sub(done)
    }

    fn common_view(&self) -> CommonView {
        let company = &self.instance.company;
        CommonView::new(
            self.scenario(),
            &company.name,
            &company.sector,
            self.decisions_left(),
        )
    }

    fn chief_view(&self) -> ChiefView {
        let config = &self.instance.config;
        let talk = &self.state.talk;
        let advisors = self
            .scenario()
            .advisors
            .iter()
            .map(|(officer, advisor)| match config.visibility {
                Visibility::Views => AdvisorView::authored(officer, advisor, false),
                Visibility::Full => AdvisorView::authored(officer, advisor, true),
                Visibility::Deliberation => AdvisorView::live(
                    officer,
                    talk.report(officer),
                    &talk.disclosed(self.scenario(), officer),
                ),
            })
            .collect();
        ChiefView {
            common: self.common_view(),
            advisors,
            messages: talk.heard_by_chief().cloned().collect(),
            retries_left: config
                .unreadable_retries
                .saturating_sub(self.state.unreadable),
        }
    }

    fn brief_view(&self, officer: Officer) -> BriefView {
        let advisor = self.scenario().advisors.of(officer);
        let talk = &self.state.talk;
        BriefView {
            officer,
            stage: talk.stage,
            last_stage: self.instance.config.deliberation.rounds,
            common: self.common_view(),
            facts: facts(self.scenario(), officer),
            bias_risk: advisor.bias_risk.clone(),
            opposition_condition: advisor.opposition_condition.clone(),
            staff_proposal: staff_proposal(advisor),
            report: talk.report(officer).cloned(),
            messages: talk.heard_by(officer).cloned().collect(),
        }
    }

    /// The plan for the moves of a learning program \[pp, in the order of unit ids\]: the larger side is
    /// scaled down to the smaller one, on hundredths of a point; the decision type follows from the
    /// size; there is no text.
    ///
    /// Missing positions count as 0; positions beyond the last unit, locked units and
    /// numbers that are not finite are ignored; amounts are clipped to 100 pp. So every
    /// vector gives a balanced plan, which may still break a limit.
    #[must_use]
    pub fn plan_of_moves(&self, moves: &[f64]) -> ReallocationPlan {
        let balanced = balanced(&self.scorer, moves);
        let kind = self.scorer.right_kind(balanced.removed());
        self.scorer.plan(&balanced, kind, "")
    }

    /// The scorer of this round, and whether it uses the preferences that the advisors gave in deliberation.
    fn counting_scorer(&self) -> (Arc<Scorer>, bool) {
        let config = &self.instance.config;
        let live = config.visibility == Visibility::Deliberation
            && config.scoring.role.preferences == PreferenceSource::Live;
        if !live {
            return (Arc::clone(&self.scorer), false);
        }
        let preferences = self
            .state
            .talk
            .preferences(&self.scorer, &self.state.talk.now);
        (
            Arc::new(Scorer::clone(&self.scorer).with_preferences(preferences)),
            true,
        )
    }

    /// Evaluates a plan and, where the reply counts, ends the round with it.
    fn decide(&mut self, plan: &ReallocationPlan) -> Result<Feedback, ActionError> {
        let (scorer, live) = self.counting_scorer();
        let mut card = scorer.score(plan);
        // Keeps stored evaluations small: a plan can break a rule once a unit, a hostile one names
        // units without end.
        card.violations.truncate(50);
        if !card.is_readable() {
            return self.could_not_read(card);
        }
        // The plan stays the same and only the preferences change, so the difference is what the
        // talk was worth.
        let gain = if live {
            let first = self
                .state
                .talk
                .preferences(&self.scorer, &self.state.talk.first);
            card.score()
                - Scorer::clone(&self.scorer)
                    .with_preferences(first)
                    .score(plan)
                    .score()
        } else {
            0.0
        };
        let older = self
            .instance
            .config
            .older_rubric
            .then(|| older_rubric(self.scenario(), &self.scorer, plan));
        let round = self.scenario().round;
        let accepted = card.is_valid();
        let (moved_pp, score) = (card.marks.moved_pp, card.score());
        let violations = card.violations.clone();
        let deltas = match self.scorer.moves(plan) {
            Ok(moves) if accepted => self.scorer.by_unit(&moves),
            _ => BTreeMap::new(),
        };
        let named = plan.kind().map_or("unknown", Into::into);
        // Cut, because the history stands in the prompts of all later rounds.
        let rationale: String = plan.rationale.chars().take(RATIONALE_LIMIT).collect();
        let decision = Decision {
            deltas,
            rejected: !accepted,
            decision_type: if accepted { named } else { REJECTED },
            rationale: &rationale,
        };
        self.close(RoundEnd::Plan, card, older, gain, &decision)?;
        Ok(Feedback::Decided {
            round,
            accepted,
            violations,
            moved_pp,
            score,
            distress: self.state.distress,
        })
    }

    fn could_not_read(&mut self, card: ScoreCard) -> Result<Feedback, ActionError> {
        let most = self.instance.config.unreadable_retries;
        let violations = card.violations.clone();
        if self.state.unreadable < most {
            self.state.unreadable += 1;
            return Ok(Feedback::Again {
                violations,
                retries_left: most - self.state.unreadable,
            });
        }
        let round = self.scenario().round;
        self.close(RoundEnd::Unreadable, card, None, 0.0, &no_decision())?;
        Ok(Feedback::Decided {
            round,
            accepted: false,
            violations,
            moved_pp: 0.0,
            score: 0.0,
            distress: self.state.distress,
        })
    }

    /// Writes a round down and leads the company into the next one.
    fn close(
        &mut self,
        ended: RoundEnd,
        card: ScoreCard,
        older_rubric: Option<f64>,
        gain: f64,
        decision: &Decision<'_>,
    ) -> Result<(), ActionError> {
        let talk = &self.state.talk;
        let deliberated = self.instance.config.visibility == Visibility::Deliberation;
        let silent = if deliberated {
            talk.now.iter().filter(|r| r.is_none()).count()
        } else {
            0
        };
        let result = RoundResult {
            round: self.scenario().round,
            ended,
            older_rubric,
            talk: deliberated.then(|| talk.metrics(self.scenario(), &self.scorer, gain)),
            silent: u32::try_from(silent).unwrap_or(0),
            card,
        };
        // One decision is a snapshot: there is no next round to prepare.
        if self.instance.config.rounds > 1 {
            // Both are made before anything of the state is touched: an error leaves the
            // environment as it was.
            let mut world = self.state.world.clone();
            world
                .carry_out(&self.instance, decision)
                .map_err(|e| unexpected(&e))?;
            let scorer = Scorer::new(&world.scenario, &self.instance.config.scoring)
                .map_err(|e| unexpected(&e))?;
            self.state.distress = world.in_distress();
            self.state.world = world;
            self.scorer = Arc::new(scorer);
        }
        self.state.results.push(result);
        self.state.unreadable = 0;
        self.state.talk = Talk::default();
        Ok(())
    }
}

/// An error in a scenario that the rules of this crate made. No case is known; an error is reported, not
/// ignored.
fn unexpected(error: &ConfigError) -> ActionError {
    ActionError::new("scenario", error.to_string())
}

fn no_decision() -> Decision<'static> {
    Decision {
        deltas: BTreeMap::new(),
        rejected: true,
        decision_type: NO_DECISION,
        rationale: "",
    }
}

impl Environment for CeoReallocation {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let misfit = |place: &str, message: String| {
            Err(RestoreError {
                place: place.to_owned(),
                message,
            })
        };
        let scenario = &state.world.scenario;
        let rounds = self.instance.config.rounds as usize;
        if state.results.len() > rounds {
            return misfit(
                "results",
                format!("at most {rounds} rounds, got {}", state.results.len()),
            );
        }
        if scenario.company_id != self.instance.scenario.company_id {
            return misfit(
                "world.scenario.company_id",
                format!(
                    "this instance is about `{}`",
                    self.instance.scenario.company_id
                ),
            );
        }
        let ids = |s: &Scenario| {
            s.units_by_id()
                .iter()
                .map(|u| u.id.clone())
                .collect::<Vec<_>>()
        };
        // Moves and scorers name units by their place in the order of ids.
        if ids(scenario) != ids(&self.instance.scenario) {
            return misfit(
                "world.scenario.units",
                "the units are not those of the instance".to_owned(),
            );
        }
        // A unit without a hidden side would never change its share.
        if !state.world.hidden.units.keys().eq(&ids(scenario)) {
            return misfit(
                "world.hidden.units",
                "the units are not those of the instance".to_owned(),
            );
        }
        let talk = &state.talk;
        let talks = &self.instance.config.deliberation;
        // The fourth report completes a stage at once, so no state holds four.
        if talk.stage > talks.rounds + 1
            || talk.acted > 3
            || talk.sealed.len() != talk.acted as usize
        {
            return misfit("talk", "no such moment in a deliberation".to_owned());
        }
        // The form alone: advisors and reference plan of later rounds follow by rule, and nobody
        // promises that these plans score 85.
        scenario
            .check_form()
            .map_err(|error| error.within("world.scenario"))?;
        let scorer = Scorer::new(scenario, &self.instance.config.scoring)?;
        self.scorer = Arc::new(scorer);
        self.state = state;
        Ok(())
    }

    fn seats(&self) -> Vec<Seat> {
        if self.instance.config.visibility == Visibility::Deliberation {
            let mut seats: Vec<Seat> = Officer::ALL
                .into_iter()
                .map(|officer| Seat::named(officer.seat()))
                .collect();
            seats.push(CHIEF);
            seats
        } else {
            vec![Seat::AGENT]
        }
    }

    fn turn(&self) -> Seat {
        if self.instance.config.visibility == Visibility::Deliberation {
            self.officer_in_turn()
                .map_or(CHIEF, |officer| Seat::named(officer.seat()))
        } else {
            Seat::AGENT
        }
    }

    fn observe(&self) -> Observation {
        match self.officer_in_turn() {
            Some(officer) => Observation::Advisor(Box::new(self.brief_view(officer))),
            None => Observation::Chief(Box::new(self.chief_view())),
        }
    }

    /// # Errors
    /// `episode_over` after the last round; `not_your_part` for a report on the chief
    /// executive's turn or a plan on an advisor's; `bad_arguments` for moves of more units than there are; in
    /// deliberation what
    /// [`AdvisorReport::check`](crate::deliberation::AdvisorReport::check) refuses. A plan that breaks
    /// hard limits is not an error: it is scored, and the feedback lists the violations.
    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        match (self.officer_in_turn(), action) {
            (Some(officer), Action::Report(report)) => {
                let config = &self.instance.config.deliberation;
                let stage = self.state.talk.stage;
                report.check(self.scenario(), officer, stage, config)?;
                self.state.talk.take(Some(report.clone()), config);
                Ok(Feedback::Heard { officer, stage })
            }
            (Some(officer), _) => Err(ActionError::new(
                "not_your_part",
                format!("the {officer} is in turn and gives a report, not a plan"),
            )),
            (None, Action::Report(_)) => Err(ActionError::new(
                "not_your_part",
                "the chief executive is in turn and decides on a plan",
            )),
            (None, Action::Plan(plan)) => self.decide(plan),
            (None, Action::Moves(moves)) => {
                let ids = self.scorer.ids();
                // A lane has the same number of places in every company.
                if moves.len() > ids.len() && moves.len() != MAX_UNITS {
                    let names: Vec<_> = ids.iter().map(UnitId::as_str).collect();
                    return Err(ActionError::bad_arguments(format!(
                        "`moves` has {} numbers for {} units; give one for each of {}, in this order (or the {MAX_UNITS} \
                         of a lane)",
                        moves.len(),
                        ids.len(),
                        names.join(", ")
                    )));
                }
                let plan = self.plan_of_moves(moves);
                self.decide(&plan)
            }
            (None, Action::Unreadable(_)) => {
                self.could_not_read(ScoreCard::unreadable(vec![Violation::no_plan()]))
            }
        }
    }

    /// An advisor who forfeits says nothing in this stage. A chief executive who forfeits
    /// gets 0 points for the round, and the allocation stays as it is.
    fn forfeit(&mut self) -> Feedback {
        let round = self.scenario().round;
        if let Some(officer) = self.officer_in_turn() {
            let config = &self.instance.config.deliberation;
            self.state.talk.take(None, config);
            return Feedback::Passed {
                officer: Some(officer),
                round,
            };
        }
        let card = ScoreCard::unreadable(Vec::new());
        if self
            .close(RoundEnd::Forfeited, card.clone(), None, 0.0, &no_decision())
            .is_err()
        {
            // The company cannot move on. Forfeits must always be possible and lead to an end, so
            // the episode ends here; the rounds that are missing count 0.
            self.state.distress = true;
        }
        Feedback::Passed {
            officer: None,
            round,
        }
    }

    fn is_over(&self) -> bool {
        self.state.distress || self.state.results.len() >= self.instance.config.rounds as usize
    }

    /// The mean over all planned rounds \[points, 0 to 100\]. Metrics are means over the
    /// rounds played: the four dimensions, points moved, the rate of valid plans, of
    /// capture, of high quality and of each label; in deliberation and in rolling mode
    /// some more. Incidents: `forfeited_period`, `plan_unreadable`, `plan_invalid`,
    /// `silent_advisor`, `distress`.
    fn score(&self) -> Result<Score, NotFinite> {
        summary(&self.instance, &self.state)
    }

    /// The company and the chief executive's own moves. The marks of a plan rest on flags and on what weighs
    /// with the advisors, which nobody sees.
    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        match metric {
            "moved_pp" | "valid" => *seat == Seat::AGENT || *seat == CHIEF,
            "distress" => true,
            other => other.starts_with("final_"),
        }
    }
}
