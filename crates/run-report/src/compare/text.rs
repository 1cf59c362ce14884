//! A comparison as text for people.

use super::{Compared, Comparison, Side};
use run_engine::plan::setting::Setting;
use run_engine::terminal::shown_name;
use run_engine::words::{counted, direction, fine, mark, number};
use std::fmt;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}{} [{}], {}",
            self.environment,
            common(self),
            self.unit,
            direction(self.sense)
        )?;
        line(f, &self.first)?;
        for other in &self.others {
            line(f, &other.side)?;
            writeln!(
                f,
                "    difference {} on {}, {}: {}",
                other.difference.map_or_else(|| "none".to_owned(), fine),
                shared(other),
                certainty(other),
                verdict(&self.first, other)
            )?;
            if let Some(why) = &other.left_out {
                writeln!(
                    f,
                    "    left out: {} of {} alone, {} of {} alone; {why}",
                    other.only_first,
                    shown_name(&self.first.agent),
                    other.only_this,
                    shown_name(&other.side.agent)
                )?;
            }
        }
        for note in &self.notes {
            writeln!(f, "  note: {}", shown_name(note))?;
        }
        Ok(())
    }
}

/// What sets the task apart from others of its preset, where all sides played the same.
fn common(comparison: &Comparison) -> String {
    let others = comparison.others.iter().map(|other| &other.side);
    let mut sides = others.map(|side| &side.played);
    let played = &comparison.first.played;
    let words = played.as_ref().map(Setting::words).unwrap_or_default();
    // A heading that is true of one side only would mislead.
    if words.is_empty() || sides.any(|other| other != played) {
        String::new()
    } else {
        format!(", {words}")
    }
}

fn line(f: &mut fmt::Formatter<'_>, side: &Side) -> fmt::Result {
    let mean = side.mean.map_or_else(|| "none".to_owned(), number);
    let done = counted(side.extent.episodes as u64, "episode");
    let extent = side.extent.words();
    let mark = mark(side.oracle);
    let unscored = match side.unscored {
        0 => String::new(),
        count => format!(", {count} more unscored"),
    };
    writeln!(
        f,
        "  {}{mark}: mean {mean}, {done}{extent}{unscored}; {}",
        shown_name(&side.name),
        side.verified
    )?;
    match side.causes.remark() {
        Some(remark) => writeln!(f, "    {remark}"),
        None => Ok(()),
    }
}

/// What a difference was measured on.
fn shared(other: &Compared) -> String {
    let (trials, instances) = (other.shared as u64, other.shared_instances as u64);
    if trials == instances {
        counted(trials, "shared instance")
    } else {
        // Both numbers: trials of one instance are fewer observations than they seem.
        let trials = counted(trials, "shared trial");
        format!("{trials} of {}", counted(instances, "instance"))
    }
}

fn certainty(other: &Compared) -> String {
    match other.ci95 {
        Some([low, high]) if low < high => {
            format!("95 % interval {} to {}", fine(low), fine(high))
        }
        Some(_) => other.same_everywhere(),
        None if other.deterministic => "exact".to_owned(),
        None => "too few for an interval".to_owned(),
    }
}

/// Who is better than whom, in words.
fn verdict(first: &Side, other: &Compared) -> String {
    let (first, this) = (shown_name(&first.agent), shown_name(&other.side.agent));
    match other.verdict {
        "better" => format!("{this} is better than {first}"),
        "worse" => format!("{first} is better than {this}"),
        "higher" | "lower" => format!("{this} is {} than {first}", other.verdict),
        "equal" => format!("{this} and {first} are equal"),
        // No interval, or one without zero and yet no verdict: here the number is small and not the
        // difference.
        same if other.ci95.is_none_or(|[low, high]| low > 0.0 || high < 0.0) => {
            format!("{same} on so few {}", other.observations.1)
        }
        same => same.to_owned(),
    }
}
