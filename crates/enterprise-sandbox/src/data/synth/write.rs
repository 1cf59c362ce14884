//! Generated texts, each a function of the company's seed and the row.
//!
//! A text is written when it is read, from a stream of its own that is named after the field and the
//! row. So texts need no memory, and the order in which they are read does not matter.
//!
//! Facts inside texts come from the row, not from the stream: the day in a mail about a ticket is
//! drawn, the ticket's number is the ticket's. A text may use other generated texts (a mail quotes
//! its subject), but never in a circle.
//!
//! Changing a phrase list or the order of draws here changes what agents read, so it raises the
//! environment's version.

use crate::data::company::Company;
use crate::data::org::{Department, Rank, level_code};
use crate::data::row::{Employee, EmployeeNo, ORDER_COUNT, ORDER_KINDS, Topic, leaves_taken};
use crate::data::synth::code;
use crate::data::synth::people::{name, name_order};
use crate::data::synth::phrases::{FAMILY, capital, fill, pair, phrases, pick};
use crate::data::tables::{FieldType, Make, POLARITIES, TableId};
use crate::data::value::{Cents, Day};
use serde_json::Value;
use sim_core::Stream;

/// A text that is not stored.
pub(crate) fn text(c: &Company, source: TableId, row: u32, field: &str) -> String {
    match source.field(field).map(|f| f.make) {
        Some(Make::Phrases(list)) => {
            return phrase(c, (source, row), &format!("text.{source}.{field}"), list);
        }
        Some(Make::List(stream, list)) => return phrase(c, (source, row), stream, phrases(list)),
        _ => {}
    }
    match (source, field) {
        (TableId::Employees, _) => profile(c, row, field),
        (TableId::PolicyDocuments, _) => policy(c, row, field),
        (TableId::Emails, _) => mail_text(c, row, field),
        (TableId::Files, "path") => code::plan(c, row).path,
        (TableId::Files, "content") => file_text(c, row),
        (TableId::Files, _) => hash_of(&c.shown(source, row, "content")),
        (TableId::Issues, _) => issue_text(c, row, field),
        (TableId::Products, _) => product_text(c, row, field),
        (TableId::Conversations, _) => conversation(c, row),
        (TableId::Overflow, "Title") => overflow(c, row, "text.question.title", "overflow.title"),
        (TableId::Overflow, "Body") => overflow_body(c, row),
        (TableId::Overflow, _) => overflow_tags(c, row),
        (TableId::Customers, _) => customer_name(c, row),
        (TableId::OrderDocuments, _) => order_text(c, row, field),
        (TableId::Reviews, _) => review(c, row),
        (TableId::SupportChats, _) => support_chat(c, row),
        (TableId::Clients, _) => client(c, row, field),
        (TableId::Vendors, _) => vendor(c, row, field),
        _ => String::new(),
    }
}

/// A value that is not stored because it follows from other fields.
pub(crate) fn derived(c: &Company, source: TableId, row: u32, field: &str) -> Option<Value> {
    Some(match (source, field) {
        (TableId::Employees, "reportees") => {
            let reports = c.index.of(source, "reports_to", row).iter();
            reports.map(|r| Value::from(c.id(source, *r))).collect()
        }
        (TableId::Employees, "Total Leaves Taken") => {
            leaves_taken(|field| c.column(source, field)(row)).into()
        }
        (TableId::Files, "size") => c.shown(source, row, "content").len().into(),
        _ => return None,
    })
}

// ---------------------------------------------------------------- phrases
//
// Texts of fields whose declaration names the phrases. A slot of a phrase is one of these, in this order:
//
// | slot | stands for |
// |---|---|
// | `2-12`, `000-999` | a number between two bounds, with as many digits as the lower one |
// | `A-Z`, `a-z` | a letter |
// | `on+0-6`, `on-0-5` | a day so many days after or before that of the row |
// | `No` | the number of the row from 1, by which texts differ |
// | `emp_id.Name` | a field of the row, or of the row that it links to; of a person also `given`, `title`, `about`, `history`, `skills.0` |
// | `thing`, `Thing` | a phrase of another section, as it stands or with a capital |
// | `thing@text.post.thing` | the same, drawn from a stream of its own, so that two texts of a row agree |

/// One of some phrases. A single one is not drawn.
fn phrase(c: &Company, of: (TableId, u32), stream: &str, phrases: &[&'static str]) -> String {
    let mut s = c.seed.stream(stream, u64::from(of.1));
    let phrase = match phrases {
        [one] => *one,
        several => s.pick(several).copied().unwrap_or_default(),
    };
    fill(phrase, |name| slot(c, of, &mut s, name))
}

/// What stands in a slot.
fn slot(c: &Company, (source, row): (TableId, u32), s: &mut Stream, name: &str) -> String {
    let bounds = |range: &str| {
        let (low, high) = range.split_once('-')?;
        Some((low.parse::<i64>().ok()?, high.parse::<i64>().ok()?))
    };
    if let Some((low, high)) = bounds(name) {
        let width = if low == 0 {
            name.find('-').unwrap_or(0)
        } else {
            0
        };
        return format!("{:0width$}", s.between(low, high));
    }
    let letter = |first: u8, s: &mut Stream| {
        char::from(first + u8::try_from(s.below(26)).unwrap_or(0)).to_string()
    };
    match name {
        "A-Z" => return letter(b'A', s),
        "a-z" => return letter(b'a', s),
        "No" => return (row + 1).to_string(),
        _ => {}
    }
    let (sign, days) = match (name.strip_prefix("on+"), name.strip_prefix("on-")) {
        (_, Some(days)) => (-1, days),
        (days, _) => (1, days.unwrap_or_default()),
    };
    if let Some((low, high)) = bounds(days) {
        let on = c.dated(source, row).unwrap_or(c.clock);
        return on.plus(sign * s.between(low, high)).to_string();
    }
    if let Some(text) = of_row(c, source, row, name) {
        return text;
    }
    let (list, stream) = name.split_once('@').unwrap_or((name, ""));
    let lower = list.to_lowercase();
    let drawn = match stream {
        "" => pick(s, &lower),
        stream => pick(&mut c.seed.stream(stream, u64::from(row)), &lower),
    };
    match lower == list {
        true => drawn.to_owned(),
        false => capital(drawn),
    }
}

/// The text at a path of fields.
fn of_row(c: &Company, source: TableId, row: u32, path: &str) -> Option<String> {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if source == TableId::Employees {
        match name {
            "given" => return Some(given(c, EmployeeNo(row))),
            "title" => return Some(Rank::of_level(person(c, row)?.level).title().to_owned()),
            // As they were made: the fields of an imported person may say something else.
            "about" => return Some(text(c, source, row, "description")),
            "history" => return Some(experience(c, row)),
            // A list, of which a field would show nothing.
            "skills" if rest.is_empty() => return Some(c.skills_text(row)),
            "skills" => return Some(skill(c, row, rest.parse().ok()?)),
            _ => {}
        }
    }
    match source.field(name)?.kind {
        FieldType::Link(target) if !rest.is_empty() => {
            of_row(c, target, c.link(source, row, name)?, rest)
        }
        _ => Some(c.shown(source, row, name)),
    }
}

// ---------------------------------------------------------------- people of texts

fn person(c: &Company, row: u32) -> Option<&Employee> {
    c.employees().get(row as usize)
}

/// The given name, by which mails and chats address people.
fn given(c: &Company, who: EmployeeNo) -> String {
    let name = c.person_name(who);
    name.split(' ').next().unwrap_or_default().to_owned()
}

fn department(c: &Company, who: EmployeeNo) -> &'static str {
    person(c, who.0)
        .map_or(Department::Management, |e| e.department)
        .name()
}

/// A day 2 to 21 days later, for dates inside texts.
fn soon(s: &mut Stream, from: Day) -> String {
    from.plus(s.between(2, 21)).to_string()
}

fn season(s: &mut Stream) -> &'static str {
    pick(s, "season")
}

// ---------------------------------------------------------------- profile
//
// Texts about a person: skills, profile, work history.

/// A text field of a person.
fn profile(c: &Company, row: u32, field: &str) -> String {
    match field {
        "Level" => person(c, row).map_or_else(String::new, |e| level_code(e.department, e.level)),
        "skills" => skills(c, row),
        "Experience" => experience(c, row),
        "Gender" => {
            let mut s = c.seed.stream("text.gender", u64::from(row));
            if s.chance(0.5) { "Female" } else { "Male" }.to_owned()
        }
        _ => {
            let mut s = c.seed.stream("text.marital", u64::from(row));
            let drawn = s.weighted(&[5.0, 4.0, 1.0]).unwrap_or(0);
            let words = ["Married", "Single", "Divorced"];
            words.get(drawn).copied().unwrap_or_default().to_owned()
        }
    }
}

/// A text field of a policy document.
fn policy(c: &Company, row: u32, field: &str) -> String {
    match (c.policies.get(row as usize), field) {
        (Some(policy), "title") => policy.title.to_string(),
        (Some(policy), "label") => policy.label.show(),
        (Some(policy), _) => policy.text(),
        (None, _) => String::new(),
    }
}

/// Skills of a person, separated by commas.
fn skills(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.skills", u64::from(row));
    let list = phrases(&format!("skills.{}", department(c, EmployeeNo(row))));
    let mut order: Vec<&str> = list.to_vec();
    s.shuffle(&mut order);
    let count = 4 + s.index(3);
    order.into_iter().take(count).collect::<Vec<_>>().join(", ")
}

/// The skill number `n` of a person, counted round.
fn skill(c: &Company, row: u32, n: usize) -> String {
    let all = c.skills_text(row);
    let mut parts = all.split(',').map(str::trim).cycle();
    parts.nth(n).unwrap_or_default().to_owned()
}

/// Work history of a person. It states the years of experience as `N years of experience`; some
/// histories name a programme or a certificate.
fn experience(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.history", u64::from(row));
    let years = c.column(TableId::Employees, "Age")(row).map_or(1, |age| age - 20);
    // At most the years since the age of 20, so that history and age agree.
    let years = s.between(years / 2, years).max(1);
    let mut out = fill(pick(&mut s, "history"), |slot| match slot {
        "years" => years.to_string(),
        "skill1" => skill(c, row, 0),
        "skill2" => skill(c, row, 1),
        _ => skill(c, row, 2),
    });
    let of_hr = department(c, EmployeeNo(row)) == "HR";
    for (list, chance) in [
        ("programme", 0.3),
        ("certificate", if of_hr { 0.4 } else { 0.1 }),
    ] {
        if s.chance(chance) {
            out.push(' ');
            out.push_str(pick(&mut s, list));
        }
    }
    out
}

// ---------------------------------------------------------------- mail
//
// Mails and conversations: subjects, bodies, signatures.

/// The topic of a thread as a noun phrase, and the matching list of subjects.
fn topic(c: &Company, thread: u32) -> (String, &'static str) {
    match c.threads.get(thread as usize).copied().unwrap_or_default() {
        Topic::Plain => (String::new(), "subject.plain"),
        Topic::Ticket(row) => (c.id(TableId::Tickets, row), "subject.ticket"),
        Topic::Product(row) => (
            c.shown(TableId::Products, row, "product_name"),
            "subject.product",
        ),
        Topic::Repository(row) => (c.id(TableId::Repositories, row), "subject.repository"),
        Topic::Leave => (String::new(), "subject.leave"),
        Topic::Policy(row) => (
            c.shown(TableId::PolicyDocuments, row, "title"),
            "subject.policy",
        ),
    }
}

/// The day of the earliest mail of a thread.
fn thread_start(c: &Company, thread: u32) -> Day {
    let mails = thread_mails(c, thread).iter();
    // The earliest, not the first: a data defect may put a thread out of order.
    let days = mails.filter_map(|m| c.dated(TableId::Emails, *m));
    days.min().unwrap_or(c.clock)
}

fn thread_mails(c: &Company, thread: u32) -> &[u32] {
    c.index.of(TableId::Emails, "thread_id", thread)
}

/// A text field of a mail.
fn mail_text(c: &Company, row: u32, field: &str) -> String {
    let table = TableId::Emails;
    let number = |field| c.link(table, row, field);
    let (Some(thread), Some(on)) = (number("thread_id"), c.dated(table, row)) else {
        return String::new();
    };
    match field {
        "thread_id" => c.thread_id(thread),
        "subject" => mail_subject(c, thread),
        "body" => {
            // By row, not by date: with a data defect the opening mail may carry a later date.
            let opens = thread_mails(c, thread).first() == Some(&row);
            let recipient = EmployeeNo(number("recipient_emp_id").unwrap_or_default());
            mail_body(c, row, (thread, opens), recipient, on)
        }
        // The number is that of the person whose name is in it.
        "signature" => signature(c, EmployeeNo(number(field).unwrap_or_default())),
        _ => notice(),
    }
}

/// The notice under a mail.
pub(crate) fn notice() -> String {
    let notices = phrases("notice");
    notices.first().copied().unwrap_or_default().to_owned()
}

/// Subject of the mails of a thread.
fn mail_subject(c: &Company, thread: u32) -> String {
    let mut s = c.seed.stream("text.subject", u64::from(thread));
    let (about, list) = topic(c, thread);
    let start = thread_start(c, thread);
    let text = fill(pick(&mut s, list), |slot| match slot {
        "ref" => about.clone(),
        "thing" if list == "subject.ticket" => pick(&mut s, "trouble").to_owned(),
        "thing" if list == "subject.repository" => pick(&mut s, "codething").to_owned(),
        "thing" => pick(&mut s, "thing").to_owned(),
        "day" => soon(&mut s, start),
        "days" => s.between(1, 12).to_string(),
        _ => season(&mut s).to_owned(),
    });
    capital(&text)
}

/// Body of a mail of a thread, which it opens or not.
fn mail_body(
    c: &Company,
    row: u32,
    (thread, opens): (u32, bool),
    recipient: EmployeeNo,
    on: Day,
) -> String {
    let mut s = c.seed.stream("text.mail", u64::from(row));
    let topic = match topic(c, thread) {
        (about, "subject.ticket") => format!("ticket {about}"),
        (_, "subject.leave") => "my leave".to_owned(),
        (about, "subject.plain") if about.is_empty() => {
            format!("\"{}\"", mail_subject(c, thread))
        }
        (about, _) => about,
    };
    let part = |list: &str, s: &mut Stream| {
        let phrase = pick(s, list);
        let answer = pick(s, "mail.answer");
        let mut slots = |slot: &str| match slot {
            "name" => given(c, recipient),
            "topic" => topic.clone(),
            "day" => soon(s, on),
            "amount" => (s.between(2, 90) * 100).to_string(),
            _ => String::new(),
        };
        let answer = fill(answer, &mut slots);
        fill(phrase, |slot| {
            if slot == "answer" {
                answer.clone()
            } else {
                slots(slot)
            }
        })
    };
    let middle = if opens { "mail.ask" } else { "mail.reply" };
    let open = part("mail.open", &mut s);
    let middle = part(middle, &mut s);
    let close = part("mail.close", &mut s);
    format!("{open}\n\n{middle}\n\n{close}")
}

/// The signature under a mail.
fn signature(c: &Company, signer: EmployeeNo) -> String {
    let Some(e) = person(c, signer.0) else {
        return String::new();
    };
    format!(
        "{}, {}, {}",
        c.person_name(signer),
        Rank::of_level(e.level).title(),
        e.department
    )
}

/// A conversation: turns behind given names, separated by blank lines.
fn conversation(c: &Company, row: u32) -> String {
    let table = TableId::Conversations;
    let person = |n| c.declared(table)?.person(row, n);
    let (Some(sender), Some(recipient), Some(on)) = (person(0), person(1), c.dated(table, row))
    else {
        return String::new();
    };
    let mut s = c.seed.stream("text.conversation", u64::from(row));
    let (a, b) = (given(c, sender), given(c, recipient));
    let topic = fill(pick(&mut s, "chattopic"), |_| {
        pick(&mut s, "thing").to_owned()
    });
    let topic = if s.chance(0.5) {
        format!("{topic} on {}", soon(&mut s, on))
    } else {
        topic
    };
    let mut turns = vec!["chat.open"];
    turns.extend(std::iter::repeat_n("chat.turn", 2 + s.index(4)));
    turns.push("chat.close");
    let lines: Vec<String> = turns
        .into_iter()
        .enumerate()
        .map(|(n, list)| {
            let phrase = pick(&mut s, list);
            let text = fill(phrase, |slot| match slot {
                "other" => b.clone(),
                "topic" => topic.clone(),
                "day" => soon(&mut s, on),
                "amount" => (s.between(2, 90) * 100).to_string(),
                _ => pick(&mut s, "chat.answer").to_owned(),
            });
            format!("{}: {text}", if n % 2 == 0 { &a } else { &b })
        })
        .collect();
    lines.join("\n\n")
}

// ---------------------------------------------------------------- forum
//
// Questions and answers about technical problems.

/// Tag and problem of a question, or of the question that an answer belongs to.
fn problem(c: &Company, row: u32) -> (&'static str, &'static str) {
    let question = c.link(TableId::Overflow, row, "ParentId").unwrap_or(row);
    let mut s = c.seed.stream("text.problem", u64::from(question));
    (
        pick(&mut s, "overflow.tag"),
        pick(&mut s, "overflow.problem"),
    )
}

/// A phrase for a question or answer, about the problem of its question.
fn overflow(c: &Company, row: u32, purpose: &str, list: &str) -> String {
    let (tag, problem) = problem(c, row);
    let mut s = c.seed.stream(purpose, u64::from(row));
    let text = fill(pick(&mut s, list), |slot| match slot {
        "tag" => tag.to_owned(),
        "problem" => problem.to_owned(),
        _ => (s.between(2, 400) * 5).to_string(),
    });
    capital(&text)
}

/// Whether a row is a question.
fn is_question(c: &Company, row: u32) -> bool {
    c.column(TableId::Overflow, "post_type")(row) == Some(0)
}

/// Body of a question or an answer.
fn overflow_body(c: &Company, row: u32) -> String {
    let list = if is_question(c, row) {
        "overflow.question"
    } else {
        "overflow.answer"
    };
    overflow(c, row, "text.overflow.body", list)
}

/// Tags of a question.
fn overflow_tags(c: &Company, row: u32) -> String {
    if !is_question(c, row) {
        return String::new();
    }
    let (first, _) = problem(c, row);
    let mut s = c.seed.stream("text.tags", u64::from(row));
    let second = pick(&mut s, "overflow.tag");
    if second == first {
        first.to_owned()
    } else {
        format!("{first}, {second}")
    }
}

// ---------------------------------------------------------------- issues
//
// Source files, and issues with their patches.

/// Text of a file: repaired when its issue is closed.
fn file_text(c: &Company, row: u32) -> String {
    // A closed issue was repaired, so its file has the right text; the file of an open one has the
    // fault.
    let table = TableId::Issues;
    let closed =
        c.column(table, "status")(row) == Some(1) && c.link(table, row, "path") == Some(row);
    code::plan(c, row).text(closed)
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn hash_of(text: &str) -> String {
    sim_core::Digest::of_bytes(text.as_bytes()).to_string()
}

/// A text field of an issue. The path is that of its file, whose number is stored.
fn issue_text(c: &Company, row: u32, field: &str) -> String {
    let file = c.link(TableId::Issues, row, "path").unwrap_or(row);
    if field == "path" {
        return c.shown(TableId::Files, file, field);
    }
    let plan = code::plan(c, file);
    match field {
        "title" => {
            let module = plan.path.rsplit('/').next().unwrap_or_default();
            capital(&format!("{} ({module})", plan.symptom()))
        }
        "description" => format!(
            "`{}` should be a function that does this: {}. What we see instead: {}. The file is {}.",
            plan.name(),
            plan.purpose(),
            plan.symptom(),
            plan.path
        ),
        _ => plan.patch(),
    }
}

// ---------------------------------------------------------------- trade
//
// Products, customers, order papers, reviews and support chats.

/// Brand, category path, kind and trait of a product.
fn product(c: &Company, row: u32) -> [&'static str; 4] {
    let mut s = c.seed.stream("text.product", u64::from(row));
    let brand = pick(&mut s, "product.brand");
    let (category, kind) = pair(pick(&mut s, "product.kind"));
    [brand, category, kind, pick(&mut s, "product.trait")]
}

/// A text field of a product. The name contains a model number, so names are unique.
fn product_text(c: &Company, row: u32, field: &str) -> String {
    let [brand, category, kind, quality] = product(c, row);
    match field {
        "product_name" => return format!("{brand} {quality} {kind} M-{}", row + 101),
        "category" => return category.to_owned(),
        _ => {}
    }
    let mut s = c.seed.stream("text.product.about", u64::from(row));
    fill(pick(&mut s, "product.about"), |slot| match slot {
        "brand" => brand.to_owned(),
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        "warranty" => (s.between(1, 5) * 12).to_string(),
        _ => (s.between(5, 400) * 10).to_string(),
    })
}

/// Name of a customer, lower case.
fn customer_name(c: &Company, row: u32) -> String {
    let (given, family) = name(&name_order(c.seed, "customer.names"), row);
    format!("{given} {family}").to_lowercase()
}

/// A text field of an order document.
fn order_text(c: &Company, row: u32, field: &str) -> String {
    let customer = row / ORDER_COUNT;
    let kind = ORDER_KINDS.get((row % ORDER_COUNT) as usize);
    let (kind, title) = kind.copied().unwrap_or_default();
    if field == "kind" {
        return kind.to_owned();
    }
    // The customer's purchases, the latest first.
    let table = TableId::Sales;
    let price = c.column(table, "discounted_price");
    let sales = c.index.of(table, "customer_id", customer).iter();
    let mut lines: Vec<_> = sales
        .filter_map(|r| Some((*r, c.dated(table, *r)?, price(*r)?)))
        .collect();
    lines.sort_by_key(|(r, on, _)| (std::cmp::Reverse(*on), *r));
    let mut out = format!(
        "{title} for customer {}",
        c.id(TableId::Customers, customer)
    );
    let total: i64 = lines.iter().map(|(.., price)| price).sum();
    for (r, on, price) in lines.iter().take(10) {
        let product = c.link(table, *r, "product_id").unwrap_or_default();
        let product = c.id(TableId::Products, product);
        let price = Cents(*price).value();
        out.push_str(&format!("\nsale {r}: {product} on {on} at {price}"));
    }
    out.push_str(&format!(
        "\nlines {}, total {}",
        lines.len(),
        Cents(total).value()
    ));
    out
}

/// Text of a review, matching its sentiment.
fn review(c: &Company, row: u32) -> String {
    let Some(about) = c.link(TableId::Reviews, row, "product_id") else {
        return String::new();
    };
    let mut s = c.seed.stream("text.review", u64::from(row));
    let [_, _, kind, quality] = product(c, about);
    let polarity = c.column(TableId::Reviews, "polarity")(row);
    let polarity = polarity.and_then(|n| POLARITIES.get(usize::try_from(n).ok()?));
    let list = format!("review.{}", polarity.unwrap_or(&"neutral"));
    fill(pick(&mut s, &list), |slot| match slot {
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        _ => s.between(2, 60).to_string(),
    })
}

/// Transcript of a support chat.
fn support_chat(c: &Company, row: u32) -> String {
    let link = |field| c.link(TableId::SupportChats, row, field);
    let (Some(about), Some(customer)) = (link("product_id"), link("customer_id")) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.support", u64::from(row));
    let [_, _, kind, _] = product(c, about);
    let (_, solution) = pair(pick(&mut s, "support.outcome"));
    let mut slots = |slot: &str| match slot {
        "kind" => kind.to_owned(),
        "product" => c.shown(TableId::Products, about, "product_name"),
        "customer" => c.shown(TableId::Customers, customer, "customer_name"),
        _ => s.between(2, 30).to_string(),
    };
    let solution = fill(solution, &mut slots);
    let mut p = c.seed.stream("text.support.problem", u64::from(row));
    let problem = fill(pick(&mut p, "support.problem"), &mut slots);
    fill(pick(&mut p, "support.chat"), |slot| match slot {
        "problem" => problem.clone(),
        "solution" => solution.clone(),
        other => slots(other),
    })
}

// ---------------------------------------------------------------- partners
//
// Clients and vendors.

/// A name of a firm from family names of the list; two firms may share it, as in the published
/// data.
fn firm(s: &mut Stream) -> String {
    let family = |s: &mut Stream| s.pick(&FAMILY).copied().unwrap_or("Ash");
    let (one, two) = (family(s), family(s));
    fill(pick(s, "firm"), |slot| {
        if slot == "family2" { two } else { one }.to_owned()
    })
}

/// A text field of a client.
fn client(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.client.{field}"), u64::from(row));
    let contact = name(&name_order(c.seed, "contact.names"), row);
    match field {
        "business_name" => firm(&mut s),
        "contact_person_id" => {
            format!("{:08x}-{:04x}", s.bits() >> 32, s.bits() & 0xffff)
        }
        "contact_person_name" => format!("{} {}", contact.0, contact.1),
        "contact_email" => format!("{}.{}@example.com", contact.0, contact.1).to_lowercase(),
        _ => String::new(),
    }
}

/// A text field of a vendor.
fn vendor(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.vendor.{field}"), u64::from(row));
    let mut kind = c.seed.stream("text.vendor.kind", u64::from(row));
    // One draw for both, because each type of business has its own description.
    let (business, relationship) = pair(pick(&mut kind, "vendor.type"));
    match field {
        "business_name" => firm(&mut s),
        "business_type" => business.to_owned(),
        "relationship_description" => format!("{}.", capital(relationship)),
        _ => String::new(),
    }
}
