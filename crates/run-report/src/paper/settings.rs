//! The settings of runs in words, and the labels that they give to runs which would otherwise share a name.
//!
//! The rule is the same for all papers: settings that all runs of a name share are left out, and settings that
//! differ are appended to the name. So runs under different settings never become one figure.

use crate::others::others;
pub(super) use crate::runs::labels::{differing, labelled, text as said};
use agent_client::method::{MemorySpec, MethodSpec};
use agent_client::wire::Dialect;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::model::ModelPlan;
use run_engine::plan::setting::{Setting, in_words, leaves};
use run_engine::terminal::shell_word;
use serde::Serialize;
use serde_json::json;
use sim_core::{Digest, DynEnvironmentSpec};
use std::collections::BTreeMap;

/// Key of the number of episodes that a memory learns from.
pub(super) const EPISODES: &str = "episodes";

/// Settings in words, by key.
pub(super) type Words = BTreeMap<String, String>;

/// The settings of a run that can change its figures. The method itself is not among them: it is a part of
/// the name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunSettings {
    /// How the model is sampled: temperature, top-p, longest reply.
    pub(super) model: Words,
    /// What belongs to the method: instruction, feedback, the form of calls.
    pub(super) method: Words,
    /// What is set of the game, the questions or the interview.
    pub(super) task: Words,
}

impl RunSettings {
    /// All of them.
    pub(super) fn all(&self) -> Words {
        let parts = [&self.model, &self.method, &self.task];
        let pairs = parts.into_iter().flatten();
        pairs.map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    /// The settings of a run of episodes. `setting` is what was played.
    pub(super) fn of_episodes(plan: &Plan, setting: &Setting) -> Result<Self, RunError> {
        let mut found = Self {
            task: words(&plan.limits, "limits", &[])?,
            ..Self::default()
        };
        found.task.extend(in_all_words(setting));
        match &plan.model {
            Some(model) => found.add_model(model)?,
            // A policy that plans ahead may do more or less work.
            None => found.method = words(&plan.policy_effort, "policy effort", &[])?,
        }
        if plan.streams.is_some() {
            // A memory learns from as many episodes as there are.
            let episodes = format!("{} episodes in a row", plan.episodes);
            found.method.insert(EPISODES.to_owned(), episodes);
        }
        Ok(found)
    }

    /// The settings of a run of questions or interviews: those of its configuration, and who plays the seats that are not
    /// under test.
    pub(super) fn of_labelled(
        plan: &Plan,
        kind: &dyn DynEnvironmentSpec,
    ) -> Result<Self, RunError> {
        let mut found = Self {
            // `others` says who the judges are.
            task: words(&plan.config, "", &["judges"])?,
            ..Self::default()
        };
        if let Some(model) = &plan.model {
            found.add_model(model)?;
        }
        if let Some(routing) = &plan.routing {
            let words = format!("policy {}", digest(&routing.policy)?);
            found.method.insert("policy".to_owned(), words);
            // The instruction of the plan is that of the default agent; the policy may choose
            // others.
            found.method.remove("instruction");
        }
        // The score of an answer is a matter of the scorer's rules, which its version numbers.
        let version = format!("version {}", plan.version);
        found.task.insert("version".to_owned(), version);
        for (role, words) in others(plan, kind) {
            found.task.insert(role.clone(), format!("{role} {words}"));
        }
        Ok(found)
    }

    fn add_model(&mut self, model: &ModelPlan) -> Result<(), RunError> {
        self.model = sampling(&model.dialect, "")?;
        self.method.insert(
            "feedback".to_owned(),
            format!("feedback {}", model.feedback),
        );
        let learning = json!({"update_every": model.update_every, "success": model.success});
        // How the agent plans is a part of its name.
        self.method.extend(words(&model.play, "", &["plan"])?);
        self.method.extend(words(&learning, "", &[])?);
        self.add_instruction(&model.method)
    }

    fn add_instruction(&mut self, method: &MethodSpec) -> Result<(), RunError> {
        if let MemorySpec::Instruction(text) = &method.memory {
            let digest = digest(text)?;
            self.method
                .insert("instruction".to_owned(), format!("instruction {digest}"));
        }
        Ok(())
    }
}

/// The first digits of a digest, which tell long texts apart.
pub(super) fn digest(of: &impl Serialize) -> Result<String, RunError> {
    let digest = Digest::of(of).map_err(RunError::failed)?;
    // Eight digits: a table tells a few runs apart, and their names must stay short.
    Ok(digest.short().chars().take(8).collect())
}

/// Preset, suite and single settings of what was played, in words.
pub(super) fn in_all_words(setting: &Setting) -> Words {
    let mut found = Words::new();
    if let Some(suite) = &setting.suite {
        // With a space in front the key stands before all paths of settings and is none of them.
        found.insert(" suite".to_owned(), format!("suite {suite}"));
    }
    if setting.instance.is_some() {
        let name = format!("instance {}", setting.preset);
        found.insert(" instance".to_owned(), name);
    }
    let settings = setting.settings.iter();
    found.extend(settings.map(|(path, value)| (path.clone(), in_words(path, value))));
    found
}

/// How a model is sampled, where that is not the default. Its name is not among the words.
fn sampling(dialect: &Dialect, of: &str) -> Result<Words, RunError> {
    let usual = Dialect::new(dialect.kind, dialect.model.clone());
    let usual = words(&usual, of, &[])?;
    let mut found = words(dialect, of, &[])?;
    found.retain(|key, words| usual.get(key) != Some(words));
    Ok(found)
}

/// The single values of what is stored in a plan, but for the paths in `without`.
fn words(value: &impl Serialize, of: &str, without: &[&str]) -> Result<Words, RunError> {
    let value = serde_json::to_value(value).map_err(RunError::failed)?;
    let mut found = leaves(&value);
    found.retain(|path, value| !without.contains(&path.as_str()) && !value.is_null());
    let word = |(path, value)| {
        let path: Vec<&str> = [of, path]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let path = path.join(" ");
        let words = in_words(&path, value);
        (path, words)
    };
    Ok(found
        .iter()
        .map(|(path, value)| word((path.as_str(), value)))
        .collect())
}

/// The options of `boardroom run` that name the agent, its method as tables name it, and its sampling.
pub(super) fn options(agent: &str, method: Option<&str>, sampling: &Words) -> String {
    let mut options = format!("--agent {}", shell_word(agent));
    if let Some(method) = method {
        // Read back from the label, `name (a, b)`: a row has nothing else of its method.
        let (name, settings) = method.split_once(" (").unwrap_or((method, ""));
        options.push_str(&format!(" --method {}", shell_word(name)));
        // The text of an instruction is in no label, so the command has a gap for its file.
        if name == "gepa" || name.ends_with("+instruction") {
            options.push_str(" --instruction FILE");
        }
        let settings = settings.trim_end_matches(')').split(", ");
        for setting in settings.filter(|setting| !setting.is_empty()) {
            options.push_str(&format!(" --method-set {}", shell_word(setting)));
        }
    }
    for (key, option) in [
        ("temperature", "--temperature"),
        ("top_p", "--top-p"),
        ("max_tokens", "--max-tokens"),
    ] {
        // The last word of `temperature 0.2`.
        let value = sampling.get(key).and_then(|words| words.rsplit(' ').next());
        if let Some(value) = value {
            options.push_str(&format!(" {option} {}", shell_word(value)));
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::wire::ApiKind;

    #[test]
    fn commands_name_what_a_method_needs() {
        let mut warm = Dialect::new(ApiKind::OpenAi, "m");
        assert!(sampling(&warm, "").unwrap().is_empty());
        warm.temperature = Some(0.5);
        let warm = sampling(&warm, "").unwrap();
        for (method, sampling, line) in [
            (None, Words::new(), "--agent a"),
            (
                Some("cot"),
                warm,
                "--agent a --method cot --temperature 0.5",
            ),
            (
                Some("gepa"),
                Words::new(),
                "--agent a --method gepa --instruction FILE",
            ),
            (
                Some("dc (retrieve=3)"),
                Words::new(),
                "--agent a --method dc --method-set retrieve=3",
            ),
        ] {
            assert_eq!(options("a", method, &sampling), line);
        }
        let quoted = options("$(touch x)", Some("cot; x"), &Words::new());
        assert_eq!(quoted, "--agent '$(touch x)' --method 'cot; x'");
    }

    #[test]
    fn only_what_differs_is_said() {
        let words = |pairs: &[(&str, &str)]| -> Words {
            let pairs = pairs.iter();
            pairs
                .map(|(key, word)| ((*key).to_owned(), (*word).to_owned()))
                .collect()
        };
        let one = words(&[("shots", "0 shots"), ("rules", "rules paper")]);
        let two = words(&[
            ("shots", "5 shots"),
            ("rules", "rules paper"),
            ("roles", "roles"),
        ]);
        let keys = differing(&[&one, &two]);
        assert_eq!(labelled("m", &said(&one, &keys)), "m (0 shots)");
        assert_eq!(labelled("m", &said(&two, &keys)), "m (roles, 5 shots)");
        assert!(differing(&[&one, &one]).is_empty());
        assert_eq!(labelled("m", ""), "m");
    }
}
