//! Statements: imports, assignments to places, `del`, functions with `yield`.

use super::{EMULATED, Level, Rewriter, place};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    Expr, Operator, Stmt, StmtAugAssign, StmtFunctionDef, StmtImport, StmtImportFrom,
};
use ruff_text_size::Ranged as _;

/// What `from math import *` imports.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees \
    dist e erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose \
    isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan perm pi pow prod \
    radians remainder sin sinh sqrt tan tanh tau trunc";

impl<'a> Rewriter<'a> {
    /// `import a, b as c`: modules of the prelude are left out.
    pub(super) fn import(&mut self, import: &StmtImport) {
        let emulated = |name: &str| EMULATED.contains(&name);
        if !import.names.iter().any(|alias| emulated(&alias.name)) {
            return;
        }
        for alias in &import.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            if emulated(&alias.name) && self.facts.bound.contains(name.as_str()) {
                return self.lacks(format!(
                    "the module {} under a name that changes",
                    alias.name
                ));
            }
        }
        let kept: Vec<&str> = import
            .names
            .iter()
            .filter(|alias| !emulated(&alias.name))
            .map(|alias| self.text(alias))
            .collect();
        let text = if kept.is_empty() {
            "pass".to_owned()
        } else {
            format!("import {}", kept.join(", "))
        };
        self.replace(place(import.start()), self.text(import).len(), text);
    }

    /// `from a import b as c`: what the prelude has is bound by an assignment.
    pub(super) fn import_from(&mut self, import: &StmtImportFrom) {
        let Some(module) = import.module.as_ref().map(ToString::to_string) else {
            return;
        };
        if module == "__future__" {
            self.replace(place(import.start()), self.text(import).len(), "pass");
            return;
        }
        let emulated = EMULATED.contains(&module.as_str());
        let (mut kept, mut bound) = (Vec::new(), Vec::new());
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                if module != "math" {
                    return self.lacks(format!("from {module} import *"));
                }
                for name in MATH.split_whitespace() {
                    match self.definition(&format!("math_{name}")) {
                        Some(definition) => bound.push(format!("{name} = {definition}")),
                        None => kept.push(name),
                    }
                }
                continue;
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            match self.definition(&format!("{module}_{}", alias.name)) {
                Some(definition) => bound.push(format!("{name} = {definition}")),
                None if emulated => return self.lacks(format!("{module}.{}", alias.name)),
                None => kept.push(self.text(alias)),
            }
        }
        if bound.is_empty() {
            return;
        }
        if !kept.is_empty() {
            bound.insert(0, format!("from {module} import {}", kept.join(", ")));
        }
        self.replace(
            place(import.start()),
            self.text(import).len(),
            bound.join("; "),
        );
    }

    /// `x += e` of a replaced operator; whether it was replaced.
    pub(super) fn augmented(&mut self, stmt: &'a Stmt, assign: &'a StmtAugAssign) -> bool {
        let (target, operator, value) = (&*assign.target, assign.op, &*assign.value);
        let name = match (operator, self.level) {
            (Operator::Add, Level::Careful) => "_c_iadd",
            (Operator::BitOr, Level::Careful) => "_c_ior",
            _ => match self.operator(operator, target, value) {
                Some(name) => name,
                None => return false,
            },
        };
        if self.text(target).contains('(') {
            // The target would be computed twice.
            if !matches!(name, "_c_iadd" | "_c_ior") {
                self.lacks("an assignment with an operator to a computed place");
            }
            return false;
        }
        let sign = self.token_after(place(target.end()));
        let length = operator.as_str().len() + 1;
        let copy = self.copied(target);
        self.replace(sign, length, format!("= {name}({copy}, ("));
        self.end(place(stmt.end()), "))");
        self.visit_expr(target);
        self.visit_expr(value);
        true
    }

    /// `a[i], a[j] = a[j], a[i]`: the interpreter unpacks into names only.
    pub(super) fn unpacked(
        &mut self,
        stmt: &'a Stmt,
        targets: &'a [Expr],
        value: &'a Expr,
    ) -> bool {
        let [Expr::Tuple(tuple)] = targets else {
            return false;
        };
        let plain = |expr: &Expr| matches!(expr, Expr::Name(_) | Expr::Tuple(_) | Expr::Starred(_));
        if tuple.elts.iter().all(plain) {
            return false;
        }
        if tuple
            .elts
            .iter()
            .any(|e| matches!(e, Expr::Tuple(_) | Expr::Starred(_)))
        {
            self.lacks("unpacking into places");
            return true;
        }
        let part = |i: usize| format!("_p_part_{i}");
        let names: Vec<String> = (0..tuple.elts.len()).map(part).collect();
        let sign = self.token_after(place(tuple.end()));
        let length = sign - place(stmt.start());
        let before = format!("{} ", names.join(", "));
        self.replace(place(stmt.start()), length, before);
        let mut after = String::new();
        for (target, name) in tuple.elts.iter().zip(&names) {
            after.push_str("; ");
            after.push_str(&self.copied(target));
            after.push_str(" = ");
            after.push_str(name);
        }
        self.end(place(stmt.end()), after);
        self.visit_expr(value);
        true
    }

    /// `a[i:j] = values`; whether it was replaced.
    pub(super) fn slice(&mut self, stmt: &'a Stmt, targets: &'a [Expr], value: &'a Expr) -> bool {
        let [Expr::Subscript(subscript)] = targets else {
            return false;
        };
        let Expr::Slice(slice) = &*subscript.slice else {
            return false;
        };
        if slice.step.is_some() {
            self.lacks("assignment to a slice with a step");
            return true;
        }
        let holder = self.copied(&subscript.value);
        let lower = self.bound_of_slice(slice.lower.as_deref());
        let upper = self.bound_of_slice(slice.upper.as_deref());
        let sign = self.token_after(place(subscript.end()));
        let length = sign + 1 - place(stmt.start());
        let text = format!("_p_set_slice({holder}, {lower}, {upper}, (");
        self.replace(place(stmt.start()), length, text);
        self.end(place(stmt.end()), "))");
        self.visit_expr(value);
        true
    }

    pub(super) fn delete(&mut self, stmt: &'a Stmt, targets: &'a [Expr]) {
        let mut parts = Vec::new();
        for target in targets {
            let Expr::Subscript(subscript) = target else {
                match target {
                    Expr::Name(name) if self.facts.is_last_use(&name.id, place(name.start())) => {
                        parts.push(format!("{} = None", name.id));
                    }
                    Expr::Name(name) => {
                        return self
                            .lacks(format!("del of a name that is used again ({})", name.id));
                    }
                    _ => return self.lacks("this kind of del"),
                }
                continue;
            };
            let holder = self.copied(&subscript.value);
            parts.push(match &*subscript.slice {
                Expr::Slice(slice) if slice.step.is_none() => {
                    let lower = self.bound_of_slice(slice.lower.as_deref());
                    let upper = self.bound_of_slice(slice.upper.as_deref());
                    format!("_p_set_slice({holder}, {lower}, {upper}, [])")
                }
                Expr::Slice(_) => return self.lacks("del of a slice with a step"),
                key => format!("_p_del({holder}, {})", self.copied(key)),
            });
        }
        self.replace(place(stmt.start()), self.text(stmt).len(), parts.join("; "));
    }

    /// A function with `yield` collects its values and returns them at once.
    pub(super) fn generator(&mut self, function: &'a StmtFunctionDef) {
        let (Some(first), Some(last)) = (function.body.first(), function.body.last()) else {
            return;
        };
        if function.is_async || self.generators > 0 {
            return self.lacks("yield in a nested function");
        }
        self.eager = true;
        let (before, indent) = self.line_start(place(first.start()));
        if !before {
            return self.lacks("yield on the line of its function");
        }
        self.begin(place(first.start()), format!("_p_values = []\n{indent}"));
        let back = format!("\n{indent}return iter(_p_values)");
        self.end(place(last.end()), back);
        self.generators += 1;
        self.visit_body(&function.body);
        self.generators -= 1;
    }
}

/// Whether a function's own body has a `yield`.
pub(super) fn yields(function: &StmtFunctionDef) -> bool {
    struct Yields(bool);
    impl<'a> Visitor<'a> for Yields {
        fn visit_stmt(&mut self, stmt: &'a Stmt) {
            if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                walk_stmt(self, stmt);
            }
        }
        fn visit_expr(&mut self, expr: &'a Expr) {
            self.0 |= matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_));
            if !matches!(expr, Expr::Lambda(_)) {
                walk_expr(self, expr);
            }
        }
    }
    let mut found = Yields(false);
    found.visit_body(&function.body);
    found.0
}
