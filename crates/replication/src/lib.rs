//! Compares our figures with those of papers, of other programs and of our own references.
//!
//! A [`Section`] belongs to one environment and one paper. It computes its [`Row`]s from our
//! libraries and from files in this repository only. No figure depends on a clock or on the number
//! of threads, so the page is the same each time. Figures that cannot be computed again are listed
//! with the reason ([`absent`]).

pub mod absent;
mod beer;
mod ceo;
mod edt_section;
mod litmus;
mod numbers;
mod page;
mod play;
mod pricing;
mod procurement;
mod qa;
mod routing;
mod row;
mod scheduling;

pub use page::{page, section_text};
pub use row::{Origin, Row, Section, Tally, Verdict};

use anyhow::Result;

/// A section before it is computed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Name on the command line.
    pub key: &'static str,
    /// Whether it takes less than a few seconds, without optimisation too.
    pub is_quick: bool,
    /// Computes it.
    pub compute: fn() -> Result<Section>,
}

/// All sections, in the order of the page.
#[must_use]
pub fn plans() -> Vec<Plan> {
    let plan = |key, is_quick, compute| Plan {
        key,
        is_quick,
        compute,
    };
    vec![
        plan("beer-game", true, beer::section),
        plan("edt", false, edt_section::section),
        plan("procurement", false, procurement::section),
        plan("scheduling", false, scheduling::section),
        plan("pricing", false, pricing::section),
        plan("litmus", true, litmus::section),
        plan("ceo", true, ceo::section),
        plan("qa", true, qa::section),
        plan("router", true, routing::section),
    ]
}
