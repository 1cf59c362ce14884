//! An evaluation as text.
//!
//! Accuracies have three decimals, shares are whole per cent. The `head` of each kind of line names its columns.

use super::{AgentLine, CellLine, PolicyComparison, PolicyEvaluation, RuleLine};
use crate::matrix::AnswerCost;
use sim_core::stats::Interval;
use std::fmt;

impl fmt::Display for PolicyEvaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let router = &self.router;
        write!(f, "{} samples", self.n)?;
        if self.left_out > 0 {
            write!(f, ", {} left out: not answered by all", self.left_out)?;
        }
        let interval = ends(router.interval.as_ref());
        writeln!(f, "\n\nrouter       {:.3}  {interval}", router.accuracy)?;
        writeln!(
            f,
            "best single  {:.3}  {}",
            // The best single agent is the first of the list.
            self.agents.first().map_or(0.0, |agent| agent.accuracy),
            self.best_single
        )?;
        writeln!(
            f,
            "oracle       {:.3}  regret {:.3}",
            self.oracle, self.regret
        )?;
        writeln!(
            f,
            "router less best single: {}",
            compared(&router.against_best)
        )?;
        writeln!(
            f,
            "default agent {} gets {:.0} % of the samples; an answer takes {}",
            router.default_agent,
            100.0 * router.default_share,
            cost(&router.cost)
        )?;
        writeln!(f, "\n{}", AgentLine::head())?;
        for line in &self.agents {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "\n{}", RuleLine::head())?;
        for line in &self.rules {
            writeln!(f, "{line}")?;
        }
        if !self.cells.is_empty() {
            writeln!(f, "\n{}", CellLine::head())?;
            for line in &self.cells {
                writeln!(f, "{line}")?;
            }
        }
        Ok(())
    }
}

impl AgentLine {
    fn head() -> String {
        format!(
            "{:<14} {:>8}  {:<18} {:>6}  {:<26} {}",
            "agent", "accuracy", "95 % interval", "share", "an answer takes", "router less agent"
        )
    }
}

impl fmt::Display for AgentLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<14} {:>8.3}  {:<18} {:>4.0} %  {:<26} {}",
            self.name,
            self.accuracy,
            ends(self.interval.as_ref()),
            100.0 * self.share,
            cost(&self.cost),
            compared(&self.router_against)
        )?;
        match &self.against_best {
            Some(against) if !against.distinguishable => {
                f.write_str("; not distinguishable from the best single agent")
            }
            _ => Ok(()),
        }
    }
}

impl RuleLine {
    fn head() -> String {
        format!(
            "{:>4} {:<44} {:<12} {:>6} {:>8}  {}",
            "rule", "samples with", "agent", "n", "accuracy", "less the default agent"
        )
    }
}

impl fmt::Display for RuleLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.rule.map_or("-".to_owned(), |at| (at + 1).to_string());
        // The default agent against itself, or over no samples, would be a column of zeros.
        let against = match self.rule {
            Some(_) if self.n > 0 => compared(&self.against_default),
            _ => String::new(),
        };
        let line = format!(
            "{number:>4} {:<44} {:<12} {:>6} {:>8.3}  {against}",
            self.when, self.agent, self.n, self.accuracy
        );
        f.write_str(line.trim_end())
    }
}

impl CellLine {
    fn head() -> String {
        format!(
            "{:<30} {:>6} {:>7} {:>7} {:>7}  {:<20} {}",
            "cell", "n", "router", "single", "oracle", "best here", "router less single"
        )
    }
}

impl fmt::Display for CellLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name: Vec<String> = Vec::new();
        name.extend(self.task_name.clone());
        name.extend(self.capability.clone());
        name.extend(self.difficulty_bucket.map(|it| it.to_string()));
        let here = format!("{} {:.3}", self.best_here, self.best_here_accuracy);
        write!(
            f,
            "{:<30} {:>6} {:>7.3} {:>7.3} {:>7.3}  {here:<20} {}",
            name.join(" "),
            self.n,
            self.router,
            self.best_single,
            self.oracle,
            compared(&self.against_best)
        )
    }
}

/// A difference with its interval and a verdict in words.
pub(crate) fn compared(of: &PolicyComparison) -> String {
    let verdict = if of.distinguishable {
        String::new()
    } else {
        ", not distinguishable".to_owned()
    };
    let interval = of.interval.as_ref().map_or(String::new(), |it| {
        format!(" ({:+.3} to {:+.3})", it.low, it.high)
    });
    format!(
        "{:+.3}{interval}, p = {:.3}{verdict}",
        of.difference, of.mcnemar
    )
}

fn ends(interval: Option<&Interval>) -> String {
    interval.map_or_else(
        || "-".to_owned(),
        |it| format!("({:.3} to {:.3})", it.low, it.high),
    )
}

fn cost(of: &AnswerCost) -> String {
    let mut parts = Vec::new();
    parts.extend(of.calls.map(|calls| format!("{calls:.1} calls")));
    parts.extend(of.tokens.map(|tokens| format!("{tokens:.0} tokens")));
    parts.extend(of.usd.map(|usd| format!("${usd:.4}")));
    if parts.is_empty() {
        return "no usage told".to_owned();
    }
    parts.join(", ")
}
