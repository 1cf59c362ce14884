//! Clients of a server over HTTP, and the tokens by which they are known.

use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::terminal::shown_path;
use std::path::Path;

/// Name of the client that opens and closes games for the others.
pub const HOST: &str = "host";

/// Name of every client of a server without tokens.
pub(crate) const LOCAL: &str = "local";

/// Fewest characters of a token: 16 hexadecimal digits are 64 bits.
const SHORTEST: usize = 16;

/// The clients that a server knows; without any, every client of this machine is served.
#[derive(Clone, Default)]
pub struct Clients {
    all: Vec<(String, String)>,
}

impl Clients {
    /// Reads a file with one client per line: its name, white space, and its token. Empty lines and
    /// lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not a name and a token; the message names the line.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = regular::text(path, regular::MOST_TOML).map_err(RunError::file(path))?;
        Self::parse(&text).map_err(|e| RunError::usage(format!("{}: {e}", shown_path(path))))
    }

    /// The clients in the text of such a file.
    ///
    /// # Errors
    /// As [`read`](Self::read). The message does not hold the token.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all: Vec<(String, String)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(format!(
                    "line {number}: write the name of a client, a space, and its token"
                ));
            };
            // What this client opens would count as opened by nobody, and others could play it.
            if name == LOCAL {
                return Err(format!(
                    "line {number}: `{LOCAL}` is the name of clients without a token; choose another one"
                ));
            }
            if token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!(
                    "line {number}: a token has at least {SHORTEST} ASCII characters"
                ));
            }
            // Refused: which of the two clients sends a request could not be told.
            if all.iter().any(|(_, known)| same(known, token)) {
                return Err(format!("line {number}: two clients have the same token"));
            }
            all.push((name.to_owned(), token.to_owned()));
        }
        if all.is_empty() {
            return Err("there is no token in it".to_owned());
        }
        Ok(Self { all })
    }

    /// Whether every client is served, without a token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number of names besides the host's.
    #[must_use]
    pub fn players(&self) -> usize {
        let mut names: Vec<&str> = self.names().collect();
        names.sort_unstable();
        // A client may have several tokens, and is one player.
        names.dedup();
        names.into_iter().filter(|name| *name != HOST).count()
    }

    /// The names, some of them twice if a client has several tokens.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| &**name)
    }

    /// The name of the client with this token.
    #[must_use]
    pub fn name_of(&self, token: &str) -> Option<&str> {
        let mut found = None;
        // All of them are compared, so that the time does not tell which one fits.
        for (name, known) in &self.all {
            if same(known, token) {
                found = Some(&**name);
            }
        }
        found
    }
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.all.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

/// Whether two secrets are equal, in a time that depends on their lengths only.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let differs = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_their_clients() {
        let clients = "# who plays\nhost 0123456789abcdef\n\nred fedcba9876543210\n";
        let clients = Clients::parse(clients).unwrap();
        assert_eq!(clients.name_of("fedcba9876543210"), Some("red"));
        assert_eq!(clients.name_of("0123456789abcdef"), Some(HOST));
        assert_eq!(clients.name_of("fedcba987654321"), None);
        assert_eq!((clients.players(), clients.is_empty()), (1, false));
        assert!(!format!("{clients:?}").contains("fedcba"));
    }

    #[test]
    fn faults_name_their_line_and_hide_the_token() {
        for (text, line) in [
            ("red", "line 1"),
            ("a 0123456789abcdef\nred short-secret", "line 2"),
            ("a 0123456789abcdef extra", "line 1"),
            ("a 0123456789abcdef\nb 0123456789abcdef", "line 2"),
            ("a 0123456789abcdef\nlocal fedcba9876543210", "line 2"),
            ("# nothing\n", "no token"),
        ] {
            let fault = Clients::parse(text).unwrap_err();
            assert!(fault.contains(line), "{fault}");
            let mut parts = ["secret", "0123", "fedc"].into_iter();
            assert_eq!(parts.find(|part| fault.contains(part)), None, "{fault}");
        }
    }
}
