//! The words that a seat reads.

use crate::config::{Charged, Disclosure, Objective, Observe, OrderBasis};
use crate::env::BeerGame;
use crate::env::WeekRecord;
use crate::instance::Instance;
use crate::observation::{Feedback, Observation, WeekResult};
use crate::role::Role;
use crate::units::text;
use sim_core::{Environment as _, Prompt};
use std::fmt::Write as _;

/// The framing texts for the seat in turn.
pub(crate) fn briefing(game: &BeerGame) -> Prompt {
    let seen = game.observe();
    Prompt {
        system: rules(game.instance(), seen.role),
        opening: format!(
            "{}\n\nHow much do you order in week {}? Call `place_order` once.",
            situation(game.instance(), &seen),
            seen.week
        ),
        reminder: format!(
            "Week {} still waits for your order: call `place_order` with a whole number of units.",
            seen.week
        ),
    }
}

/// Role, rules, costs and aim; without rules and costs where they are not disclosed.
fn rules(instance: &Instance, role: Role) -> String {
    let play = &instance.play;
    let weeks = instance.weeks();
    let mut out = format!(
        "You manage the {role} in a beer supply chain for {weeks} weeks.\n\n\
         The chain: customer <- retailer <- wholesaler <- distributor <- brewery. Orders travel \
         upstream, beer travels downstream. "
    );
    out.push_str(match role {
        Role::Retailer => "Your buyer is the customer, your supplier is the wholesaler.",
        Role::Wholesaler => "Your buyer is the retailer, your supplier is the distributor.",
        Role::Distributor => "Your buyer is the wholesaler, your supplier is the brewery.",
        Role::Brewery => "Your buyer is the distributor; you order from your own production.",
    });
    let others = play.controlled.len() > 1;
    // Who else decides changes what a good order is, so it is told under either disclosure.
    out.push_str(match (others, play.controlled.len()) {
        (true, 4) => " The other three roles decide for themselves, as you do.",
        (true, _) => " Some other roles decide for themselves, the rest order by fixed rules.",
        (false, _) => " The other three roles order by fixed rules.",
    });
    out.push_str("\n\n");
    // Left out in the paper's setting, where seats have to find the dynamics out by playing.
    if instance.disclosure == Disclosure::Full {
        out.push_str(&dynamics(instance, role));
    }
    out.push_str(match play.objective {
        Objective::OwnCost if play.controlled.len() == 1 => {
            "Your aim: the lowest total cost of your own role at the end of the game."
        }
        Objective::OwnCost => {
            "The aim: the lowest total cost of the roles that decide for themselves, together."
        }
        Objective::ChainCost => "The aim: the lowest total cost of all four roles together.",
    });
    let _ = write!(
        out,
        "\n\nYou know your own role only. Order with `place_order`: a whole number of units from 0 \
         to {}. A week you let pass orders nothing.",
        play.largest_order
    );
    if let Some(others) = instance.revealed() {
        let _ = write!(out, " The others order by this rule: {others}.");
    }
    out
}

/// Order of events, delays, start and costs.
fn dynamics(instance: &Instance, role: Role) -> String {
    let (board, cost, play) = (&instance.board, &instance.cost, &instance.play);
    let events = match play.observe {
        Observe::PreviousWeek => {
            "1. You write your order, before you see what the week brings.\n\
             2. Beer that is due reaches you.\n3. Your buyer's order for the week is read.\n\
             4. You ship what is asked for and what you still owe, as far as your stock reaches; \
             the rest becomes backlog.\n5. Your order is sent.\n6. The week is charged.\n"
        }
        Observe::CurrentWeek => {
            "1. Beer that is due reaches you.\n2. Your buyer's order for the week is read.\n\
             3. You ship what is asked for and what you still owe, as far as your stock reaches; \
             the rest becomes backlog.\n4. You see this week's order and delivery, and decide how \
             much to order.\n5. The week is charged.\n"
        }
    };
    let mut out = format!("Each week:\n{events}\n{}", delays(instance, role));
    let _ = write!(
        out,
        " At the start everybody holds {} units, and {} units are due in every week.",
        board.initial_inventory, board.initial_flow
    );
    // Told, or a seat would take the first weeks for the effect of its orders.
    if board.forced_weeks > 0 {
        let _ = write!(
            out,
            " In the first {} weeks the game sends {} units for everybody, whatever is decided.",
            board.forced_weeks, board.initial_flow
        );
    }
    let _ = write!(
        out,
        "\n\nCosts a week, on the state at its end: {} for each unit in stock",
        cost.holding
    );
    // A floor of zero is no rule, and a sentence on it would look like one.
    if cost.minimum > 0.0 {
        let _ = write!(out, ", but at least {} for the storage", cost.minimum);
    }
    let _ = writeln!(out, "; {} for each unit of backlog.", cost.backlog);
    if cost.charged == Charged::LaggedStock {
        out.push_str("The books lag: a week books the state at the start of the week before.\n");
    }
    out
}

/// Delays of orders and goods, where the game reveals them.
fn delays(instance: &Instance, role: Role) -> String {
    let board = &instance.board;
    match (instance.play.tell_delays, role) {
        (true, Role::Brewery) => format!(
            "What you order is brewed and in your stock {} after the week of the order.",
            weeks_text(board.production_delay)
        ),
        (false, Role::Brewery) => "What you order takes some weeks to brew.".to_owned(),
        (true, _) => format!(
            "Your supplier reads your order {} after you send it. What it ships reaches you {} \
             later. If it runs short, it ships what it has and owes you the rest.",
            weeks_text(board.order_delay),
            weeks_text(board.ship_delay)
        ),
        (false, _) => "Orders and goods take some weeks on their way. If your supplier runs \
                       short, it ships what it has and owes you the rest."
            .to_owned(),
    }
}

fn weeks_text(weeks: u32) -> String {
    if weeks == 1 {
        "1 week".to_owned()
    } else {
        format!("{weeks} weeks")
    }
}

/// Text for the current observation.
pub(crate) fn situation(instance: &Instance, seen: &Observation) -> String {
    let when = match (instance.play.observe, instance.board.order_on) {
        // Before week 1 no week has ended whose numbers these could be.
        (Observe::PreviousWeek, _) if seen.week == 1 => "at the start",
        (Observe::PreviousWeek, _) => "when the last week ended",
        (Observe::CurrentWeek, OrderBasis::StartOfWeek) => {
            "before this week's delivery and shipment"
        }
        (Observe::CurrentWeek, OrderBasis::EndOfWeek) => "after this week's delivery and shipment",
    };
    let mut out = format!(
        "Week {} of {}, {}.\nStock {}, backlog {} ({when}).\n",
        seen.week,
        seen.weeks,
        seen.role,
        text(seen.inventory),
        text(seen.backlog),
    );
    let before = match instance.play.observe {
        Observe::PreviousWeek if seen.week == 1 => None,
        Observe::PreviousWeek => Some("Last week"),
        Observe::CurrentWeek => Some("This week"),
    };
    match before {
        None => out.push_str("Nothing has happened yet.\n"),
        Some(before) => {
            let _ = writeln!(
                out,
                "{before}: {} asked for, {} received, {} shipped.",
                text(seen.incoming_order),
                text(seen.incoming_delivery),
                text(seen.outgoing_delivery)
            );
        }
    }
    let transit = if seen.role == Role::Brewery {
        "being brewed"
    } else {
        "in transit to you"
    };
    let _ = write!(
        out,
        "On order and not received: {} units, of which {} {transit}. Your last order: {}.\n\
         Cost of last week {}, so far {}.",
        text(seen.on_order),
        text(seen.in_transit),
        text(seen.last_order),
        text(seen.last_cost),
        text(seen.total_cost)
    );
    if let Some(opponents) = &seen.opponents {
        let _ = write!(out, "\nThe others order by this rule: {opponents}.");
    }
    out
}

/// Text for a feedback.
pub(crate) fn feedback(feedback: &Feedback) -> String {
    let Feedback {
        role,
        week,
        decided,
        outcome,
    } = feedback;
    let mut out = match decided {
        Some(units) => format!("Week {week}, {role}: you decided to order {units}."),
        None => format!("Week {week}, {role}: you let the week pass and order nothing."),
    };
    // Orders are simultaneous: until the last seat has decided there is nothing to tell.
    let Some(WeekResult {
        line,
        total_cost,
        game_over,
    }) = outcome
    else {
        out.push_str(" The week goes on when the other roles have decided.");
        return out;
    };
    // Only where it differs: in forced weeks the board orders, not the seat.
    if decided.is_some_and(|units| f64::from(units).total_cmp(&line.order).is_ne()) {
        let _ = write!(out, " The rules of this week made it {}.", text(line.order));
    }
    let _ = write!(
        out,
        "\nIn week {week}, {} units were asked for, {} received, {} shipped. Stock {}, backlog {}. \
         Cost {}, so far {}.",
        text(line.incoming_order),
        text(line.incoming_delivery),
        text(line.outgoing_delivery),
        text(line.inventory),
        text(line.backlog),
        text(line.cost),
        text(*total_cost)
    );
    if *game_over {
        out.push_str("\nThe game is over.");
    }
    out
}

/// The role's past weeks as a table.
pub(crate) fn history(lines: &[(u32, WeekRecord)]) -> String {
    if lines.is_empty() {
        return "No week is over yet.".to_owned();
    }
    let mut out =
        "week | asked for | received | shipped | ordered | stock | backlog | cost".to_owned();
    for (week, line) in lines {
        let _ = write!(
            out,
            "\n{week} | {} | {} | {} | {} | {} | {} | {}",
            text(line.incoming_order),
            text(line.incoming_delivery),
            text(line.outgoing_delivery),
            text(line.order),
            text(line.inventory),
            text(line.backlog),
            text(line.cost)
        );
    }
    out
}
