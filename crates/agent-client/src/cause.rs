//! Why a reply is what it is: one cause for every reply, and one function that counts them.
//!
//! | cause | what decides it |
//! |---|---|
//! | [`Said`](Cause::Said) | a complete reply |
//! | [`CutOff`](Cause::CutOff) | the finish reason names the length limit |
//! | [`Filtered`](Cause::Filtered) | the finish reason, or the code or words of an error, name a filter or a moderation |
//! | [`NoRoom`](Cause::NoRoom) | the request or the reply does not fit the model's context |
//! | [`Refused`](Cause::Refused) | a decision that the rules of the environment refuse |
//! | [`Malformed`](Cause::Malformed) | a call that cannot be read, or none where one was demanded; also where the server reports it as status 400 or 500 |
//! | [`Failed`](Cause::Failed) | the server failed, also under status 200 or inside a choice, and further attempts did not help |
//!
//! The wire decides from structured fields first (finish reason, error objects, status, code) and from prose
//! last ([`wire::finish`](crate::wire::finish), [`wire::fault`](crate::wire::fault)). The loop knows more: it
//! changes [`Said`](Cause::Said) to [`Refused`](Cause::Refused) or [`Malformed`](Cause::Malformed) with
//! [`AgentBackend::recount`](crate::AgentBackend::recount).
//!
//! Source: `finish_reason` and `stop_reason` in the API references of OpenAI, Anthropic, Gemini, Mistral,
//! DeepSeek, xAI, Z.ai, Cohere and OpenRouter.

use crate::error::{AgentError, ErrorClass};
use crate::reply::{Finish, Reply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The cause of a reply.
///
/// ```
/// use agent_client::cause::Cause;
/// use agent_client::{AgentError, ErrorClass, Reply};
/// assert_eq!(Cause::of(&Ok(Reply::text("400"))), Some(Cause::Said));
/// let full = AgentError::new(ErrorClass::Overflow, "prompt is too long");
/// assert_eq!(Cause::of(&Err(full)), Some(Cause::NoRoom));
/// // Nothing was asked, so there is nothing to count.
/// assert_eq!(Cause::of(&Err(AgentError::new(ErrorClass::Budget, "the cap"))), None);
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The model said it, completely.
    #[default]
    Said,
    /// The limit on the length of a reply cut it off.
    CutOff,
    /// A filter or a moderation withheld it.
    Filtered,
    /// The model's context has no room for it.
    NoRoom,
    /// The rules of the environment refuse the decision in it.
    Refused,
    /// Its call cannot be read, or it has none where one was demanded.
    Malformed,
    /// The server failed.
    Failed,
}

impl Cause {
    /// All causes, in the order of tables.
    pub const ALL: [Self; 7] = [
        Self::Said,
        Self::CutOff,
        Self::Filtered,
        Self::NoRoom,
        Self::Refused,
        Self::Malformed,
        Self::Failed,
    ];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::CutOff => "cut_off",
            Self::Filtered => "filtered",
            Self::NoRoom => "no_room",
            Self::Refused => "refused",
            Self::Malformed => "malformed",
            Self::Failed => "failed",
        }
    }

    /// The cause in words, as a table or a note shows it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::CutOff => "cut off",
            Self::Filtered => "filtered",
            Self::NoRoom => "no room in the context",
            Self::Refused => "refused by the rules",
            Self::Malformed => "malformed call",
            Self::Failed => "server failed",
        }
    }

    /// What to do about it; empty for what was said.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Said => "",
            Self::CutOff => "raise --max-tokens, or let the model think less",
            Self::Filtered => "the provider withheld them; look at them with `boardroom view`",
            Self::NoRoom => "lower --max-tokens, or take a model with a longer context",
            Self::Refused => "look at the reasons with `boardroom replay`",
            Self::Malformed => "try --calls json",
            Self::Failed => "raise --retries and --timeout, and resume the run",
        }
    }

    /// The cause of an outcome of the wire; `None` if nothing was asked, or the account or the settings are
    /// at fault and not the reply.
    #[must_use]
    pub fn of(outcome: &Result<Reply, AgentError>) -> Option<Self> {
        match outcome {
            Ok(reply) => Some(Self::of_finish(&reply.finish)),
            Err(error) => Self::of_class(error.class),
        }
    }

    /// The cause of a reply that ended in this way.
    #[must_use]
    pub fn of_finish(finish: &Finish) -> Self {
        match finish {
            Finish::Length => Self::CutOff,
            Finish::NoRoom => Self::NoRoom,
            Finish::Filter => Self::Filtered,
            Finish::Malformed => Self::Malformed,
            Finish::Stop | Finish::Calls | Finish::Other(_) => Self::Said,
        }
    }

    /// The cause of a failure of this class.
    #[must_use]
    pub fn of_class(class: ErrorClass) -> Option<Self> {
        match class {
            ErrorClass::Overflow => Some(Self::NoRoom),
            ErrorClass::Filtered => Some(Self::Filtered),
            ErrorClass::Unusable => Some(Self::Malformed),
            ErrorClass::BadRequest => Some(Self::Failed),
            class if class.is_transient() => Some(Self::Failed),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Numbers of replies by cause. A cause without a reply has no entry.
///
/// ```
/// use agent_client::cause::{Cause, Causes};
/// let mut causes = Causes::default();
/// for _ in 0..9 {
///     causes.count(Cause::Said);
/// }
/// causes.count(Cause::CutOff);
/// assert_eq!((causes.total(), causes.of(Cause::CutOff)), (10, 1));
/// assert_eq!(
///     causes.remark().unwrap(),
///     "1 of 10 replies was not said: 1 cut off (raise --max-tokens, or let the model think less)"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Causes(BTreeMap<Cause, u64>);

impl Causes {
    /// Share of replies that were not said up to which nothing is remarked.
    pub const TOLERATED: f64 = 0.02;

    /// Counts one reply. Every count of causes is made by this function.
    pub fn count(&mut self, cause: Cause) {
        let count = self.0.entry(cause).or_default();
        *count = count.saturating_add(1);
    }

    /// Counts a reply that was counted as said under another cause.
    pub fn recount(&mut self, cause: Cause) {
        if let Some(said) = self
            .0
            .get_mut(&Cause::Said)
            .filter(|_| cause != Cause::Said)
        {
            *said -= 1;
            if *said == 0 {
                self.0.remove(&Cause::Said);
            }
            self.count(cause);
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        for (cause, more) in &other.0 {
            let count = self.0.entry(*cause).or_default();
            *count = count.saturating_add(*more);
        }
    }

    /// Replies with this cause.
    #[must_use]
    pub fn of(&self, cause: Cause) -> u64 {
        self.0.get(&cause).copied().unwrap_or(0)
    }

    /// Replies in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The causes that occurred, with their counts, in the order of [`Cause::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        self.0.iter().map(|(cause, count)| (*cause, *count))
    }

    /// What a summary says if more than 2 % of the replies were not said: how many, why, and what to do.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let (all, said) = (self.total(), self.of(Cause::Said));
        let not_said = all.saturating_sub(said);
        #[expect(clippy::cast_precision_loss, reason = "a share of replies")]
        let is_much = not_said as f64 > Self::TOLERATED * all as f64;
        if !is_much {
            return None;
        }
        let parts: Vec<String> = self
            .iter()
            .filter(|(cause, _)| *cause != Cause::Said)
            .map(|(cause, count)| format!("{count} {cause} ({})", cause.advice()))
            .collect();
        let were = if not_said == 1 { "was" } else { "were" };
        let replies = if all == 1 { "reply" } else { "replies" };
        Some(format!(
            "{not_said} of {all} {replies} {were} not said: {}",
            parts.join("; ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_files_and_in_the_order_of_tables() {
        for cause in Cause::ALL {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.name());
        }
        assert!(Cause::ALL.is_sorted());
    }

    #[test]
    fn a_recount_moves_one_reply_and_never_makes_one() {
        let mut causes = Causes::default();
        causes.recount(Cause::Refused);
        assert!(causes.is_empty());
        causes.count(Cause::Said);
        causes.recount(Cause::Said);
        causes.recount(Cause::Refused);
        causes.recount(Cause::Malformed);
        assert_eq!(causes.iter().collect::<Vec<_>>(), [(Cause::Refused, 1)]);
        let mut sum = causes.clone();
        sum.add(&causes);
        assert_eq!((sum.total(), sum.of(Cause::Refused)), (2, 2));
    }

    #[test]
    fn two_percent_are_tolerated() {
        let mut causes = Causes::default();
        (0..49).for_each(|_| causes.count(Cause::Said));
        causes.count(Cause::Failed);
        assert_eq!(causes.remark(), None);
        causes.count(Cause::Failed);
        assert!(causes.remark().unwrap().contains("2 server failed"));
        assert_eq!(Causes::default().remark(), None);
    }
}
