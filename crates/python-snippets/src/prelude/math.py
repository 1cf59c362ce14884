# `math`: functions that the interpreter limits to 64 bits, rounds otherwise, or lacks.


def _p_whole(number):
    if isinstance(number, int):
        return int(number)
    if isinstance(number, (float, str)) or number is None:
        raise TypeError(f"'{type(number).__name__}' object cannot be interpreted as an integer")
    _p_unsupported('this kind of number')


def _p_math_factorial(n):
    n = _p_whole(n)
    if n < 0:
        raise ValueError('factorial() not defined for negative values')
    product = 1
    for factor in range(2, n + 1):
        product *= factor
    return product


def _p_math_perm(n, k=None):
    if k is None:
        return _p_math_factorial(n)
    n, k = _p_whole(n), _p_whole(k)
    if n < 0 or k < 0:
        raise ValueError('n and k must be non-negative integers')
    product = 1 if k <= n else 0
    for factor in range(n - k + 1, n + 1) if k <= n else ():
        product *= factor
    return product


def _p_math_comb(n, k):
    n, k = _p_whole(n), _p_whole(k)
    if n < 0 or k < 0:
        raise ValueError('n and k must be non-negative integers')
    if k > n:
        return 0
    product = 1
    for i in range(min(k, n - k)):
        product = product * (n - i) // (i + 1)
    return product


def _p_math_gcd(*numbers):
    found = 0
    for number in numbers:
        number = _p_whole(number)
        while number:
            found, number = number, found % number
    return abs(found)


def _p_math_lcm(*numbers):
    found = 1
    for number in numbers:
        number = _p_whole(number)
        if not number:
            return 0
        found = abs(number) // _p_math_gcd(found, number) * found
    return found


def _p_math_isqrt(n):
    n = _p_whole(n)
    if n < 0:
        raise ValueError('isqrt() argument must be nonnegative')
    if not n:
        return 0
    root = 1 << (_p_bits(n) + 1) // 2
    while True:
        next_root = (root + n // root) // 2
        if next_root >= root:
            return root
        root = next_root


def _p_math_prod(factors, *, start=1):
    for factor in factors:
        start = start * factor
    return start


# The exact sum of finite numbers as numerator and denominator.
def _p_exact_sum(numbers):
    total, scale = 0, 1
    for number in numbers:
        numerator, denominator = _p_exact(number)
        if denominator > scale:
            total, scale = total * (denominator // scale), denominator
        total += numerator * (scale // denominator)
    return (total, scale)


def _p_math_fsum(numbers):
    numbers = [_p_builtin_float(number) for number in numbers]
    for number in numbers:
        if number - number != 0.0:
            return sum(numbers)
    return _p_ratio(*_p_exact_sum(numbers)) * 1.0


# The square root of a fraction, rounded once.
def _p_root(numerator, denominator):
    if not numerator:
        return 0.0
    shift = (_p_bits(numerator) - _p_bits(denominator) - 109) // 2
    if shift >= 0:
        below = denominator << 2 * shift
        root = _p_math_isqrt(numerator // below)
        return _p_ratio((root | (root * root * below != numerator)) << shift, 1)
    above = numerator << -2 * shift
    root = _p_math_isqrt(above // denominator)
    return _p_ratio(root | (root * root * denominator != above), 1 << -shift)


def _p_math_hypot(*sides):
    total, scale = 0, 1
    for side in sides:
        side = _p_builtin_float(side)
        if side - side != 0.0:
            _p_unsupported('math.hypot of infinity')
        numerator, denominator = _p_exact(side)
        total, scale = total * denominator ** 2 + numerator ** 2 * scale, scale * denominator ** 2
    return _p_root(total, scale)


def _p_math_dist(p, q):
    p, q = list(p), list(q)
    if len(p) != len(q):
        raise ValueError('both points must have the same number of dimensions')
    return _p_math_hypot(*[_p_builtin_float(a) - _p_builtin_float(b) for a, b in zip(p, q)])


def _p_math_gamma(x):
    if isinstance(x, (int, float)) and x % 1 == 0 and 0 < x <= 23:
        return float(_p_math_factorial(int(x) - 1))
    _p_unsupported('math.gamma')


def _p_math_lgamma(x):
    _p_unsupported('math.lgamma')


def _p_math_pow(x, y):
    power = _p_import_math.pow(_p_builtin_float(x), _p_builtin_float(y))
    return power
