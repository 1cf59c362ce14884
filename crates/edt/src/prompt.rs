//! Texts that an agent reads.

use crate::agent_model::ProjectState;
use crate::chance::RiskMode;
use crate::config::Disclosure;
use crate::instance::Instance;
use crate::observation::Feedback;
use crate::observation::{Observation, SeenProject};
use sim_core::Prompt;
use std::fmt::Write as _;

/// Projects that the text of an outcome lists.
const LISTED: usize = 60;

pub(crate) fn briefing(instance: &Instance) -> Prompt {
    let clock = instance.firm.clock();
    let projects = instance.firm.projects.len();
    Prompt {
        system: rules(instance),
        opening: format!(
            "The firm has {} consultants and {projects} projects on offer, and runs from time {} to \
             time {}. Look at the firm (`get_firm`) and at the projects (`get_projects`), then \
             decide once with `submit_plan`.",
            instance.firm.head_count(),
            clock.start(),
            clock.last()
        ),
        reminder: "The firm still waits for its plan: call `submit_plan` with consultants, \
                   risk_level and projects."
            .to_owned(),
    }
}

/// Aim and decision; also how the firm works, where that is disclosed.
fn rules(instance: &Instance) -> String {
    let clock = instance.firm.clock();
    let mut out = format!(
        "You lead a consulting firm. You decide once how it is set up; then it runs by itself from \
         time {} to time {} in steps of {}. Your aim: the highest accumulated earnings (revenue \
         minus expenses) at the end.\n\nYou decide:\n",
        clock.start(),
        clock.last(),
        clock.dt()
    );
    match instance.disclosure {
        Disclosure::Paper => out.push_str(
            "- consultants: how many stay.\n\
             - risk_level, from 0 to 1: the revenue risk level of the firm.\n\
             - projects: which ones to accept, each with a start and a deadline.\n",
        ),
        Disclosure::Full => {
            out.push_str(EXPLAINED);
            out.push_str(&full_rules(instance));
        }
    }
    out.push_str(
        "\nSend the plan with `submit_plan`. List the projects that you accept; the others are \
         rejected. There is no second decision in this run.",
    );
    out
}

/// What each decision does, and how the firm works.
const EXPLAINED: &str = "\
- consultants: how many stay. Each costs a salary and a workplace in every step, busy or not. The firm \
also has a fixed cost.
- risk_level, from 0 to 1: how far the firm counts on work that is not certain. The higher it is, the more \
projects are extended and followed by others.
- projects: which ones to accept, each with a start and a deadline.

How the firm works:
- A project can be staffed from its start on. At its deadline it ends; what is not done by then is lost.
- A consultant does one unit of work in one unit of time, on one project. It earns the project's billing rate.
- Free consultants start waiting projects first, one consultant each, in the order of the list; those who are \
left join projects in progress, in the order of the list, up to the project's limit of consultants.
- A consultant stays with a project until it ends, and then needs one step to be free for the next.
- A project that is done before its deadline may be extended: more work at the same rate, by the same \
consultants.
- At its deadline a project may bring a follow-on project on the same terms, which competes for the same \
consultants.
";

fn full_rules(instance: &Instance) -> String {
    let order = instance.firm.agent_order;
    let events = match instance.risk_mode {
        RiskMode::Threshold => {
            "- There is no chance. A probability p counts as certain when p > 1 - risk_level, and as \
             impossible otherwise. With risk_level 0 there are no extensions and no follow-ons.\n\
             - A project whose extension counts as certain is extended every time its work runs out, \
             until its deadline.\n\
             - A follow-on comes at the deadline whether or not the project was done or even begun. It"
        }
        RiskMode::BernoulliRepeat => {
            "- Each time the work of a project runs out before its deadline, it is extended with \
             probability risk_level times its extension probability.\n\
             - At its deadline a project brings a follow-on with probability risk_level times its \
             follow-on probability, whether or not it was done. The follow-on"
        }
        RiskMode::BernoulliOnce => {
            "- When the work of a project runs out before its deadline, it is extended with \
             probability risk_level times its extension probability, at most once.\n\
             - At its deadline a project brings a follow-on with probability risk_level times its \
             follow-on probability, whether or not it was done. The follow-on"
        }
    };
    let worked = match (instance.risk_mode, order.work_before_projects()) {
        (RiskMode::Threshold, true) => {
            "- A project that starts at time s is worked on from the next step on, its deadline \
             included.\n"
        }
        (RiskMode::Threshold, false) => {
            "- A project that starts at time s is worked on from that step on, its deadline not \
             included.\n"
        }
        _ => "",
    };
    // One step more than the lag: no stock holds the last step of a run, whatever the order.
    let unpaid = match order.revenue_lag() {
        0 => "step",
        1 => "two steps",
        _ => "three steps",
    };
    format!(
        "\nIn full:\n{events} can be staffed from one unit of time later on, and its window is one unit \
         of time shorter than its parent's; it ends with the run at the latest. It brings no further \
         follow-on.\n{worked}- Work of the last {unpaid} of the run is not booked any more.\n"
    )
}

pub(crate) fn firm(seen: &Observation) -> String {
    let mut out = format!(
        "Run: time {} to {} in steps of {}.\nFixed cost: {} a unit of time.\nConsultants: {}.",
        seen.start,
        // The time of the final step, which lies behind the stop time where a step is shorter than 1.
        seen.stop + 1.0 - seen.dt,
        seen.dt,
        money(seen.fixed_cost),
        seen.consultants
    );
    for group in &seen.staff {
        let _ = write!(
            out,
            "\n- {} at salary {} and workplace {} a unit of time",
            group.count,
            money(group.salary),
            money(group.workplace_cost)
        );
    }
    let work: f64 = seen.projects.iter().map(|p| p.contracted_effort).sum();
    let _ = write!(
        out,
        "\nProjects on offer: {}, with {work} units of work in their contracts.\n\
         Risk level of the template: {}.",
        seen.projects.len(),
        seen.risk_level
    );
    if seen.decided {
        out.push_str("\nThe plan has been decided.");
    }
    out
}

pub(crate) fn projects(page: &[SeenProject], total: usize) -> String {
    let full = page.iter().any(|p| p.extension_effort.is_some());
    let mut out = format!("{} of {total} projects. ", page.len());
    out.push_str("effort: units of work; rate: money a unit; limit: most consultants at once; p: probability of the contract, of an extension, of a follow-on; window: start and deadline in the template.\n");
    out.push_str(
        "project | name | effort | rate | limit | p contract | p extension | p follow-on | window",
    );
    if full {
        out.push_str(" | effort of an extension");
    }
    for project in page {
        let limit = if project.consultants >= 1.0 && project.consultants.fract() == 0.0 {
            project.consultants.to_string()
        } else {
            "none".to_owned()
        };
        let _ = write!(
            out,
            "\n{} | {} | {} | {} | {limit} | {} | {} | {} | {} to {}",
            project.project,
            project.name,
            project.contracted_effort,
            money(project.billing_rate),
            project.contracted_probability,
            project.extension_probability,
            project.follow_on_probability,
            project.start,
            project.deadline
        );
        if let Some(effort) = project.extension_effort {
            let _ = write!(out, " | {effort}");
        }
    }
    out
}

pub(crate) fn outcome(instance: &Instance, outcome: &Feedback) -> String {
    let figures = &outcome.figures;
    let mut out = String::new();
    if outcome.forfeited {
        out.push_str("No plan was decided: nobody stayed and no project was accepted.\n");
    }
    if outcome.clamped {
        let _ = writeln!(
            out,
            "The plan was moved into the limits: {} consultants, risk level {}, {} projects.",
            outcome.decision.consultants,
            outcome.decision.risk_level,
            outcome.decision.accepted()
        );
    }
    let _ = write!(
        out,
        "The run is over. Accumulated earnings: {}.\n\
         Revenue {}, expenses {}. Cash {} (lowest {}).\n\
         Mean utilization {:.1} %. Risk of the revenue {:.3}. Projects in the run: {}, of which {} \
         accepted.",
        money(figures.accumulated_earnings),
        money(figures.accumulated_revenue),
        money(figures.accumulated_expenses),
        money(figures.cash),
        money(outcome.lowest_cash),
        100.0 * outcome.mean_utilization,
        outcome.revenue_risk,
        figures.projects,
        outcome.decision.accepted()
    );
    out.push_str("\n\ntime | accumulated earnings | cash | utilization so far");
    for point in &outcome.course {
        let _ = write!(
            out,
            "\n{} | {} | {} | {:.1} %",
            point.time,
            money(point.accumulated_earnings),
            money(point.cash),
            100.0 * point.utilization
        );
    }
    if outcome.projects.is_empty() {
        return out;
    }
    out.push_str(
        "\n\nproject | window | most consultants | work done | work left | extensions | end",
    );
    for end in outcome.projects.iter().take(LISTED) {
        let name = instance
            .firm
            .projects
            .get(end.project as usize)
            .map_or("", |p| p.name.as_str());
        let _ = write!(
            out,
            "\n{} {name}{} | {} to {} | {} | {} | {} | {} | {}",
            end.project + 1,
            if end.follow_on { " (follow-on)" } else { "" },
            end.start,
            end.deadline,
            end.staff,
            short(end.delivered),
            short(end.remaining),
            end.extensions,
            ending(end.state, end.staff, end.remaining)
        );
    }
    if outcome.projects.len() > LISTED {
        let _ = write!(out, "\n... and {} more", outcome.projects.len() - LISTED);
    }
    out
}

fn ending(state: ProjectState, staff: u32, remaining: f64) -> &'static str {
    match (state, staff, remaining > 0.0) {
        (ProjectState::Acquired, _, _) => "never opened",
        (ProjectState::Ready, _, _) | (_, 0, _) => "never staffed",
        (ProjectState::Completed, _, false) => "done",
        (ProjectState::Completed, _, true) => "ended with work left",
        (ProjectState::Started | ProjectState::FullyStaffed, _, _) => "in progress",
    }
}

fn short(x: f64) -> String {
    format!("{}", (x * 100.0).round() / 100.0)
}

/// An amount with a comma every three digits, without cents.
fn money(amount: f64) -> String {
    let rounded = amount.abs().round();
    let digits = format!("{rounded:.0}");
    let mut out = String::new();
    // A loss of a few cents is a plain 0.
    if amount < 0.0 && rounded > 0.0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::engine::{Chance, Engine};
    use crate::firm::{AgentOrder, Firm, Project};
    use strum::VariantArray as _;

    /// What the rules say about the first, the last and the paid steps of work, counted and played.
    #[test]
    fn the_full_rules_hold_in_every_order() {
        for order in AgentOrder::VARIANTS {
            let firm = Firm {
                agent_order: *order,
                stop: 12,
                projects: vec![Project {
                    contracted_effort: 100.0,
                    consultants: 1.0,
                    start_time: 1.0,
                    deadline: 12.0,
                    billing_rate: 1.0,
                    ..Project::default()
                }],
                ..Firm::paper()
            };
            let plan = Action {
                consultants: 1,
                ..Action::template(&firm)
            };
            let run = Engine::new(&firm).run(&plan, &Chance::threshold(0.0));
            let told = full_rules(&Instance::of_firm(firm));
            let worked = if told.contains("its deadline included") {
                2..=12
            } else {
                assert!(told.contains("from that step on, its deadline not included"));
                1..=11
            };
            let unpaid = ["last step", "last two steps", "last three steps"];
            let unpaid = 1 + unpaid.iter().position(|said| told.contains(said)).unwrap();
            let paid = worked.filter(|time| *time <= 12 - unpaid).count();
            assert_eq!(run.accumulated_revenue, paid as f64, "{order:?}");
        }
    }

    #[test]
    fn amounts_are_readable() {
        let texts = [7_116_500.0, -1_900_000.4, 0.0, -0.2, 999.0, 1_000.0].map(money);
        assert_eq!(texts, ["7,116,500", "-1,900,000", "0", "0", "999", "1,000"]);
    }
}
