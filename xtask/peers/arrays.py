"""numpy and scipy: whole arrays at once, and a numeric search."""

import numpy as np
from scipy.optimize import minimize

from lcg import market, matchings, measured, preferences, price_vectors, task


def scheduling():
    workers, tasks = (np.argsort(np.array(p), axis=1) for p in preferences())
    proposed = [np.array(m) for m in matchings()]
    n = len(workers)
    rows = np.arange(n)

    def blocking(task_of):
        worker_of = np.empty(n, dtype=int)
        worker_of[task_of] = rows
        wishes = workers < workers[rows, task_of][:, None]
        suits = tasks < tasks[rows, worker_of][:, None]
        return np.argwhere(wishes & suits.T)

    measured(len(proposed), lambda: float(sum(len(blocking(m)) for m in proposed)))


def setting():
    alpha, quality, cost, group = market()
    arrays = [np.array(x) for x in (alpha, quality, cost)]
    member = np.eye(3)[np.array(group)]
    return alpha, arrays, member


def total(real, quality, cost, member):
    terms = np.exp((quality - real) / 0.5)
    sums = terms @ member
    roots = np.sqrt(sums)
    quantity = 100.0 * terms * (member @ (roots / sums)) / (np.sqrt(2.0) + roots.sum())
    return float(((real - cost) * quantity).sum())


def pricing():
    alpha, (alphas, quality, cost), member = setting()
    vectors = [np.array(v) for v in price_vectors(alpha)]
    measured(
        len(vectors),
        lambda: sum(total(v / alphas, quality, cost, member) for v in vectors),
    )


def pricing_optimum():
    _, (_, quality, cost), member = setting()

    def search():
        found = minimize(
            lambda x: -total(x, quality, cost, member), cost + 1.0, options={"gtol": 1e-6}
        )
        return -float(found.fun)

    measured(1, search)


if __name__ == "__main__":
    {"scheduling": scheduling, "pricing": pricing, "pricing-optimum": pricing_optimum}[task()]()
