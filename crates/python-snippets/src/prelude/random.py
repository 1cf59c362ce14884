# `random` with the Mersenne Twister. Without a seed it starts from a fixed one.

_p_random_state = []


_p_random_saved = [None]


def _p_random_seed(a=None, version=2):
    if a is None:
        a = 0
    if not isinstance(a, int):
        _p_unsupported('random.seed of what is not a whole number')
    rest, key = abs(int(a)), []
    while rest:
        key.append(rest & 0xffffffff)
        rest >>= 32
    key = key or [0]
    state = [19650218]
    for i in range(1, 624):
        state.append((1812433253 * (state[i - 1] ^ (state[i - 1] >> 30)) + i) & 0xffffffff)
    i, j = 1, 0
    for _ in range(max(624, len(key))):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525)) + key[j] + j) & 0xffffffff
        i, j = i + 1, (j + 1) % len(key)
        if i == 624:
            state[0] = state[623]
            i = 1
    for _ in range(623):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941)) - i) & 0xffffffff
        i += 1
        if i == 624:
            state[0] = state[623]
            i = 1
    state[0] = 0x80000000
    _p_random_state.clear()
    _p_random_state.append(state)
    _p_random_state.append(624)
    _p_random_saved[0] = None


def _p_random_word():
    if not _p_random_state:
        _p_random_seed()
    state, at = _p_random_state
    if at == 624:
        for k in range(624):
            y = (state[k] & 0x80000000) | (state[(k + 1) % 624] & 0x7fffffff)
            state[k] = state[(k + 397) % 624] ^ (y >> 1) ^ (0x9908b0df if y & 1 else 0)
        at = 0
    y = state[at]
    _p_random_state[1] = at + 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return y ^ (y >> 18)


def _p_random_random():
    a, b = _p_random_word() >> 5, _p_random_word() >> 6
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0)


def _p_random_getrandbits(k):
    number, at = 0, 0
    while k > 0:
        number |= (_p_random_word() >> (32 - k if k < 32 else 0)) << at
        at, k = at + 32, k - 32
    return number


def _p_random_below(n):
    bits = _p_bits(n)
    number = _p_random_getrandbits(bits)
    while number >= n:
        number = _p_random_getrandbits(bits)
    return number


def _p_random_randrange(start, stop=None, step=1):
    choices = range(start) if stop is None else range(start, stop, step)
    if not len(choices):
        raise ValueError('empty range for randrange()')
    return choices[_p_random_below(len(choices))]


def _p_random_randint(a, b):
    return _p_random_randrange(a, b + 1)


def _p_random_choice(items):
    if not len(items):
        raise IndexError('Cannot choose from an empty sequence')
    return items[_p_random_below(len(items))]


def _p_random_shuffle(items):
    for i in range(len(items) - 1, 0, -1):
        j = _p_random_below(i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


def _p_random_sample(population, k, *, counts=None):
    if counts is not None or isinstance(population, (set, frozenset, dict)):
        _p_unsupported('random.sample of this')
    n = len(population)
    if not 0 <= k <= n:
        raise ValueError('Sample larger than population or is negative')
    size = 21
    if k > 5:
        size += 4 ** _p_import_math.ceil(_p_import_math.log(k * 3, 4))
    found = []
    if n <= size:
        pool = list(population)
        for i in range(k):
            j = _p_random_below(n - i)
            found.append(pool[j])
            pool[j] = pool[n - i - 1]
        return found
    places = set()
    for _ in range(k):
        j = _p_random_below(n)
        while j in places:
            j = _p_random_below(n)
        places.add(j)
        found.append(population[j])
    return found


def _p_random_choices(population, weights=None, *, cum_weights=None, k=1):
    n = len(population)
    if weights is None and cum_weights is None:
        return [population[_p_import_math.floor(_p_random_random() * (n + 0.0))] for _ in range(k)]
    sums = list(cum_weights or [])
    for weight in weights or []:
        sums.append((sums[-1] if sums else 0) + weight)
    if len(sums) != n:
        raise ValueError('The number of weights does not match the population')
    total = sums[-1] + 0.0
    return [population[_p_bisect_bisect_right(sums, _p_random_random() * total, 0, n - 1)] for _ in range(k)]


def _p_random_uniform(a, b):
    return a + (b - a) * _p_random_random()


def _p_random_triangular(low=0.0, high=1.0, mode=None):
    u = _p_random_random()
    c = 0.5 if mode is None else _p_div(mode - low, high - low)
    if u > c:
        u, c, low, high = 1.0 - u, 1.0 - c, high, low
    return low + (high - low) * _p_import_math.sqrt(u * c)


def _p_random_gauss(mu=0.0, sigma=1.0):
    z = _p_random_saved[0]
    _p_random_saved[0] = None
    if z is None:
        angle = _p_random_random() * 6.283185307179586
        radius = _p_import_math.sqrt(-2.0 * _p_import_math.log(1.0 - _p_random_random()))
        z = _p_import_math.cos(angle) * radius
        _p_random_saved[0] = _p_import_math.sin(angle) * radius
    return mu + z * sigma


def _p_random_normalvariate(mu=0.0, sigma=1.0):
    factor = 4 * _p_import_math.exp(-0.5) / _p_import_math.sqrt(2.0)
    while True:
        u, v = _p_random_random(), 1.0 - _p_random_random()
        z = factor * (u - 0.5) / v
        if z * z / 4.0 <= -_p_import_math.log(v):
            return mu + z * sigma


def _p_random_lognormvariate(mu, sigma):
    return _p_import_math.exp(_p_random_normalvariate(mu, sigma))


def _p_random_expovariate(lambd):
    return -_p_import_math.log(1.0 - _p_random_random()) / lambd
