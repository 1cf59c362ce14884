//! Tickets, code, posts, questions and answers, clients, vendors and curricula.
//!
//! Handlers, owners, authors and representatives are chosen by department as in the published data:
//! tickets go to Information Technology, code belongs to Engineering and Information Technology,
//! clients to Business Development, vendors to Management. Posts and questions come from anybody.
//!
//! Two things differ from the published files on purpose: a quarter of the tickets is open, and
//! every file has one issue whose patch, or absence of one, agrees with its status.

use super::staff::{Staff, day_between};
use super::{Volumes, add, numbers, rows};
use crate::company::Company;
use crate::company::ids::{Form, Ids, Permutation, Scheme};
use crate::company::rows::{NULL, Rows};
use crate::org::Department;
use crate::row::{CodeFile, EmployeeNo, FileNo, Issue, Repository, RepositoryNo, Text};
use crate::source::TableId;
use crate::synth::phrases::pick;
use crate::value::{Day, Moment, row_no};

/// Share of open tickets; the published file has none, which would leave nothing to do.
const OPEN_TICKETS: f64 = 0.25;

/// Share of closed issues (published: 90 of 747).
const CLOSED_ISSUES: f64 = 90.0 / 747.0;

/// Tickets, shared out evenly among the helpdesk.
pub(super) fn tickets(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    let desk = staff.of(Department::InformationTechnology);
    let order = Permutation::new(c.seed.child("ticket.load", 0), u64::from(count));
    // Where there is no number, the resolution is null.
    let fields = [
        "priority",
        "raised_by_emp_id",
        "emp_id",
        "assigned_date",
        "Resolution",
    ];
    numbers(TableId::Tickets, &fields, count, threads, |row| {
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
        let resolution = if open { NULL } else { 0 };
        [
            priority,
            raiser.0.into(),
            handler.into(),
            on.0.into(),
            resolution,
        ]
    })
}

/// Repositories, their files and issues.
pub(super) fn code(c: &mut Company, staff: &Staff, volumes: &Volumes, threads: usize) {
    let owners: Vec<u32> = [Department::Engineering, Department::InformationTechnology]
        .iter()
        .flat_map(|d| staff.of(*d).iter().copied())
        .collect();
    let count = volumes.repositories.max(1);
    let made = rows(count, threads, |row| {
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
        let repository = Repository {
            owner: EmployeeNo(owner),
            license: Some(Text::Made),
            created,
            language: Some(Text::Made),
        };
        (name, repository)
    });
    let (names, repositories): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    c.repositories = repositories;
    c.ids.insert(TableId::Repositories, Ids::listed(names));
    let files = rows(volumes.files, threads, |row| {
        let mut s = c.seed.stream("file", u64::from(row));
        let extra = row_no(s.index(count as usize));
        // Every repository gets one file; the files that remain go to random ones.
        let repository = RepositoryNo(if row < count { row } else { extra });
        let copies = u32::try_from(s.between(1, 9)).unwrap_or(1);
        CodeFile {
            repository,
            path: Text::Made,
            code: Text::Made,
            hash: Text::Made,
            size: None,
            copies,
        }
    });
    c.files = files;
    let issues = rows(volumes.files, threads, |row| {
        let mut s = c.seed.stream("issue", u64::from(row));
        let repository = c
            .files
            .get(row as usize)
            .map_or(RepositoryNo(0), |f| f.repository);
        // An issue is opened after its repository was made and while the owner is employed.
        let (from, to) = c
            .repositories
            .get(repository.0 as usize)
            .map_or((c.clock, c.clock), |r| (r.created, staff.span(r.owner.0).1));
        let closed = s.chance(CLOSED_ISSUES);
        let on = day_between(&mut s, from, to);
        Issue {
            file: FileNo(row),
            title: Text::Made,
            description: Text::Made,
            closed,
            created: Moment(on.start().0 + s.between(8 * 3_600, 18 * 3_600)),
            patch: closed.then_some(Text::Made),
        }
    });
    c.issues = issues;
    let seed = c.seed.child("id", TableId::Issues as u64);
    c.ids
        .insert(TableId::Issues, Ids::Made(Scheme::new(seed, Form::Uuid)));
}

/// Posts, on a day of the author's employment.
pub(super) fn posts(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    numbers(TableId::Posts, &["emp_id", "date"], count, threads, |row| {
        let mut s = c.seed.stream("post", u64::from(row));
        let author = row_no(s.index(staff.count() as usize));
        let (from, to) = staff.span(author);
        [author.into(), day_between(&mut s, from, to).0.into()]
    })
}

/// Answers to five questions in a row: eight, as published (1.6 a question).
const ANSWERS: [u32; 5] = [0, 1, 2, 2, 3];

/// Questions first, then their answers.
pub(super) fn overflow(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    // One question to 1.6 answers: 10 of 26 posts are questions.
    let questions = (count * 10).div_ceil(26).min(count);
    let mut answers: Vec<u32> = Vec::with_capacity(questions as usize + 5);
    for block in 0..questions.div_ceil(5) {
        let mut pattern = ANSWERS;
        c.seed
            .stream("overflow.answers", u64::from(block))
            .shuffle(&mut pattern);
        answers.extend(pattern);
    }
    answers.truncate(questions as usize);
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
    add(&mut out, &fields, questions, threads, |row| {
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
    });
    let parents: Vec<u32> = (0..questions)
        .zip(&answers)
        .flat_map(|(q, n)| std::iter::repeat_n(q, *n as usize))
        .collect();
    let asked: Vec<Day> = (0..questions)
        .map(|q| Moment(out.stamp(q).unwrap_or_default()).day())
        .collect();
    add(&mut out, &fields, row_no(parents.len()), threads, |n| {
        let mut s = c.seed.stream("answer", u64::from(n));
        let parent = parents.get(n as usize).copied().unwrap_or(0);
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
    });
    out
}

/// Clients; the relationship begins while the representative is employed.
pub(super) fn clients(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    let fields = [
        "business_representative_employee",
        "monthly_revenue",
        "onboarding_date",
        "POC_status",
    ];
    numbers(TableId::Clients, &fields, count, threads, |row| {
        let mut s = c.seed.stream("client", u64::from(row));
        let desk = staff.of(Department::BusinessDevelopment);
        let representative = s.pick(desk).copied().unwrap_or(0);
        let (from, to) = staff.span(representative);
        let revenue = s.between(20, 5_000) * 1_000 * 100 + s.between(0, 999) * 100;
        let on = day_between(&mut s, from, to);
        [
            representative.into(),
            revenue,
            on.0.into(),
            s.chance(0.5).into(),
        ]
    })
}

/// Vendors, as clients.
pub(super) fn vendors(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    let fields = ["management_representative_employee", "onboarding_date"];
    numbers(TableId::Vendors, &fields, count, threads, |row| {
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
pub(super) fn resumes(c: &Company, count: u32, threads: usize) -> Rows {
    let people = c.employees.len() as u64;
    let order = Permutation::new(c.seed.child("resume.people", 0), people);
    let count = count.min(row_no(c.employees.len()));
    // A number for name and address, so that a defect can remove them.
    let fields = ["emp_id", "name", "email", "created_date"];
    numbers(TableId::Resumes, &fields, count, threads, |row| {
        let subject = u32::try_from(order.forward(u64::from(row))).unwrap_or(0);
        let created = c
            .employees
            .get(subject as usize)
            .map_or(c.clock, |e| e.joined);
        [subject.into(), 0, 0, created.0.into()]
    })
}
