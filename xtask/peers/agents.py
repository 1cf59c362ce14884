"""BPTK-Py: the Beer Game as agents that send each other events."""

from BPTK_Py import Agent, Event, Model, SimultaneousScheduler

from lcg import beer_scripts, measured, task


class Role(Agent):
    """One of the four; 0 is the retailer, whose orders are scripted."""

    def initialize(self):
        self.agent_type = "role"
        self.state = "active"
        self.asked, self.received = 100.0, 100.0
        self.brewing = [100.0, 100.0]
        self.register_event_handler(["active"], "order", self.on_order)
        self.register_event_handler(["active"], "goods", self.on_goods)

    def on_order(self, event):
        self.asked = event.data["units"]

    def on_goods(self, event):
        self.received = event.data["units"]

    def act(self, time, sim_round, step):
        week = int(time) - 1
        if self.id == 0:
            self.asked = self.model.asked[week]
        if self.id == 3:
            self.received = self.brewing.pop(0)
        stock, backlog = self.stock, self.backlog
        if self.id == 0:
            placed = self.model.orders[week]
        else:
            placed = max(0.0, self.asked + (400.0 - stock) + backlog)
        shipped = min(stock + self.received, backlog + self.asked)
        self.backlog = backlog = backlog + self.asked - shipped
        self.stock = stock = stock + self.received - shipped
        self.total_cost += max(200.0, 0.5 * stock) + backlog
        if self.id == 3:
            self.brewing.append(placed)
        else:
            self.send("order", self.id + 1, placed)
        if self.id > 0:
            self.send("goods", self.id - 1, shipped)

    def send(self, name, receiver, units):
        self.model.enqueue_event(Event(name, self.id, receiver, {"units": units}))


class Chain(Model):
    def instantiate_model(self):
        self.register_agent_factory("role", Role)


PROPERTIES = {
    "stock": {"type": "Double", "value": 400.0},
    "backlog": {"type": "Double", "value": 0.0},
    "total_cost": {"type": "Double", "value": 0.0},
}


def game(demand, orders):
    model = Chain(name="chain", scheduler=SimultaneousScheduler())
    model.run_specs(1, len(demand), 1)
    model.instantiate_model()
    model.asked, model.orders = demand, orders
    model.create_agents({"name": "role", "count": 4, "properties": PROPERTIES})
    model.run(show_progress_widget=False, collect_data=False)
    return model.agents[0].total_cost


def beer():
    demand, scripts = beer_scripts()
    measured(
        len(scripts) * len(demand),
        lambda: sum(game(demand, orders) for orders in scripts),
    )


if __name__ == "__main__":
    {"beer": beer}[task()]()
