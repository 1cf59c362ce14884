//! One thread and several, shards and one batch, lanes and single episodes give the same bits; so
//! do texts scored by one thread and by several.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use benches::{actions, text_pairs};
use proptest::prelude::*;
use qa_scoring::rouge::{Rouge, Stemming};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use sim_core::{
    BatchEnvironment, DynEnvironmentSpec, Episode, ParallelBatch, Seed, ToolEnvironment,
};

/// Number of steps of long episodes.
const STEPS: u32 = 12;

/// The results of one way of stepping: every number of every step as its bits.
type Trace = Vec<u64>;

fn trace(batch: &mut dyn BatchEnvironment, steps: u32) -> Trace {
    let layout = batch.layout().clone();
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; layout.lanes], vec![false; layout.lanes]);
    let mut trace = Vec::new();
    batch.observe_into(&mut obs).unwrap();
    for step in 0..=steps {
        trace.extend(obs.iter().map(|x| u64::from(x.to_bits())));
        trace.extend(rewards.iter().map(|x: &f64| x.to_bits()));
        trace.extend(dones.iter().map(|done| u64::from(*done)));
        let values = (0..layout.lanes).map(|lane| batch.lane_value(lane).unwrap().to_bits());
        trace.extend(values);
        if step < steps {
            let actions = actions(&layout, step);
            batch
                .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
                .unwrap();
        }
    }
    trace
}

/// Plays `lanes` lanes in all ways; `turns` is the number of settings that alternate by lane
/// number.
fn same_everywhere(
    kind: &dyn DynEnvironmentSpec,
    preset: Option<&str>,
    turns: usize,
    seed: u64,
    lanes: usize,
) {
    let run = Seed(seed);
    let config = kind.configure(preset, &[]).unwrap();
    let shards = || {
        ParallelBatch::new(kind, &config, lanes, turns, run)
            .unwrap()
            .unwrap()
    };
    let steps = shards().layout().horizon.min(STEPS);
    let on = |threads: usize| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| trace(&mut shards(), steps))
    };
    let one = on(1);
    assert!(one.len() > lanes, "{} steps nothing", kind.name());
    assert!(
        one == on(4),
        "{}: four threads differ from one",
        kind.name()
    );

    let mut whole = kind.new_batch(&config, lanes, run).unwrap().unwrap();
    assert!(
        one == trace(whole.as_mut(), steps),
        "{}: shards differ from one batch",
        kind.name()
    );

    // Single episodes next to the lanes: the same values after every step, to the last bit.
    let mut batch = shards();
    let mut reference_envs: Vec<Box<dyn ToolEnvironment>> = (0..lanes)
        .map(|lane| batch.reference_env(lane).unwrap())
        .collect();
    let layout = batch.layout().clone();
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
    for step in 0..steps {
        let actions = actions(&layout, step);
        batch
            .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
            .unwrap();
        let lanes = reference_envs
            .iter_mut()
            .zip(actions.chunks(layout.action.len()));
        for (lane, ((reference_env, action), done)) in lanes.zip(&dones).enumerate() {
            if !reference_env.is_over() {
                let reply = reference_env.act(&batch.action_value(action));
                assert!(!reply.is_rejected(), "{}", reply.text());
            }
            let (single, of_lane) = (
                reference_env.score().unwrap().value(),
                batch.lane_value(lane).unwrap(),
            );
            assert!(
                single.to_bits() == of_lane.to_bits() && *done == reference_env.is_over(),
                "{}: step {step}, lane {lane}: {of_lane}, its single episode {single}",
                kind.name()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn the_same_bits_on_one_thread_and_many(seed in any::<u64>(), lanes in 1_usize..40) {
        same_everywhere(&beer_game::Spec, Some("paper"), 2, seed, lanes);
        same_everywhere(&beer_game::Spec, Some("random"), 4, seed, lanes);
        same_everywhere(&edt::Spec, None, 3, seed, lanes);
        same_everywhere(&econ_envs::procurement::Spec, None, 5, seed, lanes);
        same_everywhere(&econ_envs::scheduling::Spec, None, 12, seed, lanes);
        same_everywhere(&econ_envs::pricing::Spec, None, 2, seed, lanes);
        same_everywhere(&ceo_reallocation::Spec, None, 13, seed, lanes);
    }
}

#[test]
fn no_lanes_and_odd_sizes() {
    let config = beer_game::Spec.configure(None, &[]).unwrap();
    let make =
        |lanes, per_shard| ParallelBatch::new(&beer_game::Spec, &config, lanes, per_shard, Seed(1));
    assert!(make(5, 0).is_err());
    let mut none = make(0, 4).unwrap().unwrap();
    none.step_batch(&[], &mut [], &mut [], &mut []).unwrap();
    assert_eq!(none.lane_value(0), None);
    let mut some = make(5, 100).unwrap().unwrap();
    assert_eq!(some.layout().lanes, 5);
    let mut obs = vec![0.0; some.layout().observation_len()];
    assert!(
        some.step_batch(&[0.0; 4], &mut obs, &mut [0.0; 5], &mut [false; 5])
            .is_err()
    );
    assert!(some.reset_lane(77, Episode::of_run(Seed(2), 77)).is_err());
    assert!(some.reference_env(4).is_some() && some.reference_env(5).is_none());
}

#[test]
fn texts_get_the_same_scores_on_one_thread_and_many() {
    let pairs = text_pairs(55, 200);
    let on = |threads: usize| -> Vec<u64> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let scored = pairs.par_iter().map_init(
                || Rouge::new(Stemming::Off),
                |scorer, (reference, prediction)| scorer.score(reference, prediction).mean_f(),
            );
            scored.map(f64::to_bits).collect()
        })
    };
    assert_eq!(on(1), on(4));
}
