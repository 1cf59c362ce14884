//! Mails and conversations along the social graph.
//!
//! Who writes to whom follows [`Staff::pair`]: mostly people of one team. A thread is a unit: its
//! two people, its topic and its first day are drawn once, and the mails alternate between the two.
//!
//! The numbers of threads and mails are both exact. Lengths follow a fixed pattern of ten, shuffled
//! in each block, and the first threads take up the difference to the wanted total.

use super::staff::{Staff, day_between};
use super::{BLOCK, Volumes, numbers, rows};
use crate::company::Company;
use crate::company::rows::Rows;
use crate::org::Department;
use crate::row::{Mail, Thread, ThreadNo, Topic};
use crate::source::TableId;
use crate::value::{Moment, row_no};
use sim_core::{Seed, Stream};

/// Lengths of ten threads in a row: 27 mails, as published (2.7 a thread).
const LENGTHS: [u8; 10] = [1, 2, 2, 2, 3, 3, 3, 3, 4, 4];

/// Published counts of mail categories, in the order of the list.
const CATEGORIES: [f64; 6] = [5_832.0, 5_070.0, 654.0, 272.0, 37.0, 28.0];

/// Number of mails before each thread, and of all.
fn offsets(seed: Seed, threads: u32, mails: u32) -> Vec<u32> {
    let mut lengths: Vec<u32> = Vec::with_capacity(threads as usize + 10);
    for block in 0..threads.div_ceil(10) {
        let mut pattern = LENGTHS;
        seed.stream("thread.lengths", u64::from(block))
            .shuffle(&mut pattern);
        lengths.extend(pattern.iter().map(|n| u32::from(*n)));
    }
    lengths.truncate(threads as usize);
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

/// Fills the tables of threads and mails, thread by thread.
pub(super) fn mails(c: &mut Company, staff: &Staff, volumes: &Volumes, threads: usize) {
    let offsets = offsets(c.seed, volumes.threads, volumes.mails);
    c.mails.reserve_exact(volumes.mails as usize);
    c.threads.reserve_exact(volumes.threads as usize);
    for from in (0..volumes.threads).step_by(BLOCK as usize) {
        let made = rows(BLOCK.min(volumes.threads - from), threads, |n| {
            let t = from + n;
            let length = match (offsets.get(t as usize), offsets.get(t as usize + 1)) {
                (Some(from), Some(to)) => to - from,
                _ => 0,
            };
            thread(c, staff, t, length)
        });
        for (topic, mails) in made {
            c.threads.push(Thread { topic });
            c.mails.extend(mails);
        }
    }
}

/// A thread: two colleagues who write to each other in turn, about one topic, while both are employed.
fn thread(c: &Company, staff: &Staff, t: u32, length: u32) -> (Topic, Vec<Mail>) {
    let mut s = c.seed.stream("thread", u64::from(t));
    let meeting = staff.pair(&mut s);
    let topic = topic(c, &mut s, staff.department(meeting.a.0));
    // At most two days between mails, so the thread ends while both are employed.
    let last = meeting.to.plus(-2 * i64::from(length));
    let day = day_between(&mut s, meeting.from, last.max(meeting.from));
    let mut at = Moment(day.start().0 + s.between(8 * 3_600, 18 * 3_600));
    let mails = (0..length)
        .map(|n| {
            if n > 0 {
                at = Moment(at.0 + s.between(600, 40 * 3_600));
            }
            let (sender, recipient) = if n % 2 == 0 {
                (meeting.a, meeting.b)
            } else {
                (meeting.b, meeting.a)
            };
            Mail {
                thread: ThreadNo(t),
                sender,
                recipient,
                at,
                high: s.chance(0.1),
                category: u8::try_from(s.weighted(&CATEGORIES).unwrap_or(0)).unwrap_or(0),
                signer: sender,
                own: None,
            }
        })
        .collect();
    (topic, mails)
}

/// The topic of a thread: from the initiator's field of work.
fn topic(c: &Company, s: &mut Stream, department: Department) -> Topic {
    let row = |s: &mut Stream, n: usize| row_no(s.index(n));
    let (about, plain) = (s.below(3), s.below(4) == 0);
    if plain {
        return Topic::Plain;
    }
    match (department, about) {
        (Department::Engineering, 0 | 1) if !c.repositories.is_empty() => {
            Topic::Repository(row(s, c.repositories.len()))
        }
        (Department::InformationTechnology, 0 | 1) if c.rows(TableId::Tickets) > 0 => {
            Topic::Ticket(row(s, c.rows(TableId::Tickets) as usize))
        }
        (Department::Sales | Department::Bpo | Department::BusinessDevelopment, 0 | 1)
            if c.rows(TableId::Products) > 0 =>
        {
            Topic::Product(row(s, c.rows(TableId::Products) as usize))
        }
        (_, 0) if !c.policies.is_empty() => Topic::Policy(row(s, c.policies.len())),
        (_, 1) => Topic::Leave,
        _ => Topic::Plain,
    }
}

/// Conversations, each of two colleagues on a day on which both were employed.
pub(super) fn conversations(c: &Company, staff: &Staff, count: u32, threads: usize) -> Rows {
    let fields = ["sender_emp_id", "recipient_emp_id", "date"];
    numbers(TableId::Conversations, &fields, count, threads, |row| {
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
