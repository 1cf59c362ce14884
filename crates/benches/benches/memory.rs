//! Memory of a lane: what the resident memory of this program grows by when a batch is made and
//! stepped once, over its lanes.
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
use sim_core::{Kind, Seed};

/// Bytes of a page of memory, as Linux counts them.
const PAGE: f64 = 4_096.0;

/// Resident memory \[bytes\].
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

fn main() {
    let batches: Vec<(Box<dyn Kind>, Option<&str>, usize)> = vec![
        (Box::new(beer_game::BeerGameFamily), Some("paper"), 262_144),
        (Box::new(beer_game::BeerGameFamily), Some("bptk"), 262_144),
        (Box::new(edt::EdtFamily), None, 8_192),
        (
            Box::new(econ_envs::procurement::ProcurementFamily),
            Some("hard"),
            1_024,
        ),
        (
            Box::new(econ_envs::scheduling::SchedulingFamily),
            Some("hard"),
            1_024,
        ),
        (
            Box::new(econ_envs::pricing::PricingFamily),
            Some("hard"),
            16_384,
        ),
        (Box::new(ceo_reallocation::CeoFamily), None, 8_192),
    ];
    for (kind, preset, lanes) in batches {
        let config = kind.configure(preset, &[]).expect("a preset");
        let small = kind.batch(&config, 16, Seed(1)).expect("a configuration");
        let Some(small) = small else { continue };
        let mut layout = small.layout().clone();
        layout.lanes = lanes;
        let actions = actions(&layout, 0);
        let mut obs = vec![1.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![1.0; lanes], vec![true; lanes]);
        let Some(before) = resident() else { return };
        let mut batch = kind
            .batch(&config, lanes, Seed(1))
            .expect("a configuration")
            .expect("a batch form");
        batch
            .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
            .expect("lengths");
        let Some(after) = resident() else { return };
        let each = (after - before) / lanes as f64;
        let preset = preset.unwrap_or("default");
        println!("figure: {} {preset} = {each:.1} bytes", kind.name());
    }
}
