# Operators and functions of the second attempt: truth values count as whole numbers, large whole
# numbers are converted, and the special methods of classes are called.


def _c_plain(value):
    return int(value) if isinstance(value, bool) else value


def _c_special(a, b, name, reflected):
    if hasattr(a, name):
        found = getattr(a, name)(b)
        if found is not NotImplemented:
            return (True, found)
    if hasattr(b, reflected):
        found = getattr(b, reflected)(a)
        if found is not NotImplemented:
            return (True, found)
    return (False, None)


def _c_add(a, b):
    known, value = _c_special(a, b, '__add__', '__radd__')
    return value if known else _c_plain(a) + _c_plain(b)


def _c_sub(a, b):
    known, value = _c_special(a, b, '__sub__', '__rsub__')
    return value if known else _c_plain(a) - _c_plain(b)


def _c_mul(a, b):
    known, value = _c_special(a, b, '__mul__', '__rmul__')
    return value if known else _c_plain(a) * _c_plain(b)


def _c_div(a, b):
    known, value = _c_special(a, b, '__truediv__', '__rtruediv__')
    return value if known else _p_div(_c_plain(a), _c_plain(b))


def _c_floordiv(a, b):
    known, value = _c_special(a, b, '__floordiv__', '__rfloordiv__')
    return value if known else _p_floordiv(_c_plain(a), _c_plain(b))


def _c_mod(a, b):
    if isinstance(a, str):
        return _p_percent(a, b)
    known, value = _c_special(a, b, '__mod__', '__rmod__')
    return value if known else _c_plain(a) % _c_plain(b)


def _c_pow(a, b):
    known, value = _c_special(a, b, '__pow__', '__rpow__')
    return value if known else _p_pow(a, b)


def _c_or(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return {**a, **b}
    known, value = _c_special(a, b, '__or__', '__ror__')
    return value if known else a | b


def _c_and(a, b):
    known, value = _c_special(a, b, '__and__', '__rand__')
    return value if known else a & b


def _c_xor(a, b):
    known, value = _c_special(a, b, '__xor__', '__rxor__')
    return value if known else a ^ b


def _c_lshift(a, b):
    return _c_plain(a) << _c_plain(b)


def _c_rshift(a, b):
    return _c_plain(a) >> _c_plain(b)


def _c_matmul(a, b):
    known, value = _c_special(a, b, '__matmul__', '__rmatmul__')
    if not known:
        _p_unsupported('@')
    return value


def _c_neg(a):
    return a.__neg__() if hasattr(a, '__neg__') else -_c_plain(a)


def _c_pos(a):
    return a.__pos__() if hasattr(a, '__pos__') else +_c_plain(a)


def _c_invert(a):
    return ~_c_plain(a)


def _c_lt(a, b):
    if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
        return a.issubset(b) and len(a) < len(b)
    known, value = _c_special(a, b, '__lt__', '__gt__')
    return value if known else a < b


def _c_gt(a, b):
    if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
        return _c_lt(b, a)
    known, value = _c_special(a, b, '__gt__', '__lt__')
    return value if known else a > b


def _c_le(a, b):
    if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
        return a.issubset(b)
    known, value = _c_special(a, b, '__le__', '__ge__')
    return value if known else a <= b


def _c_ge(a, b):
    if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
        return b.issubset(a)
    known, value = _c_special(a, b, '__ge__', '__le__')
    return value if known else a >= b


def _c_iadd(a, b):
    if isinstance(a, list):
        a.extend(b)
        return a
    return _c_add(a, b)


def _c_ior(a, b):
    if isinstance(a, (dict, set)):
        a.update(b)
        return a
    return _c_or(a, b)


def _c_builtin_sum(items, start=0):
    for item in items:
        start = _c_add(start, item)
    return start


def _c_builtin_abs(number):
    return number.__abs__() if hasattr(number, '__abs__') else abs(_c_plain(number))


def _c_builtin_len(items):
    return items.__len__() if hasattr(items, '__len__') else len(items)


def _c_builtin_float(number=0.0):
    return number.__float__() if hasattr(number, '__float__') else _p_builtin_float(number)


def _c_builtin_int(*number):
    return number[0].__int__() if len(number) == 1 and hasattr(number[0], '__int__') else int(*number)


def _c_builtin_round(number, ndigits=None):
    if hasattr(number, '__round__'):
        return number.__round__(ndigits)
    return _p_builtin_round(_c_plain(number), ndigits)


def _c_builtin_sorted(items, *, key=None, reverse=False):
    rows = [(item if key is None else key(item), item) for item in items]
    if not any(hasattr(row[0], '__lt__') for row in rows):
        return sorted([row[1] for row in rows], key=key, reverse=reverse)
    if reverse:
        rows.reverse()
    done = []
    for row in rows:
        at = len(done)
        while at and _c_lt(row[0], done[at - 1][0]):
            at -= 1
        done.insert(at, row)
    if reverse:
        done.reverse()
    return [row[1] for row in done]


def _c_builtin_max(*items, key=None, **other):
    return _c_extreme(_c_gt, items, key, other)


def _c_builtin_min(*items, key=None, **other):
    return _c_extreme(_c_lt, items, key, other)


def _c_extreme(better, items, key, other):
    items = list(items[0]) if len(items) == 1 else list(items)
    if not items:
        if 'default' in other:
            return other['default']
        raise ValueError('arg is an empty sequence')
    best = items[0]
    for item in items[1:]:
        if better(item if key is None else key(item), best if key is None else key(best)):
            best = item
    return best


def _c_math_sqrt(x):
    return _p_import_math.sqrt(_c_builtin_float(x))


def _c_math_log(x, base=None):
    if isinstance(x, int) and x >= 1 << 1023:
        bits = _p_bits(x)
        logarithm = _p_import_math.log(_p_ratio(x, 1 << bits)) + bits * _p_import_math.log(2.0)
    else:
        logarithm = _p_import_math.log(_c_builtin_float(x))
    return logarithm if base is None else logarithm / _c_math_log(base)


def _c_math_log10(x):
    return _p_import_math.log10(_c_builtin_float(x))


def _c_math_log2(x):
    return _p_import_math.log2(_c_builtin_float(x))


def _c_math_exp(x):
    return _p_import_math.exp(_c_builtin_float(x))


# The value of the last statement: an object that is a number counts as this number.
def _c_result(value):
    if type(value) is list or type(value) is tuple:
        return [_c_result(part) for part in value]
    return value.__float__() if hasattr(value, '__float__') else value


# Whether a decimal, a fraction or another value counts as true.
def _c_truth(value):
    if isinstance(value, (int, float, str, list, dict, tuple, set)) or value is None:
        return value
    return value != 0


# A decimal, rounded to some places, as a float that has the same digits.
def _c_places(value, places):
    if isinstance(value, _p_fractions_Fraction):
        raise TypeError('unsupported format string passed to Fraction.__format__')
    if not isinstance(value, _p_decimal_Decimal):
        return value
    digits = value._with_exponent(-places, _p_decimal_present.rounding)
    if not digits and _p_decimal_minus(value):
        return -0.0
    if len(str(abs(digits))) > 15:
        _p_unsupported('this format of a decimal')
    return _p_ratio(digits, 10 ** places)
