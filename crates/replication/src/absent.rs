//! Figures that cannot be computed again, and comparisons that only tests make.

use std::fmt::Write as _;

/// Figures of a paper that cannot be computed here, with the reason.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    /// Paper, and position in it.
    pub place: &'static str,
    /// The printed figure.
    pub what: &'static str,
    /// Why it cannot be computed.
    pub reason: &'static str,
}

/// All of them, by paper.
pub const ABSENT: &[Absent] = &[
    Absent {
        place: "strategic paper, Table 1",
        what: "scores of nine agent methods",
        reason: "needs the language models",
    },
    Absent {
        place: "strategic paper, Table 2",
        what: "consulting interviews",
        reason: "interviewer, candidate and judge are language models; the printed overall is \
                 not the mean of the four dimensions (CoT 0.796 against 0.807) but the judge's own number",
    },
    Absent {
        place: "strategic paper, Table 3",
        what: "earnings and utilization of the nine methods (4.32 to 6.76 M, 0.729 to 0.933)",
        reason: "needs the language models; only Simple is free of them",
    },
    Absent {
        place: "strategic paper, Table 4",
        what: "that these rules are found",
        reason: "needs the authors' prediction files; here the printed rules are followed",
    },
    Absent {
        place: "strategic paper, Table 5",
        what: "test total 4,706 and grand total 21,789",
        reason: "the rows sum to 4,703 and 21,786",
    },
    Absent {
        place: "strategic paper, section 4.3 and Figure 3",
        what: "the router's 0.729 against the best method's 0.725",
        reason: ROUTER,
    },
    Absent {
        place: "unknown markets, Tables 2 to 5 and Figure 2",
        what: "scores, action quality and exploration of language models",
        reason: "needs the language models; the run logs are not public",
    },
    Absent {
        place: "unknown markets, procurement",
        what: "the authors' optima to the cent",
        reason: "the last dollar of a budget comes from a generator that was not seeded",
    },
    Absent {
        place: "unknown markets, Table 4",
        what: "exploration rate in scheduling as their notebook computes it",
        reason: "the notebook counts an empty marker, so its rate is u / (u + 1) and never below one \
                 half; the printed 41.0 % comes from another version",
    },
    Absent {
        place: "litmus tests",
        what: ".16, .33, .07 and the other leanings of models",
        reason: "needs the language models",
    },
    Absent {
        place: "Sterman 1989",
        what: "mean cost of human teams, 2,028 (383, 635, 630, 380)",
        reason: "people played",
    },
    Absent {
        place: "BPTK tutorial",
        what: "trained Q-tables",
        reason: "the tables behind the text (50,000 games) are not in the package",
    },
    Absent {
        place: "office paper, Tables 2 and 10",
        what: "how many mails, chats, records, posts and people the company has",
        reason: "they count the authors' data, which is not part of this repository: the company here \
                 is made up, its size is a setting. The tables contradict each other in six of ten \
                 rows: 4,500 and 7,000 mails, 1,000 and 30,198 entries of the code workspace, 30,195 \
                 and 30,727 customer records, 5,000 and 8,398 questions, 1,000 and 39,115 posts, \
                 1,260 and 1,265 people",
    },
    Absent {
        place: "office paper, Figure 2",
        what: "tasks by domain",
        reason: "the figure is a picture without a table, and the tasks it counts were written by a \
                 language model; ours are drawn anew from templates",
    },
    Absent {
        place: "office paper, Tables 3, 4, 6, 7 and 11 and Figure 3",
        what: "success of models and agents on its tasks",
        reason: "needs the language models",
    },
    Absent {
        place: "office paper, Figure 4",
        what: "experts' marks for the realism of data and tasks",
        reason: "people judged",
    },
    Absent {
        place: "reallocation paper, Tables 4 and 5 and Figure 1",
        what: "73.86, 71.90, 67.17, 65.82 and 63.87 of five models, by dimension and by tier",
        reason: "needs the models' plans; the means come from an older rule than the paper's \
                 appendix C (it stands here as a second rubric, `older_rubric`), on scenarios of \
                 another version, whose raw runs carry no licence",
    },
    Absent {
        place: "reallocation paper, Tables 6 and 12",
        what: "failure modes of each model, and which occur together",
        reason: "counts over the same 65 plans of models; the rule that labels a plan and the count \
                 are here, the plans are not",
    },
    Absent {
        place: "reallocation paper, Tables 7 and 8",
        what: "what the models decided in two cases, and their marks",
        reason: "needs the models' plans; of the two companies the text gives a few figures only, the \
                 rest of `C3-R3` and `C7-R3` was written for this project",
    },
    Absent {
        place: "reallocation paper, Table 10",
        what: "score, grade and failure mode of each model in each scenario",
        reason: "needs the models' plans and the authors' scenarios",
    },
    Absent {
        place: "BizCompass, Table 2",
        what: "GPT-Eval in OM and STAT (16 cells)",
        reason: "their mean of table and general questions weighs by the number of questions, and the \
                 public repository has no general questions of OM and STAT",
    },
    Absent {
        place: "BizCompass, Table 4",
        what: "two models fine-tuned on finance",
        reason: "needs the fine-tuned models; the column of the untuned one is its row in Table 15",
    },
    Absent {
        place: "BizCompass, Table 13, general questions",
        what: "17 marks of the judge",
        reason: "needs the judge",
    },
    Absent {
        place: "BizCompass, Table 13, cell (.6, .6)",
        what: "33.16",
        reason: "a count of the authors' result files gave 33.48, and 33.16 in the cell (.2, .8); \
                 the files are not stored here, so this page does not count them again",
    },
    Absent {
        place: "BizCompass, Table 13, cell (.2, .95)",
        what: "32.67",
        reason: "one of the authors' result files holds two answers to questions that do not exist: \
                 612 right of 1,875 when counted, printed as 612 of 1,873; the files are not stored \
                 here",
    },
    Absent {
        place: "BizCompass, Table 13, the other ten cells",
        what: "32.67 (.2 and .4, .6), 33.16 (.2, .8), 33.80 (.2 and .4, .9), 33.21 (.4, .8), 34.54 \
               (.4, .95), 34.92 (.6, .8), 34.17 (.6, .9), 33.96 (.6, .95)",
        reason: "letters of five cells were taken over here, those of the others were not; `boardroom \
                 paper bizcompass --runs DIR` prints all 17 cells from the authors' result files",
    },
    Absent {
        place: "BizCompass, Table 14",
        what: "seconds and memory of the fine-tuned model",
        reason: "needs that model and four A40 cards",
    },
    Absent {
        place: "BizCompass, Table 15",
        what: "percentages of 23 models",
        reason: "they imply 324 and 330, 330 and 319, 323 and 323, 318 and 324 questions (single and \
                 multiple; FIN, ECON, OM, STAT); the repository holds 442 and 468, 511 and 433, 449 and \
                 469, 471 and 459: another revision of the data",
    },
    Absent {
        place: "BizCompass, Tables 15 and 16",
        what: "judged figures of knowledge and of applications, and the models' other results",
        reason: "needs the models and the judge; what follows from them, Tables 2 and 3, is computed",
    },
    Absent {
        place: "BizCompass, Figures 2 and 3",
        what: "sizes of the sets, mean length of their questions",
        reason: "pictures without a table, of another revision of the data than the public one",
    },
    Absent {
        place: "BizCompass, Figure 4",
        what: "correlations of 21 tasks with 4 domains",
        reason: "names neither coefficient nor domain value; Pearson with the mean of the judged \
                 scores agrees best with the text and is the default of `qa_scoring::correlate`",
    },
    Absent {
        place: "BizCompass, Figure 5",
        what: "correlation with three other benchmarks",
        reason: "a picture; the models' results in those benchmarks are not printed",
    },
    Absent {
        place: "BizCompass, Tables 17 and 18",
        what: "shares of employment and openings, coverage of O*NET tasks by role",
        reason: "needs the marks that a model gave to each occupation and task",
    },
];

/// Why the router's gain cannot be judged. The test below computes the figures in this text from
/// printed ones.
const ROUTER: &str = "needs the authors' prediction files. Both answered the same questions, so the \
    error of one mean (0.0065 with the 4,655 test questions of Table 5) does not tell whether 0.004 is \
    more than chance. The error of the difference follows from the number of questions that only one \
    of the two got right, and that is not printed: 19 answers more are beyond 1.96 of its standard \
    errors if there are 90 such questions or fewer, and not if there are more";

/// Tables that hold settings, sources or descriptions and no result.
pub const DESCRIPTIONS: &[&str] = &[
    "unknown markets, Table 1",
    "office paper, Tables 1, 5, 8, 9 and 12 to 14",
    "reallocation paper, Tables 1 to 3, 9 and 11",
    "BizCompass, Tables 1 and 5 to 12",
];

/// Comparisons in tests with files that are not in this repository.
const IN_TESTS: &[(&str, &str)] = &[
    (
        "1,492 procurement plans of 60 markets: cost, feasibility, workers; 60 optima",
        "cargo nextest run -p econ-envs procurement::golden",
    ),
    (
        "800 matchings with all their blocking pairs, 60 exact denominators",
        "cargo nextest run -p econ-envs scheduling::golden",
    ),
    (
        "1,060 price vectors, 60 optima and 180 whole runs of the public program",
        "cargo nextest run -p econ-envs pricing::golden",
    ),
    (
        "188 Beer Games of BPTK-Py week by week",
        "cargo nextest run -p beer-game golden",
    ),
    (
        "84 runs of the original consulting engine step by step",
        "cargo nextest run -p edt goldens",
    ),
    (
        "329 text pairs against rouge-score 0.1.2, official TAT-QA rows, four whole runs of models",
        "cargo nextest run -p qa-scoring",
    ),
    (
        "the 46 published tools of the simulated company with arguments and replies",
        "cargo nextest run -p enterprise-sandbox tools",
    ),
];

/// Both lists as Markdown.
pub(crate) fn text() -> String {
    let mut text =
        "## What cannot be reproduced, and why\n\n| where | what | why not |\n|---|---|---|\n"
            .to_owned();
    for absent in ABSENT {
        let Absent {
            place,
            what,
            reason,
        } = absent;
        let _ = writeln!(text, "| {place} | {what} | {reason} |");
    }
    let _ = writeln!(
        text,
        "\nTables of settings, sources and descriptions hold no result and are not listed: {}.",
        DESCRIPTIONS.join("; ")
    );
    text.push_str(
        "\n## Compared in tests only\n\nThese recordings are too large for this repository. The tests \
         read them from a folder `shared` beside it; **where that is absent they compare nothing and \
         say `SKIPPED` in their output** (run them with `--no-capture` to see it).\n\n| what | \
         command |\n|---|---|\n",
    );
    for (what, command) in IN_TESTS {
        let _ = writeln!(text, "| {what} | `{command}` |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The tables in a list such as `Tables 1, 5 and 12 to 14`.
    fn tables(place: &str) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let (mut last, mut is_range) = (None, false);
        let words = place.split_once("Table").map_or("", |(_, rest)| rest);
        for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
            match (word.parse::<u32>(), last) {
                (Ok(number), Some(first)) if is_range => found.extend(first..=number),
                (Ok(number), _) => {
                    found.insert(number);
                }
                _ if ["s", "and", "to"].contains(&word) => {}
                _ => break,
            }
            is_range = word == "to";
            last = word.parse().ok().or(last);
        }
        found
    }

    #[test]
    fn tables_are_read_from_a_place() {
        let of = |place| tables(place).into_iter().collect::<Vec<_>>();
        assert_eq!(of("office, Tables 1, 5 and 12 to 14"), [1, 5, 12, 13, 14]);
        assert_eq!(of("a paper, Table 13, cell (.6, .6)"), [13]);
        assert_eq!(of("a paper, Tables 2 to 5 and Figure 9"), [2, 3, 4, 5]);
        assert_eq!(of("a paper, section 4"), [0_u32; 0]);
    }

    #[test]
    fn every_table_of_the_papers_has_a_place() {
        let mut named: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let listed = ABSENT.iter().map(|absent| absent.place);
        // Table 3 of BizCompass is computed completely.
        let computed = ["BizCompass, Table 3"];
        for place in listed.chain(DESCRIPTIONS.iter().copied()).chain(computed) {
            let paper = place.split(',').next().unwrap();
            named.entry(paper).or_default().extend(tables(place));
        }
        for (paper, count) in [
            ("strategic paper", 5),
            ("unknown markets", 5),
            ("office paper", 14),
            ("reallocation paper", 12),
            ("BizCompass", 18),
        ] {
            let all: BTreeSet<u32> = (1..=count).collect();
            assert_eq!(named.get(paper), Some(&all), "{paper}");
        }
    }

    #[test]
    fn the_routers_gain_is_weighed_with_printed_figures() {
        // Test questions of Table 5, without the interviews.
        let questions: u32 = [788, 288, 132, 47, 441, 589, 200, 50, 2_000, 120]
            .iter()
            .sum();
        let n = f64::from(questions);
        assert_eq!(questions, 4_655);
        let one = (0.729 * (1.0 - 0.729) / n).sqrt();
        assert_eq!(format!("{one:.4}"), "0.0065");
        // With b and c questions that only one got right, the difference b - c has the standard error
        // sqrt(b + c - (b - c)^2 / n).
        let gained = (0.729 - 0.725) * n;
        assert_eq!(format!("{gained:.0}"), "19");
        let most = (gained / 1.96).powi(2) + gained.powi(2) / n;
        assert_eq!(format!("{most:.0}"), "90");
        for figure in ["4,655", "0.0065", "19 answers", "90 such"] {
            assert!(ROUTER.contains(figure), "{figure}");
        }
    }
}
