//! One policy from many lessons.
//!
//! The paper's meta-level synthesiser (A.3), in two steps because no model can weigh thousands of lessons at
//! once: a draft from each bundle, then one policy from the drafts.

use super::Ask;
use crate::agents::Agents;
use crate::evaluate::evaluate;
use crate::experience::RoutingExperience;
use crate::matrix::Matrix;
use crate::policy::{RoutingPlaybook, RoutingPolicy};
use sim_core::ConfigError;
use sim_core::bytes::{canonical_text, json};
use std::fmt::Write as _;

/// Default number of experiences in a bundle: as many as a model can weigh at once.
pub const BUNDLE: usize = 60;

/// Deals the experiences out to bundles of at most `size`, so that each bundle has some of every
/// task and agent.
#[must_use]
pub fn bundles(experiences: &[RoutingExperience], size: usize) -> Vec<Vec<&RoutingExperience>> {
    let count = experiences.len().div_ceil(size.max(1)).max(1);
    let mut sorted: Vec<&RoutingExperience> = experiences.iter().collect();
    sorted.sort_by(|a, b| {
        let key =
            |it: &RoutingExperience| (it.tags.task_name.clone(), it.tags.agent_method.clone());
        key(a).cmp(&key(b))
    });
    let mut bundles = vec![Vec::new(); count];
    for (turn, experience) in sorted.into_iter().enumerate() {
        if let Some(bundle) = bundles.get_mut(turn % count) {
            bundle.push(experience);
        }
    }
    bundles
}

/// Accuracy of every agent overall and in every cell, as a table in text.
///
/// One line for all samples, then one for each cell of [`evaluate`]: by task, by capability, and by capability
/// and difficulty. Accuracies have three decimals.
///
/// # Errors
/// When the matrix has no agents.
pub fn accuracies(matrix: &Matrix) -> Result<String, ConfigError> {
    let names = matrix.names();
    let mut out = format!("cell | n | {}\n", names.join(" | "));
    let mut line = |cell: &str, within: &crate::bits::Bits| {
        let n = within.count();
        let rates = (0..names.len()).map(|agent| {
            let right = matrix.right_within(agent, within);
            format!("{:.3}", crate::Paired::accuracy(n, right).mean())
        });
        let rates: Vec<String> = rates.collect();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{cell} | {n} | {}", rates.join(" | "));
    };
    line("all", &matrix.all());
    // The cells are those of an evaluation and do not depend on the policy.
    let always = RoutingPolicy::always(names.first().copied().unwrap_or_default());
    for cell in evaluate(matrix, &always)?.cells {
        let when = crate::policy::When {
            task_name: cell.task_name,
            capability: cell.capability,
            difficulty_bucket: cell.difficulty_bucket,
            ..crate::policy::When::default()
        };
        let samples = matrix.samples();
        let within = crate::bits::Bits::of(samples.len(), |at| {
            samples.get(at).is_some_and(|sample| when.matches(sample))
        });
        line(&when.to_string(), &within);
    }
    Ok(out)
}

/// Asks for a playbook based on some experiences and the table of accuracies; the answer has the
/// form of [`RoutingPlaybook`].
#[must_use]
pub fn synthesis(experiences: &[&RoutingExperience], table: &str, agents: &Agents) -> Ask {
    let lessons: Vec<String> = experiences
        .iter()
        .map(|it| canonical_text(&json(*it)))
        .collect();
    Ask {
        system: duties(agents),
        user: format!(
            "<accuracies>\n{table}</accuracies>\n\n<lessons>\n{}\n</lessons>",
            lessons.join("\n")
        ),
    }
}

/// Asks for one playbook that combines several, each made from a part of the experiences.
#[must_use]
pub fn merging(playbooks: &[RoutingPlaybook], table: &str, agents: &Agents) -> Ask {
    let drafts: Vec<String> = playbooks
        .iter()
        .map(|it| canonical_text(&json(it)))
        .collect();
    Ask {
        system: format!(
            "{}\n\nOthers have each read a part of the lessons and drafted a playbook. Make one of \
             them: keep what several drafts say or the table supports, drop the rest.",
            duties(agents)
        ),
        user: format!(
            "<accuracies>\n{table}</accuracies>\n\n<drafts>\n{}\n</drafts>",
            drafts.join("\n")
        ),
    }
}

/// The task of the model that writes a policy, the same for drafts and for their combination.
fn duties(agents: &Agents) -> String {
    format!(
        "You decide which agent answers which question. You see the accuracy of every agent by kind \
         of question, and lessons that were drawn from single answers. You write a playbook for a \
         program that knows of a question only its task_name, capability, difficulty_bucket and the \
         features of its text.\n\n\
         - The first matching rule wins, so put the narrow ones first. Leave out every condition \
         that a rule does not need.\n\
         - A rule must be worth it: the table has to show a clear gain over the default agent on \
         enough questions. A few strong rules are better than many weak ones; no rule at all is a \
         good answer where agents are alike.\n\
         - `default_agent` is the safe choice for everything else.\n\
         - `meta_findings` may hold insights that no rule can express.\n\
         - Leave out `evidence`, `schema` and `feature_version`.\n\
         - The agents are: {agents}."
    )
}
