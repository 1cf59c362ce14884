use super::engine::fill;
use super::rows::{Row, RunOf};
use super::settings::RunSettings;
use super::*;
use proptest::prelude::*;
use std::rc::Rc;

/// A run of scheduling by a model or a policy.
fn run(at: usize, agent: &str, method: Option<&str>, temperature: Option<f64>) -> Rc<RunOf> {
    let mut settings = RunSettings::default();
    if let Some(value) = temperature {
        let words = format!("temperature = {value}");
        settings.model.insert("temperature".to_owned(), words);
    }
    Rc::new(RunOf {
        method: method.map(str::to_owned),
        settings,
        ..RunOf::bare(at, "scheduling", agent)
    })
}

/// Rows of a run at a level, in which each of the `scores`, one an instance, is met `times`.
fn rows(run: &Rc<RunOf>, preset: &str, scores: &[f64], times: usize) -> Vec<Row> {
    let one = |(at, score): (usize, f64)| {
        let mut row = Row::of(run, "scheduling");
        row.label("environment", "scheduling");
        row.label("preset", preset);
        row.label("horizon", "hidden");
        row.label("player", run.agent.as_str());
        row.label("is_model", if run.method.is_some() { "yes" } else { "no" });
        row.label("instance", format!("{preset} {at}"));
        row.figure("measure", Some(score));
        row.figure("solved", Some(f64::from(u8::from(score > 0.7))));
        row
    };
    let all = scores.iter().copied().enumerate();
    all.flat_map(|met| std::iter::repeat_n(met, times))
        .map(one)
        .collect()
}

/// The tables of a paper for these rows, which are numbered as they stand.
fn tables(paper: &Paper, mut rows: Vec<Row>) -> Result<Vec<PaperTable>, RunError> {
    for (row, place) in rows.iter_mut().zip(0..) {
        row.place = place;
    }
    fill(&paper.spec, &paper.published, &rows)
}

fn markets(rows: Vec<Row>) -> Vec<PaperTable> {
    tables(&Paper::named("markets").unwrap(), rows).unwrap()
}

fn cell<'t>(tables: &'t [PaperTable], place: &str, row: &[&str], column: &str) -> &'t PaperCell {
    let table = tables.iter().find(|table| table.place == place).unwrap();
    let at = table.columns.iter().position(|name| name == column);
    let row = table.rows.iter().find(|held| held.labels == row);
    &row.unwrap_or_else(|| panic!("{row:?} of {table:?}")).cells[at.unwrap()]
}

fn spec(text: &str) -> Result<Paper, String> {
    let spec = Spec::read("own.toml", text).map_err(|e| e.to_string())?;
    Ok(Paper {
        spec,
        published: Published::default(),
    })
}

/// A spec with a source, and a table whose column is `column`.
fn with_column(column: &str) -> String {
    format!(
        "name = \"own\"\ntitle = \"Own\"\n[[source]]\nenvironment = \"scheduling\"\n[[table]]\nplace = \"Table 1\"\n\
         title = \"own\"\nstubs = [\"agent\"]\nrows = [{{ by = \"agent\" }}]\ncolumns = [{column}]\n\
         [table.cell]\ncommand = \"boardroom run scheduling {{options}} --out RUN\"\n"
    )
}

#[test]
fn every_paper_is_a_valid_spec() {
    for name in Paper::names() {
        let paper = Paper::named(name).unwrap();
        assert_eq!(paper.spec.name, name);
        // Without rows every cell of ours has a command.
        for table in tables(&paper, Vec::new()).unwrap() {
            let ours = table
                .rows
                .iter()
                .filter(|row| row.origin == PaperRowOrigin::Runs);
            let cells: Vec<_> = ours.flat_map(|row| &row.cells).collect();
            assert!(!cells.is_empty(), "{name} {}", table.place);
            assert!(
                cells.iter().all(|cell| cell.command.is_some()),
                "{name} {}",
                table.place
            );
        }
    }
}

/// A wrong name says where it stands and which names there are.
#[test]
fn a_wrong_name_is_refused_with_the_right_ones() {
    for (column, said) in [
        (
            r#"{ head = "a", stat = "median", of = "score" }"#,
            &["own.toml line 10", "median", "mean"][..],
        ),
        (
            r#"{ head = "a", stat = "mean", off = "score" }"#,
            &["own.toml line 10", "off", "of"],
        ),
        (
            r#"{ head = "a", stat = "mean", of = "score", where = { levle = "hard" } }"#,
            &["own.toml: Table 1", "label `levle`", "preset"],
        ),
        (
            r#"{ each = "preset", stat = "mean", of = "score" }"#,
            &["own.toml: Table 1", "list `preset`", "there are none"],
        ),
        (
            r#"{ head = "a", stat = "mean", of = "score", range = [1, 0] }"#,
            &["own.toml: Table 1", "[1, 0]", "above"],
        ),
        (
            r#"{ head = "a", stat = "mean", of = "score", range = [0, nan] }"#,
            &["own.toml: Table 1", "[0, NaN]", "above"],
        ),
    ] {
        let error = spec(&with_column(column)).unwrap_err();
        for part in said {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    let error = spec(&with_column("").replace(
        "scheduling\"\n[",
        "scheduling\"\nlabels = { a = \"run.x\" }\n[",
    ));
    let error = error.unwrap_err();
    assert!(
        error.contains("`run.x` is not a path") && error.contains("instance"),
        "{error}"
    );
    for (path, part) in [
        ("state.orders | cuont", "count"),
        ("stat.a | count", "instance"),
    ] {
        let figures = format!("scheduling\"\nfigures = {{ n = \"{path}\" }}\n[");
        let error = spec(&with_column("").replace("scheduling\"\n[", &figures)).unwrap_err();
        assert!(error.contains(path) && error.contains(part), "{error}");
    }
    // Words that are no path may be the name of another figure.
    let figures = "scheduling\"\nfigures = { n = \"score\" }\n[";
    let column = r#"{ head = "score", stat = "mean", of = "score" }"#;
    spec(&with_column(column).replace("scheduling\"\n[", figures)).unwrap();
    let figure = "[[figure]]\nplace = \"Figure 1\"\ntitle = \"own\"\ndraw = \"dots\"\ntable = \"Table 1\"\n\
                  columns = [\"scroe\"]\n";
    let paper = spec(&(with_column(column) + figure)).unwrap();
    let all = rows(&run(0, "random", None, None), "basic", &[0.5], 1);
    let filled = tables(&paper, all).unwrap();
    let error = super::figures::figures(&paper.spec, &filled)
        .unwrap_err()
        .to_string();
    for part in ["Figure 1", "`scroe`", "columns are score"] {
        assert!(error.contains(part), "{part}: {error}");
    }

    let of = |column: &str| {
        let paper = spec(&with_column(column)).unwrap();
        tables(
            &paper,
            rows(&run(0, "random", None, None), "basic", &[0.5], 1),
        )
        .map_err(|e| e.to_string())
    };
    let error = of(r#"{ head = "a", stat = "mean", of = "scroe" }"#).unwrap_err();
    for part in [
        "Table 1 of own",
        "figure `scroe`",
        "measure, ratio, score, solved",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = of(r#"{ head = "{level}", stat = "mean", of = "measure" }"#).unwrap_err();
    assert!(error.contains("has no `level`"), "{error}");
}

/// A table of one's own needs no more than a source, a row and a column.
#[test]
fn a_small_spec_makes_a_table() {
    let paper = spec(&with_column(
        r#"{ head = "mean", stat = "mean", of = "measure" }, { head = "harder", stat = "paired", of = "measure",
            where = { preset = "basic" }, than = { preset = "hard" }, over = ["player"] },
            { head = "r", stat = "correlation", of = "measure", with = "solved" }"#,
    ));
    let paper = paper.unwrap();
    let random = run(0, "random", None, None);
    let mut all = rows(&random, "basic", &[0.9, 0.5, 0.75, 0.25], 1);
    all.extend(rows(&random, "hard", &[0.1, 0.2], 1));
    let tables = tables(&paper, all).unwrap();
    let shown = |column| cell(&tables, "Table 1", &["random"], column).shown.clone();
    assert_eq!(shown("mean").as_deref(), Some("0.45"));
    assert_eq!(shown("harder").as_deref(), Some("0.45"));
    assert_eq!(cell(&tables, "Table 1", &["random"], "r").n, Some(6));
}

/// A cell says what is wrong with a difference in pairs without a pair, and with a range that the values do not keep.
#[test]
fn a_cell_says_why_a_figure_is_not_what_was_asked_for() {
    let paper = spec(&with_column(
        r#"{ head = "harder", stat = "paired", of = "measure", where = { preset = "basic" }, than = { preset = "hard" } },
            { head = "mean", stat = "mean", of = "measure", range = [0.8, 1] },
            { head = "share", stat = "mean", of = "measure", range = [0, 1] }"#,
    ));
    let random = run(0, "random", None, None);
    let mut all = rows(&random, "basic", &[0.9, 0.5, 0.75, 0.25], 1);
    all.extend(rows(&random, "hard", &[0.1, 0.2], 1));
    let tables = tables(&paper.unwrap(), all).unwrap();
    let found = |column| cell(&tables, "Table 1", &["random"], column);
    assert_eq!(found("harder").shown.as_deref(), Some("no shared instance"));
    let [mean, share] = ["mean", "share"].map(found);
    // Not cut at an end that the values do not keep.
    let [low, high] = mean.ci95.unwrap();
    assert!(low < 0.45 && 0.45 < high, "{low} {high}");
    let remark = mean.remark.as_deref().unwrap();
    assert!(remark.contains("0.8 to 1"), "{remark}");
    assert_eq!(share.remark, None);
}

/// Playing an instance again adds nothing to a test or a count.
#[test]
fn repetitions_are_not_observations() {
    let model = run(0, "openai:m", Some("cot"), None);
    let [once, often] = [1, 5].map(|times| {
        let mut all = rows(&model, "basic", &[0.9, 0.8, 0.7, 0.6], times);
        all.extend(rows(&model, "hard", &[0.7, 0.5, 0.6, 0.4], times));
        markets(all)
    });
    let name = "openai:m cot";
    for (place, row, column) in [
        ("Section 4.1", &[name][..], "scheduling"),
        ("Section 4.1", &[name], "scheduling p"),
        ("Table 2", &[name, "BASIC"], "scheduling solved"),
    ] {
        let [once, often] = [&once, &often].map(|tables| cell(tables, place, row, column));
        assert_eq!(
            (&once.shown, once.n),
            (&often.shown, often.n),
            "{place} {column}"
        );
    }
    let difference = cell(&often, "Section 4.1", &[name], "scheduling");
    assert!((difference.ours.unwrap() - 20.0).abs() < 1e-9);
    assert_eq!(difference.n, Some(8));
    let solved = cell(&often, "Table 2", &[name, "BASIC"], "scheduling solved");
    assert_eq!(solved.shown.as_deref(), Some("2/4"));
}

/// A row holds one way of asking a model, even where each level was played under another one.
#[test]
fn other_settings_of_a_model_are_other_rows() {
    let runs = [
        run(0, "openai:m", Some("cot"), None),
        run(1, "openai:m", Some("cot"), Some(1.0)),
    ];
    let both = || {
        [
            rows(&runs[0], "basic", &[0.9], 1),
            rows(&runs[1], "hard", &[0.5], 1),
        ]
    };
    let names = |rows: Vec<Row>| -> Vec<String> {
        let tables = markets(rows);
        let table = tables
            .iter()
            .find(|table| table.place == "Section 4.1")
            .unwrap();
        table.rows.iter().map(|row| row.labels[0].clone()).collect()
    };
    assert_eq!(
        names(both().concat()),
        ["openai:m cot", "openai:m cot (temperature = 1)"]
    );
    assert_eq!(names(both()[1].clone()), ["openai:m cot"]);
}

/// A cell names a command only where no run is.
#[test]
fn a_level_that_was_played_names_no_command() {
    let model = run(0, "openai:m", Some("cot"), Some(0.5));
    let basic = rows(&model, "basic", &[0.9], 1);
    let tables = markets(basic.clone());
    let name = "openai:m cot";
    let test = cell(&tables, "Section 4.1", &[name], "scheduling");
    assert_eq!(
        test.command.as_deref(),
        Some(
            "boardroom run scheduling --preset hard --suite paper --agent openai:m --method cot --temperature 0.5 \
             --out RUN"
        )
    );
    let tables = markets([basic, rows(&model, "hard", &[0.9], 1)].concat());
    let test = cell(&tables, "Section 4.1", &[name], "scheduling");
    assert_eq!(
        (test.shown.as_deref(), &test.command),
        (Some("one instance"), &None)
    );
    // A policy belongs to one environment.
    let policy = run(0, "random", None, None);
    let tables = markets(rows(&policy, "basic", &[0.9], 1));
    let shown = |column| {
        cell(&tables, "Table 2", &["random", "BASIC"], column)
            .shown
            .clone()
    };
    assert_eq!(shown("pricing").as_deref(), Some("not played"));
}

/// The published figures stand beside the agent that is the paper's model, and the other models below.
#[test]
fn a_model_of_the_paper_has_its_figures_beside_ours() {
    let model = run(0, "openai:gpt-4o-2024-11-20", Some("cot"), None);
    let tables = markets(rows(&model, "medium", &[0.9], 1));
    let name = "openai:gpt-4o-2024-11-20 cot";
    let ours = cell(&tables, "Table 2", &[name, "MEDIUM"], "scheduling");
    assert_eq!(
        (ours.shown.as_deref(), ours.published.as_deref()),
        (Some("90.0"), Some("-4.5"))
    );
    let table = tables
        .iter()
        .find(|table| table.place == "Table 2")
        .unwrap();
    let theirs = table
        .rows
        .iter()
        .filter(|row| row.origin == PaperRowOrigin::Paper);
    let theirs: Vec<&str> = theirs.map(|row| row.labels[0].as_str()).collect();
    assert!(
        theirs.contains(&"o4-mini") && !theirs.contains(&"GPT-4o"),
        "{theirs:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The order in which rows are given changes nothing: they carry their places.
    #[test]
    fn permuting_rows_changes_no_table(seed in any::<u64>(), scores in proptest::collection::vec(-1.0..1.0, 9..20)) {
        let agents = [
            run(0, "openai:m", Some("cot"), None),
            run(1, "random", None, None),
            run(2, "openai:m", Some("cot"), Some(0.3)),
        ];
        let mut all = Vec::new();
        for (agent, preset) in agents.iter().zip(["basic", "hard", "hard"]) {
            all.extend(rows(agent, preset, &scores, 2));
            all.extend(rows(agent, "medium", &scores[..4], 1));
        }
        for (row, place) in all.iter_mut().zip(0..) {
            row.place = place;
        }
        let paper = Paper::named("markets").unwrap();
        let before = fill(&paper.spec, &paper.published, &all).unwrap();
        sim_core::Seed(seed).stream("permutation", 0).shuffle(&mut all);
        prop_assert_eq!(before, fill(&paper.spec, &paper.published, &all).unwrap());
    }
}
