# Parts of other modules that the interpreter lacks.


def _p_itertools_product(*items, repeat=1):
    found = [()]
    for pool in [tuple(_p_ordered(part)) for part in items] * repeat:
        found = [row + (item,) for row in found for item in pool]
    return iter(found)


def _p_places(n, r, distinct, rising):
    rows = [()]
    for _ in range(r):
        rows = [row + (i,) for row in rows for i in range(row[-1] if rising and row else 0, n) if not distinct or i not in row]
    return rows


def _p_itertools_permutations(items, r=None):
    pool = tuple(_p_ordered(items))
    rows = _p_places(len(pool), len(pool) if r is None else r, True, False)
    return iter([tuple([pool[i] for i in row]) for row in rows])


def _p_itertools_combinations(items, r):
    pool = tuple(_p_ordered(items))
    return iter([tuple([pool[i] for i in row]) for row in _p_places(len(pool), r, True, True)])


def _p_itertools_combinations_with_replacement(items, r):
    pool = tuple(_p_ordered(items))
    return iter([tuple([pool[i] for i in row]) for row in _p_places(len(pool), r, False, True)])


def _p_itertools_groupby(items, key=None):
    groups = []
    for item in items:
        value = item if key is None else key(item)
        if groups and groups[-1][0] == value:
            groups[-1][1].append(item)
        else:
            groups.append((value, [item]))
    return iter([(value, iter(group)) for value, group in groups])


def _p_itertools_tee(items, n=2):
    items = list(items)
    return tuple([iter(items) for _ in range(n)])


def _p_collections_OrderedDict(*items, **named):
    return dict(*items, **named)


def _p_functools_cache(function):
    known = {}
    def remembered(*values, **named):
        key = (values, tuple(named.items()))
        if key not in known:
            known[key] = function(*values, **named)
        return known[key]
    return remembered


def _p_functools_lru_cache(maxsize=128, typed=False):
    return _p_functools_cache(maxsize) if _p_builtin_callable(maxsize) else _p_functools_cache


def _p_functools_wraps(wrapped):
    return lambda function: function


def _p_operator_add(a, b):
    return a + b


def _p_operator_sub(a, b):
    return a - b


def _p_operator_mul(a, b):
    return a * b


def _p_operator_truediv(a, b):
    return _p_div(a, b)


def _p_operator_floordiv(a, b):
    return _p_floordiv(a, b)


def _p_operator_mod(a, b):
    return a % b


def _p_operator_pow(a, b):
    return _p_pow(a, b)


def _p_operator_neg(a):
    return -a


def _p_operator_eq(a, b):
    return a == b


def _p_operator_ne(a, b):
    return a != b


def _p_operator_lt(a, b):
    return a < b


def _p_operator_le(a, b):
    return a <= b


def _p_operator_gt(a, b):
    return a > b


def _p_operator_ge(a, b):
    return a >= b


def _p_operator_itemgetter(*keys):
    if len(keys) == 1:
        return lambda holder: holder[keys[0]]
    return lambda holder: tuple([holder[key] for key in keys])


def _p_operator_attrgetter(*names):
    if any('.' in name for name in names):
        _p_unsupported('operator.attrgetter of a path')
    if len(names) == 1:
        return lambda holder: getattr(holder, names[0])
    return lambda holder: tuple([getattr(holder, name) for name in names])


def _p_bisect_bisect_left(a, x, lo=0, hi=None, *, key=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def _p_bisect_bisect_right(a, x, lo=0, hi=None, *, key=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def _p_bisect_bisect(a, x, lo=0, hi=None, *, key=None):
    return _p_bisect_bisect_right(a, x, lo, hi, key=key)


def _p_bisect_insort(a, x, lo=0, hi=None, *, key=None):
    a.insert(_p_bisect_bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def _p_bisect_insort_right(a, x, lo=0, hi=None, *, key=None):
    _p_bisect_insort(a, x, lo, hi, key=key)


def _p_bisect_insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(_p_bisect_bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def _p_heap_down(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _p_heap_up(heap, at):
    start, item, child = at, heap[at], 2 * at + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _p_heap_down(heap, start, at)


def _p_heapq_heapify(heap):
    for at in range(len(heap) // 2 - 1, -1, -1):
        _p_heap_up(heap, at)


def _p_heapq_heappush(heap, item):
    heap.append(item)
    _p_heap_down(heap, 0, len(heap) - 1)


def _p_heapq_heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    heap[0] = last
    _p_heap_up(heap, 0)
    return least


def _p_heapq_heapreplace(heap, item):
    least = heap[0]
    heap[0] = item
    _p_heap_up(heap, 0)
    return least


def _p_heapq_heappushpop(heap, item):
    return _p_heapq_heapreplace(heap, item) if heap and heap[0] < item else item


def _p_heapq_nlargest(n, items, key=None):
    return sorted(items, key=key, reverse=True)[:max(n, 0)]


def _p_heapq_nsmallest(n, items, key=None):
    return sorted(items, key=key)[:max(n, 0)]


def _p_copy_copy(value):
    if isinstance(value, (list, dict, set)):
        return value.copy()
    if isinstance(value, (int, float, str, tuple, frozenset)) or value is None:
        return value
    _p_unsupported('copy.copy')


def _p_copy_deepcopy(value):
    if isinstance(value, dict):
        if type(value) is not dict:
            _p_unsupported('copy.deepcopy')
        return {key: _p_copy_deepcopy(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_p_copy_deepcopy(part) for part in value]
    if type(value) is tuple:
        return tuple([_p_copy_deepcopy(part) for part in value])
    if isinstance(value, set):
        return value.copy()
    return _p_copy_copy(value)


def _p_calendar_isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _p_calendar_monthrange(year, month):
    days = [31, 29 if _p_calendar_isleap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if not 1 <= month <= 12:
        raise ValueError(f'bad month number {month}; must be 1-12')
    return (_p_import_date(year, month, 1).weekday(), days[month - 1])


def _p_calendar_leapdays(y1, y2):
    y1, y2 = y1 - 1, y2 - 1
    return (y2 // 4 - y1 // 4) - (y2 // 100 - y1 // 100) + (y2 // 400 - y1 // 400)


def _p_ast_literal_eval(text):
    return _p_evaluate(text, {})


def _p_sys_exit(code=None):
    raise SystemExit(str(code))


_p_sys_maxsize = 9223372036854775807


class _p_sys_float_info:
    max = 1.7976931348623157e308
    min = 2.2250738585072014e-308
    epsilon = 2.220446049250313e-16
    dig = 15
    mant_dig = 53


_p_string_ascii_lowercase = 'abcdefghijklmnopqrstuvwxyz'


_p_string_ascii_uppercase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'


_p_string_ascii_letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'


_p_string_digits = '0123456789'


_p_string_hexdigits = '0123456789abcdefABCDEF'


_p_string_punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
