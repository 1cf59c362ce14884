//! Sixteen markets side by side, product by product, so that everything runs in vector registers.

// The numbers equal those of `MarketDemand` to the last bit, because every operation is the same and in
// the same order: vector instructions round like scalar ones, and no fused multiply-add is used. A
// property test compares all lanes with single runs.

use super::super::demand::{FAR_BELOW, power, rescale};
use super::super::instance::Shift;
use super::super::market::Market;
use super::super::money::{round_all, round_cents};
use crate::protocol::single;
use multiversion::multiversion;
use sim_core::batch::interleaved;
use sim_core::{Layout, math};
use std::sync::Arc;

/// Markets in a block: four vectors of four doubles each with AVX2.
pub(super) const WIDTH: usize = 16;

/// One number for each market of a block.
pub(super) type Row = [f64; WIDTH];

/// Fields of a product in an observation: price, quantity, profit, cost.
pub(super) const FIELDS: usize = 4;

/// Sales of one product in every market of the block, rounded as in the record: price, quantity, profit and
/// cost, all 0 before the first period is over.
type Shown = [Row; FIELDS];

/// The parameters of one product in every market of the block.
#[derive(Debug, Clone, Copy)]
struct Product {
    /// Sensitivity in period 0, and the factor of the pattern that is added to it.
    alpha: Row,
    size: Row,
    quality: Row,
    cost: Row,
    /// The cost rounded as in the record.
    shown_cost: Row,
    /// A double, because vectors compare doubles with doubles.
    category: Row,
}

/// How the sensitivities of a market change: with the period, or with the sine of a season, one for
/// each period.
#[derive(Debug, Clone)]
enum Pattern {
    Line,
    Season(Arc<[f64]>),
}

/// Sixteen markets with the same settings.
#[derive(Debug, Clone)]
pub(super) struct Block {
    products: Vec<Product>,
    patterns: [Pattern; WIDTH],
    within: f64,
    scale: f64,
    ln_outside: f64,
    market_size: f64,
    categories: usize,
    /// Sales of the last period in which a market took part.
    shown: Vec<Shown>,
}

/// Working memory of a period, which the blocks of a batch use in turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Prices to set, product by product.
    pub(super) prices: Vec<Row>,
    weights: Vec<Row>,
    real: Vec<Row>,
    /// For each category: the sum of its weights, then its sales per unit of weight.
    sums: Vec<Row>,
    /// For each category: what the power of its sum is multiplied by, where a category lies far below the best
    /// one.
    factors: Vec<Row>,
    /// Profit of each market in the period, rounded product by product as in the record \[$\].
    pub(super) profit: Row,
}

impl Block {
    /// A block of `markets` with their seasons. Columns without a market repeat the last one, so that
    /// no column computes with zeros or NaN.
    pub(super) fn new(markets: &[(&Market, &Arc<[f64]>)]) -> Option<Self> {
        let (first, _) = markets.first()?;
        let n = first.demand.size();
        let zero = [0.0; WIDTH];
        let product = Product {
            alpha: [1.0; WIDTH],
            size: zero,
            quality: zero,
            cost: zero,
            shown_cost: zero,
            category: zero,
        };
        let demand = &first.demand;
        let mut block = Self {
            products: vec![product; n],
            patterns: [const { Pattern::Line }; WIDTH],
            within: demand.within,
            scale: demand.scale,
            ln_outside: demand.ln_outside,
            market_size: demand.market_size,
            categories: 0,
            shown: vec![[zero; FIELDS]; n],
        };
        for column in 0..WIDTH {
            if let Some((market, factors)) = markets.get(column).or(markets.last()) {
                block.put(column, market, factors);
            }
        }
        Some(block)
    }

    /// Puts another market into a column of the block, at its start. `factors` are those of its
    /// pattern.
    pub(super) fn put(&mut self, column: usize, market: &Market, factors: &Arc<[f64]>) {
        let instance = &market.instance;
        if let Some(slot) = self.patterns.get_mut(column) {
            *slot = match &instance.shift {
                Shift::Linear { .. } => Pattern::Line,
                Shift::Periodic { .. } => Pattern::Season(Arc::clone(factors)),
            };
        }
        let set = |row: &mut Row, value: f64| {
            if let Some(slot) = row.get_mut(column) {
                *slot = value;
            }
        };
        let sizes = instance.shift.sizes();
        let parameters = instance.alpha.iter().zip(sizes).zip(&market.demand.quality);
        let rest = market.demand.costs.iter().zip(&market.demand.category);
        for ((product, ((alpha, size), quality)), (cost, category)) in
            self.products.iter_mut().zip(parameters).zip(rest)
        {
            set(&mut product.alpha, *alpha);
            set(&mut product.size, *size);
            set(&mut product.quality, *quality);
            set(&mut product.cost, *cost);
            set(&mut product.shown_cost, round_cents(*cost));
            set(&mut product.category, number(*category));
        }
        for row in self.shown.as_flattened_mut() {
            set(row, 0.0);
        }
        self.categories = self.categories.max(market.demand.categories);
    }

    /// One period of all markets, each in its own period, at the prices in `work`. Columns that are not
    /// `live` keep their earlier results.
    pub(super) fn step(&mut self, work: &mut Work, periods: &[u32; WIDTH], live: &[bool; WIDTH]) {
        let mut factor = [0.0; WIDTH];
        for ((slot, pattern), period) in factor.iter_mut().zip(&self.patterns).zip(periods) {
            match pattern {
                Pattern::Line => *slot = f64::from(*period),
                // A market that is over has no factor any more, and its results are not kept.
                Pattern::Season(sines) => {
                    if let Some(sine) = sines.get(*period as usize) {
                        *slot = *sine;
                    }
                }
            }
        }
        let n = self.products.len();
        work.weights.resize(n, [0.0; WIDTH]);
        work.real.resize(n, [0.0; WIDTH]);
        work.sums.clear();
        work.sums.resize(self.categories, [0.0; WIDTH]);
        period(self, work, &factor, live);
    }

    /// Writes the products' part of the observations: `place` says where they stand in
    /// the buffer.
    pub(super) fn observe(&self, layout: Layout, place: &Place, obs: &mut [f32]) {
        write(self, layout, place, obs);
    }
}

/// Where a block's observations stand in the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The first lane of the block.
    pub(super) first: usize,
    /// Number of its lanes.
    pub(super) count: usize,
    /// Number of all lanes of the batch.
    pub(super) lanes: usize,
    /// Fields of an observation before those of the products.
    pub(super) before: usize,
    /// Fields of an observation.
    pub(super) fields: usize,
}

/// A small whole number as a double.
#[expect(clippy::cast_precision_loss, reason = "the number of a category")]
fn number(category: usize) -> f64 {
    category as f64
}

/// Largest number of categories that are compared one by one. With more, finding each product's sum in
/// memory is faster.
const COMPARED: usize = 8;

/// A period of all markets.
// Compiled for every x86-64 processor and for those with wider vectors. All versions execute the same
// operations on the same numbers.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn period(block: &mut Block, work: &mut Work, factor: &Row, live: &[bool; WIDTH]) {
    // Exponents and real prices; exponents are taken relative to the largest one of each market.
    let mut top = [f64::NEG_INFINITY; WIDTH];
    let rows = work
        .weights
        .iter_mut()
        .zip(&mut work.real)
        .zip(&work.prices);
    for (((weight, real), price), product) in rows.zip(&block.products) {
        exponents(weight, real, &mut top, price, product, factor, block.scale);
    }
    for weight in &mut work.weights {
        let mut relative = pairs(weight, &top, |weight, top| weight - top);
        math::exp_each(&mut relative);
        *weight = relative;
    }
    let mut total = each(&top, |top| block.ln_outside - block.within * top);
    math::exp_each(&mut total);
    add_up(block, work);
    let sums = work.sums.as_flattened().iter();
    // Without a branch for each number.
    let is_any_far = sums.fold(false, |any, sum| any | (*sum < FAR_BELOW));
    if is_any_far {
        rescale_all(block, work, &top);
    }
    for (category, sum) in work.sums.iter_mut().enumerate() {
        let mut inclusive = powers(sum, block.within);
        if let Some(factor) = work.factors.get(category).filter(|_| is_any_far) {
            inclusive = pairs(factor, &inclusive, |factor, inclusive| factor * inclusive);
        }
        total = pairs(&total, &inclusive, |total, inclusive| total + inclusive);
        *sum = pairs(&inclusive, sum, |inclusive, sum| inclusive / sum);
    }
    let buyers = each(&total, |total| block.market_size / total);
    for sum in &mut work.sums {
        *sum = pairs(sum, &buyers, |sum, buyers| sum * buyers);
    }
    sales(block, work, live);
}

/// Exponents, real prices and the largest exponents so far of one product.
#[inline(always)]
fn exponents(
    weight: &mut Row,
    real: &mut Row,
    top: &mut Row,
    price: &Row,
    product: &Product,
    factor: &Row,
    scale: f64,
) {
    let moved = pairs(&product.size, factor, |size, factor| size * factor);
    let sensitivity = pairs(&product.alpha, &moved, |alpha, moved| alpha + moved);
    let x = pairs(price, &sensitivity, |price, sensitivity| {
        price / sensitivity
    });
    let exponent = pairs(&product.quality, &x, |quality, x| (quality - x) * scale);
    *top = pairs(top, &exponent, f64::max);
    (*real, *weight) = (x, exponent);
}

/// A function of each number.
// Into a row of its own: the compiler uses vectors only where it sees that no row overlaps another in
// memory. `array::map` is not always inlined, and then it has the narrow vectors only.
#[inline(always)]
fn each(row: &Row, of: impl Fn(f64) -> f64) -> Row {
    let mut results = [0.0; WIDTH];
    for (result, number) in results.iter_mut().zip(row) {
        *result = of(*number);
    }
    results
}

/// A function of each pair of numbers.
#[inline(always)]
fn pairs(first: &Row, second: &Row, of: impl Fn(f64, f64) -> f64) -> Row {
    let mut results = [0.0; WIDTH];
    for ((result, first), second) in results.iter_mut().zip(first).zip(second) {
        *result = of(*first, *second);
    }
    results
}

/// Adds up the weights of each category.
#[inline(always)]
fn add_up(block: &Block, work: &mut Work) {
    let rows = work.weights.iter().zip(&block.products);
    if block.categories > COMPARED {
        for (weight, product) in rows {
            for (lane, (weight, category)) in weight.iter().zip(&product.category).enumerate() {
                let sum = work.sums.get_mut(index(*category));
                if let Some(sum) = sum.and_then(|row| row.get_mut(lane)) {
                    *sum += weight;
                }
            }
        }
        return;
    }
    // Adding 0 for the products of other categories changes no sum, and needs no address that differs
    // between lanes.
    for (category, sum) in work.sums.iter_mut().enumerate() {
        let category = number(category);
        let mut total = [0.0; WIDTH];
        for (weight, product) in rows.clone() {
            let part = pairs(weight, &product.category, |weight, own| {
                if own == category { weight } else { 0.0 }
            });
            total = pairs(&total, &part, |total, part| total + part);
        }
        *sum = total;
    }
}

/// [`rescale`] for every market; the factors go to `work`.
// Market by market, because the categories of a column are its own and this is rare. A market without a category
// far below its best one keeps its bits.
#[cold]
fn rescale_all(block: &Block, work: &mut Work, top: &Row) {
    work.factors.clear();
    work.factors.resize(work.sums.len(), [1.0; WIDTH]);
    for (lane, top) in top.iter().enumerate() {
        let of_lane = |row: &Row| row.get(lane).copied().unwrap_or(0.0);
        let mut sums: Vec<f64> = work.sums.iter().map(of_lane).collect();
        let rows = block.products.iter().zip(&work.real);
        let products = rows.map(|(product, real)| {
            let exponent = (of_lane(&product.quality) - of_lane(real)) * block.scale;
            (index(of_lane(&product.category)), exponent)
        });
        let weights = work.weights.iter_mut();
        let weights = weights.filter_map(|row| row.get_mut(lane));
        let factors = rescale(products, weights, &mut sums, block.within, *top);
        let rows = work.sums.iter_mut().zip(&mut work.factors);
        for ((sum, factor), (new_sum, new_factor)) in rows.zip(sums.iter().zip(factors)) {
            if let (Some(sum), Some(factor)) = (sum.get_mut(lane), factor.get_mut(lane)) {
                (*sum, *factor) = (*new_sum, new_factor);
            }
        }
    }
}

/// `base` to the power `exponent`, as [`power`] computes it.
#[inline(always)]
fn powers(base: &Row, exponent: f64) -> Row {
    // The authors' exponent in a loop of its own, which vectors can do.
    if exponent.to_bits() == 0.5_f64.to_bits() {
        each(base, f64::sqrt)
    } else {
        each(base, |base| power(base, exponent))
    }
}

/// The number of a category that [`number`] made a double.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made from such a number"
)]
fn index(category: f64) -> usize {
    category as usize
}

/// Quantities and profits, rounded as in the record, from the weights and the sales per unit of
/// weight.
#[inline(always)]
fn sales(block: &mut Block, work: &mut Work, live: &[bool; WIDTH]) {
    let all = live.iter().all(|&live| live);
    let mut total = [0.0; WIDTH];
    let rows = work
        .weights
        .iter()
        .zip(&work.real)
        .zip(&work.prices)
        .zip(&block.products);
    for ((((weight, real), price), product), shown) in rows.zip(&mut block.shown) {
        let per_weight = shares(&work.sums, &product.category);
        let quantity = pairs(weight, &per_weight, |weight, per_weight| {
            weight * per_weight
        });
        let margin = pairs(real, &product.cost, |real, cost| real - cost);
        let profit = pairs(&margin, &quantity, |margin, quantity| margin * quantity);
        let mut sold = [*price, quantity, profit];
        for row in &mut sold {
            round_all(row);
        }
        let [price, quantity, profit] = sold;
        total = pairs(&total, &profit, |total, profit| total + profit);
        let now = [price, quantity, profit, product.shown_cost];
        // Until the first lane ends all columns are live, and a plain copy is enough.
        if all {
            *shown = now;
        } else {
            keep(shown, &now, live);
        }
    }
    work.profit = total;
}

/// The entry of each market's category.
#[inline(always)]
fn shares(sums: &[Row], category: &Row) -> Row {
    let mut shares = [0.0; WIDTH];
    if sums.len() > COMPARED {
        for (lane, (share, category)) in shares.iter_mut().zip(category).enumerate() {
            let row = sums.get(index(*category));
            if let Some(sum) = row.and_then(|row| row.get(lane)) {
                *share = *sum;
            }
        }
        return shares;
    }
    for (number_of, sum) in sums.iter().enumerate() {
        let number_of = number(number_of);
        // Categories differ, so at most one of the sums is not replaced by 0.
        let own = pairs(
            sum,
            category,
            |sum, own| if own == number_of { sum } else { 0.0 },
        );
        shares = pairs(&shares, &own, |share, own| share + own);
    }
    shares
}

/// Copies the results of the live columns.
#[inline(always)]
fn keep(shown: &mut Shown, now: &Shown, live: &[bool; WIDTH]) {
    for (old, new) in shown.iter_mut().zip(now) {
        for ((old, new), live) in old.iter_mut().zip(new).zip(live) {
            if *live {
                *old = *new;
            }
        }
    }
}

/// See [`Block::observe`].
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn write(block: &Block, layout: Layout, place: &Place, obs: &mut [f32]) {
    for (product, shown) in block.shown.iter().enumerate() {
        let mut rows = [[0.0; WIDTH]; FIELDS];
        for (row, from) in rows.iter_mut().zip(shown) {
            for (slot, number) in row.iter_mut().zip(from) {
                *slot = single(*number);
            }
        }
        let field = place.before + product * FIELDS;
        match layout {
            Layout::LaneMajor => {
                let mut at = place.first * place.fields + field;
                for record in records(&rows).iter().take(place.count) {
                    // A lane's four numbers are one store.
                    if let Some(slots) = obs.get_mut(at..).and_then(<[f32]>::first_chunk_mut) {
                        *slots = *record;
                    }
                    at += place.fields;
                }
            }
            Layout::FieldMajor => {
                let fields = obs.chunks_exact_mut(place.lanes.max(1));
                for (slots, row) in fields.skip(field).zip(&rows) {
                    let slots = slots.get_mut(place.first..).unwrap_or_default();
                    match slots.first_chunk_mut() {
                        // A copy of a whole row is a few stores of vectors.
                        Some(slots) if place.count == WIDTH => *slots = *row,
                        _ => slots.iter_mut().zip(row).for_each(|(slot, x)| *slot = *x),
                    }
                }
            }
        }
    }
}

/// Turns four rows of all lanes into the four numbers of each lane.
// In two rounds of interleaving.
#[inline(always)]
fn records(rows: &[[f32; WIDTH]; FIELDS]) -> [[f32; FIELDS]; WIDTH] {
    let [a, b, c, d] = rows;
    let all = interleaved::<{ 2 * WIDTH }, { 4 * WIDTH }>(
        &interleaved::<WIDTH, { 2 * WIDTH }>(a, c),
        &interleaved::<WIDTH, { 2 * WIDTH }>(b, d),
    );
    let mut records = [[0.0; FIELDS]; WIDTH];
    records.as_flattened_mut().copy_from_slice(&all);
    records
}
