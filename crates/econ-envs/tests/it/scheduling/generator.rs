//! The drawing of markets: pinned draws, and the statistics of both laws.

use crate::play::ends;
use econ_envs::scheduling::blocking::RankTables;
use econ_envs::scheduling::config::{PreferenceFamily, PreferenceLaw};
use econ_envs::scheduling::{Config, Spec};
use sim_core::{Digest, EnvironmentSpec as _, Episode, Seed, canonical_json};

/// A change of these moves every published score: bump the version of the environment.
#[test]
fn value_stability() {
    let digest = |config: &Config, index| {
        let instance = Spec
            .generate(config, Episode::of_run(Seed(1), index))
            .unwrap();
        Digest::of_bytes(canonical_json(&instance.preferences).unwrap().as_bytes()).short()
    };
    let drawn: Vec<String> = [0, 3, 6, 9].map(|i| digest(&Config::basic(), i)).into();
    assert_eq!(
        drawn,
        [
            "6fd5c032a27e50c5",
            "53e942d1a5091030",
            "b74f7861577a7980",
            "9970cb9c2daa9943"
        ]
    );
    let paper = Config {
        law: PreferenceLaw::Paper,
        ..Config::hard()
    };
    let hard = [digest(&Config::hard(), 4), digest(&paper, 4)];
    assert_eq!(hard, ["72f5747ba8681c6d", "14e4f5ac3e5ba959"]);
}

/// Both laws agree on pairs: of two agents with public scores 3 and 1 (the extremes of the
/// program's set) the higher wins with probability 3/4. With two workers there is nothing else.
#[test]
fn pairs_are_won_in_proportion_to_scores() {
    let config = Config {
        workers: 2,
        family: PreferenceFamily::Correlated,
        ..Config::basic()
    };
    // Both workers agree with probability 9/16 + 1/16.
    let agree = (0..4000)
        .filter(|&i| {
            let instance = Spec.generate(&config, Episode::of_run(Seed(2), i)).unwrap();
            instance.preferences.workers[0] == instance.preferences.workers[1]
        })
        .count();
    // 2500 expected, standard deviation 31.
    assert!((2380..2620).contains(&agree), "{agree}");
}

/// The two laws differ on whole rankings: the largest of several exponentials separates the best
/// agents, the smallest the worst. So rankers agree more on the first place than on the last under
/// the program's law and the other way round under the paper's.
#[test]
fn laws_differ_on_whole_rankings() {
    let first_share = |law| {
        let config = Config {
            workers: 30,
            family: PreferenceFamily::Correlated,
            score_ratio: 20.0,
            law,
            ..Config::basic()
        };
        let mut same_first = 0;
        let mut same_last = 0;
        for i in 0..60 {
            let instance = Spec.generate(&config, Episode::of_run(Seed(3), i)).unwrap();
            let rankings = &instance.preferences.workers;
            let share = |place: usize| {
                let mut count = [0_u32; 30];
                for ranking in rankings {
                    count[usize::from(ranking[place])] += 1;
                }
                count.into_iter().max().unwrap()
            };
            same_first += share(0);
            same_last += share(29);
        }
        (
            f64::from(same_first) / 1800.0,
            f64::from(same_last) / 1800.0,
        )
    };
    let (program_first, program_last) = first_share(PreferenceLaw::Program);
    let (paper_first, paper_last) = first_share(PreferenceLaw::Paper);
    println!("program {program_first} {program_last}, paper {paper_first} {paper_last}");
    assert!(program_first > program_last && paper_last > paper_first);
}

/// Identical priorities make the expectation n(n-1)/4 whatever the rest; uniform markets have it
/// on average.
#[test]
fn expectations_of_the_families() {
    for index in [6, 7, 8, 9, 10, 11] {
        let instance = Spec
            .generate(&Config::hard(), Episode::of_run(Seed(4), index))
            .unwrap();
        assert!(
            instance
                .preferences
                .tasks
                .windows(2)
                .all(|pair| pair[0] == pair[1])
        );
        let (sum, pairs) = RankTables::new(&instance.preferences)
            .unwrap()
            .expected_blocking();
        assert_eq!(sum * 4, pairs * 50 * 49);
    }
    let uniform = Config {
        family: PreferenceFamily::Uniform,
        ..Config::medium()
    };
    let mean: f64 = (0..200)
        .map(|i| {
            let instance = Spec
                .generate(&uniform, Episode::of_run(Seed(5), i))
                .unwrap();
            let (sum, pairs) = RankTables::new(&instance.preferences)
                .unwrap()
                .expected_blocking();
            sum as f64 / pairs as f64 / 200.0
        })
        .sum();
    assert!((mean - 95.0).abs() < 1.0, "{mean}");
}

#[test]
fn whole_runs_are_pinned() {
    let configs = [Config::basic(), Config::medium(), Config::hard()];
    let ends = ends(&Spec, &configs, 3, "fix-all-pairs");
    let want = [
        (2362, "b20d5a78e7700426"),
        (3738, "99bcc3b07c964e28"),
        (23125, "ed00ff8753861fe3"),
    ]
    .map(|(size, digest)| (size, digest.to_owned()));
    assert_eq!(ends, want);
}
