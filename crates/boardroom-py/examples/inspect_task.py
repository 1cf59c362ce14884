"""A model plays the Beer Game through inspect_ai (extra `inspect`); here a scripted model that orders 300.

    pip install 'boardroom-sim[inspect]'
    python inspect_task.py
    inspect eval boardroom/beer_game -T preset=random -T seed=7 -T episodes=3 --model MODEL      # a real one
"""

# %%
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def order_300(*_given) -> ModelOutput:
    """What the scripted model says each time."""
    output = ModelOutput.for_tool_call("mockllm/model", "place_order", {"quantity": 300})
    # Without `usage` the scripted model counts tokens with a file that it downloads.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


# %% Three episodes of seed 7. The log keeps the records: `boardroom.inspect.runs` writes them into a run folder.
if __name__ == "__main__":
    model = get_model("mockllm/model", custom_outputs=order_300)
    settings = {"preset": "random", "seed": 7, "episodes": 3}
    log = evaluate("boardroom/beer_game", model=model, task_args=settings, display="none")[0]
    print(log.status, log.location)
    for sample in log.samples or []:
        print(sample.id, {name: score.value for name, score in (sample.scores or {}).items()})
