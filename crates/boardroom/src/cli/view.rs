//! `view`.

use super::Console;
use super::serving::{Line, serving};
use boardroom_view::{Site, export, serve};
use clap::Args;
use run_engine::error::RunError;
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use run_report::questions::labels::read_labels;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Folder that holds run folders (at any of four levels), or one run folder
    #[arg(default_value = "runs")]
    dir: PathBuf,
    /// Loopback address at which the pages are served (port 0 picks a free port)
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7878")]
    http: SocketAddr,
    /// Write the pages into a new folder instead of serving them; they open from disk
    #[arg(long, value_name = "OUT", conflicts_with = "http")]
    export: Option<PathBuf>,
    /// Also show the scores of questions by capability and difficulty, from this file (see `qa label`)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
}

pub(super) fn view(args: &ViewArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    // The pages are made on threads of the server.
    let registry = console.registry.for_server();
    let labels = args.labels.as_deref().map(read_labels).transpose()?;
    let site = Site::open(&args.dir, registry)?.with_labels(labels.unwrap_or_default());
    let site = Arc::new(site);
    if let Some(out) = &args.export {
        let written = export(&site, out)?;
        let pages = counted(written.pages as u64, "page");
        if written.left_out > 0 {
            let records = counted(written.left_out as u64, "record");
            console.remark(&format!("{records} cannot be read; their pages say why\n"))?;
        }
        if written.not_compared > 0 {
            let comparisons = counted(written.not_compared as u64, "comparison");
            console.remark(&format!(
                "{comparisons} of two runs left out: there are too many\n"
            ))?;
        }
        let index = out.join("index.html");
        return console.print(&format!("{pages} written; open {}\n", shown_path(&index)));
    }
    let address = args.http;
    let (served, told) = serving(console, Vec::new, |say, stopping| {
        serve(site, address, &stopping, |address| {
            // Sending fails only if the receiver is gone, which means that the program is ending.
            let _ = say.send(Line::Print(format!(
                "the pages are at http://{address}/ (Ctrl-C ends)\n"
            )));
        })
    });
    served.and(told)
}
