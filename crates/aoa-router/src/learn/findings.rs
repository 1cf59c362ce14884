//! Learnt rules and findings as text.
//!
//! A rule has high confidence if it was found again without each of the folds, medium confidence if without more than
//! half of them.

use super::FOLDS;
use super::cross_fit::CrossFit;
use super::list::{Fit, Found};
use crate::matrix::Matrix;
use crate::paired::Paired;
use crate::policy::{Confidence, Evidence, MetaFinding, RoutingRule};

/// A rule of the policy file.
pub(super) fn rule(found: &Found, choose: String) -> RoutingRule {
    let (wins, losses, n) = (found.counted.wins, found.counted.losses, found.counted.n);
    let Evidence { low, high, .. } = found.evidence;
    RoutingRule {
        when: found.when.clone(),
        choose,
        rationale: format!(
            "on {n} samples right {wins} times where the default agent is wrong and wrong {losses} \
             times where it is right: a gain of {:+.3} ({low:+.3} to {high:+.3})",
            found.counted.mean()
        ),
        confidence: confidence(found),
        evidence: Some(found.evidence),
    }
}

fn confidence(found: &Found) -> Option<Confidence> {
    let again = found.evidence.folds? as usize;
    Some(if again >= FOLDS {
        Confidence::High
    } else if 2 * again > FOLDS {
        Confidence::Medium
    } else {
        Confidence::Low
    })
}

/// Findings about the agents.
pub(super) fn findings(matrix: &Matrix, fit: &Fit, cross_fit: &CrossFit) -> Vec<MetaFinding> {
    let names = matrix.names();
    let name = |agent: usize| names.get(agent).copied().unwrap_or_default();
    let everything = matrix.all();
    let right = matrix.right_within(fit.default_agent, &everything);
    let accuracy = Paired::accuracy(matrix.len(), right).mean();
    // Medium at best: the agent was chosen by the same samples that its accuracy is counted on.
    let mut findings = vec![(
        format!("{} is the best single agent.", name(fit.default_agent)),
        format!("accuracy {accuracy:.3} on {} samples", matrix.len()),
        Some(Confidence::Medium),
    )];
    for agent in (0..names.len()).filter(|agent| *agent != fit.default_agent) {
        let paired = matrix.compare(agent, fit.default_agent);
        if !paired.is_distinguishable() {
            findings.push((
                format!(
                    "{} is not distinguishable from {} over all samples.",
                    name(agent),
                    name(fit.default_agent)
                ),
                format!(
                    "difference {:+.3}, McNemar p = {:.3}",
                    paired.mean(),
                    paired.mcnemar()
                ),
                Some(Confidence::High),
            ));
        }
    }
    for found in &fit.rules {
        findings.push((
            format!(
                "{} is better than {} on samples with {}.",
                name(found.agent),
                name(fit.default_agent),
                found.when
            ),
            format!(
                "gain {:+.3} on {} samples, p = {:.1e}",
                found.counted.mean(),
                found.counted.n,
                found.evidence.p
            ),
            confidence(found),
        ));
    }
    let worth = if cross_fit.distinguishable && cross_fit.accuracy > cross_fit.default_accuracy {
        "The rules are worth more than the best single agent on samples they were not learnt from."
    } else if cross_fit.distinguishable {
        "The rules are worth less than the best single agent on samples they were not learnt from."
    } else {
        "The rules are not distinguishable from the best single agent on samples they were not \
         learnt from."
    };
    findings.push((
        worth.to_owned(),
        format!(
            "cross-fitted accuracy {:.3} against {:.3}",
            cross_fit.accuracy, cross_fit.default_accuracy
        ),
        Some(Confidence::High),
    ));
    findings
        .into_iter()
        .enumerate()
        .map(|(at, (summary, evidence, confidence))| MetaFinding {
            id: format!("M{}", at + 1),
            summary,
            evidence,
            confidence,
        })
        .collect()
}
