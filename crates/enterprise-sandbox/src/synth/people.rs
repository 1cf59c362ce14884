//! People: departments, roles, the reporting tree, and personnel data.
//!
//! Head-counts first, then places, then people. The table of departments by roles has exact sums in
//! both directions, so that a company of 50 has exactly 20, 15, 10 and 5 people in the four roles.
//! Places are filled from the top of each department downwards, and each tier is split into
//! contiguous blocks, one for each person of the tier above; the block sizes differ by at most one.
//!
//! The rest of a person is a function of the row: name, age, dates, pay and leave are drawn from a
//! stream of its own.

use super::CompanyConfig;
use super::phrases::{FAMILY, GIVEN};
use crate::company::ids::Permutation;
use crate::company::rows::{NULL, Rows};
use crate::org::{Department, ROLES};
use crate::source::TableId;
use crate::value::row_no;
use sim_core::Seed;

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

/// The fields of people that have numbers.
const FIELDS: [&str; 15] = [
    "category",
    "Level",
    "reports_to",
    "DOJ",
    "is_valid",
    "DOL",
    "Salary",
    "Total Casual Leaves",
    "Remaining Casual Leaves",
    "Total Sick Leaves",
    "Remaining Sick Leaves",
    "Total Vacation Leaves",
    "Remaining Vacation Leaves",
    "Age",
    "Performance Rating",
];

/// The table of employees.
pub(super) fn employees(config: &CompanyConfig, threads: usize) -> Rows {
    let places = places(config);
    let order = name_order(config.seed, "names");
    let (table, count) = (TableId::Employees, row_no(places.len()));
    let mut rows = super::numbers(table, &FIELDS, count, threads, |row| {
        employee(config, &places, row)
    });
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
fn employee(config: &CompanyConfig, places: &[Place], row: u32) -> [i64; FIELDS.len()] {
    let fallback = Place {
        department: Department::Management,
        level: 9,
        manager: None,
        manages: false,
    };
    let place = places.get(row as usize).copied().unwrap_or(fallback);
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
    let stays = place.manages && !config.dirt.rates().left_managers_leave();
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
        place.department as i64,
        place.level.into(),
        place.manager.map_or(NULL, i64::from),
        joined.0.into(),
        left.is_none().into(),
        left.map_or(NULL, |day| day.0.into()),
        salary,
        casual,
        casual_left,
        sick,
        sick_left,
        vacation,
        vacation_left,
        age,
        rating,
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

#[cfg(test)]
mod tests {
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
