//! Lines of bounded length from a stream of bytes.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Splits a stream into lines of bounded length.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    longest: usize,
    /// The part of the current line that was read so far.
    line: Vec<u8>,
    /// Whether the current line is already too long; the rest of it is dropped.
    too_long: bool,
}

/// The next item of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line longer than the limit.
    TooLong,
    /// The stream has ended or cannot be read.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of `read`, of at most `longest` bytes each.
    pub(super) fn new(read: R, longest: usize) -> Self {
        Self {
            read: BufReader::new(read),
            longest,
            line: Vec::new(),
            too_long: false,
        }
    }

    /// The next line. Dropping the future loses nothing, because the bytes read so far stay in
    /// `self`. A last line without a line end is a truncated message and is not returned.
    pub(super) async fn next(&mut self) -> Read {
        loop {
            let ahead = match self.read.fill_buf().await {
                Ok(ahead) if !ahead.is_empty() => ahead,
                _ if std::mem::take(&mut self.too_long) => return Read::TooLong,
                _ => return Read::End,
            };
            let end = ahead.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(ahead.len());
            self.too_long |= self.line.len() + length > self.longest;
            if self.too_long {
                // A new one and not a cleared one: the room of a line of megabytes is given back.
                self.line = Vec::new();
            } else {
                self.line.extend(ahead.iter().take(length));
            }
            self.read.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                return if std::mem::take(&mut self.too_long) {
                    Read::TooLong
                } else {
                    Read::Line(std::mem::take(&mut self.line))
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_whole_or_said_to_be_too_long() {
        let line = |text: &str| Read::Line(text.into());
        for (text, expected) in [
            ("one\ntwo\n", vec![line("one"), line("two")]),
            (
                "\nfive5\nsix666\n\n",
                vec![line(""), line("five5"), Read::TooLong, line("")],
            ),
            ("much too long\nok\n", vec![Read::TooLong, line("ok")]),
            ("ok\ncut", vec![line("ok")]),
            ("too long and cut", vec![Read::TooLong]),
        ] {
            let mut lines = Lines::new(text.as_bytes(), 5);
            for wanted in expected {
                assert_eq!(lines.next().await, wanted, "{text:?}");
            }
            assert_eq!(lines.next().await, Read::End, "{text:?}");
        }
    }
}
