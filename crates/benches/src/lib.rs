//! Speed measurements, one file per simulator in `benches/`.
//!
//! The benches are a separate package so that examples and tests never build the harness. Run one
//! with `cargo bench -p benches --bench beer_game`, all with `cargo xtask bench`. This library has
//! the inputs that several benches use.
//!
//! Rules for a bench: inputs vary from iteration to iteration, because branch predictors learn
//! repeated ones; throughput is declared in the usual unit (steps, pairs, plans); the file's header
//! says what is measured and what is left out. A figure that the harness cannot measure is printed
//! as `figure: NAME = VALUE UNIT`. A name that ends in `/NUMBER` is a size: three of them make a
//! row of the table of growth.

use sim_core::batch::ValueKind;
use sim_core::{BatchLayout, Seed, Stream};
use std::fmt::Write as _;

/// Drawn actions for every lane of a batch in one step: up to four times the usual size of a field
/// (`scale`), small values more frequent than large ones.
#[must_use]
pub fn actions(layout: &BatchLayout, step: u32) -> Vec<f32> {
    let mut draw = Seed(6).stream("actions", u64::from(step));
    let fields = layout.action.iter().cycle().take(layout.action_len());
    fields
        .map(|field| {
            #[expect(clippy::cast_possible_truncation, reason = "a unit draw fits an f32")]
            let share = draw.unit() as f32;
            let high = field.high.min(field.low + 4.0 * field.scale);
            let value = field.low + (high - field.low) * share * share;
            if field.kind == ValueKind::Real {
                value
            } else {
                value.round()
            }
        })
        .collect()
}

/// Words of an artificial language: lengths as in English, frequent ones short.
#[must_use]
pub fn vocabulary() -> Vec<String> {
    let mut stream = Seed(1).stream("vocabulary", 0);
    (0..4_000_u64)
        .map(|rank| {
            let length = 2 + stream.below(3 + (rank / 100).min(8));
            (0..length)
                .map(|_| char::from(b'a' + u8::try_from(stream.below(26)).unwrap_or(0)))
                .collect()
        })
        .collect()
}

/// A word by Zipf's law: rank proportional to a power of a uniform draw.
pub fn word<'v>(vocabulary: &'v [String], stream: &mut Stream) -> &'v str {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a few thousand words"
    )]
    let rank = (vocabulary.len() as f64).powf(stream.unit()) as usize;
    vocabulary
        .get(rank.saturating_sub(1))
        .map_or("the", String::as_str)
}

/// A text of `words` words, in sentences, with capitals, commas and line ends.
pub fn text(vocabulary: &[String], words: usize, stream: &mut Stream) -> String {
    let mut out = String::new();
    let mut sentence = 0;
    for _ in 0..words {
        let next = word(vocabulary, stream);
        if sentence == 0 {
            let (first, rest) = next.split_at(1);
            let _ = write!(out, "{}{rest}", first.to_uppercase());
        } else {
            out.push_str(next);
        }
        sentence += 1;
        if stream.chance(0.06) {
            out.push_str(if stream.chance(0.2) { ".\n" } else { ". " });
            sentence = 0;
        } else {
            out.push_str(if stream.chance(0.05) { ", " } else { " " });
        }
    }
    out
}

/// Pairs of reference and prediction with `words` words each; the prediction keeps about every
/// second word of the reference.
#[must_use]
pub fn text_pairs(words: usize, count: u64) -> Vec<(String, String)> {
    let vocabulary = vocabulary();
    (0..count)
        .map(|index| {
            let mut stream = Seed(2).stream("pair", index);
            let reference = text(&vocabulary, words, &mut stream);
            let prediction: Vec<&str> = reference
                .split(' ')
                .map(|kept| {
                    if stream.chance(0.5) {
                        kept
                    } else {
                        word(&vocabulary, &mut stream)
                    }
                })
                .collect();
            let prediction = prediction.join(" ");
            (reference, prediction)
        })
        .collect()
}
