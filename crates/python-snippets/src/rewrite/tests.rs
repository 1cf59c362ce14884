//! Programs before and after.

use super::*;

/// The rewritten program without the definitions before it.
fn body(code: &str, level: Level) -> String {
    let program = rewrite(code, level).unwrap().code;
    let definitions = prelude::of(&program).len();
    program.get(definitions..).unwrap().to_owned()
}

#[test]
fn operators_and_functions_become_calls() {
    for (code, rewritten) in [
        ("7 // 2", "_p_floordiv(7 , 2)"),
        ("a//b//c", "_p_floordiv(_p_floordiv(a,b),c)"),
        ("(a) // (b // c)", "_p_floordiv((a) , (_p_floordiv(b , c)))"),
        ("x = -a ** b + 1", "x = -_p_pow(a , b) + 1"),
        ("f'{a / b}'", "f'{_p_div(a , b)}'"),
        ("'http://a'", "'http://a'"),
        ("a / 2.5", "a / 2.5"),
        ("x //= 2", "x = _p_floordiv(x, ( 2))"),
        (
            "a[i // 2] **= b ** 2",
            "a[_p_floordiv(i , 2)] = _p_pow(a[_p_floordiv(i , 2)], ( _p_pow(b , 2)))",
        ),
        ("'%d' % (a / b)", "_p_percent('%d' , (_p_div(a , b)))"),
        ("round(a)", "_p_builtin_round(a)"),
        ("round = 1\nround", "round = 1\nround"),
        ("(2.5).is_integer()", "_p_method_is_integer((2.5))"),
        (
            "float(x), isinstance(x, float)",
            "_p_builtin_float(x), isinstance(x, float)",
        ),
        (
            "max(d, key=d.get)",
            "max(d, key=(lambda *_p_a: d.get(*_p_a)))",
        ),
        ("eval('a ** b')", "(_p_pow(a , b))"),
        ("next(x for x in y)", "next(_p_iter(x for x in y))"),
        ("sum(x for x in y)", "sum(x for x in y)"),
        ("list({1, 2})", "list(_p_ordered({1, 2}))"),
    ] {
        assert_eq!(body(code, Level::Usual), rewritten, "{code}");
    }
    for (code, rewritten) in [
        (
            "x = a + b * c\n-x",
            "x = _c_add(a , _c_mul(b , c))\n_c_result((_c_neg(x)\n))",
        ),
        ("a < b", "_c_result((_c_lt(a , b)\n))"),
    ] {
        assert_eq!(body(code, Level::Careful), rewritten, "{code}");
    }
}

#[test]
fn statements_that_the_interpreter_lacks_become_others() {
    for (code, rewritten) in [
        (
            "a[i], a[j] = a[j], a[i]",
            "_p_part_0, _p_part_1 = a[j], a[i]; a[i] = _p_part_0; a[j] = _p_part_1",
        ),
        (
            "a[1:n // 2] = b",
            "_p_set_slice(a, 1, _p_floordiv(n , 2), ( b))",
        ),
        ("x = 1\ndel d[k], x", "x = 1\n_p_del(d, k); x = None"),
        (
            "def eval(text):\n    return 7\neval('1 + 1')",
            "def eval(text):\n    return 7\neval('1 + 1')",
        ),
        (
            "import math, random as r\nr.random()",
            "import math\n_p_random_random()",
        ),
        (
            "from math import sqrt, comb as c\nc(5, 2)",
            "from math import sqrt; c = _p_math_comb\nc(5, 2)",
        ),
        (
            "def f():\n    yield 1\n    yield from g()",
            "def f():\n    _p_values = []\n    _p_values.append(( 1))\n    _p_values.extend(( g()))\n    \
             return iter(_p_values)",
        ),
        (
            "try:\n    a\nexcept:\n    b",
            "try:\n    a\nexcept BaseException as _p_error:\n    _p_caught(_p_error)\n    b",
        ),
        (
            "try:\n    a\nexcept KeyError:\n    b",
            "try:\n    a\nexcept KeyError:\n    b",
        ),
    ] {
        assert_eq!(body(code, Level::Usual), rewritten, "{code}");
    }
    for code in [
        "import statistics\nstatistics.median_grouped([1])",
        "from decimal import Context",
        "x = yield",
        "f'{a ** b=}'",
        "del x",
        "x = 1\ndel x\nx",
        "x = 1\ndef f():\n    return x\ndel x\nf()",
        "for i in a:\n    x = i\n    del x",
        "sum = 3\ndel sum\nsum([1])",
        "from decimal import Decimal",
    ] {
        assert!(rewrite(code, Level::Usual).is_err(), "{code}");
    }
}
