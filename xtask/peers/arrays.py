"""numpy and scipy: whole arrays at once (all price vectors together), and a numeric search."""

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


def setting(seed=3):
    alpha, quality, cost, group = market(seed)
    arrays = [np.array(x) for x in (alpha, quality, cost)]
    member = np.eye(3)[np.array(group)]
    return alpha, arrays, member


def totals(real, quality, cost, member):
    """The profit of each row of real prices."""
    terms = np.exp((quality - real) / 0.5)
    sums = terms @ member
    roots = np.sqrt(sums)
    whole = np.sqrt(2.0) + roots.sum(axis=-1, keepdims=True)
    quantity = 100.0 * terms * ((roots / sums) @ member.T) / whole
    return ((real - cost) * quantity).sum(axis=-1)


def pricing():
    alpha, (alphas, quality, cost), member = setting()
    vectors = np.array(price_vectors(alpha))
    measured(
        len(vectors),
        lambda: float(totals(vectors / alphas, quality, cost, member).sum()),
    )


def pricing_optimum():
    settings = [setting(3000 + index)[1:] for index in range(256)]

    def search(arrays, member):
        _, quality, cost = arrays
        found = minimize(
            lambda x: -float(totals(x, quality, cost, member)), cost + 1.0, options={"gtol": 1e-6}
        )
        return -float(found.fun)

    measured(len(settings), lambda: sum(search(*setting) for setting in settings))


if __name__ == "__main__":
    {"scheduling": scheduling, "pricing": pricing, "pricing-optimum": pricing_optimum}[task()]()
