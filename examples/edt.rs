//! A consulting firm is set up once and then runs by itself: who works on what, and how the money
//! goes.
//!
//! ```text
//!              {consultants, risk, windows}              figures of 96 steps
//!   template ─────────────────────────────►  [ the firm ] ─────────────────►  earnings, projects
//!   (12 consultants, 10 projects)              consultants, projects, controlling
//! ```
//!
//! Run with: `cargo run --release --example edt -- simple` (or `template`, `local-search`,
//! `optimal`, `random`; a second argument is a scenario file). A long search with bound and proof:
//! `cargo run --release --example edt -- search 9 0` for 9 consultants without risk; both numbers
//! may be left out.
#![allow(clippy::print_stdout, reason = "an example prints")]

use edt::action::Window;
use edt::engine::Chance;
use edt::firm::Firm;
use edt::optimum::{ProofLimits, SearchSettings, best_plan};
use edt::{Edt, Instance, Spec, scenario};
use sim_core::{
    ConfigError, Effort, Environment as _, EnvironmentSpec as _, PolicyContext, Seat, Seed,
    ToolInterface as _,
};
use std::sync::Arc;

/// The report on one policy's plan for one instance.
fn report(instance: Instance, policy: &str) -> Result<String, ConfigError> {
    let instance = Arc::new(instance);
    let mut env: Edt = Spec.begin(Arc::clone(&instance))?;
    let specs = Spec.policies();
    let Some(spec) = specs.iter().find(|spec| spec.about.name == policy) else {
        let names: Vec<&str> = specs.iter().map(|spec| spec.about.name).collect();
        return Err(ConfigError::new(
            "policy",
            format!("choose one of {}", names.join(", ")),
        ));
    };
    let making = PolicyContext::new(&*instance, &Seat::AGENT, Seed(1));
    let decision = spec.make(making)?.act(&env.observe());
    let outcome = env
        .step(&decision)
        .map_err(|e| ConfigError::new("plan", e.message))?;

    let firm = &instance.firm;
    let reference = Spec.reference(&instance, Effort::Quick);
    let mut out = format!(
        "{policy}: {}\n{} of {} consultants, risk level {}, {} of {} projects\n\n",
        spec.about.about,
        decision.consultants,
        firm.head_count(),
        decision.risk_level,
        decision.accepted(),
        firm.projects.len()
    );
    out += &env.feedback_text(&outcome);
    out += &format!(
        "\n\naccumulated earnings {:.0}, mean utilization {:.4}",
        outcome.figures.accumulated_earnings, outcome.mean_utilization
    );
    if let Some(bound) = reference.bound {
        out += &format!("; no plan earns more than {bound:.0}");
    }
    Ok(out)
}

/// Searches the paper's template for the best plan and says how much better another can be.
fn search(consultants: Option<u32>, risk_level: Option<f64>, runs: u32) -> String {
    let settings = SearchSettings {
        runs,
        consultants,
        risk_level,
        ..SearchSettings::default()
    };
    let chance = Chance::threshold(0.0);
    let firm = Firm::paper();
    let claim = best_plan(&firm, &chance, &settings, 1_500, &ProofLimits::default());
    let plan = &claim.decision;
    let mut out = format!(
        "{} plans simulated\nbest {:.0}, no plan earns more than {:.0}{}\n\n{} consultants, risk level {}",
        claim.plans,
        claim.earnings,
        claim.bound,
        if claim.proven { ": proven" } else { "" },
        plan.consultants,
        plan.risk_level
    );
    for (project, window) in firm.projects.iter().zip(&plan.projects) {
        if let Some(Window { start, deadline }) = window {
            out += &format!("\n{}: {start} to {deadline}", project.name);
        }
    }
    out
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let policy = arguments.next().unwrap_or_else(|| "simple".to_owned());
    if policy == "search" {
        let consultants = arguments.next().map(|text| text.parse()).transpose()?;
        let risk_level = arguments.next().map(|text| text.parse()).transpose()?;
        println!("{}", search(consultants, risk_level, 24));
        return Ok(());
    }
    let firm = match arguments.next() {
        Some(file) => scenario::read(&std::fs::read(file)?, None)?,
        None => Firm::paper(),
    };
    println!("{}", report(Instance::of_firm(firm), &policy)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_the_papers_template() {
        let report = |policy| report(Instance::of_firm(Firm::paper()), policy).unwrap();
        let simple = report("simple");
        assert!(simple.contains("9 of 12 consultants"), "{simple}");
        assert!(
            simple.contains("accumulated earnings 7116500, mean utilization 0.9340"),
            "{simple}"
        );
        assert!(
            simple.contains("no plan earns more than 14756000"),
            "{simple}"
        );
        assert!(report("optimal").contains("accumulated earnings 14756000"));
    }

    #[test]
    fn search_reports_an_interval() {
        let report = search(Some(1), Some(1.0), 1);
        assert!(
            report.contains("best 160000, no plan earns more than 160000: proven"),
            "{report}"
        );
    }
}
