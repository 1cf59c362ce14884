//! The HTTP server under `serve`, `classroom` and `view`, which stays reachable while others flood it.
//!
//! ```text
//! accept ─► Connections (how many, and which one gives way) ─► GuardedStream (time limits of a connection)
//!        ─► hyper ─► host::check ─► the server's tokens ─► receive (the body) ─► Admission ─► the handler
//! ```
//!
//! - A request's head must arrive within 10 s of its first byte, and its body within 10 s. A connection without
//!   a request is closed after 10 s if it never sent one, and after a minute otherwise. A client that reads
//!   nothing of its answer for 30 s is disconnected.
//! - There is a maximum number of connections, in total and for each address of another machine. When it is
//!   reached, the connection that has waited longest for its client gives way to the new one, those without a
//!   valid token first. So idle connections, slow heads and slow bodies keep nobody out. Requests that are
//!   being answered do not give way.
//! - Streams take at most half of the connections. When they do, a new stream without a token is refused. A new
//!   stream with a token closes the oldest stream of the clients without a token, or else of the client with the
//!   most streams.
//! - The process may open as many files as the system permits (`RLIMIT_NOFILE`); connections take at most half.
//! - Bodies arrive before a request takes one of the places of those that are answered at a time, so slow
//!   bodies do not delay others.
//! - Every error is JSON, also those that hyper answers by itself (a head that is too large or no HTTP).

mod admission;
mod body;
mod connections;
mod descriptors;
mod errors;
mod guarded_stream;
pub mod host;
mod latest;
mod lock;
mod percent;
mod server;
mod shares;

pub use admission::{Admission, Admitted};
pub use body::{BodyError, receive};
pub use connections::Limits;
pub use errors::{ErrorText, json_response, plain_error, refusal};
pub use latest::Latest;
pub use lock::lock;
pub use percent::{decoded, query_value};
pub use server::{Peer, ServerOptions, bind, serve};
