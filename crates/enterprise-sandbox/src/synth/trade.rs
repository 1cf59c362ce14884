//! Products, customers, sales, reviews and support chats.
//!
//! Sales are spread over customers by Zipf's law (customer k buys in proportion to 1/(k+1)) and
//! over products evenly, ten each in the profile `upstream`, as published. A review follows its
//! sale after 1 to 25 days, a chat its review after 0 to 14 days plus up to 7 until somebody of
//! Sales or BPO is on duty. Sales end 50 days before the clock, so that both fit.

use super::staff::{Staff, day_between};
use super::{VolumeProfile, numbers};
use crate::company::Company;
use crate::company::rows::Rows;
use crate::org::Department;
use crate::row::{Customer, Text};
use crate::source::TableId;
use crate::value::{Cents, Day, row_no};

/// Minimum number of days between the last sale and the clock, so that its review and chat still
/// fit.
const AFTER_SALE: i64 = 50;

/// Products with list prices of 5 to 900 units and discounts of 0 to 70 %.
pub(super) fn products(c: &Company, count: u32, threads: usize) -> Rows {
    let fields = ["actual_price", "discounted_price", "rating"];
    numbers(TableId::Products, &fields, count, threads, |row| {
        let mut s = c.seed.stream("product", u64::from(row));
        // List prices are whole units, so every whole percentage gives whole cents.
        let list = s.between(5, 900);
        let percent = s.between(0, 70);
        [list * 100, list * (100 - percent), s.between(26, 49)]
    })
}

/// Customers; everything about them is text that is made on demand.
pub(super) fn customers(count: u32) -> Vec<Customer> {
    (0..count)
        .map(|_| Customer {
            name: Text::Made,
            papers: [Text::Made, Text::Made, Text::Made],
        })
        .collect()
}

/// Cumulative weights by which customer k buys in proportion to 1/(k+1): a draw is then one binary
/// search.
fn zipf(count: usize) -> Vec<f64> {
    let mut sum = 0.0;
    (1..=count)
        .map(|k| {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let weight = 1.0 / k as f64;
            sum += weight;
            sum
        })
        .collect()
}

/// Sales at the product's price, on days between the first employment and 50 days before the clock.
pub(super) fn sales(c: &Company, count: u32, profile: VolumeProfile, threads: usize) -> Rows {
    let weights = zipf(c.customers.len());
    let total = weights.last().copied().unwrap_or(1.0);
    let products = c.rows(TableId::Products).max(1);
    let price_of = c.column(TableId::Products, "discounted_price");
    let list_of = c.column(TableId::Products, "actual_price");
    let founded = founded(c);
    let last = c.clock.plus(-AFTER_SALE);
    let fields = [
        "product_id",
        "customer_id",
        "actual_price",
        "discounted_price",
        "discount_percentage",
        "date_of_purchase",
    ];
    numbers(TableId::Sales, &fields, count, threads, |row| {
        let mut s = c.seed.stream("sale", u64::from(row));
        let product = match profile {
            VolumeProfile::Upstream => row % products,
            // The newest hundredth has not been sold yet.
            _ => row_no(s.index((products - products.div_ceil(100)).max(1) as usize)),
        };
        let draw = s.unit() * total;
        // Rounding may give a draw that is not below the last weight; it belongs to the last
        // customer.
        let customer = row_no(
            weights
                .partition_point(|w| *w <= draw)
                .min(weights.len() - 1),
        );
        let on = day_between(&mut s, founded, last);
        let price = Cents(price_of(product).unwrap_or(0));
        let list = Cents(list_of(product).unwrap_or(0));
        let percent = list.discount_to(price);
        [
            product.into(),
            customer.into(),
            list.0,
            price.0,
            percent.into(),
            on.0.into(),
        ]
    })
}

/// The first day on which a person was employed.
fn founded(c: &Company) -> Day {
    c.employees
        .iter()
        .map(|e| e.joined)
        .min()
        .unwrap_or(c.clock.plus(-3_650))
}

/// Product, customer and day of the rows of a table.
fn purchases(c: &Company, source: TableId, dated: &str) -> impl Fn(u32) -> Option<(i64, i64, Day)> {
    let (product, customer) = (
        c.column(source, "product_id"),
        c.column(source, "customer_id"),
    );
    let on = c.column(source, dated);
    move |row| {
        let day = Day(i32::try_from(on(row)?).ok()?);
        Some((product(row)?, customer(row)?, day))
    }
}

/// Reviews of sales, half of them positive, a fifth neutral and three tenths negative.
pub(super) fn reviews(c: &Company, count: u32, threads: usize) -> Rows {
    let sales = c.rows(TableId::Sales);
    let count = count.min(sales);
    let purchase = purchases(c, TableId::Sales, "date_of_purchase");
    let fields = ["product_id", "customer_id", "review_date", "polarity"];
    numbers(TableId::Reviews, &fields, count, threads, |row| {
        let mut s = c.seed.stream("review", u64::from(row));
        // Spread over all sales when there are fewer reviews than sales.
        let sale = u64::from(row) * u64::from(sales) / u64::from(count).max(1);
        let polarity = match s.below(10) {
            0..=4 => POSITIVE,
            5..=6 => 1,
            _ => 2,
        };
        let wait = s.between(1, 25);
        let sale = u32::try_from(sale).ok().and_then(&purchase);
        let (product, customer, on) = sale.unwrap_or((0, 0, c.clock));
        [
            product,
            customer,
            on.plus(wait).min(c.clock).0.into(),
            polarity,
        ]
    })
}

/// Place of `positive` in the list of sentiments.
const POSITIVE: i64 = 0;

/// Support chats about purchases whose review was not positive.
pub(super) fn chats(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    let (sales, reviews) = (c.rows(TableId::Sales), c.rows(TableId::Reviews));
    let sale = purchases(c, TableId::Sales, "date_of_purchase");
    let review = purchases(c, TableId::Reviews, "review_date");
    let polarity = c.column(TableId::Reviews, "polarity");
    let troubled = |r: &u32| polarity(*r) != Some(POSITIVE);
    let fields = ["product_id", "customer_id", "emp_id", "interaction_date"];
    numbers(TableId::SupportChats, &fields, count, threads, |row| {
        let mut s = c.seed.stream("chat", u64::from(row));
        let mut of = None;
        for _ in 0..32 {
            let drawn = row_no(s.index(reviews as usize));
            of = (drawn < reviews).then_some(drawn).filter(troubled);
            if of.is_some() {
                break;
            }
        }
        // Half of all reviews are positive, so 32 draws fail only where nearly all are.
        let of = of.or_else(|| (0..reviews).find(troubled));
        let purchase = match of {
            Some(r) => review(r),
            None => sale(row_no(s.index(sales as usize))),
        };
        let (product, customer, from) = purchase.unwrap_or((0, 0, c.clock));
        let wait = s.between(0, 14);
        let desk = [Department::Sales, Department::Bpo];
        let earliest = from.plus(wait).min(c.clock);
        let (handler, on, _) =
            staff.on_duty(&mut s, &desk, earliest, earliest.plus(7).min(c.clock));
        [product, customer, handler.0.into(), on.0.into()]
    })
}
