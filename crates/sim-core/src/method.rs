//! The table of agent methods: ways in which a model decides.
//!
//! `agent-client` implements the methods and `aoa-router` chooses among them. Neither depends on the
//! other, so the table that both read is in this crate. The command line lists it, and a test compares
//! `docs/agents.md` with it.

/// An agent method: how a decision is made, and what is kept from one decision to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMethod {
    /// Its name in records and on the command line.
    pub name: &'static str,
    /// Name of the deliberator: how a decision is made.
    pub deliberator: &'static str,
    /// Name of the memory: what is shown before a decision and kept after it.
    pub memory: &'static str,
    /// Number of model requests that a question typically takes.
    pub cost: u32,
    /// What it does, and when the number of requests differs from `cost`.
    pub about: &'static str,
}

/// The methods, in ascending order of `cost`.
///
/// ```
/// let names = sim_core::METHODS.map(|method| method.name);
/// assert_eq!(&names[..2], ["direct", "cot"]);
/// ```
///
/// The nine methods of the strategic paper, and `direct`, which asks for the decision alone.
pub const METHODS: [AgentMethod; 10] = [
    AgentMethod {
        name: "direct",
        deliberator: "single",
        memory: "none",
        cost: 1,
        about: "decides at once",
    },
    AgentMethod {
        name: "cot",
        deliberator: "reasoning",
        memory: "none",
        cost: 1,
        about: "reasons step by step, then decides: 2 requests for a tool call or a turn of an interview",
    },
    AgentMethod {
        name: "gepa",
        deliberator: "single",
        memory: "instruction",
        cost: 1,
        about: "follows an instruction that was evolved beforehand, within a separate budget",
    },
    AgentMethod {
        name: "self-refine",
        deliberator: "refine",
        memory: "none",
        cost: 2,
        about: "criticises its answer and improves it: 1 request, and 1 for each of at most 4 rounds",
    },
    AgentMethod {
        name: "reflexion",
        deliberator: "single",
        memory: "reflections",
        cost: 2,
        about: "writes down why it failed: 1 request, and 1 after a failure",
    },
    AgentMethod {
        name: "dc",
        deliberator: "single",
        memory: "cheatsheet",
        cost: 2,
        about: "rewrites a cheatsheet after every answer",
    },
    AgentMethod {
        name: "ace",
        deliberator: "single",
        memory: "playbook",
        cost: 3,
        about: "edits a playbook of numbered lessons after every answer",
    },
    AgentMethod {
        name: "amem",
        deliberator: "single",
        memory: "notes",
        cost: 4,
        about: "keeps linked notes and looks up those that fit: 3 requests for the first question",
    },
    AgentMethod {
        name: "debate",
        deliberator: "debate",
        memory: "none",
        cost: 6,
        about: "three agents answer, read each other and vote",
    },
    AgentMethod {
        name: "discussion",
        deliberator: "discussion",
        memory: "none",
        cost: 7,
        about: "three agents share their reasoning, one request sums it up: 3 requests if all agree at once",
    },
];
