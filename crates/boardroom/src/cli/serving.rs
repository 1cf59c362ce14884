//! Servers on a thread of their own, whose lines the program prints.

use super::Console;
use run_engine::error::RunError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Interval at which the stop flag of Ctrl-C and the queue of messages are checked.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// A line of a running server.
pub(super) enum Line {
    /// For standard output.
    Print(String),
    /// For standard error.
    Remark(String),
}

/// Runs `serve` until it ends, and prints the lines that it sends and the remarks that `news` has. Sets the flag that
/// `serve` gets when the user stops the program or a line cannot be printed to standard output. Returns the result of
/// `serve` and the first error of printing.
pub(super) fn serving(
    console: &mut Console<'_>,
    mut news: impl FnMut() -> Vec<String>,
    serve: impl FnOnce(mpsc::Sender<Line>, Arc<AtomicBool>) -> Result<(), RunError> + Send,
) -> (Result<(), RunError>, Result<(), RunError>) {
    let stopping = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopping);
    let (say, said) = mpsc::channel();
    std::thread::scope(|scope| {
        // On a thread of its own, so that this one can print its messages.
        let served = scope.spawn(move || serve(say, flag));
        let mut told = Ok(());
        loop {
            // Asked before the lines are taken, so that the last of them are printed too.
            let ended = served.is_finished();
            if console.stop.load(Ordering::Relaxed) {
                stopping.store(true, Ordering::Relaxed);
            }
            let news = news().into_iter().map(Line::Remark);
            for line in said.try_iter().chain(news) {
                let shown = match line {
                    Line::Print(line) => console.print(&line).inspect_err(|_| {
                        // Nobody knows the address. A remark is another matter: a class goes on where its log is on a full
                        // disk.
                        stopping.store(true, Ordering::Relaxed);
                    }),
                    Line::Remark(line) => console.remark(&line),
                };
                // The first error is kept and the loop goes on: the server has to end in order.
                told = told.and(shown);
            }
            if ended {
                break;
            }
            std::thread::park_timeout(TICK);
        }
        let crashed = |_| Err(RunError::Failed("the server crashed".to_owned()));
        (served.join().unwrap_or_else(crashed), told)
    })
}
