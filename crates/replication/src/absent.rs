//! What cannot be computed again, and what only tests can.

use std::fmt::Write as _;

/// A published figure that does not come out, with the reason.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    /// Paper and place.
    pub place: &'static str,
    /// What is printed there.
    pub what: &'static str,
    /// Why it cannot be computed.
    pub reason: &'static str,
}

/// All of them.
pub const ABSENT: &[Absent] = &[
    Absent {
        place: "strategic paper, Table 1",
        what: "scores of nine agent methods, the AoA router's 0.729 against 0.725",
        reason: "needs the language models, and the authors' prediction files for the router; with \
                 4,655 questions one standard error is 0.0065, so the difference lies inside the \
                 noise",
    },
    Absent {
        place: "strategic paper, Table 2",
        what: "consulting interviews",
        reason: "interviewer, candidate and judge are language models; the printed overall is no \
                 mean of the four dimensions (CoT 0.796 against 0.807) but the judge's own number",
    },
    Absent {
        place: "strategic paper, Table 3",
        what: "earnings and utilization of the nine methods (5.82 to 6.76 M)",
        reason: "needs the language models; only Simple is free of them",
    },
    Absent {
        place: "strategic paper, Table 5",
        what: "test total 4,706 and grand total 21,789",
        reason: "the rows sum to 4,703 and 21,786",
    },
    Absent {
        place: "unknown markets, Tables 2 to 5",
        what: "scores, action quality and exploration of language models",
        reason: "needs the language models; the run logs are not public",
    },
    Absent {
        place: "unknown markets, procurement",
        what: "the authors' optima to the cent",
        reason: "the last dollar of a budget comes from a generator that nobody seeded",
    },
    Absent {
        place: "unknown markets, Table 4",
        what: "exploration rate in scheduling as their notebook computes it",
        reason: "the notebook counts an empty marker, so its rate is u / (u + 1) and never below one \
                 half; printed values below that come from another version",
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
        place: "office paper, Tables 3, 4, 6, 7 and 11",
        what: "success of models and agents on its tasks",
        reason: "needs the language models",
    },
    Absent {
        place: "reallocation paper, overall scores",
        what: "73.86, 71.90, 67.17, 65.82 and 63.87 of five models",
        reason: "needs the models' plans; the means come from an older rule than the paper's \
                 appendix C (it stands here as a second rubric, `older_rubric`), on scenarios of \
                 another version, whose raw runs carry no licence",
    },
    Absent {
        place: "BizCompass, Table 13, cell (.6, .6)",
        what: "33.16",
        reason: "the stored answers give 33.48; 33.16 is the value of the cell (.2, .8)",
    },
    Absent {
        place: "BizCompass, Table 13, cell (.2, .95)",
        what: "32.67",
        reason: "one file holds two answers to questions that do not exist: 612 of 1,875, printed as \
                 612 of 1,873",
    },
    Absent {
        place: "BizCompass, Table 13, the other ten cells",
        what: "accuracies that the public results give as printed",
        reason: "their answers are not among the ones stored here",
    },
    Absent {
        place: "BizCompass, Table 15",
        what: "percentages of 23 models",
        reason: "they imply 324 and 330, 330 and 319, 323 and 323, 318 and 324 questions (single and \
                 multiple; FIN, ECON, OM, STAT); the repository holds 442 and 468, 511 and 433, 449 and \
                 469, 471 and 459: another revision of the data",
    },
    Absent {
        place: "BizCompass, judged columns",
        what: "general and table questions, GPT-Eval",
        reason: "needs the judge",
    },
    Absent {
        place: "BizCompass, Figure 4",
        what: "correlations of 21 tasks with 4 domains",
        reason: "names neither coefficient nor domain value; Pearson with the mean of the judged \
                 scores agrees best with the text and is the default of `qa_scoring::correlate`",
    },
    Absent {
        place: "BizCompass, Table 17",
        what: "shares and coverage of O*NET work",
        reason: "needs the marks that a model gave to each occupation and task",
    },
];

/// What tests compare with files that do not lie in this repository.
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
