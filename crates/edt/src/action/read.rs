//! Reading a decision from JSON, in our names or in the paper's.
//!
//! Three layers of tolerance, in this order: the field names may be long or short, but
//! not both for one field; a project entry may be an object, a list with or without a
//! leading flag, or a rejection (`0`, `null`, `false`); numbers may be written as `9` or
//! `9.0`. Everything else is an error that names the place, because a plan that is
//! misread silently would be scored as if the agent had meant it.

use super::{Action, Window};
use serde_json::{Map, Value};
use sim_core::error::clip;

impl TryFrom<Value> for Action {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let Value::Object(fields) = value else {
            return Err(
                "a plan must be an object with consultants, risk_level and projects".to_owned(),
            );
        };
        let mut taken = Fields { fields };
        let consultants = whole("consultants", &taken.take("consultants", "C")?)?;
        let risk_level = number("risk_level", &taken.take("risk_level", "R")?)?;
        let projects = match taken.take("projects", "P")? {
            Value::Array(entries) => entries,
            other => return Err(format!("projects must be a list, not {}", kind(&other))),
        };
        taken.finish()?;
        let projects = projects
            .iter()
            .enumerate()
            .map(|(i, entry)| window(entry).map_err(|e| format!("projects[{i}]: {e}")))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            consultants,
            risk_level,
            projects,
        })
    }
}

impl Action {
    /// Reads a plan whose projects are listed by number: `{"project": 2, "start": 1,
    /// "deadline": 95}`, counted from 1; what is not listed is rejected. The other forms of
    /// [`Action`] are read too.
    ///
    /// # Errors
    /// Names the place of a value that is missing, unknown, listed twice or not a number.
    ///
    /// This is the form of the tool `submit_plan`. It suits long lists, where counting
    /// commas is error-prone:
    ///
    /// ```
    /// use edt::Action;
    /// use serde_json::json;
    ///
    /// let plan = json!({
    ///     "consultants": 4, "risk_level": 0.2,
    ///     "projects": [{"project": 2, "start": 1, "deadline": 40}],
    /// });
    /// let plan = Action::from_listing(&plan, 3)?;
    /// assert_eq!(plan.accepted(), 1);
    /// assert!(plan.projects[1].is_some());
    ///
    /// let beyond = json!({"consultants": 4, "risk_level": 0, "projects": [{"project": 9}]});
    /// let message = Action::from_listing(&beyond, 3).unwrap_err();
    /// assert_eq!(message, "projects[0]: project must be from 1 to 3, not 9");
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_listing(value: &Value, projects: usize) -> Result<Self, String> {
        let entries = value
            .get("projects")
            .or_else(|| value.get("P"))
            .and_then(Value::as_array);
        // An empty list counts as a listing: it rejects all projects. Read as a list by
        // position it would be refused, because that form needs an entry for each
        // project.
        let by_number = entries.is_some_and(|list| {
            list.is_empty() || list.iter().any(|entry| entry.get("project").is_some())
        });
        let (Some(entries), true, Value::Object(fields)) = (entries, by_number, value) else {
            return Self::try_from(value.clone());
        };
        let mut placed: Vec<Value> = vec![Value::Null; projects];
        for (i, entry) in entries.iter().enumerate() {
            let fault = |message: String| format!("projects[{i}]: {message}");
            let Value::Object(entry) = entry else {
                return Err(fault(
                    "must be an object with project, start and deadline".to_owned(),
                ));
            };
            let mut rest = entry.clone();
            let id = rest
                .remove("project")
                .ok_or_else(|| fault("`project` is missing".to_owned()))?;
            let id = whole("project", &id).map_err(fault)?;
            let slot = usize::try_from(id - 1)
                .ok()
                .and_then(|index| placed.get_mut(index))
                .ok_or_else(|| fault(format!("project must be from 1 to {projects}, not {id}")))?;
            if !slot.is_null() {
                return Err(fault(format!("project {id} is listed twice")));
            }
            // What is left of the entry is a window object, which the reader by position
            // checks. So both forms have one set of messages.
            *slot = Value::Object(rest);
        }
        let mut fields = fields.clone();
        // The list by position takes the place of the one by number, under the same name: two lists are refused
        // as two of any other field.
        let name = if fields.contains_key("projects") {
            "projects"
        } else {
            "P"
        };
        fields.insert(name.to_owned(), Value::Array(placed));
        Self::try_from(Value::Object(fields))
    }
}

/// An object whose keys are taken one by one, so that what is left over is unknown.
struct Fields {
    fields: Map<String, Value>,
}

impl Fields {
    fn take(&mut self, name: &str, short: &str) -> Result<Value, String> {
        match (self.fields.remove(name), self.fields.remove(short)) {
            (Some(_), Some(_)) => Err(format!(
                "`{name}` and `{short}` are the same field, give one"
            )),
            (Some(value), None) | (None, Some(value)) => Ok(value),
            (None, None) => Err(format!("`{name}` is missing")),
        }
    }

    fn finish(&self) -> Result<(), String> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!(
                "`{}` is unknown; a plan has consultants, risk_level and projects",
                clip(key)
            )),
        }
    }
}

fn window(entry: &Value) -> Result<Option<Window>, String> {
    match entry {
        Value::Null | Value::Bool(false) => Ok(None),
        Value::Number(n) if n.as_f64() == Some(0.0) => Ok(None),
        Value::Array(items) => match items.as_slice() {
            [flag] if flag.as_f64() == Some(0.0) => Ok(None),
            // A model may leave the window of a project that it rejects; behind a 0 it means
            // nothing.
            [flag, _, _] if flag.as_f64() == Some(0.0) => Ok(None),
            [start, deadline] => pair(start, deadline),
            [flag, start, deadline] if flag.as_f64() == Some(1.0) => pair(start, deadline),
            _ => Err("must be [start, deadline], [1, start, deadline] or 0".to_owned()),
        },
        Value::Object(fields) => {
            if let Some(key) = fields.keys().find(|k| *k != "start" && *k != "deadline") {
                return Err(match key.as_str() {
                    // The list of the tool, in an action whose firm is not known here.
                    "project" => "`project` is read in the tool submit_plan only; a typed action \
                         lists all projects in their order, each as {\"start\": .., \"deadline\": ..} \
                         or as null if it is rejected (or `C`, `R`, `P` of the paper)"
                        .to_owned(),
                    key => format!(
                        "`{}` is unknown; a window has start and deadline",
                        clip(key)
                    ),
                });
            }
            let field = |name: &str| {
                fields
                    .get(name)
                    .ok_or_else(|| format!("`{name}` is missing"))
            };
            pair(field("start")?, field("deadline")?)
        }
        _ => Err("must be 0 or null (rejected), or a window with start and deadline".to_owned()),
    }
}

fn pair(start: &Value, deadline: &Value) -> Result<Option<Window>, String> {
    Ok(Some(Window {
        start: number("start", start)?,
        deadline: number("deadline", deadline)?,
    }))
}

fn number(name: &str, value: &Value) -> Result<f64, String> {
    value
        .as_f64()
        .filter(|x| x.is_finite())
        .ok_or_else(|| format!("{name} must be a number, not {}", kind(value)))
}

// A model may write 9.0 for 9. The limit of 1e9 keeps the cast exact; no firm has that
// many consultants.
fn whole(name: &str, value: &Value) -> Result<i64, String> {
    let x = number(name, value)?;
    if x.fract() != 0.0 || x.abs() > 1e9 {
        return Err(format!("{name} must be a whole number, not {x}"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 1e9")]
    let whole = x as i64;
    Ok(whole)
}

fn kind(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text `{}`", clip(text)),
        other => format!("`{}`", clip(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Action, String> {
        Action::try_from(value)
    }

    #[test]
    fn all_forms_say_the_same() {
        let ours = read(json!({"consultants": 9, "risk_level": 0.5,
            "projects": [null, {"start": 1, "deadline": 95}]}));
        for short in [
            json!({"C": 9, "R": 0.5, "P": [0, [1, 1, 95]]}),
            json!({"C": 9.0, "R": 0.5, "P": [[0, 3, 4], [1, 95]]}),
            json!({"C": 9, "R": 0.5, "P": [false, {"start": 1, "deadline": 95}]}),
        ] {
            assert_eq!(read(short), ours);
        }
        let listed = json!({"consultants": 9, "risk_level": 0.5,
            "projects": [{"project": 2, "start": 1, "deadline": 95}]});
        assert_eq!(Action::from_listing(&listed, 2), ours);
        let nothing = json!({"C": 0, "R": 0, "P": []});
        assert_eq!(
            Action::from_listing(&nothing, 3).unwrap().projects,
            vec![None; 3]
        );
        let text = serde_json::to_value(ours.clone().unwrap()).unwrap();
        assert_eq!(read(text), ours);
    }

    #[test]
    fn faults_are_named() {
        let fault = |value| read(value).unwrap_err();
        assert_eq!(
            fault(json!([1])),
            "a plan must be an object with consultants, risk_level and projects"
        );
        assert_eq!(fault(json!({"C": 1, "R": 0})), "`projects` is missing");
        assert_eq!(
            fault(json!({"C": 1.5, "R": 0, "P": []})),
            "consultants must be a whole number, not 1.5"
        );
        assert_eq!(
            fault(json!({"C": 1, "R": "0", "P": []})),
            "risk_level must be a number, not the text `0`"
        );
        assert_eq!(
            fault(json!({"C": 1, "R": 0, "P": [], "Q": 2})),
            "`Q` is unknown; a plan has consultants, risk_level and projects"
        );
        assert_eq!(
            fault(json!({"C": 1, "R": 0, "P": [[1, 2, 3, 4]]})),
            "projects[0]: must be [start, deadline], [1, start, deadline] or 0"
        );
        let by_number = json!({"consultants": 1, "risk_level": 0,
            "projects": [{"project": 1, "start": 1, "deadline": 2}]});
        let message = fault(by_number);
        for part in ["projects[0]: ", "in their order", "null", "`P`"] {
            assert!(message.contains(part), "{message}");
        }
        let listed = |entry: Value| {
            let plan =
                json!({"C": 1, "R": 0, "P": [{"project": 1, "start": 1, "deadline": 2}, entry]});
            Action::from_listing(&plan, 3).unwrap_err()
        };
        assert_eq!(
            listed(json!({"project": 1, "start": 1, "deadline": 2})),
            "projects[1]: project 1 is listed twice"
        );
        let twice = json!({"C": 1, "R": 0, "P": [null],
            "projects": [{"project": 1, "start": 1, "deadline": 2}]});
        assert_eq!(
            Action::from_listing(&twice, 1).unwrap_err(),
            "`projects` and `P` are the same field, give one"
        );
        assert_eq!(
            listed(json!({"project": 4, "start": 1, "deadline": 2})),
            "projects[1]: project must be from 1 to 3, not 4"
        );
        assert_eq!(
            listed(json!({"start": 1, "deadline": 2})),
            "projects[1]: `project` is missing"
        );
        assert_eq!(
            listed(json!({"project": 2, "start": 1})),
            "projects[1]: `deadline` is missing"
        );
    }
}
