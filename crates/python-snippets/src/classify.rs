//! Classifies failures: wrong, forbidden, or not supported by the interpreter.
//!
//! A snippet that fails here may be one that Python would run. These are recognised by the
//! interpreter's message and by lists of what Python has: modules, built-in functions, methods of
//! built-in types.

use monty_types::{ExcType, MontyException};
use qa_scoring::snippet::SnippetReply;

/// Modules that access the host.
const REACHING: [&str; 27] = [
    "asyncio",
    "builtins",
    "ctypes",
    "ftplib",
    "glob",
    "http",
    "importlib",
    "mmap",
    "multiprocessing",
    "os",
    "pathlib",
    "pickle",
    "posix",
    "pty",
    "requests",
    "resource",
    "select",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "threading",
    "urllib",
    "_thread",
];

/// Built-in functions that access the host.
const REACHING_FUNCTIONS: [&str; 5] = ["__import__", "breakpoint", "help", "input", "open"];

/// Built-in functions and types of Python that the interpreter may lack.
const FUNCTIONS: [&str; 22] = [
    "aiter",
    "anext",
    "ascii",
    "bytearray",
    "callable",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dir",
    "eval",
    "exec",
    "format",
    "frozenset",
    "globals",
    "locals",
    "memoryview",
    "object",
    "property",
    "staticmethod",
    "super",
    "vars",
];

/// Methods of Python's built-in types that the interpreter may lack.
const METHODS: [(&str, &str); 7] = [
    (
        "str",
        "capitalize casefold center count encode endswith expandtabs find format format_map index \
         isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace \
         istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace \
         rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title \
         translate upper zfill",
    ),
    (
        "list",
        "append clear copy count extend index insert pop remove reverse sort",
    ),
    (
        "dict",
        "clear copy fromkeys get items keys pop popitem setdefault update values",
    ),
    (
        "set",
        "add clear copy difference difference_update discard intersection intersection_update \
         isdisjoint issubset issuperset pop remove symmetric_difference symmetric_difference_update \
         union update",
    ),
    ("tuple", "count index"),
    (
        "int",
        "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer \
         numerator real to_bytes",
    ),
    (
        "float",
        "as_integer_ratio conjugate fromhex hex imag is_integer real",
    ),
];

fn failed(reason: impl Into<String>) -> SnippetReply {
    SnippetReply::Failed {
        reason: reason.into(),
    }
}

fn unsupported(what: impl Into<String>) -> SnippetReply {
    SnippetReply::Unsupported { what: what.into() }
}

/// The reply for a program that the interpreter refused to start. It parses as Python, so it needs
/// a feature that the interpreter lacks.
pub(super) fn refused(error: &MontyException) -> SnippetReply {
    let message = error.message().unwrap_or_default();
    match error.exc_type() {
        ExcType::NotImplementedError => unsupported(
            message
                .strip_prefix("The monty syntax parser does not yet support ")
                .unwrap_or(message),
        ),
        _ => failed(summary(error)),
    }
}

/// The reply for a program that ended with an exception.
pub(super) fn raised(error: &MontyException, code: &str) -> SnippetReply {
    let message = error.message().unwrap_or_default();
    match error.exc_type() {
        ExcType::TimeoutError if message.starts_with("time limit exceeded") => failed("timeout"),
        ExcType::MemoryError => failed("memory"),
        ExcType::RecursionError => failed("recursion"),
        ExcType::ImportError if message.starts_with("cannot import name") => {
            let mut names = message.split('\'').skip(1).step_by(2);
            let (name, module) = (names.next().unwrap_or("?"), names.next().unwrap_or("?"));
            if REACHING.contains(&module) {
                failed(format!("denied: {module}.{name}"))
            } else {
                unsupported(format!("{module}.{name}"))
            }
        }
        ExcType::ModuleNotFoundError | ExcType::ImportError => {
            let module = quoted(message).unwrap_or_default();
            let root = module.split('.').next().unwrap_or_default();
            if REACHING.contains(&root) {
                failed(format!("denied: import {module}"))
            } else {
                unsupported(format!("import {module}"))
            }
        }
        ExcType::NameError => match quoted(message) {
            Some(name) if REACHING_FUNCTIONS.contains(&name) => failed(format!("denied: {name}")),
            Some("exit" | "quit") => failed("SystemExit"),
            Some(name) if FUNCTIONS.contains(&name) => unsupported(name),
            _ => failed(summary(error)),
        },
        ExcType::AttributeError => {
            lacking_attribute(message).unwrap_or_else(|| failed(summary(error)))
        }
        ExcType::TypeError if message.starts_with("unsupported operand type(s) for %: 'str'") => {
            unsupported("formatting with %")
        }
        ExcType::NotImplementedError => {
            if let Some(rest) = message.strip_prefix("OS function '") {
                let name = rest.split('\'').next().unwrap_or_default();
                let clock = ["now", "today", "time"]
                    .iter()
                    .any(|word| name.ends_with(word));
                return if clock {
                    unsupported(format!("{name} (there is no clock)"))
                } else {
                    failed(format!("denied: {name}"))
                };
            }
            // The program itself may raise it.
            if code.contains("NotImplementedError") {
                failed(summary(error))
            } else {
                unsupported(message)
            }
        }
        _ => failed(summary(error)),
    }
}

/// Whether Python has the missing attribute.
fn lacking_attribute(message: &str) -> Option<SnippetReply> {
    let mut names = message.split('\'').skip(1).step_by(2);
    let (owner, attribute) = (names.next()?, names.next()?);
    if message.starts_with("module ") {
        return Some(if REACHING.contains(&owner) {
            failed(format!("denied: {owner}.{attribute}"))
        } else {
            unsupported(format!("{owner}.{attribute}"))
        });
    }
    if owner == "module" {
        return Some(unsupported(attribute));
    }
    let (_, methods) = METHODS.iter().find(|(name, _)| *name == owner)?;
    methods
        .split_whitespace()
        .any(|method| method == attribute)
        .then(|| unsupported(format!("{owner}.{attribute}")))
}

/// The text between the first quotes.
fn quoted(message: &str) -> Option<&str> {
    message.split('\'').nth(1)
}

/// The exception in one short line.
fn summary(error: &MontyException) -> String {
    sim_core::error::clip(&error.summary())
}
