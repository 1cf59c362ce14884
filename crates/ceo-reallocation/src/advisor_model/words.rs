//! Texts of rule-based advisors.
//!
//! They are templates with names and amounts filled in. Agents read them in later rounds
//! and in generated companies; the authored scenarios have texts of their own.

use crate::scenario::{Flag, FlagKind, Officer, Posture, UnitId};

/// Name of the main strategy.
pub(super) fn profile(posture: Posture) -> &'static str {
    match posture {
        Posture::Transformation => "change_now",
        Posture::Balanced => "change_in_steps",
        Posture::Stability => "hold_together",
    }
}

/// The private signal of an advisor; it says more about the conditions than the public text does.
pub(super) fn signal(officer: Officer, star: &str, flags: &[Flag], mirage: Option<&str>) -> String {
    // The hidden risk and nothing else: it is what this advisor is in the scenario for.
    if let Some(unit) = mirage {
        return match officer {
            Officer::Cfo => {
                format!(
                    "Booked orders of {unit} fall apart in the next quarter; the contracts allow it."
                )
            }
            Officer::Cto => {
                format!(
                    "The product of {unit} failed its endurance test; the report is not out yet."
                )
            }
            Officer::Coo => {
                format!("Half of the people who run {unit} have handed in their notice.")
            }
            Officer::Cmo => {
                format!(
                    "Repeat purchases of {unit} stopped; the growth in sight is a one-off stock fill."
                )
            }
        };
    }
    // The number of the condition, so that the private signal says how far the public text goes.
    let limit = flags.iter().find_map(|flag| match &flag.kind {
        FlagKind::MaxTotal { pp } | FlagKind::MaxAdd { pp, .. } | FlagKind::MinAdd { pp, .. } => {
            Some(*pp)
        }
        _ => None,
    });
    match (officer, limit) {
        (Officer::Cfo, Some(pp)) => {
            format!("The lenders open a review once more than {pp} points move in one quarter.")
        }
        (Officer::Cto, Some(pp)) => {
            format!("The teams of {star} can put {pp} points to work this quarter, not more.")
        }
        (Officer::Cmo, Some(pp)) => {
            format!("With less than {pp} points for {star} the next selling season is lost.")
        }
        (Officer::Coo, _) => {
            "The service teams run without any slack; one more cut shows at once.".to_owned()
        }
        (Officer::Cfo, None) => "The next refinancing date is not fixed yet.".to_owned(),
        (Officer::Cto, None) => "The base systems need another quarter of repair.".to_owned(),
        (Officer::Cmo, None) => format!("Rivals prepare an offer against {star}."),
    }
}

pub(super) fn rationale(officer: Officer, star: &str) -> String {
    match officer {
        Officer::Cfo => {
            "A small step that earns its keep is worth more than a large promise.".to_owned()
        }
        Officer::Cto => format!("{star} needs weight, on a base that carries it."),
        Officer::Coo => {
            "Customers stay where the work gets done; strengthen that first.".to_owned()
        }
        Officer::Cmo => format!("The market for {star} decides itself now, with us or without us."),
    }
}

pub(super) fn risk(officer: Officer) -> &'static str {
    match officer {
        Officer::Cfo => "Loss of the lenders' trust",
        Officer::Cto => "Growth on a base that does not hold",
        Officer::Coo => "Service failure",
        Officer::Cmo => "A missed market",
    }
}

pub(super) fn bias(officer: Officer) -> &'static str {
    match officer {
        Officer::Cfo => "may see every move as a danger",
        Officer::Cto => "may fall for technology ahead of demand",
        Officer::Coo => "may defend what exists",
        Officer::Cmo => "may want growth at any price",
    }
}

/// The conditions in words.
pub(super) fn conditions<'a>(flags: &[Flag], name: impl Fn(&UnitId) -> &'a str) -> String {
    let mut parts = Vec::new();
    for flag in flags {
        parts.push(match &flag.kind {
            FlagKind::MaxTotal { pp } => format!("total shift above {pp} points"),
            FlagKind::MinTotal { pp } => format!("total shift below {pp} points"),
            FlagKind::MaxAdd { unit, pp } => {
                format!("{} raised by more than {pp} points", name(unit))
            }
            FlagKind::MinAdd { unit, pp } => {
                format!("{} raised by less than {pp} points", name(unit))
            }
            FlagKind::MinAddSum { units, pp } => {
                let names: Vec<&str> = units.iter().map(&name).collect();
                format!(
                    "{} together raised by less than {pp} points",
                    names.join(" and ")
                )
            }
            FlagKind::NoAdd { unit } => format!("{} funded further", name(unit)),
            FlagKind::NoCut { unit } => format!("{} cut", name(unit)),
            FlagKind::MaxCut { unit, pp } => format!("{} cut by more than {pp} points", name(unit)),
            FlagKind::MinCut { unit, pp } => format!("{} cut by less than {pp} points", name(unit)),
            FlagKind::MinShareAfter { unit, pp } => format!("{} below {pp} percent", name(unit)),
            FlagKind::Prereq {
                if_unit,
                if_add_gt,
                then_unit,
                then_add_ge,
            } => format!(
                "{} raised by more than {if_add_gt} points without {then_add_ge} for {}",
                name(if_unit),
                name(then_unit)
            ),
            FlagKind::MinRunwayAfter { months } => format!("runway below {months} months"),
            FlagKind::MaxLeverageAfter { x } => format!("leverage above {x}x"),
        });
    }
    if parts.is_empty() {
        "none at present".to_owned()
    } else {
        parts.join(", or ")
    }
}
