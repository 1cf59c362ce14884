//! Many episodes stepped together over flat arrays, for reinforcement learning.
//!
//! A lane is one episode. With one decision per episode it is a contextual bandit; with several the
//! company changes from round to round. An action is one signed move for each unit, in the order of
//! ids, balanced as [`Action::Moves`] says. There is no text, so the points for words cannot be earned.
//!
//! | block of an observation | numbers | content |
//! |---|---|---|
//! | company | 7 | runway, leverage, growth, pressure, cap, round, decisions left |
//! | each of 8 units | 13 | share, floor, ceiling, capacity, outlook, risk, importance, protected, locked, the four preferences |
//!
//! Companies have 4 to 8 units; the blocks of missing units are 0, so all companies have
//! the same shape and one network plays them all. An action has 8 moves \[pp\], -40 to
//! 40.
//!
//! ```
//! use ceo_reallocation::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let config = Config { rounds: 2, ..Config::of_scenario("C3-R3") };
//! let mut batch = Batch::new(&config, 1, Seed(0))?;
//! assert_eq!(batch.layout().observation.len(), 7 + 8 * 13);
//! let mut obs = vec![0.0; batch.layout().observation_len()];
//! let (mut rewards, mut dones) = ([0.0], [false]);
//! // 13 points from A: 6 to C, 4 to D, 3 to B, the amounts of the reference plan.
//! let action = [-13.0, 3.0, 6.0, 4.0, 0.0, 0.0, 0.0, 0.0];
//! batch.step_batch(&action, &mut obs, &mut rewards, &mut dones)?;
//! assert!(!dones[0] && rewards[0] > 40.0 && rewards[0] <= 50.0);
//! batch.step_batch(&[0.0; 8], &mut obs, &mut rewards, &mut dones)?;
//! assert!(dones[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The lane scores the numbers of a move and keeps no record, no texts and no cards of marks: a step of the environment took
// 31 µs where a round of a lane takes 252 ns (`ceo lanes/1024` in docs/benchmarks.md).

use crate::action::Action;
use crate::config::{Config, Visibility};
use crate::dynamics::Decision;
use crate::env::{CeoReallocation, balanced};
use crate::instance::Instance;
use crate::scenario::{MAX_UNITS, Officer, Scenario};
use crate::score::{Scorer, WordScores};
use crate::world::{REJECTED, World};
use sim_core::batch::{LaneBatch, LaneSpec, Reward};
use sim_core::{BatchLayout, ConfigError, Episode, Field, Seed};
use std::sync::Arc;

/// Numbers about the company at the front of an observation.
const COMPANY: [(&str, &str, f32, f32); 7] = [
    ("runway", "months", 1200.0, 12.0),
    ("leverage", "x", 100.0, 3.0),
    ("growth", "%", 1000.0, 10.0),
    ("pressure", "points", 100.0, 100.0),
    ("cap", "pp", 100.0, 30.0),
    ("round", "rounds", 1000.0, 4.0),
    ("left", "rounds", 60.0, 4.0),
];

/// Numbers about each unit.
const UNIT: [(&str, &str, f32, f32); 13] = [
    ("share", "pp", 100.0, 20.0),
    ("floor", "pp", 100.0, 20.0),
    ("ceiling", "pp", 100.0, 40.0),
    ("capacity", "pp", 100.0, 10.0),
    ("outlook", "", 1.0, 1.0),
    ("risk", "", 1.0, 1.0),
    ("importance", "", 1.0, 1.0),
    ("protected", "", 1.0, 1.0),
    ("locked", "", 1.0, 1.0),
    ("cfo", "pp", 100.0, 10.0),
    ("cto", "pp", 100.0, 10.0),
    ("coo", "pp", 100.0, 10.0),
    ("cmo", "pp", 100.0, 10.0),
];

/// Index of the first of the four preferences among the numbers of a unit; preferences are signed.
const PREFERENCES_FROM: usize = 9;

/// Index of the number of decisions left in the company block of an observation.
const LEFT: usize = 6;

/// The start of an episode, shared by all lanes that play it: compiling a scorer takes longer than
/// scoring, so it is done once for each different start.
#[derive(Debug)]
struct Start {
    instance: Arc<Instance>,
    scorer: Scorer,
    seen: Vec<f32>,
}

impl Start {
    fn new(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let instance = Arc::new(Instance::generate(config, episode)?);
        let scorer = Scorer::new(&instance.scenario, &instance.config.scoring)?;
        let seen = observed(&instance.scenario, config.rounds);
        Ok(Self {
            instance,
            scorer,
            seen,
        })
    }
}

/// A company after its first round.
#[derive(Debug, Clone)]
struct Moved {
    world: World,
    scorer: Scorer,
}

/// One episode in numbers.
#[derive(Debug, Clone)]
pub struct Lane {
    start: Arc<Start>,
    // Boxed and absent in the first round: most runs have one round, and lanes stay small then.
    moved: Option<Box<Moved>>,
    /// Sum of round scores.
    total: f64,
    played: u32,
    done: bool,
}

impl Lane {
    fn new(start: Arc<Start>) -> Self {
        Self {
            start,
            moved: None,
            total: 0.0,
            played: 0,
            done: false,
        }
    }

    fn rounds(&self) -> u32 {
        self.start.instance.config.rounds
    }

    fn value(&self) -> f64 {
        self.total / f64::from(self.rounds())
    }

    fn scorer(&self) -> &Scorer {
        self.moved
            .as_ref()
            .map_or(&self.start.scorer, |moved| &moved.scorer)
    }

    /// Plays one decision and gives its reward.
    fn step(&mut self, action: &[f64; MAX_UNITS]) -> f64 {
        // The same balancing, naming and scoring as `Action::Moves` in the environment, so that a lane and
        // its reference environment agree to the last bit.
        let scorer = self.scorer();
        let moves = balanced(scorer, action);
        let r = moves.removed();
        let kind = scorer.right_kind(r);
        // Actions have no text, so its marks are 0.
        let silent = WordScores {
            lexical: 0.0,
            consistency: 0.0,
        };
        let marks = scorer.judge(&moves, r, Some(kind), silent);
        self.total += marks.score;
        self.played += 1;
        self.done = self.played >= self.rounds();
        if self.rounds() > 1 {
            let decision = Decision {
                // Those of a rejected plan are ignored.
                deltas: self.scorer().by_unit(&moves),
                rejected: !marks.is_valid,
                decision_type: if marks.is_valid {
                    kind.into()
                } else {
                    REJECTED
                },
                rationale: "",
            };
            // One round needs no next one: the transition costs more than the scoring.
            self.move_on(&decision);
        }
        marks.score / f64::from(self.rounds())
    }

    fn move_on(&mut self, decision: &Decision<'_>) {
        let instance = &self.start.instance;
        let mut world = match self.moved.take() {
            Some(moved) => moved.world,
            None => World::start(instance),
        };
        let carried_out = world.carry_out(instance, decision).is_ok();
        // The environment ends an episode whose company cannot move on; so does a lane.
        match Scorer::new(&world.scenario, &instance.config.scoring) {
            Ok(scorer) if carried_out => {
                self.done |= world.in_distress();
                self.moved = Some(Box::new(Moved { world, scorer }));
            }
            _ => self.done = true,
        }
    }

    fn observe(&self, out: &mut [f32]) {
        let left = self.rounds().saturating_sub(self.played);
        match &self.moved {
            Some(moved) => {
                let seen = observed(&moved.world.scenario, left);
                out.copy_from_slice(&seen);
            }
            // Before the first transition only the number of decisions left can differ from the start.
            None => {
                out.copy_from_slice(&self.start.seen);
                if let Some(slot) = out.get_mut(LEFT) {
                    #[expect(clippy::cast_precision_loss, reason = "at most 60")]
                    let left = left as f32;
                    *slot = left;
                }
            }
        }
    }
}

/// The numbers of a scenario, in the order of the layout; 0 for units that the company does not have,
/// so that all companies have the same shape.
fn observed(scenario: &Scenario, left: u32) -> Vec<f32> {
    let state = &scenario.company_state;
    let mut numbers = vec![
        state.cash_runway_months,
        state.leverage,
        state.revenue_growth_pct,
        state.transformation_pressure,
        scenario.constraints.max_realloc_pp,
        f64::from(scenario.round),
        f64::from(left),
    ];
    for unit in scenario.units_by_id() {
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        numbers.extend([
            unit.share_pp,
            unit.floor_pp,
            unit.ceiling_pp,
            unit.absorptive_capacity_pp,
            unit.growth_outlook,
            unit.execution_risk,
            unit.strategic_importance,
            flag(unit.protected),
            flag(scenario.is_locked(unit.id.as_str())),
        ]);
        for officer in Officer::ALL {
            let preference = scenario.advisors.of(officer).preference_pp.get(&unit.id);
            numbers.push(preference.copied().unwrap_or(0.0));
        }
    }
    // Zeros for the units that are missing.
    numbers.resize(COMPANY.len() + MAX_UNITS * UNIT.len(), 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "observations are f32")]
    let seen = numbers.into_iter().map(|number| number as f32).collect();
    seen
}

/// Many episodes of one configuration, stepped together; lane `k` is episode `k` of the run.
///
/// The rewards of an episode sum to its score; without text at most 12 points of role
/// integration and 5 of history are out of reach, a quarter of that in the score.
///
/// A configuration whose advisors deliberate has no batch: their reports are text, which has no form as
/// numbers. When the instances do not depend on the seed, each different start is compiled once and
/// shared by its lanes.
pub type Batch = LaneBatch<Vectors>;

/// The moves between units as vectors.
#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
    /// The different starts, when they do not depend on the seed: episode `k` has number `k` modulo their
    /// count. Empty otherwise.
    starts: Vec<Arc<Start>>,
}

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = CeoReallocation;
    type Lane = Lane;

    fn new(config: &Config, seed: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        if config.visibility == Visibility::Deliberation {
            return Err(ConfigError::new(
                "visibility",
                "a batch has no deliberation; use `views` or `full`",
            ));
        }
        // Any seed will do: these instances depend on the index alone.
        let starts = (0..config.distinct().unwrap_or(0))
            .map(|index| Start::new(config, Episode { seed, index }).map(Arc::new));
        Ok(Self {
            starts: starts.collect::<Result<_, _>>()?,
            config: config.clone(),
        })
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        layout(lanes, self.config.rounds)
    }

    fn begin(&self, episode: Episode) -> Result<Lane, ConfigError> {
        // `checked_rem` is `None` when there are no shared starts; the lane then draws its own.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "below the number of starts"
        )]
        let turn = episode
            .index
            .checked_rem(self.starts.len() as u64)
            .and_then(|turn| self.starts.get(turn as usize));
        let start = match turn {
            Some(start) => Arc::clone(start),
            None => Arc::new(Start::new(&self.config, episode)?),
        };
        Ok(Lane::new(start))
    }

    fn read(&self, action: &[f32]) -> Action {
        Action::Moves(action.iter().map(|&x| f64::from(x)).collect())
    }

    fn step(&mut self, lane: &mut Lane, action: &[f32]) -> f64 {
        let mut moves = [0.0; MAX_UNITS];
        for (slot, &x) in moves.iter_mut().zip(action) {
            *slot = f64::from(x);
        }
        lane.step(&moves)
    }

    fn is_over(&self, lane: &Lane) -> bool {
        lane.done
    }

    fn write(&self, lane: &Lane, row: &mut [f32]) {
        lane.observe(row);
    }

    fn value(&self, lane: &Lane) -> f64 {
        lane.value()
    }

    fn reference_env(&self, lane: &Lane) -> Result<CeoReallocation, ConfigError> {
        CeoReallocation::new(Arc::clone(&lane.start.instance))
    }
}

/// Shapes, units and scales of the arrays.
fn layout(lanes: usize, horizon: u32) -> BatchLayout {
    let signed = |name: &str| name == "growth";
    let mut observation: Vec<Field> = COMPANY
        .iter()
        .map(|&(name, unit, high, scale)| {
            let low = if signed(name) { -100.0 } else { 0.0 };
            let field = Field::new(name, unit, low, high, scale);
            if unit == "rounds" {
                field.whole()
            } else {
                field
            }
        })
        .collect();
    for unit in 0..MAX_UNITS {
        for (n, &(name, measure, high, scale)) in UNIT.iter().enumerate() {
            let low = if n >= PREFERENCES_FROM { -100.0 } else { 0.0 };
            let field = Field::new(format!("unit{unit}_{name}"), measure, low, high, scale);
            let flag = name == "protected" || name == "locked";
            observation.push(if flag { field.whole() } else { field });
        }
    }
    let action = (0..MAX_UNITS)
        // 40 is the largest cap of an authored or a drawn company, so no single move can need more.
        .map(|unit| Field::new(format!("unit{unit}_move"), "pp", -40.0, 40.0, 10.0))
        .collect();
    BatchLayout {
        lanes,
        horizon,
        observation,
        action,
        reward: Reward {
            about: "score of the round over the number of rounds; the sum is the score of the \
                    episode",
            sign: 1.0,
            scale: 100.0 / f64::from(horizon.max(1)),
        },
    }
}
