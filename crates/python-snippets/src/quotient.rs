//! Floor division as in Python.
//!
//! The interpreter floors the rounded quotient, so `100 // 0.1` is 1000.0. Python subtracts the
//! remainder first and gets 999.0, because 0.1 is slightly more than a tenth. Every `a // b` of a
//! program is therefore replaced by a function call.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Operator};
use ruff_python_parser::parse_module;
use ruff_text_size::Ranged as _;

/// The function that is called. A remainder is exact, and it has the sign of the divisor.
const FLOOR: &str = "\
def _floor_quotient(a, b):
    if isinstance(a, float) or isinstance(b, float):
        rest = a % b
        if rest in (float('inf'), float('-inf')):
            return -1.0
        quotient = (a - rest) / b
        if quotient == 0.0:
            return 0.0 * (a / b)
        floor = quotient - quotient % 1.0
        return floor + 1.0 if quotient - floor > 0.5 else floor
    return a // b

";

/// The program with floor divisions replaced by calls; unchanged if there are none.
pub(super) fn rewrite(code: String) -> String {
    if !code.contains("//") || code.contains("__future__") {
        return code;
    }
    let Ok(parsed) = parse_module(&code) else {
        return code;
    };
    let mut found = Quotients {
        code: &code,
        edits: Vec::new(),
    };
    found.visit_body(parsed.suite());
    let mut edits = found.edits;
    if edits.is_empty() {
        return code;
    }
    edits.sort_unstable();
    let mut out = FLOOR.to_owned();
    let mut at = 0;
    for (place, edit) in edits {
        out.push_str(code.get(at..place).unwrap_or_default());
        at = place;
        match edit {
            Edit::Close => out.push(')'),
            Edit::Comma => {
                out.push(',');
                at += 2;
            }
            Edit::Open => out.push_str("_floor_quotient("),
        }
    }
    out.push_str(code.get(at..).unwrap_or_default());
    out
}

/// An insertion at a position; of several at one position, ends come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    Close,
    Comma,
    Open,
}

struct Quotients<'a> {
    code: &'a str,
    edits: Vec<(usize, Edit)>,
}

impl<'a> Visitor<'a> for Quotients<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::BinOp(operation) = expr
            && operation.op == Operator::FloorDiv
        {
            let (from, to) = (
                usize::from(operation.left.end()),
                usize::from(operation.right.start()),
            );
            let between = self.code.get(from..to).unwrap_or_default();
            // The text between the operands may contain brackets and line ends; with a comment the
            // operator is not replaced.
            if let (Some(sign), false) = (between.find("//"), between.contains('#')) {
                self.edits.push((usize::from(expr.start()), Edit::Open));
                self.edits.push((from + sign, Edit::Comma));
                self.edits.push((usize::from(expr.end()), Edit::Close));
            }
        }
        walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_become_calls() {
        for (code, rewritten) in [
            ("7 // 2", "_floor_quotient(7 , 2)"),
            ("a//b//c", "_floor_quotient(_floor_quotient(a,b),c)"),
            (
                "(a) // (b // c)",
                "_floor_quotient((a) , (_floor_quotient(b , c)))",
            ),
            ("x = -a // b + 1", "x = _floor_quotient(-a , b) + 1"),
            ("f'{a // b}'", "f'{_floor_quotient(a , b)}'"),
        ] {
            assert_eq!(rewrite(code.to_owned()), format!("{FLOOR}{rewritten}"));
        }
        for code in ["'http://a'", "x //= 2", "7 / 2 # 7 // 2"] {
            assert_eq!(rewrite(code.to_owned()), code);
        }
    }
}
