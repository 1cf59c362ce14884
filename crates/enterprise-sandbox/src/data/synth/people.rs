//! People: departments, roles, the reporting tree, and personnel data.
//!
//! Head-counts first, then places, then people. The table of departments by roles has exact sums in
//! both directions, so that a company of 50 has exactly 20, 15, 10 and 5 people in the four roles.
//! Places are filled from the top of each department downwards, and each tier is split into
//! contiguous blocks, one for each person of the tier above; the block sizes differ by at most one.
//!
//! The rest of a person is a function of the row: name, age, dates, pay and leave are drawn from a
//! stream of its own.

use crate::data::company::ids::Permutation;
use crate::data::company::rows::{Groups, NULL, Rows};
use crate::data::company::{Company, Defect};
use crate::data::org::{Department, ROLES};
use crate::data::row::{Employee, EmployeeNo, PolicyRow};
use crate::data::synth::CompanyConfig;
use crate::data::synth::phrases::{FAMILY, GIVEN};
use crate::data::tables::TableId;
use crate::data::value::{Day, row_no};
use sim_core::{Seed, Stream};

/// Shares of the departments \[%\], in the order of [`Department::ALL`] (published head-counts,
/// rounded).
const SHARES: [u64; 8] = [38, 10, 10, 9, 9, 9, 9, 6];

/// Maximum number of reports of a person inside the top tier of a department.
const TOP_SPAN: u32 = 12;

/// Share of leavers among people without reports (published: 309 of 1,260).
const LEAVERS: f64 = 309.0 / 1_260.0;

/// Splits `total` in proportion to `weights` by largest remainder; ties go to the earlier one.
/// The parts sum to `total` exactly, and no part exceeds its quota by one or more.
#[must_use]
pub fn apportion(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u64 = weights.iter().sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let mut parts: Vec<u64> = weights.iter().map(|w| total * w / sum).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let rest = |i: &usize| weights.get(*i).map_or(0, |w| total * w % sum);
    order.sort_by_key(|i| (std::cmp::Reverse(rest(i)), *i));
    // Fewer than the number of parts: each quota lost less than one by rounding down.
    let missing = total - parts.iter().sum::<u64>();
    for i in order.into_iter().cycle().zip(0..missing).map(|(i, _)| i) {
        if let Some(part) = parts.get_mut(i) {
            *part += 1;
        }
    }
    parts
}

/// Head-count by department and role (associate first); row and column sums are exact.
pub(crate) fn table(staff: u64, ratio: [u64; 4]) -> [[u64; 4]; 8] {
    // Directors first, in proportion to what is left of each department, then managers, then leads.
    // Associates are the rest, which makes the sums exact in both directions.
    let mut left = apportion(staff, &SHARES);
    let roles = apportion(staff, &ratio);
    let mut out = [[0; 4]; 8];
    for (role, total) in roles.iter().enumerate().rev() {
        let part = if role == 0 {
            left.clone()
        } else {
            apportion(*total, &left)
        };
        for ((row, rest), n) in out.iter_mut().zip(left.iter_mut()).zip(part) {
            if let Some(cell) = row.get_mut(role) {
                *cell = n;
            }
            *rest = rest.saturating_sub(n);
        }
    }
    out
}

/// The position of a person.
#[derive(Debug, Clone, Copy)]
struct Place {
    department: Department,
    level: u8,
    manager: Option<u32>,
    manages: bool,
}

/// Rows by department, in each from the top tier down. The members of a tier report to the next
/// tier above in contiguous blocks; the top tier is arranged as a heap, so that a department has
/// one root.
fn places(config: &CompanyConfig) -> Vec<Place> {
    let chief = u64::from(config.chief_executive);
    let staff = u64::from(config.employees) - chief;
    let top = config
        .chief_executive
        .then_some(row_no(usize::try_from(staff).unwrap_or(0)));
    let mut out: Vec<Place> = Vec::with_capacity(config.employees as usize);
    for (department, counts) in Department::ALL
        .into_iter()
        .zip(table(staff, config.ratio.weights()))
    {
        let mut above: Option<(u32, u32)> = None;
        // From the top down, because a tier reports to the one above. A tier without people is
        // skipped, and the next one reports across it.
        for ((_, level), count) in ROLES.into_iter().zip(counts).rev() {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            if count == 0 {
                continue;
            }
            let first = row_no(out.len());
            for j in 0..count {
                let manager = match above {
                    Some((start, n)) => {
                        // Maps 0..count onto 0..n in order, with blocks whose sizes differ by at
                        // most one.
                        let block = u64::from(j) * u64::from(n) / u64::from(count);
                        Some(start + u32::try_from(block).unwrap_or(0))
                    }
                    // A heap of this span keeps directors from reporting all to one of them: with
                    // 10,000 people there would be hundreds.
                    None if j > 0 => Some(first + (j - 1) / TOP_SPAN),
                    None => top,
                };
                out.push(Place {
                    department,
                    level,
                    manager,
                    manages: false,
                });
            }
            above = Some((first, count));
        }
    }
    if config.chief_executive {
        let department = Department::Management;
        out.push(Place {
            department,
            level: 15,
            manager: None,
            manages: false,
        });
    }
    for i in 0..out.len() {
        let manager = out.get(i).and_then(|p| p.manager);
        if let Some(boss) = manager.and_then(|m| out.get_mut(m as usize)) {
            boss.manages = true;
        }
    }
    out
}

/// The table of employees.
pub(super) fn employees(config: &CompanyConfig) -> Rows {
    let places = places(config);
    let order = name_order(config.seed, "names");
    let (table, count) = (TableId::Employees, row_no(places.len()));
    let mut rows = super::named_numbers(table, count, |row| employee(config, &places, row));
    for row in 0..count {
        let (given, family) = name(&order, row);
        rows.set_text(row, "Name", format!("{given} {family}"));
        let address = format!("{given}.{family}@{}", config.domain);
        rows.set_text(row, "email", address.to_lowercase());
    }
    rows
}

/// A given and a family name; the same number always gives the same name, and different numbers
/// below 312,800 give different names.
pub(crate) fn name(order: &Permutation, number: u32) -> (&'static str, &'static str) {
    let mixed = order.forward(u64::from(number));
    let families = FAMILY.len() as u64;
    let pick = |list: &[&'static str], i: u64| {
        usize::try_from(i)
            .ok()
            .and_then(|i| list.get(i).copied())
            .unwrap_or("Alex")
    };
    (
        pick(&GIVEN, mixed / families % GIVEN.len() as u64),
        pick(&FAMILY, mixed % families),
    )
}

/// The numbers of a person.
fn employee(config: &CompanyConfig, places: &[Place], row: u32) -> [(&'static str, i64); 15] {
    let Some(place) = places.get(row as usize) else {
        return [("", NULL); 15];
    };
    let mut s = config.seed.stream("person", u64::from(row));
    let root = is_root(places, row);
    // The heads of department have been employed from the start, so that there is always an
    // employee.
    let age = if root {
        s.between(45, 60)
    } else {
        s.between(22, 60)
    };
    let years = i32::try_from(age).unwrap_or(30);
    // Nobody joins before the age of 20; 256 of the published people joined before 18.
    let twentieth = config.clock.plus_years(20 - years);
    let earliest = twentieth.max(config.founded);
    // So long ago that the draw below, of the days until somebody leaves, has a range.
    let latest = config.clock.plus(-200);
    let span = i64::from(latest.0) - i64::from(earliest.0);
    let offset = s.between(0, span);
    let joined = if root {
        config.founded
    } else {
        earliest.plus(offset)
    };
    // A manager who left is a defect of the published data. Without it people with reports stay, so
    // that chains of managers consist of active people.
    let leaving = config.dirt.rates().get(&Defect::LeftManager).copied();
    let stays = place.manages && leaving.unwrap_or(0.0) <= 0.0;
    let served = i64::from(config.clock.0) - i64::from(joined.0);
    // Both are drawn for everybody, so that later draws do not depend on who leaves.
    let (may, days) = (s.chance(LEAVERS), s.between(180, served - 1));
    let left = (may && !stays && !root && served > 400).then(|| joined.plus(days));
    let (low, high) = pay_band(place.level);
    let leave_total = [8, 10, 15];
    let leave_left = leave_total.map(|total| s.between(0, total));
    let salary = s.between(low, high);
    let rating = s.between(1, 5);
    let [casual, sick, vacation] = leave_total;
    let [casual_left, sick_left, vacation_left] = leave_left;
    [
        ("category", place.department as i64),
        ("Level", place.level.into()),
        ("reports_to", place.manager.map_or(NULL, i64::from)),
        ("DOJ", joined.0.into()),
        ("is_valid", left.is_none().into()),
        ("DOL", left.map_or(NULL, |day| day.0.into())),
        ("Salary", salary),
        ("Total Casual Leaves", casual),
        ("Remaining Casual Leaves", casual_left),
        ("Total Sick Leaves", sick),
        ("Remaining Sick Leaves", sick_left),
        ("Total Vacation Leaves", vacation),
        ("Remaining Vacation Leaves", vacation_left),
        ("Age", age),
        ("Performance Rating", rating),
    ]
}

/// Whether a person heads a department.
fn is_root(places: &[Place], row: u32) -> bool {
    places.get(row as usize).is_some_and(|p| match p.manager {
        None => true,
        Some(m) => places.get(m as usize).is_some_and(|b| b.level == 15),
    })
}

/// Yearly pay by level (currency units); the bands do not overlap, so pay rises with level.
fn pay_band(level: u8) -> (i64, i64) {
    match level {
        0..=9 => (40_000, 59_999),
        10 | 11 => (62_000, 84_999),
        12 | 13 => (88_000, 119_999),
        14 => (130_000, 189_999),
        _ => (250_000, 300_000),
    }
}

/// The permutation of names for one purpose.
pub(crate) fn name_order(seed: Seed, purpose: &str) -> Permutation {
    Permutation::new(seed.child(purpose, 0), (GIVEN.len() * FAMILY.len()) as u64)
}

// ---------------------------------------------------------------- staff
//
// Answers who is employed where and when, for the generators of events.
//
// All events of a company have to lie inside the employment of the people involved. The generators
// ask here for a person, a pair or somebody on duty, and get the days on which that is possible as
// well. Searches draw a few times at random and then go through all candidates, so they end with
// an answer whenever there is one, and nearly always after one draw.

/// Number of random attempts before all candidates for a partner are checked.
const TRIES: usize = 24;

/// People by department and by manager, with their dates of employment.
pub(super) struct Staff {
    people: Vec<Employee>,
    by_department: Groups,
    reports: Groups,
    clock: Day,
}

/// Two people and the days on which both were employed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    pub(super) a: EmployeeNo,
    pub(super) b: EmployeeNo,
    pub(super) from: Day,
    pub(super) to: Day,
}

impl Staff {
    /// Lookup tables over the people of a company. The company's own index is not complete while its
    /// tables are being filled.
    pub(super) fn new(c: &Company) -> Self {
        let people = c.read_employees();
        let rows = people.iter().zip(0u32..);
        let departments = rows.clone().map(|(e, row)| (e.department as u32, row));
        let reports = rows.filter_map(|(e, row)| Some((e.manager?.0, row)));
        Self {
            by_department: Groups::new(Department::ALL.len(), departments),
            reports: Groups::new(people.len(), reports),
            clock: c.clock,
            people,
        }
    }

    /// Number of people, leavers included.
    pub(super) fn count(&self) -> u32 {
        row_no(self.people.len())
    }

    /// First and last day of a person's employment, up to today.
    pub(super) fn span(&self, person: u32) -> (Day, Day) {
        let person = self.people.get(person as usize);
        // A leaving date may lie in the future; events may not.
        let span = person.map(|e| (e.joined, e.left.unwrap_or(self.clock).min(self.clock)));
        span.unwrap_or_default()
    }

    pub(super) fn department(&self, person: u32) -> Department {
        let person = self.people.get(person as usize);
        person.map_or(Department::Management, |e| e.department)
    }

    /// People of a department, in row order.
    pub(super) fn of(&self, department: Department) -> &[u32] {
        self.by_department.of(department as u32)
    }

    /// Days on which both were employed, if there are at least `least`.
    pub(super) fn together(&self, a: u32, b: u32, least: i64) -> Option<(Day, Day)> {
        let ((a0, a1), (b0, b1)) = (self.span(a), self.span(b));
        let (from, to) = (a0.max(b0), a1.min(b1));
        (i64::from(to.0) - i64::from(from.0) >= least).then_some((from, to))
    }

    /// A partner for `a` among `pool` (all people if it is empty) with at least `least` days in
    /// common.
    pub(super) fn partner(
        &self,
        s: &mut Stream,
        a: u32,
        pool: &[u32],
        least: i64,
    ) -> Option<Meeting> {
        let pick = |s: &mut Stream| match s.pick(pool) {
            Some(b) => *b,
            None => row_no(s.index(self.people.len())),
        };
        let meeting = |b: u32| {
            let (from, to) = (b != a).then(|| self.together(a, b, least)).flatten()?;
            Some(Meeting {
                a: EmployeeNo(a),
                b: EmployeeNo(b),
                from,
                to,
            })
        };
        // Nearly every draw fits, so a few draws come first; only if none fits are all people searched.
        for _ in 0..TRIES {
            let b = pick(s);
            if let Some(found) = meeting(b) {
                return Some(found);
            }
        }
        if pool.is_empty() {
            (0..self.count()).find_map(meeting)
        } else {
            pool.iter().copied().find_map(meeting)
        }
    }

    /// Two colleagues drawn from the social graph: of the same team with probability 0.6, of the
    /// department with 0.25, any two with 0.15.
    pub(super) fn pair(&self, s: &mut Stream) -> Meeting {
        for _ in 0..TRIES {
            let a = row_no(s.index(self.people.len()));
            let draw = s.unit();
            let team;
            let pool: &[u32] = if draw < 0.6 {
                team = self.team(a);
                &team
            } else if draw < 0.85 {
                self.of(self.department(a))
            } else {
                &[]
            };
            // To `partner` an empty pool means everybody. A person without a team must not be
            // paired with a stranger as if the two were a team.
            let alone = draw < 0.6 && pool.is_empty();
            if let Some(found) = (!alone).then(|| self.partner(s, a, pool, 30)).flatten() {
                return found;
            }
        }
        (0..self.count())
            .find_map(|a| self.partner(s, a, &[], 30))
            .unwrap_or(Meeting {
                a: EmployeeNo(0),
                b: EmployeeNo(1),
                from: self.span(0).0,
                to: self.span(0).1,
            })
    }

    /// The manager, the reports, and those with the same manager.
    fn team(&self, a: u32) -> Vec<u32> {
        let manager = self.people.get(a as usize).and_then(|e| Some(e.manager?.0));
        let peers = manager.map_or(&[][..], |m| self.reports.of(m));
        let team = manager.iter().chain(peers).chain(self.reports.of(a));
        team.copied().filter(|p| *p != a).collect()
    }

    /// A person of these departments who was employed on a day between `from` and `to`, with those
    /// days.
    pub(super) fn on_duty(
        &self,
        s: &mut Stream,
        departments: &[Department],
        from: Day,
        to: Day,
    ) -> (EmployeeNo, Day, Day) {
        let fits = |p: u32| {
            let (a, b) = self.span(p);
            let (a, b) = (a.max(from), b.min(to));
            (a <= b).then_some((EmployeeNo(p), a, b))
        };
        for _ in 0..TRIES {
            let department = s
                .pick(departments)
                .copied()
                .unwrap_or(Department::Management);
            if let Some(found) = s.pick(self.of(department)).and_then(|p| fits(*p)) {
                return found;
            }
        }
        departments
            .iter()
            .flat_map(|d| self.of(*d))
            .find_map(|p| fits(*p))
            .unwrap_or((EmployeeNo(0), from, to))
    }
}

/// A day between two days, both included.
pub(super) fn day_between(s: &mut Stream, from: Day, to: Day) -> Day {
    from.plus(s.between(0, i64::from(to.0) - i64::from(from.0)))
}

// ---------------------------------------------------------------- policies
//
// The policy documents: their wording is fixed, their numbers are drawn for the company.
//
// Numbers are slots such as `{10-20}` in `words/policies.txt`. A task that asks for a figure of a
// policy therefore cannot be answered from memory of another company's policies. Two documents
// have restricted readers, so that denials occur among them too.

/// All documents with their ids.
pub(super) fn policies(seed: Seed) -> (Vec<PolicyRow>, Vec<Box<str>>) {
    let documents = include_str!("../../../words/policies.txt").split("\n== ");
    let mut all: Vec<(Box<str>, PolicyRow)> = Vec::new();
    for (n, document) in (0u64..).zip(documents).skip(1) {
        let (id, text) = document.split_once('\n').unwrap_or_default();
        let Ok(mut policy) = PolicyRow::parse(text) else {
            continue;
        };
        // A stream for each document: a rule that is added to one moves no figure of another.
        let mut numbers = seed.stream("policies", n);
        for line in policy.sections.iter_mut().flat_map(|s| &mut s.rules) {
            *line = rule(line, &mut numbers).into();
        }
        all.push((id.into(), policy));
    }
    // In the order of their file names, because an exported tree is read in this order.
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let (ids, policies) = all.into_iter().unzip();
    (policies, ids)
}

/// Replaces `{low-high}` by a number in that range; round numbers where the range is wide.
fn rule(line: &str, numbers: &mut Stream) -> String {
    crate::data::synth::phrases::fill(line, |slot| {
        let (low, high) = slot.split_once('-').unwrap_or((slot, slot));
        let (low, high): (i64, i64) = (low.parse().unwrap_or(0), high.parse().unwrap_or(0));
        let step = match high - low {
            0..=20 => 1,
            21..=200 => 5,
            _ => 100,
        };
        (numbers.between(low.div_euclid(step), high / step) * step)
            .max(low)
            .to_string()
    })
}

#[cfg(test)]
mod people_tests {
    use super::*;

    #[test]
    fn role_totals_are_exact() {
        for (n, want) in [
            (50, [20, 15, 10, 5]),
            (100_000, [40_000, 30_000, 20_000, 10_000]),
        ] {
            let t = table(n, [4, 3, 2, 1]);
            let sums: [u64; 4] = std::array::from_fn(|r| t.iter().map(|row| row[r]).sum());
            assert_eq!(sums, want);
            let rows: Vec<u64> = t.iter().map(|row| row.iter().sum()).collect();
            assert_eq!(rows, apportion(n, &SHARES));
        }
    }

    #[test]
    fn apportioning_by_hand() {
        // 10 in the ratio 1:1:1 leaves one over, which the first gets.
        assert_eq!(apportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(apportion(0, &[1, 2]), [0, 0]);
        assert_eq!(apportion(5, &[0, 0]), [0, 0]);
    }
}

#[cfg(test)]
mod policies_tests {
    use super::*;
    use crate::data::row::ReaderLabel;

    #[test]
    fn all_documents_are_read() {
        let (policies, ids) = policies(Seed(1));
        assert_eq!((policies.len(), ids.len()), (24, 24));
        for p in &policies {
            assert!(!p.sections.is_empty());
            assert!(
                p.sections.iter().all(|s| !s.rules.is_empty()),
                "{}",
                p.title
            );
            assert!(!p.text().contains(['{', '}']));
        }
        assert_eq!(
            policies
                .iter()
                .filter(|p| p.label != ReaderLabel::All)
                .count(),
            2
        );
    }
}
