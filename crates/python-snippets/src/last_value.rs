//! The published definition of a program's answer: the value of its last statement.

use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::parse_module;
use ruff_text_size::Ranged as _;

/// Rewrites the program so that its last statement is an expression: of `x = e`, `x: T = e`, `x +=
/// e` and `return e` only `e` is kept.
///
/// With `printed`, a program whose last statement has no value is kept as it is, because what it prints counts. If it
/// only defines its answer, a function without parameters (`solution`, `solve`, `main`, `answer`, else the last one), that
/// function is called.
///
/// # Errors
/// When there is no value: the program cannot be parsed, is empty, or ends in a statement without a
/// value.
pub(super) fn rewrite(code: &str, printed: bool) -> Result<String, String> {
    let parsed = parse_module(code).map_err(|e| format!("SyntaxError: {e}"))?;
    let Some(last) = parsed.suite().last() else {
        return Err("there is no statement".to_owned());
    };
    let value: Option<&Expr> = match last {
        Stmt::Expr(_) => return Ok(code.to_owned()),
        Stmt::Assign(assign) => Some(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref(),
        Stmt::AugAssign(assign) => Some(&assign.value),
        Stmt::Return(back) => back.value.as_deref(),
        _ => None,
    };
    let Some(value) = value else {
        if !printed {
            return Err("the last statement has no value".to_owned());
        }
        let call = only_defined(parsed.suite())
            .map_or_else(|| "None".to_owned(), |name| format!("{name}()"));
        return Ok(format!("{code}\n{call}\n"));
    };
    let before = code.get(..usize::from(last.start())).unwrap_or_default();
    let (from, to) = (usize::from(value.start()), usize::from(value.end()));
    let value = code.get(from..to).unwrap_or_default();
    // The line break ends a comment in the value, which would otherwise contain the bracket.
    Ok(format!("{before}({value}\n)\n"))
}

/// Names of functions that hold an answer.
const ANSWERS: [&str; 4] = ["solution", "solve", "main", "answer"];

/// The function that a program defines and never calls, if its last statement defines a function.
fn only_defined(statements: &[Stmt]) -> Option<&str> {
    if !matches!(statements.last(), Some(Stmt::FunctionDef(_))) {
        return None;
    }
    let callable: Vec<&str> = statements
        .iter()
        .filter_map(|statement| match statement {
            Stmt::FunctionDef(function) if !function.is_async => {
                let needs = function
                    .parameters
                    .iter_non_variadic_params()
                    .any(|p| p.default.is_none());
                (!needs).then(|| function.name.as_str())
            }
            _ => None,
        })
        .collect();
    let last = match statements.last() {
        Some(Stmt::FunctionDef(function)) => function.name.as_str(),
        _ => return None,
    };
    ANSWERS
        .into_iter()
        .find(|name| callable.contains(name))
        .or_else(|| callable.last().copied().filter(|name| *name == last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_the_last_statement_is_left() {
        for (code, rewritten) in [
            ("a = 1\na + 2", "a = 1\na + 2"),
            ("a = 1\nb = a + 2  # sum\n", "a = 1\n(a + 2\n)\n"),
            ("x: float = 3.5", "(3.5\n)\n"),
            ("t = 5; t += 3", "t = 5; (3\n)\n"),
            ("a = b = 4", "(4\n)\n"),
            ("a, b = 1, 2", "(1, 2\n)\n"),
            ("x = (\n  1 + # one\n  2\n)", "(1 + # one\n  2\n)\n"),
        ] {
            assert_eq!(rewrite(code, false).unwrap(), rewritten, "{code}");
        }
        for code in [
            "",
            "# nothing",
            "if True:\n    1",
            "def f(): pass",
            "x: int",
            "x = = 3",
        ] {
            assert!(rewrite(code, false).is_err(), "{code}");
        }
    }

    #[test]
    fn what_only_prints_or_defines_is_kept() {
        for (code, rewritten) in [
            ("if True:\n    print(1)", "if True:\n    print(1)\nNone\n"),
            (
                "def solution():\n    return 1",
                "def solution():\n    return 1\nsolution()\n",
            ),
            (
                "def solve(x=2):\n    return x\ndef helper(a):\n    return a",
                "def solve(x=2):\n    return x\ndef helper(a):\n    return a\nsolve()\n",
            ),
            ("def f(x):\n    return x", "def f(x):\n    return x\nNone\n"),
        ] {
            assert_eq!(rewrite(code, true).unwrap(), rewritten, "{code}");
        }
        assert!(rewrite("", true).is_err());
    }
}
