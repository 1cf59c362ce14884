//! The `boardroom` program: reads the command line, calls the library, prints.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

use boardroom::{Cli, Registry, cli, dispatch};
use run_engine::interrupt::{LastWords, ends_at_once};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let cli = Cli::read();
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once; the records on disk stay whole.
    let handled = ctrlc::set_handler(move || {
        run_engine::files::lock::stop_waiting();
        if ends_at_once(&handler) {
            if let Some(text) = LastWords::now() {
                // Below the line in which a person was typing.
                let _ = writeln!(std::io::stderr(), "\n{text}");
            }
            std::process::exit(130);
        }
        let _ = writeln!(
            std::io::stderr(),
            "stopping: work in progress is finished and saved; a second Ctrl-C ends the program at once"
        );
    });
    let mut err = std::io::stderr();
    if let Err(e) = handled {
        let _ = writeln!(err, "warning: Ctrl-C ends at once: {e}");
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
