//! The `boardroom` program: reads the command line, calls the library, prints.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

use boardroom::{Cli, Registry, cli, dispatch};
use run_engine::interrupt::{LastWords, ends_at_once, survive_limits_of_files};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let cli = Cli::read();
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once; the records on disk stay whole.
    let handled = on_signals(move || {
        // A process that waits for a folder has nothing to finish.
        run_engine::files::lock::stop_waiting();
        if ends_at_once(&handler) {
            if let Some(text) = LastWords::now() {
                // Below the line in which a person was typing.
                let _ = writeln!(std::io::stderr(), "\n{text}");
            }
            // As shells report a program that Ctrl-C ended.
            std::process::exit(130);
        }
        let _ = writeln!(
            std::io::stderr(),
            "stopping: work in progress is finished, and saved if the run has a folder; a second Ctrl-C ends the program at \
             once"
        );
    });
    let mut err = std::io::stderr();
    if let Err(e) = handled {
        let _ = writeln!(err, "warning: Ctrl-C ends at once: {e}");
    }
    if let Err(e) = survive_limits_of_files() {
        let _ = writeln!(err, "warning: a limit of file sizes ends at once: {e}");
    }
    let result = dispatch(
        cli,
        &Registry::new(),
        &stop,
        &mut std::io::stdout(),
        &mut err,
    );
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = write!(err, "{}", cli::failure(&error));
            error.exit_code()
        }
    }
}

/// Calls `handle` on a thread of its own for each signal that asks the program to end: Ctrl-C, and on Unix `SIGTERM`
/// and `SIGHUP`.
///
/// # Errors
/// When the signals cannot be received.
fn on_signals(handle: impl Fn() + Send + 'static) -> std::io::Result<()> {
    // A runtime of its own, because most commands have none.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = runtime.block_on(async { Signals::new() })?;
    let listen = move || {
        runtime.block_on(async {
            while signals.next().await.is_some() {
                handle();
            }
        });
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listen)?;
    Ok(())
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) -> Option<()> {
        let Self([interrupt, terminate, hangup]) = self;
        tokio::select! {
            one = interrupt.recv() => one,
            one = terminate.recv() => one,
            one = hangup.recv() => one,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Option<()> {
        tokio::signal::ctrl_c().await.ok()
    }
}
