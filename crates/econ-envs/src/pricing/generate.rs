//! Draws markets.
//!
//! Each kind of number has a random stream of its own, named here, so that another law
//! for one kind moves no draw of another:
//!
//! | stream | draws |
//! |---|---|
//! | `alpha` | initial sensitivities, uniform on `alpha_low` to `alpha_high` |
//! | `cost` | unit costs, uniform by the [`CostLaw`] |
//! | `quality` | qualities, uniform on 2 to 3 |
//! | `category` | categories, truncated geometric |
//! | `shift` | length of the season, then amplitudes; or the steps of the drift |
//! | `ceiling` | the factor of the printed ceiling, where it has a draw of its own |

use super::config::{Config, CostLaw, SeasonLaw, ShiftKind};
use super::demand::MarketDemand;
use super::instance::{Instance, Shift};
use super::optimum::{Optimum, optimum};
use sim_core::{ConfigError, Episode, Stream};

/// The market of an episode with its demand and optimum, which the check of its profit needs; see
/// [`Instance::generate`].
pub(super) fn generate(
    config: &Config,
    episode: Episode,
) -> Result<(Instance, MarketDemand, Optimum), ConfigError> {
    config.check()?;
    let Episode { seed, index } = episode;
    let n = config.products;
    let each = |draws: &mut Stream, low: f64, high: f64| -> Vec<f64> {
        (0..n).map(|_| draws.uniform(low, high)).collect()
    };
    let alpha = each(
        &mut seed.stream("alpha", 0),
        config.alpha_low,
        config.alpha_high,
    );
    let costs = {
        let (low, high) = match config.costs {
            CostLaw::Program => (1.0, 2.0),
            CostLaw::Paper => (1.0, 10.0),
        };
        each(&mut seed.stream("cost", 0), low, high)
    };
    let quality = each(&mut seed.stream("quality", 0), 2.0, 3.0);
    let categories = categories(config, &mut seed.stream("category", 0));
    let periodic = match config.shift {
        ShiftKind::Alternate => index % 2 == 1,
        ShiftKind::Linear => false,
        ShiftKind::Periodic => true,
    };
    let mut draws = seed.stream("shift", 0);
    let shift = if periodic {
        // First of its stream, as the length is one number and the amplitudes depend on how many
        // products there are.
        let longest = match config.season {
            SeasonLaw::Program => 19,
            SeasonLaw::Paper => 20,
        };
        let length = draws.between_u32(10, longest);
        let amplitudes = alpha
            .iter()
            .map(|a| draws.uniform(a * config.swing_low, a * config.swing_high))
            .collect();
        Shift::Periodic { amplitudes, length }
    } else {
        let max_step = config.drift / f64::from(config.periods);
        let steps = alpha
            .iter()
            .map(|a| draws.uniform(-a * max_step, a * max_step))
            .collect();
        Shift::Linear { steps }
    };
    let span = config.alpha_high - config.alpha_low;
    // The authors' program begins a second generator with the same seed for this factor,
    // so its first number is the one that made the first sensitivity. The default repeats
    // that.
    let unit = match alpha.first() {
        Some(first) if !config.ceiling_independent && span > 0.0 => {
            (first - config.alpha_low) / span
        }
        _ => seed.stream("ceiling", 0).unit(),
    };
    let ceiling_factor = config.ceiling_low + unit * (config.ceiling_high - config.ceiling_low);
    let instance = Instance {
        config: config.clone(),
        costs,
        quality,
        categories,
        alpha,
        shift,
        ceiling_factor,
    };
    // The one thing that a valid configuration does not guarantee. Refused here, because a batch
    // plays drawn markets without checking them again.
    let demand = instance.demand()?;
    let best = optimum(&demand);
    Instance::check_profit(&instance.config, &best)?;
    Ok((instance, demand, best))
}

/// Category of each product: geometric, redrawn until it is one of the categories; the whole vector is
/// redrawn until every category has a product. After 10,000 vectors (unusual settings only) each
/// category receives one product.
fn categories(config: &Config, draws: &mut Stream) -> Vec<u16> {
    let many = config.categories();
    if many == 1 {
        return vec![1; usize::from(config.products)];
    }
    let mut drawn = vec![1_u16; usize::from(config.products)];
    for _ in 0..10_000 {
        let mut seen = vec![false; usize::from(many)];
        for slot in &mut drawn {
            *slot = loop {
                match u16::try_from(draws.geometric(config.category_p)) {
                    Ok(category) if category <= many => break category,
                    _ => {}
                }
            };
            if let Some(mark) = seen.get_mut(usize::from(*slot) - 1) {
                *mark = true;
            }
        }
        if seen.iter().all(|&mark| mark) {
            return drawn;
        }
    }
    for (slot, category) in drawn.iter_mut().zip(1..=many) {
        *slot = category;
    }
    drawn
}
