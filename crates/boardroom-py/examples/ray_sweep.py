"""A sweep of a plan over the machines of a Ray cluster, or over the cores of this one.

    pip install 'boardroom-sim[ray]'
    python ray_sweep.py                    # this machine, without Ray
    python ray_sweep.py auto               # a cluster that runs
"""

# %%
import sys
import tempfile
from pathlib import Path

from boardroom import sweep

PLAN = """
seeds = [7]
episodes = 40

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["order-up-to", "typical"]
"""

# %% Eight shards; a shard that was killed continues where it stopped when this is started again.
if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    plan = folder / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    address = sys.argv[1] if len(sys.argv) > 1 else None
    shards = sweep.run(str(plan), shards=8, out=str(folder / "runs"), address=address, local=address is None)
    for shard in shards:
        print(shard.number, shard.code, shard.told)
