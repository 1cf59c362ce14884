//! A server that runs as long as a check needs it.

use anyhow::{Context, Result, ensure};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server that ends with this value.
pub(super) struct Serving(Child);

impl Serving {
    /// Starts a server; gives the first `count` lines that it prints.
    ///
    /// # Errors
    /// If it cannot be started, or ends before it has printed them.
    pub(super) fn start(command: &mut Command, count: usize) -> Result<(Self, Vec<String>)> {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a server")?;
        let printed = child.stdout.take().context("the server prints nothing")?;
        let serving = Self(child);
        let lines = BufReader::new(printed).lines().take(count);
        let lines = lines.collect::<std::io::Result<Vec<String>>>()?;
        ensure!(
            lines.len() == count,
            "the server ended before it was ready: {lines:?}"
        );
        Ok((serving, lines))
    }

    /// Starts the viewer with `command`, as [`start`](Self::start); gives its address without a slash at the end.
    ///
    /// # Errors
    /// As [`start`](Self::start), and if it does not say where it is.
    pub(super) fn viewer(command: &mut Command) -> Result<(Self, String)> {
        let (viewer, lines) = Self::start(command.args(["--http", "127.0.0.1:0"]), 1)?;
        let mut words = lines.iter().flat_map(|line| line.split_whitespace());
        let address = words.find(|word| word.starts_with("http://"));
        let address = address.with_context(|| format!("the viewer said: {lines:?}"))?;
        Ok((viewer, address.trim_end_matches('/').to_owned()))
    }

    /// Starts the stand-in for a model; gives its base address.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub(super) fn model(node: &mut Command) -> Result<(Self, String)> {
        let (model, lines) = Self::start(node.arg("model.mjs"), 1)?;
        let port = lines.first().map_or("", |line| line.trim());
        Ok((model, format!("http://127.0.0.1:{port}/v1")))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself, and then what needed it has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
