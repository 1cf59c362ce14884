//! Room for a reply: what a refusal says of a model's context, and the limit that follows.
//!
//! Source of the wordings: OpenAI, Azure and compatible servers (vLLM in three forms, SGLang, TGI, OpenRouter),
//! Anthropic, Bedrock, Groq, DeepSeek.

use crate::wire::{OLD_TOKEN_FIELD, TOKEN_FIELD};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many tokens a model has room for, as read from a refusal of its server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Room {
    /// Tokens of prompt and reply together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Most tokens of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Tokens for each byte of a request, as measured at the refusal.
    pub rate: f64,
}

/// Fewer tokens are too few for a reply: the chat has to become shorter.
const LEAST: u64 = 16;

impl Room {
    /// The largest limit that fits a request of this many bytes; `None` if there is no room.
    pub(crate) fn left(&self, bytes: usize) -> Option<u64> {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive estimate of tokens"
        )]
        let prompt = (bytes as f64 * self.rate).ceil().max(0.0) as u64;
        let left = self
            .context
            .map_or(u64::MAX, |all| all.saturating_sub(prompt));
        let left = left.min(self.most.unwrap_or(u64::MAX));
        // The largest number is left where neither context nor limit is known.
        (LEAST..u64::MAX).contains(&left).then_some(left)
    }
}

/// The limit on the reply that `body` asks for.
pub(crate) fn limit(body: &Value) -> Option<u64> {
    [OLD_TOKEN_FIELD, TOKEN_FIELD]
        .iter()
        .find_map(|name| body.get(*name)?.as_u64())
}

/// Sets the limit in the field that `body` has; whether it has one.
pub(crate) fn set_limit(body: &mut Value, tokens: u64) -> bool {
    let fields = [OLD_TOKEN_FIELD, TOKEN_FIELD];
    let Some(name) = fields.into_iter().find(|name| body.get(*name).is_some()) else {
        return false;
    };
    if let Some(map) = body.as_object_mut() {
        map.insert(name.to_owned(), json!(tokens));
    }
    true
}

/// What the refusal of `body` (`bytes` long) in `words` (lower case) says of the room, if the request fits
/// with a smaller limit on the reply.
pub(crate) fn of_refusal(words: &str, body: &Value, bytes: usize) -> Option<Room> {
    let asked = limit(body)?;
    let rate = |prompt: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a rate of tokens")]
        let rate = prompt as f64 / bytes.max(1) as f64;
        rate
    };
    let found = match context(words) {
        Some((all, prompt)) => Room {
            context: Some(all),
            most: None,
            rate: rate(prompt),
        },
        None => Room {
            context: None,
            most: Some(most(words, asked)?),
            rate: 0.0,
        },
    };
    // A limit that is not below the refused one would be refused again.
    found.left(bytes).filter(|left| *left < asked)?;
    Some(found)
}

/// Context and prompt \[tokens\].
fn context(words: &str) -> Option<(u64, u64)> {
    // Anthropic: `188240 + 21333 > 200000`.
    if let Some((_, rest)) = words.split_once("exceed context limit: ") {
        let (prompt, rest) = rest.split_once('+')?;
        let (_, all) = rest.split_once('>')?;
        return Some((leading(all)?, leading(prompt)?));
    }
    let told = [
        "context length is only ",
        "context length is ",
        "context length of ",
        "context window is ",
        "context window of ",
        "context size is ",
        "must be <= ",
    ];
    let all = told.iter().find_map(|before| {
        let (_, rest) = words.split_once(before)?;
        leading(rest)
    })?;
    let parts = [
        " input tokens",
        " `inputs` tokens",
        " in the messages",
        " in the functions",
        " in your prompt",
        " in the prompt",
        " of text input",
        " of tool input",
        " of image input",
        " prompt tokens",
        " tokens from the input messages",
    ];
    // Each is the number before these words; a sentence may say the input twice.
    let found: Vec<u64> = parts
        .iter()
        .filter_map(|after| before(words, after))
        .collect();
    // OpenAI names messages and functions apart, OpenRouter text, tools and images: their numbers
    // add up. All others name one number.
    let prompt = match words.contains(" in the messages") || words.contains(" of text input") {
        true => found.iter().sum(),
        false => *found.first()?,
    };
    // A prompt that fills the context leaves no room for any limit: the chat must become shorter.
    (prompt > 0 && prompt < all).then_some((all, prompt))
}

/// The most tokens of a reply that a refusal of `asked` names.
fn most(words: &str, asked: u64) -> Option<u64> {
    // The phrases below are plain English, so the refusal must first name the limit on a reply.
    if !words.contains("max_tokens")
        && !words.contains("max_completion_tokens")
        && !words.contains("completion tokens")
        && !words.contains("maximum tokens you requested")
        && !words.contains("maxoutputtokens")
        && !words.contains("max_output_tokens")
    {
        return None;
    }
    // `max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens`
    let shown = format!("{asked} > ");
    let told = [
        shown.as_str(),
        "supports at most ",
        "less than or equal to `",
        "less than or equal to ",
        "at most ",
        "must be <= ",
        "range of max_tokens is [1, ",
        "range of max_tokens should be [1, ",
        "should be in [1, ",
        "between 1 and ",
        "maximum value is ",
        "maximum of ",
        "cannot exceed ",
        "up to ",
        "model limit of ",
        "maximum allowed ",
        "no more than ",
        // Fireworks: longer replies only come in streams.
        "with max_tokens > ",
        // Gemini: `from 1 (inclusive) to 8193 (exclusive)`
        "(inclusive) to ",
    ];
    told.iter().find_map(|before| {
        let (_, rest) = words.split_once(before)?;
        let most = leading(rest)?;
        let most = match before.starts_with("(inclusive") && rest.contains("(exclusive)") {
            true => most.saturating_sub(1),
            false => most,
        };
        // A number that is not below the refused one is another number of the sentence.
        Some(most).filter(|most| *most < asked)
    })
}

/// The number at the beginning of `text`; commas between thousands are read.
fn leading(text: &str) -> Option<u64> {
    let digits: String = text
        .trim_start_matches([' ', '`', '\''])
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(|c| *c != ',')
        .collect();
    digits.parse().ok()
}

/// The number directly before `after`.
fn before(words: &str, after: &str) -> Option<u64> {
    let head = words.get(..words.find(after)?)?;
    let digits: String = head
        .chars()
        .rev()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .collect();
    let digits: String = digits.chars().rev().filter(|c| *c != ',').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_read_from_refusals_of_all_kinds() {
        // words, limit that was asked for, what is left
        let cases = [
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 2048. this model's maximum context length is 2048 tokens and your request has 600 input tokens.",
                2_048,
                Some(1_448),
            ),
            (
                "this model's maximum context length is 4097 tokens. however, you requested 4200 tokens (100 in the messages, 50 in the functions, 4050 in the completion).",
                4_050,
                Some(3_947),
            ),
            (
                "this endpoint's maximum context length is 131072 tokens. however, you requested about 132463 tokens (1463 of text input, 131000 in the output).",
                131_000,
                Some(129_609),
            ),
            (
                "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease one",
                21_333,
                Some(11_760),
            ),
            (
                "`inputs` tokens + `max_new_tokens` must be <= 4096. given: 3000 `inputs` tokens and 2000 `max_new_tokens`",
                2_000,
                Some(1_096),
            ),
            (
                "you passed 4000 input tokens and requested 200 output tokens. however, the model's context length is only 4096 tokens",
                200,
                Some(96),
            ),
            (
                "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for m",
                100_000,
                Some(8_192),
            ),
            (
                "max_tokens is too large: 100000. this model supports at most 16384 completion tokens, whereas you provided 100000.",
                100_000,
                Some(16_384),
            ),
            (
                "`max_tokens` must be less than or equal to `8192`",
                9_000,
                Some(8_192),
            ),
            (
                "invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
                9_000,
                Some(8_192),
            ),
            (
                "the maximum tokens you requested exceeds the model limit of 4096. try again with a maximum tokens value that is lower than 4096.",
                32_000,
                Some(4_096),
            ),
            (
                "requests with max_tokens > 4096 must have stream=true",
                20_000,
                Some(4_096),
            ),
            (
                "requested max_tokens 20000 is greater than the maximum allowed 4096",
                20_000,
                Some(4_096),
            ),
            (
                "unable to submit request because it has a maxoutputtokens value of 20000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
                20_000,
                Some(8_192),
            ),
            // The chat itself is too long.
            (
                "this model's maximum context length is 2048 tokens. however, you requested 3000 tokens (2500 in the messages, 500 in the completion).",
                500,
                None,
            ),
            (
                "input length and `max_tokens` exceed context limit: 199990 + 50 > 200000, decrease one",
                50,
                None,
            ),
            (
                "prompt is too long: 210000 tokens > 200000 maximum",
                4_000,
                None,
            ),
        ];
        for (words, asked, left) in cases {
            let body = json!({"max_tokens": asked});
            let room = of_refusal(words, &body, 3_000);
            assert_eq!(room.and_then(|room| room.left(3_000)), left, "{words}");
            assert_eq!(of_refusal(words, &json!({}), 3_000), None);
        }
    }
}
