//! The plots of a class: what seats decided and got, period by period.

use crate::sessions::{PeriodRow, SeatRows};
use pictures::{Picture, as_pictures};
use serde_json::Value;
use sim_core::plot::{Axis, Series};
use sim_core::{Plot, Seat};

/// What is drawn, where the game has it. Of other games the first numbers are drawn.
const FIRST: [&str; 4] = ["order", "inventory", "backlog", "cost"];
/// Numbers that say when something happened.
const WHEN: [&str; 3] = ["week", "period", "attempt"];

/// The finished periods of seats.
type Seats = [(Seat, Vec<PeriodRow>)];

/// A plot for each quantity, with a line for each seat. `period` is what a period is called.
pub(super) fn of_seats(seats: &Seats, period: &str) -> Vec<Picture> {
    let plots = quantities(seats).into_iter().map(|quantity| {
        let title = quantity.replace('_', " ");
        lines(seats, &quantity, &title, period)
    });
    drawn(&plots.collect::<Vec<_>>())
}

/// The first quantity as the reference policy would have had it.
pub(super) fn of_optimum(seats: &Seats, period: &str) -> Vec<Picture> {
    let plots = quantities(seats).into_iter().take(1).map(|quantity| {
        let title = format!(
            "{}, as the optimum would have done",
            quantity.replace('_', " ")
        );
        lines(seats, &quantity, &title, period)
    });
    drawn(&plots.collect::<Vec<_>>())
}

/// The cost so far of all seats of each team.
pub(super) fn of_teams(
    teams: impl Iterator<Item = (usize, SeatRows)>,
    period: &str,
) -> Vec<Picture> {
    let (x, y) = (Axis::new(period, ""), Axis::new("cost so far", ""));
    let mut plot = Plot::lines("teams", "Cost so far, all seats", x, y);
    for (team, seats) in teams {
        // The periods of the first seat are those of all: a period is over for every seat at once.
        let first = seats.first().map_or(&[][..], |(_, rows)| rows.as_slice());
        let points = first.iter().enumerate().map(|(place, row)| {
            let costs = seats
                .iter()
                .filter_map(|(_, rows)| number(rows.get(place)?, "total_cost"));
            (f64::from(row.period) + 1.0, costs.sum())
        });
        plot = plot.with(Series::own(format!("team {team}"), points));
    }
    drawn(&[plot])
}

/// Drawn plots; the fault in place of the picture if there is one.
fn drawn(plots: &[Plot]) -> Vec<Picture> {
    as_pictures(plots).unwrap_or_else(|fault| {
        vec![Picture {
            caption: fault.to_string(),
            svg: String::new(),
            keys: Vec::new(),
        }]
    })
}

fn lines(seats: &Seats, quantity: &str, title: &str, period: &str) -> Plot {
    let (x, y) = (
        Axis::new(period, ""),
        Axis::new(&quantity.replace('_', " "), ""),
    );
    seats
        .iter()
        .fold(Plot::lines(quantity, title, x, y), |plot, (seat, rows)| {
            let points = rows
                .iter()
                .filter_map(|row| Some((f64::from(row.period) + 1.0, number(row, quantity)?)));
            plot.with(Series::own(seat.name(), points))
        })
}

/// A number of a period: of its outcome, else of its decision.
fn number(row: &PeriodRow, name: &str) -> Option<f64> {
    let in_part = |part: &Value| part.get(name).and_then(Value::as_f64);
    in_part(&row.outcome).or_else(|| in_part(&row.action))
}

/// The names of the numbers that are drawn.
fn quantities(seats: &Seats) -> Vec<String> {
    let mut found: Vec<&String> = Vec::new();
    for row in seats.iter().flat_map(|(_, rows)| rows) {
        for (name, value) in [&row.action, &row.outcome]
            .into_iter()
            .filter_map(Value::as_object)
            .flatten()
        {
            if value.is_number() && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    let known = FIRST
        .iter()
        .filter(|name| found.iter().any(|one| one == *name));
    let known: Vec<String> = known.map(|name| (*name).to_owned()).collect();
    if !known.is_empty() {
        return known;
    }
    let others = found
        .into_iter()
        .filter(|name| !WHEN.contains(&name.as_str()));
    others.take(FIRST.len()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(order: i64, outcome: &Value) -> Vec<PeriodRow> {
        (0..3)
            .map(|period| PeriodRow {
                period,
                action: json!({"order": order, "note": "x"}),
                outcome: outcome.clone(),
            })
            .collect()
    }

    #[test]
    fn known_quantities_come_first_and_each_seat_has_a_line() {
        let outcome = json!({"week": 1, "cost": 2.0, "total_cost": 4.0});
        let seats = [
            (Seat("retailer".into()), rows(4, &outcome)),
            (Seat("brewery".into()), rows(8, &outcome)),
        ];
        let pictures = of_seats(&seats, "week");
        let captions: Vec<&str> = pictures.iter().map(|p| p.caption.as_str()).collect();
        assert_eq!(captions, ["order", "cost"]);
        let names: Vec<&str> = pictures[0]
            .keys
            .iter()
            .map(|key| key.name.as_str())
            .collect();
        assert_eq!(names, ["retailer", "brewery"]);
        assert_eq!(of_optimum(&seats, "week").len(), 1);
        let teams = of_teams(
            [(1, seats.to_vec()), (2, seats.to_vec())].into_iter(),
            "week",
        );
        assert_eq!(teams[0].keys.len(), 2);
        assert!(of_seats(&[], "week").is_empty());
    }

    #[test]
    fn a_game_without_known_quantities_shows_its_first_numbers() {
        let outcome = json!({"attempt": 1, "profit": 2.0, "text": "a"});
        let mut seats = [(Seat::AGENT, rows(4, &outcome))];
        for row in &mut seats[0].1 {
            row.action = json!({"price": 3});
        }
        let captions: Vec<String> = of_seats(&seats, "attempt")
            .into_iter()
            .map(|p| p.caption)
            .collect();
        assert_eq!(captions, ["price", "profit"]);
    }
}
