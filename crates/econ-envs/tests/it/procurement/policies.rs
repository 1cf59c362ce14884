//! The built-in policies: their order, and what learning reaches.

use crate::play::play;
use econ_envs::procurement::config::Rules;
use econ_envs::procurement::{Config, Spec};
use sim_core::testkit::play_typed;
use sim_core::testkit::small_or_full;
use sim_core::{Digest, Effort, Environment, EnvironmentSpec, Episode, Seed, Status};
use std::sync::Arc;

/// What a policy reaches on a level.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Mean share of the optimum on the first of the authors' markets.
    paper: f64,
    /// The same on as many of our own.
    ours: f64,
    /// How many of the authors' and of our own it solved.
    solved: (usize, usize),
}

fn level(config: &Config, markets: usize, policy: &str) -> Level {
    let ours = |n| {
        Spec.generate(config, Episode::of_run(Seed(500), n))
            .unwrap()
    };
    let ours: Vec<_> = (0..markets as u64).map(ours).collect();
    let mut paper = Spec.suite("paper", config).unwrap();
    assert_eq!(paper.len(), 12);
    paper.truncate(markets);
    let play = |instances: Vec<_>| {
        let (mut sum, mut solved) = (0.0, 0);
        for (number, instance) in instances.into_iter().enumerate() {
            let optimum = Spec.reference(&instance, Effort::Quick).optimum.unwrap();
            let score = play(&Spec, &Arc::new(instance), policy, Seed(number as u64));
            let share = score.value() / optimum;
            sum += share;
            solved += usize::from(share >= 1.0 - 1e-9);
        }
        (sum / markets as f64, solved)
    };
    let (paper, ours) = (play(paper), play(ours));
    Level {
        paper: paper.0,
        ours: ours.0,
        solved: (paper.1, ours.1),
    }
}

/// Plays all policies and checks their order: random < greedy <= learning <= optimal = 1.
fn order(config: &Config, markets: usize) -> [Level; 4] {
    let all =
        ["random", "greedy", "learning", "optimal"].map(|policy| level(config, markets, policy));
    eprintln!("random, greedy, learning, optimal: {all:.5?}");
    let [random, greedy, learning, optimal] = all;
    for pick in [|level: Level| level.paper, |level: Level| level.ours] {
        assert!(pick(random) < pick(greedy), "random is not below greedy");
        assert!(pick(greedy) <= pick(learning), "greedy is above learning");
        assert!(pick(learning) <= 1.0005, "learning beats the optimum");
        assert!(
            (pick(optimal) - 1.0).abs() < 1e-9,
            "the optimum is not reached"
        );
    }
    all
}

/// Level means of optima page, section 4: learning comes within one point.
#[test]
fn basic_players_are_in_order_and_learning_solves_the_level() {
    let [_, _, learning, _] = order(&Config::basic(), 12);
    assert!(learning.paper >= 0.99 && learning.ours >= 0.99);
    assert!(
        learning.solved.0 >= 11 && learning.solved.1 >= 11,
        "{learning:?}"
    );
}

/// The ordinary run checks the order on fewer markets; the means are those of all.
#[test]
fn slow_medium_players_are_in_order() {
    let markets = small_or_full(2, 12);
    let [_, _, learning, _] = order(&Config::medium(), markets);
    if markets == 12 {
        assert!(learning.paper >= 0.9867 && learning.ours >= 0.9895);
    }
}

/// Among them HARD_3, on which estimates that are too sure of themselves stay at 97.8 %. The ordinary
/// run compares greedy and learning on one market.
#[test]
fn slow_hard_players_are_in_order() {
    let config = Config::hard();
    let (greedy, learning) = if small_or_full(false, true) {
        let [_, greedy, learning, _] = order(&config, 4);
        assert!(learning.paper >= 0.9881 && learning.ours >= 0.99);
        (greedy, learning)
    } else {
        (level(&config, 1, "greedy"), level(&config, 1, "learning"))
    };
    assert!(greedy.paper < learning.paper && greedy.ours < learning.ours);
}

/// Whole episodes, to the last copy: an edit that moves them bumps the version. The same bits come
/// out on every machine.
#[test]
fn value_stability() {
    let expected = [
        ["8fbe39cf54621d82", "de756628bc18f4ce"],
        ["ecf77c7ddf5475e1", "10fa8053d21abd35"],
        ["4fd49deb58f912dc", "20b4444b87714aad"],
    ];
    let played = [Config::basic(), Config::medium(), Config::hard()].map(|mut config| {
        config.rules.periods = 12;
        let episode = Episode::of_run(Seed(9), 0);
        let instance = Arc::new(Spec.generate(&config, episode).unwrap());
        ["greedy", "learning"].map(|policy| {
            let market = play_typed(&Spec, &instance, policy, Seed(1)).unwrap();
            Digest::of(market.state()).unwrap().short()
        })
    });
    assert_eq!(played, expected);
}

/// Above the size of `hard` the search may end before the proof: the policy and the reference then know the same plan.
#[test]
fn large_markets_are_played_as_the_reference_says() {
    let config = Config {
        categories: 31,
        products_per_category: 10,
        rules: Rules {
            periods: 2,
            ..Rules::default()
        },
        ..Config::hard()
    };
    let mut open = 0;
    for index in 0..3 {
        let instance = Spec
            .generate(&config, Episode::of_run(Seed(0), index))
            .unwrap();
        let reference = Spec.reference(&instance, Effort::Quick);
        open += usize::from(reference.status == Status::BestKnown);
        let score = play(&Spec, &Arc::new(instance), "optimal", Seed(index));
        assert_eq!(Some(score.value()), reference.optimum);
    }
    assert!(open > 0, "every market is proven");
}
