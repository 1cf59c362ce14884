//! What has to be known of a program before its parts are rewritten.

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Parameter, Stmt};
use ruff_text_size::Ranged;
use std::collections::{BTreeMap, BTreeSet};

/// The modules of exact numbers.
const EXACT: [&str; 2] = ["decimal", "fractions"];

/// What has to be known of a program before its parts are rewritten.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Names that it binds, other than modules.
    pub(super) bound: BTreeSet<String>,
    /// Modules by the names under which they are imported.
    pub(super) modules: BTreeMap<String, String>,
    /// Functions of its classes.
    pub(super) methods: BTreeSet<String>,
    pub(super) classes: bool,
    pub(super) sets: bool,
    /// Whether it uses decimals or fractions, which need every operator replaced.
    pub(super) exact_numbers: bool,
    /// Where each name is written, read or deleted, in the order of the text.
    uses: BTreeMap<String, Vec<(usize, Use)>>,
    /// Loops and functions: where each begins and ends.
    loops: Vec<(usize, usize)>,
    functions: Vec<(usize, usize)>,
}

/// How a name is used at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Written,
    Read,
}

impl Facts {
    /// Whether `del name` at the place `at` changes nothing that the program could notice, as far as the order
    /// of its text tells: the name has a value before and is not used again.
    pub(super) fn is_last_use(&self, name: &str, at: usize) -> bool {
        let within = |(from, to): &&(usize, usize)| (*from..*to).contains(&at);
        let Some(uses) = self.uses.get(name) else {
            return false;
        };
        // A loop comes back to what stands before the place, within its function.
        let function = self.functions.iter().rev().find(within);
        let in_function =
            |place: usize| function.is_none_or(|(from, to)| (*from..*to).contains(&place));
        let repeats = self
            .loops
            .iter()
            .any(|part| within(&part) && in_function(part.0));
        let written = |(place, how): &(usize, Use)| {
            *how == Use::Written && *place < at && in_function(*place)
        };
        let elsewhere = |(place, how): &(usize, Use)| {
            let mut around = self
                .functions
                .iter()
                .filter(|(from, to)| (*from..*to).contains(place));
            *how == Use::Read && around.any(|part| !within(&part))
        };
        !repeats
            && uses.iter().any(written)
            && !uses.iter().any(|(place, _)| *place > at)
            && !uses.iter().any(elsewhere)
    }

    fn note(&mut self, name: &str, at: usize, how: Use) {
        self.uses
            .entry(name.to_owned())
            .or_default()
            .push((at, how));
    }
}

fn span(node: &impl Ranged) -> (usize, usize) {
    (node.start().into(), node.end().into())
}

impl<'a> Visitor<'a> for Facts {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.bound.insert(function.name.to_string());
                self.note(&function.name, span(&function.name).0, Use::Written);
                self.functions.push(span(function));
            }
            Stmt::For(each) => self.loops.push(span(each)),
            Stmt::While(repeat) => self.loops.push(span(repeat)),
            Stmt::ClassDef(class) => {
                self.classes = true;
                self.bound.insert(class.name.to_string());
                for stmt in &class.body {
                    if let Stmt::FunctionDef(function) = stmt {
                        self.methods.insert(function.name.to_string());
                    }
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.exact_numbers |= EXACT.contains(&alias.name.as_str());
                    self.modules
                        .insert(name.to_string(), alias.name.to_string());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref();
                self.exact_numbers |= module.is_some_and(|name| EXACT.contains(&name.as_str()));
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bound.insert(name.to_string());
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bound.insert(parameter.name.to_string());
        self.note(&parameter.name, span(&parameter.name).0, Use::Written);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.bound.insert(name.to_string());
        }
        walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            let how = match name.ctx {
                ExprContext::Store => Use::Written,
                _ => Use::Read,
            };
            self.note(&name.id, span(name).0, how);
        }
        match expr {
            Expr::Lambda(_) => self.functions.push(span(expr)),
            Expr::Name(name) if name.ctx != ExprContext::Load => {
                self.bound.insert(name.id.to_string());
            }
            Expr::Set(_) | Expr::SetComp(_) => self.sets = true,
            Expr::Name(name) if matches!(name.id.as_str(), "set" | "frozenset") => self.sets = true,
            _ => {}
        }
        walk_expr(self, expr);
    }
}
