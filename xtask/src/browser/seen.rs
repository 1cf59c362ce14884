//! The browser's observations, and the faults in them.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The output of `look.mjs`.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) views: BTreeMap<String, View>,
    pub(super) console: Vec<String>,
    pub(super) requests: Vec<String>,
    /// Serious faults that axe found.
    pub(super) axe: Vec<String>,
    pub(super) rankings: Vec<Ranking>,
    pub(super) interplay: Interplay,
    /// What the figures of the page are called.
    captions: Vec<String>,
}

/// The page at one size, in one colour scheme.
#[derive(Debug, Deserialize)]
pub(super) struct View {
    load_ms: f64,
    too_wide: bool,
    /// Parts that show less than they hold.
    clipped: Vec<String>,
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
    mean: Option<Interval>,
    difference: Option<Interval>,
}

/// An interval in a cell of a table.
#[derive(Debug, Deserialize)]
struct Interval {
    /// Its limits with all digits, from the attributes of the cell.
    limits: [f64; 2],
    /// The visible text of the cell.
    shown: String,
}

impl Seen {
    /// Descriptions of all faults; `most_ms` is the maximum loading time, and figures called `plots` must be
    /// there.
    pub(super) fn faults(&self, most_ms: f64, plots: &[&str]) -> Vec<String> {
        let mut faults: Vec<String> = Vec::new();
        faults.extend(self.console.iter().map(|text| format!("console, {text}")));
        faults.extend(self.requests.iter().map(|text| format!("request, {text}")));
        faults.extend(self.axe.iter().cloned());
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
            faults.extend(
                view.clipped
                    .iter()
                    .map(|part| format!("{name}: clipped, {part}")),
            );
        }
        let background = |name: &str| self.views.get(name).map(|view| &view.background);
        if background("light") == background("dark") {
            faults.push("light and dark look the same".to_owned());
        }
        if self.rankings.is_empty() {
            faults.push("there is no ranking".to_owned());
        }
        for plot in plots {
            if !self.captions.iter().any(|caption| caption == plot) {
                faults.push(format!("no figure is called `{plot}`"));
            }
        }
        if !self.interplay.sorts {
            faults.push("the buttons of a table do not sort it".to_owned());
        }
        if !self.interplay.searches {
            faults.push("the search does not hide and show".to_owned());
        }
        faults
    }

    /// Loading time of the slowest view \[ms\].
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
    /// A fault if the interval of the mean differs from that of `run --json`.
    pub(super) fn mean_differs(&self, printed: &Value) -> Option<String> {
        differs(
            &self.agent,
            "mean",
            self.mean.as_ref(),
            printed.pointer("/score/ci95"),
        )
    }

    /// A fault if the interval of the difference differs from that of `compare --json`.
    pub(super) fn difference_differs(&self, compared: &Value) -> Option<String> {
        let ci95 = compared.pointer("/others/0/ci95");
        differs(&self.agent, "difference", self.difference.as_ref(), ci95)
    }
}

fn differs(
    agent: &str,
    what: &str,
    cell: Option<&Interval>,
    wanted: Option<&Value>,
) -> Option<String> {
    let wanted = wanted.and_then(|value| <[f64; 2]>::deserialize(value).ok());
    let (Some(cell), Some(wanted)) = (cell, wanted) else {
        return Some(format!(
            "{agent}: interval of the {what} is {cell:?}, not {wanted:?}"
        ));
    };
    if cell.limits.map(f64::to_bits) != wanted.map(f64::to_bits) {
        let limits = cell.limits;
        return Some(format!(
            "{agent}: interval of the {what} is {limits:?}, not {wanted:?}"
        ));
    }
    let shown = read(&cell.shown);
    let rounded = shown.is_some_and(|[low, high]| {
        let [lowest, highest] = wanted;
        is_rounded(low, lowest) && is_rounded(high, highest)
    });
    (!rounded).then(|| {
        let text = &cell.shown;
        format!("{agent}: interval of the {what} reads `{text}`, which is not {wanted:?}")
    })
}

/// The limits in the text of a cell: `1.5 to 2`, or `better: 0.5 (0.25 to 1,000.5)`.
fn read(text: &str) -> Option<[f64; 2]> {
    let interval = match text.rsplit_once('(') {
        Some((_, rest)) => rest.strip_suffix(')')?,
        None => text,
    };
    let (low, high) = interval.split_once(" to ")?;
    let number = |text: &str| text.trim().replace(',', "").parse().ok();
    Some([number(low)?, number(high)?])
}

/// Whether `shown` is a correct rounding of `wanted`: one decimal from 10,000 on, else four, and
/// two significant digits where four decimals would show 0.
fn is_rounded(shown: f64, wanted: f64) -> bool {
    let size = wanted.abs();
    let half_a_unit = if size >= 10_000.0 {
        0.05
    } else if size >= 0.001 {
        0.000_05
    } else if size >= 1e-12 {
        0.05 * 10_f64.powf(size.log10().floor())
    } else {
        return shown.abs() <= 0.0;
    };
    // Rounding errors of parsing and subtracting.
    (shown - wanted).abs() <= half_a_unit * (1.0 + 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(change: impl Fn(&mut Value)) -> Seen {
        let view = |background: &str| json!({"load_ms": 100.0, "too_wide": false, "clipped": [], "background": background});
        let mut value = json!({
            "views": {"light": view("white"), "dark": view("black"), "narrow": view("white")},
            "console": [], "requests": [], "axe": [],
            "rankings": [{"title": "pricing · basic", "rows": []}],
            "interplay": {"sorts": true, "searches": true},
            "captions": ["Mean score against cost"],
        });
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn each_fault_is_found() {
        let plots = ["Mean score against cost"];
        assert!(seen(|_| {}).faults(2000.0, &plots).is_empty());
        let faulty: [fn(&mut Value); 11] = [
            |v| v["console"] = json!(["light: oh"]),
            |v| v["requests"] = json!(["light: http://elsewhere"]),
            |v| v["axe"] = json!(["light: axe, color-contrast"]),
            |v| v["views"]["dark"]["load_ms"] = json!(2000.0),
            |v| v["views"]["narrow"]["too_wide"] = json!(true),
            |v| v["views"]["light"]["clipped"] = json!(["<p>"]),
            |v| v["views"]["dark"]["background"] = json!("white"),
            |v| v["rankings"] = json!([]),
            |v| v["interplay"]["sorts"] = json!(false),
            |v| v["interplay"]["searches"] = json!(false),
            |v| v["captions"] = json!([]),
        ];
        for (place, fault) in faulty.into_iter().enumerate() {
            let faults = seen(fault).faults(2000.0, &plots);
            assert_eq!(faults.len(), 1, "fault {place}");
        }
    }

    fn row(limits: &Value, shown: &str) -> Row {
        let cell = json!({"limits": limits, "shown": shown});
        serde_json::from_value(json!({"agent": "a", "mean": cell, "difference": null})).unwrap()
    }

    #[test]
    fn intervals_must_agree_in_every_digit() {
        let limits = json!([0.1, 0.30000000000000004]);
        let printed = json!({"score": {"ci95": limits}});
        assert_eq!(row(&limits, "0.1 to 0.3").mean_differs(&printed), None);
        let wrong = row(&json!([0.1, 0.3]), "0.1 to 0.3");
        assert!(wrong.mean_differs(&printed).is_some());
        let none: Row =
            serde_json::from_value(json!({"agent": "a", "mean": null, "difference": null}))
                .unwrap();
        assert!(none.mean_differs(&printed).is_some());
        assert!(none.difference_differs(&json!({})).is_some());
    }

    /// The attributes of a cell are for programs; a reader sees its text.
    #[test]
    fn what_is_read_must_be_the_interval_too() {
        let check = |limits: [f64; 2], shown: &str, right: bool| {
            let limits = json!(limits);
            let printed = json!({"score": {"ci95": limits}});
            let fault = row(&limits, shown).mean_differs(&printed);
            assert_eq!(fault.is_none(), right, "{limits} as `{shown}`: {fault:?}");
        };
        check([0.123_449, 2.0], "0.1234 to 2", true);
        check([0.123_449, 2.0], "0.1235 to 2", false);
        check([0.123_449, 2.0], "2 to 0.1234", false);
        check([0.123_449, 2.0], "0.1234", false);
        check([0.123_449, 2.0], "", false);
        check([-12_345.678, -1_234.5], "-12,345.7 to -1,234.5", true);
        check([-12_345.678, -1_234.5], "12,345.7 to -1,234.5", false);
        check([-12_345.678, -1_234.5], "-12,346 to -1,234.5", false);
        check([0.000_012_34, 0.5], "1.2e-5 to 0.5", true);
        check([0.000_012_34, 0.5], "0 to 0.5", false);
        check([1e-17, 0.5], "0 to 0.5", true);
        check([0.25, 1_000.5], "better: 0.5 (0.25 to 1,000.5)", true);
        check([0.25, 1_000.5], "better: 0.5 (0.25 to 1,000.6)", false);
    }
}
