//! Failures between an agent and its model, in classes that determine the reaction.
//!
//! The class of an [`AgentError`] answers three questions, each by a method of [`ErrorClass`]:
//!
//! | question | yes for |
//! |---|---|
//! | may the same request succeed later? ([`is_transient`](ErrorClass::is_transient)) | connect, timeout, reset, `rate_limited`, overloaded, server, garbled, oversized |
//! | is it the server's final answer to this request? ([`is_an_answer`](ErrorClass::is_an_answer)) | overflow, filtered |
//! | would every later request fail as well? ([`stops_the_run`](ErrorClass::stops_the_run)) | quota, auth, `not_found`, budget, store, setup |

use crate::request::ModelRole;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Class of a failure. The table in `docs/agents.md` maps faults to classes.
///
/// ```
/// use agent_client::ErrorClass;
/// assert!(ErrorClass::RateLimited.is_transient());
/// assert!(ErrorClass::Filtered.is_an_answer());
/// assert!(ErrorClass::Auth.stops_the_run());
/// assert_eq!(ErrorClass::NotFound.to_string(), "not_found");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorClass {
    /// No connection was established (name, port, encryption, refusal).
    Connect,
    /// The attempt took longer than allowed, or the server said so (408).
    Timeout,
    /// The connection broke before the answer was complete.
    Reset,
    /// Too many requests (429).
    RateLimited,
    /// The server is too busy (503, 529).
    Overloaded,
    /// The server failed (other 5xx, 409, 424, 425, 499), or a gateway has no server behind it (404 with a page).
    Server,
    /// The answer is not a reply: not UTF-8, not JSON, cut off, or without content.
    Garbled,
    /// The answer is larger than allowed.
    Oversized,
    /// The request does not fit the model's context.
    Overflow,
    /// A content filter refused to answer.
    Filtered,
    /// The account has no credit left.
    Quota,
    /// The key is missing, wrong, or may not do this (401, 403).
    Auth,
    /// There is no such model or address (404, 410, 3xx).
    NotFound,
    /// The server refuses the request for another reason (other 4xx).
    BadRequest,
    /// The budget does not cover the request; nothing was sent.
    Budget,
    /// The cassette holds no answer to this request; nothing was sent.
    Miss,
    /// A file of this run (cassette, cache) cannot be read or written.
    Store,
    /// Structured output stayed invalid after its repairs.
    Unusable,
    /// Settings that cannot work, or a fault of this program.
    Setup,
}

impl ErrorClass {
    /// Whether a later attempt with the same request may succeed.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Connect
                | Self::Timeout
                | Self::Reset
                | Self::RateLimited
                | Self::Overloaded
                | Self::Server
                | Self::Garbled
                | Self::Oversized
        )
    }

    /// Whether the server's answer depends on the request alone and is therefore stored in the
    /// cassette like a reply: another attempt would get the same answer.
    #[must_use]
    pub fn is_an_answer(self) -> bool {
        matches!(self, Self::Overflow | Self::Filtered)
    }

    /// Whether no further request of the run can succeed without an intervention by the user.
    #[must_use]
    pub fn stops_the_run(self) -> bool {
        matches!(
            self,
            Self::Quota | Self::Auth | Self::NotFound | Self::Budget | Self::Store | Self::Setup
        )
    }
}

/// A request without a reply.
///
/// Made by [`new`](Self::new); the other fields are then set as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {message}{}", after(*attempts))]
#[non_exhaustive]
pub struct AgentError {
    /// Class of the failure.
    pub class: ErrorClass,
    /// Description in one line, without secrets.
    pub message: String,
    /// HTTP status, if there was one.
    pub status: Option<u16>,
    /// Number of times that the request was sent.
    pub attempts: u32,
    /// The pause that the server asked for.
    pub retry_after: Option<Duration>,
    /// Codes and words of the refusal in lower case, to look for what the server refuses.
    pub words: String,
    /// The role that made the request, if a [`Client`](crate::client::Client) sent it.
    pub role: Option<ModelRole>,
}

/// The number of attempts in words, if there was more than one.
fn after(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        n => format!(" (after {n} attempts)"),
    }
}

impl AgentError {
    /// A failure of `class`; the message is kept to one line of at most 400 characters, because it
    /// may quote a server.
    pub fn new(class: ErrorClass, message: impl AsRef<str>) -> Self {
        Self {
            class,
            message: one_line(message.as_ref(), 400),
            status: None,
            attempts: 0,
            retry_after: None,
            words: String::new(),
            role: None,
        }
    }

    /// Settings that cannot work.
    pub fn setup(message: impl AsRef<str>) -> Self {
        Self::new(ErrorClass::Setup, message)
    }
}

impl From<sim_core::ConfigError> for AgentError {
    fn from(error: sim_core::ConfigError) -> Self {
        Self::setup(error.to_string())
    }
}

/// The first `most` characters of `text` with control characters and runs of blanks as one blank.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    // Not that of `sim_core`, which keeps runs of blanks: servers write messages over many lines.
    let mut out = String::new();
    let mut count = 0;
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if blank {
            out.push(' ');
            count += 1;
            blank = false;
        }
        if count >= most {
            out.push('…');
            break;
        }
        out.push(c);
        count += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FeedbackMode;
    use crate::tokens::CountName;
    use crate::wire::ApiKind;
    use crate::wire::ways::Way;
    use sim_core::testkit::check_names;

    #[test]
    fn messages_stay_one_short_line() {
        let error = AgentError::new(
            ErrorClass::Server,
            format!("a\n\tb\u{1} {}", "x".repeat(999)),
        );
        assert!(error.to_string().starts_with("server: a b xxx"));
        assert_eq!(error.message.chars().count(), 401);
    }

    #[test]
    fn names_are_those_of_the_files() {
        check_names::<ApiKind>();
        check_names::<CountName>();
        check_names::<ErrorClass>();
        check_names::<FeedbackMode>();
        check_names::<ModelRole>();
        check_names::<Way>();
    }
}
