//! Several files in one input.
//!
//! A line `=== NAME` begins a file that reaches up to the next such line. Inputs of commands and of
//! folders have this form, so that one byte string holds all that a case needs, and a person can read
//! it.

/// What begins the name of a file.
const MARK: &[u8] = b"=== ";

/// Files that say how the others are used; they are never mutated.
// A mutated command would mostly be refused while its words are parsed, before any file is read.
const KEPT: [&str; 2] = ["command", "kind"];

/// Files by name, in order. A name may come twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle(pub Vec<(String, Vec<u8>)>);

impl Bundle {
    /// The files in `input`; `None` where it does not begin with a name.
    #[must_use]
    pub fn read(input: &[u8]) -> Option<Self> {
        if !input.starts_with(MARK) {
            return None;
        }
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for line in input.split_inclusive(|byte| *byte == b'\n') {
            // Nothing is escaped: a mutation that makes such a line begins another file, which is
            // an input as good as any.
            match (line.strip_prefix(MARK), files.last_mut()) {
                (Some(name), _) => {
                    let name = String::from_utf8_lossy(name).trim().to_owned();
                    files.push((name, Vec::new()));
                }
                (None, Some((_, content))) => content.extend_from_slice(line),
                (None, None) => return None,
            }
        }
        Some(Self(files))
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.0.push((name.into(), content.into()));
        self
    }

    /// The input that reads as these files.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut input = Vec::new();
        for (name, content) in &self.0 {
            input.extend_from_slice(MARK);
            input.extend_from_slice(name.as_bytes());
            input.push(b'\n');
            input.extend_from_slice(content);
            // The next name must begin a line.
            if !content.ends_with(b"\n") {
                input.push(b'\n');
            }
        }
        input
    }

    /// The text of a file; empty where there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or_else(String::new, |(_, content)| {
            String::from_utf8_lossy(content).trim().to_owned()
        })
    }

    /// Whether the file called `name` may be mutated.
    #[must_use]
    pub fn is_open(name: &str) -> bool {
        !KEPT.contains(&name)
    }

    /// The files that may be mutated.
    pub fn open(&self) -> impl Iterator<Item = &(String, Vec<u8>)> {
        self.0.iter().filter(|(name, _)| Self::is_open(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_were_written() {
        let bundle = Bundle::default()
            .with("command", "verify run")
            .with("run/a.json", "{}\n")
            .with("run/b.bin", vec![0, 255, 10]);
        let input = bundle.write();
        let again = Bundle::read(&input).unwrap();
        assert_eq!(again.text("command"), "verify run");
        assert_eq!(again.open().count(), 2);
        assert_eq!(again.write(), input);
        assert_eq!(Bundle::read(b"{}"), None);
    }
}
