"""Shorten a story for as long as it still shows a difference."""

from __future__ import annotations

from collections.abc import Callable

from tools.proofs.stories.story import Step, Story


def shrink(story: Story, differs: Callable[[Story], bool], tries: int = 150) -> Story:
    """Return a story that still differs with as few steps as were found, and with plainer ones.

    Args:
        differs: plays a story on both sides.
        tries: how many stories may be played.
    """
    left = [tries]

    def still(steps: tuple[Step, ...]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and differs(Story(story.name, story.rules, steps))

    steps = _without_steps(story.steps, still)
    return Story(story.name, story.rules, _plainer(steps, still))


def _without_steps(steps: tuple[Step, ...], still: Callable[[tuple[Step, ...]], bool]) -> tuple[Step, ...]:
    """Take out halves, quarters, ... and single steps."""
    size = max(1, len(steps) // 2)
    while True:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            if fewer and still(fewer):
                steps = fewer
            else:
                at += size
        if size == 1:
            return steps
        size = max(1, size // 2)


def _plainer(steps: tuple[Step, ...], still: Callable[[tuple[Step, ...]], bool]) -> tuple[Step, ...]:
    """Leave out words that do not matter, and sizes that are not needed."""
    for at in range(len(steps)):
        for fewer in _plainer_steps(steps[at]):
            changed = (*steps[:at], fewer, *steps[at + 1 :])
            if still(changed):
                steps = changed
                break
    return steps


def _plainer_steps(step: Step) -> list[Step]:
    found = []
    if len(step.get("sizes", ())) > 1:
        found.append({**step, "sizes": step["sizes"][:1]})
    if step.get("arguments"):
        found.append({**step, "arguments": {}})
        found += [
            {**step, "arguments": {name: value for name, value in step["arguments"].items() if name != each}}
            for each in step["arguments"]
            if len(step["arguments"]) > 1
        ]
    return found
