"""Inputs that every program can make: a linear congruential generator, and what is drawn from it."""

import sys
import time

MASK = (1 << 64) - 1


class Lcg:
    """Numbers below n from the upper 31 bits."""

    def __init__(self, seed):
        self.state = seed & MASK

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 33) % n

    def unit(self):
        return self.below(1 << 20) / (1 << 20)

    def shuffled(self, n):
        items = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def beer_scripts(count=256, weeks=25):
    """Orders of the retailer, game by game; demand is 100 in the first week, then 400."""
    scripts = []
    for game in range(count):
        draw = Lcg(game + 1)
        scripts.append([draw.below(900) for _ in range(weeks)])
    return [100] + [400] * (weeks - 1), scripts


def preferences(n=50):
    """Rankings of workers and of tasks, best first."""
    draw = Lcg(7)
    workers = [draw.shuffled(n) for _ in range(n)]
    tasks = [draw.shuffled(n) for _ in range(n)]
    return workers, tasks


def matchings(count=256, n=50):
    """Task of each worker."""
    return [Lcg(1000 + i).shuffled(n) for i in range(count)]


def market(seed=3, n=10):
    """Sensitivity, quality and cost of each product, and its category of three."""
    draw = Lcg(seed)
    alpha = [1.0 + 9.0 * draw.unit() for _ in range(n)]
    quality = [2.0 + draw.unit() for _ in range(n)]
    cost = [1.0 + draw.unit() for _ in range(n)]
    return alpha, quality, cost, [i % 3 for i in range(n)]


def price_vectors(alpha, count=256):
    vectors = []
    for i in range(count):
        draw = Lcg(2000 + i)
        vectors.append([a * (1.5 + 4.5 * draw.unit()) for a in alpha])
    return vectors


def text_pairs(words, count):
    """Reference and prediction, which keeps about half of the words."""
    draw = Lcg(11)
    vocabulary = []
    for rank in range(4000):
        length = 2 + draw.below(3 + min(rank // 100, 8))
        vocabulary.append("".join(chr(97 + draw.below(26)) for _ in range(length)))

    def word(draw):
        # The smaller of three draws: frequent words come often.
        return vocabulary[min(draw.below(4000), draw.below(4000), draw.below(4000))]

    pairs = []
    for index in range(count):
        draw = Lcg(5000 + index)
        reference = [word(draw) for _ in range(words)]
        prediction = [w if draw.below(2) == 0 else word(draw) for w in reference]
        pairs.append((" ".join(reference).capitalize() + ".", " ".join(prediction) + "."))
    return pairs


def plans(count=512):
    """Plans of the consulting firm: consultants, risk level, window of each project or None."""
    made = []
    for index in range(count):
        draw = Lcg(9000 + index)
        consultants = 4 + draw.below(9)
        risk = draw.below(3) / 2
        windows = []
        for _ in range(10):
            start = 1 + draw.below(60)
            deadline = start + draw.below(96 - start)
            windows.append(None if draw.below(5) == 0 else (start, deadline))
        made.append((consultants, risk, windows))
    return made


def measured(operations, work, least=0.5):
    """Repeats `work` for at least so many seconds of processor time and prints the line."""
    work()
    rounds, start = 0, time.process_time()
    while True:
        result = work()
        rounds += 1
        spent = time.process_time() - start
        if spent >= least:
            break
    print(f"{result!r} {1e9 * spent / (rounds * operations)!r}")


def task():
    return sys.argv[1]
