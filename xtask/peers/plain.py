"""Plain Python, no package: what the language itself costs."""

import math

from lcg import (
    beer_scripts,
    market,
    matchings,
    measured,
    plans,
    preferences,
    price_vectors,
    task,
)


def beer_game(demand, orders):
    """Cost of a retailer with scripted orders; the others order by `typical`."""
    stock, backlog = [400.0] * 4, [0.0] * 4
    slips, goods, brewing = [100.0] * 4, [100.0] * 4, [100.0, 100.0]
    total = 0.0
    for asked, order in zip(demand, orders):
        slips[0] = asked
        goods[3] = brewing.pop(0)
        placed, shipped = [0.0] * 4, [0.0] * 4
        for r in range(4):
            d = slips[r]
            placed[r] = order if r == 0 else max(0.0, d + (400.0 - stock[r]) + backlog[r])
            ship = min(stock[r] + goods[r], backlog[r] + d)
            backlog[r] += d - ship
            stock[r] += goods[r] - ship
            shipped[r] = ship
        total += max(200.0, 0.5 * stock[0]) + backlog[0]
        for r in range(3):
            slips[r + 1] = placed[r]
            goods[r] = shipped[r + 1]
        brewing.append(placed[3])
    return total


def beer():
    demand, scripts = beer_scripts()
    measured(
        len(scripts) * len(demand),
        lambda: sum(beer_game(demand, orders) for orders in scripts),
    )


# effort, extension probability, extension effort, follow-on probability, cap, rate
PROJECTS = [
    (70, 0.25, 10, 0.10, 2, 16000),
    (140, 0.55, 20, 0.15, 3, 21000),
    (60, 0.20, 8, 0.55, 1, 14000),
    (45, 0.80, 15, 0.25, 2, 30000),
    (35, 0.10, 6, 0.65, 1, 12000),
    (90, 0.90, 30, 0.05, 2, 17000),
    (100, 0.45, 18, 0.35, 2, 20000),
    (55, 0.50, 12, 0.20, 1, 15500),
    (170, 0.35, 20, 0.08, 4, 22000),
    (80, 0.30, 12, 0.45, 2, 24000),
]
WAITING, READY, STARTED, FULL, DONE = range(5)


class Project:
    def __init__(self, terms, start, deadline, follow_on):
        self.effort, self.extend, self.extension, self.follow, self.cap, self.rate = terms
        self.start, self.deadline, self.follow_on = start, deadline, follow_on
        self.state, self.staff, self.remaining, self.unreported = WAITING, 0, 0, 0


def firm(consultants, risk, windows):
    """Earnings of the firm after 96 steps: consultants, then projects, then controlling act."""
    projects = [Project(t, *w, False) for t, w in zip(PROJECTS, windows) if w is not None]
    at = [None] * consultants
    earned, late, before = 0.0, 0.0, 0.0
    for t in range(1, 97):
        # What was booked before this step began counts in the accumulated figure.
        earned += before
        for i in range(consultants):
            mine = at[i]
            if mine is None:
                mine = next((p for p in projects if p.state == READY), None)
                if mine is not None:
                    mine.remaining = mine.effort
                else:
                    mine = next((p for p in projects if p.state == STARTED), None)
                if mine is None:
                    continue
                at[i] = mine
                mine.staff += 1
                mine.state = FULL if mine.staff == mine.cap else STARTED
            elif mine.state == DONE:
                at[i] = None
                continue
            work = min(1, mine.remaining)
            mine.remaining -= work
            mine.unreported += work
        revenue, revenue_of_follow_ons = 0.0, 0.0
        for p in list(projects):
            booked = p.unreported * p.rate
            p.unreported = 0
            if p.follow_on:
                revenue_of_follow_ons += booked
            else:
                revenue += booked
            turn(projects, p, t, risk)
        # Follow-ons stand behind controlling: what they report is booked one step later.
        before = revenue + late - 20000 - 8000 * consultants
        late = revenue_of_follow_ons
    return earned


def turn(projects, p, t, risk):
    """The project's own turn; a follow-on joins the list and acts in the step of its creation."""
    if p.state == WAITING and t == p.start:
        p.state = READY
    was_done = p.state == DONE
    if t >= p.deadline and not was_done:
        p.state = DONE
    if t < min(p.deadline, 96) and p.remaining <= 0 and p.state in (STARTED, FULL):
        if p.extend > 1.0 - risk:
            p.remaining += p.extension
        if p.remaining <= 0:
            p.state = DONE
    if t == p.deadline and not p.follow_on and p.follow > 1.0 - risk:
        terms = (p.effort, p.extend, p.extension, 0.0, p.cap, p.rate)
        end = min(96, t + p.deadline - p.start)
        follow_on = Project(terms, t + 1, end, True)
        projects.append(follow_on)
        turn(projects, follow_on, t, risk)


def edt():
    made = plans()
    measured(len(made), lambda: sum(firm(*plan) for plan in made))


def ranks(rankings):
    n = len(rankings)
    table = [[0] * n for _ in range(n)]
    for agent, ranking in enumerate(rankings):
        for rank, other in enumerate(ranking):
            table[agent][other] = rank
    return table


def scheduling():
    workers, tasks = map(ranks, preferences())
    proposed = matchings()
    n = len(workers)

    def blocking(task_of):
        worker_of = [0] * n
        for w, t in enumerate(task_of):
            worker_of[t] = w
        pairs = []
        for w in range(n):
            own = workers[w][task_of[w]]
            for t in range(n):
                if workers[w][t] < own and tasks[t][w] < tasks[t][worker_of[t]]:
                    pairs.append((w, t))
        return pairs

    measured(len(proposed), lambda: float(sum(len(blocking(m)) for m in proposed)))


def pricing():
    alpha, quality, cost, group = market()
    vectors = price_vectors(alpha)
    outside = math.sqrt(2.0)

    def profit(prices):
        real = [p / a for p, a in zip(prices, alpha)]
        terms = [math.exp((q - x) / 0.5) for q, x in zip(quality, real)]
        sums = [0.0, 0.0, 0.0]
        for g, term in zip(group, terms):
            sums[g] += term
        whole = outside + sum(math.sqrt(s) for s in sums)
        total = 0.0
        for i, x in enumerate(real):
            s = sums[group[i]]
            quantity = 100.0 * terms[i] / s * math.sqrt(s) / whole
            total += (x - cost[i]) * quantity
        return total

    measured(len(vectors), lambda: sum(profit(v) for v in vectors))


if __name__ == "__main__":
    {"beer": beer, "edt": edt, "scheduling": scheduling, "pricing": pricing}[task()]()
