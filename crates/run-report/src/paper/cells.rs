//! The cells of a table: the statistic of their rows, or what stands in its place.

use super::engine::{Filler, Line, filled_in};
use super::normalised::{Scores, place_beside, places};
use super::rows::Row;
use super::settings::options;
use super::spec::{Condition, Part, Stat, Where, known};
use super::stats::{by_observation, correlation, mean_by};
use super::table::{Measure, PaperCell};
use crate::compare;
use run_engine::engine::summary::LEVEL;
use run_engine::terminal::shell_word;
use sim_core::stats::{paired_difference, sd, welch_test};
use sim_core::{ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// Share of answers from which on failures of the provider are remarked \[per cent\].
const MANY_ERRORS: f64 = 5.0;

/// Conditions on labels in the order in which they were made; a label may have several.
type Conditions = Vec<(String, Condition)>;

/// What is said of a cell, from its table to its row and its column; the last word counts.
struct CellSpec<'a> {
    parts: Vec<&'a Part>,
    words: BTreeMap<String, String>,
    conditions: Conditions,
}

/// The last of the parts of a cell that sets a field.
// A macro, because the fields have different types: a function would take a closure that names the field at each call.
macro_rules! nearest {
    ($cell:expr, $field:ident) => {
        $cell
            .parts
            .iter()
            .rev()
            .find_map(|part| part.$field.as_ref())
    };
}

impl CellSpec<'_> {
    /// The name of a figure or a label, in which labels of the cell may stand.
    fn name(&self, name: Option<&String>) -> Result<Option<String>, String> {
        name.map(|name| filled_in(name, &self.words)).transpose()
    }

    /// The conditions with `other` in place of those on the same labels.
    fn changed(&self, other: &Where) -> Conditions {
        let kept = self
            .conditions
            .iter()
            .filter(|(label, _)| !other.contains_key(label));
        kept.cloned().chain(other.clone()).collect()
    }
}

/// What was found for a cell.
#[expect(
    clippy::large_enum_variant,
    reason = "one value lives at a time, and mostly it is a cell"
)]
enum Found {
    Cell(PaperCell),
    /// Words in place of a figure, which is not comparable with that of the paper.
    Partial(String),
    /// Nothing, because there is no figure under these conditions.
    Nothing(Conditions),
}

/// A remark on a figure for which the provider failed often.
pub(super) fn many_errors(errors: f64, answers: f64) -> Option<String> {
    let share = 100.0 * errors / f64::max(answers, 1.0);
    (share >= MANY_ERRORS).then(|| format!("{share:.0} % provider errors"))
}

impl<'a> Filler<'a> {
    /// The cell of a row and a column; `key` and `heading` name the printed figure.
    pub(super) fn cell(
        &self,
        line: &Line<'a>,
        column: &Line<'a>,
        (key, heading): (Option<&str>, &str),
    ) -> Result<PaperCell, String> {
        let mut cell = CellSpec {
            parts: [&self.table.cell]
                .into_iter()
                .chain(line.parts.iter().chain(&column.parts).copied())
                .collect(),
            words: line
                .words
                .clone()
                .into_iter()
                .chain(column.words.clone())
                .collect(),
            conditions: [line.conditions.as_slice(), &column.conditions].concat(),
        };
        // The rows of the line satisfy its conditions already; only those of the column are left.
        let rows = self.matching(&line.rows, &column.conditions);
        let found = self.found(&cell, line, &rows)?;
        let printed = match nearest!(cell, beside) {
            // From all rows of the table: what the paper measured is a row of its own, which the
            // line does not have.
            Some(other) => {
                let theirs = self.matching(&self.rows, &cell.changed(other));
                match self.found(&cell, line, &theirs)? {
                    Found::Cell(theirs) => theirs.shown,
                    Found::Partial(_) | Found::Nothing(_) => None,
                }
            }
            None => key
                .and_then(|key| self.published.get(&self.table.place, key, heading))
                .map(str::to_owned),
        };
        let found = match found {
            Found::Cell(found) => found,
            Found::Partial(words) => return Ok(PaperCell::words(words)),
            Found::Nothing(conditions) => match self.reason(&cell, &conditions) {
                Some(words) => PaperCell::words(words),
                None => {
                    for (label, condition) in &conditions {
                        let value = condition
                            .value()
                            .map(|value| (label.clone(), value.to_owned()));
                        cell.words.extend(value);
                    }
                    self.put_options(&mut cell.words, line.agent_row.or(column.agent_row));
                    // Values come from folders of others, and people copy the command.
                    for (label, word) in &mut cell.words {
                        // Options hold spaces and dashes on purpose; quoted, they would be a single
                        // word.
                        if !label.ends_with(".option")
                            && !["options", "agent_options"].contains(&label.as_str())
                        {
                            *word = shell_word(word);
                        }
                    }
                    let command = nearest!(cell, command).ok_or("a cell has no `command`")?;
                    PaperCell::missing(filled_in(command, &cell.words)?)
                }
            },
        };
        let found = found.beside(printed.as_deref());
        Ok(match (self.table.compare, key) {
            (Some(_), Some(key)) => {
                let place = &self.table.place;
                found.compared(&self.published.allowed(place, key, heading))
            }
            _ => found,
        })
    }

    /// What a cell without a figure says; `None` if its command is to be shown.
    fn reason(&self, cell: &CellSpec<'_>, conditions: &Conditions) -> Option<String> {
        // The rows of the whole table, not of the line: that there is nothing in the line is why
        // this is asked.
        let rule = nearest!(cell, absent)?.iter().find(|rule| {
            let mut wanted: Conditions = rule.r#where.clone().into_iter().collect();
            wanted.extend(
                conditions
                    .iter()
                    .filter(|(label, _)| rule.keys.contains(label))
                    .cloned(),
            );
            !self.matching(&self.rows, &wanted).is_empty()
        });
        rule?.say.clone()
    }

    /// Puts the options of `boardroom run` that name an agent among the words.
    fn put_options(&self, words: &mut BTreeMap<String, String>, agent_row: Option<&Row>) {
        let asked = words
            .get("method")
            .map(String::as_str)
            .filter(|method| !method.is_empty());
        let of = |method: Option<&str>| match agent_row {
            Some(row) => row.run.options(method),
            None => options(&self.table.nobody, method, &BTreeMap::new()),
        };
        let method = asked.or_else(|| agent_row?.run.method.as_deref());
        let (all, agent) = (of(method), of(None));
        words.insert("options".to_owned(), all);
        words.insert("agent_options".to_owned(), agent);
    }

    /// The statistic of `rows`.
    fn found(&self, cell: &CellSpec<'_>, line: &Line<'a>, rows: &[&Row]) -> Result<Found, String> {
        let stat = *nearest!(cell, stat).ok_or("a cell has no `stat`")?;
        let of = cell.name(nearest!(cell, of))?;
        let decimals = nearest!(cell, decimals).copied().unwrap_or(2);
        let measured = |measure: Option<Measure>| match measure {
            Some(measure) => Found::Cell(PaperCell::measured(measure, decimals)),
            None => Found::Nothing(cell.conditions.clone()),
        };
        let found = match stat {
            Stat::Words | Stat::Distinct => {
                let label = of.ok_or("`of` names a label")?;
                // Without observations every different word is said once.
                let once = nearest!(cell, over).is_some_and(Vec::is_empty);
                let cell = if stat == Stat::Words {
                    self.words(rows, &label, once)
                } else {
                    self.distinct(rows, &label)
                };
                cell.map(Found::Cell)
            }
            // A table without rows counts nothing.
            Stat::Count => {
                (!self.rows.is_empty()).then(|| Found::Cell(PaperCell::count(rows.len() as u64)))
            }
            Stat::Share | Stat::Rate => {
                let share = self.share(cell, rows, of.as_deref())?;
                match (stat, share) {
                    (Stat::Share, Some(share)) => Some(Found::Cell(PaperCell::share_of(share))),
                    (_, share) => Some(measured(share)),
                }
            }
            _ => {
                let figure = of.ok_or("`of` names a figure")?;
                self.check(&figure)?;
                Some(match stat {
                    Stat::Mean => self.mean(cell, rows, &figure, decimals),
                    Stat::Sd => {
                        let times = nearest!(cell, times).copied().unwrap_or(1.0);
                        let values = rows
                            .iter()
                            .filter_map(|row| row.figures.get(&figure))
                            .map(|x| x * times);
                        let values: Vec<f64> = values.collect();
                        measured(sd(&values).map(|value| Measure {
                            value,
                            ci95: None,
                            n: values.len() as u64,
                        }))
                    }
                    Stat::Difference | Stat::P | Stat::Paired => {
                        self.difference(cell, (stat, decimals), rows, &figure)?
                    }
                    Stat::Normalised => measured(self.normalised(cell, line, rows, &figure)?),
                    Stat::Correlation => {
                        let other = cell
                            .name(nearest!(cell, with))?
                            .ok_or("`with` names the second figure")?;
                        self.check(&other)?;
                        let least = nearest!(cell, least).copied().unwrap_or(2);
                        measured(correlation(
                            &self.pairs(cell, rows, [&figure, &other]),
                            least,
                        ))
                    }
                    _ => self.given(rows, &figure, decimals, &measured),
                })
            }
        };
        Ok(found.unwrap_or_else(|| Found::Nothing(cell.conditions.clone())))
    }

    /// Checks that the rows may have a figure.
    fn check(&self, figure: &str) -> Result<(), String> {
        // Only rows know the figures of an environment, so without any a figure cannot be called
        // misspelt.
        if self.rows.is_empty() {
            Ok(())
        } else {
            known("figure", figure, self.figures)
        }
    }

    /// The observation that a row belongs to.
    fn key(&self, cell: &CellSpec<'_>, row: &Row) -> String {
        let usual = ["instance".to_owned()];
        let over = nearest!(cell, over).map_or(&usual[..], Vec::as_slice);
        let values = over.iter().map(|label| match label.as_str() {
            "#" => row.place.to_string(),
            // Control characters that no label holds keep values and labels apart: with a comma,
            // `a,b` and `c` would have the key of `a` and `b,c`.
            label => self.values(row, label).join("\u{1f}"),
        });
        values.collect::<Vec<_>>().join("\u{1e}")
    }

    /// A figure of rows with its observations.
    fn observed(&self, cell: &CellSpec<'_>, rows: &[&Row], figure: &str) -> Vec<(String, f64)> {
        let values = rows
            .iter()
            .filter_map(|row| Some((self.key(cell, row), *row.figures.get(figure)?)));
        values.collect()
    }

    /// The seed of the resamples of a mean of `rows`. A report resamples runs that stand together by the least of
    /// their seeds; with another seed here, one mean would have two intervals.
    fn seed(&self, rows: &[&Row]) -> Seed {
        let as_reported = || {
            let seeds = rows.iter().flat_map(|row| row.run.seeds.keys());
            Seed(seeds.min().copied().unwrap_or(0)).child("interval", 0)
        };
        self.spec.seed.map_or_else(as_reported, Seed)
    }

    /// What the spec says a figure of these rows can be, if a value is beyond it.
    fn exceeded(cell: &CellSpec<'_>, rows: &[&Row], figure: &str) -> Option<[f64; 2]> {
        let [low, high] = *nearest!(cell, range)?;
        let mut values = rows.iter().filter_map(|row| row.figures.get(figure));
        // Ratios are a little beyond their ends by rounding.
        let is_beyond = values.any(|value| *value < low - 1e-9 || *value > high + 1e-9);
        is_beyond.then_some([low, high])
    }

    /// What a figure of these rows can be. A range that the values do not keep does not limit their interval.
    fn range(cell: &CellSpec<'_>, rows: &[&Row], figure: &str) -> ScoreRange {
        let stated = nearest!(cell, range).map(|[low, high]| ScoreRange::new(*low, *high));
        let stated = stated.filter(|_| Self::exceeded(cell, rows, figure).is_none());
        // A score lies in the range of its environment; of other figures nobody knows one unless
        // the spec does.
        let scores = rows.first().filter(|_| figure == "score");
        let range = stated.or_else(|| scores.map(|row| row.run.range));
        range.unwrap_or(ScoreRange::UNLIMITED)
    }

    fn mean(&self, cell: &CellSpec<'_>, rows: &[&Row], figure: &str, decimals: usize) -> Found {
        let values = self.observed(cell, rows, figure);
        // Before the means of observations: a drawing shows single runs.
        let raw: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        let found = mean_by(values, Self::range(cell, rows, figure), self.seed(rows));
        let remark = match self.failures(cell, rows) {
            Err(words) => return Found::Partial(words),
            Ok(remark) => remark,
        };
        let exceeded = Self::exceeded(cell, rows, figure);
        let exceeded =
            exceeded.map(|[low, high]| format!("values beyond the `range` {low} to {high}"));
        let remarks: Vec<String> = remark.into_iter().chain(exceeded).collect();
        let remark = (!remarks.is_empty()).then(|| remarks.join(", "));
        let Some(found) = found else {
            return Found::Nothing(cell.conditions.clone());
        };
        let mut found = found.times(nearest!(cell, times).copied().unwrap_or(1.0));
        if nearest!(cell, interval) == Some(&false) {
            found.ci95 = None;
        }
        Found::Cell(
            PaperCell::measured(found, decimals)
                .remarked(remark)
                .observed(raw),
        )
    }

    /// A remark if the provider failed often; words in place of the figure if it failed at every question of a task.
    fn failures(&self, cell: &CellSpec<'_>, rows: &[&Row]) -> Result<Option<String>, String> {
        if nearest!(cell, provider_errors) != Some(&true) {
            return Ok(None);
        }
        // By task: failures count as wrong answers, so a task at which the provider failed every
        // time would pull down the mean of the others.
        let mut tasks: BTreeMap<&[String], (f64, f64)> = BTreeMap::new();
        for row in rows {
            let of = tasks.entry(row.values("task")).or_default();
            of.0 += row.figures.get("errors").copied().unwrap_or(0.0);
            of.1 += row.figures.get("answers").copied().unwrap_or(0.0);
        }
        #[expect(clippy::float_cmp, reason = "counts")]
        if tasks
            .values()
            .any(|(errors, answers)| *errors > 0.0 && errors == answers)
        {
            return Err("provider errors only".to_owned());
        }
        let (errors, answers) = tasks
            .values()
            .fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        Ok(many_errors(errors, answers))
    }

    /// The share of observations for which `holds` is true, or whose figure is above 0.5.
    fn share(
        &self,
        cell: &CellSpec<'_>,
        rows: &[&Row],
        figure: Option<&str>,
    ) -> Result<Option<Measure>, String> {
        let holds = nearest!(cell, holds);
        if let (Some(figure), None) = (figure, holds) {
            self.check(figure)?;
        }
        let holds = |row: &Row| match (holds, figure) {
            (Some(wanted), _) => Some(self.is(row, wanted)),
            (None, Some(figure)) => row.figures.get(figure).map(|value| *value > 0.5),
            (None, None) => Some(true),
        };
        let values = rows
            .iter()
            .filter_map(|row| Some((self.key(cell, row), f64::from(u8::from(holds(row)?)))));
        Ok(mean_by(
            values.collect::<Vec<_>>(),
            ScoreRange::SHARE,
            self.seed(rows),
        ))
    }

    fn distinct(&self, rows: &[&Row], label: &str) -> Option<PaperCell> {
        let values: BTreeSet<&String> = rows
            .iter()
            .flat_map(|row| self.values(row, label))
            .collect();
        (!values.is_empty()).then(|| PaperCell::count(values.len() as u64))
    }

    /// Words in the order in which they first appear, with the number of times where it is more than one:
    /// `2 × A; B`.
    fn words(&self, rows: &[&Row], label: &str, once: bool) -> Option<PaperCell> {
        let mut found: Vec<(String, u32)> = Vec::new();
        for row in rows {
            let word = self.values(row, label).join(", ");
            match found.iter_mut().find(|(held, _)| *held == word) {
                Some((_, count)) => *count += 1,
                None => found.push((word, 1)),
            }
        }
        let shown = found.into_iter().map(|(word, count)| match count {
            1 => word,
            _ if once => word,
            count => format!("{count} × {word}"),
        });
        let shown: Vec<String> = shown.collect();
        (!shown.is_empty()).then(|| PaperCell::words(shown.join("; ")))
    }

    /// Difference of two groups: of their means, its p by Welch's test, or in pairs.
    fn difference(
        &self,
        cell: &CellSpec<'_>,
        (stat, decimals): (Stat, usize),
        rows: &[&Row],
        figure: &str,
    ) -> Result<Found, String> {
        let other = cell.changed(nearest!(cell, than).ok_or("`than` names the other group")?);
        let theirs = self.observed(cell, &self.matching(&self.rows, &other), figure);
        let (ours, theirs) = (
            by_observation(self.observed(cell, rows, figure)),
            by_observation(theirs),
        );
        let times = nearest!(cell, times).copied().unwrap_or(1.0);
        let found = if stat == Stat::Paired {
            let (ours, theirs): (Vec<_>, Vec<_>) = (
                ours.clone().into_iter().collect(),
                theirs.clone().into_iter().collect(),
            );
            // As `boardroom compare` resamples: one difference has one interval.
            let seed = self.spec.seed.map_or_else(compare::seed, Seed);
            let paired = paired_difference(&ours, &theirs, LEVEL, seed);
            paired.map(|found| {
                let found = found.of_values_in(Self::range(cell, rows, figure));
                let ci95 = found.interval.map(|interval| [interval.low, interval.high]);
                let measure = Measure {
                    value: found.mean,
                    ci95,
                    n: found.clusters as u64,
                };
                PaperCell::measured(measure.times(times), decimals)
            })
        } else {
            let values =
                |group: &BTreeMap<String, f64>| group.values().copied().collect::<Vec<f64>>();
            let n = (ours.len() + theirs.len()) as u64;
            welch_test(&values(&ours), &values(&theirs)).map(|test| match stat {
                Stat::P => PaperCell::p_value(test.p_greater, n),
                _ => PaperCell::measured(
                    Measure {
                        value: test.difference * times,
                        ci95: None,
                        n,
                    },
                    decimals,
                ),
            })
        };
        let unit = nearest!(cell, over)
            .and_then(|over| over.first())
            .map_or("instance", String::as_str);
        Ok(match (found, ours.len(), theirs.len()) {
            (Some(found), ..) => Found::Cell(found),
            (None, 0, _) => Found::Nothing(cell.conditions.clone()),
            (None, _, 0) => Found::Nothing(other),
            // The difference in pairs of any shared observation is a figure.
            (None, ..) if stat == Stat::Paired => {
                Found::Cell(PaperCell::words(format!("no shared {unit}")))
            }
            // Words and no command: one more run of the same would not help where a test needs two
            // observations.
            (None, 1, _) | (None, _, 1) => Found::Cell(PaperCell::words(format!("one {unit}"))),
            _ => Found::Cell(PaperCell::words("scores do not vary")),
        })
    }

    /// The place of the mean of `rows` on the scale of the methods that the row of the table has.
    fn normalised(
        &self,
        cell: &CellSpec<'_>,
        line: &Line<'a>,
        rows: &[&Row],
        figure: &str,
    ) -> Result<Option<Measure>, String> {
        let scale = *nearest!(cell, scale).ok_or("`scale` is `cost` or `earnings`")?;
        let ends = nearest!(cell, ends)
            .ok_or("`ends` names the list of methods that make the ends of the scale")?;
        let ends = self.spec.lists.get(ends).map_or(&[][..], Vec::as_slice);
        let name = |row: &Row| [row.values("method"), row.values("mark")].concat().concat();
        let mut methods: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        // The scale is made of all methods, and a column is of one: so of the rows of the line
        // under what all cells of the table have in common, without the conditions of the column.
        let common: Conditions = self.table.cell.r#where.clone().into_iter().collect();
        let all = self.matching(&line.rows, &common).into_iter();
        // A policy is not one of the methods.
        for row in all.filter(|row| row.run.method.is_some()) {
            methods.entry(name(row)).or_default().push(row);
        }
        let scores = |rows: &[&Row]| {
            by_observation(self.observed(cell, rows, figure))
                .into_values()
                .collect::<Vec<f64>>()
        };
        let all: Vec<Scores<'_>> = methods
            .iter()
            .map(|(method, rows)| Scores {
                method,
                in_paper: rows.iter().all(|row| {
                    let mut listed = ends.iter();
                    listed.any(|end| row.values("method").contains(&end.value))
                }),
                scores: scores(rows),
            })
            .collect();
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let own = name(first);
        Ok(match all.iter().position(|one| one.method == own) {
            Some(at) => places(&all, scale, Seed(self.spec.seed.unwrap_or(0)))
                .get(at)
                .copied()
                .flatten(),
            None => place_beside(&scores(rows), &all, scale),
        })
    }

    /// Two figures of every observation that has both, in the order of the rows.
    fn pairs(&self, cell: &CellSpec<'_>, rows: &[&Row], figures: [&str; 2]) -> Vec<(f64, f64)> {
        let [x, y] = figures.map(|figure| by_observation(self.observed(cell, rows, figure)));
        let mut seen = BTreeSet::new();
        let keys = rows.iter().map(|row| self.key(cell, row));
        let pair = |key: &String| Some((*x.get(key)?, *y.get(key)?));
        // Each observation once, at its first row.
        keys.filter_map(|key| pair(&key).filter(|_| seen.insert(key)))
            .collect()
    }

    /// The figure of the first row with the interval that it has, or its words.
    fn given(
        &self,
        rows: &[&Row],
        figure: &str,
        decimals: usize,
        measured: &impl Fn(Option<Measure>) -> Found,
    ) -> Found {
        let Some(row) = rows.first() else {
            return measured(None);
        };
        if let [words, ..] = row.values("words") {
            return Found::Partial(words.clone());
        }
        let of = |name: &str| row.figures.get(name).copied();
        let interval = of("low").zip(of("high")).map(|(low, high)| [low, high]);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let measure = of(figure).map(|value| Measure {
            value,
            ci95: interval,
            n: of("n").unwrap_or(1.0) as u64,
        });
        match measure {
            Some(measure) => {
                let remark = row.values("remark").first().cloned();
                Found::Cell(PaperCell::measured(measure, decimals).remarked(remark))
            }
            None => measured(None),
        }
    }
}
