//! What a summary says of the replies of one model beyond their causes: empty ones, and replies of another model.

use crate::cause::{Cause, Causes};
use crate::decide::calls::last_block;
use crate::reply::Reply;
use crate::wire::ApiKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts over the replies of one model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Heard {
    /// Replies.
    pub replies: u64,
    /// Complete replies with neither text nor a call. They follow from a chat template, or a parser of thoughts or calls, that
    /// does not fit the model.
    pub empty: u64,
    /// Replies by the name of another model that the server says has given them, as gateways do after a fallback; at
    /// most 8 names.
    pub others: BTreeMap<String, u64>,
}

impl Heard {
    /// Most names that are kept.
    // Names come from a server, so their number needs a limit.
    const NAMES: usize = 8;

    /// Counts a reply to a request to `model` (`openai:some-model`).
    pub(crate) fn count(&mut self, model: &str, reply: &Reply) {
        self.replies = self.replies.saturating_add(1);
        let (kind, asked) = model.split_once(':').unwrap_or(("", model));
        // An embedding has no text.
        let is_empty = reply.is_blank() && kind != <&str>::from(ApiKind::Embeddings);
        // A call at the end of the thoughts is read where a reply is else empty.
        let thoughts = reply.thinking.as_deref().unwrap_or_default();
        let is_empty = is_empty && last_block(thoughts).is_empty();
        self.empty += u64::from(is_empty && reply.cause() == Cause::Said);
        let served = reply.raw.get("model").and_then(|name| name.as_str());
        let served = served.filter(|name| is_name(name) && !is_same(asked, name));
        if let Some(name) = served
            && (self.others.len() < Self::NAMES || self.others.contains_key(name))
        {
            *self.others.entry(name.to_owned()).or_default() += 1;
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.replies = self.replies.saturating_add(other.replies);
        self.empty = self.empty.saturating_add(other.empty);
        for (name, count) in &other.others {
            *self.others.entry(name.clone()).or_default() += count;
        }
    }

    /// The remarks of a summary on the replies of `model`.
    #[must_use]
    pub fn remarks(&self, model: &str) -> Vec<String> {
        let mut out = Vec::new();
        let all = self.replies;
        let of = |count: u64| match count == all {
            true if all == 1 => format!("the only reply of {model}"),
            true => format!("all {all} replies of {model}"),
            false => format!("{count} of {all} replies of {model}"),
        };
        let are = |count: u64| if count == 1 { "is" } else { "are" };
        #[expect(clippy::cast_precision_loss, reason = "a share of replies")]
        let is_much = self.empty as f64 > Causes::TOLERATED * all as f64;
        if is_much {
            out.push(format!(
                "{} {} empty: complete, but with neither text nor a call; check the chat template of the server and its \
                 parsers of thoughts and calls",
                of(self.empty),
                are(self.empty)
            ));
        }
        for (name, count) in &self.others {
            let given = if *count == 1 { "was" } else { "were" };
            out.push(format!(
                "{} {given} given by another model or under another name, as the server says: `{name}`",
                of(*count)
            ));
        }
        out
    }
}

/// Whether a text of a server may be shown as the name of a model.
fn is_name(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._:/@+- ".contains(c))
}

/// Whether `served` is the model `asked`, perhaps under the name of its version (`gpt-4o-2024-08-06`) or without its
/// provider.
fn is_same(asked: &str, served: &str) -> bool {
    let plain = |name: &str| {
        let name = name.trim().to_lowercase();
        name.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let (asked, served) = (plain(asked), plain(served));
    // A name for the newest version, and OpenRouter's words for a kind of service (`:free`).
    let base = |name: &str| {
        let name = name.split(':').next().unwrap_or_default();
        name.strip_suffix("-latest").unwrap_or(name).to_owned()
    };
    let version_of = |longer: &str, shorter: &str| {
        longer.strip_prefix(shorter).is_some_and(|rest| {
            let is_version = |c: char| c.is_ascii_digit() || "-@".contains(c);
            let digits = rest.chars().filter(char::is_ascii_digit).count();
            rest.is_empty()
                || (rest.starts_with(['-', '@']) && rest.chars().all(is_version) && digits >= 3)
        })
    };
    let (a, b) = (base(&asked), base(&served));
    // What follows a colon is a size with some servers (`qwen3:8b`).
    let sizes = asked.contains(':') && served.contains(':');
    asked == served || (!sizes && (version_of(&b, &a) || version_of(&a, &b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_are_the_same_model_and_other_names_are_not() {
        for (asked, served) in [
            ("gpt-4o", "gpt-4o-2024-08-06"),
            ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
            ("mistral-large-latest", "mistral-large-2411"),
            ("deepseek/deepseek-r1:free", "deepseek/deepseek-r1"),
            ("Qwen/Qwen3-8B", "qwen3-8b"),
            ("gemini-2.5-flash", "models/gemini-2.5-flash"),
            ("m-001", "m"),
        ] {
            assert!(is_same(asked, served), "{asked} {served}");
        }
        for (asked, served) in [
            ("gpt-4o", "gpt-4o-mini"),
            ("gpt-4", "gpt-4.1"),
            ("o3", "o3-5"),
            ("qwen3:8b", "qwen3:4b"),
            ("gpt-big", "cheap-small-model"),
        ] {
            assert!(!is_same(asked, served), "{asked} {served}");
        }
    }

    #[test]
    fn empty_replies_and_other_models_are_remarked() {
        let mut heard = Heard::default();
        let reply = |text: &str, model: &str| {
            let mut reply = Reply::text(text);
            reply.raw = json!({"model": model});
            reply
        };
        heard.count("openai:big", &reply("4", "big"));
        assert_eq!(heard.remarks("openai:big"), Vec::<String>::new());
        heard.count("openai:big", &reply(" \n", "small"));
        // Neither a name nor fit to be shown.
        heard.count("openai:big", &reply("4", "`rm`\n"));
        let remarks = heard.remarks("openai:big");
        assert!(
            remarks[0].starts_with("1 of 3 replies of openai:big is empty"),
            "{remarks:?}"
        );
        assert!(remarks[1].contains("says: `small`"), "{remarks:?}");
        assert_eq!(remarks.len(), 2);
        let mut thought = reply("", "m");
        thought.thinking = Some("4.\n<tool_call>{\"name\": \"order\"}</tool_call>\n".to_owned());
        let mut called = Heard::default();
        called.count("openai:m", &thought);
        assert_eq!(called.remarks("openai:m"), Vec::<String>::new());
        thought.thinking = Some("<tool_call>{}</tool_call> No, wait.".to_owned());
        called.count("openai:m", &thought);
        assert_eq!(called.empty, 1, "a draft in the thoughts is no call");
        let mut all = Heard::default();
        (0..4).for_each(|_| all.count("openai:m", &reply("", "m")));
        assert!(all.remarks("openai:m")[0].starts_with("all 4 replies of openai:m are empty"));
    }
}
