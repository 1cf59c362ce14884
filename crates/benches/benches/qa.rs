//! Scoring: ROUGE, option letters, files read and scored.
//!
//! Texts are drawn word by word with natural frequencies and lengths, many different ones a case, so
//! that no branch predictor can learn one; a prediction shares about half of its words with its
//! reference.
//!
//! * `rouge/55`, `rouge/344`, `rouge/2250`: ROUGE-1, -2 and -L of a pair with so many words a side;
//!   `rouge_stem/344`: the same with Porter's stemmer; `rouge_lsum/344`: the summary score;
//!   `rouge_golden`: the pairs of the reference vectors, where they are (they hold published texts and are
//!   not part of the project);
//! * `letters`: the strict cascade on short and long replies;
//! * `choice_file`: a file of 500 choice questions read, and 500 replies to it scored (without an interval, whose
//!   bootstrap would be most of it).
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use benches::{text, text_pairs as pairs, vocabulary};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use qa_scoring::extract::letters;
use qa_scoring::rouge::{Rouge, Stemming};
use qa_scoring::{Domain, Grader, QuestionType, Settings, Task, load, score_set};
use sim_core::Seed;
use std::hint::black_box;

/// The pairs of the reference vectors, in a folder beside the checkout.
fn golden(c: &mut Criterion) {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/golden/qa/rouge_pairs.json"
    );
    let Ok(file) = std::fs::read(path) else {
        println!("SKIPPED: rouge_golden, for there is no {path}");
        return;
    };
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = file["pairs"].as_array().unwrap().iter();
    let pairs: Vec<(String, String)> = rows
        .map(|row| (text(row, "reference"), text(row, "prediction")))
        .collect();
    let mut scorer = Rouge::new(Stemming::Off);
    let mut group = c.benchmark_group("qa");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function("rouge_golden", |b| {
        b.iter(|| {
            pairs
                .iter()
                .map(|(reference, prediction)| scorer.score(reference, prediction).mean_f())
                .sum::<f64>()
        });
    });
    group.finish();
}

fn rouge(c: &mut Criterion) {
    let mut group = c.benchmark_group("qa/rouge");
    for (words, count) in [(55, 512), (344, 64), (2_250, 8)] {
        let pairs = pairs(words, count);
        let mut scorer = Rouge::new(Stemming::Off);
        group.throughput(Throughput::Elements(count));
        group.bench_with_input(BenchmarkId::from_parameter(words), &pairs, |b, pairs| {
            b.iter(|| {
                pairs
                    .iter()
                    .map(|(reference, prediction)| scorer.score(reference, prediction).mean_f())
                    .sum::<f64>()
            });
        });
    }
    group.finish();
    golden(c);
    let pairs = pairs(344, 64);
    let mut group = c.benchmark_group("qa");
    group.throughput(Throughput::Elements(64));
    let mut stemmer = Rouge::new(Stemming::Porter);
    group.bench_function("rouge_stem/344", |b| {
        b.iter(|| {
            pairs
                .iter()
                .map(|(r, p)| stemmer.score(r, p).mean_f())
                .sum::<f64>()
        });
    });
    group.bench_function("rouge_lsum/344", |b| {
        b.iter(|| {
            pairs
                .iter()
                .filter_map(|(r, p)| stemmer.lsum(r, p))
                .map(|prf| prf.f)
                .sum::<f64>()
        });
    });
    group.finish();
}

/// Replies of every shape: a letter, a phrase, JSON, brackets, a long text that ends in an answer.
fn replies(count: u64) -> Vec<String> {
    let vocabulary = vocabulary();
    (0..count)
        .map(|index| {
            let mut stream = Seed(3).stream("reply", index);
            let letter = char::from(b'A' + u8::try_from(stream.below(4)).unwrap_or(0));
            let length = usize::try_from(stream.below(120)).unwrap_or(0);
            match stream.below(5) {
                0 => letter.to_string(),
                1 => format!("{{\"answer\": \"{letter}\"}}"),
                2 => format!("[[{letter}]]"),
                3 => format!("{letter}) {}", text(&vocabulary, length, &mut stream)),
                _ => format!(
                    "{}\nSo the answer is **{letter}**.",
                    text(&vocabulary, length, &mut stream)
                ),
            }
        })
        .collect()
}

fn choice(c: &mut Criterion) {
    const COUNT: u64 = 500;
    let replies = replies(COUNT);
    let mut group = c.benchmark_group("qa");
    group.throughput(Throughput::Elements(COUNT));
    group.bench_function("letters", |b| {
        b.iter(|| {
            replies
                .iter()
                .map(|reply| letters(black_box(reply), 4).len())
                .sum::<usize>()
        });
    });
    let vocabulary = vocabulary();
    let mut stream = Seed(4).stream("file", 0);
    let file: Vec<String> = (0..COUNT)
        .map(|id| {
            let mut words = |n| text(&vocabulary, n, &mut stream).replace('\n', " ");
            format!(
                "{{\"ID\": {id}, \"Question\": \"{}\", \"Options\": {{\"A\": \"{}\", \"B\": \"{}\", \"C\": \"{}\", \"D\": \"{}\"}}, \"Answer\": \"B\"}}",
                words(250), words(20), words(20), words(20), words(20)
            )
        })
        .collect();
    let file = file.join("\n");
    let answers: Vec<load::Prediction> = replies
        .iter()
        .enumerate()
        .map(|(id, reply)| load::Prediction::new(id.to_string(), Some(reply.clone())))
        .collect();
    let task = Task::Knowledge(Domain::Fin, QuestionType::Single);
    group.bench_function("choice_file", |b| {
        let mut grader = Grader::new(Settings {
            intervals: false,
            ..Settings::default()
        });
        b.iter(|| {
            let items = load::items(task, file.as_bytes())
                .map(|loaded| loaded.records)
                .unwrap_or_default();
            score_set(task, &items, &answers, &mut grader).counted
        });
    });
    group.finish();
}

criterion_group!(benches, rouge, choice);
criterion_main!(benches);
