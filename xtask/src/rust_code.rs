//! Rust source without comments, strings and tests.

/// The source with comments, strings and character literals blanked; lines keep their numbers.
///
/// A short scanner and not a parser: good enough to distinguish a call of `println!` from a mention
/// of it.
#[must_use]
pub fn code_only(source: &str) -> String {
    let mut scan = Scan {
        chars: source.chars().collect(),
        at: 0,
        code: String::new(),
    };
    while scan.at < scan.chars.len() {
        scan.token();
    }
    scan.code
}

/// [`code_only`] without the unit tests at the end of the file.
#[must_use]
pub fn code_before_tests(source: &str) -> String {
    let code = code_only(source);
    // Looked for in the code and not in the source, where a comment may name it.
    match code.find("#[cfg(test)]") {
        Some(end) => code.get(..end).unwrap_or_default().to_owned(),
        None => code,
    }
}

/// Whether `word` occurs in the code as a whole name.
#[must_use]
pub fn has_word(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(start, found)| {
        let before = code.get(..start).and_then(|text| text.chars().next_back());
        let after = code
            .get(start + found.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    code: String,
}

impl Scan {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Advances by one character of code.
    fn keep(&mut self) {
        self.code.extend(self.peek(0));
        self.at += 1;
    }

    /// Advances by some characters that are not code; line ends are kept.
    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            if self.peek(0) == Some('\n') {
                self.code.push('\n');
            }
            self.at += 1;
        }
    }

    fn token(&mut self) {
        let after_name = self
            .code
            .ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match (self.peek(0), self.peek(1)) {
            (Some('/'), Some('/')) => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.blank(1);
                }
            }
            (Some('/'), Some('*')) => self.block_comment(),
            (Some('"'), _) => self.string(),
            (Some('r'), Some('"' | '#')) if !after_name => self.raw_string(),
            // The prefix of a byte or C string; the string itself is read next.
            (Some('b' | 'c'), Some('"' | '\'')) if !after_name => self.blank(1),
            (Some('b' | 'c'), Some('r'))
                if !after_name && matches!(self.peek(2), Some('"' | '#')) =>
            {
                self.blank(1);
            }
            (Some('\''), _) => self.quote(),
            _ => self.keep(),
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_u32;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.blank(2);
                }
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.blank(2);
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.blank(1),
            }
        }
    }

    fn string(&mut self) {
        self.blank(1);
        loop {
            match self.peek(0) {
                None => return,
                Some('\\') => self.blank(2),
                Some('"') => return self.blank(1),
                Some(_) => self.blank(1),
            }
        }
    }

    fn raw_string(&mut self) {
        let mut hashes = 0;
        while self.peek(1 + hashes) == Some('#') {
            hashes += 1;
        }
        if self.peek(1 + hashes) != Some('"') {
            return self.keep(); // a raw name such as r#type
        }
        self.blank(2 + hashes);
        while self.at < self.chars.len() {
            let closes = self.peek(0) == Some('"')
                && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            if closes {
                return self.blank(1 + hashes);
            }
            self.blank(1);
        }
    }

    /// A character literal, or the mark of a lifetime.
    fn quote(&mut self) {
        if self.peek(1) == Some('\\') {
            // Past the character behind the backslash, which may be a quote itself.
            self.blank(3);
            while self.peek(0).is_some_and(|c| c != '\'') {
                self.blank(1);
            }
            self.blank(1);
        } else if self.peek(2) == Some('\'') {
            self.blank(3);
        } else {
            self.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank() {
        let cases = [
            ("a // b\nc", "a \nc"),
            ("/// doc `x`\nf()", "\nf()"),
            ("a /* b /* c */ d\n */ e", "a \n e"),
            (r#"f("x\"y", 1)"#, "f(, 1)"),
            ("f(r#\"a\"b\"#, 2)", "f(, 2)"),
            ("f(br\"\\\", b\"q\", b'\\'', c\"z\")", "f(, , , )"),
            ("let c = '\"'; g(\"h\")", "let c = ; g()"),
            (
                "fn f<'a>(x: &'a str) -> char { '\\u{41}' }",
                "fn f<'a>(x: &'a str) -> char {  }",
            ),
            ("r#type + break_it + cry", "r#type + break_it + cry"),
            ("\"two\nlines\"x", "\nx"),
            ("\"never closed", ""),
        ];
        for (source, expected) in cases {
            assert_eq!(code_only(source), expected, "{source}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use a::HashMap;", "HashMap"));
        assert!(!has_word("use a::MyHashMap2;", "HashMap"));
        assert!(has_word("print!()", "print!"));
        assert!(!has_word("eprint!()", "print!"));
    }

    #[test]
    fn unit_tests_are_cut_off() {
        let source = "f();\n// #[cfg(test)] in a comment\ng();\n#[cfg(test)]\nmod tests { h(); }";
        let code = code_before_tests(source);
        assert!(code.contains("g()") && !code.contains("h()"), "{code}");
    }
}
