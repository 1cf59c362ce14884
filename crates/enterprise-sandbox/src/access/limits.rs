//! Limits on policy text, checked before parsing: the parser and the later checks recurse into nested
//! expressions, so a deeply nested text would overflow the stack and end the program.

use super::cedar::wrong;
use sim_core::ConfigError;

/// Longest policy text (bytes).
const MOST_BYTES: usize = 256 * 1024;
/// Deepest nesting of brackets.
const MOST_NESTED: usize = 32;
/// Maximum number of operators in one policy. A chain of operators (`a && b && ..`, `!!a`, `a.b.c`,
/// `if .. else if ..`) gives an expression whose depth equals its length.
const MOST_OPERATORS: usize = 200;

/// Maximum number of escapes in strings. The parser reports every invalid one with a copy of the
/// text.
const MOST_ESCAPES: usize = 200;

/// Words that combine expressions.
const WORDS: [&str; 5] = ["if", "has", "like", "in", "is"];

/// Checks length, nesting and operators of a text of policies or of a schema.
pub(super) fn check(text: &str) -> Result<(), ConfigError> {
    if text.len() > MOST_BYTES {
        let message = format!("{} bytes; at most {MOST_BYTES} are allowed", text.len());
        return Err(wrong("too long", message));
    }
    let (mut depth, mut operators, mut line) = (0usize, 0usize, 1usize);
    let mut escapes = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            // Brackets and operators in comments and strings do not nest anything.
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => {
                            escapes += 1;
                            chars.next();
                        }
                        '\n' => line += 1,
                        _ => {}
                    }
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            // No expression continues after the end of a policy, even if brackets are still open.
            ';' => operators = 0,
            '!' | '&' | '|' | '=' | '<' | '>' | '+' | '-' | '*' | '.' => {
                operators += 1;
                // `&&`, `||`, `==`, `!=`, `<=` and `>=` are one operator.
                chars.next_if(|next| *next == '=' || (*next == c && matches!(c, '&' | '|')));
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                operators += usize::from(WORDS.contains(&word.as_str()));
            }
            _ => {}
        }
        if depth > MOST_NESTED {
            let message = format!("line {line}: brackets more than {MOST_NESTED} deep");
            return Err(wrong("nested too deeply", message));
        }
        if escapes > MOST_ESCAPES {
            let message = format!("line {line}: more than {MOST_ESCAPES} escapes in strings");
            return Err(wrong("too many escapes", message));
        }
        if operators > MOST_OPERATORS {
            let message = format!("line {line}: more than {MOST_OPERATORS} operators in a policy");
            return Err(wrong("nested too deeply", message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{CedarEngine, POLICIES, SCHEMA};
    use super::*;

    fn policy(condition: &str) -> String {
        format!(
            "@id(\"own\") permit (principal, action == Office::Action::\"readPost\", resource)\n\
             when {{ {condition} }};"
        )
    }

    /// The parser accepts or refuses each of these texts without ending the program.
    #[test]
    fn the_deepest_texts_that_pass_are_harmless() {
        let level = |n: usize| format!("{}true{}", "(".repeat(n), ")".repeat(n));
        let texts = [
            level(MOST_NESTED - 1),
            format!("true{}", " && true".repeat(MOST_OPERATORS - 2)),
            format!("true{}", " || true".repeat(MOST_OPERATORS - 2)),
            format!("{}true", "!".repeat(MOST_OPERATORS - 2)),
            format!("1{} == 1", " + 1".repeat(MOST_OPERATORS - 3)),
            format!("1{} == 1", " - -1".repeat(MOST_OPERATORS / 2 - 3)),
            format!("principal{}", ".seat".repeat(MOST_OPERATORS - 2)),
            format!(
                "{}true",
                "if true then true else ".repeat(MOST_OPERATORS - 2)
            ),
            format!(
                "{}true{}",
                "(true && !(".repeat(MOST_NESTED / 2 - 1),
                "))".repeat(MOST_NESTED / 2 - 1)
            ),
            format!(
                "{}true{}",
                "[".repeat(MOST_NESTED - 1),
                "]".repeat(MOST_NESTED - 1)
            ),
            format!(
                "{}true{}",
                "{a:".repeat(MOST_NESTED - 1),
                "}".repeat(MOST_NESTED - 1)
            ),
        ];
        let mut read = 0;
        for text in texts {
            let text = policy(&text);
            check(&text).unwrap();
            read += u32::from(CedarEngine::new(&text, &SCHEMA).is_ok());
        }
        assert!(read >= 4, "{read}");
    }

    #[test]
    fn long_and_nested_texts_are_refused_before_they_are_parsed() {
        check(&POLICIES).unwrap();
        check(&SCHEMA).unwrap();
        let open = "(".repeat(100_000);
        let texts = [
            policy(&format!("{open}true{}", ")".repeat(100_000))),
            open.clone(),
            policy(&"[".repeat(100_000)),
            policy(&"{a: ".repeat(50_000)),
            policy(&format!("true{}", " && true".repeat(20_000))),
            policy(&format!("{}true", "!".repeat(100_000))),
            policy(&format!("principal{}", ".seat".repeat(20_000))),
            policy(&format!("{}true", "if true then true else ".repeat(5_000))),
            "x".repeat(10_000_000),
            format!("// {}", "(".repeat(10_000_000)),
        ];
        for text in texts {
            for (policies, schema) in [
                (text.as_str(), SCHEMA.as_str()),
                (POLICIES.as_str(), text.as_str()),
            ] {
                let error = CedarEngine::new(policies, schema).unwrap_err();
                assert_eq!(error.place, "policies");
                assert!(error.message.len() < 200, "{error}");
            }
        }
        // Brackets in strings and comments do not count.
        let quoted = policy(&format!(
            "\"{}\" == \"a\" // {}\n",
            "(".repeat(90),
            "!".repeat(900)
        ));
        check(&quoted).unwrap();
    }
}
