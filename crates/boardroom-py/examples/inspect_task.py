"""A model plays the Beer Game through inspect_ai (extra `inspect`); here a scripted model that orders 300.

    pip install 'boardroom-sim[inspect]'
    python inspect_task.py
    inspect eval inspect_task.py --model MODEL          # a real one
"""

# %%
from inspect_ai import eval as evaluate
from inspect_ai import task
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import boardroom.inspect


# %% The task: three episodes of seed 7.
@task
def beer_game():
    return boardroom.inspect.boardroom("beer-game", preset="random", seed=7, episodes=3)


def order_300(*_given) -> ModelOutput:
    """What the scripted model says each time."""
    output = ModelOutput.for_tool_call("mockllm/model", "place_order", {"quantity": 300})
    # Without `usage` the scripted model counts tokens with a file that it downloads.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


# %%
if __name__ == "__main__":
    model = get_model("mockllm/model", custom_outputs=order_300)
    log = evaluate(beer_game(), model=model, display="none")[0]
    print(log.status)
    for sample in log.samples or []:
        print(sample.id, {name: score.value for name, score in (sample.scores or {}).items()})
