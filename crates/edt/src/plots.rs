//! The pictures of a run: the projects over time, utilization, earnings and cash, and the plan of the
//! reference beside them.

use crate::action::Action;
use crate::agent_model::{AgentModel, ProjectState};
use crate::engine::Engine;
use crate::env::Edt;
use crate::instance::Instance;
use crate::ledger::Figures;
use crate::reference::paper_optimum;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole, Shape, Span, SpanRow};

/// Largest number of visits to agents for which the projects are drawn. The figures of larger firms come
/// from the engine, which has no agents.
const MOST_VISITS: u64 = 20_000_000;

/// The pictures of a run; none before the decision. The spans of a project sum to the effort that was
/// delivered to it.
pub(crate) fn plots(env: &Edt) -> Vec<Plot> {
    let Some(taken) = &env.state().taken else {
        return Vec::new();
    };
    let (instance, own) = (env.instance(), &taken.decision);
    // Only a stored plan: a search would take longer than the game that is drawn.
    let best = paper_optimum(instance);
    let mut plots = Vec::new();
    plots.extend(gantt("projects", "Projects of this plan", instance, own));
    plots.push(money(instance, own, best.as_ref()));
    plots.push(utilization(instance, own));
    if let Some(best) = &best {
        let title = "Projects of the best known plan";
        plots.extend(gantt("projects_of_best_plan", title, instance, best));
    }
    plots
}

fn time() -> Axis {
    Axis::new("time", "")
}

/// The consultants that worked on each project; `None` for a firm that is too large.
fn gantt(name: &str, title: &str, instance: &Instance, plan: &Action) -> Option<Plot> {
    let firm = &instance.firm;
    let clock = firm.clock();
    let heads = u64::try_from(plan.consultants).unwrap_or(0).max(1);
    let visits = u64::from(clock.steps()).saturating_mul(heads);
    if visits.saturating_mul(firm.projects.len() as u64) > MOST_VISITS {
        return None;
    }
    let mut model = AgentModel::new(firm, plan, instance.chance(plan.risk_level));
    let mut rows: Vec<SpanRow> = Vec::new();
    let mut delivered: Vec<f64> = Vec::new();
    let mut step = 0;
    while model.step().is_some() {
        let (from, dt) = (clock.time(step), clock.dt());
        step += 1;
        for (place, project) in model.projects().iter().enumerate() {
            if rows.len() <= place {
                let mark = if project.terms().is_follow_on {
                    "> "
                } else {
                    ""
                };
                rows.push(SpanRow {
                    name: format!("{mark}{}", project.terms().name),
                    spans: Vec::new(),
                });
                delivered.push(0.0);
            }
            let (Some(row), Some(before)) = (rows.get_mut(place), delivered.get_mut(place)) else {
                continue;
            };
            let value = (project.delivered() - *before) / dt;
            *before = project.delivered();
            // Time in which nobody works on an open project is a span of height 0.
            let open = !matches!(
                project.state(),
                ProjectState::Acquired | ProjectState::Completed
            );
            if value <= 0.0 && !open {
                continue;
            }
            extend(&mut row.spans, from, from + dt, value.max(0.0));
        }
    }
    let y = Axis::new("consultants at work", "consultants");
    Some(Plot::new(name, title, time(), y, Shape::Spans { rows }))
}

/// Adds a step to the spans, as part of the last one if that goes on.
fn extend(spans: &mut Vec<Span>, from: f64, to: f64, value: f64) {
    match spans.last_mut() {
        Some(last) if last.to == from && last.value == value => last.to = to,
        _ => spans.push(Span {
            from,
            to,
            value,
            failed: false,
        }),
    }
}

fn course(instance: &Instance, plan: &Action) -> Vec<Figures> {
    let mut series = Vec::new();
    let chance = instance.chance(plan.risk_level);
    Engine::new(&instance.firm).run_with_series(plan, &chance, &mut series);
    series
}

fn money(instance: &Instance, own: &Action, best: Option<&Action>) -> Plot {
    let of = |plan: &Action, value: fn(&Figures) -> f64| -> Vec<(f64, f64)> {
        let course = course(instance, plan);
        course.iter().map(|f| (f.time, value(f))).collect()
    };
    let earnings: fn(&Figures) -> f64 = |f| f.accumulated_earnings;
    let simple = of(&Action::simple(&instance.firm), earnings);
    let y = Axis::new("money", "$");
    let mut plot = Plot::lines("money", "Earnings so far and cash", time(), y)
        .with(Series::own("earnings so far", of(own, earnings)))
        .with(Series::own("cash", of(own, |f| f.cash)))
        .with(Series::of(
            SeriesRole::Baseline,
            "earnings of the simple plan",
            simple,
        ));
    if let Some(best) = best {
        let earned = of(best, earnings);
        let name = "earnings of the best known plan";
        plot = plot.with(Series::of(SeriesRole::Optimum, name, earned));
    }
    plot
}

fn utilization(instance: &Instance, own: &Action) -> Plot {
    let course = course(instance, own);
    let of = |value: fn(&Figures) -> f64| course.iter().map(move |f| (f.time, value(f)));
    let y = Axis::new("effort over capacity", "share");
    Plot::lines("utilization", "Utilization of the consultants", time(), y)
        .with(Series::own("in the step", of(|f| f.avg_utilization)))
        .with(Series::own("so far", of(|f| f.overall_avg_utilization)))
}
