//! Prompts of the seats, in our own words, from the fields that the paper's appendix A lists.
//!
//! Everything is Markdown, so that the same text serves a model, a terminal and a printed form.

use crate::deliberation::BoardMessage;
use crate::instance::Instance;
use crate::observation::{BriefView, ChiefView, CommonView, Feedback, Observation};
use crate::plan::Violation;
use crate::scenario::{PastDecision, UnitId, UnitRole};
use sim_core::Prompt;
use std::collections::BTreeMap;
use std::fmt::Write as _;

mod mandate;

/// The framing texts of the seat in turn.
pub(crate) fn briefing(instance: &Instance, seen: &Observation) -> Prompt {
    match seen {
        Observation::Chief(view) => Prompt {
            system: chief_system(instance, view),
            opening: chief_opening(view),
            reminder: "Decide with submit_plan, or answer with the plan as one JSON object."
                .to_owned(),
        },
        Observation::Advisor(view) => Prompt {
            system: mandate::system(&view.common.company, view.officer),
            opening: advisor_opening(view),
            reminder: "Report with submit_report, or answer with the report as one JSON object."
                .to_owned(),
        },
    }
}

/// The form of a plan, to be filled in.
pub(crate) const PLAN_FORM: &str = r#"{
  "remove_from": {"<unit id>": <points>},
  "add_to": {"<unit id>": <points>},
  "total_realloc_share": <points>,
  "decision_type": "conservative | moderate | bold",
  "rationale": "<why>",
  "history_refs": [<earlier rounds that you took into account>]
}"#;

fn chief_system(instance: &Instance, view: &ChiefView) -> String {
    let company = &view.common.company;
    // In a snapshot nothing follows, and a warning of consequences would be untrue.
    let several = if instance.config.rounds > 1 {
        "\nYou decide several rounds in a row. What you move changes the company: units can be \
         overloaded or starved, money and trust run out, and pressure builds up when nothing \
         happens. An invalid plan is turned down by the board and nothing moves.\n"
    } else {
        ""
    };
    format!(
        "You are the chief executive of {company}. Once a quarter you decide how the company's \
         capital is shared between its business units. All amounts are percentage points of the \
         whole.\n\
         \n\
         Your four advisors know different things and want different things. None of them is \
         simply right. Your task:\n\
         1. Weigh what each advisor asks for against what it fears and when it would object.\n\
         2. Find where they contradict each other, and decide what comes first here.\n\
         3. Choose how much to move: enough for the situation, not more than it can bear.\n\
         4. Take and give the same total, and keep every hard limit.\n\
         5. Look at what earlier rounds have done to the units before you do more of the same.\n\
         {several}\n\
         Call submit_plan, or answer with one JSON object of this form:\n\
         {PLAN_FORM}\n\
         Take all points from remove_from and give them to add_to; a unit stands on one side only. \
         In the rationale name the advisors whose wishes collide and say why you decide as you do."
    )
}

fn chief_opening(view: &ChiefView) -> String {
    let mut text = situation(&view.common);
    let _ = write!(text, "\n{}\n{}", history(&view.common), advisors(view));
    text
}

/// Company, units and limits.
pub(crate) fn situation(common: &CommonView) -> String {
    let state = &common.company_state;
    let (margin, capacity) = (state.margin_profile.trend, state.capacity_constraint);
    let mut text = format!(
        "# {} ({}), {}, round {}\n\n\
         ## Company\n\
         - cash runway {} months, leverage {}x debt to EBITDA\n\
         - revenue growth {} %, gross margin {} % ({margin})\n\
         - pressure to transform {} of 100, limits to change: {capacity}\n\
         - the board asks: {}\n\
         - each point moved costs {} months of runway and adds {}x leverage\n",
        common.company,
        common.sector.replace('_', " "),
        common.date,
        common.round,
        number(state.cash_runway_months),
        number(state.leverage),
        number(state.revenue_growth_pct),
        number(state.margin_profile.gross_pct),
        number(state.transformation_pressure),
        state.board_priority,
        state.proforma.runway_months_per_pp,
        state.proforma.leverage_per_pp,
    );
    for shock in &common.shocks {
        let whom = shock
            .unit
            .as_ref()
            .map_or_else(|| "the company".to_owned(), |id| format!("unit {id}"));
        let _ = writeln!(
            text,
            "- round {}: {} of {whom} changed by {}",
            shock.round,
            shock_name(shock.kind),
            shock.magnitude
        );
    }
    text.push_str(
        "\n## Units\n\
         | id | unit | role | share | floor | ceiling | return | outlook | risk | can absorb | importance | notes |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for unit in &common.units {
        let mut notes = Vec::new();
        // In the table as well as in the limits: it is read there when amounts are chosen.
        if common.constraints.locked_units.contains(&unit.id) {
            notes.push("locked");
        }
        if unit.protected {
            notes.push("protected");
        }
        if unit.capacity_warning {
            notes.push("capacity warning");
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            unit.id,
            unit.name,
            role(unit.role),
            number(unit.share_pp),
            number(unit.floor_pp),
            number(unit.ceiling_pp),
            unit.roi_trend,
            number(unit.growth_outlook),
            number(unit.execution_risk),
            number(unit.absorptive_capacity_pp),
            number(unit.strategic_importance),
            notes.join(", ")
        );
    }
    let _ = writeln!(
        text,
        "\n## Hard limits\n- at most {} points in total",
        number(common.constraints.max_realloc_pp)
    );
    text.push_str("- no unit below its floor or above its ceiling; locked units do not change\n");
    for rule in &common.constraints.transfer_rules {
        let _ = writeln!(text, "- {rule}");
    }
    text
}

/// Earlier decisions.
pub(crate) fn history(common: &CommonView) -> String {
    let mut text = "## Earlier decisions\n".to_owned();
    if common.history.is_empty() {
        text.push_str("none\n");
    }
    for past in &common.history {
        let _ = writeln!(text, "- {}", past_line(past));
    }
    text
}

/// What an agent wrote, in one line, so that it cannot look like a part of the prompt.
fn in_line(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
        " ",
    )
}

fn past_line(past: &PastDecision) -> String {
    let mut line = format!(
        "round {} ({}): {}, {}",
        past.round,
        past.date,
        moves(&past.deltas_pp),
        past.decision_type
    );
    if !past.rationale.is_empty() {
        let _ = write!(line, ". {}", in_line(&past.rationale));
    }
    if !past.capacity_warnings.is_empty() {
        let names: Vec<&str> = past.capacity_warnings.iter().map(UnitId::as_str).collect();
        let _ = write!(line, " Warned of overload: {}.", names.join(", "));
    }
    line
}

/// The four advisors.
pub(crate) fn advisors(view: &ChiefView) -> String {
    let mut text = "## Advisors\n".to_owned();
    for advisor in &view.advisors {
        let _ = writeln!(text, "### {}", advisor.officer);
        // In deliberation an advisor may stay silent; four empty lines would look like an answer.
        if advisor.preference_pp.is_empty() && advisor.rationale.is_empty() {
            text.push_str("said nothing\n");
            continue;
        }
        let _ = writeln!(
            text,
            "- asks for: {}\n- why: {}\n- fears: {}\n- would object to: {}",
            moves(&advisor.preference_pp),
            in_line(&advisor.rationale),
            in_line(&advisor.primary_risk),
            in_line(&advisor.opposition_condition)
        );
        if let Some(signal) = &advisor.private_signal {
            // As it stands: also in deliberation these are facts of the scenario, which an advisor
            // discloses by their ids and cannot write.
            let _ = writeln!(text, "- knows: {signal}");
        }
        if let Some(bias) = &advisor.bias_risk {
            let _ = writeln!(text, "- {bias}");
        }
    }
    if !view.messages.is_empty() {
        text.push_str("### What was said\n");
        text.push_str(&said(&view.messages));
    }
    text
}

/// Messages, one in a line.
fn said(messages: &[BoardMessage]) -> String {
    let lines = messages
        .iter()
        .map(|m| format!("- {} to {}: {}\n", m.from, m.to, in_line(&m.text)));
    lines.collect()
}

fn advisor_opening(view: &BriefView) -> String {
    let mut text = situation(&view.common);
    let _ = write!(text, "\n{}", history(&view.common));
    text.push_str("\n## What only you know\n");
    for fact in &view.facts {
        let _ = writeln!(text, "- [{}] {}", fact.id, fact.text);
    }
    let proposal = &view.staff_proposal;
    let _ = writeln!(
        text,
        "\n## Your position\n- you must oppose: {}\n- known weakness of your role: {}\n- your staff \
         proposes: {} ({})",
        view.opposition_condition,
        view.bias_risk,
        moves(&proposal.preference_pp),
        proposal.rationale
    );
    if let Some(report) = &view.report {
        let _ = writeln!(
            text,
            "- you have asked for: {}",
            moves(&report.preference_pp)
        );
    }
    if !view.messages.is_empty() {
        text.push_str("\n## What was said so far\n");
        text.push_str(&said(&view.messages));
    }
    text.push_str(mandate::stage(view.stage, view.last_stage));
    text
}

/// Text for a feedback. It has no scores: the evaluation is hidden.
pub(crate) fn feedback(feedback: &Feedback) -> String {
    match feedback {
        Feedback::Decided {
            accepted,
            violations,
            moved_pp,
            distress,
            ..
        } => {
            let (mut text, before) = if *accepted {
                let moved = number(*moved_pp);
                (
                    format!("The board accepts the plan; {moved} points move."),
                    ' ',
                )
            } else {
                let refused = "The board turns the plan down; nothing moves.";
                (format!("{refused}{}", listed(violations)), '\n')
            };
            if *distress {
                text.push(before);
                text.push_str("The company has run out of room: it is in distress.");
            }
            text
        }
        Feedback::Again {
            violations,
            retries_left,
        } => format!(
            "The reply could not be read as a plan.{}\nGive the plan again; after {retries_left} \
             more such replies the round ends.",
            listed(violations)
        ),
        Feedback::Heard { officer, stage: 0 } => {
            format!("The report of the {officer} is taken down.")
        }
        Feedback::Heard { officer, .. } => format!("The {officer} was heard."),
        Feedback::Passed {
            officer: Some(officer),
            ..
        } => format!("The {officer} says nothing."),
        Feedback::Passed { officer: None, .. } => {
            "No decision was taken; nothing moves.".to_owned()
        }
    }
}

fn listed(violations: &[Violation]) -> String {
    let lines = violations
        .iter()
        .map(|violation| format!("\n- {}: {}", violation.code, violation.message));
    lines.collect()
}

/// Signed moves in one line.
fn moves(deltas: &BTreeMap<UnitId, f64>) -> String {
    if deltas.is_empty() {
        return "no change".to_owned();
    }
    let parts: Vec<String> = deltas
        .iter()
        .map(|(id, pp)| format!("{id} {}{}", if *pp > 0.0 { "+" } else { "" }, number(*pp)))
        .collect();
    parts.join(", ")
}

/// At most two decimals, without trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    // A sum of moves may be a negative zero.
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn role(role: UnitRole) -> &'static str {
    match role {
        UnitRole::LegacyCashGenerator => "cash generator",
        UnitRole::CustomerRetention => "customer retention",
        UnitRole::Growth => "growth",
        UnitRole::Productivity => "productivity",
    }
}

fn shock_name(kind: crate::scenario::ShockKind) -> &'static str {
    use crate::scenario::ShockKind;
    match kind {
        ShockKind::MarketSize => "the market",
        ShockKind::Capacity => "the capacity",
        ShockKind::Financing => "the leverage",
        ShockKind::Cost => "the runway",
    }
}
