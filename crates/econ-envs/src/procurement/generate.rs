//! Draws markets.
//!
//! ```text
//! effectiveness -> kinds -> slots -> one product for each offer -> further products and units
//!               -> prices -> a plan that covers every category -> its cost plus up to a dollar
//! ```
//!
//! Each purpose has its own random stream, so that changing one setting does not change the draws of
//! another purpose. Source: the authors' program and the paper's appendix C.

use super::action::MOST_COPIES;
use super::config::{Config, DrawLaw};
use super::instance::Instance;
use super::menu::{EquipmentType, MOST_UNITS, Menu, Offer, OfferId, Terms};
use sim_core::{ConfigError, Episode, Seed, Stream};
use std::sync::Arc;

/// Lowest and highest price \[cents\].
const PRICES: (f64, f64) = (100.0, 2_000.0);

impl Instance {
    /// Draws the market of an episode; only `episode.seed` matters.
    ///
    /// # Errors
    /// When the configuration is out of range.
    ///
    /// # Source
    /// The authors' program and the paper's appendix C; see [`DrawLaw`] for where they differ.
    ///
    /// ```
    /// use econ_envs::procurement::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let of = |k| Instance::generate(&Config::medium(), Episode::of_run(Seed(8), k));
    /// let (first, second) = (of(0)?, of(1)?);
    /// assert_eq!((first.menu.categories(), first.menu.offers.len()), (5, 30));
    /// assert_ne!(first.effectiveness, second.effectiveness);
    /// assert_eq!(of(0)?, first);
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let seed = episode.seed;
        let effectiveness = effectiveness(config, seed);
        let mut menu = Menu {
            products: effectiveness
                .iter()
                .map(|category| to_u32(category.len()))
                .collect(),
            budget_cents: 0,
            offers: Vec::new(),
        };
        menu.offers = offers(config, &menu.all_products().collect::<Vec<_>>(), seed);
        let seed_plan = seed_plan(config, &menu, seed);
        // As if there were no minimum quantities.
        let cost: i64 = seed_plan
            .iter()
            .filter_map(|&(offer, copies)| Some(menu.offers.get(offer.index())?.cost(copies)))
            .sum();
        menu.budget_cents = cost + cents(&mut seed.stream("budget slack", 0), 0.0, 100.0);
        let instance = Self {
            name: None,
            rules: config.rules.clone(),
            menu: Arc::new(menu),
            effectiveness,
            max_effectiveness: config.max_effectiveness,
            seed_plan,
        };
        instance.check()?;
        Ok(instance)
    }
}

fn effectiveness(config: &Config, seed: Seed) -> Vec<Vec<u32>> {
    let mut draw = seed.stream("effectiveness", 0);
    (0..config.categories)
        .map(|_| {
            (0..config.products_per_category)
                .map(|_| draw.between_u32(1, config.max_effectiveness))
                .collect()
        })
        .collect()
}

fn offers(config: &Config, products: &[EquipmentType], seed: Seed) -> Vec<Offer> {
    let mut kinds = seed.stream("offer kinds", 0);
    let mut slots = seed.stream("offer slots", 0);
    let mut contents = seed.stream("offer contents", 0);
    let mut prices = seed.stream("offer prices", 0);
    mandatory(config, products, seed)
        .into_iter()
        .map(|first| {
            let kind = kinds.below(3);
            let count = usize::try_from(slots.geometric(config.products_p)).unwrap_or(usize::MAX);
            // A geometric law has no largest value; with p1 at its least, 0.01, a count beyond this
            // has a chance below 1e-280.
            let count = count.min(usize::from(u16::MAX));
            let contents = match config.law {
                DrawLaw::Program => with_replacement(first, count, products, config, &mut contents),
                DrawLaw::Paper => {
                    without_replacement(first, count, products, config, &mut contents)
                }
            };
            let mut price = || cents(&mut prices, PRICES.0, PRICES.1);
            let (terms, unit_cents) = match kind {
                0 => (Terms::Simple, price()),
                1 => {
                    let upfront_cents = price();
                    (Terms::TwoPart { upfront_cents }, price())
                }
                _ => {
                    let unit_cents = price();
                    let most = match config.law {
                        DrawLaw::Program => 9,
                        DrawLaw::Paper => 10,
                    };
                    let min_copies = prices.between_u32(2, most);
                    (Terms::BulkOnly { min_copies }, unit_cents)
                }
            };
            Offer {
                unit_cents,
                terms,
                contents,
            }
        })
        .collect()
}

/// The first product of each offer, chosen so that every product is on offer.
fn mandatory(config: &Config, products: &[EquipmentType], seed: Seed) -> Vec<EquipmentType> {
    let mut draw = seed.stream("mandatory products", 0);
    let mut order = products.to_vec();
    draw.shuffle(&mut order);
    let offers = usize::try_from(config.offer_count()).unwrap_or(usize::MAX);
    if offers > order.len() {
        while order.len() < offers {
            order.extend(draw.pick(products).copied());
        }
        // Again, as in the program: else the products drawn twice would all be in the last offers.
        draw.shuffle(&mut order);
    }
    order
}

/// The program's law: further products are drawn from all products, including the first. For a product
/// drawn twice the later units count, at the position of its first draw.
fn with_replacement(
    first: EquipmentType,
    count: usize,
    products: &[EquipmentType],
    config: &Config,
    draw: &mut Stream,
) -> Vec<(EquipmentType, u32)> {
    let mut drawn = vec![first];
    drawn.extend((1..count).filter_map(|_| draw.pick(products).copied()));
    let mut contents: Vec<(EquipmentType, u32)> = Vec::new();
    for product in drawn {
        let units = units(config, draw);
        match contents.iter_mut().find(|(known, _)| *known == product) {
            Some(line) => line.1 = units,
            None => contents.push((product, units)),
        }
    }
    contents
}

/// The paper's law: further products are drawn from the others, each at most once.
fn without_replacement(
    first: EquipmentType,
    count: usize,
    products: &[EquipmentType],
    config: &Config,
    draw: &mut Stream,
) -> Vec<(EquipmentType, u32)> {
    let mut others: Vec<EquipmentType> = products
        .iter()
        .copied()
        .filter(|product| *product != first)
        .collect();
    draw.shuffle(&mut others);
    others.truncate(count.saturating_sub(1));
    std::iter::once(first)
        .chain(others)
        .map(|product| (product, units(config, draw)))
        .collect()
}

fn units(config: &Config, draw: &mut Stream) -> u32 {
    u32::try_from(draw.geometric(config.units_p))
        .unwrap_or(MOST_UNITS)
        .min(MOST_UNITS)
}

/// A plan that covers every category: for each one a product, an offer that contains it, and a number
/// of copies.
fn seed_plan(config: &Config, menu: &Menu, seed: Seed) -> Vec<(OfferId, u32)> {
    let mut draw = seed.stream("seed plan", 0);
    let mut plan: Vec<(OfferId, u32)> = Vec::new();
    for (category, &count) in (0_u16..).zip(&menu.products) {
        let index = u16::try_from(draw.below(u64::from(count))).unwrap_or(0);
        let product = EquipmentType { category, index };
        let holding: Vec<OfferId> = (0..)
            .zip(&menu.offers)
            .filter(|(_, offer)| offer.contents.iter().any(|(held, _)| *held == product))
            .map(|(number, _)| OfferId(number))
            .collect();
        // Every product is the first one of some offer, so `holding` is not empty.
        let Some(&offer) = draw.pick(&holding) else {
            continue;
        };
        let copies = u32::try_from(draw.geometric(config.units_p)).unwrap_or(MOST_COPIES);
        let extra = match (config.law, menu.offers.get(offer.index())) {
            (DrawLaw::Program, Some(offer)) => offer.min_copies() - 1,
            _ => 0,
        };
        let copies = copies.saturating_add(extra).min(MOST_COPIES);
        // Two categories may choose the same offer; the later number of copies replaces the earlier.
        match plan.iter_mut().find(|(chosen, _)| *chosen == offer) {
            Some(line) => line.1 = copies,
            None => plan.push((offer, copies)),
        }
    }
    plan
}

/// A uniform amount rounded to the nearest cent, as the program rounds its dollars.
fn cents(draw: &mut Stream, low: f64, high: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "within 0 to 2000")]
    let cents = draw.uniform(low, high).round() as i64;
    cents
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
