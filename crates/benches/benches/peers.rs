//! Our side of `cargo xtask peers`: a task by name, its result and the processor time of one
//! operation on one line, as the scripts in `xtask/peers` print them.
//!
//! Inputs come from the same small generator as theirs, so the results can be compared.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use beer_game::chain::{Chain, Setup};
use beer_game::config::Config as BeerConfig;
use beer_game::role::{ByRole, Role};
use beer_game::rule::Lineup;
use beer_game::rule::OrderingRule;
use econ_envs::pricing::instance::Shift;
use econ_envs::pricing::optimum::optimum;
use econ_envs::pricing::{Config as PricingConfig, Instance};
use econ_envs::scheduling::blocking::Kernel;
use econ_envs::scheduling::preferences::Preferences;
use edt::Action;
use edt::action::Window;
use edt::engine::{Chance, Engine};
use edt::firm::Firm;
use qa_scoring::rouge::{Rouge, Stemming};
use std::hint::black_box;
use std::time::Instant;

/// A linear congruential generator; the upper 31 bits count.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }

    fn shuffled(&mut self, n: u16) -> Vec<u16> {
        let mut items: Vec<u16> = (0..n).collect();
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
        items
    }
}

/// Processor time of this thread \[ns\]; wall-clock time if the system does not report it.
struct Stopwatch(Option<u64>, Instant);

impl Stopwatch {
    fn used() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    fn start() -> Self {
        Self(Self::used(), Instant::now())
    }

    fn ns(&self) -> f64 {
        match (self.0, Self::used()) {
            (Some(start), Some(now)) => (now - start) as f64,
            _ => self.1.elapsed().as_nanos() as f64,
        }
    }
}

/// Repeats the work for half a second and prints the line.
fn measured(operations: usize, mut work: impl FnMut() -> f64) {
    black_box(work());
    let (watch, mut rounds) = (Stopwatch::start(), 0_usize);
    loop {
        // Several rounds between two readings of the clock, so that reading it costs nothing.
        let mut result = 0.0;
        for _ in 0..20 {
            result = black_box(work());
            rounds += 1;
        }
        let spent = watch.ns();
        if spent >= 0.5e9 {
            println!("{result:?} {:?}", spent / (rounds * operations) as f64);
            return;
        }
    }
}

fn beer() {
    let scripts: Vec<Vec<f64>> = (1..=256)
        .map(|game| {
            let mut draw = Lcg(game);
            (0..25).map(|_| draw.below(900) as f64).collect()
        })
        .collect();
    let config = BeerConfig::bptk();
    let setup = Setup::new(
        &config.board,
        &config.cost,
        &Lineup::all(OrderingRule::TYPICAL),
    );
    measured(256 * 25, || {
        let mut total = 0.0;
        for orders in &scripts {
            let mut chain = Chain::start(&setup);
            for (week, order) in orders.iter().enumerate() {
                chain.open_week(if week == 0 { 100.0 } else { 400.0 });
                chain.close_week(&setup, &ByRole::new([Some(*order), None, None, None]));
            }
            total += chain.costs()[Role::Retailer];
        }
        total
    });
}

fn edt() {
    let firm = Firm::paper();
    let plans: Vec<Action> = (0..512)
        .map(|index| {
            let mut draw = Lcg(9000 + index);
            let consultants = 4 + draw.below(9) as i64;
            let risk_level = draw.below(3) as f64 / 2.0;
            let projects = (0..10)
                .map(|_| {
                    let start = 1 + draw.below(60);
                    let deadline = start + draw.below(96 - start);
                    let window = Window {
                        start: start as f64,
                        deadline: deadline as f64,
                    };
                    (draw.below(5) != 0).then_some(window)
                })
                .collect();
            Action {
                consultants,
                risk_level,
                projects,
            }
        })
        .collect();
    let mut engine = Engine::new(&firm);
    measured(plans.len(), || {
        plans
            .iter()
            .map(|plan| {
                let chance = Chance::threshold(plan.risk_level);
                engine.run(plan, &chance).accumulated_earnings
            })
            .sum()
    });
}

fn scheduling() {
    let mut draw = Lcg(7);
    let workers = (0..50).map(|_| draw.shuffled(50)).collect();
    let tasks = (0..50).map(|_| draw.shuffled(50)).collect();
    let kernel = Kernel::new(&Preferences { workers, tasks }).expect("drawn rankings");
    let matchings: Vec<Vec<u16>> = (0..256).map(|i| Lcg(1000 + i).shuffled(50)).collect();
    measured(matchings.len(), || {
        let listed: usize = matchings
            .iter()
            .map(|matching| kernel.blocking(matching).expect("a matching").list().len())
            .sum();
        listed as f64
    });
}

fn market(seed: u64) -> Instance {
    let mut draw = Lcg(seed);
    let mut ten =
        |low: f64, width: f64| -> Vec<f64> { (0..10).map(|_| low + width * draw.unit()).collect() };
    let (alpha, quality, costs) = (ten(1.0, 9.0), ten(2.0, 1.0), ten(1.0, 1.0));
    Instance {
        config: PricingConfig::hard(),
        costs,
        quality,
        categories: (0..10).map(|i| i % 3).collect(),
        shift: Shift::Linear {
            steps: vec![0.0; 10],
        },
        ceiling_factor: 2.0,
        alpha,
    }
}

fn pricing() {
    let market = market(3);
    let vectors: Vec<Vec<f64>> = (0..256)
        .map(|index| {
            let mut draw = Lcg(2000 + index);
            let price = |a: &f64| a * (1.5 + 4.5 * draw.unit());
            market.alpha.iter().map(price).collect()
        })
        .collect();
    let demand = market.demand().expect("lists of one length");
    let (mut quantities, mut profits) = (vec![0.0; 10], vec![0.0; 10]);
    measured(vectors.len(), || {
        let mut total = 0.0;
        for prices in &vectors {
            demand
                .sales_into(&market.alpha, prices, &mut quantities, &mut profits)
                .expect("one entry a product");
            total += profits.iter().sum::<f64>();
        }
        total
    });
}

fn pricing_optimum() {
    let demands: Vec<_> = (0..256)
        .map(|index| market(3000 + index).demand().expect("lists of one length"))
        .collect();
    measured(demands.len(), || {
        let profits = demands.iter().map(|demand| optimum(demand).profit);
        profits.sum()
    });
}

/// As `text_pairs` of the scripts.
fn text_pairs(words: usize, count: u64) -> Vec<(String, String)> {
    let mut draw = Lcg(11);
    let vocabulary: Vec<String> = (0..4000_u64)
        .map(|rank| {
            let length = 2 + draw.below(3 + (rank / 100).min(8));
            (0..length)
                .map(|_| char::from(b'a' + draw.below(26) as u8))
                .collect()
        })
        .collect();
    let word = |draw: &mut Lcg| {
        let ranks = [draw.below(4000), draw.below(4000), draw.below(4000)];
        vocabulary[ranks.into_iter().min().unwrap() as usize].clone()
    };
    (0..count)
        .map(|index| {
            let mut draw = Lcg(5000 + index);
            let reference: Vec<String> = (0..words).map(|_| word(&mut draw)).collect();
            let prediction: Vec<String> = reference
                .iter()
                .map(|kept| {
                    if draw.below(2) == 0 {
                        kept.clone()
                    } else {
                        word(&mut draw)
                    }
                })
                .collect();
            let mut reference = reference.join(" ");
            let first = reference.remove(0).to_ascii_uppercase();
            (format!("{first}{reference}."), prediction.join(" ") + ".")
        })
        .collect()
}

fn rouge(words: usize, count: u64) {
    let pairs = text_pairs(words, count);
    let mut scorer = Rouge::new(Stemming::Off);
    measured(pairs.len(), || {
        pairs
            .iter()
            .map(|(reference, prediction)| scorer.score(reference, prediction).mean_f())
            .sum()
    });
}

fn main() {
    let task = std::env::args().nth(1).unwrap_or_default();
    match task.as_str() {
        "beer" => beer(),
        "edt" => edt(),
        "scheduling" => scheduling(),
        "pricing" => pricing(),
        "pricing-optimum" => pricing_optimum(),
        "rouge-55" => rouge(55, 512),
        "rouge-344" => rouge(344, 64),
        other => panic!("there is no task `{other}`"),
    }
}
