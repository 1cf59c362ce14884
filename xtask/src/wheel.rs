//! `cargo xtask python`: builds the Python package, installs it into a fresh environment, runs its tests.
//!
//! The wheel carries the program `boardroom` if `--with-program` says so, or if an extra is tested: adapters for
//! language models run it. Without it the package plays and scores in Python only. `docs/python.md` says how
//! wheels for other platforms are made.

mod extras;

use crate::built::Boardroom;
use crate::command::{output, program, run, works};
use crate::python::Environment;
use crate::step::{Outcome, Stopwatch};
use anyhow::{Context, Result, ensure};
pub use extras::EXTRAS;
use std::path::{Path, PathBuf};

/// Folder of the package.
const PACKAGE: &str = "crates/boardroom-py";

/// What the build and the tests need, with versions.
const REQUIREMENTS: &str = "crates/boardroom-py/tests/requirements.txt";

/// Largest wheel without and with the program \[bytes\].
const MOST: u64 = 6_000_000;
const MOST_WITH_PROGRAM: u64 = 25_000_000;

/// How the wheel is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wheel {
    /// With optimisation, as it is given away; otherwise from the artefacts of ordinary builds.
    pub release: bool,
    /// Whether it carries the program `boardroom`.
    pub with_program: bool,
}

/// What is checked besides the ordinary tests.
#[derive(Debug, Clone, Default)]
pub struct More {
    /// Extras, each tested with its framework in an environment of its own.
    pub extras: Vec<String>,
    /// Whether PPO is trained; needs the extra `sb3`.
    pub ppo: bool,
    /// Drawn episodes of each environment that lanes, single environments and records play alike, where the
    /// tests are to play another number than usual.
    pub episodes: Option<u32>,
    /// Whether speeds are measured and compared with what is wanted.
    pub bench: bool,
}

/// Builds the wheel in `target/wheels` and tests it; a step of `cargo xtask ci`.
///
/// # Errors
/// If something does not build or a test fails. On a machine without Python 3.10 with pip, or without the
/// packages and a way to fetch them, the outcome says that nothing was checked.
pub fn check(root: &Path, wheel: Wheel, more: &More) -> Result<Outcome> {
    if let Some(reason) = lacks_python(root) {
        println!("{reason}");
        return Ok(Outcome::Skipped(reason));
    }
    let folder = root.join("target/python");
    let tools = Environment::make(folder.join("tools"), &root.join(REQUIREMENTS));
    let fetched = tools.and_then(|tools| Ok((fetch_numpy(root, &tools)?, tools)));
    let (numpy, tools) = match fetched {
        Ok(fetched) => fetched,
        Err(error) => {
            let reason = format!(
                "the Python package was NOT built or tested, because its tools could not be fetched: {error:#}"
            );
            println!("{reason}");
            return Ok(Outcome::Skipped(reason));
        }
    };
    let built = build(root, &tools, wheel)?;
    let bytes = built.metadata()?.len();
    println!("{} has {bytes} bytes", built.display());
    let most = if wheel.with_program {
        MOST_WITH_PROGRAM
    } else {
        MOST
    };
    // A build for tests has symbols that are not given away.
    ensure!(
        !wheel.release || bytes <= most,
        "the wheel has {bytes} bytes, more than {most}"
    );
    try_out(root, &built, &numpy)?;
    install(root, &tools, &built)?;
    let mut tests = program(&root.join(PACKAGE), tools.python());
    if let Some(episodes) = more.episodes {
        tests.env("EPISODES", episodes.to_string());
    }
    run(tests.args(["-m", "pytest", "-q", "-rs"]))?;
    for name in &more.extras {
        extras::check(root, name, &built, more.ppo)?;
    }
    if more.bench {
        let mut bench = program(&root.join(PACKAGE).join("tests"), tools.python());
        run(bench.arg("bench.py"))?;
    }
    Ok(Outcome::Done)
}

/// The folder with the one package that the wheel needs, so that trying it out needs no network later.
fn fetch_numpy(root: &Path, tools: &Environment) -> Result<PathBuf> {
    let requirements = std::fs::read_to_string(root.join(REQUIREMENTS))?;
    let numpy = requirements
        .lines()
        .find(|line| line.starts_with("numpy=="))
        .context("the requirements do not name numpy")?;
    let folder = root.join("target/python").join(numpy);
    if !folder.exists() {
        let mut pip = program(root, tools.python());
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
        pip.args(["--disable-pip-version-check", numpy, "--dest"]);
        run(pip.arg(&folder))?;
    }
    Ok(folder)
}

/// Why nothing can be done on this machine, if so.
fn lacks_python(root: &Path) -> Option<String> {
    let asks = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    if works(root, "python3", &["-c", asks]) {
        return None;
    }
    Some(
        "Python 3.10 or later with venv and pip was not found as `python3`, so the Python package was NOT \
         built or tested"
            .to_owned(),
    )
}

/// Builds the wheel and returns its path.
fn build(root: &Path, tools: &Environment, wheel: Wheel) -> Result<PathBuf> {
    let data = root.join(PACKAGE).join("boardroom.data/scripts");
    if data.exists() {
        std::fs::remove_dir_all(&data)?;
    }
    std::fs::create_dir_all(&data)?;
    if wheel.with_program {
        // Files of this folder are installed beside the interpreter.
        Boardroom::build_as(root, &data, wheel.release.then_some("dist"))?;
    }
    let out = root.join("target/wheels");
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let mut maturin = program(&root.join(PACKAGE), tools.python());
    maturin.args(["-m", "maturin", "build", "--locked", "--profile"]);
    maturin.arg(if wheel.release { "dist" } else { "dev" });
    maturin.arg("--interpreter").arg(tools.python());
    maturin.arg("--out").arg(&out);
    // The same folder as every other build, so that nothing is compiled twice.
    maturin.env("CARGO_TARGET_DIR", root.join("target"));
    run(&mut maturin)?;
    let mut wheels = std::fs::read_dir(&out)?;
    let first = wheels
        .next()
        .context("maturin wrote no wheel")?
        .context("the folder of wheels cannot be read")?;
    Ok(first.path())
}

/// A new environment with the wheel alone runs the first example.
fn try_out(root: &Path, wheel: &Path, numpy: &Path) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut venv = program(root, "python3");
    run(venv.args(["-m", "venv"]).arg(folder.path()))?;
    let python = folder.path().join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let watch = Stopwatch::start();
    let mut pip = program(root, &python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--find-links",
    ]);
    run(pip.arg(numpy).arg(wheel))?;
    let example = root.join(PACKAGE).join("examples/first_game.py");
    let told = output(program(folder.path(), &python).arg(example))?;
    ensure!(!told.is_empty(), "the first example printed nothing");
    println!(
        "installed into a new environment and played in {}",
        watch.seconds()
    );
    Ok(())
}

/// Installs the wheel into the environment of the tests, in place of an earlier one.
fn install(root: &Path, tools: &Environment, wheel: &Path) -> Result<()> {
    let mut pip = program(root, tools.python());
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.args(["--force-reinstall", "--no-deps"]);
    run(pip.arg(wheel))
}
