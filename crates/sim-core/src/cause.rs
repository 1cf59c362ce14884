//! Causes of a model's replies: `said`, or why a reply is incomplete or its decision was not taken; and a type that
//! counts them.
//!
//! | cause | what decides it |
//! |---|---|
//! | [`Said`](Cause::Said) | a complete reply without any of the faults below |
//! | [`CutOff`](Cause::CutOff) | the finish reason names the length limit |
//! | [`Filtered`](Cause::Filtered) | the finish reason, or the code or words of an error, name a filter or a moderation |
//! | [`NoRoom`](Cause::NoRoom) | the request or the reply does not fit the model's context |
//! | [`Refused`](Cause::Refused) | a decision that the rules of the environment refuse |
//! | [`Malformed`](Cause::Malformed) | a call that cannot be read, or none where one was demanded; also where the server reports it as status 400 or 500 |
//! | [`Failed`](Cause::Failed) | the server failed, also under status 200 or inside a choice, and further attempts did not help |
//!
//! The client of a model decides the cause (`agent_client::cause`); records, tables and pages carry the counts. The
//! record of an episode holds the counts of each turn ([`Entry::causes`](crate::Entry::causes)). It holds no failed
//! request: a turn ends only after its requests were answered, so that an outage does not change a record.

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The cause of a reply, in the order of tables.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Cause {
    /// The reply is complete and has none of the other causes.
    #[default]
    Said,
    /// The limit on the length of a reply cut it off.
    CutOff,
    /// A filter or a moderation withheld the reply.
    Filtered,
    /// The request or the reply does not fit the model's context.
    NoRoom,
    /// The rules of the environment refuse the decision in the reply.
    Refused,
    /// The call in the reply cannot be read, or the reply has no call although one was demanded.
    Malformed,
    /// The server failed.
    Failed,
}

impl Cause {
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
            Self::Failed => "failed at the server",
        }
    }

    /// What the user can do about it; empty for [`Said`](Self::Said).
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Said => "",
            Self::CutOff => "raise --max-tokens, or let the model think less",
            Self::Filtered => "the provider withheld them; look at them with `boardroom view`",
            Self::NoRoom => "lower --max-tokens, or take a model with a longer context",
            Self::Refused => "look at the reasons with `boardroom replay`",
            Self::Malformed => "try --calls json, if it is not set",
            Self::Failed => {
                "read what the server answered; after an outage, raise --retries and --timeout, and resume the run"
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Numbers of replies by cause. A cause without a reply has no entry, in files too.
///
/// ```
/// use sim_core::cause::{Cause, Causes};
/// let mut causes = Causes::default();
/// for _ in 0..9 {
///     causes.count(Cause::Said);
/// }
/// causes.count(Cause::CutOff);
/// assert_eq!((causes.total(), causes.of(Cause::CutOff)), (10, 1));
/// assert_eq!(
///     causes.remark().unwrap(),
///     "1 of 10 replies is incomplete or was not accepted: 1 cut off (raise --max-tokens, or let the model think less)"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Causes(BTreeMap<Cause, u64>);

/// Reads only what [`Causes`] writes: a cause that is named twice, or whose count is 0, is refused.
impl<'de> Deserialize<'de> for Causes {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Counts;
        impl<'de> Visitor<'de> for Counts {
            type Value = Causes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("numbers of replies by cause")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut counts: A) -> Result<Causes, A::Error> {
                let mut causes = Causes::default();
                while let Some((cause, count)) = counts.next_entry::<Cause, u64>()? {
                    if count == 0 || causes.0.insert(cause, count).is_some() {
                        let name: &str = cause.into();
                        return Err(A::Error::custom(format!(
                            "the cause `{name}` must occur once and with at least 1 reply"
                        )));
                    }
                }
                Ok(causes)
            }
        }
        reader.deserialize_map(Counts)
    }
}

impl Causes {
    /// Largest share of replies with another cause than `said` for which there is no remark.
    pub const TOLERATED: f64 = 0.02;

    /// Counts one reply. Every count of causes is made by this function.
    pub fn count(&mut self, cause: Cause) {
        let count = self.0.entry(cause).or_default();
        *count = count.saturating_add(1);
    }

    /// Moves one reply from `said` to another cause; does nothing if none was counted as `said`.
    pub fn recount(&mut self, cause: Cause) {
        // A reply is counted when it arrives, and only later the environment refuses its decision.
        // One that was cut off or could not be read keeps that cause: it is what the user can mend.
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

    /// Number of replies with another cause than `said`.
    #[must_use]
    pub fn not_said(&self) -> u64 {
        self.total().saturating_sub(self.of(Cause::Said))
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

    /// The causes that occurred, with their counts, in the order of tables.
    pub fn iter(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        self.0.iter().map(|(cause, count)| (*cause, *count))
    }

    /// The remark of a summary if more than 2 % of the replies have another cause than `said`: how many, why, and
    /// what to do.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        self.remark_of("")
    }

    /// As [`remark`](Self::remark), for the replies of a participant: `who` follows "replies" (` of the judge`).
    #[must_use]
    pub fn remark_of(&self, who: &str) -> Option<String> {
        let (all, not_said) = (self.total(), self.not_said());
        #[expect(clippy::cast_precision_loss, reason = "a share of replies")]
        let is_much = not_said as f64 > Self::TOLERATED * all as f64;
        if !is_much {
            return None;
        }
        // The advice on single replies is to look at them. If none came through, that is no help:
        // the requests themselves offend the filter.
        if all > 1 && self.of(Cause::Filtered) == all {
            return Some(format!(
                "a filter of the provider withheld all {all} replies{who} ({all} {}): look at the requests with \
                 `boardroom view`, or ask another model or provider",
                Cause::Filtered
            ));
        }
        let parts: Vec<String> = self
            .iter()
            .filter(|(cause, _)| *cause != Cause::Said)
            .map(|(cause, count)| format!("{count} {cause} ({})", cause.advice()))
            .collect();
        let are = if not_said == 1 {
            "is incomplete or was"
        } else {
            "are incomplete or were"
        };
        let replies = if all == 1 { "reply" } else { "replies" };
        Some(format!(
            "{not_said} of {all} {replies}{who} {are} not accepted: {}",
            parts.join("; ")
        ))
    }
}

/// The counts in words: `38 said, 2 cut off`.
impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (cause, count)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{count} {cause}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn names_are_those_of_the_files_and_in_the_order_of_tables() {
        crate::testkit::check_names::<Cause>();
        assert!(Cause::VARIANTS.is_sorted());
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
        assert_eq!((sum.not_said(), sum.of(Cause::Refused)), (2, 2));
        sum.count(Cause::Said);
        assert_eq!(sum.to_string(), "1 said, 2 refused by the rules");
    }

    #[test]
    fn only_what_is_written_is_read() {
        let read = |text: &str| serde_json::from_str::<Causes>(text);
        let text = r#"{"said":3,"cut_off":1}"#;
        let causes = read(text).unwrap();
        assert_eq!((causes.total(), causes.of(Cause::CutOff)), (4, 1));
        assert_eq!(serde_json::to_string(&causes).unwrap(), text);
        for wrong in [
            r#"{"said":0}"#,
            r#"{"said":1,"said":1}"#,
            r#"{"lost":1}"#,
            r#"[["said",1]]"#,
            "null",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn two_percent_are_tolerated() {
        let mut causes = Causes::default();
        (0..49).for_each(|_| causes.count(Cause::Said));
        causes.count(Cause::Failed);
        assert_eq!(causes.remark(), None);
        causes.count(Cause::Failed);
        assert!(causes.remark().unwrap().contains("2 failed at the server"));
        assert_eq!(Causes::default().remark(), None);
    }

    #[test]
    fn replies_that_are_all_filtered_have_a_remark_of_their_own() {
        let mut causes = Causes::default();
        (0..9).for_each(|_| causes.count(Cause::Filtered));
        let remark = causes.remark_of(" of the judge").unwrap();
        assert!(
            remark.contains("withheld all 9 replies of the judge"),
            "{remark}"
        );
        causes.count(Cause::Said);
        assert!(!causes.remark().unwrap().contains("withheld all"));
    }
}
