//! The prompts. The wording is ours; the content is that of the paper's prompts (appendix F.1 and
//! B.2).

use super::config::{Horizon, Rules, Wording};
use sim_core::Prompt;

pub(super) const HISTORY: &str = "get_previous_purchase_data";
pub(super) const MENU: &str = "get_equipment_information";
pub(super) const BUDGET: &str = "get_budget";
pub(super) const ATTEMPT: &str = "get_attempt_number";
pub(super) const SUBMIT: &str = "submit_purchase_plan";
pub(super) const PLAN: &str = "purchase_plan";

pub(super) const HISTORY_ABOUT: &str = "Every earlier purchase plan with what came of it. Read \
    this before you submit a plan.";
pub(super) const MENU_ABOUT: &str = "The offers by ID: what a copy contains and what it costs.";
pub(super) const BUDGET_ABOUT: &str = "The amount that your purchase plan may cost.";
pub(super) const ATTEMPT_ABOUT: &str = "The number of this attempt, counted from 0: at number 4 \
    there have been four before it (0, 1, 2 and 3).";
pub(super) const SUBMIT_ABOUT: &str = "Submit the purchase plan of this attempt. To buy 2 copies \
    of Offer_1 and 3 of Offer_2, pass \"{'Offer_1': 2, 'Offer_2': 3}\": one argument, a string \
    that holds a dictionary from offer IDs to numbers of copies. Offers that are left out are not \
    bought.";
pub(super) const PLAN_ABOUT: &str = "A string that holds a dictionary from offer IDs to whole \
    numbers of copies.";

/// The framing texts.
pub(super) fn briefing(rules: &Rules) -> Prompt {
    let keep = match rules.wording {
        Wording::Standard => "your reasoning, your strategies and what you have learnt",
        Wording::WithoutReasoning => "your strategies and what you have learnt",
    };
    let mut system = format!(
        "You are in charge of buying equipment. A menu of offers lists bundles of different kinds \
         of equipment with their prices. Some kinds serve the same purpose as others, with more \
         or less effect. Buy so that the equipment supports as many workers as possible, and stay \
         within the budget. Nobody tells you how effective a kind of equipment is: you find out \
         what is best by trial and error. Explore every option thoroughly before you settle; to \
         stay with a plan that is not the best would be costly, so judge your options with care. \
         You work through the tools listed below. Let data guide every decision. As you go, use \
         the notes tools to write down and to read {keep}."
    );
    if rules.horizon != Horizon::Hidden {
        system.push_str(&format!(
            " You have {} attempts in all; {ATTEMPT} tells you which one this is and so how many \
             are left.",
            rules.periods
        ));
    }
    if rules.horizon == Horizon::KnownWithGoal {
        system.push_str(
            " When they are over you are judged by the best plan that you submitted: the one that \
             supports the most workers.",
        );
    }
    Prompt {
        system,
        opening: format!(
            "Begin: use the tools to work out a purchase plan for this attempt. Once you submit a \
             plan this conversation is cleared; what happened in earlier attempts stays available \
             through the tools ({HISTORY}, read_notes)."
        ),
        reminder: "Go on and use more tools.".to_owned(),
    }
}
