//! Mutated inputs for everything that reads from outside.
//!
//! A [`target`](target::Target) reads what users, models, servers and other people's files hand in.
//! From valid inputs (committed seeds, and what the program writes itself) mutations are made, and
//! each is played as the program would play it. A failure is a panic, an end of the process, more
//! than 10 s, more than 1 GB, or a broken promise such as "a refused action changes nothing".
//!
//! ```text
//!  drive ──starts──► work (a process) ──► target ──► library
//!    │                 │ tells before each input which it is, and after it what became of it
//!    └──◄──────────────┘
//! ```
//!
//! With `--sizes` one element of a valid input is repeated to 1, 10 and 100 MB instead, see [`sizes`].
//!
//! The input number k of a target follows from the seed, the target and k alone.

pub mod bundle;
pub mod drive;
pub mod limits;
pub mod mutate;
pub mod report;
pub mod shrink;
pub mod sizes;
pub mod target;
pub mod targets;
pub mod watch;
pub mod work;
