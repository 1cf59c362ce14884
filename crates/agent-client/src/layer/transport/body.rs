//! The body of an answer: how it is unpacked, and the reply or the failure that is read from it.

use crate::error::{AgentError, ErrorClass, one_line};
use crate::json_text;
use crate::layer::clean::clean;
use crate::layer::{Answer, Call, Final};
use crate::reply::ReplySource;
use crate::wire::{ApiKind, envelope, fault, foreign, stream};
use serde_json::Value;
use sim_core::scrub::Scrub;
use std::borrow::Cow;
use std::io::Read;
use std::time::Duration;

/// An answer as it came over the wire.
#[derive(Debug, Clone)]
pub struct Raw {
    /// HTTP status.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Time until the reset of a rate limit with nothing left.
    pub reset: Option<Duration>,
    /// What a head line says that the reply cost \[US dollars\].
    pub cost: Option<f64>,
}

impl Raw {
    /// A final answer to `call` without API keys, or the failure of the attempt.
    ///
    /// # Errors
    /// The failure, classified.
    pub fn read(&self, call: &Call, scrub: &Scrub) -> Result<Answer, AgentError> {
        let status = self.status;
        let fail = |class: ErrorClass, message: String| {
            let mut error = AgentError::new(class, message);
            error.status = Some(status);
            error.retry_after = self.retry_after;
            error
        };
        let body = if (200..300).contains(&status) {
            // Lossy on what nobody reads: a reply that was paid for is not lost to one byte in a name.
            let text = text_of(&self.body);
            let text = stream::without_comments(&text);
            let body = if stream::is_stream(text) || stream::is_lines(text) {
                stream::joined(text).map_err(|what| fail(ErrorClass::Garbled, what))
            } else {
                json_text::body(text)
                    .or_else(|e| reply_within(text).ok_or(e))
                    .map_err(|e| {
                        let mut error = fail(ErrorClass::Garbled, not_json(text, &e, scrub));
                        if text.trim_start().starts_with('<') {
                            // For the stage that looks for the right address.
                            "page".clone_into(&mut error.words);
                        }
                        error
                    })
            }?;
            let mut body = match call.dialect.kind {
                ApiKind::Embeddings => body,
                ApiKind::OpenAi | ApiKind::Anthropic => envelope::opened(body),
            };
            if let (Some(cost), Some(fields)) = (self.cost, body.as_object_mut()) {
                fields.entry("response_cost").or_insert(cost.into());
            }
            body
        } else {
            // Scrub before truncating the message: half a key is hard to find.
            let text = text_of(&self.body);
            let text = scrub.line(&text);
            let fault = fault::of_status(status, text.as_bytes());
            if !fault.class.is_an_answer() && fault.generation.is_none() {
                let mut error = fail(fault.class, fault.message);
                error.retry_after = self.retry_after.or(fault.retry_after);
                // A limit on a rate passes within minutes; one that lasts for hours is that of an account.
                if error.class == ErrorClass::RateLimited
                    && error.retry_after.is_some_and(|pause| pause > LONG_PAUSE)
                {
                    error.class = ErrorClass::Quota;
                }
                // Not above, where a long pause ends the run: all of a limit may be free only after hours, and enough of it
                // for one request after seconds.
                if status == 429 {
                    error.retry_after = error.retry_after.or(self.reset);
                }
                error.words = fault.words;
                return Err(error);
            }
            json_text::lossy(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
        };
        let answer = Final { status, body };
        let answer = clean(call, answer, scrub);
        let answer = Answer::new(call, answer, ReplySource::Server, 1);
        match answer.reply {
            Err(error) if !error.class.is_an_answer() => Err(AgentError {
                retry_after: self.retry_after.or(error.retry_after),
                ..error
            }),
            _ => Ok(answer),
        }
    }
}

/// The text of a body: UTF-8, or UTF-16 as servers on Windows write it, with or without its mark.
fn text_of(body: &[u8]) -> Cow<'_, str> {
    let wide = |of: fn([u8; 2]) -> u16| {
        let pairs = body.chunks_exact(2).map(|pair| match pair {
            [first, second] => of([*first, *second]),
            _ => 0,
        });
        Cow::Owned(String::from_utf16_lossy(&pairs.collect::<Vec<u16>>()))
    };
    match body {
        // Without a mark it shows in the bytes: JSON begins with ASCII, of which every second byte
        // is 0.
        [0xff, 0xfe, ..] | [1..=255, 0, 1..=255, 0, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(body),
    }
}

/// The reply in a text that is more than JSON: behind a prefix against scripts, before a mark of the end of a stream.
fn reply_within(text: &str) -> Option<Value> {
    // The objects within an answer that is cut are not the answer.
    let begin = text.find(['{', '['])?;
    let first = reply_text::json::pieces(text).0.into_iter().next()?;
    let value = first.value.ok().filter(|_| first.start == begin)?;
    foreign::form(&value).map(|_| value)
}

/// Why `text`, which `error` refuses, is not an answer.
fn not_json(text: &str, error: &serde_json::Error, scrub: &Scrub) -> String {
    let begun = text.trim_start();
    if begun.is_empty() {
        return "the answer is empty".to_owned();
    }
    // The place of the mistake says more about damaged JSON than its beginning does.
    if begun.starts_with(['{', '[']) {
        return format!("the answer is not taken as JSON: {error}");
    }
    // A page or a stream of events: a wrong address or another kind of server. Scrub before truncating, because half
    // a key is hard to find.
    let clean = scrub.text(begun);
    format!(
        "the answer is not JSON but begins with `{}`",
        one_line(&clean, SHOWN_ANSWER)
    )
}

/// A limit whose pause is longer does not pass while a run waits for it.
const LONG_PAUSE: Duration = Duration::from_secs(3_600);

/// Number of characters that a message shows of an answer that is not JSON.
const SHOWN_ANSWER: usize = 60;

/// A body that a gateway compressed (gzip or deflate) although nobody asked for it; any other body as it is.
///
/// `encoding` is what the header says. Some gateways compress and do not say so, and some compress what is compressed
/// already.
pub(super) fn unpacked(body: Vec<u8>, encoding: &str, most: usize) -> Vec<u8> {
    let once = unpacked_once(body, encoding, most);
    match *once {
        [0x1f, 0x8b, ..] => unpacked_once(once, "", most),
        _ => once,
    }
}

fn unpacked_once(body: Vec<u8>, encoding: &str, most: usize) -> Vec<u8> {
    // One byte more than allowed shows that a body is too large, without unpacking all that a few
    // bytes may stand for.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let whole = |reader: &mut dyn Read| {
        let mut out = Vec::new();
        let read = reader.take(limit).read_to_end(&mut out);
        read.is_ok_and(|length| length <= most).then_some(out)
    };
    let unpacked = match *body {
        [0x1f, 0x8b, ..] => whole(&mut flate2::read::MultiGzDecoder::new(&*body)),
        // RFC 9110 says that deflate has the head of zlib; some servers leave it out.
        _ if encoding.eq_ignore_ascii_case("deflate") => {
            whole(&mut flate2::read::ZlibDecoder::new(&*body))
                .or_else(|| whole(&mut flate2::read::DeflateDecoder::new(&*body)))
        }
        _ => None,
    };
    unpacked.unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::request::{ModelRole, Request, Slot};
    use crate::tokens::{CountName, Refusal, RefusedCount};
    use crate::wire::{ApiKind, Dialect};
    use serde_json::json;
    use std::sync::Arc;

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    fn classified(kind: ApiKind, body: &str, scrub: &Scrub) -> Result<Answer, AgentError> {
        let asked = Message::User {
            text: "order".to_owned(),
        };
        let request = Request::new(ModelRole::Agent, Slot::new("episode-0"), vec![asked]);
        let call = Call::new(&Arc::new(Dialect::new(kind, "m")), &request);
        let raw = Raw {
            status: 200,
            body: body.as_bytes().to_vec(),
            retry_after: None,
            reset: None,
            cost: None,
        };
        raw.read(&call, scrub)
    }

    /// A reply that calls a tool with `arguments` as an object.
    fn calling(kind: ApiKind, arguments: &str) -> String {
        match kind {
            ApiKind::OpenAi => format!(
                r#"{{"choices": [{{"message": {{"tool_calls": [{{"id": "1", "type": "function",
                "function": {{"name": "order", "arguments": {arguments}}}}}]}}}}]}}"#
            ),
            ApiKind::Anthropic => format!(
                r#"{{"content": [{{"type": "tool_use", "id": "1", "name": "order",
                "input": {arguments}}}]}}"#
            ),
            ApiKind::Embeddings => r#"{"data": []}"#.to_owned(),
        }
    }

    #[test]
    fn a_reply_that_names_a_key_twice_or_holds_too_many_values_is_asked_again() {
        for kind in [ApiKind::OpenAi, ApiKind::Anthropic] {
            let class = |arguments: &str| {
                let answer = classified(kind, &calling(kind, arguments), &Scrub::default());
                answer.map_err(|error| error.class).err()
            };
            assert_eq!(class(r#"{"papers": 4}"#), None);
            let twice = r#"{"papers": 4, "papers": 400}"#;
            assert_eq!(class(twice), Some(ErrorClass::Garbled));
            let many = format!("{{\"papers\": [{}0]}}", "0,".repeat(100_000));
            assert_eq!(class(&many), Some(ErrorClass::Garbled));
        }
        assert!(ErrorClass::Garbled.is_transient());
    }

    #[test]
    fn a_refused_count_is_noted_also_where_the_reply_holds_a_key() {
        let scrub = Scrub::new([KEY]);
        let bad = [
            (json!(-1), Refusal::Negative),
            (json!(1.5), Refusal::Fractional),
            (json!(2_000_000_000), Refusal::AboveLimit),
            (json!("many"), Refusal::NotANumber),
        ];
        for (count, reason) in bad {
            let openai = json!({
                "choices": [{"message": {"content": KEY}}],
                "usage": {"prompt_tokens": 7, "completion_tokens": count},
            });
            let anthropic = json!({
                "content": [{"type": "text", "text": KEY}],
                "usage": {"input_tokens": 7, "output_tokens": count},
            });
            for (kind, body) in [(ApiKind::OpenAi, openai), (ApiKind::Anthropic, anthropic)] {
                let answer = classified(kind, &body.to_string(), &scrub).unwrap();
                let reply = answer.reply.unwrap();
                assert_eq!(reply.said.text, "[key]");
                let output = RefusedCount {
                    count: CountName::Output,
                    reason,
                };
                assert_eq!(reply.refused, [output], "{kind}");
                assert_eq!((reply.usage.input, reply.usage.estimated), (7, true));
            }
        }
        // A part that is larger than the whole.
        let body = json!({
            "choices": [{"message": {"content": KEY}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3,
                "prompt_tokens_details": {"cached_tokens": 8}},
        });
        let answer = classified(ApiKind::OpenAi, &body.to_string(), &scrub).unwrap();
        let cached = RefusedCount {
            count: CountName::Cached,
            reason: Refusal::AboveTotal,
        };
        assert_eq!(answer.reply.unwrap().refused, [cached]);
    }

    #[test]
    fn an_answer_that_is_not_json_is_shown() {
        let scrub = Scrub::new([KEY]);
        let message = |body: &str| {
            let error = classified(ApiKind::OpenAi, body, &scrub).unwrap_err();
            assert_eq!(error.class, ErrorClass::Garbled, "{body}");
            error.message
        };
        assert_eq!(
            message("\n<!DOCTYPE html>\n<html>  <p>hello</p></html>"),
            "the answer is not JSON but begins with `<!DOCTYPE html> <html> <p>hello</p></html>`"
        );
        assert_eq!(message(" \n"), "the answer is empty");
        let cut = message("{\"choices\": [");
        assert!(
            cut.starts_with("the answer is not taken as JSON: EOF"),
            "{cut}"
        );
        // The key begins before the place where the answer is truncated.
        for blanks in 30..70 {
            let page = format!("<html>{}{KEY}</html>", "x".repeat(blanks));
            let message = message(&page);
            assert!(!message.contains("sk-live"), "{message}");
            let shown = message.split('`').nth(1).unwrap().chars().count();
            assert!(shown <= SHOWN_ANSWER + 1, "{message}");
        }
    }

    #[test]
    fn what_was_compressed_unasked_is_unpacked() {
        use flate2::Compression;
        use std::io::Write as _;
        let text = b"{\"choices\": []}";
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(text).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(text).unwrap();
        for packed in [zlib.clone(), bare.finish().unwrap()] {
            assert_eq!(unpacked(packed.clone(), "Deflate", 100), text);
            // Too large when unpacked, or with another name: left as it is.
            assert_eq!(unpacked(packed.clone(), "deflate", 3), packed);
            assert_eq!(unpacked(packed.clone(), "br", 100), packed);
        }
        assert_eq!(unpacked(text.to_vec(), "deflate", 100), text);
    }
}
