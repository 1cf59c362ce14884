//! Decides the cause of a reply.
//!
//! [`Cause`] and [`Causes`] are those of [`sim_core::cause`], which records carry. The modules that read a server's
//! answer decide from structured fields first (finish reason, error objects, status, code) and from the wording last
//! ([`wire::finish`](crate::wire::finish), [`wire::fault`](crate::wire::fault)). The loop that plays a turn changes
//! [`Said`](Cause::Said) to [`Refused`](Cause::Refused) or [`Malformed`](Cause::Malformed) with
//! [`AgentBackend::recount`](crate::AgentBackend::recount).
//!
//! Source: `finish_reason` and `stop_reason` in the API references of OpenAI, Anthropic, Gemini, Mistral,
//! DeepSeek, xAI, Z.ai, Cohere and OpenRouter.

use crate::error::{AgentError, ErrorClass};
use crate::reply::{Finish, Reply};

pub use sim_core::cause::{Cause, Causes};

/// The cause of the reply or failure that a request led to; `None` if no request was sent, or if the account, the
/// settings or the request are at fault: the server did not fail, and to send the request again does not help.
///
/// ```
/// use agent_client::cause::{Cause, cause_of};
/// use agent_client::{AgentError, ErrorClass, Reply};
/// assert_eq!(cause_of(&Ok(Reply::text("400"))), Some(Cause::Said));
/// let full = AgentError::new(ErrorClass::Overflow, "prompt is too long");
/// assert_eq!(cause_of(&Err(full)), Some(Cause::NoRoom));
/// // Nothing was asked, so there is nothing to count.
/// assert_eq!(cause_of(&Err(AgentError::new(ErrorClass::Budget, "the cap"))), None);
/// ```
#[must_use]
pub fn cause_of(outcome: &Result<Reply, AgentError>) -> Option<Cause> {
    match outcome {
        Ok(reply) => Some(reply.finish.cause()),
        Err(error) => error.class.cause(),
    }
}

impl Finish {
    /// The cause of a reply that ended in this way.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match self {
            Self::Length => Cause::CutOff,
            Self::NoRoom => Cause::NoRoom,
            Self::Filter => Cause::Filtered,
            Self::Malformed => Cause::Malformed,
            // A word that nobody knows says nothing against the reply, which is used like any other.
            Self::Stop | Self::Calls | Self::Other(_) => Cause::Said,
        }
    }
}

impl ErrorClass {
    /// The cause of a failure of this class.
    #[must_use]
    pub fn cause(self) -> Option<Cause> {
        match self {
            Self::Overflow => Some(Cause::NoRoom),
            Self::Filtered => Some(Cause::Filtered),
            Self::Unusable => Some(Cause::Malformed),
            class if class.is_transient() => Some(Cause::Failed),
            _ => None,
        }
    }

    /// The class with which the text of a failure begins (`rate_limited: slow down`), as lists of failures keep it.
    #[must_use]
    pub fn in_message(message: &str) -> Option<Self> {
        let (name, _) = message.split_once(": ")?;
        // By the names of the files: a second list of them could differ.
        serde_json::from_value(name.into()).ok()
    }
}
