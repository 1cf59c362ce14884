//! Templates about the company's policies, asked as people ask: by what they want to do, not by the
//! wording of the rule.
//!
//! [`RULES`] has, for each rule with a figure, the words by which it is found in its document and
//! the question of somebody who needs it. The figures are drawn for the company, so a question
//! cannot be answered from memory of another company.

use super::FactKind::{Date, Number, YesNo};
use super::draft::{Ctx, Draft};
use super::naming::{Thing, said_day};
use crate::source::TableId;
use crate::value::{Cents, Day};

const D: TableId = TableId::PolicyDocuments;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;

/// How a rule begins, which of its figures is meant, and the question.
pub(super) type Rule = (&'static str, usize, &'static str);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    ("A password has at least", 0, "How many characters does my new password need at least?"),
    ("A password must differ from", 0, "How many of my old passwords may I not use again?"),
    ("A password is changed after", 0, "After how many days at the latest do I have to change my password?"),
    (" failed attempts the account", 0, "How many wrong passwords in a row lock my account?"),
    (" failed attempts the account", 1, "For how many minutes am I locked out after too many wrong passwords?"),
    ("Every employee has", 0, "How many days of casual leave a year do our rules give me?"),
    ("Sick leave of more than", 0, "How many days may I be off sick before I need a certificate?"),
    (" days of vacation may be carried", 0, "How many days of vacation may I take over into next year?"),
    ("Vacation is requested", 0, "How many days ahead do I have to ask for vacation?"),
    ("The direct manager answers a request", 0,
     "Within how many working days does my manager have to answer my leave request?"),
    ("Gifts above a value of", 0, "Up to which value may I keep a gift?"),
    ("Gifts of any value", 0, "Within how many days do I have to record a gift?"),
    ("A suspected breach", 0, "Within how many days do I have to report a suspected breach?"),
    ("Every change is reviewed", 0, "How many other engineers have to review a change of ours?"),
    ("A review is answered", 0, "How many working days do we have to answer a code review?"),
    ("New code comes with tests", 0, "What per cent of new lines do our tests have to cover?"),
    ("A complaint is confirmed", 0,
     "If I complain about harassment, within how many working days is that confirmed?"),
    ("An inquiry ends within", 0, "After how many days at most does an inquiry into harassment end at our company?"),
    (" days a week may be worked from home", 0, "How many days a week may I work from home?"),
    (" days a month are spent with the whole team", 0,
     "How many days a month do I have to be at the office with the whole team?"),
    (" units for a home desk", 0, "How much does the company add to my desk at home?"),
    (" units for a home desk", 1, "Every how many years may I have a home desk paid?"),
    ("Trips are booked", 0, "How many days ahead do I have to book a trip?"),
    ("Hotels up to", 0, "Up to what price a night may I take a hotel without asking?"),
    ("Travel expenses are filed", 0, "How many days after a trip do I have to hand in my travel expenses?"),
    ("A meal is reimbursed", 0, "How much do we reimburse a person for a meal?"),
    ("Expenses above", 0, "Above what amount does my manager have to approve an expense beforehand?"),
    ("Receipts are kept", 0, "For how many years do I have to keep receipts?"),
    ("Personal data is deleted", 0, "How many months after it is no longer needed do we delete personal data?"),
    ("A request for access", 0, "How many days do we have when somebody asks which personal data we hold?"),
    ("A loss of data", 0, "Within how many hours do I have to report lost data?"),
    ("Confidential papers are locked", 0,
     "After how many minutes away from my desk must confidential papers be locked up?"),
    ("Private use of a company laptop", 0, "How many minutes a day may I use my laptop for private things?"),
    ("Lost equipment", 0, "I think my phone is gone. Within how many hours do I have to report it?"),
    ("Equipment is returned", 0, "How many days after my last day do I have to return my equipment?"),
    ("A ticket of high priority", 0, "Within how many hours is a ticket of high priority answered, by our rules?"),
    ("A ticket of low priority", 0,
     "Within how many working days is a ticket of low priority answered, by our rules?"),
    ("A written review follows", 0, "How many days after an incident do we owe the written review?"),
    ("A restore is rehearsed", 0, "Every how many months do we rehearse a restore?"),
    ("Orders above", 0, "Above what amount do I need several offers for an order?"),
    ("Orders above", 1, "How many offers do I need for a large order?"),
    ("A vendor is reviewed", 0, "Every how many months do we review a vendor?"),
    ("Goods may be returned", 0, "How many days do our customers have to return something?"),
    ("A refund is paid", 0, "Within how many days do we pay a refund?"),
    ("A complaint is answered", 0, "Within how many working days do we have to answer a customer's complaint?"),
    ("Discounts above", 0, "Above what per cent does a director have to approve our discount?"),
    ("Every candidate meets", 0, "How many interviewers does a candidate of ours have to meet?"),
    ("An answer is sent", 0, "How many days after the last interview do we owe a candidate an answer?"),
    ("Reviews take place", 0, "Every how many months is my performance review due?"),
    ("The written result is handed", 0, "Within how many days do I get the written result of my review?"),
    (" units a year on courses", 0, "How many days a year may I spend on courses?"),
    (" units a year on courses", 1, "How much may I spend on courses a year?"),
    ("Fire drills take place", 0, "Every how many months do we have a fire drill?"),
    ("Every floor has", 0, "How many first aiders does my floor need at least?"),
    ("Press inquiries", 0, "Within how many hours do I have to pass on a question from the press?"),
    ("Posts about unreleased", 0,
     "Somebody posted about a product we have not released. Within how many hours must that be gone?"),
    ("A referral pays", 0, "How much do I get for referring a new colleague?"),
    ("A referral pays", 1, "How many months must the person I referred stay before I get the bonus?"),
];

/// What people want to do: how the rule begins, whether more than the figure is allowed (else less),
/// and the question with `{n}`.
type Case = (&'static str, bool, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("Gifts above a value of", false,
     "A supplier gave me a present worth {n}. May I keep it without asking anybody? Tell me the limit and how far the present is from it."),
    ("Gifts above a value of", false,
     "I was given concert tickets worth {n} by a partner. Is that still a gift I may accept? Tell me the limit, and the difference to it."),
    ("Hotels up to", false,
     "The only hotel near my customer costs {n} a night. Can I take it without approval? What is the limit, and what is the difference to it?"),
    ("A meal is reimbursed", false,
     "My lunch with a guest came to {n} a person. Will I get all of it back? Tell me the limit and how far I am from it."),
    ("Expenses above", false,
     "I want to buy equipment for {n}. Can I do that without my manager's approval? What is the limit, and how far off am I?"),
    ("Goods may be returned", false,
     "Somebody wants to bring back a thing bought {n} days ago. Do we still have to take it? Tell me how many days we give, and how many more or fewer this was."),
    ("Trips are booked", true,
     "My trip begins in {n} days and nothing is booked. Am I still within our rules? How many days ahead do I have to book, and how many more or fewer do I have?"),
    ("Vacation is requested", true,
     "I would like to go on vacation {n} days from now. Am I early enough with my request? How many days ahead must it be, and how many more or fewer do I have?"),
    ("A password has at least", true,
     "My new password has {n} characters. Is it long enough? What is the minimum, and how many characters more or fewer than that is mine?"),
    ("New code comes with tests", true,
     "The tests of my change cover {n} per cent of it. Is that enough by our standards? What do they require, and how many points above or below that am I?"),
    ("Travel expenses are filed", false,
     "I came back from a trip {n} days ago. May I still file my expenses? How many days does one have in all, and how many more or fewer have passed?"),
    ("Private use of a company laptop", false,
     "I used my laptop for {n} minutes on private things today. Was that within the rules? How many minutes may I, and what is the difference?"),
    ("Hotels up to", false,
     "I found a hotel for {n} a night. May I book it without asking anybody? Tell me the limit and how far the price is from it."),
    ("A meal is reimbursed", false,
     "I paid {n} for my dinner on a trip. Do we reimburse the whole sum? What is the limit for a meal, and what is the difference to it?"),
    ("Expenses above", false,
     "I want to order office supplies for {n}. May I do that without asking my manager beforehand? Tell me the amount above which I have to ask, and the difference."),
    ("Goods may be returned", false,
     "A customer of ours bought something {n} days ago and does not like it. May it still be returned? How many days do we allow, and what is the difference?"),
    ("Trips are booked", true,
     "I have to be at a customer's in {n} days and want to book the trip today. Does that meet our rule? How many days ahead must I book, and how far off am I?"),
    ("Vacation is requested", true,
     "Can I still ask for vacation that starts in {n} days? Tell me how many days ahead we have to ask, and what the difference is."),
    ("A password has at least", true,
     "Would a password of {n} characters be accepted by our rules? I need the minimum, and the difference to it."),
    ("New code comes with tests", true,
     "I cover {n} per cent of my new lines with tests. Does that meet our standards? What is required, and how many points am I above or below?"),
    ("Travel expenses are filed", false,
     "My trip ended {n} days ago and I have not handed in the expenses. Is there still time? How many days do we have in all, and what is the difference?"),
    ("Private use of a company laptop", false,
     "I watched the news on my laptop for {n} minutes today. Do our rules allow that? Tell me how many minutes they allow, and the difference."),
];

/// The figures in a rule.
fn figures(rule: &str) -> Vec<i64> {
    rule.split(|ch: char| !ch.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// The document with the only rule that has these words, and one of its figures.
fn rule(c: &Ctx<'_>, words: &str, which: usize) -> Option<(u32, i64)> {
    let policies = c.company().policies.iter();
    for (row, policy) in policies.enumerate() {
        let rules = policy.sections.iter().flat_map(|s| &s.rules);
        if let Some(rule) = rules.into_iter().find(|r| r.contains(words)) {
            let row = crate::value::row_no(row);
            return Some((row, *figures(rule).get(which)?));
        }
    }
    None
}

/// The step that reads the document of a rule.
pub(super) fn look_up_rule(
    c: &Ctx<'_>,
    d: Draft,
    words: &str,
    which: usize,
) -> Option<(Draft, i64)> {
    let (row, figure) = rule(c, words, which)?;
    let d = d.read(c, "read the policy", D, row).after(&[]).claim(
        D,
        &[("text", "has", words.to_owned())],
        &[row],
    );
    Some((d, figure))
}

/// The figure of a rule.
pub(super) fn policy_figure(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, which, question) = *c.s.pick(RULES)?;
    let d = Draft::new(&["{question}", "Can you look something up for me? {question}"])
        .slot("question", question);
    let (d, figure) = look_up_rule(c, d, words, which)?;
    Some(d.worked_out("figure", Number, figure))
}

/// A rule whose figure has at least two digits: a single digit occurs in most texts by chance.
pub(super) fn with_large_figure(c: &mut Ctx<'_>) -> Option<Rule> {
    let drawn = *c.s.pick(RULES)?;
    let (_, figure) = rule(c, drawn.0, drawn.1)?;
    (figure >= 10).then_some(drawn)
}

/// Two figures of different documents.
pub(super) fn two_rules(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (*c.s.pick(RULES)?, *c.s.pick(RULES)?);
    if rule(c, one.0, 0)?.0 == rule(c, two.0, 0)?.0 {
        return None;
    }
    let d = Draft::new(&[
        "Two things that I keep forgetting. {first} {second}",
        "I am filling in a form and need two of our rules. {first} {second}",
        "I have two questions about our rules. {first} {second}",
    ])
    .slot("first", one.2)
    .slot("second", two.2);
    let (d, a) = look_up_rule(c, d, one.0, one.1)?;
    let d = d.worked_out("first_figure", Number, a);
    let (d, b) = look_up_rule(c, d, two.0, two.1)?;
    Some(d.worked_out("second_figure", Number, b))
}

/// Whether something is allowed by the rules, and the limit.
pub(super) fn policy_case(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, more, question) = *c.s.pick(CASES)?;
    let (_, limit) = rule(c, words, 0)?;
    let above = c.coin == more;
    // Wide, so that the same figure is seldom asked about twice.
    let span = match above {
        true => limit.max(60),
        false => limit - 1,
    };
    let apart = c.between(1, span.max(1));
    // Within the limit is what is allowed; the limit itself is not drawn, because people disagree
    // about it.
    let n = match above {
        true => limit + apart,
        false => limit - apart,
    };
    // "1 days" would read badly.
    if n <= 1 || (words.starts_with("New code") && n > 99) {
        return None;
    }
    let d = Draft::new(&[question]).slot("n", n.to_string());
    let off = (n - limit).abs();
    let (d, limit) = look_up_rule(c, d, words, 0)?;
    let answer = if c.coin { "YES" } else { "NO" };
    Some(
        d.worked_out("allowed", YesNo, answer)
            .worked_out("limit", Number, limit)
            .worked_out("difference", Number, off),
    )
}

/// Also asked about people who do not exist, or with a given name that several people have.
pub(super) const TELL_FIGURE: &[&str] = &[
    "{name} asked me this and I do not know it: \"{question}\" Look it up and mail them the figure.",
    "Please answer {name} by mail. The question was: \"{question}\" The figure should be in the mail, as a number.",
    "\"{question}\" That is what {name} wants to know from me. Find the number and mail it to them.",
    "{name} would like to know: \"{question}\" Please find out, and send them a mail with the figure.",
    "I owe {name} an answer: \"{question}\" Please look it up and mail them the number.",
];

/// Mails somebody the figure of a rule.
pub(super) fn tell_figure(c: &mut Ctx<'_>) -> Option<Draft> {
    let (words, which, question) = with_large_figure(c)?;
    let to = c.somebody()?;
    let d = Draft::new(TELL_FIGURE)
        .slot("question", question)
        .find("name", &to);
    let (d, figure) = look_up_rule(c, d, words, which)?;
    Some(d.mail(c, to.person(), "your question", &[figure.to_string()]))
}

/// Whether the persona may grant a discount, by level, and the price that results.
pub(super) fn discount_for_me(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let level = c.view.person(c.me)?.level;
    let which = match level {
        9 => 0,
        10 | 11 => 1,
        _ => return None,
    };
    let (_, most) = rule(c, "An associate may grant up to", which)?;
    let list = c.cents(P, product.row, "actual_price")?;
    let price = Cents(list * (100 - most) / 100);
    if list * (100 - most) % 100 != 0 {
        return None;
    }
    let d = Draft::new(&[
        "A customer wants the best price for the {product} that I can give on my own authority. How many per cent off the list price is that at my level, and what does the product cost then?",
        "How far may I go down from the list price of the {product} without asking anybody, given my level? Per cent and resulting price, please.",
        "I am haggling over the {product}. What is the largest discount on the list price that somebody of my rank may grant, and what price does it give?",
    ])
    .read_mine(c, "read my own level", &["Level"]);
    let (d, most) = look_up_rule(c, d, "An associate may grant up to", which)?;
    let d = d.after(&[0]).worked_out("per_cent", Number, most);
    Some(
        d.find("product", &product)
            .worked_out("price", Number, price.value()),
    )
}

/// Looks up a product, a customer, and the sales of one to the other.
pub(super) fn find_purchases(
    d: Draft,
    goal: &str,
    product: &Thing,
    customer: &Thing,
    rows: &[u32],
) -> Draft {
    d.find("product", product)
        .find("customer", customer)
        .seek_about(goal, S, product, customer, rows)
}

/// Also asked about purchases that never took place.
pub(super) const RETURN: &[&str] = &[
    "{customer} asks about returning the {product}. When did they buy it, and what is the last day on which our refund policy lets them bring it back?",
    "Until which day can {customer} return the {product} under our rules? I also need the day of the purchase.",
    "I have {customer} on the phone about the {product}: day of purchase, and last day for a return by our policy, please.",
    "When did {customer} buy the {product}, and on which day does the time for a return end under our refund policy?",
    "{customer} may want to return the {product}. I need the day of the purchase and the last day on which our rules allow it.",
];

/// Finds the only purchase of a product by a customer, and the last day on which it may be returned.
fn return_day(c: &mut Ctx<'_>, phrases: &[&'static str]) -> Option<(Draft, Day)> {
    let row = c.any(S)?;
    let (product, customer) = c.pair(S, row)?;
    (c.about(S, &product, &customer) == [row]).then_some(())?;
    let d = find_purchases(
        Draft::new(phrases),
        "find the purchase",
        &product,
        &customer,
        &[row],
    )
    .row(S, row);
    let on = c.day(S, row, "date_of_purchase")?;
    let d = d.fact("bought", Date, on.to_string());
    let (d, days) = look_up_rule(c, d, "Goods may be returned", 0)?;
    Some((d, on.plus(days)))
}

/// Until when a customer may return what was bought.
pub(super) fn last_day_to_return(c: &mut Ctx<'_>) -> Option<Draft> {
    let (d, last) = return_day(c, RETURN)?;
    Some(d.worked_out("last_day", Date, last.to_string()))
}

/// Mails a colleague the day until which a customer may return something.
pub(super) fn mail_return_day(c: &mut Ctx<'_>) -> Option<Draft> {
    let to = c.somebody()?;
    let phrases = [
        "Work out until which day {customer} can return the {product} under our refund policy and mail that day to {name}, written like 3 May 2025.",
        "My colleague {name} needs to know the last day on which {customer} may bring back the {product} under our refund policy. Look it up and mail it to my colleague in the form 3 May 2025.",
    ];
    let (d, last) = return_day(c, &phrases)?;
    let d = d.without_facts();
    let day = said_day(last);
    Some(
        d.find("name", &to)
            .mail(c, to.person(), "the last day for the return", &[day]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_the_documents() {
        let text = include_str!("../../words/policies.txt");
        for (words, which, question) in RULES {
            let lines: Vec<&str> = text.lines().filter(|l| l.contains(words)).collect();
            assert_eq!(lines.len(), 1, "{words}");
            assert!(lines[0].matches('{').count() > *which, "{words}");
            assert!(question.contains('?'));
        }
        for (words, _, question) in CASES {
            assert_eq!(text.lines().filter(|l| l.contains(words)).count(), 1);
            assert!(question.contains("{n}"));
        }
        assert_eq!(figures("between 3 and 14 days"), [3, 14]);
    }
}
