//! A report in words.

use super::SetReport;
use crate::grade::AnswerOutcome;
use sim_core::error::clip;
use sim_core::plot::number;
use sim_core::words::{counted, interval_words};
use std::collections::BTreeMap;
use std::fmt;

/// Maximum number of reasons that are named for programs that could not be run.
const MOST_NAMED: usize = 5;

/// A few lines for a person.
impl fmt::Display for SetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = self.letters;
        let letters = letters.map_or_else(String::new, |name| format!(", letters {name}"));
        let lenient = if self.lenient { ", lenient" } else { "" };
        let matched = self.matched.map_or_else(String::new, |matched| {
            format!(", {matched} in the file of answers")
        });
        writeln!(
            f,
            "{}, rules {}{lenient}{letters}: {}{matched}, {} counted",
            self.task,
            self.profile,
            counted(self.n as u64, "item"),
            self.counted
        )?;
        if self.by_order {
            writeln!(
                f,
                "  the answers have no identifiers: the first one belongs to the first item, and so on"
            )?;
        }
        if self.by_place {
            writeln!(
                f,
                "  the answers name the places of their items, counted from 0: they were joined by place"
            )?;
        }
        if self.shift != 0 {
            let (answers, items) = if self.shift > 0 { (0, 1) } else { (1, 0) };
            writeln!(
                f,
                "  the identifiers of the answers are counted from {answers}, those of the items from {items}: they were joined with the difference"
            )?;
        }
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: f64, more: &str| {
            writeln!(f, "  {name:<26}{:>12}  {more}", number(value))
        };
        match &self.headline {
            Some(headline) => {
                let interval = headline
                    .interval
                    .map_or_else(String::new, |i| interval_words(i.low, i.high));
                line(f, &headline.name, headline.value, &interval)?;
            }
            None => writeln!(f, "  nothing is counted")?,
        }
        let unscored = self.n.saturating_sub(self.counted);
        if unscored > 0 {
            let (have, are) = if unscored == 1 {
                ("has", "is")
            } else {
                ("have", "are")
            };
            writeln!(
                f,
                "  {unscored} of {} {have} no grade and {are} not in the figure",
                counted(self.n as u64, "item")
            )?;
        }
        if let Some(flexible) = &self.flexible {
            let differ = counted(flexible.differ as u64, "item");
            let more = format!("the last number of each reply; differs on {differ}");
            line(f, "flexible", flexible.value, &more)?;
        }
        if let Some(classes) = &self.classes {
            let constant = classes.constant_balanced_accuracy;
            line(
                f,
                "balanced accuracy",
                classes.balanced_accuracy,
                &format!("{} for any constant answer", number(constant)),
            )?;
            line(
                f,
                "majority baseline",
                classes.majority_accuracy,
                &format!("always `{}`", clip(&classes.majority_label)),
            )?;
        }
        if let Some(sets) = &self.sets {
            line(f, "f1", sets.f1, "mean over items")?;
            line(f, "f1_micro", sets.f1_micro, "")?;
            line(f, "f1_macro_label", sets.f1_macro_label, "")?;
        }
        // What stands above with its meaning is not said twice.
        let said = [
            "balanced_accuracy",
            "majority_accuracy",
            "f1",
            "f1_micro",
            "f1_macro_label",
        ];
        let further = self.metrics.iter();
        for (name, value) in further.filter(|(name, _)| !said.contains(&name.as_str())) {
            line(f, name, *value, "")?;
        }
        let mut outcomes = Vec::new();
        for (outcome, count) in &self.outcomes {
            let name = outcome.to_string().replace('_', " ");
            outcomes.push(format!("{name} {count}"));
        }
        writeln!(f, "  {}", outcomes.join(", "))?;
        self.show_unsupported(f)?;
        if self.unmatched > 0 {
            let cause = self
                .cause
                .map_or_else(String::new, |cause| format!(": {cause}"));
            writeln!(
                f,
                "  {} {} to no item{cause}",
                counted(self.unmatched as u64, "answer"),
                if self.unmatched == 1 {
                    "belongs"
                } else {
                    "belong"
                }
            )?;
        }
        if self.repeated > 0 {
            writeln!(
                f,
                "  {} to the same items {} not scored",
                counted(self.repeated as u64, "further answer"),
                if self.repeated == 1 { "was" } else { "were" }
            )?;
        }
        Ok(())
    }
}

impl SetReport {
    /// Which programs were not run, and why.
    fn show_unsupported(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lacking: BTreeMap<&str, u64> = BTreeMap::new();
        for graded in &self.grades {
            if graded.grade.outcome == AnswerOutcome::Unsupported {
                let what = graded.grade.note.as_deref().unwrap_or("no reason given");
                *lacking.entry(what).or_default() += 1;
            }
        }
        let count: u64 = lacking.values().sum();
        if count == 0 {
            return Ok(());
        }
        let mut lacking: Vec<_> = lacking.into_iter().collect();
        // A stable sort: reasons that are as frequent stay in the order of the alphabet, so that
        // two reports of the same grades are equal.
        lacking.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most = lacking.iter().take(MOST_NAMED);
        let mut named: Vec<String> = most.map(|(what, n)| format!("{what} ({n})")).collect();
        if lacking.len() > MOST_NAMED {
            named.push("..".to_owned());
        }
        // There is a program at least, so `n` is not 0.
        let share = 100.0 * count as f64 / self.n as f64;
        writeln!(
            f,
            "  {} ({share:.1} %) could not be run: {}",
            counted(count, "program"),
            named.join(", ")
        )?;
        writeln!(
            f,
            "  accuracy counts them as wrong, accuracy_supported leaves them out"
        )
    }
}
