//! Score, metrics and incidents of an episode.

use crate::config::Visibility;
use crate::env::{RoundEnd, RoundResult, State};
use crate::instance::Instance;
use crate::scenario::StrategyLabel;
use crate::score::DecisionOutcome;
use sim_core::{Incident, NotFinite, Score};
use strum::VariantArray;

/// The value is the mean of the round scores over all planned rounds: rounds after the end of the
/// company count 0.
pub(super) fn summary(instance: &Instance, state: &State) -> Result<Score, NotFinite> {
    let results = &state.results;
    let planned = f64::from(instance.config.rounds.max(1));
    let total: f64 = results.iter().map(|result| result.card.score()).sum();
    let mut score = Score::new(total / planned)?;
    let played = results.len();
    let mean = |value: &dyn Fn(&RoundResult) -> f64| {
        #[expect(clippy::cast_precision_loss, reason = "at most 60 rounds")]
        let count = played as f64;
        // Over the rounds played, unlike the score: a company that failed early has no marks for
        // the rest, and zeros would read as bad plans.
        (played > 0).then(|| results.iter().map(value).sum::<f64>() / count)
    };
    let share = |holds: &dyn Fn(&RoundResult) -> bool| {
        mean(&|result| if holds(result) { 1.0 } else { 0.0 })
    };
    score = score
        .metric("role", mean(&|r| r.card.marks.role))
        .metric("boldness", mean(&|r| r.card.marks.boldness))
        .metric("history", mean(&|r| r.card.marks.history))
        .metric("validity", mean(&|r| r.card.marks.validity))
        .metric("moved_pp", mean(&|r| r.card.marks.moved_pp))
        .metric(
            "valid",
            // A card without violations is not enough: a round that was forfeited has none either.
            share(&|r| r.ended == RoundEnd::Plan && r.card.is_valid()),
        )
        .metric("captured", share(&|r| r.card.marks.captured_by.is_some()))
        .metric(
            "high_quality",
            share(&|r| r.card.outcome == DecisionOutcome::HighQuality),
        );
    for &label in StrategyLabel::VARIANTS {
        score = score.metric(format!("label_{label}"), share(&|r| r.card.has(label)));
    }
    if instance.config.older_rubric {
        score = score.metric("older_rubric", mean(&|r| r.older_rubric.unwrap_or(0.0)));
    }
    if instance.config.visibility == Visibility::Deliberation {
        let talk = |value: fn(&crate::deliberation::TalkMetrics) -> f64| {
            mean(&|r| r.talk.as_ref().map_or(0.0, value))
        };
        score = score
            .metric("talk_drift", talk(|t| t.drift))
            .metric("talk_agreement", talk(|t| t.agreement))
            .metric("talk_disclosed", talk(|t| t.disclosed))
            .metric("talk_gain", talk(|t| t.gain));
    }
    if instance.config.rounds > 1 {
        let company = &state.world.scenario.company_state;
        score = score
            .metric("final_runway_months", company.cash_runway_months)
            .metric("final_leverage", company.leverage)
            .metric("final_growth_pct", company.revenue_growth_pct)
            .metric("final_pressure", company.transformation_pressure)
            .metric("distress", if state.distress { 1.0 } else { 0.0 });
    }
    Ok(score.incidents(incidents(state)))
}

fn incidents(state: &State) -> Vec<Incident> {
    let mut found = Vec::new();
    for (period, result) in (0..).zip(&state.results) {
        let mut add = |code: &str, note: String| {
            found.push(Incident {
                code: code.to_owned(),
                period,
                note,
            });
        };
        if result.silent > 0 {
            add(
                "silent_advisor",
                format!("{} of 4 advisors said nothing", result.silent),
            );
        }
        match result.ended {
            RoundEnd::Forfeited => add(
                "forfeited_period",
                "nobody decided; nothing moved".to_owned(),
            ),
            RoundEnd::Unreadable => {
                let why = result
                    .card
                    .violations
                    .first()
                    .map_or("", |v| v.message.as_str());
                add("plan_unreadable", why.to_owned());
            }
            RoundEnd::Plan if !result.card.is_valid() => {
                let codes: Vec<&str> = result
                    .card
                    .violations
                    .iter()
                    .take(5)
                    .map(|v| v.code.into())
                    .collect();
                add("plan_invalid", codes.join(", "));
            }
            RoundEnd::Plan => {}
        }
    }
    if state.distress {
        let period = u32::try_from(state.results.len().saturating_sub(1)).unwrap_or(0);
        let state = &state.world.scenario.company_state;
        found.push(Incident {
            code: "distress".to_owned(),
            period,
            note: format!(
                "runway {:.1} months, leverage {:.1}x",
                state.cash_runway_months, state.leverage
            ),
        });
    }
    found
}
