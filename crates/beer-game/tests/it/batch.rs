//! Lanes against single games: every field of every observation, resets at odd moments, amounts
//! past what a compact block can hold.

use beer_game::batch::{Batch, RuleGames};
use beer_game::chain::{Chain, Setup};
use beer_game::config::{Config, Demand, Objective};
use beer_game::role::{ByRole, Role};
use beer_game::rule::{Lineup, OrderingRule};
use beer_game::spec::Spec;
use serde_json::Value;
use sim_core::{BatchEnvironment, EnvironmentSpec as _, Episode, Layout, Seed, ToolEnvironment};

struct Side {
    batch: Batch,
    reference_envs: Vec<Box<dyn ToolEnvironment>>,
    obs: Vec<f32>,
    rewards: Vec<f64>,
    dones: Vec<bool>,
    compared: usize,
    /// The same lanes, observed field by field.
    by_field: Batch,
}

impl Side {
    fn new(config: &Config, lanes: usize) -> Self {
        let batch = Batch::new(config, lanes, Seed(4)).unwrap();
        let reference_envs = (0..lanes)
            .map(|lane| batch.reference_env(lane).unwrap())
            .collect();
        let obs = vec![0.0; batch.layout().observation_len()];
        let (rewards, dones) = (vec![0.0; lanes], vec![false; lanes]);
        let mut by_field = batch.clone();
        assert!(by_field.arrange(Layout::FieldMajor));
        let mut side = Self {
            by_field,
            batch,
            reference_envs,
            obs,
            rewards,
            dones,
            compared: 0,
        };
        side.batch.observe_into(&mut side.obs).unwrap();
        side.compare();
        side
    }

    fn step(&mut self, actions: &[f32]) {
        let (mut obs, mut rewards) = (self.obs.clone(), self.rewards.clone());
        self.by_field
            .step_batch(actions, &mut obs, &mut rewards, &mut self.dones)
            .unwrap();
        let before: Vec<f64> = self
            .reference_envs
            .iter()
            .map(|t| t.score().unwrap().value())
            .collect();
        self.batch
            .step_batch(actions, &mut self.obs, &mut self.rewards, &mut self.dones)
            .unwrap();
        assert_eq!(rewards, self.rewards);
        self.compare_fields(&obs);
        for (lane, reference_env) in self.reference_envs.iter_mut().enumerate() {
            let over = reference_env.is_over();
            if !over {
                let reply = reference_env.act(&self.batch.action_value(&actions[lane..=lane]));
                assert!(!reply.is_rejected(), "{}", reply.text());
            }
            let after = reference_env.score().unwrap().value();
            // the reference_env's reward is a difference of sums, which rounds
            let reward = before[lane] - after;
            let error = (self.rewards[lane] - reward).abs();
            assert!(
                error <= 1e-9 * after.max(1.0),
                "reward of {lane}: {error} off {reward}"
            );
            assert_eq!(self.dones[lane], reference_env.is_over());
            assert_eq!(self.batch.lane_value(lane), Some(after), "value of {lane}");
        }
        self.compare();
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        let episode = Episode::of_run(Seed(seed), lane as u64);
        self.batch.reset_lane(lane, episode).unwrap();
        self.by_field.reset_lane(lane, episode).unwrap();
        self.reference_envs[lane] = self.batch.reference_env(lane).unwrap();
        self.batch.observe_into(&mut self.obs).unwrap();
        self.compare();
    }

    /// Observations field by field against those lane by lane.
    fn compare_fields(&self, by_field: &[f32]) {
        let lanes = self.batch.layout().lanes;
        let fields = self.batch.layout().observation.len();
        for (at, number) in by_field.iter().enumerate() {
            let (field, lane) = (at / lanes, at % lanes);
            assert_eq!(*number, self.obs[lane * fields + field]);
        }
    }

    fn compare(&mut self) {
        let fields = self.batch.layout().observation.clone();
        for (reference_env, row) in self
            .reference_envs
            .iter()
            .zip(self.obs.chunks(fields.len()))
        {
            let seen = reference_env.observation();
            for (field, got) in fields.iter().zip(row) {
                let expected = seen.get(&field.name).and_then(Value::as_f64).unwrap() as f32;
                assert_eq!(*got, expected, "{} in week {}", field.name, seen["week"]);
                self.compared += 1;
            }
        }
    }
}

fn draw(step: u64, lanes: usize, high: f64) -> Vec<f32> {
    let mut stream = Seed(8).stream("actions", step);
    (0..lanes)
        .map(|_| stream.uniform(-0.1 * high, high) as f32)
        .collect()
}

/// All presets with one role under control, and each role on the classic board.
fn configs() -> Vec<(String, Config)> {
    let mut all = Vec::new();
    for preset in Config::presets() {
        if preset.config.play.controlled.len() == 1 {
            all.push((preset.name.to_owned(), preset.config));
        } else {
            for role in Role::ALL {
                let mut config = preset.config.clone();
                config.play.controlled = vec![role];
                all.push((format!("{} {role}", preset.name), config));
            }
        }
    }
    for name in [
        "base-stock",
        "slow-adjustment",
        "system-dynamics:4",
        "order-balance:3",
    ] {
        let mut config = Config::bptk();
        config.opponents = vec![Lineup::all(OrderingRule::from_name(name).unwrap())];
        all.push((format!("bptk {name}"), config.clone()));
        config.board = Config::paper().board;
        all.push((format!("paper {name}"), config));
    }
    let mixed = ["typical", "smoothing:4", "sterman", "smoothing-8"];
    let rules = ByRole::new(mixed).map(|name| OrderingRule::from_name(name).unwrap());
    all.push((
        "mixed".to_owned(),
        Config {
            opponents: vec![Lineup { rules }],
            ..Config::paper()
        },
    ));
    all
}

#[test]
fn lanes_see_and_earn_what_single_games_do() {
    // An odd number gives each lane of a game with two lineups a block of its own; an even one fills blocks.
    for ((name, config), lanes) in configs()
        .into_iter()
        .flat_map(|each| [(each.clone(), 35), (each, 66)])
    {
        let mut side = Side::new(&config, lanes);
        for step in 0..u64::from(config.weeks) + 2 {
            side.step(&draw(step, lanes, 900.0));
        }
        assert!(side.dones.iter().all(|done| *done), "{name}");
        assert_eq!(
            side.compared,
            (config.weeks as usize + 3) * lanes * 8,
            "{name}"
        );
    }
}

#[test]
fn lanes_can_be_reset_one_by_one() {
    for (name, config) in configs() {
        let lanes = 22;
        let mut side = Side::new(&config, lanes);
        let mut resets = 0;
        for step in 0..60 {
            side.step(&draw(step, lanes, 700.0));
            for lane in 0..lanes {
                // some lanes in the middle of a game, others long after its end
                if (step as usize * 7 + lane * 5).is_multiple_of(31) {
                    side.reset(lane, step * 100 + lane as u64);
                    resets += 1;
                }
            }
        }
        assert!(resets > 20, "{name}");
    }
}

#[test]
fn amounts_outgrow_singles_without_a_difference() {
    let mut config = Config::paper_exact();
    config.play.objective = Objective::ChainCost;
    let lanes = 16;
    let mut side = Side::new(&config, lanes);
    for step in 0..25 {
        side.step(&draw(step, lanes, 5000.0));
    }
    let largest = (0..lanes)
        .filter_map(|lane| side.batch.lane_value(lane))
        .fold(0.0, f64::max);
    assert!(largest > 1e10, "only {largest}");
    // and back to compact blocks when all games begin again
    for lane in 0..lanes {
        side.reset(lane, 9);
    }
    for step in 0..25 {
        side.step(&draw(step, lanes, 300.0));
    }
}

#[test]
fn actions_are_clipped_and_rounded() {
    let config = Config::paper();
    let batch = Batch::new(&config, 1, Seed(1)).unwrap();
    for (action, expected) in [
        (f32::NAN, 0),
        (-3.0, 0),
        (2.4, 2),
        (2.5, 3),
        (4999.7, 5000),
        (1e9, 5000),
        (f32::INFINITY, 5000),
        (f32::NEG_INFINITY, 0),
    ] {
        assert_eq!(
            batch.action_value(&[action]),
            serde_json::json!({"quantity": expected})
        );
    }
}

#[test]
fn wrong_buffers_move_nothing_and_several_seats_have_no_batch() {
    let mut batch = Batch::new(&Config::paper(), 3, Seed(1)).unwrap();
    let (mut obs, mut rewards, mut dones) = (vec![0.0; 24], vec![0.0; 3], vec![false; 3]);
    assert!(
        batch
            .step_batch(&[0.0; 2], &mut obs, &mut rewards, &mut dones)
            .is_err()
    );
    assert!(
        batch
            .step_batch(&[0.0; 3], &mut obs[1..], &mut rewards, &mut dones)
            .is_err()
    );
    assert!(batch.observe_into(&mut obs[1..]).is_err());
    assert_eq!(batch.lane_value(0), Some(0.0));
    assert_eq!(batch.lane_value(3), None);
    assert!(batch.reset_lane(3, Episode::of_run(Seed(1), 3)).is_err());
    let four_seats = Config::classic();
    let refused = Batch::new(&four_seats, 3, Seed(1)).unwrap_err();
    assert_eq!(refused.place, "play.controlled");
    assert!(Spec.batch(&four_seats, 3, Seed(1)).unwrap().is_none());
}

/// A lane whose number of lanes is not a multiple of the lineups has other opponents in its next episode.
#[test]
fn a_lane_changes_its_opponents_from_episode_to_episode() {
    let config = Config::paper();
    let run = Seed(4);
    for lanes in [1, 3] {
        let mut side = Side::new(&config, lanes);
        for index in [1, 2, 4, 7] {
            let episode = Episode::of_run(run, index);
            side.batch.reset_lane(0, episode).unwrap();
            side.by_field.reset_lane(0, episode).unwrap();
            let instance = Spec.generate(&config, episode).unwrap();
            side.reference_envs[0] = Box::new(sim_core::ToolAdapter::new(
                Spec.begin(std::sync::Arc::new(instance)).unwrap(),
            ));
            side.batch.observe_into(&mut side.obs).unwrap();
            for step in 0..5 {
                side.step(&draw(step, lanes, 900.0));
            }
        }
    }
}

/// Any lane takes any episode, also where lanes share blocks, and the games of the others go on as they were.
#[test]
fn a_lane_of_a_shared_block_takes_any_episode() {
    let run = Seed(4);
    for config in [Config::paper(), Config::random(), Config::bptk_sd()] {
        for lanes in [2, 8, 38] {
            let mut side = Side::new(&config, lanes);
            for (turn, (lane, index)) in [(0, 1), (1, 1), (lanes - 1, 6), (0, 2), (1, 8)]
                .into_iter()
                .enumerate()
            {
                for step in 0..4 {
                    side.step(&draw(10 * turn as u64 + step, lanes, 900.0));
                }
                let episode = Episode::of_run(run, index);
                side.batch.reset_lane(lane, episode).unwrap();
                side.by_field.reset_lane(lane, episode).unwrap();
                let instance = Spec.generate(&config, episode).unwrap();
                side.reference_envs[lane] = Box::new(sim_core::ToolAdapter::new(
                    Spec.begin(std::sync::Arc::new(instance)).unwrap(),
                ));
                side.batch.observe_into(&mut side.obs).unwrap();
            }
            for step in 0..30 {
                side.step(&draw(step, lanes, 900.0));
            }
        }
    }
}

/// Games that rules play alone against the single chain, to the last bit: every rule, demands that
/// differ by lane, blocks that are not full, amounts past what a compact block can hold, and the
/// cost of one role or of all.
#[test]
fn rules_alone_play_as_the_single_chain() {
    let rules = [
        "typical",
        "smoothing-4",
        "base-stock",
        "include-supply-line",
        "order-up-to:1200",
        "constant:400",
        "constant:900000",
        "sterman",
        "system-dynamics",
    ];
    for (rule, config, objective) in rules.iter().flat_map(|rule| {
        let configs = [Config::bptk(), Config::paper(), Config::random()];
        let pairs = configs
            .map(|config| [Objective::OwnCost, Objective::ChainCost].map(|o| (config.clone(), o)));
        pairs
            .into_iter()
            .flatten()
            .map(move |(config, o)| (*rule, config, o))
    }) {
        let mut config = config;
        config.demand = Demand::Uniform { low: 0, high: 500 };
        config.play.objective = objective;
        let lineup = Lineup::all(OrderingRule::from_name(rule).unwrap());
        let lanes = 37;
        let mut games = RuleGames::new(&config, &lineup, lanes, Seed(4)).unwrap();
        assert!(games.costs().all(|cost| cost == 0.0));
        games.play();
        let setup = Setup::new(&config.board, &config.cost, &lineup);
        for (lane, cost) in games.costs().enumerate() {
            let seed = Episode::of_run(Seed(4), lane as u64).seed;
            let mut chain = Chain::start(&setup);
            for demand in config.demand.draw(config.weeks, seed) {
                chain.open_week(f64::from(demand));
                chain.close_week(&setup, &ByRole::all(None));
            }
            let counted = ByRole::from_fn(|role| {
                objective == Objective::ChainCost || config.play.controlled.contains(&role)
            });
            let want = chain.costs().total_of(&counted);
            assert_eq!(
                cost.to_bits(),
                want.to_bits(),
                "{rule}, lane {lane}: {cost}, {want}"
            );
        }
        let played: Vec<f64> = games.costs().collect();
        games.play();
        assert!(games.costs().eq(played), "a game that is over went on");
    }
}
