//! What the browser saw, and what is wrong with it.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What `look.mjs` prints.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) views: BTreeMap<String, View>,
    pub(super) console: Vec<String>,
    pub(super) requests: Vec<String>,
    pub(super) rankings: Vec<Ranking>,
    pub(super) interplay: Interplay,
}

/// The page at one size, in one colour scheme.
#[derive(Debug, Deserialize)]
pub(super) struct View {
    load_ms: f64,
    too_wide: bool,
    background: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Interplay {
    sorts: bool,
    searches: bool,
}

/// One table of the page.
#[derive(Debug, Deserialize)]
pub(super) struct Ranking {
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
}

/// One agent, with the intervals of its mean and of its difference to the first.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub(super) agent: String,
    mean: Option<[f64; 2]>,
    difference: Option<[f64; 2]>,
}

impl Seen {
    /// What is wrong, in words; `most_ms` is the longest time until the page is loaded.
    pub(super) fn faults(&self, most_ms: f64) -> Vec<String> {
        let mut faults: Vec<String> = Vec::new();
        faults.extend(self.console.iter().map(|text| format!("console, {text}")));
        faults.extend(self.requests.iter().map(|text| format!("request, {text}")));
        for (name, view) in &self.views {
            if view.load_ms >= most_ms {
                faults.push(format!(
                    "{name}: loaded in {} ms, not in {most_ms}",
                    view.load_ms
                ));
            }
            if view.too_wide {
                faults.push(format!("{name}: wider than the window"));
            }
        }
        let background = |name: &str| self.views.get(name).map(|view| &view.background);
        if background("light") == background("dark") {
            faults.push("light and dark look the same".to_owned());
        }
        if self.rankings.is_empty() {
            faults.push("there is no ranking".to_owned());
        }
        if !self.interplay.sorts {
            faults.push("the buttons of a table do not sort it".to_owned());
        }
        if !self.interplay.searches {
            faults.push("the search does not hide and show".to_owned());
        }
        faults
    }

    /// Time until the slowest view was loaded \[ms\].
    pub(super) fn slowest_ms(&self) -> f64 {
        self.views
            .values()
            .map(|view| view.load_ms)
            .fold(0.0, f64::max)
    }
}

impl Ranking {
    /// The environment in its title.
    pub(super) fn environment(&self) -> &str {
        self.title.split(" · ").next().unwrap_or_default()
    }
}

impl Row {
    /// Says so where the interval of the mean is not that of `run --json`.
    pub(super) fn mean_differs(&self, printed: &Value) -> Option<String> {
        differs(
            &self.agent,
            "mean",
            self.mean,
            printed.pointer("/score/ci95"),
        )
    }

    /// Says so where the interval of the difference is not that of `compare --json`.
    pub(super) fn difference_differs(&self, compared: &Value) -> Option<String> {
        let ci95 = compared.pointer("/others/0/ci95");
        differs(&self.agent, "difference", self.difference, ci95)
    }
}

fn differs(
    agent: &str,
    what: &str,
    shown: Option<[f64; 2]>,
    wanted: Option<&Value>,
) -> Option<String> {
    let wanted = wanted.and_then(|value| <[f64; 2]>::deserialize(value).ok());
    let bits = |limits: Option<[f64; 2]>| limits.map(|limits| limits.map(f64::to_bits));
    (wanted.is_none() || bits(shown) != bits(wanted))
        .then(|| format!("{agent}: interval of the {what} is {shown:?}, not {wanted:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(change: impl Fn(&mut Value)) -> Seen {
        let view = |background: &str| json!({"load_ms": 100.0, "too_wide": false, "background": background});
        let mut value = json!({
            "views": {"light": view("white"), "dark": view("black"), "narrow": view("white")},
            "console": [], "requests": [],
            "rankings": [{"title": "pricing · basic", "rows": []}],
            "interplay": {"sorts": true, "searches": true},
        });
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn each_fault_is_found() {
        assert!(seen(|_| {}).faults(2000.0).is_empty());
        let faulty: [fn(&mut Value); 8] = [
            |v| v["console"] = json!(["light: oh"]),
            |v| v["requests"] = json!(["light: http://elsewhere"]),
            |v| v["views"]["dark"]["load_ms"] = json!(2000.0),
            |v| v["views"]["narrow"]["too_wide"] = json!(true),
            |v| v["views"]["dark"]["background"] = json!("white"),
            |v| v["rankings"] = json!([]),
            |v| v["interplay"]["sorts"] = json!(false),
            |v| v["interplay"]["searches"] = json!(false),
        ];
        for (place, fault) in faulty.into_iter().enumerate() {
            assert_eq!(seen(fault).faults(2000.0).len(), 1, "fault {place}");
        }
    }

    #[test]
    fn intervals_must_agree_in_every_digit() {
        let row = |mean: Value| -> Row {
            serde_json::from_value(json!({"agent": "a", "mean": mean, "difference": null})).unwrap()
        };
        let printed = json!({"score": {"ci95": [0.1, 0.30000000000000004]}});
        assert_eq!(
            row(json!([0.1, 0.30000000000000004])).mean_differs(&printed),
            None
        );
        for wrong in [json!([0.1, 0.3]), json!(null)] {
            assert!(row(wrong).mean_differs(&printed).is_some());
        }
        assert!(row(json!(null)).difference_differs(&json!({})).is_some());
    }
}
