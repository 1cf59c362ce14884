//! The settings of a run besides its environment: preset, suite, and changed values.

use crate::plan::Plan;
use crate::registry::Registry;
use serde::Serialize;
use serde_json::Value;
use sim_core::DynEnvironmentSpec;
use sim_core::error::clip;
use std::collections::BTreeMap;
use std::fmt;

/// Most settings that are named in words; the others are counted.
const MOST: usize = 3;

/// Preset and suite of a run, with the settings that are not those of the preset.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Setting {
    /// Preset.
    pub preset: String,
    /// Published list of instances, where one was played.
    pub suite: Option<String>,
    /// Settings that are not those of the preset, by dotted path.
    pub settings: BTreeMap<String, Value>,
    /// Digest of the instance, where it came from a file; the preset is then its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

impl Setting {
    /// The setting of a plan. Where this program does not know the preset (any more), every setting
    /// counts as another one.
    #[must_use]
    pub fn of(kind: &dyn DynEnvironmentSpec, plan: &Plan) -> Self {
        if plan.instance.is_some() {
            return Self {
                preset: plan.preset.clone(),
                instance: Some(plan.config_digest().to_string()),
                ..Self::default()
            };
        }
        // With a list, the preset of the plan is the name of the list, and the configuration that
        // of the first preset.
        let named = plan.list.is_none().then_some(plan.preset.as_str());
        let preset = kind.configure(named, &[]).ok();
        let preset = preset.as_ref().map(leaves).unwrap_or_default();
        let mut settings = leaves(&plan.config);
        settings.retain(|path, value| preset.get(path) != Some(value));
        Self {
            preset: plan.preset.clone(),
            suite: plan.suite.clone(),
            settings,
            instance: None,
        }
    }

    /// As [`of`](Self::of), without a suite and in words: the preset, with the settings that are not those of the preset.
    /// Where the environment is not known, nothing is known of its presets either.
    #[must_use]
    pub fn shown(environments: &Registry, plan: &Plan) -> String {
        let setting = environments.kind(&plan.environment).map(|kind| Self {
            suite: None,
            ..Self::of(kind, plan)
        });
        setting.map_or_else(|_| plan.preset.clone(), |setting| setting.to_string())
    }

    /// Suite and settings in words; empty where the preset is all there is to say.
    #[must_use]
    pub fn words(&self) -> String {
        let suite = self.suite.iter().map(|suite| format!("suite {suite}"));
        let shown = self.settings.iter().take(MOST);
        let shown = shown.map(|(path, value)| in_words(path, value));
        let more = self.settings.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("{more} more settings"));
        let words: Vec<String> = suite.chain(shown).chain(more).collect();
        words.join(", ")
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        if words.is_empty() {
            f.write_str(&self.preset)
        } else {
            write!(f, "{} ({words})", self.preset)
        }
    }
}

/// A setting and its value in words. A long text is cut inside its quotes.
pub fn in_words(path: &str, value: &Value) -> String {
    let value = match value {
        Value::String(text) => Value::from(clip(text)).to_string(),
        value => clip(&value.to_string()),
    };
    format!("{path} = {value}")
}

/// The single values of a configuration, by dotted path.
pub fn leaves(config: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    gather(config, "", &mut found);
    found
}

fn gather(value: &Value, path: &str, found: &mut BTreeMap<String, Value>) {
    // An empty object counts as a value: as a branch it would have no leaf and vanish.
    let Some(object) = value.as_object().filter(|object| !object.is_empty()) else {
        found.insert(path.to_owned(), value.clone());
        return;
    };
    for (name, value) in object {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        gather(value, &path, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_text_ends_with_its_quote() {
        let shown = in_words("imported", &json!("e".repeat(64)));
        assert_eq!(shown, format!("imported = \"{}…\"", "e".repeat(60)));
    }

    #[test]
    fn what_is_set_otherwise_is_said_shortly() {
        let config =
            json!({"weeks": 10, "cost": {"backlog": 2.0}, "list": [1], "none": {}, "z": 0});
        let mut setting = Setting {
            preset: "hard".to_owned(),
            ..Setting::default()
        };
        assert_eq!(setting.to_string(), "hard");
        setting.suite = Some("paper".to_owned());
        setting.settings = leaves(&config);
        assert_eq!(
            setting.to_string(),
            "hard (suite paper, cost.backlog = 2.0, list = [1], none = {}, 2 more settings)"
        );
    }
}
