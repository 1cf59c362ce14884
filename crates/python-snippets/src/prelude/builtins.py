# Built-in functions and methods that the interpreter lacks, or that differ from Python's.


# The interpreter rounds the decimal notation `2.675` to two places, which gives 2.68; Python
# rounds the binary number, which is slightly smaller, and gives 2.67. The interpreter's
# formatting is exact, so this function rounds by formatting.
def _p_builtin_round(number, ndigits=None):
    if isinstance(number, float) and isinstance(ndigits, int) and ndigits >= 0:
        if number != number or number in (float('inf'), float('-inf')) or ndigits > 300:
            return number
        return float('{:.{}f}'.format(number, int(ndigits)))
    if isinstance(number, int) and isinstance(ndigits, int):
        if ndigits >= 0:
            return int(number)
        unit = 10 ** -ndigits
        whole, rest = divmod(number, unit)
        if 2 * rest > unit or (2 * rest == unit and whole % 2 == 1):
            whole += 1
        return whole * unit
    return round(number, ndigits)


def _p_builtin_float(number=0.0):
    if isinstance(number, str):
        return float(_p_number_text(number))
    if isinstance(number, int) and not -9007199254740992 <= number <= 9007199254740992:
        converted = number * 1.0
        if converted in (float('inf'), float('-inf')):
            raise OverflowError('int too large to convert to float')
        return converted
    return float(number)


# The text without white space around it and underscores between digits.
def _p_number_text(text):
    text = text.strip()
    if '_' in text:
        digits = '0123456789'
        for at in range(len(text)):
            if text[at] == '_' and (at == 0 or at + 1 == len(text) or text[at - 1] not in digits or text[at + 1] not in digits):
                raise ValueError(f'could not convert string to float: {text!r}')
        text = text.replace('_', '')
    return text


def _p_builtin_pow(base, exponent, modulus=None):
    if modulus is None:
        return _p_pow(base, exponent)
    if isinstance(exponent, int) and isinstance(modulus, int) and exponent < 0:
        base, exponent = _p_inverse(base, modulus), -exponent
    return pow(base, exponent, modulus)


def _p_inverse(number, modulus):
    a, b, x, y = number % modulus, modulus, 1, 0
    while b:
        quotient = a // b
        a, b, x, y = b, a - quotient * b, y, x - quotient * y
    if a not in (1, -1):
        raise ValueError('base is not invertible for the given modulus')
    return x * a % modulus


def _p_builtin_divmod(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return (_p_floordiv(a, b), a % b)
    return divmod(a, b)


def _p_builtin_format(value, spec=''):
    return ('{:' + spec + '}').format(value)


def _p_builtin_callable(value):
    name = type(value).__name__
    if name in ('function', 'builtin_function_or_method', 'type', 'method', 'partial'):
        return True
    if name in ('int', 'float', 'str', 'bool', 'list', 'dict', 'tuple', 'set', 'NoneType'):
        return False
    _p_unsupported('callable')


def _p_builtin_ascii(value):
    text = repr(value)
    if any(ord(letter) > 126 for letter in text):
        _p_unsupported('ascii')
    return text


def _p_builtin_exit(code=None):
    raise SystemExit(str(code))


def _p_builtin_quit(code=None):
    raise SystemExit(str(code))


def _p_builtin_eval(text, names=None, more=None):
    if not isinstance(text, str):
        _p_unsupported('eval of code')
    return _p_evaluate(text, {**(names or {}), **(more or {})})


def _p_method_is_integer(number):
    if not isinstance(number, float):
        return number.is_integer()
    return number % 1.0 == 0.0


def _p_method_as_integer_ratio(number):
    if not isinstance(number, (int, float)):
        return number.as_integer_ratio()
    if isinstance(number, float) and (number != number or number in (float('inf'), float('-inf'))):
        raise ValueError('cannot convert NaN or infinity to integer ratio')
    return _p_exact(number)


# A finite number as numerator and denominator, in lowest terms.
def _p_exact(number):
    if isinstance(number, int):
        return (int(number), 1)
    fraction, exponent = _p_import_math.frexp(number)
    numerator, exponent = int(fraction * 9007199254740992.0), exponent - 53
    while exponent < 0 and numerator % 2 == 0 and numerator:
        numerator //= 2
        exponent += 1
    if not numerator:
        return (0, 1)
    return (numerator << exponent, 1) if exponent >= 0 else (numerator, 1 << -exponent)


def _p_method_bit_length(number):
    return _p_bits(number) if isinstance(number, int) else number.bit_length()


def _p_method_bit_count(number):
    return bin(number).count('1') if isinstance(number, int) else number.bit_count()


def _p_method_conjugate(number):
    return number if isinstance(number, (int, float)) else number.conjugate()


def _p_method_toordinal(day):
    return (day - _p_import_date(1, 1, 1)).days + 1


from datetime import date as _p_import_date


def _p_method_translate(text, table):
    if not isinstance(table, dict):
        _p_unsupported('str.translate')
    out = []
    for letter in text:
        new = table.get(ord(letter), letter)
        if new is not None:
            out.append(chr(new) if isinstance(new, int) else new)
    return ''.join(out)


def _p_method_maketrans(kind, old, new=None, dropped=''):
    if new is None:
        return {(ord(key) if isinstance(key, str) else key): value for key, value in old.items()}
    if len(old) != len(new):
        raise ValueError('the first two maketrans arguments must have equal length')
    table = {ord(letter): ord(other) for letter, other in zip(old, new)}
    for letter in dropped:
        table[ord(letter)] = None
    return table


def _p_method_from_bytes(kind, data, byteorder='big', *, signed=False):
    number = 0
    for byte in (data if byteorder == 'big' else reversed(list(data))):
        number = number * 256 + byte
    if signed and number >= 1 << (8 * len(data) - 1):
        number -= 1 << (8 * len(data))
    return number


def _p_method_move_to_end(holder, key, last=True):
    value = holder.pop(key)
    rest = [] if last else list(holder.items())
    if not last:
        holder.clear()
    holder[key] = value
    for name, kept in rest:
        holder[name] = kept
