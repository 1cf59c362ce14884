# `fractions` and `decimal`. Their operators work in the second attempt, which calls `__add__` and
# the like; see `careful.py`.


class _p_fractions_Fraction:
    def __init__(self, numerator=0, denominator=1):
        a, b = _p_fraction_parts(numerator)
        c, d = _p_fraction_parts(denominator)
        top, bottom = a * d, b * c
        if bottom == 0:
            raise ZeroDivisionError(f'Fraction({top}, 0)')
        common = _p_math_gcd(top, bottom)
        if bottom < 0:
            common = -common
        self.numerator = top // common
        self.denominator = bottom // common

    def __add__(self, other):
        if isinstance(other, float):
            return float(self.__float__() + other)
        if not isinstance(other, (int, _p_fractions_Fraction)):
            return NotImplemented
        a, b = _p_fraction_parts(other)
        return _p_fractions_Fraction(self.numerator * b + a * self.denominator, self.denominator * b)

    def __radd__(self, other):
        return self.__add__(other)

    def __neg__(self):
        return _p_fractions_Fraction(-self.numerator, self.denominator)

    def __pos__(self):
        return self

    def __abs__(self):
        return _p_fractions_Fraction(abs(self.numerator), self.denominator)

    def __sub__(self, other):
        return self.__add__(_c_neg(other))

    def __rsub__(self, other):
        return self.__neg__().__add__(other)

    def __mul__(self, other):
        if isinstance(other, float):
            return self.__float__() * other
        if not isinstance(other, (int, _p_fractions_Fraction)):
            return NotImplemented
        a, b = _p_fraction_parts(other)
        return _p_fractions_Fraction(self.numerator * a, self.denominator * b)

    def __rmul__(self, other):
        return self.__mul__(other)

    def __truediv__(self, other):
        if isinstance(other, float):
            return self.__float__() / other
        if not isinstance(other, (int, _p_fractions_Fraction)):
            return NotImplemented
        return _p_fractions_Fraction(self, other)

    def __rtruediv__(self, other):
        if isinstance(other, float):
            return other / self.__float__()
        return _p_fractions_Fraction(other, self)

    def __floordiv__(self, other):
        if isinstance(other, float):
            return _p_floordiv(self.__float__(), other)
        if not isinstance(other, (int, _p_fractions_Fraction)):
            return NotImplemented
        a, b = _p_fraction_parts(other)
        return self.numerator * b // (self.denominator * a)

    def __rfloordiv__(self, other):
        if isinstance(other, float):
            return _p_floordiv(other, self.__float__())
        if not isinstance(other, int):
            return NotImplemented
        return other * self.denominator // self.numerator

    def __mod__(self, other):
        if isinstance(other, float):
            return self.__float__() % other
        if not isinstance(other, (int, _p_fractions_Fraction)):
            return NotImplemented
        return self.__sub__(_c_mul(other, self.__floordiv__(other)))

    def __rmod__(self, other):
        if isinstance(other, float):
            return other % self.__float__()
        if not isinstance(other, int):
            return NotImplemented
        return _p_fractions_Fraction(other).__mod__(self)

    def __pow__(self, power):
        if isinstance(power, _p_fractions_Fraction) and power.denominator == 1:
            power = power.numerator
        if not isinstance(power, int):
            return _p_pow(self.__float__(), _c_builtin_float(power))
        if power < 0:
            return _p_fractions_Fraction(self.denominator ** -power, self.numerator ** -power)
        return _p_fractions_Fraction(self.numerator ** power, self.denominator ** power)

    def __rpow__(self, base):
        if isinstance(base, int):
            return _p_fractions_Fraction(base).__pow__(self)
        return _p_pow(base, self.numerator if self.denominator == 1 else self.__float__())

    def __float__(self):
        return _p_ratio(self.numerator, self.denominator) * 1.0

    def __int__(self):
        return self.numerator // self.denominator if self.numerator >= 0 else -(-self.numerator // self.denominator)

    def __round__(self, ndigits=None):
        scale = 10 ** abs(ndigits or 0)
        top, bottom = self.numerator, self.denominator
        if ndigits and ndigits > 0:
            top *= scale
        else:
            bottom *= scale
        whole, rest = divmod(top, bottom)
        if 2 * rest > bottom or (2 * rest == bottom and whole % 2):
            whole += 1
        if ndigits is None:
            return whole
        return _p_fractions_Fraction(whole, scale) if ndigits > 0 else _p_fractions_Fraction(whole * scale)

    def __lt__(self, other):
        if _p_is_endless(other):
            return 0.0 < other
        a, b = _p_fraction_parts(other)
        return self.numerator * b < a * self.denominator

    def __gt__(self, other):
        if _p_is_endless(other):
            return 0.0 > other
        a, b = _p_fraction_parts(other)
        return self.numerator * b > a * self.denominator

    def __le__(self, other):
        return 0.0 <= other if _p_is_endless(other) else not self.__gt__(other)

    def __ge__(self, other):
        return 0.0 >= other if _p_is_endless(other) else not self.__lt__(other)

    def __eq__(self, other):
        if _p_is_endless(other) or not isinstance(other, (int, float, _p_fractions_Fraction)):
            return False
        a, b = _p_fraction_parts(other)
        return self.numerator * b == a * self.denominator

    def __hash__(self):
        return hash((self.numerator, self.denominator))

    def limit_denominator(self, max_denominator=1000000):
        if self.denominator <= max_denominator:
            return self
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        first = _p_fractions_Fraction(p0 + k * p1, q0 + k * q1)
        second = _p_fractions_Fraction(p1, q1)
        if second.__sub__(self).__abs__().__le__(first.__sub__(self).__abs__()):
            return second
        return first

    def __str__(self):
        return str(self.numerator) if self.denominator == 1 else f'{self.numerator}/{self.denominator}'

    def __repr__(self):
        return f'Fraction({self.numerator}, {self.denominator})'


# Whether a number is an infinite float or not a number, which no fraction equals.
def _p_is_endless(number):
    return isinstance(number, float) and number - number != 0.0


def _p_fraction_parts(number):
    if isinstance(number, _p_fractions_Fraction):
        return (number.numerator, number.denominator)
    if isinstance(number, (int, float)):
        return _p_method_as_integer_ratio(number)
    if not isinstance(number, str):
        _p_unsupported('a fraction of this')
    top, slash, bottom = number.strip().partition('/')
    if slash:
        return (int(top), int(bottom))
    digits, exponent = _p_decimal_text(top)
    return (digits * 10 ** exponent, 1) if exponent >= 0 else (digits, 10 ** -exponent)


# The digits of a decimal number as a whole number, and the exponent of ten.
def _p_decimal_text(text):
    mantissa, e, exponent = text.strip().replace('_', '').lower().partition('e')
    whole, dot, places = mantissa.partition('.')
    if not (whole.lstrip('+-') + places).isdigit() or whole[1:].count('-') or whole[1:].count('+'):
        raise ValueError(f'not a decimal number: {text!r}')
    exponent = int(exponent) if e else 0
    if abs(exponent) > 5000:
        _p_unsupported('decimals with large exponents')
    return (int(whole + places), exponent - len(places))


class _p_decimal_Context:
    def __init__(self, prec=28, rounding='ROUND_HALF_EVEN'):
        self.prec = prec
        self.rounding = rounding


_p_decimal_present = _p_decimal_Context()


def _p_decimal_getcontext():
    return _p_decimal_present


_p_decimal_ROUND_HALF_EVEN = 'ROUND_HALF_EVEN'


_p_decimal_ROUND_HALF_UP = 'ROUND_HALF_UP'


_p_decimal_ROUND_HALF_DOWN = 'ROUND_HALF_DOWN'


_p_decimal_ROUND_UP = 'ROUND_UP'


_p_decimal_ROUND_DOWN = 'ROUND_DOWN'


_p_decimal_ROUND_CEILING = 'ROUND_CEILING'


_p_decimal_ROUND_FLOOR = 'ROUND_FLOOR'


_p_decimal_InvalidOperation = ArithmeticError


_p_decimal_DivisionByZero = ZeroDivisionError


# `digits` without its last `places` digits.
def _p_decimal_rounded(digits, places, rounding):
    unit = 10 ** places
    whole, rest = divmod(abs(digits), unit)
    up = {
        'ROUND_HALF_EVEN': 2 * rest > unit or (2 * rest == unit and whole % 2 == 1),
        'ROUND_HALF_UP': 2 * rest >= unit,
        'ROUND_HALF_DOWN': 2 * rest > unit,
        'ROUND_UP': rest > 0,
        'ROUND_DOWN': False,
        'ROUND_CEILING': rest > 0 and digits > 0,
        'ROUND_FLOOR': rest > 0 and digits < 0,
    }
    if rounding not in up:
        _p_unsupported('this rounding of decimals')
    whole += 1 if up[rounding] else 0
    return -whole if digits < 0 else whole


# `minus` is the sign if the digits are zero: decimals have a negative zero, as floats have.
def _p_decimal_of(digits, exponent, minus=False):
    made = _p_decimal_Decimal(0)
    made._digits = digits
    made._exponent = exponent
    made._minus = digits == 0 and minus
    return made


def _p_decimal_minus(number):
    if isinstance(number, int):
        return number < 0
    return number._digits < 0 or number._minus


# Rounded to the precision of the context.
def _p_decimal_fitting(digits, exponent, minus=False):
    surplus = len(str(abs(digits))) - _p_decimal_present.prec
    if surplus > 0:
        digits = _p_decimal_rounded(digits, surplus, _p_decimal_present.rounding)
        exponent += surplus
        if len(str(abs(digits))) > _p_decimal_present.prec:
            digits, exponent = digits // 10 if digits > 0 else -(-digits // 10), exponent + 1
    if abs(exponent) > 5000:
        _p_unsupported('decimals with large exponents')
    return _p_decimal_of(digits, exponent, minus)


# Two decimals as whole numbers with one exponent; nothing if the second is not a decimal.
def _p_decimal_aligned(a, b):
    if isinstance(b, int):
        b = _p_decimal_of(int(b), 0)
    if not isinstance(b, _p_decimal_Decimal):
        return None
    exponent = min(a._exponent, b._exponent)
    return (a._digits * 10 ** (a._exponent - exponent), b._digits * 10 ** (b._exponent - exponent), exponent)


# The sum of a decimal and another one, or their difference.
def _p_decimal_sum(a, b, subtract):
    pair = _p_decimal_aligned(a, b)
    if pair is None:
        return NotImplemented
    first, second = _p_decimal_minus(a), _p_decimal_minus(b) != subtract
    # A sum of zero is negative if both parts are, or if it is rounded down.
    minus = first if first == second else _p_decimal_present.rounding == 'ROUND_FLOOR'
    return _p_decimal_fitting(pair[0] - pair[1] if subtract else pair[0] + pair[1], pair[2], minus)


def _p_decimal_compared(a, b):
    if isinstance(b, float):
        b = _p_decimal_Decimal(b)
    pair = _p_decimal_aligned(a, b)
    if pair is None:
        raise TypeError('comparison of a decimal')
    return 1 if pair[0] > pair[1] else -1 if pair[0] < pair[1] else 0


def _p_decimal_divided(a, b, ideal, minus):
    if b == 0:
        if a == 0:
            raise ArithmeticError('InvalidOperation')
        raise ZeroDivisionError('division by zero')
    shift = len(str(abs(b))) - len(str(abs(a))) + _p_decimal_present.prec + 1
    scale = 10 ** abs(shift)
    whole, rest = divmod(abs(a) * scale, abs(b)) if shift >= 0 else divmod(abs(a), abs(b) * scale)
    exponent = ideal - shift
    if rest:
        whole += 1 if whole % 5 == 0 else 0
    else:
        while exponent < ideal and whole % 10 == 0:
            whole, exponent = whole // 10, exponent + 1
            if not whole:
                exponent = ideal
    return _p_decimal_fitting(-whole if minus else whole, exponent, minus)


class _p_decimal_Decimal:
    def __init__(self, value='0'):
        self._minus = False
        if isinstance(value, _p_decimal_Decimal):
            self._digits = value._digits
            self._exponent = value._exponent
            self._minus = value._minus
        elif isinstance(value, int):
            self._digits = int(value)
            self._exponent = 0
        elif isinstance(value, float):
            numerator, denominator = _p_method_as_integer_ratio(value)
            places = _p_bits(denominator) - 1
            self._digits = numerator * 5 ** places
            self._exponent = -places
            self._minus = value == 0.0 and str(value)[0] == '-'
        elif isinstance(value, str):
            if value.strip().lower().lstrip('+-') in ('nan', 'snan', 'inf', 'infinity'):
                _p_unsupported('decimals that are not finite')
            try:
                digits, exponent = _p_decimal_text(value)
            except ValueError:
                raise ArithmeticError('ConversionSyntax')
            self._digits = digits
            self._exponent = exponent
            self._minus = digits == 0 and value.strip()[0] == '-'
        else:
            _p_unsupported('a decimal of this')

    def __add__(self, other):
        return _p_decimal_sum(self, other, False)

    def __radd__(self, other):
        return self.__add__(other)

    def __sub__(self, other):
        return _p_decimal_sum(self, other, True)

    def __rsub__(self, other):
        return _p_decimal_sum(_p_decimal_of(int(other), 0), self, True) if isinstance(other, int) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, int):
            other = _p_decimal_of(int(other), 0)
        if not isinstance(other, _p_decimal_Decimal):
            return NotImplemented
        minus = _p_decimal_minus(self) != _p_decimal_minus(other)
        return _p_decimal_fitting(self._digits * other._digits, self._exponent + other._exponent, minus)

    def __rmul__(self, other):
        return self.__mul__(other)

    def __truediv__(self, other):
        if isinstance(other, int):
            other = _p_decimal_of(int(other), 0)
        if not isinstance(other, _p_decimal_Decimal):
            return NotImplemented
        minus = _p_decimal_minus(self) != _p_decimal_minus(other)
        return _p_decimal_divided(self._digits, other._digits, self._exponent - other._exponent, minus)

    def __rtruediv__(self, other):
        return _p_decimal_of(int(other), 0).__truediv__(self) if isinstance(other, int) else NotImplemented

    def __floordiv__(self, other):
        pair = _p_decimal_aligned(self, other)
        if pair is None:
            return NotImplemented
        if not pair[1]:
            raise ZeroDivisionError('division by zero')
        whole = abs(pair[0]) // abs(pair[1])
        minus = _p_decimal_minus(self) != _p_decimal_minus(other)
        return _p_decimal_of(-whole if minus else whole, 0, minus)

    def __mod__(self, other):
        pair = _p_decimal_aligned(self, other)
        if pair is None:
            return NotImplemented
        if not pair[1]:
            raise ArithmeticError('InvalidOperation')
        rest = abs(pair[0]) % abs(pair[1])
        return _p_decimal_fitting(-rest if pair[0] < 0 else rest, pair[2], _p_decimal_minus(self))

    def __rfloordiv__(self, other):
        return _p_decimal_of(int(other), 0).__floordiv__(self) if isinstance(other, int) else NotImplemented

    def __rmod__(self, other):
        return _p_decimal_of(int(other), 0).__mod__(self) if isinstance(other, int) else NotImplemented

    def __pow__(self, power):
        if isinstance(power, _p_decimal_Decimal) and power == power.to_integral_value():
            power = power.__int__()
        if not isinstance(power, int) or abs(power) > 2000:
            _p_unsupported('this power of a decimal')
        if not self._digits and power <= 0:
            _p_unsupported('this power of a decimal')
        minus = _p_decimal_minus(self) and power % 2 == 1
        if not self._digits:
            return _p_decimal_of(0, 0, minus)
        if power < 0:
            return _p_decimal_divided(1, self._digits ** -power, self._exponent * power, minus)
        return _p_decimal_fitting(self._digits ** power, self._exponent * power, minus)

    def __rpow__(self, base):
        return _p_decimal_Decimal(base).__pow__(self)

    def __neg__(self):
        minus = _p_decimal_present.rounding == 'ROUND_FLOOR' and not self._minus
        return _p_decimal_fitting(-self._digits, self._exponent, minus)

    def __pos__(self):
        minus = _p_decimal_present.rounding == 'ROUND_FLOOR' and self._minus
        return _p_decimal_fitting(self._digits, self._exponent, minus)

    def __abs__(self):
        return _p_decimal_fitting(abs(self._digits), self._exponent)

    def __float__(self):
        if self._minus:
            return -0.0
        if self._exponent >= 0:
            return _p_builtin_float(self._digits * 10 ** self._exponent)
        return _p_ratio(self._digits, 10 ** -self._exponent) * 1.0

    def __int__(self):
        if self._exponent >= 0:
            return self._digits * 10 ** self._exponent
        return _p_decimal_rounded(self._digits, -self._exponent, 'ROUND_DOWN')

    def _with_exponent(self, exponent, rounding):
        if exponent > self._exponent:
            return _p_decimal_rounded(self._digits, exponent - self._exponent, rounding)
        return self._digits * 10 ** (self._exponent - exponent)

    def __round__(self, ndigits=None):
        if ndigits is None:
            return self._with_exponent(0, 'ROUND_HALF_EVEN')
        return _p_decimal_of(self._with_exponent(-ndigits, _p_decimal_present.rounding), -ndigits, _p_decimal_minus(self))

    def quantize(self, exp, rounding=None):
        exponent = _p_decimal_Decimal(exp)._exponent
        digits = self._with_exponent(exponent, rounding or _p_decimal_present.rounding)
        if len(str(abs(digits))) > _p_decimal_present.prec:
            raise ArithmeticError('InvalidOperation')
        return _p_decimal_of(digits, exponent, _p_decimal_minus(self))

    def to_integral_value(self, rounding=None):
        if self._exponent >= 0:
            return self
        digits = self._with_exponent(0, rounding or _p_decimal_present.rounding)
        return _p_decimal_of(digits, 0, _p_decimal_minus(self))

    def normalize(self):
        digits, exponent = self._digits, self._exponent
        while digits and digits % 10 == 0:
            digits, exponent = digits // 10, exponent + 1
        return _p_decimal_fitting(digits, exponent if digits else 0, self._minus)

    def sqrt(self):
        if self._digits < 0:
            raise ArithmeticError('InvalidOperation')
        if not self._digits:
            return _p_decimal_of(0, self._exponent // 2, self._minus)
        # A root is rounded half to even in every context.
        if _p_decimal_present.rounding != 'ROUND_HALF_EVEN':
            _p_unsupported('roots of decimals with this rounding')
        shift = 2 * _p_decimal_present.prec + 2
        shift += (self._exponent - shift) % 2
        below = self._digits * 10 ** shift
        root = _p_math_isqrt(below)
        exponent = (self._exponent - shift) // 2
        if root * root != below:
            return _p_decimal_fitting(root * 10 + 1, exponent - 1)
        while exponent < self._exponent // 2 and root % 10 == 0:
            root, exponent = root // 10, exponent + 1
        return _p_decimal_fitting(root, exponent)

    def __lt__(self, other):
        return _p_decimal_compared(self, other) < 0

    def __gt__(self, other):
        return _p_decimal_compared(self, other) > 0

    def __le__(self, other):
        return _p_decimal_compared(self, other) <= 0

    def __ge__(self, other):
        return _p_decimal_compared(self, other) >= 0

    def __eq__(self, other):
        if not isinstance(other, (int, float, _p_decimal_Decimal)):
            return False
        return _p_decimal_compared(self, other) == 0

    def __hash__(self):
        return hash(str(self.normalize())) if self._digits else hash('0')

    def __str__(self):
        text = str(abs(self._digits))
        left = self._exponent + len(text)
        dot = left if self._exponent <= 0 and left > -6 else 1
        if dot <= 0:
            body = '0.' + '0' * -dot + text
        elif dot >= len(text):
            body = text + '0' * (dot - len(text))
        else:
            body = text[:dot] + '.' + text[dot:]
        power = '' if left == dot else f'E{left - dot:+d}'
        return ('-' if _p_decimal_minus(self) else '') + body + power

    def __repr__(self):
        return f"Decimal('{self}')"
