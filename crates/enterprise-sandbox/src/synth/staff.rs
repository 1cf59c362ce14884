//! Answers who is employed where and when, for the generators of events.
//!
//! All events of a company have to lie inside the employment of the people involved. The generators
//! ask here for a person, a pair or somebody on duty, and get the days on which that is possible as
//! well. Searches draw a few times at random and then go through all candidates, so they end with
//! an answer whenever there is one, and nearly always after one draw.

use crate::company::Company;
use crate::company::rows::Groups;
use crate::org::Department;
use crate::row::EmployeeNo;
use crate::value::{Day, row_no};
use sim_core::Stream;

/// Number of random attempts before all candidates for a partner are checked.
const TRIES: usize = 24;

/// People by department and by manager, with their dates of employment.
pub(super) struct Staff {
    spans: Vec<(Day, Day)>,
    managers: Vec<Option<u32>>,
    departments: Vec<Department>,
    by_department: Vec<Vec<u32>>,
    reports: Groups,
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
        let by_department = Department::ALL
            .iter()
            .map(|d| {
                let rows = people.iter().zip(0u32..);
                rows.filter(|(e, _)| e.department == *d)
                    .map(|(_, row)| row)
                    .collect()
            })
            .collect();
        let managers: Vec<Option<u32>> = people.iter().map(|e| e.manager.map(|m| m.0)).collect();
        let pairs = managers
            .iter()
            .zip(0u32..)
            .filter_map(|(m, row)| m.map(|m| (m, row)));
        Self {
            spans: people
                .iter()
                // A leaving date may lie in the future; events may not.
                .map(|e| (e.joined, e.left.unwrap_or(c.clock).min(c.clock)))
                .collect(),
            reports: Groups::new(managers.len(), pairs),
            departments: people.iter().map(|e| e.department).collect(),
            managers,
            by_department,
        }
    }

    /// Number of people, leavers included.
    pub(super) fn count(&self) -> u32 {
        row_no(self.spans.len())
    }

    /// First and last day of a person's employment, up to today.
    pub(super) fn span(&self, person: u32) -> (Day, Day) {
        self.spans.get(person as usize).copied().unwrap_or_default()
    }

    pub(super) fn department(&self, person: u32) -> Department {
        self.departments
            .get(person as usize)
            .copied()
            .unwrap_or(Department::Management)
    }

    /// People of a department, in row order.
    pub(super) fn of(&self, department: Department) -> &[u32] {
        self.by_department
            .get(department as usize)
            .map_or(&[], Vec::as_slice)
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
            None => row_no(s.index(self.spans.len())),
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
            let a = row_no(s.index(self.spans.len()));
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
        let manager = self.managers.get(a as usize).copied().flatten();
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
