//! Templates that are text: the sections of the files under `plans/`, whose `README.md` lists the lines.
//!
//! ```text
//!  [boss_of_owner: projects.boss_of_owner]            a template, and the section of its wordings
//!  row = any repositories                             a value: drawn, looked up, worked out
//!  owner = row.emp_id
//!  need not owner is me                               a condition: else another persona is tried
//!  repository "read the repository" row               what the draft gets: a slot, a step, a claim, a fact
//!  boss owner
//! ```
//!
//! A line is one call of [`Ctx`] or [`Draft`], so the order of the lines is that of the draws and of the steps. A text in
//! quotation marks may hold `{values}`; `$name` stands for the word that `name` has; `@0,1`, `@all` or `@` at the
//! end of a step says which earlier steps it needs. A section is used by another one with `use`; one whose head names
//! parameters, as `[boss person]`, is a line of its own: `boss owner`.
//!
//! A line that is not understood gives no draft, as a condition that does not hold; the test of the plans tells the
//! two apart.

use super::draft::{
    Ctx, Draft, Is, Span, Thing, a, least, most, name_of, said_day, spoken_product, title,
};
use super::functions::{self, Rule};
use super::{FactKind, RefusalClass};
use crate::access::Act;
use crate::data::org::Department;
use crate::data::row::EmployeeNo;
use crate::data::synth::phrases::{FAMILY, GIVEN, fill, pair, phrases, pick};
use crate::data::tables::{FieldType, TableId};
use crate::data::value::{Cents, Day, scalar_text};
use crate::tools::Op;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A section: wordings, or the names that its lines have for what they are given, and lines of words.
#[derive(Debug, Default)]
struct Section {
    wording: &'static str,
    parameters: Vec<&'static str>,
    lines: Vec<Vec<&'static str>>,
}

static SECTIONS: LazyLock<BTreeMap<&'static str, Section>> = LazyLock::new(|| {
    let text = concat!(
        include_str!("../../plans/common.txt"),
        include_str!("../../plans/hr.txt"),
        include_str!("../../plans/it.txt"),
        include_str!("../../plans/swe.txt"),
        include_str!("../../plans/sales.txt"),
        include_str!("../../plans/business.txt"),
        include_str!("../../plans/refusals.txt"),
    );
    let mut sections: BTreeMap<&str, Section> = BTreeMap::new();
    let mut last = "";
    for line in text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
    {
        match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            Some(head) => {
                let (head, wording) = head.split_once(": ").unwrap_or((head, ""));
                let (name, parameters) = head.split_once(' ').unwrap_or((head, ""));
                last = name;
                let section = sections.entry(name).or_default();
                section.wording = wording;
                section.parameters = words(parameters);
            }
            None => sections.entry(last).or_default().lines.push(words(line)),
        }
    }
    sections
});

/// The words of a line. One in quotation marks keeps the first of them.
fn words(line: &'static str) -> Vec<&'static str> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '`');
        let behind = rest.get(1..).unwrap_or_default();
        let end = match quoted {
            true => behind.find(first).map_or(rest.len(), |end| end + 1),
            false => rest.find(' ').unwrap_or(rest.len()),
        };
        let (word, tail) = rest.split_at(end);
        words.push(word);
        rest = tail
            .get(usize::from(quoted)..)
            .unwrap_or_default()
            .trim_start();
    }
    words
}

/// A word without its quotation mark.
fn bare(word: &'static str) -> &'static str {
    word.strip_prefix(['"', '`']).unwrap_or(word)
}

fn bares(words: &[&'static str]) -> Vec<&'static str> {
    words.iter().map(|word| bare(word)).collect()
}

/// What a name of a plan stands for.
#[derive(Debug, Clone)]
enum Bound {
    Row(TableId, u32),
    /// A record as people name it.
    Thing(Thing),
    Rows(TableId, Vec<u32>),
    Day(Day),
    Span(Span),
    Money(i64),
    Rule(Rule),
    /// A word of the plan.
    Word(&'static str),
    Plain(Value),
}

impl Bound {
    /// Its table and row, if it is one record.
    fn record(&self) -> Option<(TableId, u32)> {
        match self {
            Self::Row(source, row) => Some((*source, *row)),
            Self::Thing(thing) => Some((thing.source, thing.row)),
            Self::Rows(source, rows) if rows.len() == 1 => Some((*source, *rows.first()?)),
            _ => None,
        }
    }

    /// Its table and rows.
    fn rows(&self) -> Option<(TableId, Vec<u32>)> {
        match self {
            Self::Rows(source, rows) => Some((*source, rows.clone())),
            _ => self.record().map(|(source, row)| (source, vec![row])),
        }
    }

    /// How many it is.
    fn count(&self) -> Option<usize> {
        match self {
            Self::Rows(_, rows) => Some(rows.len()),
            Self::Plain(Value::Array(list)) => Some(list.len()),
            _ => None,
        }
    }

    /// What it is compared and reckoned by.
    fn number(&self) -> Option<i64> {
        match self {
            Self::Money(cents) => Some(*cents),
            Self::Day(day) => Some(day.0.into()),
            Self::Plain(value) if !value.is_array() => value.as_i64(),
            _ => i64::try_from(self.count()?).ok(),
        }
    }
}

fn one(source: TableId, row: u32) -> Option<Bound> {
    Some(Bound::Row(source, row))
}

fn many(source: TableId, rows: Vec<u32>) -> Option<Bound> {
    Some(Bound::Rows(source, rows))
}

fn value(value: impl Into<Value>) -> Option<Bound> {
    Some(Bound::Plain(value.into()))
}

/// A plan that is carried out.
struct Plan<'p, 'a> {
    c: &'p mut Ctx<'a>,
    d: Draft,
    bound: BTreeMap<&'static str, Bound>,
}

/// The draft of a template that is text.
pub(super) fn draft(c: &mut Ctx<'_>, template: &'static str) -> Option<Draft> {
    let mut plan = Plan {
        c,
        d: Draft::default(),
        bound: BTreeMap::new(),
    };
    plan.section(template)?;
    Some(plan.d)
}

fn table(word: &str) -> Option<TableId> {
    TableId::ALL
        .into_iter()
        .find(|source| source.name() == word)
}

fn kind(word: &str) -> Option<FactKind> {
    serde_json::from_value(json!(word.to_lowercase())).ok()
}

/// Keys and kinds of facts, by turns.
fn facts(words: &[&'static str]) -> Option<Vec<(&'static str, FactKind)>> {
    let facts = words.chunks(2).map(|fact| match *fact {
        [key, of] => Some((bare(key), kind(of)?)),
        _ => None,
    });
    facts.collect()
}

fn act(word: &str) -> Option<Act> {
    Act::ALL.into_iter().find(|act| act.to_string() == word)
}

/// The words before and after a colon.
fn split<'w>(words: &'w [&'static str]) -> (&'w [&'static str], &'w [&'static str]) {
    let mut parts = words.splitn(2, |word| *word == ":");
    (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    )
}

impl Plan<'_, '_> {
    fn section(&mut self, name: &str) -> Option<()> {
        let section = SECTIONS.get(name)?;
        if !section.wording.is_empty() {
            self.d.phrases = phrases(section.wording).to_vec();
        }
        section.lines.iter().try_for_each(|line| self.line(line))
    }

    /// A section with parameters. The names that its lines give are its own, so that a plan which has one of them keeps
    /// its value.
    fn part(&mut self, section: &'static Section, given: &[&'static str]) -> Option<()> {
        let values = given.iter().map(|word| self.get(word));
        let values: Vec<Bound> = values.collect::<Option<_>>()?;
        (values.len() == section.parameters.len()).then_some(())?;
        // Not restored where a line fails, as that ends the draft.
        let before = self.bound.clone();
        let parameters = section.parameters.iter().copied();
        self.bound.extend(parameters.zip(values));
        section.lines.iter().try_for_each(|line| self.line(line))?;
        self.bound = before;
        Some(())
    }

    fn line(&mut self, words: &[&'static str]) -> Option<()> {
        let named = |word: &&'static str| match word.strip_prefix('$') {
            Some(name) => match self.bound.get(name)? {
                Bound::Word(word) => Some(*word),
                _ => None,
            },
            None => Some(*word),
        };
        let words: Vec<&'static str> = words.iter().map(named).collect::<Option<_>>()?;
        // First what begins with a word of its own: a name that is given a value must not be one of these words.
        match *words.as_slice() {
            ["use", ref how @ .., part] => {
                let part = match *how {
                    [] => part,
                    ["one", "of", ref others @ ..] => self.c.pick(&[others, &[part]].concat())?,
                    ["either", other] if self.c.s.chance(0.5) => other,
                    ["mostly", other] if self.c.s.chance(2.0 / 3.0) => other,
                    ["coin", other] if self.c.coin => other,
                    ["if", ref test @ .., other] if self.holds(test)? => other,
                    _ => part,
                };
                self.section(part)?;
            }
            ["need", "not", ref test @ ..] => (!self.holds(test)?).then_some(())?,
            ["need", ref test @ ..] => self.holds(test)?.then_some(())?,
            ["each", rows, ref line @ ..] => {
                let (source, rows) = self.rows(rows)?;
                for row in rows {
                    self.bind("it", Bound::Row(source, row));
                    self.line(line)?;
                }
            }
            ["compare", one, a, two, b, ref line @ ..] => {
                let first = self.d.steps.len();
                for name in [one, two] {
                    self.d.find(name, &self.thing(name)?);
                }
                for (n, (name, rows)) in [(one, a), (two, b)].into_iter().enumerate() {
                    let (it, its) = (self.get(name)?, self.get(rows)?);
                    self.bound.extend([("it", it), ("its", its)]);
                    self.line(line)?;
                    self.d.after(&[first + n]);
                }
            }
            [name, "=", ref value @ ..] => {
                let value = self.drawn(value)?;
                self.bind(name, value);
            }
            [ref line @ .., last] if last.starts_with('@') => {
                self.write(line)?;
                match last.get(1..)? {
                    "all" => self.d.after_all(),
                    steps => {
                        let steps: Vec<usize> = steps.split(',').flat_map(str::parse).collect();
                        self.d.after(&steps);
                    }
                }
            }
            ref line => self.write(line)?,
        }
        Some(())
    }

    /// What a word stands for: a text, a number, a name, or a path of fields from a name.
    fn get(&self, word: &'static str) -> Option<Bound> {
        if word.starts_with(['"', '`']) {
            let text = bare(word);
            return Some(match text.contains('{') {
                true => Bound::Plain(self.filled(text)?.into()),
                false => Bound::Word(text),
            });
        }
        if let Ok(number) = word.parse::<i64>() {
            return Some(Bound::Plain(number.into()));
        }
        let (name, path) = word.split_once('.').unwrap_or((word, ""));
        let start = match name {
            "me" => Bound::Row(TableId::Employees, self.c.me.0),
            "today" => Bound::Day(self.c.company().clock()),
            "yes" => Bound::Plain(true.into()),
            "no" => Bound::Plain(false.into()),
            name => self.bound.get(name)?.clone(),
        };
        let fields = path.split('.').filter(|field| !field.is_empty());
        fields
            .into_iter()
            .try_fold(start, |at, field| self.field(&at, field))
    }

    /// A field of a record: the record that it links to, or its value.
    fn field(&self, of: &Bound, field: &str) -> Option<Bound> {
        let (source, row) = of.record()?;
        Some(match source.field(field)?.kind {
            FieldType::Link(target) => Bound::Row(target, self.c.follow(source, row, field)?),
            _ => Bound::Plain(self.c.get(source, row, field)),
        })
    }

    fn bind(&mut self, name: &'static str, bound: Bound) {
        self.bound.insert(name, bound);
    }

    fn record(&self, word: &'static str) -> Option<(TableId, u32)> {
        self.get(word)?.record()
    }

    fn rows(&self, word: &'static str) -> Option<(TableId, Vec<u32>)> {
        self.get(word)?.rows()
    }

    fn person(&self, word: &'static str) -> Option<EmployeeNo> {
        self.record(word).map(|(_, row)| EmployeeNo(row))
    }

    fn number(&self, word: &'static str) -> Option<i64> {
        self.get(word)?.number()
    }

    fn spoken(&self, word: &'static str) -> Option<String> {
        self.said(&self.get(word)?)
    }

    fn plain(&self, word: &'static str) -> Option<Value> {
        self.json(&self.get(word)?)
    }

    fn scalar(&self, word: &'static str) -> Option<String> {
        scalar_text(&self.plain(word)?)
    }

    fn thing(&self, word: &'static str) -> Option<Thing> {
        match self.get(word)? {
            Bound::Thing(thing) => Some(thing),
            _ => None,
        }
    }

    /// As an argument, a condition or a fact has it: a record by its id, a day in ISO form.
    fn json(&self, bound: &Bound) -> Option<Value> {
        Some(match bound {
            Bound::Plain(value) => value.clone(),
            Bound::Word(text) => (*text).into(),
            Bound::Day(day) => day.to_string().into(),
            Bound::Money(cents) => Cents(*cents).value(),
            Bound::Span(span) => span.said.parse::<i64>().ok()?.into(),
            bound => {
                let (source, row) = bound.record()?;
                self.c.text(source, row, source.key()).into()
            }
        })
    }

    /// As people say it.
    fn said(&self, bound: &Bound) -> Option<String> {
        match bound {
            Bound::Thing(thing) => Some(thing.said.clone()),
            Bound::Day(day) => Some(said_day(*day)),
            Bound::Span(span) => Some(span.said.clone()),
            Bound::Rule(rule) => Some(rule.2.to_owned()),
            bound => scalar_text(&self.json(bound)?),
        }
    }

    /// A text with the values of its slots.
    fn filled(&self, text: &'static str) -> Option<String> {
        let mut known = true;
        let filled = fill(text, |slot| {
            // A slot before a name: a text of the plan says what the request says.
            let slot = self.d.slots.get(slot).cloned().or_else(|| {
                let at = text.find(&format!("{{{slot}}}"))? + 1;
                self.said(&self.get(text.get(at..at + slot.len())?)?)
            });
            known &= slot.is_some();
            slot.unwrap_or_default()
        });
        known.then_some(filled)
    }

    fn say(&self, words: &[&'static str]) -> Option<Vec<String>> {
        words.iter().map(|word| self.spoken(word)).collect()
    }

    /// Names and values, with equals signs.
    fn values(&self, words: &[&'static str]) -> Option<Value> {
        let values = words.chunks(3).map(|part| match *part {
            [name, "=", value] => Some((bare(name).to_owned(), self.plain(value)?)),
            _ => None,
        });
        values.collect::<Option<Map<_, _>>>().map(Value::Object)
    }

    /// Conditions, and behind a colon the rows that satisfy them.
    fn conditions(&self, words: &[&'static str]) -> Option<(Vec<Is>, Vec<u32>)> {
        let (conditions, rows) = split(words);
        let mut out = Vec::new();
        for condition in conditions.chunks(3) {
            let [field, is, value] = *condition else {
                return None;
            };
            let value = self.get(value)?;
            let is = match (is, &value) {
                ("in", Bound::Span(span)) => {
                    out.extend(span.holds_day(bare(field)));
                    continue;
                }
                ("=", _) => "is",
                (">=", _) => "from",
                ("<=", _) => "to",
                (is, _) => is,
            };
            out.push((bare(field), is, scalar_text(&self.json(&value)?)?));
        }
        let rows = match *rows {
            ["none"] => Vec::new(),
            [rows] => self.rows(rows)?.1,
            _ => return None,
        };
        Some((out, rows))
    }

    /// Whether a condition on the drawn values holds.
    fn holds(&self, test: &[&'static str]) -> Option<bool> {
        let c = &*self.c;
        Some(match *test {
            ["may_create", of] => c.may_create(table(of)?, None),
            ["may_create", of, person] => c.may_create(table(of)?, self.person(person)),
            ["may_change", of, ref fields @ ..] => {
                let (source, row) = self.record(of)?;
                let fields = bares(fields);
                c.may_change(source, row, &fields)
            }
            ["may", what, of] => {
                let (source, row) = self.record(of)?;
                c.may(act(what)?, source, row)
            }
            ["reads", of] => {
                let (source, row) = self.record(of)?;
                c.reads(source, row)
            }
            ["unknown", name] => {
                let name = self.spoken(name)?;
                crate::tools::office::named_people(&c.view, &name).is_empty()
            }
            ["taken", of, id] => c.view.is_taken(table(of)?, &self.spoken(id)?),
            ["active", who] => c.is_active(self.person(who)?),
            ["domain", name] => c.domain.to_string() == name,
            ["level", least] => c.view.person(c.me)?.level >= least.parse().ok()?,
            ["unseen", team] => {
                let (_, team) = self.rows(team)?;
                !team.iter().any(|person| functions::sees(c, *person))
            }
            ["open", ticket] => {
                let (source, row) = self.record(ticket)?;
                c.get(source, row, "Resolution").is_null()
            }
            ["different", one, two] => match (self.get(one)?, self.get(two)?) {
                (Bound::Rule(one), Bound::Rule(two)) => {
                    functions::rule(c, one.0, 0)?.0 != functions::rule(c, two.0, 0)?.0
                }
                _ => return None,
            },
            ["all", rows, field, "=", value] => {
                let (source, rows) = self.rows(rows)?;
                let value = self.scalar(value)?;
                c.having(source, &rows, bare(field), &value) == rows
            }
            [one, "is", two] => match (self.get(one)?, self.get(two)?) {
                (Bound::Rows(_, one), Bound::Rows(_, two)) => one == two,
                (one, two) => self.json(&one)? == self.json(&two)?,
            },
            [one, order @ (">" | "<"), two] => {
                // Prices of both may have hundredths.
                let amount = |word: &'static str| match self.get(word)? {
                    Bound::Plain(value) => value.as_f64(),
                    bound => Some(i32::try_from(bound.number()?).ok()?.into()),
                };
                let (one, two) = (amount(one)?, amount(two)?);
                if order == ">" { one > two } else { one < two }
            }
            [range, rows] => {
                let (low, high) = range.split_once("..")?;
                let bounds = low.parse::<usize>().ok()?..=high.parse().ok()?;
                bounds.contains(&self.get(rows)?.count()?)
            }
            _ => return None,
        })
    }

    /// The rows of a table or list with the value of a field by which they are ranked: a day, or a number.
    fn ranked(&self, rows: &'static str, field: &str) -> Option<(TableId, Vec<(i64, u32)>)> {
        let (source, rows) = self.rows(rows)?;
        let of = |row: u32| match source.field(field)?.kind {
            FieldType::Money => self.c.cents(source, row, field),
            FieldType::Day | FieldType::Moment => {
                self.c.day(source, row, field).map(|day| day.0.into())
            }
            _ => self.c.get(source, row, field).as_i64(),
        };
        let ranked = rows.into_iter().filter_map(|row| Some((of(row)?, row)));
        Some((source, ranked.collect()))
    }

    /// The day that a path leads to; of a moment its day.
    fn day(&self, path: &[&'static str]) -> Option<Day> {
        let text = self.said(&self.found(path)?)?;
        Day::parse(text.get(..10).unwrap_or(&text))
    }

    /// The texts of a field in some rows.
    fn texts(&self, rows: &'static str, field: &str) -> Option<BTreeSet<String>> {
        let (source, rows) = self.rows(rows)?;
        let texts = rows.iter().map(|row| self.c.text(source, *row, field));
        Some(texts.collect())
    }

    /// A value that is drawn, looked up or worked out.
    fn drawn(&mut self, words: &[&'static str]) -> Option<Bound> {
        match *words {
            // Drawn.
            ["any", of] => table(of).and_then(|of| one(of, self.c.any(of)?)),
            ["row", of] => table(of).map(|of| Bound::Row(of, self.c.row(of))),
            ["some", of] => self.c.some(table(of)?).map(Bound::Thing),
            ["somebody"] => self.c.somebody().map(Bound::Thing),
            ["anybody"] => one(TableId::Employees, self.c.colleague()?.0),
            ["stranger"] => functions::stranger(self.c).map(Bound::Thing),
            ["helper", department] => {
                let person = self.c.colleague_of(Department::parse(bare(department))?)?;
                self.c.who(person).map(Bound::Thing)
            }
            ["barred", of, ref fields @ ..] => {
                let of = table(bare(of))?;
                let fields = bares(fields);
                functions::unchangeable(self.c, of, &fields).and_then(|row| one(of, row))
            }
            ["writable", of] => {
                let of = table(of)?;
                functions::writable(self.c, of).and_then(|row| one(of, row))
            }
            ["one_of", rows] => {
                let (source, rows) = self.rows(rows)?;
                self.c
                    .one_of(&rows, source)
                    .and_then(|row| one(source, row))
            }
            ["pick", ref rows @ ..] => {
                let (source, rows) = self.drawn(rows)?.rows()?;
                self.c.pick(&rows).and_then(|row| one(source, row))
            }
            ["one", "of", ref words @ ..] => self.c.pick(words).map(|word| Bound::Word(bare(word))),
            ["word", list] => value(self.c.word(list)),
            ["kind"] => value(pair(pick(&mut self.c.s, "product.kind")).1),
            ["given"] => value(self.c.pick(&GIVEN)?),
            ["family"] => value(self.c.pick(&FAMILY)?),
            ["phone"] => {
                let (a, b) = (self.c.between(0, 9_999), self.c.between(0, 999));
                value(format!("555-{a:04}-{b:03}"))
            }
            ["newcomer", names, ref count @ ..] => {
                let count = count.first().map(|count| count.parse());
                let count = count.transpose().ok()?;
                value(functions::new_name(self.c, names, count)?)
            }
            ["choice", of, field] => match table(of)?.field(field)?.kind {
                FieldType::Choice(words) => self.c.pick(words).map(Bound::Word),
                _ => None,
            },
            ["rule"] => Some(Bound::Rule(functions::drawn_rule(self.c))),
            ["large", "rule"] => functions::with_large_figure(self.c).map(Bound::Rule),
            ["between", low, high] => {
                let (low, high) = (self.number(low)?, self.number(high)?);
                value(self.c.between(low, high))
            }
            // A price below the list price.
            ["below", of] => {
                let (source, row) = self.record(of)?;
                let list = self.c.cents(source, row, "actual_price")? / 100;
                value(self.c.between(1, list.max(2) - 1))
            }
            [way @ ("ahead" | "ago"), low, high] => {
                let days = self.c.between(low.parse().ok()?, high.parse().ok()?);
                let days = if way == "ago" { -days } else { days };
                Some(Bound::Day(self.c.company().clock().plus(days)))
            }
            // Another product of the kind.
            ["alike", one] => {
                let (source, one) = self.record(one)?;
                let kind = |c: &Ctx<'_>, row| {
                    let name = c.text(source, row, "product_name");
                    spoken_product(&name).map(|(_, kind)| kind.to_owned())
                };
                let wanted = kind(self.c, one)?;
                // A kind has few products, so most draws are of another one.
                for _ in 0..60 {
                    let row = self.c.any(source)?;
                    if row != one && kind(self.c, row)? == wanted {
                        return self.c.named(source, row).map(Bound::Thing);
                    }
                }
                None
            }
            // The rows of one of the values that several rows share.
            ["repeated", rows, field] => {
                let (source, rows) = self.rows(rows)?;
                // In the order of the values, so that what is drawn depends on the records alone.
                let mut by_value: BTreeMap<String, Vec<u32>> = BTreeMap::new();
                for row in rows {
                    let value = self.c.text(source, row, field);
                    by_value.entry(value).or_default().push(row);
                }
                let several: Vec<Vec<u32>> = by_value
                    .into_values()
                    .filter(|rows| rows.len() >= 2)
                    .collect();
                let rows = self.c.s.pick(&several)?.clone();
                many(source, rows)
            }
            ["coin", one, two] => self.get(if self.c.coin { one } else { two }),
            _ => self.found(words),
        }
    }

    /// A value that is looked up or worked out.
    fn found(&self, words: &[&'static str]) -> Option<Bound> {
        let c = &*self.c;
        match *words {
            ["none"] => many(TableId::Employees, Vec::new()),
            [word] => match word {
                "programmes" => value(json!(functions::programmes_of(c)?)),
                "years" => value(functions::years_of(c)?),
                "certificate" => value(functions::certificate_of(c)?),
                word => self.get(word),
            },
            // Records.
            ["mine", of, field] => {
                let of = table(bare(of))?;
                many(of, c.mine(of, bare(field)))
            }
            ["linked", of, field, to] => {
                let (of, (_, to)) = (table(of)?, self.rows(to)?);
                let linked = to.iter().flat_map(|to| c.linked(of, field, *to));
                many(of, linked.collect())
            }
            ["about", of, product, customer] => {
                let of = table(of)?;
                let rows = c.about(of, &self.thing(product)?, &self.thing(customer)?);
                many(of, rows)
            }
            ["named", ref path @ ..] => {
                let (source, row) = self.found(path)?.record()?;
                c.named(source, row).map(Bound::Thing)
            }
            ["colleague", path] => {
                let person = self.person(path)?;
                (person != c.me && c.is_active(person)).then_some(())?;
                c.who(person).map(Bound::Thing)
            }
            ["other", of] => {
                let (source, row) = self.record(of)?;
                c.other(source, row)
                    .map(|p| Bound::Row(TableId::Employees, p.0))
            }
            ["manager", of] => {
                let manager = c.view.manager(self.person(of)?)?;
                one(TableId::Employees, manager.0)
            }
            ["team", of, low, high] => {
                let boss = self.person(of)?;
                let team = c.team(boss, low.parse().ok()?, high.parse().ok()?)?;
                many(TableId::Employees, team)
            }
            ["same_subject", mail] => {
                let (source, row) = self.record(mail)?;
                let subject = c.text(source, row, "subject");
                many(source, functions::same_subject(c, &subject))
            }
            // Some of the rows.
            [of, "where", field, "=", value] => {
                let (source, rows) = self.rows(of)?;
                let value = self.scalar(value)?;
                many(source, c.having(source, &rows, bare(field), &value))
            }
            [of, "containing", field, part] => {
                let ((source, mut rows), part) = (self.rows(of)?, self.spoken(part)?);
                rows.retain(|row| c.text(source, *row, field).contains(&part));
                many(source, rows)
            }
            [of, "without", field] => {
                let (source, mut rows) = self.rows(of)?;
                rows.retain(|row| c.get(source, *row, field).is_null());
                many(source, rows)
            }
            ["with", of, person] => {
                let ((source, mut rows), person) = (self.rows(of)?, self.person(person)?);
                rows.retain(|row| c.other(source, *row) == Some(person));
                many(source, rows)
            }
            ["newest", of, field] => {
                let (source, mut rows) = self.rows(of)?;
                rows.sort_by_cached_key(|row| Reverse(c.text(source, *row, field)));
                many(source, rows)
            }
            ["called", given] => many(
                TableId::Employees,
                functions::called(c, &self.spoken(given)?)?,
            ),
            ["within" | "since", of, field, span] => {
                let span = match self.get(span)? {
                    Bound::Span(span) => span,
                    Bound::Day(first) => Span {
                        said: String::new(),
                        first,
                        last: Day(i32::MAX),
                    },
                    _ => return None,
                };
                let (source, mut rows) = self.rows(of)?;
                rows.retain(|row| {
                    let day = c.day(source, *row, field);
                    day.is_some_and(|day| span.holds(day))
                });
                many(source, rows)
            }
            ["common", one, two] => match (self.get(one)?, self.get(two)?) {
                (Bound::Rows(source, mut one), Bound::Rows(_, two)) => {
                    one.retain(|row| two.contains(row));
                    many(source, one)
                }
                (Bound::Plain(Value::Array(mut one)), Bound::Plain(Value::Array(two))) => {
                    one.retain(|value| two.contains(value));
                    (!one.is_empty()).then_some(Bound::Plain(one.into()))
                }
                _ => None,
            },
            ["targets", of, field] => {
                let (source, rows) = self.rows(of)?;
                let target = source.target(field)?;
                let found = rows.iter().filter_map(|row| c.follow(source, *row, field));
                let found: BTreeSet<u32> = found.collect();
                many(target, found.into_iter().collect())
            }
            [how @ ("most" | "least" | "extreme"), of, field] => {
                let (source, ranked) = self.ranked(of, bare(field))?;
                let is_least = how == "least" || (how == "extreme" && c.coin);
                let (_, row) = if is_least {
                    least(ranked)?
                } else {
                    most(ranked)?
                };
                one(source, row)
            }
            // Values.
            ["get", of, field] => {
                let (source, row) = self.record(of)?;
                value(c.get(source, row, bare(field)))
            }
            ["values", of, field] => {
                let (source, rows) = self.rows(of)?;
                value(c.values(source, &rows, field))
            }
            ["set", of, field] => value(json!(self.texts(of, field)?)),
            ["max", of, field] => value(self.texts(of, field)?.last()?.as_str()),
            ["min", of, field] => value(self.texts(of, field)?.first()?.as_str()),
            ["count", of] => value(self.get(of)?.count()?),
            ["size", of] => value(c.view.rows(table(of)?)),
            ["times", word, list] => match self.get(list)? {
                Bound::Plain(Value::Array(list)) => {
                    value(list.iter().filter(|v| *v == bare(word)).count())
                }
                _ => None,
            },
            ["sum", of, field] => {
                let (source, ranked) = self.ranked(of, bare(field))?;
                let sum = ranked.iter().map(|(n, _)| n).sum::<i64>();
                Some(match source.field(bare(field))?.kind {
                    FieldType::Money => Bound::Money(sum),
                    _ => Bound::Plain(sum.into()),
                })
            }
            ["cents", amount] => self.number(amount).map(Bound::Money),
            ["money", of, field] => {
                let (source, row) = self.record(of)?;
                c.cents(source, row, field).map(Bound::Money)
            }
            ["offer", of] => value(functions::offer_of(c, self.record(of)?.1)?),
            ["offers", of] => {
                let (_, rows) = self.rows(of)?;
                let offers = rows.iter().map(|row| functions::offer_of(c, *row));
                value(json!(offers.collect::<Option<Vec<_>>>()?))
            }
            ["fixed_on", ticket] => {
                let (source, row) = self.record(ticket)?;
                functions::fixed_on(&c.text(source, row, "Resolution")).map(Bound::Day)
            }
            ["first", of] => match self.get(of)? {
                Bound::Span(span) => Some(Bound::Day(span.first)),
                Bound::Plain(Value::Array(list)) => value(list.first()?.clone()),
                bound => {
                    let (source, rows) = bound.rows()?;
                    one(source, *rows.first()?)
                }
            },
            ["given", of] => {
                let name = self.spoken(of)?;
                value(name.split(' ').next()?)
            }
            ["last", of] => match self.get(of)? {
                Bound::Span(span) => Some(Bound::Day(span.last)),
                _ => None,
            },
            // What a product is, and with its article.
            ["kind", of] => value(spoken_product(&self.spoken(of)?)?.1),
            ["article", of] => value(a(&self.spoken(of)?)),
            ["before", mark, of] => {
                let text = self.spoken(of)?;
                value(text.split_once(mark)?.0)
            }
            ["behind", mark, of] => {
                let text = self.spoken(of)?;
                value(text.rsplit_once(bare(mark))?.1)
            }
            ["amount", of] => value(self.spoken(of)?.trim().parse::<f64>().ok()?),
            ["whole", of] => value(self.spoken(of)?.parse::<i64>().ok()?),
            ["spaced", of] => value(self.spoken(of)?.replace('_', " ")),
            ["joined", of] => value(self.spoken(of)?.to_lowercase().replace(' ', "")),
            ["lower", of] => value(self.spoken(of)?.to_lowercase()),
            ["title", of] => value(title(&self.spoken(of)?)),
            // Days.
            ["day", ref path @ ..] => self.day(path).map(Bound::Day),
            ["month", path] => Span::month(self.day(&[path])?).map(Bound::Span),
            ["year", path, more] => {
                let year = self.day(&[path])?.date().0 + more.parse::<i32>().ok()?;
                Span::year(year).map(Bound::Span)
            }
            ["year_after", path] => Some(Bound::Day(self.day(&[path])?.plus_years(1))),
            // The one of two that has more.
            ["more", one, two, "by", a, b] => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                (a != b).then_some(())?;
                self.get(if a > b { one } else { two })
            }
            ["apart", one, two] => {
                let (one, two) = (self.get(one)?, self.get(two)?);
                let apart = (one.number()? - two.number()?).abs();
                Some(match one {
                    Bound::Money(_) => Bound::Money(apart),
                    _ => Bound::Plain(apart.into()),
                })
            }
            // From left to right.
            [start, ref rest @ ..] => {
                let mut at = self.get(start)?;
                for part in rest.chunks(2) {
                    let [operator, by] = *part else { return None };
                    let by = self.get(by)?;
                    let (n, m) = (at.number()?, by.number()?);
                    let result = match operator {
                        "+" => n.checked_add(m)?,
                        "-" => n.checked_sub(m)?,
                        "*" => n.checked_mul(m)?,
                        "/" => n.checked_div(m)?,
                        "%" => n.checked_rem(m)?,
                        _ => return None,
                    };
                    at = match (at, by) {
                        (Bound::Day(_), Bound::Day(_)) => Bound::Plain(result.into()),
                        (Bound::Day(_), _) => Bound::Day(Day(i32::try_from(result).ok()?)),
                        _ => Bound::Plain(result.into()),
                    };
                }
                Some(at)
            }
            [] => None,
        }
    }

    /// What the draft gets.
    fn write(&mut self, words: &[&'static str]) -> Option<()> {
        if let [name, ref given @ ..] = *words
            && let Some(section) = SECTIONS.get(name).filter(|s| !s.parameters.is_empty())
        {
            return self.part(section, given);
        }
        match *words {
            ["ask", question] => match self.get(question)? {
                Bound::Rule(rule) => self.d.phrases = vec![rule.2],
                _ => return None,
            },
            ["slot", name, "=", ref value @ ..] => {
                let value = self.said(&self.found(value)?)?;
                self.d.slot(name, value);
            }
            ["slot", ref names @ ..] => {
                for (name, value) in names.iter().zip(self.say(names)?) {
                    self.d.slot(name, value);
                }
            }
            ["errand"] => {
                let (subject, detail) = functions::errand(self.c);
                self.bind("subject", Bound::Plain(subject.into()));
                self.bind("detail", Bound::Plain(detail.into()));
            }
            ["case"] => {
                let (rule, n, apart) = functions::policy_case(self.c)?;
                self.bind("rule", Bound::Rule(rule));
                self.bind("n", Bound::Plain(n.into()));
                self.bind("difference", Bound::Plain(apart.into()));
            }
            ["shared_manager", two, one] => {
                let one = self.person(one)?;
                let (found, boss, steps) = functions::shared_manager(self.c, one)?;
                self.bind(two, Bound::Thing(found));
                self.bind("boss", Bound::Row(TableId::Employees, boss.0));
                self.bind("steps", Bound::Rows(TableId::Employees, steps));
            }
            ["team", boss, low, high] => {
                let (lead, team) = self.c.team_lead(low.parse().ok()?, high.parse().ok()?)?;
                self.bind(boss, Bound::Thing(lead));
                self.bind("team", Bound::Rows(TableId::Employees, team));
            }
            // A post for a newcomer, or another one for somebody.
            ["post", ref of @ ..] => {
                let of = match *of {
                    [of] => Some(self.person(of)?),
                    _ => None,
                };
                let (department, level, boss) = functions::post(self.c, of)?;
                self.bind("department", Bound::Word(department.name()));
                self.bind("level", Bound::Plain(level.into()));
                self.bind("boss", Bound::Thing(boss));
            }
            ["repair", issue] => {
                let (_, issue) = self.record(issue)?;
                let (file, text) = functions::repaired(self.c, issue)?;
                self.bind("file", Bound::Row(TableId::Files, file));
                self.bind("content", Bound::Plain(text.into()));
            }
            ["skill_in_team"] => {
                let (source, team) = self.rows("team")?;
                let (skill, people) = functions::skill_of_some(self.c, &team)?;
                self.bind("skill", Bound::Plain(skill.into()));
                self.bind("people", Bound::Rows(source, people));
            }
            ["estimates"] => {
                let [(early, old), (late, new)] = functions::two_estimates(self.c)?;
                self.bind("early", Bound::Row(TableId::Emails, early));
                self.bind("mail", Bound::Row(TableId::Emails, late));
                self.bind("old", Bound::Plain(old.into()));
                self.bind("new", Bound::Plain(new.into()));
            }
            ["best_year", of] => {
                let (source, rows) = self.rows(of)?;
                let mut years: BTreeMap<i32, usize> = BTreeMap::new();
                for row in &rows {
                    let day = self.c.day(source, *row, "date_of_purchase")?;
                    *years.entry(day.date().0).or_default() += 1;
                }
                let (sales, year) = most(years.into_iter().map(|(y, n)| (n, y)).collect())?;
                self.bind("year", Bound::Plain(year.into()));
                self.bind("sales", Bound::Plain(sales.into()));
            }
            // The latest sale, and the sales since the one before it.
            ["last_purchase", of] => {
                let (source, mut dated) = self.ranked(of, "date_of_purchase")?;
                dated.sort_unstable();
                let (last, before) = (*dated.last()?, *dated.get(dated.len().checked_sub(2)?)?);
                // Of two sales on one day neither is the last.
                (last.0 != before.0).then_some(())?;
                dated.retain(|(day, _)| *day >= before.0);
                let latest = dated.iter().map(|(_, row)| *row).collect();
                let before = Day(i32::try_from(before.0).ok()?);
                self.bind("sale", Bound::Row(source, last.1));
                self.bind("before", Bound::Day(before));
                self.bind("latest", Bound::Rows(source, latest));
            }
            // One of the requests of some sections about one person, of whom the name is said. It must be one that the
            // persona may make about all of `people`: else a denial would be as right as the intended refusal.
            ["request", name, people, ref sections @ ..] => {
                let (name, (source, people)) = (self.spoken(name)?, self.rows(people)?);
                let requests = sections.iter().filter_map(|name| SECTIONS.get(name));
                // Every wording has the same chance: one that is drawn more often would be known for it.
                let requests: Vec<&Vec<&str>> = requests
                    .flat_map(|section| &section.lines)
                    .flat_map(|line| std::iter::repeat_n(line, wordings(line).len()))
                    .collect();
                let request = self.c.pick(&requests)?;
                let ([_, slot, asks @ ..], test) = split(request) else {
                    return None;
                };
                for row in people {
                    self.bind("it", Bound::Row(source, row));
                    (test.is_empty() || self.holds(test)?).then_some(())?;
                }
                // All its wordings: the generator chooses one, and the others are the variants of the task.
                self.d.phrases = wordings(request).to_vec();
                self.d.asked(&facts(asks)?);
                self.d.slot(slot, &name);
                self.fill_slots(&name, wordings(request))?;
            }
            ["find", name, ref how @ ..] => {
                let mut thing = self.thing(name)?;
                if let [goal] = *how {
                    thing.goal = format!("{} {}", bare(goal), thing.condition.2);
                }
                self.d.find(name, &thing);
                if let ["showing", ref fields @ ..] = *how {
                    self.d.with("fields", json!(bares(fields)));
                }
            }
            // The first figure of a rule, another one that is counted from 0, or that of a rule that was drawn.
            ["look_up", name, rule, ref which @ ..] => {
                let (words, which) = match (self.get(rule)?, which) {
                    (Bound::Rule(rule), []) => (rule.0, rule.1),
                    (Bound::Word(words), []) => (words, 0),
                    (Bound::Word(words), [which]) => (words, which.parse().ok()?),
                    _ => return None,
                };
                let figure = functions::look_up_rule(self.c, &mut self.d, words, which)?;
                self.bind(name, Bound::Plain(figure.into()));
            }
            [
                how @ ("step" | "then" | "last"),
                goal,
                tool,
                ref arguments @ ..,
            ] => {
                let (goal, arguments) = (self.spoken(goal)?, self.values(arguments)?);
                match how {
                    "then" => self.d.then(goal, tool, arguments),
                    _ => self.d.step(goal, tool, arguments),
                }
                if how == "last" {
                    self.d.after_all();
                }
            }
            [how @ ("seek" | "list"), goal, of, ref conditions @ ..] => {
                let (of, goal) = (table(bare(of))?, self.spoken(goal)?);
                let (conditions, rows) = self.conditions(conditions)?;
                self.d.seek(goal, of, &conditions, &rows);
                // As many records as a reply can have.
                if how == "list" {
                    self.d.with("limit", json!(200));
                }
            }
            ["claim", of, ref conditions @ ..] => {
                let (conditions, rows) = self.conditions(conditions)?;
                self.d.claim(table(of)?, &conditions, &rows);
            }
            ["read", goal, of, ref showing @ ..] => {
                let (goal, (source, row)) = (self.spoken(goal)?, self.record(of)?);
                self.d.read(self.c, &goal, source, row);
                if let ["showing", ref fields @ ..] = *showing {
                    self.d.with("fields", json!(bares(fields)));
                }
            }
            ["read_mine", goal, ref fields @ ..] => {
                self.d.read_mine(self.c, bare(goal), &bares(fields));
            }
            ["find_my_manager", goal] => {
                let arguments = json!({"emp_id": self.c.my_id(), "fields": ["reports_to"]});
                let tool = name_of(Op::Read, TableId::Employees);
                self.d.step(bare(goal), tool, arguments);
            }
            // Fields of the persona's own record, told and, behind a colon, only read.
            ["own", ref fields @ ..] => {
                let (told, beside) = split(fields);
                let told = facts(told)?;
                let asked = told.iter().map(|(field, _)| *field);
                let read: Vec<&str> = asked.chain(beside.iter().copied()).collect();
                let own = ("emp_id", "is", self.c.my_id());
                self.d.read_mine(self.c, "read my own record", &read);
                self.d.claim(TableId::Employees, &[own], &[self.c.me.0]);
                self.d.tell(self.c, &told);
            }
            ["change", goal, of, ref changes @ ..] => {
                let (goal, of) = (self.spoken(goal)?, self.record(of)?);
                let changes = self.values(changes)?;
                self.d.write(self.c, goal, Op::Update, of);
                self.d.with("changes", changes);
            }
            ["delete", goal, of] => {
                let of = self.record(of)?;
                self.d.write(self.c, bare(goal).to_owned(), Op::Delete, of);
            }
            ["with", name, "=", value] => self.d.with(name, self.plain(value)?),
            ["letter", to, subject, lead, ":", ref parts @ ..] => {
                let (to, parts, subject) =
                    (self.person(to)?, self.say(parts)?, self.spoken(subject)?);
                let about = (subject.as_str(), bare(lead));
                self.d.letter(self.c, "send the mail", to, about, &parts);
            }
            // In words of one's own, after all earlier steps.
            ["mail", to, about, ":", ref parts @ ..] => {
                let (to, parts, about) = (self.person(to)?, self.say(parts)?, self.spoken(about)?);
                let goal = format!("mail {}", self.c.name(to));
                self.d.letter(self.c, &goal, to, (&about, &about), &parts);
                self.d.after_all();
                self.d.says("subject", &[]);
            }
            ["message", to, about, ":", ref parts @ ..] => {
                let (to, parts, about) = (self.person(to)?, self.say(parts)?, self.spoken(about)?);
                let text = format!("{about}: {}", parts.join(", "));
                let arguments = json!({"recipient_emp_id": self.c.id(to), "text": text});
                let goal = format!("write to {}", self.c.name(to));
                let tool = name_of(Op::Create, TableId::Conversations);
                self.d.step(goal, tool, arguments);
                self.d.after_all();
                self.d.says("text", &parts);
            }
            ["says", field, ref parts @ ..] => {
                let parts = self.say(parts)?;
                self.d.says(field, &parts);
            }
            ["row", of] => {
                let (source, rows) = self.rows(of)?;
                self.d.rows.extend(rows.iter().map(|row| (source, *row)));
            }
            ["tell", ref told @ ..] => self.d.tell(self.c, &facts(told)?),
            [how @ ("fact" | "work"), key, of, ref value @ ..] => {
                let value = self.json(&self.found(value)?)?;
                self.d.fact(bare(key), kind(of)?, value, how == "work");
            }
            // The key of a fact is another word, where a step that several plans share gives it.
            ["call", key, new] => {
                let fact = self.d.facts.iter_mut().find(|fact| fact.key == key)?;
                new.clone_into(&mut fact.key);
                let step = self.d.steps.last_mut()?;
                step.facts.retain(|known| known != key);
                step.facts.push(new.to_owned());
            }
            [how @ ("asked" | "missing" | "ambiguous"), ref asks @ ..] => {
                self.d.asked(&facts(asks)?);
                if let Ok(class) = how.parse() {
                    self.d.refusal = Some((class, None));
                }
            }
            ["denied", what, of, ref hidden @ ..] => {
                self.d.refusal = Some((RefusalClass::Denied, Some((act(what)?, table(of)?))));
                self.d.forbidden = self.say(hidden)?;
                // Shorter values occur in texts by chance.
                self.d.forbidden.retain(|value| value.len() >= 3);
            }
            _ => return None,
        }
        Some(())
    }

    /// Draws values for the other slots of wordings about a person of this name.
    fn fill_slots(&mut self, name: &str, wordings: &[&'static str]) -> Option<()> {
        for part in wordings.iter().flat_map(|p| p.split('{').skip(1)) {
            if let Some((slot, _)) = part.split_once('}')
                && !self.d.slots.contains_key(slot)
            {
                let value = functions::slot_value(self.c, slot)?;
                // A full name beside the given name would settle who is not meant.
                (!value.starts_with(name)).then_some(())?;
                self.d.slot(slot, value);
            }
        }
        Some(())
    }
}

/// The wordings of a line of requests, whose section is its first word.
fn wordings(request: &[&str]) -> &'static [&'static str] {
    request.first().map_or(&[], |section| phrases(section))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::templates::all;

    #[test]
    fn every_section_is_a_template_or_a_part_and_every_part_exists() {
        let mut parts: BTreeSet<&str> = BTreeSet::new();
        for (name, section) in SECTIONS.iter() {
            let wording = section.wording;
            assert!(
                wording.is_empty() || !phrases(wording).is_empty(),
                "{name}: {wording}"
            );
            let lines = section.lines.iter();
            let uses = lines.filter(|line| ["use", "request"].contains(&line[0]));
            // `0..1` is a condition on a number of rows.
            let names = uses.flatten().filter(|word| !word.contains(".."));
            for part in names.filter(|word| word.contains('.') || SECTIONS.contains_key(*word)) {
                assert!(SECTIONS.contains_key(part), "{name} uses {part}");
                parts.insert(part);
            }
            for line in &section.lines {
                let (called, given) = match line.as_slice() {
                    // A name, which may be that of a section too.
                    [_, "=", ..] => continue,
                    ["each", _, called, given @ ..]
                    | ["compare", _, _, _, _, called, given @ ..]
                    | [called, given @ ..] => (*called, given),
                    [] => continue,
                };
                let parameters = SECTIONS.get(called).map_or(0, |part| part.parameters.len());
                if parameters > 0 {
                    assert_eq!(given.len(), parameters, "{name}: {line:?}");
                    parts.insert(called);
                }
            }
        }
        for template in all() {
            let id = template.info.id;
            assert!(SECTIONS.contains_key(id), "{id}");
        }
        let of_template = |name: &str| all().any(|template| template.info.id == name);
        for name in SECTIONS.keys().filter(|name| !of_template(name)) {
            assert!(parts.contains(name), "{name} is not used");
        }
    }

    #[test]
    fn words_and_texts() {
        assert_eq!(
            words(r#"find name "the id of" x"#),
            ["find", "name", "\"the id of", "x"]
        );
        assert_eq!(words("a `\"b\" c` @0"), ["a", "`\"b\" c", "@0"]);
        assert_eq!(words(r#"need not a is """#).last(), Some(&"\""));
        assert_eq!(bare("\"the id of"), "the id of");
    }
}
