//! Memory of a lane: the growth of this program's resident memory while a batch is created and
//! stepped to its end, divided by its number of lanes. Each batch has a separate process, because a
//! process that had another batch before could reuse its memory.
//!
//! Prints lines `figure: NAME = VALUE bytes`; on systems without `/proc` it prints nothing.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use benches::actions;
use sim_core::{DynEnvironmentSpec, Seed};

/// Bytes of a page of memory, as Linux counts them.
const PAGE: f64 = 4_096.0;

/// Resident memory \[bytes\].
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

type Batch = (Box<dyn DynEnvironmentSpec>, Option<&'static str>, usize);

/// Environment, preset and number of lanes: so many that what a batch and its code take once, about 100 KB, is small
/// beside the lanes.
fn batches() -> Vec<Batch> {
    vec![
        (Box::new(beer_game::Spec), Some("paper"), 262_144),
        (Box::new(beer_game::Spec), Some("bptk"), 262_144),
        (Box::new(edt::Spec), None, 131_072),
        (Box::new(econ_envs::procurement::Spec), Some("hard"), 1_024),
        (Box::new(econ_envs::scheduling::Spec), Some("hard"), 1_024),
        (Box::new(econ_envs::pricing::Spec), Some("hard"), 16_384),
        (Box::new(ceo_reallocation::Spec), None, 65_536),
    ]
}

/// The batch that a process of this program measures.
const WHICH: &str = "BOARDROOM_BENCH_BATCH";

fn main() {
    let which = std::env::var(WHICH).ok();
    let Some(which) = which.and_then(|which| which.parse::<usize>().ok()) else {
        let program = std::env::current_exe().expect("this program");
        for which in 0..batches().len() {
            let mut one = std::process::Command::new(&program);
            let ended = one.env(WHICH, which.to_string()).status();
            assert!(ended.expect("a process").success(), "batch {which}");
        }
        return;
    };
    if let Some((kind, preset, lanes)) = batches().into_iter().nth(which) {
        let config = kind.configure(preset, &[]).expect("a preset");
        let small = kind
            .new_batch(&config, 16, Seed(1))
            .expect("a configuration");
        let Some(small) = small else { return };
        let mut layout = small.layout().clone();
        layout.lanes = lanes;
        let steps = layout.horizon;
        let mut action = actions(&layout, 0);
        let mut obs = vec![1.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![1.0; lanes], vec![true; lanes]);
        let Some(before) = resident() else { return };
        let mut batch = kind
            .new_batch(&config, lanes, Seed(1))
            .expect("a configuration")
            .expect("a batch form");
        // Step to the end, because the records of a lane count too. Each lane gets the actions of
        // the next one, in the same buffer.
        for _ in 0..steps {
            action.rotate_left(layout.action.len());
            batch
                .step_batch(&action, &mut obs, &mut rewards, &mut dones)
                .expect("lengths");
        }
        let Some(after) = resident() else { return };
        let each = (after - before) / lanes as f64;
        let preset = preset.unwrap_or("default");
        println!("figure: {} {preset} = {each:.1} bytes", kind.name());
    }
}
