//! What has to be known of a program before its parts are rewritten.

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Parameter, Stmt};
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
}

impl<'a> Visitor<'a> for Facts {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.bound.insert(function.name.to_string());
            }
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
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.bound.insert(name.to_string());
        }
        walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
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
