"""stockpyl: four stages in series with order-up-to levels, 25 periods; its own model."""

from stockpyl.sim import simulation
from stockpyl.supply_chain_network import serial_system

from lcg import beer_scripts, measured, task


def stockpyl():
    demand, _ = beer_scripts(count=1)

    def work():
        network = serial_system(
            num_nodes=4,
            node_order_in_system=[4, 3, 2, 1],
            node_order_in_lists=[1, 2, 3, 4],
            local_holding_cost=[0.5] * 4,
            stockout_cost=[1.0] * 4,
            shipment_lead_time=[1, 1, 1, 2],
            policy_type="BS",
            base_stock_level=[1200, 1200, 1200, 1200],
            demand_type="D",
            demand_list=demand,
        )
        return float(simulation(network, len(demand), rand_seed=1, progress_bar=False))

    measured(len(demand), work)


if __name__ == "__main__":
    {"stockpyl": stockpyl}[task()]()
