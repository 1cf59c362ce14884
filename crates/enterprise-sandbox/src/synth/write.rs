//! Generated texts, each a function of the company's seed and the row.

use super::code;
use super::people::{name, name_order};
use super::phrases::{capital, fill, pair, phrases, pick};
use crate::company::Company;
use crate::org::{Department, Rank};
use crate::row::{Employee, EmployeeNo, Polarity, Topic};
use crate::source::TableId;
use crate::value::Day;
use sim_core::Stream;

fn person(c: &Company, row: u32) -> Option<&Employee> {
    c.employees.get(row as usize)
}

fn given(c: &Company, who: EmployeeNo) -> String {
    let name = c.person_name(who);
    name.split(' ').next().unwrap_or_default().to_owned()
}

fn department(c: &Company, who: EmployeeNo) -> &'static str {
    person(c, who.0)
        .map_or(Department::Management, |e| e.department)
        .name()
}

fn soon(s: &mut Stream, from: Day) -> String {
    from.plus(s.between(2, 21)).to_string()
}

fn season(s: &mut Stream) -> &'static str {
    pick(s, "season")
}

/// Skills of a person, separated by commas.
pub(crate) fn skills(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.skills", u64::from(row));
    let list = phrases(&format!("skills.{}", department(c, EmployeeNo(row))));
    let mut order: Vec<&str> = list.to_vec();
    s.shuffle(&mut order);
    let count = 4 + s.index(3);
    order.into_iter().take(count).collect::<Vec<_>>().join(", ")
}

fn skill(c: &Company, row: u32, n: usize) -> String {
    let all = c.skills_text(row);
    let mut parts = all.split(',').map(str::trim).cycle();
    parts.nth(n).unwrap_or_default().to_owned()
}

/// Profile of a person.
pub(crate) fn description(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.about", u64::from(row));
    let Some(e) = person(c, row) else {
        return String::new();
    };
    fill(pick(&mut s, "about"), |slot| match slot {
        "name" => e.name.to_string(),
        "title" => Rank::of_level(e.level).title().to_owned(),
        "department" => e.department.name().to_owned(),
        "skill1" => skill(c, row, 0),
        _ => skill(c, row, 1),
    })
}

/// Work history of a person. It states the years of experience as `N years of experience`; some
/// histories name a programme or a certificate.
pub(crate) fn experience(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.history", u64::from(row));
    let years = person(c, row).map_or(1, |e| i64::from(e.age) - 20);
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

/// Marital status.
pub(crate) fn marital(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.marital", u64::from(row));
    ["Married", "Single", "Divorced"][..]
        .get(s.weighted(&[5.0, 4.0, 1.0]).unwrap_or(0))
        .map_or_else(String::new, |t| (*t).to_owned())
}

/// Gender.
pub(crate) fn gender(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.gender", u64::from(row));
    if s.chance(0.5) { "Female" } else { "Male" }.to_owned()
}

/// A curriculum.
pub(crate) fn resume(c: &Company, row: u32) -> String {
    let Some(subject) = c.resumes.get(row as usize).map(|r| r.subject) else {
        return String::new();
    };
    let Some(e) = person(c, subject.0) else {
        return String::new();
    };
    fill(
        phrases("resume").first().copied().unwrap_or_default(),
        |slot| match slot {
            "name" => e.name.to_string(),
            "title" => Rank::of_level(e.level).title().to_owned(),
            "department" => e.department.name().to_owned(),
            "about" => description(c, subject.0),
            "history" => experience(c, subject.0),
            _ => c.skills_text(subject.0),
        },
    )
}

/// The topic of a thread as a noun phrase, and the matching list of subjects.
fn topic(c: &Company, thread: u32) -> (String, &'static str) {
    match c
        .threads
        .get(thread as usize)
        .map(|t| t.topic)
        .unwrap_or_default()
    {
        Topic::Plain => (String::new(), "subject.plain"),
        Topic::Ticket(row) => (c.id(TableId::Tickets, row), "subject.ticket"),
        Topic::Product(row) => (c.product_name(row), "subject.product"),
        Topic::Repository(row) => (c.id(TableId::Repositories, row), "subject.repository"),
        Topic::Leave => (String::new(), "subject.leave"),
        Topic::Policy(row) => (
            c.policies
                .get(row as usize)
                .map(|p| p.title.to_string())
                .unwrap_or_default(),
            "subject.policy",
        ),
    }
}

fn thread_start(c: &Company, thread: u32) -> Day {
    let mails = c.index.thread_mails.of(thread).iter();
    // The earliest, not the first: a data defect may put a thread out of order.
    mails
        .filter_map(|m| c.mails.get(*m as usize))
        .map(|m| m.at.day())
        .min()
        .unwrap_or(c.clock)
}

/// Subject of a mail: that of its thread.
pub(crate) fn mail_subject(c: &Company, row: u32) -> String {
    let Some(thread) = c.mails.get(row as usize).map(|m| m.thread.0) else {
        return String::new();
    };
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

/// Body of a mail.
pub(crate) fn mail_body(c: &Company, row: u32) -> String {
    let Some(m) = c.mails.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.mail", u64::from(row));
    let first = c.index.thread_mails.of(m.thread.0).first() == Some(&row);
    let topic = match topic(c, m.thread.0) {
        (about, "subject.ticket") => format!("ticket {about}"),
        (_, "subject.leave") => "my leave".to_owned(),
        (about, "subject.plain") if about.is_empty() => {
            format!("\"{}\"", mail_subject(c, row))
        }
        (about, _) => about,
    };
    let part = |list: &str, s: &mut Stream| {
        let phrase = pick(s, list);
        let answer = pick(s, "mail.answer");
        let mut slots = |slot: &str| match slot {
            "name" => given(c, m.recipient),
            "topic" => topic.clone(),
            "day" => soon(s, m.at.day()),
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
    let middle = if first { "mail.ask" } else { "mail.reply" };
    let open = part("mail.open", &mut s);
    let middle = part(middle, &mut s);
    let close = part("mail.close", &mut s);
    format!("{open}\n\n{middle}\n\n{close}")
}

/// The signature under a mail.
pub(crate) fn signature(c: &Company, signer: EmployeeNo) -> String {
    let Some(e) = person(c, signer.0) else {
        return String::new();
    };
    format!(
        "{}, {}, {}",
        e.name,
        Rank::of_level(e.level).title(),
        e.department
    )
}

/// The notice under a mail.
pub(crate) fn notice(_: &Company) -> String {
    phrases("notice")
        .first()
        .copied()
        .unwrap_or_default()
        .to_owned()
}

/// A conversation: turns behind given names, separated by blank lines.
pub(crate) fn conversation(c: &Company, row: u32) -> String {
    let Some(m) = c.conversations.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.conversation", u64::from(row));
    let (a, b) = (given(c, m.sender), given(c, m.recipient));
    let topic = fill(pick(&mut s, "chattopic"), |_| {
        pick(&mut s, "thing").to_owned()
    });
    let topic = if s.chance(0.5) {
        format!("{topic} on {}", soon(&mut s, m.on))
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
                "day" => soon(&mut s, m.on),
                "amount" => (s.between(2, 90) * 100).to_string(),
                _ => pick(&mut s, "chat.answer").to_owned(),
            });
            format!("{}: {text}", if n % 2 == 0 { &a } else { &b })
        })
        .collect();
    lines.join("\n\n")
}

fn post_thing(c: &Company, row: u32) -> &'static str {
    pick(
        &mut c.seed.stream("text.post.thing", u64::from(row)),
        "thing",
    )
}

fn post(c: &Company, row: u32, purpose: &str, list: &str) -> String {
    let Some(p) = c.posts.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream(purpose, u64::from(row));
    let text = fill(pick(&mut s, list), |slot| match slot {
        "thing" => post_thing(c, row).to_owned(),
        "department" => department(c, p.author).to_owned(),
        "lesson" => pick(&mut s, "lesson").to_owned(),
        "skill" => skill(c, p.author.0, 0),
        _ => season(&mut s).to_owned(),
    });
    capital(&text)
}

/// Title of a post; it contains the post's number, so titles are unique.
pub(crate) fn post_title(c: &Company, row: u32) -> String {
    format!(
        "{} (No. {})",
        post(c, row, "text.post.title", "post.title"),
        row + 1
    )
}

/// Text of a post.
pub(crate) fn post_body(c: &Company, row: u32) -> String {
    post(c, row, "text.post.body", "post.body")
}

/// Tag and problem of a question, or of the question that an answer belongs to.
fn problem(c: &Company, row: u32) -> (&'static str, &'static str) {
    let question = c
        .overflow
        .get(row as usize)
        .and_then(|p| p.parent)
        .map_or(row, |q| q.0);
    let mut s = c.seed.stream("text.problem", u64::from(question));
    (
        pick(&mut s, "overflow.tag"),
        pick(&mut s, "overflow.problem"),
    )
}

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

/// Title of a question.
pub(crate) fn overflow_title(c: &Company, row: u32) -> String {
    overflow(c, row, "text.question.title", "overflow.title")
}

/// Body of a question or an answer.
pub(crate) fn overflow_body(c: &Company, row: u32) -> String {
    let question = c.overflow.get(row as usize).is_some_and(|p| p.question);
    let list = if question {
        "overflow.question"
    } else {
        "overflow.answer"
    };
    overflow(c, row, "text.overflow.body", list)
}

/// Tags of a question.
pub(crate) fn overflow_tags(c: &Company, row: u32) -> String {
    if c.overflow.get(row as usize).is_none_or(|p| !p.question) {
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

/// Licence of a repository.
pub(crate) fn license(c: &Company, row: u32) -> String {
    pick(
        &mut c.seed.stream("text.license", u64::from(row)),
        "license",
    )
    .to_owned()
}

/// Path of a file.
pub(crate) fn file_path(c: &Company, row: u32) -> String {
    code::plan(c, row).path
}

/// Text of a file: repaired when its issue is closed.
pub(crate) fn file_text(c: &Company, row: u32) -> String {
    let closed = c
        .issues
        .get(row as usize)
        .is_some_and(|i| i.closed && i.file.0 == row);
    code::plan(c, row).text(closed)
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn hash_of(text: &str) -> String {
    sim_core::Digest::of_bytes(text.as_bytes()).to_string()
}

fn issue_file(c: &Company, row: u32) -> u32 {
    c.issues.get(row as usize).map_or(row, |i| i.file.0)
}

/// Title of an issue.
pub(crate) fn issue_title(c: &Company, row: u32) -> String {
    let file = issue_file(c, row);
    let plan = code::plan(c, file);
    let module = plan.path.rsplit('/').next().unwrap_or_default();
    capital(&format!("{} ({module})", plan.symptom()))
}

/// Description of an issue.
pub(crate) fn issue_description(c: &Company, row: u32) -> String {
    let plan = code::plan(c, issue_file(c, row));
    format!(
        "`{}` should be a function that does this: {}. What we see instead: {}. The file is {}.",
        plan.name(),
        plan.purpose(),
        plan.symptom(),
        plan.path
    )
}

/// The patch that closed an issue.
pub(crate) fn issue_patch(c: &Company, row: u32) -> String {
    code::plan(c, issue_file(c, row)).patch()
}

/// The problem of a ticket.
pub(crate) fn ticket_issue(c: &Company, row: u32) -> String {
    let Some(t) = c.tickets.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.ticket", u64::from(row));
    let text = fill(pick(&mut s, "ticket.issue"), |slot| match slot {
        "name" => c.person_name(t.raiser),
        "department" => department(c, t.raiser).to_owned(),
        "trouble" => pick(&mut s, "trouble").to_owned(),
        "day" => t.on.plus(-s.between(0, 5)).to_string(),
        _ => s.between(2, 12).to_string(),
    });
    capital(&text)
}

/// The solution of a ticket.
pub(crate) fn ticket_resolution(c: &Company, row: u32) -> String {
    let Some(t) = c.tickets.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.resolution", u64::from(row));
    fill(pick(&mut s, "ticket.resolution"), |slot| match slot {
        "name" => given(c, t.raiser),
        "handler" => c.person_name(t.handler),
        _ => t.on.plus(s.between(0, 6)).to_string(),
    })
}

/// Brand, category path, kind and trait of a product.
fn product(c: &Company, row: u32) -> [&'static str; 4] {
    let mut s = c.seed.stream("text.product", u64::from(row));
    let brand = pick(&mut s, "product.brand");
    let (category, kind) = pair(pick(&mut s, "product.kind"));
    [brand, category, kind, pick(&mut s, "product.trait")]
}

/// Name of a product; it contains a model number, so names are unique.
pub(crate) fn product_name(c: &Company, row: u32) -> String {
    let [brand, _, kind, quality] = product(c, row);
    format!("{brand} {quality} {kind} M-{}", row + 101)
}

/// Category path of a product.
pub(crate) fn product_category(c: &Company, row: u32) -> String {
    product(c, row)[1].to_owned()
}

/// Description of a product.
pub(crate) fn product_about(c: &Company, row: u32) -> String {
    let [brand, _, kind, quality] = product(c, row);
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
pub(crate) fn customer_name(c: &Company, row: u32) -> String {
    let (given, family) = name(&name_order(c.seed, "customer.names"), row);
    format!("{given} {family}").to_lowercase()
}

/// An order document: the customer's purchases, the latest first.
pub(crate) fn order_document(c: &Company, row: u32) -> String {
    let (customer, kind) = (row / 3, row as usize % 3);
    let title = ["Invoice", "Purchase order", "Shipping order"]
        .get(kind)
        .copied()
        .unwrap_or("");
    let sales = c.index.sales_of_customer.of(customer);
    let mut lines: Vec<_> = sales
        .iter()
        .filter_map(|r| Some((r, c.sales.get(*r as usize)?)))
        .collect();
    lines.sort_by_key(|(r, s)| (std::cmp::Reverse(s.on), **r));
    let mut out = format!(
        "{title} for customer {}",
        c.id(TableId::Customers, customer)
    );
    let total: i64 = lines.iter().map(|(_, s)| s.price.0).sum();
    for (r, s) in lines.iter().take(10) {
        let product = c.id(TableId::Products, s.product.0);
        out.push_str(&format!(
            "\nsale {r}: {product} on {} at {}",
            s.on,
            s.price.value()
        ));
    }
    out.push_str(&format!(
        "\nlines {}, total {}",
        lines.len(),
        crate::value::Cents(total).value()
    ));
    out
}

/// Text of a review, matching its sentiment.
pub(crate) fn review(c: &Company, row: u32) -> String {
    let Some(r) = c.reviews.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.review", u64::from(row));
    let [_, _, kind, quality] = product(c, r.product.0);
    let list = format!("review.{}", r.polarity.unwrap_or(Polarity::Neutral).name());
    fill(pick(&mut s, &list), |slot| match slot {
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        _ => s.between(2, 60).to_string(),
    })
}

/// Transcript of a support chat.
pub(crate) fn support_chat(c: &Company, row: u32) -> String {
    let Some(chat) = c.chats.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.support", u64::from(row));
    let [_, _, kind, _] = product(c, chat.product.0);
    let (_, solution) = pair(pick(&mut s, "support.outcome"));
    let mut slots = |slot: &str| match slot {
        "kind" => kind.to_owned(),
        "product" => c.product_name(chat.product.0),
        "customer" => c.customer_name(chat.customer.0),
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

fn address(s: &mut Stream) -> String {
    let number = s.between(1, 240);
    let (street, city) = (pick(s, "street"), pick(s, "city"));
    format!("{number} {street}, {city} {}", s.between(10_000, 99_999))
}

fn firm(s: &mut Stream) -> String {
    let family = |s: &mut Stream| s.pick(&super::phrases::FAMILY).copied().unwrap_or("Ash");
    let (one, two) = (family(s), family(s));
    fill(pick(s, "firm"), |slot| {
        if slot == "family2" { two } else { one }.to_owned()
    })
}

fn tax_id(s: &mut Stream) -> String {
    let letter = |s: &mut Stream| char::from(b'A' + u8::try_from(s.below(26)).unwrap_or(0));
    let (a, b) = (letter(s), letter(s).to_ascii_lowercase());
    format!("{a}{b}{:05}", s.between(0, 99_999))
}

/// A text field of a client.
pub(crate) fn client(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.client.{field}"), u64::from(row));
    let contact = name(&name_order(c.seed, "contact.names"), row);
    match field {
        "business_name" => firm(&mut s),
        "industry" => pick(&mut s, "industry").to_owned(),
        "business_type" => pick(&mut s, "client.type").to_owned(),
        "contact_person_id" => {
            format!("{:08x}-{:04x}", s.bits() >> 32, s.bits() & 0xffff)
        }
        "contact_person_name" => format!("{} {}", contact.0, contact.1),
        "contact_email" => format!("{}.{}@example.com", contact.0, contact.1).to_lowercase(),
        "phone_number" => format!("555-{:04}-{:03}", s.between(0, 9_999), s.between(0, 999)),
        "registered_address" => address(&mut s),
        "tax_id" => tax_id(&mut s),
        "current_POC_product" => pick(&mut s, "client.trial").to_owned(),
        "engagement_description" => fill(pick(&mut s, "client.work"), |slot| match slot {
            "trial" => client(c, row, "current_POC_product"),
            "firm" => client(c, row, "business_name"),
            "industry" => client(c, row, "industry"),
            "thing" => pick(&mut s, "thing").to_owned(),
            _ => s.between(2, 40).to_string(),
        }),
        _ => String::new(),
    }
}

/// A text field of a vendor.
pub(crate) fn vendor(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.vendor.{field}"), u64::from(row));
    let mut kind = c.seed.stream("text.vendor.kind", u64::from(row));
    let (business, relationship) = pair(pick(&mut kind, "vendor.type"));
    match field {
        "business_name" => firm(&mut s),
        "industry" => pick(&mut s, "industry").to_owned(),
        "business_type" => business.to_owned(),
        "registered_address" => address(&mut s),
        "tax_id" => tax_id(&mut s),
        "relationship_description" => format!("{}.", capital(relationship)),
        _ => String::new(),
    }
}
