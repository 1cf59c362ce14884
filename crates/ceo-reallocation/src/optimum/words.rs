//! A rationale that earns all points for words.

use crate::scenario::{Officer, Scenario};
use crate::score::{Moves, Scorer};

/// A rationale for a plan: the advisors' positions, the reason for this unit, earlier rounds.
///
/// With the default lexicon it earns the whole lexical part as soon as some unit is moved by half
/// a point, and the whole consistency bonus where there is history.
///
/// With another [`Lexicon`](crate::config::Lexicon) the text stays English and may earn
/// less.
#[must_use]
pub fn best_rationale(scenario: &Scenario, scorer: &Scorer, moves: &Moves) -> String {
    let units = scenario.units_by_id();
    let largest = |amounts: &[f64]| {
        let mut best: Option<(usize, f64)> = None;
        for (index, amount) in amounts.iter().enumerate() {
            if *amount > 0.0 && best.is_none_or(|(_, most)| *amount > most) {
                best = Some((index, *amount));
            }
        }
        best.and_then(|(index, _)| units.get(index))
            .map(|unit| named(&unit.name, unit.id.as_str()))
    };
    let [cfo, cto, coo, cmo] = Officer::ALL;
    let mut text = format!(
        "The {cmo} and the {cto} press for growth, while the {cfo} and the {coo} warn of what it \
         costs, and each of them is partly right."
    );
    match (largest(&moves.add), largest(&moves.remove)) {
        (Some(to), Some(from)) => text.push_str(&format!(
            " Because {to} can use the money now, we prioritise it over {from} and stop where the \
             conditions of the four begin."
        )),
        _ => text.push_str(" Because no move pays for its risk today, everything stays in place."),
    }
    let moved_before = scorer.compiled().moved_before;
    // The consistency bonus asks for a unit that an earlier round moved, not for one that
    // this plan moves.
    let before = units
        .iter()
        .enumerate()
        .find(|(index, _)| moved_before >> index & 1 == 1);
    if let Some((_, unit)) = before {
        text.push_str(&format!(
            " The earlier rounds already changed {}, and this plan takes their effect into account.",
            named(&unit.name, unit.id.as_str())
        ));
    }
    text
}

fn named(name: &str, id: &str) -> String {
    format!("{name} (unit {id})")
}
