# Operators whose result in the interpreter differs from Python's.


# The interpreter floors the rounded quotient, so `100 // 0.1` is 1000.0. Python subtracts the
# remainder first and gets 999.0, because 0.1 is slightly more than a tenth. A remainder is exact,
# and it has the sign of the divisor.
def _p_floordiv(a, b):
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


# The interpreter converts both whole numbers to floats first. Python rounds their quotient once.
def _p_div(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    if isinstance(a, int) and isinstance(b, int):
        return _p_ratio(a, b)
    return a / b


def _p_ratio(a, b):
    if -9007199254740992 <= a <= 9007199254740992 and -9007199254740992 <= b <= 9007199254740992:
        return int(a) / int(b)
    if b < 0:
        a, b = -a, -b
    if a < 0:
        return -_p_ratio(-a, b)
    # A quotient of at least 56 bits, whose last bit stands for all further ones.
    shift = _p_bits(a) - _p_bits(b) - 56
    quotient, rest = divmod(a, b << shift) if shift >= 0 else divmod(a << -shift, b)
    if rest:
        quotient |= 1
    if shift > 1000:
        raise OverflowError('integer division result too large for a float')
    return _p_import_math.ldexp(float(quotient), shift)


def _p_bits(number):
    return len(bin(abs(number))) - 2 if number else 0


import math as _p_import_math


# The interpreter multiplies repeatedly, and its result is `inf` or `nan` where Python raises an
# error or makes a complex number.
def _p_pow(a, b):
    if isinstance(b, int) and isinstance(a, int) and b >= 0:
        return int(a) ** int(b)
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return a ** b
    x, y = _p_builtin_float(a), _p_builtin_float(b)
    infinities = (float('inf'), float('-inf'))
    if x == 0.0 and y < 0.0 and y not in infinities:
        raise ZeroDivisionError('0.0 cannot be raised to a negative power')
    if x < 0.0 and y == y and x not in infinities and y not in infinities and y % 1.0 != 0.0:
        _p_unsupported('complex numbers')
    power = x ** y
    if power in infinities and x not in infinities and y not in infinities:
        raise OverflowError("(34, 'Numerical result out of range')")
    return power


def _p_del(holder, key):
    if isinstance(holder, (dict, list)):
        if isinstance(holder, dict) and key not in holder:
            raise KeyError(key)
        holder.pop(key)
    else:
        _p_unsupported('del')


def _p_set_slice(holder, start, stop, values):
    if not isinstance(holder, list):
        _p_unsupported('assignment to a slice')
    values, end = list(values), len(holder)
    start = 0 if start is None else max(start + end, 0) if start < 0 else min(start, end)
    stop = end if stop is None else max(stop + end, 0) if stop < 0 else min(stop, end)
    rest = holder[max(start, stop):]
    while len(holder) > start:
        holder.pop()
    holder.extend(values)
    holder.extend(rest)


def _p_percent(template, values):
    if not isinstance(template, str):
        return template % values
    mapping = values if isinstance(values, dict) else None
    rest = list(values) if isinstance(values, tuple) else [values]
    out, at, end = [], 0, len(template)
    while at < end:
        sign = template.find('%', at)
        if sign < 0:
            sign = end
        out.append(template[at:sign])
        at = sign + 1
        if sign == end:
            break
        key = None
        if template[at:at + 1] == '(':
            close = template.find(')', at)
            key, at = template[at + 1:close], close + 1
        start = at
        while template[at:at + 1] and template[at] in '-+ #0':
            at += 1
        flags, start = template[start:at], at
        while template[at:at + 1] and template[at] in '0123456789*.':
            at += 1
        size = template[start:at]
        while template[at:at + 1] and template[at] in 'hlL':
            at += 1
        kind = template[at:at + 1]
        at += 1
        if kind == '%':
            out.append('%')
            continue
        if '*' in size or kind == '' or kind not in 'diufFeEgGxXosrc':
            _p_unsupported('this format for %')
        if key is not None:
            if mapping is None:
                raise TypeError('format requires a mapping')
            value = mapping[key]
        else:
            if not rest:
                raise TypeError('not enough arguments for format string')
            value = rest.pop(0)
        out.append(_p_percent_one(flags, size, kind, value))
    if rest and mapping is None:
        raise TypeError('not all arguments converted during string formatting')
    return ''.join(out)


def _p_percent_one(flags, size, kind, value):
    width, dot, places = size.partition('.')
    if kind not in 'src' and hasattr(value, '__float__'):
        value = value.__int__() if kind in 'diu' else value.__float__()
    sign = '+' if '+' in flags else ' ' if ' ' in flags else ''
    if kind in 'src':
        text = repr(value) if kind == 'r' else chr(value) if kind == 'c' and isinstance(value, int) else str(value)
        if dot:
            text = text[:int(places or 0)]
        sign, zero = '', False
    elif isinstance(value, (int, float)):
        zero = '0' in flags
        if kind in 'diu':
            value = int(value)
            text = str(abs(value))
            if dot:
                text = text.zfill(int(places or 0))
        elif kind in 'xXo':
            if not isinstance(value, int):
                raise TypeError(f'%{kind} format: an integer is required, not float')
            text = ('{:' + ('#' if '#' in flags else '') + kind + '}').format(abs(value))
        else:
            if '#' in flags:
                _p_unsupported('this format for %')
            value = _p_builtin_float(value)
            text = ('{:.' + (places or '0' if dot else '6') + kind + '}').format(value)
            if text[0] == '-':
                text, sign = text[1:], '-'
            if value != value or text[0] == 'i':
                zero = False
        if value < 0:
            sign = '-'
    else:
        name = type(value).__name__
        if kind in 'xXo':
            raise TypeError(f'%{kind} format: an integer is required, not {name}')
        if kind in 'diu':
            raise TypeError(f'%{kind} format: a real number is required, not {name}')
        raise TypeError(f'must be real number, not {name}')
    space = int(width or 0) - len(sign) - len(text)
    if '-' in flags:
        return sign + text + ' ' * space
    if zero:
        return sign + '0' * space + text
    return ' ' * space + sign + text


def _p_iter(items):
    return iter(items)


# The elements in the order of Python's hash table, which whole numbers have in every run.
def _p_ordered(items):
    if not isinstance(items, (set, frozenset)):
        return items
    given = list(items)
    if len(given) < 2 or not any(not isinstance(item, str) for item in given):
        return given
    for item in given:
        if not isinstance(item, int) or not -1 < item < 2305843009213693951:
            _p_unsupported('the order of a set')
    size = 8
    for used in range(1, len(given) + 1):
        if used * 5 >= (size - 1) * 3:
            least, size = used * 4 if used <= 50000 else used * 2, 8
            while size <= least:
                size *= 2
    if max(given) >= size:
        if len(given) > 4:
            _p_unsupported('the order of a set')
        places = [int(item) % size for item in given]
        if len(set(places)) < len(places):
            _p_unsupported('the order of a set')
        return sorted(given, key=lambda item: item % size)
    return sorted(given)


def _p_pop(items, *place):
    if isinstance(items, set) and not place and items:
        first = list(_p_ordered(items))[0]
        items.remove(first)
        return first
    return items.pop(*place)


# An error that the program handles may be one that Python does not raise.
def _p_caught(error):
    if isinstance(error, (TypeError, AttributeError, NameError, ImportError, NotImplementedError, OverflowError, RuntimeError, SyntaxError)):
        _p_judge(error)
