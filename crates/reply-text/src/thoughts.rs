//! Removes a model's thinking from its reply.

use crate::cut::{after, before, find_ignoring_case, rfind_ignoring_case};
use std::borrow::Cow;

/// A reply without its thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken<'a> {
    /// The reply itself.
    Text(Cow<'a, str>),
    /// The model began to think and never stopped, so there is no reply.
    OnlyThinking,
}

impl<'a> Spoken<'a> {
    /// The text, `None` when there was only thinking.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::OnlyThinking => None,
        }
    }
}

/// Marks around thoughts, as the templates of models write them, in lower case.
const MARKS: [(&str, &str); 15] = [
    // DeepSeek, Qwen and most others
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    // Mistral
    ("[think]", "[/think]"),
    // Kimi
    ("◁think▷", "◁/think▷"),
    // Seed
    ("<seed:think>", "</seed:think>"),
    // Command
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    // Apertus
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    // Gemma
    ("<|channel>thought", "<channel|>"),
    ("<unused94>", "<unused95>"),
    // as a page shows them
    ("&lt;think&gt;", "&lt;/think&gt;"),
];

/// Marks with which the templates of models begin a reply, in lower case.
const OPENINGS: [&str; 5] = [
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|start|>assistant",
    "<|assistant|>",
    "<start_of_turn>model",
];

/// Marks with which they end it, in lower case. What follows does not belong to the reply.
const ENDINGS: [&str; 8] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<|eom_id|>",
];

/// Removes the thoughts of a model, in any case of letters.
///
/// Thoughts stand between marks such as `<think>..</think>`, or in a channel
/// (`<|channel|>analysis<|message|>..`, also where a server has removed the marks and left
/// `analysis..assistantfinal..`).
///
/// Order of the steps, for every kind of mark: 1. every opened and closed block goes; 2. where a closing
/// mark remains, only the text after the last one counts (templates often swallow the opening mark); 3. an
/// opening mark that remains means that the reply was cut off inside the thinking.
///
/// ```
/// use reply_text::thoughts::{Spoken, without_thinking};
/// assert_eq!(without_thinking("<think>A?</think> B").text().as_deref(), Some(" B"));
/// assert_eq!(without_thinking("hmm</think>C").text().as_deref(), Some("C"));
/// assert_eq!(without_thinking("<think>A, no, B"), Spoken::OnlyThinking);
/// let reply = "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>";
/// assert_eq!(without_thinking(reply).text().as_deref(), Some("B"));
/// ```
#[must_use]
pub fn without_thinking(text: &str) -> Spoken<'_> {
    let Some(channel) = final_channel(text) else {
        return Spoken::OnlyThinking;
    };
    let mut spoken = Cow::Borrowed(framed(channel));
    for (open, close) in marks_in(channel) {
        spoken = match spoken {
            Cow::Borrowed(text) => match cut_marks(text, open, close) {
                Some(text) => text,
                None => return Spoken::OnlyThinking,
            },
            Cow::Owned(text) => match cut_marks(&text, open, close) {
                Some(text) => Cow::Owned(text.into_owned()),
                None => return Spoken::OnlyThinking,
            },
        };
    }
    Spoken::Text(boxed(match spoken {
        Cow::Borrowed(text) => without_struck(framed(text)),
        Cow::Owned(text) => Cow::Owned(without_struck(framed(&text)).into_owned()),
    }))
}

/// The text with the marks that GLM is trained to write around an answer as the box that others write.
fn boxed(text: Cow<'_, str>) -> Cow<'_, str> {
    const OPEN: &str = "<|begin_of_box|>";
    if !text.contains(OPEN) {
        return text;
    }
    let text = text.replace(OPEN, "\\boxed{");
    text.replace("<|end_of_box|>", "}").into()
}

/// The text without the marks around a reply.
fn framed(text: &str) -> &str {
    let mut text = text;
    for mark in OPENINGS {
        let bare = text.trim_start();
        if bare
            .get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
        {
            text = after(bare, mark.len());
        }
    }
    let end = ENDINGS
        .iter()
        .filter_map(|mark| find_ignoring_case(text, mark, 0))
        .min();
    text = before(text, end.unwrap_or(text.len()));
    // "<s>64.2</s>" is struck out.
    match text.trim_end().strip_suffix("</s>") {
        Some(bare) if !bare.contains("<s>") => bare,
        _ => text,
    }
}

/// The text without what is struck out: `~~5~~`, `<del>5</del>`.
fn without_struck(text: &str) -> Cow<'_, str> {
    let mut spoken = Cow::Borrowed(text);
    for (open, close) in [
        ("~~", "~~"),
        ("<del>", "</del>"),
        ("<s>", "</s>"),
        ("<strike>", "</strike>"),
    ] {
        if !spoken.contains(open) {
            continue;
        }
        let mut kept = String::with_capacity(spoken.len());
        // Line by line, because a mark that does not end in its line strikes nothing out. No mark
        // has the rest of the text searched.
        for line in spoken.split_inclusive('\n') {
            let mut rest = line;
            while let Some(at) = rest.find(open) {
                let inside = after(rest, at + open.len());
                let tildes = inside.len() - inside.trim_start_matches('~').len();
                if tildes > 0 {
                    // A fence of three tildes.
                    kept.push_str(before(rest, at + open.len() + tildes));
                    rest = after(inside, tildes);
                } else if let Some(length) = inside.find(close) {
                    kept.push_str(before(rest, at));
                    rest = after(inside, length + close.len());
                } else {
                    break;
                }
            }
            kept.push_str(rest);
        }
        spoken = Cow::Owned(kept);
    }
    spoken
}

/// The kinds of marks that occur in a text; mostly none, found in one pass.
fn marks_in(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut found = [false; MARKS.len()];
    for (at, _) in text.match_indices(['<', '[', '◁', '&']) {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let starts = |mark: &str| {
            rest.get(..mark.len())
                .is_some_and(|part| part.eq_ignore_ascii_case(mark.as_bytes()))
        };
        // All kinds at once: looking for each of them would read the text thirty times.
        for (known, (open, close)) in found.iter_mut().zip(MARKS) {
            *known |= starts(open) || starts(close);
        }
    }
    MARKS
        .into_iter()
        .zip(found)
        .filter_map(|(marks, known)| known.then_some(marks))
}

/// The text without what stands between one pair of marks; `None` when it ends inside.
fn cut_marks<'a>(text: &'a str, open: &str, close: &str) -> Option<Cow<'a, str>> {
    let Some(first) = find_ignoring_case(text, open, 0) else {
        return Some(Cow::Borrowed(match rfind_ignoring_case(text, close) {
            Some(at) => after(text, at + close.len()),
            None => text,
        }));
    };
    // 1.
    let mut kept = before(text, first).to_owned();
    let mut rest = after(text, first);
    while let Some(open) = find_ignoring_case(rest, open, 0) {
        let Some(end) = find_ignoring_case(rest, close, open) else {
            break;
        };
        kept.push_str(before(rest, open));
        rest = after(rest, end + close.len());
    }
    kept.push_str(rest);
    // 2.
    if let Some(at) = rfind_ignoring_case(&kept, close) {
        kept.drain(..at + close.len());
    }
    // 3.
    let open = find_ignoring_case(&kept, open, 0).is_some();
    (!open).then_some(Cow::Owned(kept))
}

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";

/// What the reply says in its final channel; the whole text where it has no channels, `None` where it only
/// has channels of thoughts.
fn final_channel(text: &str) -> Option<&str> {
    let Some(last) = rfind_ignoring_case(text, CHANNEL) else {
        // The same template without its marks.
        if text.trim_start().starts_with("analysis")
            && let Some(at) = text.rfind("assistantfinal")
        {
            return Some(after(text, at + "assistantfinal".len()));
        }
        if text.trim_start().starts_with("Thinking...")
            && let Some(at) = text.find("...done thinking.")
        {
            return Some(after(text, at + "...done thinking.".len()));
        }
        if text.trim_start().starts_with("Here is my thought process:")
            && let Some(at) = text.rfind("Here is my response:")
        {
            return Some(after(text, at + "Here is my response:".len()));
        }
        return Some(text);
    };
    // Where a final channel is followed by another one, it is the final one that counts.
    let at = rfind_ignoring_case(text, "<|channel|>final").unwrap_or(last);
    let body = after(text, at + CHANNEL.len());
    let (name, said) = match body.find(MESSAGE) {
        Some(at) => (before(body, at), after(body, at + MESSAGE.len())),
        None => (body, ""),
    };
    if name.trim_start().starts_with("analysis") {
        return None;
    }
    let end = said.find("<|").unwrap_or(said.len());
    Some(before(said, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_and_cut_off_thinking_is_no_reply() {
        let cases = [
            ("plain", Some("plain")),
            ("<THINK>x</Think>y", Some("y")),
            ("<think>a</think>1<think>b</think>2", Some("12")),
            ("<think>a<think>b</think>c</think>d", Some("d")),
            ("a</think>b</think>c", Some("c")),
            ("<think>", None),
            (
                "<think>5?</think>It is <|begin_of_box|>6<|end_of_box|>",
                Some("It is \\boxed{6}"),
            ),
            ("x<think>y", None),
            ("</think>x<think>", None),
            ("[THINK]a[/THINK]b", Some("b")),
            ("◁think▷a◁/think▷b", Some("b")),
            ("<thinking>a</thinking><reasoning>b</reasoning>c", Some("c")),
            ("<|channel|>analysis<|message|>a", None),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}",
                Some("{}"),
            ),
            ("analysisI add 2 and 3.assistantfinal5", Some("5")),
            ("analysis of sales: 5", Some("analysis of sales: 5")),
            ("Thinking...\n5?\n...done thinking.\n\n7", Some("\n\n7")),
            ("Thinking... it is 5", Some("Thinking... it is 5")),
            ("5</s>", Some("5")),
            ("<s>5</s>", Some("")),
            ("5<|im_end|>\n<|im_start|>user\n6?", Some("5")),
            ("<|im_start|>assistant\n5", Some("\n5")),
            ("&lt;think&gt;5&lt;/think&gt;6", Some("6")),
            ("~~5~~ 6", Some(" 6")),
            ("<s>5</s> 6", Some(" 6")),
            ("about ~~5", Some("about ~~5")),
            ("~~~python\n5\n~~~", Some("~~~python\n5\n~~~")),
            ("6 <del>5</del>", Some("6 ")),
            ("<del>5\n6</del> <del>7</del>", Some("<del>5\n6</del> ")),
            ("~~~ 5 ~~6~~ 7", Some("~~~ 5  7")),
        ];
        for (text, want) in cases {
            assert_eq!(without_thinking(text).text().as_deref(), want, "{text}");
        }
    }
}
