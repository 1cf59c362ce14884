//! Sixteen markets side by side, product by product, so that everything except the exponentials runs
//! in vector registers.

// The numbers equal those of `Demand` to the last bit, because every
// operation is the same and in the same order: vector instructions round like scalar ones, and no
// fused multiply-add is used. A property test compares all lanes with single runs.

use super::super::demand::power;
use super::super::instance::Shift;
use super::super::market::Market;
use super::super::money::{round_all, round_cents};
use multiversion::multiversion;
use sim_core::math;

/// Markets in a block: four vectors of four doubles each with AVX2.
pub(super) const WIDTH: usize = 16;

/// One number for each market of a block.
type Row = [f64; WIDTH];

/// Sales of one product in every market of the block, rounded as in the record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) price: Row,
    pub(super) quantity: Row,
    pub(super) profit: Row,
    pub(super) cost: Row,
}

/// The parameters of one product in every market of the block.
#[derive(Debug, Clone, Copy)]
struct Product {
    /// Sensitivity in period 0, and the factor of the pattern that is added to it.
    alpha: Row,
    size: Row,
    quality: Row,
    cost: Row,
    /// The cost rounded as in the record; it is the same in every period.
    shown_cost: Row,
    category: [u16; WIDTH],
}

/// How the sensitivities of a market change: with the period, or with the sine of a season of this
/// length \[periods\].
#[derive(Debug, Clone, Copy)]
enum Pattern {
    Line,
    Season(f64),
}

/// Sixteen markets with the same settings.
#[derive(Debug)]
pub(super) struct Block {
    products: Vec<Product>,
    patterns: [Pattern; WIDTH],
    within: f64,
    scale: f64,
    ln_outside: f64,
    market_size: f64,
    categories: usize,
    /// Prices to set, product by product.
    pub(super) prices: Vec<Row>,
    weights: Vec<Row>,
    real: Vec<Row>,
    sums: Vec<Row>,
    /// Sales of the last period in which a market took part.
    pub(super) shown: Vec<Shown>,
}

impl Block {
    /// A block of `markets`. Columns without a market repeat the last one, so that no column computes
    /// with zeros or NaN.
    pub(super) fn new(markets: &[&Market]) -> Option<Self> {
        let first = markets.first()?;
        let n = first.demand.size();
        let zero = [0.0; WIDTH];
        let product = Product {
            alpha: [1.0; WIDTH],
            size: zero,
            quality: zero,
            cost: zero,
            shown_cost: zero,
            category: [0; WIDTH],
        };
        let shown = Shown {
            price: zero,
            quantity: zero,
            profit: zero,
            cost: zero,
        };
        let demand = &first.demand;
        let mut block = Self {
            products: vec![product; n],
            patterns: [Pattern::Line; WIDTH],
            within: demand.within,
            scale: 1.0 / (demand.mu * demand.within),
            ln_outside: demand.ln_outside,
            market_size: demand.market_size,
            categories: 0,
            prices: vec![zero; n],
            weights: vec![zero; n],
            real: vec![zero; n],
            sums: Vec::new(),
            shown: vec![shown; n],
        };
        for column in 0..WIDTH {
            if let Some(market) = markets.get(column).or(markets.last()) {
                block.put(column, market);
            }
        }
        Some(block)
    }

    /// Puts another market into a column of the block, at its start.
    pub(super) fn put(&mut self, column: usize, market: &Market) {
        let instance = &market.instance;
        let (sizes, pattern) = match &instance.shift {
            Shift::Linear { steps } => (steps, Pattern::Line),
            Shift::Periodic { amplitudes, length } => {
                (amplitudes, Pattern::Season(f64::from(*length)))
            }
        };
        if let Some(slot) = self.patterns.get_mut(column) {
            *slot = pattern;
        }
        let set = |row: &mut Row, value: f64| {
            if let Some(slot) = row.get_mut(column) {
                *slot = value;
            }
        };
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
            if let Some(slot) = product.category.get_mut(column) {
                *slot = u16::try_from(*category).unwrap_or(0);
            }
        }
        for shown in &mut self.shown {
            for row in [
                &mut shown.price,
                &mut shown.quantity,
                &mut shown.profit,
                &mut shown.cost,
            ] {
                set(row, 0.0);
            }
        }
        self.categories = self.categories.max(market.demand.categories);
        self.sums.resize(self.categories, [0.0; WIDTH]);
    }

    /// One period of all markets, each in its own period. Results are in [`shown`](Self::shown);
    /// columns that are not `live` keep their earlier results.
    pub(super) fn step(&mut self, periods: &[u32; WIDTH], live: &[bool; WIDTH]) {
        // One sine per market: all products of a market share the season.
        let mut factor = [0.0; WIDTH];
        for ((slot, pattern), period) in factor.iter_mut().zip(&self.patterns).zip(periods) {
            let at = f64::from(*period);
            *slot = match pattern {
                Pattern::Line => at,
                Pattern::Season(length) => math::sin(2.0 * std::f64::consts::PI * at / length),
            };
        }
        let mut top = [f64::NEG_INFINITY; WIDTH];
        all_exponents(self, &factor, &mut top);
        for sum in &mut self.sums {
            *sum = [0.0; WIDTH];
        }
        for (weight, product) in self.weights.iter_mut().zip(&self.products) {
            for (lane, ((slot, &top), &category)) in weight
                .iter_mut()
                .zip(&top)
                .zip(&product.category)
                .enumerate()
            {
                *slot = math::exp(*slot - top);
                let sum = self.sums.get_mut(usize::from(category));
                if let Some(sum) = sum.and_then(|row| row.get_mut(lane)) {
                    *sum += *slot;
                }
            }
        }
        let mut total = [0.0; WIDTH];
        for (slot, &top) in total.iter_mut().zip(&top) {
            *slot = math::exp(self.ln_outside - self.within * top);
        }
        for sum in &mut self.sums {
            for (sum, total) in sum.iter_mut().zip(&mut total) {
                let inclusive = power(*sum, self.within);
                *total += inclusive;
                *sum = if *sum > 0.0 { inclusive / *sum } else { 0.0 };
            }
        }
        let each = total.map(|total| self.market_size / total);
        for sum in &mut self.sums {
            for (sum, each) in sum.iter_mut().zip(&each) {
                *sum *= each;
            }
        }
        sales(self, live);
    }
}

/// The exponents and real prices of all products; `top` becomes the largest exponent of each market.
// Like [`sales`] it is compiled twice, for every x86-64 processor and for those with AVX2. Both
// versions execute the same operations on the same numbers. Only these two loops are: the exponentials
// between them are scalar calls into libm, which wider vectors do not speed up.
#[multiversion(targets("x86_64+avx2"))]
fn all_exponents(block: &mut Block, factor: &Row, top: &mut Row) {
    let rows = block
        .weights
        .iter_mut()
        .zip(&mut block.real)
        .zip(&block.prices);
    for (((weight, real), price), product) in rows.zip(&block.products) {
        exponents(weight, real, top, price, product, factor, block.scale);
    }
}

/// Quantities and profits, rounded as in the record, from the weights and the sales per unit of
/// weight.
#[multiversion(targets("x86_64+avx2"))]
fn sales(block: &mut Block, live: &[bool; WIDTH]) {
    let all = live.iter().all(|&live| live);
    let rows = block
        .weights
        .iter()
        .zip(&block.real)
        .zip(&block.prices)
        .zip(&block.products);
    for ((((weight, real), price), product), shown) in rows.zip(&mut block.shown) {
        let mut now = Shown {
            price: *price,
            quantity: *weight,
            profit: *real,
            cost: product.shown_cost,
        };
        for (lane, (quantity, &category)) in
            now.quantity.iter_mut().zip(&product.category).enumerate()
        {
            let sums = block.sums.get(usize::from(category));
            *quantity *= sums.and_then(|row| row.get(lane)).copied().unwrap_or(0.0);
        }
        for ((profit, cost), quantity) in
            now.profit.iter_mut().zip(&product.cost).zip(&now.quantity)
        {
            *profit = (*profit - cost) * quantity;
        }
        round_all(&mut now.price);
        round_all(&mut now.quantity);
        round_all(&mut now.profit);
        // Until the first lane ends all columns are live, and a plain copy is enough.
        if all {
            *shown = now;
        } else {
            keep(shown, &now, live);
        }
    }
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
    let moved = product.alpha.iter().zip(&product.size).zip(factor);
    for ((real, price), ((alpha, size), factor)) in real.iter_mut().zip(price).zip(moved) {
        *real = price / (alpha + size * factor);
    }
    let set = real.iter().zip(&product.quality);
    for ((weight, top), (real, quality)) in weight.iter_mut().zip(top).zip(set) {
        *weight = (quality - real) * scale;
        *top = top.max(*weight);
    }
}

/// Copies the results of the live columns.
#[inline(always)]
fn keep(shown: &mut Shown, now: &Shown, live: &[bool; WIDTH]) {
    for (old, new) in [
        (&mut shown.price, &now.price),
        (&mut shown.quantity, &now.quantity),
        (&mut shown.profit, &now.profit),
        (&mut shown.cost, &now.cost),
    ] {
        for ((old, new), live) in old.iter_mut().zip(new).zip(live) {
            if *live {
                *old = *new;
            }
        }
    }
}
