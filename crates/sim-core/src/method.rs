//! The methods by which a model decides, one row each.
//!
//! `agent-client` carries them out and `aoa-router` chooses among them; neither depends on the other,
//! so the table that both read stands here. The command line lists it, and a test compares
//! `docs/agents.md` with it.

/// A method: how a decision is made, and what is kept from one decision to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMethod {
    /// Its name in records and on the command line.
    pub name: &'static str,
    /// How a decision is made.
    pub deliberator: &'static str,
    /// What is shown before a decision and kept after it.
    pub memory: &'static str,
    /// What a question costs.
    pub cost: MethodCost,
    /// What it does, in a few words.
    pub about: &'static str,
}

/// The model requests that a question takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodCost {
    /// Their typical number.
    pub requests: u32,
    /// When it differs; may be empty.
    pub note: &'static str,
}

impl std::fmt::Display for MethodCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.requests)?;
        if self.note.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.note)
    }
}

/// The methods, the cheapest first.
///
/// ```
/// let names = sim_core::METHODS.map(|method| method.name);
/// assert_eq!(names.first(), Some(&"cot"));
/// ```
pub const METHODS: [AgentMethod; 9] = [
    AgentMethod {
        name: "cot",
        deliberator: "single",
        memory: "none",
        cost: cost(1, ""),
        about: "thinks step by step, then answers",
    },
    AgentMethod {
        name: "gepa",
        deliberator: "single",
        memory: "instruction",
        cost: cost(1, "and the budget of its evolution, beforehand"),
        about: "follows an instruction that was evolved before the run",
    },
    AgentMethod {
        name: "self-refine",
        deliberator: "refine",
        memory: "none",
        cost: cost(2, "1, and one for each round, at most 4 rounds"),
        about: "criticises its own answer and improves it",
    },
    AgentMethod {
        name: "reflexion",
        deliberator: "single",
        memory: "reflections",
        cost: cost(2, "1, and 1 after a failure"),
        about: "writes down after a failure what went wrong",
    },
    AgentMethod {
        name: "dc",
        deliberator: "single",
        memory: "cheatsheet",
        cost: cost(2, ""),
        about: "rewrites a cheatsheet after every answer",
    },
    AgentMethod {
        name: "ace",
        deliberator: "single",
        memory: "playbook",
        cost: cost(3, ""),
        about: "edits a playbook of numbered lessons after every answer",
    },
    AgentMethod {
        name: "amem",
        deliberator: "single",
        memory: "notes",
        cost: cost(4, "3 for the first"),
        about: "keeps linked notes and looks up those that fit",
    },
    AgentMethod {
        name: "debate",
        deliberator: "debate",
        memory: "none",
        cost: cost(6, ""),
        about: "three agents answer, read each other and vote",
    },
    AgentMethod {
        name: "discussion",
        deliberator: "discussion",
        memory: "none",
        cost: cost(7, "3 if all agree at once"),
        about: "three agents share their reasoning, one request sums it up",
    },
];

const fn cost(requests: u32, note: &'static str) -> MethodCost {
    MethodCost { requests, note }
}
