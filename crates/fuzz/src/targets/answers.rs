//! Questions and answers: files of both, and replies of models as text.

use super::command::Work;
use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, committed, files, longest, repository};
use anyhow::Result;
use qa_scoring::judge::{Rubric, Subject, read_score, request};
use qa_scoring::load;
use qa_scoring::quality::lint;
use qa_scoring::rouge::{Rouge, Stemming};
use qa_scoring::rules::number;
use qa_scoring::score::ResultSource;
use qa_scoring::tatqa::{AnswerType, GoldAnswer};
use qa_scoring::{Gold, Grader, Item, Profile, QuestionType, Settings, Task, construct, extract};
use qa_scoring::{finqa, metric, tatqa, taxonomy};
use serde_json::json;
use sim_core::strict::{MOST_STORED_VALUES, holds_more_than};
use std::fmt::Write as _;

/// Answer files.
pub const ANSWERS: Target = Target {
    name: "answers",
    about: "answer files and question files of every task, judged by `score`",
    weight: 4,
    longest: longest::FILE,
    open: answers,
};

/// Question files.
pub const QUESTIONS: Target = Target {
    name: "questions",
    about: "question, answer, label and result files, read by every loader",
    weight: 2,
    longest: longest::FILE,
    open: questions,
};

/// Replies.
pub const EXTRACT: Target = Target {
    name: "extract",
    about: "replies as text: every extractor, judge reader and grader",
    weight: 3,
    longest: longest::TEXT,
    open: replies,
};

/// The question files of the repository with their tasks.
fn sets() -> Result<Vec<(Task, String, Vec<u8>)>> {
    let mut sets = Vec::new();
    for (path, content) in files(&repository("fixtures/qa"))? {
        let name = path.replace('\\', "/");
        if let Some(task) = Task::of_path(&name).filter(|_| !name.starts_with("pred")) {
            let ending = if name.ends_with("l") { "jsonl" } else { "json" };
            sets.push((task, format!("gold.{ending}"), content));
        }
    }
    Ok(sets)
}

/// A right answer as a model may word it.
fn answer_of(item: &Item) -> String {
    match &item.gold {
        Gold::Letters(set) => format!("The answer is ({set})."),
        Gold::Text(text) => match &item.program {
            Some(program) => format!("```python\n{program}\n```"),
            None => format!("Therefore the final answer is \\boxed{{{text}}}."),
        },
        Gold::Absent => String::new(),
    }
}

fn answers() -> Result<Opened> {
    // The sets take turns with the profiles. Each set with each profile would be four times as many
    // seeds, and all seeds are played before the first mutation.
    let profiles = ["strict", "paper", "authors", "bizbench"];
    let mut seeds = Vec::new();
    for (number, (task, gold_name, gold)) in sets()?.into_iter().enumerate() {
        let Ok(items) = load::items(task, &gold) else {
            continue;
        };
        let profile = profiles
            .get(number % profiles.len())
            .copied()
            .unwrap_or_default();
        let (mut lines, mut table) = (String::new(), "id,answer\n".to_owned());
        for item in &items.records {
            let answer = answer_of(item);
            let _ = writeln!(lines, "{}", json!({"id": item.id, "prediction": answer}));
            let _ = writeln!(table, "{},\"{}\"", item.id, answer.replace('"', "\"\""));
        }
        for (name, content) in [("p.jsonl", lines), ("p.csv", table)] {
            // Every set with Python once; each program is a process of its own and slow to start.
            let python = if name == "p.csv" {
                " --python none"
            } else {
                ""
            };
            let command = format!(
                "score {task} --predictions {name} --gold {gold_name} --json --profile \
                 {profile}{python}"
            );
            let bundle = Bundle::default()
                .with("command", command)
                .with(name, content)
                .with(gold_name.clone(), gold.clone());
            seeds.push(bundle.write());
        }
    }
    seeds.extend(committed(ANSWERS.name)?);
    let work = Work::new()?;
    Ok(Opened::new(seeds, move |input| work.play(input)))
}

fn questions() -> Result<Opened> {
    let mut seeds: Vec<Vec<u8>> = sets()?.into_iter().map(|(_, _, content)| content).collect();
    for folder in ["fixtures/qa/predictions", "fixtures/qa/results"] {
        let found = files(&repository(folder))?;
        seeds.extend(found.into_iter().map(|(_, content)| content));
    }
    seeds.extend(committed(QUESTIONS.name)?);
    Ok(Opened::new(seeds, |input| {
        // The program counts the values before it parses them.
        if holds_more_than(input, MOST_STORED_VALUES) {
            return Verdict::Refused;
        }
        let mut taken = false;
        for task in Task::all() {
            if let Ok(loaded) = load::items(task, input) {
                taken = true;
                for item in loaded.records.iter().take(3) {
                    let _ = qa_scoring::prompt::question(item);
                }
            }
        }
        taken |= load::predictions(input).is_ok();
        taken |= load::labels(input).is_ok();
        taken |= load::objects(input).is_ok();
        for kind in [QuestionType::Single, QuestionType::Multiple] {
            if let Ok(loaded) = load::results(kind, input) {
                taken = true;
                let mut grader = Grader::new(Settings::default());
                for source in [ResultSource::Reply, ResultSource::Stored] {
                    for task in Task::all().take(2) {
                        let records = &loaded.records;
                        let _ = qa_scoring::score_results(task, records, source, &mut grader);
                    }
                }
            }
        }
        let _ = load::table(input);
        if taken {
            Verdict::Played
        } else {
            Verdict::Refused
        }
    }))
}

/// Items of every task, for grading a reply.
fn items() -> Result<Vec<(Task, Item)>> {
    let mut all = Vec::new();
    for (task, _, content) in sets()? {
        if let Ok(items) = load::items(task, &content) {
            all.extend(items.records.into_iter().take(2).map(|item| (task, item)));
        }
    }
    Ok(all)
}

fn replies() -> Result<Opened> {
    let all = items()?;
    let mut seeds = committed(EXTRACT.name)?;
    seeds.extend(all.iter().map(|(_, item)| answer_of(item).into_bytes()));
    Ok(Opened::new(seeds, move |input| {
        let text = String::from_utf8_lossy(input);
        read_everything(&text);
        for profile in [
            Profile::Strict,
            Profile::Paper,
            Profile::Authors,
            Profile::BizBench,
        ] {
            let settings = Settings {
                profile,
                lenient: profile == Profile::Strict,
                intervals: false,
                ..Settings::default()
            };
            let mut grader = Grader::new(settings);
            // A few items each: another text meets others.
            let start = text.len() % all.len().max(1);
            for (task, item) in all.iter().cycle().skip(start).step_by(7).take(4) {
                let grade = grader.grade(*task, item, Some(&text));
                if grade.value.is_some_and(|value| !value.is_finite()) {
                    return Verdict::Broken(format!("{task}: a grade that is not finite"));
                }
            }
        }
        Verdict::Played
    }))
}

/// Every function that reads a reply.
fn read_everything(text: &str) {
    // No options, one, the usual four, the alphabet, and more than there are letters. What each
    // function returns is dropped: that it returns is tested.
    for count in [0, 1, 4, 26, 1_000] {
        let _ = extract::letters(text, count);
    }
    let _ = extract::label(text, &["positive", "negative", "neutral", ""]);
    let _ = (extract::number(text), extract::final_answer(text));
    let _ = (extract::spans(text), extract::yes_no(text));
    let _ = (number::first_number(text), number::last_number(text));
    let _ = (extract::without_thinking(text), number::only_brace(text));
    let _ = (
        reply_text::number::last(text),
        reply_text::number::listed(text, true, true),
    );
    let _ = (
        reply_text::number::list(text),
        reply_text::answer::in_marked(text),
    );
    let _ = (reply_text::mark::all(text), reply_text::json::pieces(text));
    let _ = reply_text::mark::first_fence(text);
    let _ = extract::published::evaluator_letter(text);
    let _ = extract::published::api_letter(text);
    let _ = extract::published::local_letters(text);
    let _ = (read_score(text), qa_scoring::judge::read_label(text));
    let _ = qa_scoring::judge::published_verdict(text);
    let _ = taxonomy::read_label(text);
    let _ = construct::read_drafts(text, 3);
    let _ = construct::read_scores(text);
    let _ = construct::read_suitability(text);
    let _ = construct::read_distractors(text, 3);
    let _ = load::split_options(text);
    let lines: Vec<&str> = text.lines().take(30).collect();
    let _ = lint(&lines);
    let (half, rest) = text.split_at(half(text));
    for stemming in [Stemming::Off, Stemming::Porter] {
        // The longest common subsequence takes the product of the lengths.
        if text.len() < 20_000 {
            let _ = Rouge::new(stemming).score(half, rest);
        }
    }
    let _ = metric::entity_counts(half, rest);
    let _ = metric::token_tag_counts(half, rest);
    let gold = GoldAnswer {
        answer_type: AnswerType::MultiSpan,
        parts: lines.iter().take(5).map(|&line| line.to_owned()).collect(),
        scale: "million".to_owned(),
    };
    if text.len() < 20_000 {
        let parts: Vec<&str> = lines.iter().rev().take(5).copied().collect();
        let _ = tatqa::score(&gold, &parts, "million");
    }
    let _ = finqa::run(text, &vec![vec!["a".to_owned(), "1".to_owned()]]);
    let subject = Subject {
        question: half,
        reference: rest,
        answer: text,
    };
    let _ = request(Rubric::Score, &subject, 0);
}

fn half(text: &str) -> usize {
    let mut at = text.len() / 2;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
