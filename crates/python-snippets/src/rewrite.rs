//! Rewrites a program so that the interpreter computes what Python does.
//!
//! Operators and functions that the interpreter lacks or computes differently become calls of the
//! definitions in [`prelude`]: `a ** b` becomes `_p_pow(a , b)`. Statements that it lacks are
//! replaced: `del d[k]` by a call, a swap of list elements by two assignments, a generator by a
//! list.
//!
//! There are two levels. [`Level::Usual`] keeps the program fast. If the interpreter then reports
//! something that it cannot do, [`Level::Careful`] replaces every operator, so that truth values
//! count as whole numbers and the special methods of classes are called.

mod facts;
mod statements;
#[cfg(test)]
mod tests;

use super::prelude;
use facts::Facts;
use ruff_python_ast::visitor::{
    Visitor, walk_comprehension, walk_except_handler, walk_expr, walk_stmt,
};
use ruff_python_ast::{
    CmpOp, Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, InterpolatedStringElement,
    Number, Operator, Stmt, UnaryOp,
};
use ruff_python_parser::{parse_expression, parse_module};
use ruff_text_size::{Ranged, TextSize};
use statements::yields;

/// How much of a program is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// What the interpreter is known to compute differently.
    Usual,
    /// Every operator.
    Careful,
}

/// A rewritten program.
#[derive(Debug)]
pub(super) struct Program {
    /// Its source, with the definitions that it needs.
    pub(super) code: String,
    /// Whether values that Python computes one by one are computed at once, so that an error or an
    /// endless loop may be one that Python never reaches.
    pub(super) eager: bool,
}

/// Modules that the interpreter lacks and the prelude has in parts.
const EMULATED: [&str; 11] = [
    "ast",
    "bisect",
    "calendar",
    "copy",
    "decimal",
    "fractions",
    "heapq",
    "operator",
    "random",
    "statistics",
    "string",
];

/// Special methods that the interpreter passes over without an error.
const PASSED_OVER: [&str; 16] = [
    "__bool__",
    "__delattr__",
    "__format__",
    "__get__",
    "__getattr__",
    "__getattribute__",
    "__iadd__",
    "__imul__",
    "__init_subclass__",
    "__isub__",
    "__itruediv__",
    "__len__",
    "__new__",
    "__set__",
    "__set_name__",
    "__setattr__",
];

/// Methods of built-in types that programs pass as values, as in `max(d, key=d.get)`.
const BOUND: [&str; 14] = [
    "append",
    "capitalize",
    "count",
    "endswith",
    "format",
    "get",
    "index",
    "isdigit",
    "lower",
    "replace",
    "startswith",
    "strip",
    "title",
    "upper",
];

/// Functions that read all values of a generator, so that a list gives the same.
const READS_ALL: [&str; 11] = [
    "dict",
    "extend",
    "frozenset",
    "join",
    "list",
    "max",
    "min",
    "set",
    "sorted",
    "sum",
    "tuple",
];

/// Functions whose result shows the order of a set.
const SHOWS_ORDER: [&str; 9] = [
    "enumerate",
    "filter",
    "iter",
    "join",
    "list",
    "map",
    "reversed",
    "tuple",
    "zip",
];

/// Errors that a program may handle and Python may not raise.
const DOUBTFUL: [&str; 10] = [
    "AttributeError",
    "BaseException",
    "Exception",
    "ImportError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OverflowError",
    "RuntimeError",
    "TypeError",
];

/// The rewritten program; an error names what cannot be run.
pub(super) fn rewrite(code: &str, level: Level) -> Result<Program, String> {
    let code = with_literal_evals(code);
    let as_it_is = |code: &str| Program {
        code: code.to_owned(),
        eager: false,
    };
    let Ok(parsed) = parse_module(&code) else {
        return Ok(as_it_is(&code));
    };
    let mut facts = Facts::default();
    facts.visit_body(parsed.suite());
    if let Some(method) = PASSED_OVER
        .iter()
        .find(|name| facts.methods.contains(**name))
    {
        return Err(format!("the special method {method}"));
    }
    if facts.exact_numbers && level == Level::Usual {
        return Err("decimals and fractions".to_owned());
    }
    let mut rewriter = Rewriter {
        code: &code,
        level,
        facts,
        edits: Vec::new(),
        eager: false,
        lacking: None,
        generators: 0,
    };
    if let (Level::Careful, Some(last)) = (level, parsed.suite().last()) {
        rewriter.around(last, "_c_result((", "\n))");
    }
    rewriter.visit_body(parsed.suite());
    if let Some(what) = rewriter.lacking {
        return Err(what);
    }
    let eager = rewriter.eager;
    let code = apply(&code, 0, code.len(), rewriter.edits);
    let definitions = prelude::of(&code);
    Ok(Program {
        code: definitions + &code,
        eager,
    })
}

/// The program with `eval` of a text that stands in it replaced by the text, unless the program has an `eval` of
/// its own.
fn with_literal_evals(code: &str) -> String {
    struct Evals(Vec<(usize, usize, String)>);
    impl<'a> Visitor<'a> for Evals {
        fn visit_expr(&mut self, expr: &'a Expr) {
            if let Expr::Call(call) = expr
                && let Expr::Name(name) = &*call.func
                && name.id.as_str() == "eval"
                && let ([Expr::StringLiteral(text)], []) =
                    (&*call.arguments.args, call.arguments.keywords.as_slice())
            {
                let text = text.value.to_str().trim().to_owned();
                if parse_expression(&text).is_ok() && !text.contains(['\n', '#']) {
                    let (from, to) = (expr.start().into(), expr.end().into());
                    self.0.push((from, to, format!("({text})")));
                    return;
                }
            }
            walk_expr(self, expr);
        }
    }
    if !code.contains("eval") {
        return code.to_owned();
    }
    let Ok(parsed) = parse_module(code) else {
        return code.to_owned();
    };
    let mut facts = Facts::default();
    facts.visit_body(parsed.suite());
    if facts.bound.contains("eval") {
        return code.to_owned();
    }
    let mut evals = Evals(Vec::new());
    evals.visit_body(parsed.suite());
    evals.0.sort_unstable();
    let mut out = code.to_owned();
    for (from, to, text) in evals.0.into_iter().rev() {
        out.replace_range(from..to, &text);
    }
    out
}

/// A change at a place: bytes that are removed and text that is inserted.
#[derive(Debug)]
struct Edit {
    at: usize,
    /// Ends come before beginnings; inner ends before outer ones, outer beginnings before inner
    /// ones.
    rank: (bool, i64),
    remove: usize,
    text: String,
}

/// The part of the code between two places with its edits.
fn apply(code: &str, from: usize, to: usize, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.at, edit.rank));
    let mut out = String::with_capacity((to - from) * 2);
    let mut at = from;
    for edit in edits {
        out.push_str(code.get(at..edit.at).unwrap_or_default());
        out.push_str(&edit.text);
        at = at.max(edit.at + edit.remove);
    }
    out.push_str(code.get(at..to).unwrap_or_default());
    out
}

struct Rewriter<'a> {
    code: &'a str,
    level: Level,
    facts: Facts,
    edits: Vec<Edit>,
    eager: bool,
    lacking: Option<String>,
    /// How many generator functions are around the present place.
    generators: u32,
}

fn place(size: TextSize) -> usize {
    usize::from(size)
}

impl<'a> Rewriter<'a> {
    fn sequence(&self) -> i64 {
        i64::try_from(self.edits.len()).unwrap_or(i64::MAX)
    }

    fn begin(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at, 0, text);
    }

    fn replace(&mut self, at: usize, remove: usize, text: impl Into<String>) {
        let rank = (true, self.sequence());
        let text = text.into();
        self.edits.push(Edit {
            at,
            rank,
            remove,
            text,
        });
    }

    fn end(&mut self, at: usize, text: impl Into<String>) {
        let rank = (false, -self.sequence());
        let text = text.into();
        self.edits.push(Edit {
            at,
            rank,
            remove: 0,
            text,
        });
    }

    fn around(&mut self, node: &impl Ranged, before: impl Into<String>, after: &str) {
        self.begin(place(node.start()), before);
        self.end(place(node.end()), after);
    }

    fn lacks(&mut self, what: impl Into<String>) {
        self.lacking.get_or_insert(what.into());
    }

    fn text(&self, node: &impl Ranged) -> &'a str {
        self.code
            .get(place(node.start())..place(node.end()))
            .unwrap_or_default()
    }

    /// The rewritten text of an expression that is copied to another place.
    fn copied(&mut self, expr: &'a Expr) -> String {
        let around = std::mem::take(&mut self.edits);
        self.visit_expr(expr);
        let edits = std::mem::replace(&mut self.edits, around);
        apply(self.code, place(expr.start()), place(expr.end()), edits)
    }

    fn bound_of_slice(&mut self, expr: Option<&'a Expr>) -> String {
        expr.map_or_else(|| "None".to_owned(), |expr| self.copied(expr))
    }

    /// The place of the token after `from`: brackets that close, blanks and comments are skipped.
    fn token_after(&self, from: usize) -> usize {
        let mut comment = false;
        for (offset, c) in self.code.get(from..).unwrap_or_default().char_indices() {
            match c {
                '\n' => comment = false,
                '#' => comment = true,
                ')' | '\\' => {}
                c if comment || c.is_whitespace() => {}
                _ => return from + offset,
            }
        }
        self.code.len()
    }

    /// The name of a definition of this level, if there is one.
    fn definition(&self, what: &str) -> Option<String> {
        let careful = format!("_c_{what}");
        if self.level == Level::Careful && prelude::has(&careful) {
            return Some(careful);
        }
        let usual = format!("_p_{what}");
        prelude::has(&usual).then_some(usual)
    }

    /// The definition of a built-in function, unless the program binds the name.
    fn builtin(&self, name: &str) -> Option<String> {
        if self.facts.bound.contains(name) || self.facts.modules.contains_key(name) {
            return None;
        }
        self.definition(&format!("builtin_{name}"))
    }

    /// The module that an expression names.
    fn module(&self, expr: &Expr) -> Option<&str> {
        match expr {
            Expr::Name(name) if !self.facts.bound.contains(name.id.as_str()) => {
                self.facts.modules.get(name.id.as_str()).map(String::as_str)
            }
            _ => None,
        }
    }

    fn operator(&self, operator: Operator, left: &Expr, right: &Expr) -> Option<&'static str> {
        let float = |expr: &Expr| matches!(expr, Expr::NumberLiteral(n) if matches!(n.value, Number::Float(_)));
        let whole = |expr: &Expr| matches!(expr, Expr::NumberLiteral(n) if matches!(n.value, Number::Int(_)));
        let careful = self.level == Level::Careful;
        Some(match operator {
            Operator::Div if careful => "_c_div",
            Operator::Div if !float(left) && !float(right) => "_p_div",
            Operator::FloorDiv if careful => "_c_floordiv",
            Operator::FloorDiv => "_p_floordiv",
            Operator::Pow if careful => "_c_pow",
            // Two whole numbers that stand in the program, as in `10 ** 9`, need no call.
            Operator::Pow if whole(left) && whole(right) => return None,
            Operator::Pow => "_p_pow",
            Operator::Mod if careful => "_c_mod",
            Operator::Mod if matches!(left, Expr::StringLiteral(_) | Expr::FString(_)) => {
                "_p_percent"
            }
            Operator::Add if careful => "_c_add",
            Operator::Sub if careful => "_c_sub",
            Operator::Mult if careful => "_c_mul",
            Operator::BitOr if careful => "_c_or",
            Operator::BitAnd if careful => "_c_and",
            Operator::BitXor if careful => "_c_xor",
            Operator::LShift if careful => "_c_lshift",
            Operator::RShift if careful => "_c_rshift",
            Operator::MatMult if careful => "_c_matmul",
            _ => return None,
        })
    }

    /// `module.name` of the prelude; whether it was replaced.
    fn attribute(&mut self, expr: &Expr, value: &Expr, attr: &str) -> bool {
        let Some(module) = self.module(value).map(str::to_owned) else {
            return false;
        };
        match self.definition(&format!("{module}_{attr}")) {
            Some(definition) => {
                self.replace(place(expr.start()), self.text(expr).len(), definition);
            }
            None if EMULATED.contains(&module.as_str()) => self.lacks(format!("{module}.{attr}")),
            None => return false,
        }
        true
    }

    /// A method of the prelude becomes a function: `x.is_integer()` is `_p_method_is_integer(x)`.
    fn method(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else {
            return;
        };
        let name = method.attr.as_str();
        if self.facts.methods.contains(name) || self.module(&method.value).is_some() {
            return;
        }
        let definition = if name == "pop" && self.facts.sets {
            "_p_pop".to_owned()
        } else if let Some(definition) = self.definition(&format!("method_{name}")) {
            definition
        } else {
            return;
        };
        let dot = self.token_after(place(method.value.end()));
        let open = place(call.arguments.start());
        let none = call.arguments.args.is_empty() && call.arguments.keywords.is_empty();
        self.begin(place(call.start()), format!("{definition}("));
        self.replace(dot, open + 1 - dot, if none { "" } else { ", " });
    }

    fn call(&mut self, call: &'a ExprCall) {
        self.method(call);
        let name = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => "",
        };
        if matches!(name, "any" | "all")
            && call
                .arguments
                .args
                .iter()
                .any(|a| matches!(a, Expr::Generator(_)))
        {
            self.eager = true;
        }
        for argument in &call.arguments.args {
            if self.facts.sets
                && SHOWS_ORDER.contains(&name)
                && !argument.is_starred_expr()
                && !argument.is_generator_expr()
            {
                self.around(argument, "_p_ordered(", ")");
            }
            if let Expr::Generator(generator) = argument
                && !READS_ALL.contains(&name)
                && !matches!(name, "any" | "all")
            {
                self.eager = true;
                self.around(generator, "_p_iter(", ")");
            }
            // Types are replaced where they are called only.
            if name == "map"
                && let Expr::Name(function) = argument
                && matches!(function.id.as_str(), "float" | "int")
                && let Some(definition) = self.builtin(function.id.as_str())
            {
                self.replace(place(function.start()), function.id.len(), definition);
            }
        }
        if let Expr::Name(function) = &*call.func
            && matches!(function.id.as_str(), "float" | "int")
            && let Some(definition) = self.builtin(function.id.as_str())
        {
            self.replace(place(function.start()), function.id.len(), definition);
        }
        // What `walk_expr` would visit, without the places that were treated here.
        if !matches!(&*call.func, Expr::Name(_)) {
            self.callee(&call.func);
        } else if let Expr::Name(function) = &*call.func {
            self.name(function.id.as_str(), place(function.start()));
        }
        for argument in &call.arguments.args {
            if let Expr::Generator(generator) = argument {
                self.visit_expr(&generator.elt);
                for part in &generator.generators {
                    self.visit_comprehension(part);
                }
            } else {
                self.visit_expr(argument);
            }
        }
        for keyword in &call.arguments.keywords {
            self.visit_expr(&keyword.value);
        }
    }

    /// The function of a call; its last attribute is not a value.
    fn callee(&mut self, func: &'a Expr) {
        match func {
            Expr::Attribute(attribute) => {
                if !self.attribute(func, &attribute.value, attribute.attr.as_str()) {
                    self.receiver(&attribute.value);
                }
            }
            other => self.visit_expr(other),
        }
    }

    /// The value before a dot; the name of a module is not rewritten.
    fn receiver(&mut self, value: &'a Expr) {
        if self.module(value).is_none() {
            self.visit_expr(value);
        }
    }

    fn name(&mut self, name: &str, at: usize) {
        if matches!(name, "float" | "int") {
            return;
        }
        if let Some(definition) = self.builtin(name) {
            self.replace(at, name.len(), definition);
        } else if !self.facts.bound.contains(name)
            && let Some(module) = self.facts.modules.get(name)
            && EMULATED.contains(&module.as_str())
        {
            let what = format!("the module {module} as a value");
            self.lacks(what);
        }
    }

    /// A condition: an exact number that is zero counts as false, which the interpreter ignores.
    fn condition(&mut self, test: &'a Expr) {
        let plain = matches!(
            test,
            Expr::Compare(_) | Expr::BoolOp(_) | Expr::BooleanLiteral(_) | Expr::UnaryOp(_)
        );
        if self.facts.exact_numbers && !plain {
            self.around(test, "_c_truth(", ")");
        }
    }

    /// Whether only blanks stand before a place in its line, and those blanks.
    fn line_start(&self, at: usize) -> (bool, &'a str) {
        let before = self.code.get(..at).unwrap_or_default();
        let blanks = before.rsplit('\n').next().unwrap_or_default();
        (blanks.trim().is_empty(), blanks)
    }
}

impl<'a> Visitor<'a> for Rewriter<'a> {
    fn visit_annotation(&mut self, _expr: &'a Expr) {}

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) => return self.import(import),
            Stmt::ImportFrom(import) => return self.import_from(import),
            Stmt::Delete(delete) => return self.delete(stmt, &delete.targets),
            Stmt::Assign(assign)
                if self.slice(stmt, &assign.targets, &assign.value)
                    || self.unpacked(stmt, &assign.targets, &assign.value) =>
            {
                return;
            }
            Stmt::If(branch) => {
                self.condition(&branch.test);
                for clause in &branch.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.condition(test);
                    }
                }
            }
            Stmt::While(repeat) => self.condition(&repeat.test),
            Stmt::AugAssign(assign) if self.augmented(stmt, assign) => return,
            Stmt::For(each) if self.facts.sets && !each.iter.is_tuple_expr() => {
                self.around(&*each.iter, "_p_ordered(", ")");
            }
            Stmt::FunctionDef(function) => {
                if yields(function) {
                    for decorator in &function.decorator_list {
                        self.visit_decorator(decorator);
                    }
                    self.visit_parameters(&function.parameters);
                    return self.generator(function);
                }
                // A function within a generator function has values of its own to return.
                let around = std::mem::take(&mut self.generators);
                walk_stmt(self, stmt);
                self.generators = around;
                return;
            }
            Stmt::Expr(it) if self.generators > 0 => {
                let (keyword, method, value) = match &*it.value {
                    Expr::Yield(part) => ("yield", "append", part.value.as_deref()),
                    Expr::YieldFrom(part) => ("from", "extend", Some(&*part.value)),
                    _ => return walk_stmt(self, stmt),
                };
                let from = place(it.value.start());
                let text = self.text(&*it.value);
                let Some(word) = text.find(keyword) else {
                    return self.lacks("this kind of yield");
                };
                let length = word + keyword.len();
                self.replace(from, length, format!("_p_values.{method}(("));
                let after = if value.is_some() { "))" } else { "None))" };
                self.end(place(it.value.end()), after);
                if let Some(value) = value {
                    self.visit_expr(value);
                }
                return;
            }
            Stmt::Return(back) if self.generators > 0 => {
                let length = self.text(back).len();
                return self.replace(place(back.start()), length, "return iter(_p_values)");
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        if self.facts.sets {
            self.around(&comprehension.iter, "_p_ordered(", ")");
        }
        walk_comprehension(self, comprehension);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        let doubtful = it.type_.as_ref().is_none_or(|kind| {
            let text = self.text(&**kind);
            DOUBTFUL.iter().any(|name| {
                text.split(|c: char| !c.is_alphanumeric())
                    .any(|word| word == *name)
            })
        });
        if let (true, Some(first)) = (doubtful, it.body.first()) {
            let error = match (&it.name, &it.type_) {
                (Some(name), _) => name.as_str(),
                (None, Some(kind)) => {
                    let colon = self.token_after(place(kind.end()));
                    self.begin(colon, " as _p_error");
                    "_p_error"
                }
                (None, None) => {
                    let colon = self.token_after(place(handler.start()) + "except".len());
                    self.begin(colon, " BaseException as _p_error");
                    "_p_error"
                }
            };
            let at = place(first.start());
            let (alone, indent) = self.line_start(at);
            let between = if alone {
                format!("\n{indent}")
            } else {
                "; ".to_owned()
            };
            self.begin(at, format!("_p_caught({error}){between}"));
        }
        walk_except_handler(self, handler);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        let before = self.edits.len();
        if let InterpolatedStringElement::Interpolation(part) = element
            && let (true, Some(format)) = (self.facts.exact_numbers, &part.format_spec)
        {
            // `{x:.2f}` and `{x:,.2f}` of a decimal round it before it becomes a float.
            let text = self.text(&**format).trim_start_matches(',');
            let places = text
                .strip_prefix('.')
                .and_then(|text| text.strip_suffix('f'));
            match places.and_then(|places| places.parse::<u32>().ok()) {
                Some(places) => {
                    self.around(&*part.expression, "_c_places(", &format!(", {places})"));
                }
                None => return self.lacks("this format of a decimal or fraction"),
            }
        }
        ruff_python_ast::visitor::walk_interpolated_string_element(self, element);
        if let InterpolatedStringElement::Interpolation(part) = element
            && part.debug_text.is_some()
            && self.edits.len() > before
        {
            // The text of the expression is part of the value.
            self.lacks("f-strings with = after an expression");
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::BinOp(operation) => {
                if let Some(name) = self.operator(operation.op, &operation.left, &operation.right) {
                    let sign = self.token_after(place(operation.left.end()));
                    self.begin(place(expr.start()), format!("{name}("));
                    self.replace(sign, operation.op.as_str().len(), ",");
                    self.end(place(expr.end()), ")");
                }
            }
            Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => {
                self.condition(&operation.operand);
            }
            Expr::UnaryOp(operation) if self.level == Level::Careful => {
                let name = match operation.op {
                    UnaryOp::USub => "_c_neg(",
                    UnaryOp::UAdd => "_c_pos(",
                    UnaryOp::Invert | UnaryOp::Not => "_c_invert(",
                };
                self.replace(place(expr.start()), 1, name);
                self.end(place(expr.end()), ")");
            }
            Expr::Compare(compare) if self.level == Level::Careful => {
                if let ([operator], [_]) = (&*compare.ops, &*compare.comparators) {
                    let name = match operator {
                        CmpOp::Lt => "_c_lt(",
                        CmpOp::LtE => "_c_le(",
                        CmpOp::Gt => "_c_gt(",
                        CmpOp::GtE => "_c_ge(",
                        _ => "",
                    };
                    if !name.is_empty() {
                        let sign = self.token_after(place(compare.left.end()));
                        self.begin(place(expr.start()), name);
                        self.replace(sign, operator.as_str().len(), ",");
                        self.end(place(expr.end()), ")");
                    }
                }
            }
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                return self.name(name.id.as_str(), place(expr.start()));
            }
            Expr::Call(call) => return self.call(call),
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                let name = attribute.attr.as_str();
                if self.attribute(expr, &attribute.value, name) {
                    return;
                }
                if let Expr::Name(receiver) = &*attribute.value
                    && BOUND.contains(&name)
                    && !self.facts.classes
                    && self.module(&attribute.value).is_none()
                {
                    let text = match receiver.id.as_str() {
                        "str" => format!("(lambda _p_s, *_p_a: _p_s.{name}(*_p_a))"),
                        receiver => format!("(lambda *_p_a: {receiver}.{name}(*_p_a))"),
                    };
                    let length = self.text(expr).len();
                    return self.replace(place(expr.start()), length, text);
                }
                return self.receiver(&attribute.value);
            }
            Expr::Generator(generator) => {
                self.eager = true;
                self.around(generator, "_p_iter(", ")");
            }
            Expr::If(choice) => self.condition(&choice.test),
            Expr::BoolOp(operation) if self.facts.exact_numbers => {
                let plain = |expr: &Expr| {
                    matches!(expr, Expr::Compare(_) | Expr::BoolOp(_) | Expr::UnaryOp(_))
                };
                if !operation.values.iter().all(plain) {
                    return self.lacks("and/or of decimals or fractions");
                }
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => return self.lacks("yield as a value"),
            _ => {}
        }
        walk_expr(self, expr);
    }
}
