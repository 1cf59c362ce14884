//! Classifies failures: wrong, forbidden, or not supported by the interpreter.
//!
//! A snippet that fails here may be one that Python would run. It counts as failed only if its error
//! is known to be one of Python's as well, from the interpreter's message and from lists of what
//! Python has: modules, built-in functions, methods of built-in types.

use monty_types::{ExcType, MontyException};
use qa_scoring::python::parse_float;
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

/// The reason of a failure at the time limit.
pub(super) const TIMEOUT: &str = "timeout";

/// The reason of a failure at the limit of memory.
pub(super) const MEMORY: &str = "memory";

/// The reason of a failure at the limit of nested calls.
pub(super) const RECURSION: &str = "recursion";

/// Whether the reason of a failure is a limit on time, memory or nested calls.
pub(super) fn is_limit(reason: &str) -> bool {
    [TIMEOUT, MEMORY, RECURSION].contains(&reason)
}

/// Types whose operators the interpreter knows as well as Python does.
const BASIC: [&str; 7] = ["NoneType", "dict", "float", "int", "list", "str", "tuple"];

/// Syntax errors that Python reports and the parser does not.
const SYNTAX: [&str; 8] = [
    "'return' outside function",
    "'yield' outside function",
    "outside loop",
    "not properly in loop",
    "no binding for nonlocal",
    "global declaration",
    "nonlocal declaration",
    "duplicate argument",
];

/// The reply for a program that the interpreter refused to start. It parses as Python, so most
/// often it needs a feature that the interpreter lacks.
pub(super) fn refused(error: &MontyException) -> SnippetReply {
    let message = error.message().unwrap_or_default();
    match error.exc_type() {
        ExcType::SyntaxError if SYNTAX.iter().any(|known| message.contains(known)) => {
            failed(summary(error))
        }
        _ => unsupported(
            message
                .strip_prefix("The monty syntax parser does not yet support ")
                .unwrap_or(message),
        ),
    }
}

/// The answer to a program that calls the host: an error, or the end of the program if it asks for
/// the clock.
pub(super) fn host_call(name: &str) -> Result<MontyException, SnippetReply> {
    if ["now", "today", "time"]
        .iter()
        .any(|word| name.ends_with(word))
    {
        return Err(unsupported(format!("{name} (there is no clock)")));
    }
    let denied = format!("denied: {name}");
    Ok(MontyException::new(ExcType::PermissionError, Some(denied)))
}

/// The reply for a program that ended with an exception.
pub(super) fn raised(error: &MontyException, code: &str) -> SnippetReply {
    let message = error.message().unwrap_or_default();
    let pythons = match error.exc_type() {
        ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
            return failed(TIMEOUT);
        }
        ExcType::MemoryError if !code.contains("raise MemoryError") => return failed(MEMORY),
        ExcType::RecursionError if !code.contains("raise RecursionError") => {
            return failed(RECURSION);
        }
        ExcType::PermissionError if message.starts_with("denied: ") => return failed(message),
        ExcType::ImportError if message.starts_with("cannot import name") => {
            let mut names = message.split('\'').skip(1).step_by(2);
            let (name, module) = (names.next().unwrap_or("?"), names.next().unwrap_or("?"));
            return if REACHING.contains(&module) {
                failed(format!("denied: {module}.{name}"))
            } else {
                unsupported(format!("{module}.{name}"))
            };
        }
        ExcType::ModuleNotFoundError | ExcType::ImportError => {
            let module = quoted(message).unwrap_or_default();
            let root = module.split('.').next().unwrap_or_default();
            return if REACHING.contains(&root) {
                failed(format!("denied: import {module}"))
            } else {
                unsupported(format!("import {module}"))
            };
        }
        ExcType::NameError => match quoted(message) {
            Some(name) if REACHING_FUNCTIONS.contains(&name) => {
                return failed(format!("denied: {name}"));
            }
            Some(name) if FUNCTIONS.contains(&name) => return unsupported(name),
            _ => true,
        },
        ExcType::AttributeError => return attribute_error(error, message, code),
        ExcType::TypeError => type_error(message, code),
        ExcType::ValueError => value_error(message),
        ExcType::OverflowError => {
            ["math range error", "float", "out of range"]
                .iter()
                .any(|known| message.contains(known))
                || code.contains("OverflowError")
        }
        // The program itself may raise these.
        ExcType::NotImplementedError => code.contains("raise NotImplementedError"),
        ExcType::RuntimeError => {
            !message.contains("Internal error")
                && (message.contains("during iteration") || code.contains("raise RuntimeError"))
        }
        ExcType::SyntaxError => false,
        _ => true,
    };
    if pythons {
        failed(summary(error))
    } else {
        unsupported(message)
    }
}

/// Whether Python raises this `TypeError` as well.
fn type_error(message: &str, code: &str) -> bool {
    if let Some(function) = message.split("()").next()
        && message.contains("() ")
        && ["argument", "keyword"]
            .iter()
            .any(|word| message.contains(word))
        && code.contains(&format!("def {function}("))
    {
        return true;
    }
    let quotes = if message.contains('\'') { '\'' } else { '"' };
    let types: Vec<&str> = message.split(quotes).skip(1).step_by(2).collect();
    if !types.iter().all(|name| BASIC.contains(name)) {
        return false;
    }
    let number = |name: &str| matches!(name, "int" | "float");
    match (operator(message), &*types) {
        (Some(_), ["NoneType", _] | [_, "NoneType"]) => true,
        (Some("%"), ["str", _]) => false,
        (Some("|"), [a, b]) => a != b,
        (Some("*"), [a, b]) => !number(a) && !number(b),
        (Some(_), [a, b]) => !(number(a) && number(b)) && (a != b || *a != "int"),
        (None, _) => {
            let known = [
                "not supported between instances",
                "can only concatenate",
                "bad operand type for unary",
                "object is not callable",
                "object is not iterable",
                "object is not subscriptable",
                "does not support item assignment",
                "unhashable type",
                "must be str, not",
                "has no len()",
            ];
            let unquoted = [
                "cannot unpack non-iterable NoneType",
                "cannot unpack non-iterable float",
                "cannot unpack non-iterable int",
                "indices must be integers",
                "exceptions must derive from BaseException",
                "must be real number, not NoneType",
                "must be real number, not list",
                "must be real number, not str",
                "not 'NoneType'",
                "not 'dict'",
                "not 'list'",
                "not 'tuple'",
                "sequence item",
            ];
            let both_numbers = types.len() == 2 && types.iter().all(|name| number(name));
            (known.iter().any(|part| message.contains(part)) && !types.is_empty() && !both_numbers)
                || unquoted.iter().any(|part| message.contains(part)) && !message.contains("slic")
        }
        (Some(_), _) => false,
    }
}

/// The operator of "unsupported operand type(s) for +: 'int' and 'str'".
fn operator(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("unsupported operand type(s) for ")?;
    let sign = rest.split(':').next()?;
    Some(match sign {
        "** or pow()" => "**",
        sign => sign.trim_end_matches('='),
    })
}

/// Whether Python raises this `ValueError` as well.
fn value_error(message: &str) -> bool {
    let text = || message.split_once(": ").map_or("", |(_, text)| text);
    let text = || text().trim_matches(['\'', '"']);
    if message.starts_with("could not convert string to float") {
        return parse_float(text()).is_none();
    }
    let partly = [
        "Invalid isoformat string",
        "does not match format",
        "bad directive",
        "Unknown format code",
        "Invalid format",
        "Cannot specify",
        "Precision not allowed",
        "not allowed in",
        "pow() ",
        "Exceeds the limit",
    ];
    !partly.iter().any(|part| message.contains(part))
}

/// The reply for an attribute that the interpreter does not know.
fn attribute_error(error: &MontyException, message: &str, code: &str) -> SnippetReply {
    let mut names = message.split('\'').skip(1).step_by(2);
    let (Some(owner), Some(attribute)) = (names.next(), names.next()) else {
        return unsupported(message);
    };
    if REACHING.contains(&owner) {
        return failed(format!("denied: {owner}.{attribute}"));
    }
    // Names that begin with two underscores lead from a value to the interpreter itself.
    let own_class = code.contains(&format!("class {owner}"));
    if owner == "NoneType" || own_class || attribute.starts_with("__") {
        return failed(summary(error));
    }
    match METHODS.iter().find(|(name, _)| *name == owner) {
        Some((_, methods)) if !methods.split_whitespace().any(|method| method == attribute) => {
            failed(summary(error))
        }
        _ => unsupported(format!("{owner}.{attribute}")),
    }
}

/// The text between the first quotes.
fn quoted(message: &str) -> Option<&str> {
    message.split('\'').nth(1)
}

/// The exception in one short line.
fn summary(error: &MontyException) -> String {
    sim_core::error::clip(&error.summary())
}
