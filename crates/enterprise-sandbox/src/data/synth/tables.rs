//! The rows of generated tables, from trade to talk; people and policies have files of their own.

use super::people::{Staff, day_between};
use super::{VolumeProfile, named_numbers, numbers};
use crate::data::company::Company;
use crate::data::company::ids::{Ids, Permutation};
use crate::data::company::rows::{NULL, Rows};
use crate::data::org::Department;
use crate::data::row::{EmployeeNo, ORDER_COUNT, Topic};
use crate::data::synth::phrases::pick;
use crate::data::tables::{FieldType, Make, TableId};
use crate::data::value::{Cents, Day, Moment, row_no};
use sim_core::{Seed, Stream};

// ---------------------------------------------------------------- declared
//
// Rows of tables whose fields say how they are generated (`Make`).
//
// A row has one stream, named after the table, from which its fields draw in their order: a new field at the
// end moves no other value, and no other table.

/// The rows of a table whose fields say how they are generated.
pub(super) fn by_fields(c: &Company, staff: &Staff, source: TableId, count: u32) -> Rows {
    let names = drawn(source);
    numbers(source, &names, count, |n| row(c, staff, source, &names, n))
}

/// The fields of a table that say which number a generated row has.
fn drawn(source: TableId) -> Vec<&'static str> {
    let drawn = source.fields().iter();
    let drawn = drawn.filter(|f| !f.make.is_text());
    drawn.map(|f| f.name).collect()
}

/// Gives the rows of a table with a generator of its own the fields that say how they are generated: a column that
/// is added to such a table needs its declaration only.
pub(super) fn added_fields(c: &Company, staff: &Staff, rows: &mut Rows) {
    let source = rows.source();
    let names = drawn(source);
    for n in (0..rows.count()).filter(|_| !names.is_empty()) {
        for (name, value) in names.iter().zip(row(c, staff, source, &names, n)) {
            rows.set_number(n, name, Some(value));
        }
    }
}

/// The numbers of a row in these fields.
fn row(c: &Company, staff: &Staff, source: TableId, names: &[&str], row: u32) -> Vec<i64> {
    let turn = source.fields().iter().find(|f| f.make == Make::Turn);
    let targets = turn.and_then(|f| f.target());
    let targets = targets.map_or(1, |target| c.rows(target).max(1));
    let (target, round) = (row % targets, row / targets);
    let mut out: Vec<i64> = Vec::new();
    let mut s = c.seed.stream(source.name(), u64::from(row));
    for field in source.fields() {
        let words = match field.kind {
            FieldType::Choice(words) => words.len().max(1),
            _ => 1,
        };
        let value = match field.make {
            Make::Absent | Make::Phrases(_) | Make::List(..) => continue,
            Make::Turn => i64::from(target),
            // One draw for each target: its rows have different words.
            Make::Rotate => {
                let first = c.seed.stream(field.name, u64::from(target)).index(words);
                i64::try_from((first + round as usize) % words).unwrap_or(0)
            }
            Make::Any => i64::try_from(s.index(words)).unwrap_or(0),
            Make::Between(low, high, factor) => s.between(low, high) * factor,
            Make::Member => {
                let desk = field.member.map_or(&[][..], |d| staff.of(d));
                i64::from(s.pick(desk).copied().unwrap_or(0))
            }
            Make::During(who) => {
                let person = names.iter().position(|name| *name == who);
                let person = person.and_then(|n| u32::try_from(*out.get(n)?).ok());
                let (from, to) = staff.span(person.unwrap_or(0));
                i64::from(day_between(&mut s, from, to).0)
            }
            Make::Ahead(low, high) => i64::from(c.clock.plus(s.between(low, high)).0),
        };
        out.push(value);
    }
    out
}

// ---------------------------------------------------------------- trade
//
// Products, customers, sales, reviews and support chats.
//
// Sales are spread over customers by Zipf's law (customer k buys in proportion to 1/(k+1)) and
// over products evenly, ten each in the profile `upstream`, as published. A review follows its
// sale after 1 to 25 days, a chat its review after 0 to 14 days plus up to 7 until somebody of
// Sales or BPO is on duty. Sales end 50 days before the clock, so that both fit.

/// Minimum number of days between the last sale and the clock, so that its review and chat still
/// fit.
const AFTER_SALE: i64 = 50;

/// Products with list prices of 5 to 900 units and discounts of 0 to 70 %.
pub(super) fn products(c: &Company, count: u32) -> Rows {
    let fields = ["actual_price", "discounted_price", "rating"];
    numbers(TableId::Products, &fields, count, |row| {
        let mut s = c.seed.stream("product", u64::from(row));
        // List prices are whole units, so every whole percentage gives whole cents.
        let list = s.between(5, 900);
        let percent = s.between(0, 70);
        [list * 100, list * (100 - percent), s.between(26, 49)]
    })
}

/// The documents of each customer.
pub(super) fn order_documents(c: &Company) -> Rows {
    let count = c.rows(TableId::Customers) * ORDER_COUNT;
    let (table, fields) = (TableId::OrderDocuments, ["customer_id"]);
    numbers(table, &fields, count, |row| [(row / ORDER_COUNT).into()])
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
pub(super) fn sales(c: &Company, count: u32, profile: VolumeProfile) -> Rows {
    let weights = zipf(c.rows(TableId::Customers) as usize);
    let total = weights.last().copied().unwrap_or(1.0);
    let products = c.rows(TableId::Products).max(1);
    let price_of = c.column(TableId::Products, "discounted_price");
    let list_of = c.column(TableId::Products, "actual_price");
    let founded = founded(c);
    let last = c.clock.plus(-AFTER_SALE);
    named_numbers(TableId::Sales, count, |row| {
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
            ("product_id", product.into()),
            ("customer_id", customer.into()),
            ("actual_price", list.0),
            ("discounted_price", price.0),
            ("discount_percentage", percent.into()),
            ("date_of_purchase", on.0.into()),
        ]
    })
}

/// The first day on which a person was employed.
fn founded(c: &Company) -> Day {
    let people = c.read_employees();
    let first = people.iter().map(|e| e.joined).min();
    first.unwrap_or(c.clock.plus(-3_650))
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
pub(super) fn reviews(c: &Company, count: u32) -> Rows {
    let sales = c.rows(TableId::Sales);
    let count = count.min(sales);
    let purchase = purchases(c, TableId::Sales, "date_of_purchase");
    let fields = ["product_id", "customer_id", "review_date", "polarity"];
    numbers(TableId::Reviews, &fields, count, |row| {
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
pub(super) fn chats(c: &Company, staff: &Staff, count: u32) -> Rows {
    let (sales, reviews) = (c.rows(TableId::Sales), c.rows(TableId::Reviews));
    let sale = purchases(c, TableId::Sales, "date_of_purchase");
    let review = purchases(c, TableId::Reviews, "review_date");
    let polarity = c.column(TableId::Reviews, "polarity");
    let troubled = |r: &u32| polarity(*r) != Some(POSITIVE);
    let fields = ["product_id", "customer_id", "emp_id", "interaction_date"];
    numbers(TableId::SupportChats, &fields, count, |row| {
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

// ---------------------------------------------------------------- work
//
// Tickets, code, posts, questions and answers, clients, vendors and curricula.
//
// Handlers, owners, authors and representatives are chosen by department as in the published data:
// tickets go to Information Technology, code belongs to Engineering and Information Technology,
// clients to Business Development, vendors to Management. Posts and questions come from anybody.
//
// Two things differ from the published files on purpose: a quarter of the tickets is open, and
// every file has one issue whose patch, or absence of one, agrees with its status.

/// Share of open tickets; the published file has none, which would leave nothing to do.
const OPEN_TICKETS: f64 = 0.25;

/// Share of closed issues (published: 90 of 747).
const CLOSED_ISSUES: f64 = 90.0 / 747.0;

/// Tickets, shared out evenly among the helpdesk.
pub(super) fn tickets(c: &Company, staff: &Staff, count: u32) -> Rows {
    let desk = staff.of(Department::InformationTechnology);
    let order = Permutation::new(c.seed.child("ticket.load", 0), u64::from(count));
    named_numbers(TableId::Tickets, count, |row| {
        let mut s = c.seed.stream("ticket", u64::from(row));
        // Round robin in a permuted order: the numbers of tickets of two people differ by at most
        // one.
        let turn = order.forward(u64::from(row));
        let turn = usize::try_from(turn).unwrap_or(0) % desk.len().max(1);
        let handler = desk.get(turn).copied().unwrap_or(0);
        let (raiser, from, to) = match staff.partner(&mut s, handler, &[], 0) {
            Some(m) => (m.b, m.from, m.to),
            None => (EmployeeNo(0), staff.span(handler).0, staff.span(handler).1),
        };
        let priority = i64::from(row_no(s.weighted(&[37.0, 53.0, 73.0]).unwrap_or(0)));
        let on = day_between(&mut s, from, to);
        let open = s.chance(OPEN_TICKETS);
        [
            ("priority", priority),
            ("raised_by_emp_id", raiser.0.into()),
            ("emp_id", handler.into()),
            ("assigned_date", on.0.into()),
            // Where there is no number, the resolution is null.
            ("Resolution", if open { NULL } else { 0 }),
        ]
    })
}

/// Repositories of people who write code, with their names.
pub(super) fn repositories(c: &mut Company, staff: &Staff, count: u32) -> Rows {
    let owners: Vec<u32> = [Department::Engineering, Department::InformationTechnology]
        .iter()
        .flat_map(|d| staff.of(*d).iter().copied())
        .collect();
    let repository = |row: u32| {
        let mut s = c.seed.stream("repository", u64::from(row));
        let owner = s.pick(&owners).copied().unwrap_or(0);
        let (from, to) = staff.span(owner);
        let created = day_between(&mut s, from, to);
        let slug: String = c
            .person_name(EmployeeNo(owner))
            .to_lowercase()
            .split_once(' ')
            .map(|(g, f)| format!("{}{f}", g.chars().take(1).collect::<String>()))
            .unwrap_or_default();
        let (first, second) = (pick(&mut s, "repo.first"), pick(&mut s, "repo.second"));
        let name: Box<str> = format!("{slug}/{first}-{second}-{}", row + 1).into();
        (name, [i64::from(owner), created.0.into()])
    };
    let (names, made): (Vec<_>, Vec<_>) = (0..count).map(repository).unzip();
    c.ids.insert(TableId::Repositories, Ids::listed(names));
    let fields = ["emp_id", "creation_date"];
    let mut table = Rows::generated(TableId::Repositories, &fields, count);
    table.extend(&fields, made.into_iter());
    table
}

/// Files of the repositories; their texts follow from their numbers.
pub(super) fn files(c: &Company, count: u32) -> Rows {
    let repositories = c.rows(TableId::Repositories);
    let fields = ["repo_name", "copies"];
    numbers(TableId::Files, &fields, count, |row| {
        let mut s = c.seed.stream("file", u64::from(row));
        let extra = row_no(s.index(repositories as usize));
        // Every repository gets one file; the files that remain go to random ones.
        let repository = if row < repositories { row } else { extra };
        [repository.into(), s.between(1, 9)]
    })
}

/// One issue for each file.
pub(super) fn issues(c: &Company, staff: &Staff, count: u32) -> Rows {
    let repository = c.column(TableId::Files, "repo_name");
    let owner = c.column(TableId::Repositories, "emp_id");
    let since = c.column(TableId::Repositories, "creation_date");
    // Where there is no number, the patch is null.
    let fields = ["repo_name", "path", "status", "created_at", "patch"];
    numbers(TableId::Issues, &fields, count, |row| {
        let mut s = c.seed.stream("issue", u64::from(row));
        let number = |n: Option<i64>| n.and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
        let repository = number(repository(row));
        // An issue is opened after its repository was made and while the owner is employed.
        let from = since(repository).and_then(|n| i32::try_from(n).ok());
        let (_, to) = staff.span(number(owner(repository)));
        let closed = s.chance(CLOSED_ISSUES);
        let on = day_between(&mut s, from.map_or(c.clock, Day), to);
        let at = on.start().0 + s.between(8 * 3_600, 18 * 3_600);
        let patch = if closed { 0 } else { NULL };
        [repository.into(), row.into(), closed.into(), at, patch]
    })
}

/// Posts, on a day of the author's employment.
pub(super) fn posts(c: &Company, staff: &Staff, count: u32) -> Rows {
    numbers(TableId::Posts, &["emp_id", "date"], count, |row| {
        let mut s = c.seed.stream("post", u64::from(row));
        let author = row_no(s.index(staff.count() as usize));
        let (from, to) = staff.span(author);
        [author.into(), day_between(&mut s, from, to).0.into()]
    })
}

/// Answers to five questions in a row: eight, as published (1.6 a question).
const ANSWERS: [u32; 5] = [0, 1, 2, 2, 3];

/// The first `count` numbers of a pattern that is repeated in blocks, each in an order of its own.
fn shuffled<const N: usize>(seed: Seed, stream: &str, pattern: [u32; N], count: u32) -> Vec<u32> {
    let block = |n: usize| {
        let mut pattern = pattern;
        seed.stream(stream, n as u64).shuffle(&mut pattern);
        pattern
    };
    let blocks = (0..(count as usize).div_ceil(N)).flat_map(block);
    blocks.take(count as usize).collect()
}

/// Questions first, then their answers.
pub(super) fn overflow(c: &Company, staff: &Staff, count: u32) -> Rows {
    // One question to 1.6 answers: 10 of 26 posts are questions.
    let questions = (count * 10).div_ceil(26).min(count);
    let mut answers = shuffled(c.seed, "overflow.answers", ANSWERS, questions);
    // The pattern has 1.6 answers to a question on average, and the total must be exact: surplus
    // answers are cut from the first questions, missing ones are added to them.
    let mut excess = answers
        .iter()
        .sum::<u32>()
        .saturating_sub(count - questions);
    for n in &mut answers {
        let cut = excess.min(*n);
        *n -= cut;
        excess -= cut;
    }
    let mut missing = (count - questions).saturating_sub(answers.iter().sum());
    while missing > 0 {
        for n in answers.iter_mut().take(missing as usize) {
            *n += 1;
            missing -= 1;
        }
    }
    let mut first = questions;
    let starts: Vec<u32> = answers
        .iter()
        .map(|n| {
            first += n;
            first - n
        })
        .collect();
    // A title stands for the generated one.
    let fields = [
        "post_type",
        "Title",
        "ParentId",
        "AcceptedAnswerId",
        "Score",
        "ViewCount",
        "CreationDate",
        "employee_id",
    ];
    let mut out = Rows::generated(TableId::Overflow, &fields, count);
    let question = |row: u32| {
        let mut s = c.seed.stream("question", u64::from(row));
        let author = row_no(s.index(staff.count() as usize));
        let (from, to) = staff.span(author);
        let on = day_between(&mut s, from, to.min(c.clock.plus(-40)).max(from));
        let at = on.start().0 + s.between(8 * 3_600, 18 * 3_600);
        let (n, start) = (answers.get(row as usize), starts.get(row as usize));
        let accepted = match (n, start) {
            (Some(n), Some(start)) if *n > 0 && s.chance(0.6) => {
                i64::from(start + row_no(s.index(*n as usize)))
            }
            _ => NULL,
        };
        let (score, views) = (s.between(-2, 40), s.between(10, 5_000));
        [0, 0, NULL, accepted, score, views, at, author.into()]
    };
    out.extend(&fields, (0..questions).map(question));
    let parents = (0..questions)
        .zip(&answers)
        .flat_map(|(q, n)| std::iter::repeat_n(q, *n as usize));
    let asked: Vec<Day> = (0..questions)
        .map(|q| Moment(out.stamp(q).unwrap_or_default()).day())
        .collect();
    let answer = |(n, parent): (u32, u32)| {
        let mut s = c.seed.stream("answer", u64::from(n));
        let asked = asked.get(parent as usize).copied().unwrap_or(c.clock);
        let earliest = asked.plus(1).min(c.clock);
        let (author, from, to) = staff.on_duty(&mut s, &Department::ALL, earliest, c.clock);
        let on = day_between(&mut s, from, to.min(from.plus(30)));
        let score = s.between(-3, 60);
        let at = on.start().0 + s.between(8 * 3_600, 18 * 3_600);
        [
            1,
            NULL,
            parent.into(),
            NULL,
            score,
            NULL,
            at,
            author.0.into(),
        ]
    };
    out.extend(&fields, (0..).zip(parents).map(answer));
    out
}

/// Clients; the relationship begins while the representative is employed.
pub(super) fn clients(c: &Company, staff: &Staff, count: u32) -> Rows {
    named_numbers(TableId::Clients, count, |row| {
        let mut s = c.seed.stream("client", u64::from(row));
        let desk = staff.of(Department::BusinessDevelopment);
        let representative = s.pick(desk).copied().unwrap_or(0);
        let (from, to) = staff.span(representative);
        let revenue = s.between(20, 5_000) * 1_000 * 100 + s.between(0, 999) * 100;
        let on = day_between(&mut s, from, to);
        [
            ("business_representative_employee", representative.into()),
            ("monthly_revenue", revenue),
            ("onboarding_date", on.0.into()),
            ("POC_status", s.chance(0.5).into()),
        ]
    })
}

/// Vendors, as clients.
pub(super) fn vendors(c: &Company, staff: &Staff, count: u32) -> Rows {
    let fields = ["management_representative_employee", "onboarding_date"];
    numbers(TableId::Vendors, &fields, count, |row| {
        let mut s = c.seed.stream("vendor", u64::from(row));
        let desk = staff.of(Department::Management);
        let representative = s.pick(desk).copied().unwrap_or(0);
        let (from, to) = staff.span(representative);
        [
            representative.into(),
            day_between(&mut s, from, to).0.into(),
        ]
    })
}

/// Resumes of different people, filed on their first day.
pub(super) fn resumes(c: &Company, count: u32) -> Rows {
    let people = c.rows(TableId::Employees);
    let joined = c.column(TableId::Employees, "DOJ");
    let order = Permutation::new(c.seed.child("resume.people", 0), people.into());
    let count = count.min(people);
    // A number for name and address, so that a defect can remove them.
    let fields = ["emp_id", "name", "email", "created_date"];
    numbers(TableId::Resumes, &fields, count, |row| {
        let subject = u32::try_from(order.forward(u64::from(row))).unwrap_or(0);
        let created = joined(subject).unwrap_or(c.clock.0.into());
        [subject.into(), 0, 0, created]
    })
}

// ---------------------------------------------------------------- talk
//
// Mails and conversations along the social graph.
//
// Who writes to whom follows `Staff::pair`: mostly people of one team. A thread is a unit: its
// two people, its topic and its first day are drawn once, and the mails alternate between the two.
//
// The numbers of threads and mails are both exact. Lengths follow a fixed pattern of ten, shuffled
// in each block, and the first threads take up the difference to the wanted total.

/// Lengths of ten threads in a row: 27 mails, as published (2.7 a thread).
const LENGTHS: [u32; 10] = [1, 2, 2, 2, 3, 3, 3, 3, 4, 4];

/// Published counts of mail categories, in the order of the list.
const CATEGORIES: [f64; 6] = [5_832.0, 5_070.0, 654.0, 272.0, 37.0, 28.0];

/// Number of mails before each thread, and of all.
fn offsets(seed: Seed, threads: u32, mails: u32) -> Vec<u32> {
    let mut lengths = shuffled(seed, "thread.lengths", LENGTHS, threads);
    let sum: u32 = lengths.iter().sum();
    // The pattern deviates slightly from the wanted total; the first threads get the difference.
    let mut more = mails.saturating_sub(sum);
    let mut less = sum.saturating_sub(mails);
    while more > 0 || less > 0 {
        let before = (more, less);
        for n in &mut lengths {
            if more > 0 {
                *n += 1;
                more -= 1;
            } else if less > 0 && *n > 1 {
                *n -= 1;
                less -= 1;
            }
        }
        if before == (more, less) {
            break;
        }
    }
    let mut sum = 0;
    std::iter::once(0)
        .chain(lengths.into_iter().map(|n| {
            sum += n;
            sum
        }))
        .collect()
}

/// The fields of mails that have numbers; a signature has that of the person whose name is in it.
const MAIL: [&str; 7] = [
    "thread_id",
    "date",
    "sender_emp_id",
    "recipient_emp_id",
    "importance",
    "category",
    "signature",
];

/// Mails, thread by thread; the topics of the threads are kept in the company.
pub(super) fn mails(c: &mut Company, staff: &Staff, (all, mails): (u32, u32)) -> Rows {
    let offsets = offsets(c.seed, all, mails);
    let mut table = Rows::generated(TableId::Emails, &MAIL, mails);
    let mut topics = Vec::with_capacity(all as usize);
    let lengths = offsets.iter().zip(offsets.iter().skip(1));
    let lengths = lengths.map(|(from, to)| to - from);
    let threads = (0..all).zip(lengths).flat_map(|(t, length)| {
        let (topic, mails) = thread(c, staff, t, length);
        topics.push(topic);
        mails
    });
    table.extend(&MAIL, threads);
    c.threads = topics;
    table
}

/// A thread: two colleagues who write to each other in turn, about one topic, while both are employed.
fn thread(c: &Company, staff: &Staff, t: u32, length: u32) -> (Topic, Vec<[i64; MAIL.len()]>) {
    let mut s = c.seed.stream("thread", u64::from(t));
    let meeting = staff.pair(&mut s);
    let topic = topic(c, &mut s, staff.department(meeting.a.0));
    // At most two days between mails, so the thread ends while both are employed.
    let last = meeting.to.plus(-2 * i64::from(length));
    let day = day_between(&mut s, meeting.from, last.max(meeting.from));
    let mut at = day.start().0 + s.between(8 * 3_600, 18 * 3_600);
    let (a, b) = (i64::from(meeting.a.0), i64::from(meeting.b.0));
    let mails = (0..length).map(|n| {
        if n > 0 {
            at += s.between(600, 40 * 3_600);
        }
        let (sender, recipient) = if n % 2 == 0 { (a, b) } else { (b, a) };
        let high = s.chance(0.1).into();
        let category = row_no(s.weighted(&CATEGORIES).unwrap_or(0)).into();
        [t.into(), at, sender, recipient, high, category, sender]
    });
    (topic, mails.collect())
}

/// The topic of a thread: from the initiator's field of work.
fn topic(c: &Company, s: &mut Stream, department: Department) -> Topic {
    let any = |of| c.rows(of) > 0;
    let row = |s: &mut Stream, of| row_no(s.index(c.rows(of) as usize));
    let (about, plain) = (s.below(3), s.below(4) == 0);
    if plain {
        return Topic::Plain;
    }
    match (department, about) {
        (Department::Engineering, 0 | 1) if any(TableId::Repositories) => {
            Topic::Repository(row(s, TableId::Repositories))
        }
        (Department::InformationTechnology, 0 | 1) if any(TableId::Tickets) => {
            Topic::Ticket(row(s, TableId::Tickets))
        }
        (Department::Sales | Department::Bpo | Department::BusinessDevelopment, 0 | 1)
            if any(TableId::Products) =>
        {
            Topic::Product(row(s, TableId::Products))
        }
        (_, 0) if any(TableId::PolicyDocuments) => Topic::Policy(row(s, TableId::PolicyDocuments)),
        (_, 1) => Topic::Leave,
        _ => Topic::Plain,
    }
}

/// Conversations, each of two colleagues on a day on which both were employed.
pub(super) fn conversations(c: &Company, staff: &Staff, count: u32) -> Rows {
    let fields = ["sender_emp_id", "recipient_emp_id", "date"];
    numbers(TableId::Conversations, &fields, count, |row| {
        let mut s = c.seed.stream("conversation", u64::from(row));
        let meeting = staff.pair(&mut s);
        let on = day_between(&mut s, meeting.from, meeting.to);
        [meeting.a.0.into(), meeting.b.0.into(), on.0.into()]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_lengths_add_up() {
        for (threads, mails) in [
            (4_417, 11_928),
            (175, 473),
            (350_556, 946_667),
            (10, 40),
            (10, 10),
        ] {
            let o = offsets(Seed(1), threads, mails);
            assert_eq!(o.len(), threads as usize + 1);
            assert_eq!(o.last(), Some(&mails));
            assert!(o.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
