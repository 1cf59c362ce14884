# `statistics` as in CPython 3.11: sums are exact and rounded once.


def _p_statistics_some(data, least, what):
    data = list(data)
    if len(data) < least:
        raise _p_statistics_StatisticsError(what)
    for number in data:
        if not isinstance(number, (int, float)):
            _p_unsupported('statistics of what is not a number')
        if number - number != 0:
            _p_unsupported('statistics of nan or infinity')
    return data


_p_statistics_StatisticsError = ValueError


# A fraction as the type of the data: whole numbers have a whole mean if it is one.
def _p_statistics_as(data, numerator, denominator):
    if not any(isinstance(number, float) for number in data) and numerator % denominator == 0:
        return numerator // denominator
    return _p_ratio(numerator, denominator) * 1.0


def _p_statistics_mean(data):
    data = _p_statistics_some(data, 1, 'mean requires at least one data point')
    total, scale = _p_exact_sum(data)
    return _p_statistics_as(data, total, scale * len(data))


def _p_statistics_fmean(data, weights=None):
    data = _p_statistics_some(data, 1, 'fmean requires at least one data point')
    if weights is None:
        return _p_math_fsum(data) / len(data)
    weights = [_p_builtin_float(weight) for weight in weights]
    if len(weights) != len(data):
        raise _p_statistics_StatisticsError('data and weights must be the same length')
    return _p_math_fsum([x * w for x, w in zip(data, weights)]) / _p_math_fsum(weights)


# The sum of squared deviations, exactly.
def _p_statistics_squares(data, center):
    if center is not None:
        return _p_exact_sum([(x - center) * (x - center) for x in data])
    total, scale = _p_exact_sum(data)
    squares, square_scale = 0, 1
    for number in data:
        numerator, denominator = _p_exact(number)
        denominator *= denominator
        if denominator > square_scale:
            squares, square_scale = squares * (denominator // square_scale), denominator
        squares += numerator * numerator * (square_scale // denominator)
    # count * sum of squares - square of the sum, over count
    n = len(data)
    return (n * squares * scale * scale - total * total * square_scale, n * square_scale * scale * scale)


def _p_statistics_variance(data, xbar=None):
    data = _p_statistics_some(data, 2, 'variance requires at least two data points')
    numerator, denominator = _p_statistics_squares(data, xbar)
    return _p_statistics_as(data, numerator, denominator * (len(data) - 1))


def _p_statistics_pvariance(data, mu=None):
    data = _p_statistics_some(data, 1, 'pvariance requires at least one data point')
    numerator, denominator = _p_statistics_squares(data, mu)
    return _p_statistics_as(data, numerator, denominator * len(data))


def _p_statistics_stdev(data, xbar=None):
    data = _p_statistics_some(data, 2, 'stdev requires at least two data points')
    numerator, denominator = _p_statistics_squares(data, xbar)
    return _p_root(numerator, denominator * (len(data) - 1))


def _p_statistics_pstdev(data, mu=None):
    data = _p_statistics_some(data, 1, 'pstdev requires at least one data point')
    numerator, denominator = _p_statistics_squares(data, mu)
    return _p_root(numerator, denominator * len(data))


def _p_statistics_median(data):
    data = sorted(data)
    if not data:
        raise _p_statistics_StatisticsError('no median for empty data')
    half = len(data) // 2
    return data[half] if len(data) % 2 else _p_div(data[half - 1] + data[half], 2)


def _p_statistics_median_low(data):
    data = sorted(data)
    if not data:
        raise _p_statistics_StatisticsError('no median for empty data')
    return data[(len(data) - 1) // 2]


def _p_statistics_median_high(data):
    data = sorted(data)
    if not data:
        raise _p_statistics_StatisticsError('no median for empty data')
    return data[len(data) // 2]


def _p_statistics_multimode(data):
    counts = {}
    for item in data:
        counts[item] = counts.get(item, 0) + 1
    most = max(counts.values(), default=0)
    return [item for item, count in counts.items() if count == most]


def _p_statistics_mode(data):
    modes = _p_statistics_multimode(data)
    if not modes:
        raise _p_statistics_StatisticsError('no mode for empty data')
    return modes[0]


def _p_statistics_quantiles(data, *, n=4, method='exclusive'):
    data = sorted(_p_statistics_some(data, 2, 'must have at least two data points'))
    if n < 1:
        raise _p_statistics_StatisticsError('n must be at least 1')
    last = len(data) - 1
    found = []
    for i in range(1, n):
        if method == 'inclusive':
            j, delta = divmod(i * last, n)
            found.append(_p_div(data[j] * (n - delta) + data[j + 1] * delta, n))
        else:
            j = min(max(i * (last + 2) // n, 1), last)
            delta = i * (last + 2) - j * n
            found.append(_p_div(data[j - 1] * (n - delta) + data[j] * delta, n))
    return found


def _p_statistics_geometric_mean(data):
    data = _p_statistics_some(data, 1, 'geometric mean requires a non-empty dataset')
    if min(data) <= 0:
        raise _p_statistics_StatisticsError('geometric mean requires a non-empty dataset containing positive numbers')
    logs = [_p_import_math.log(_p_builtin_float(x)) for x in data]
    return _p_import_math.exp(_p_math_fsum(logs) / len(logs))


def _p_statistics_harmonic_mean(data, weights=None):
    data = _p_statistics_some(data, 1, 'harmonic_mean requires at least one data point')
    if weights is not None or min(data) < 0:
        _p_unsupported('statistics.harmonic_mean with weights')
    if len(data) == 1:
        return data[0]
    if 0 in data:
        return 0
    total, scale = _p_exact_sum([_p_div(1, x) for x in data])
    return _p_ratio(len(data) * scale, total) * 1.0


def _p_statistics_pair(x, y, what):
    x, y = _p_statistics_some(x, 0, what), _p_statistics_some(y, 0, what)
    if len(x) != len(y):
        raise _p_statistics_StatisticsError(f'{what} requires that both inputs have same number of data points')
    if len(x) < 2:
        raise _p_statistics_StatisticsError(f'{what} requires at least two data points')
    mean_x, mean_y = _p_math_fsum(x) / len(x), _p_math_fsum(y) / len(y)
    return ([a - mean_x for a in x], [b - mean_y for b in y], mean_x, mean_y)


def _p_statistics_covariance(x, y):
    x, y, _, _ = _p_statistics_pair(x, y, 'covariance')
    return _p_math_fsum([a * b for a, b in zip(x, y)]) / (len(x) - 1)


def _p_statistics_correlation(x, y):
    x, y, _, _ = _p_statistics_pair(x, y, 'correlation')
    both = _p_math_fsum([a * b for a, b in zip(x, y)])
    product = _p_math_fsum([a * a for a in x]) * _p_math_fsum([b * b for b in y])
    if product == 0.0:
        raise _p_statistics_StatisticsError('at least one of the inputs is constant')
    return both / _p_import_math.sqrt(product)


from collections import namedtuple as _p_import_namedtuple


_p_statistics_LinearRegression = _p_import_namedtuple('LinearRegression', ['slope', 'intercept'])


def _p_statistics_linear_regression(x, y, *, proportional=False):
    if proportional:
        _p_unsupported('statistics.linear_regression through the origin')
    x, y, mean_x, mean_y = _p_statistics_pair(x, y, 'linear regression')
    squares = _p_math_fsum([a * a for a in x])
    if squares == 0.0:
        raise _p_statistics_StatisticsError('x is constant')
    slope = _p_math_fsum([a * b for a, b in zip(x, y)]) / squares
    return _p_statistics_LinearRegression(slope, mean_y - slope * mean_x)


class _p_statistics_NormalDist:
    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            raise _p_statistics_StatisticsError('sigma must be non-negative')
        self.mean = self.median = self.mode = _p_builtin_float(mu)
        self.stdev = _p_builtin_float(sigma)
        self.variance = self.stdev * self.stdev

    def pdf(self, x):
        if not self.variance:
            raise _p_statistics_StatisticsError('pdf() not defined when sigma is zero')
        off = x - self.mean
        return _p_import_math.exp(off * off / (-2.0 * self.variance)) / _p_import_math.sqrt(6.283185307179586 * self.variance)

    def cdf(self, x):
        if not self.stdev:
            raise _p_statistics_StatisticsError('cdf() not defined when sigma is zero')
        return 0.5 * (1.0 + _p_import_math.erf((x - self.mean) / (self.stdev * 1.4142135623730951)))

    def zscore(self, x):
        return (x - self.mean) / self.stdev

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            raise _p_statistics_StatisticsError('p must be in the range 0.0 < p < 1.0')
        return self.mean + _p_normal_quantile(p) * self.stdev


# Wichura's algorithm AS 241.
def _p_normal_quantile(p):
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        num = (((((((2.50908_09287_30122_6727e+3 * r + 3.34305_75583_58812_8105e+4) * r + 6.72657_70927_00870_0853e+4) * r + 4.59219_53931_54987_1457e+4) * r + 1.37316_93765_50946_1125e+4) * r + 1.97159_09503_06551_4427e+3) * r + 1.33141_66789_17843_7745e+2) * r + 3.38713_28727_96366_6080e+0) * q
        den = (((((((5.22649_52788_52854_5610e+3 * r + 2.87290_85735_72194_2674e+4) * r + 3.93078_95800_09271_0610e+4) * r + 2.12137_94301_58659_5867e+4) * r + 5.39419_60214_24751_1077e+3) * r + 6.87187_00749_20579_0830e+2) * r + 4.23133_30701_60091_1252e+1) * r + 1.0)
        return num / den
    r = p if q <= 0.0 else 1.0 - p
    r = _p_import_math.sqrt(-_p_import_math.log(r))
    if r <= 5.0:
        r = r - 1.6
        num = (((((((7.74545_01427_83414_07640e-4 * r + 2.27238_44989_26918_45833e-2) * r + 2.41780_72517_74506_11770e-1) * r + 1.27045_82524_52368_38258e+0) * r + 3.64784_83247_63204_60504e+0) * r + 5.76949_72214_60691_40550e+0) * r + 4.63033_78461_56545_29590e+0) * r + 1.42343_71107_49683_57734e+0)
        den = (((((((1.05075_00716_44416_84324e-9 * r + 5.47593_80849_95344_94600e-4) * r + 1.51986_66563_61645_71966e-2) * r + 1.48103_97642_74800_74590e-1) * r + 6.89767_33498_51000_04550e-1) * r + 1.67638_48301_83803_84940e+0) * r + 2.05319_16266_37758_82187e+0) * r + 1.0)
    else:
        r = r - 5.0
        num = (((((((2.01033_43992_92288_13265e-7 * r + 2.71155_55687_43487_57815e-5) * r + 1.24266_09473_88078_43860e-3) * r + 2.65321_89526_57612_30930e-2) * r + 2.96560_57182_85048_91230e-1) * r + 1.78482_65399_17291_33580e+0) * r + 5.46378_49111_64114_36990e+0) * r + 6.65790_46435_01103_77720e+0)
        den = (((((((2.04426_31033_89939_78564e-15 * r + 1.42151_17583_16445_88870e-7) * r + 1.84631_83175_10054_68180e-5) * r + 7.86869_13114_56132_59100e-4) * r + 1.48753_61290_85061_48525e-2) * r + 1.36929_88092_27358_05310e-1) * r + 5.99832_20655_58879_37690e-1) * r + 1.0)
    return -num / den if q < 0.0 else num / den
