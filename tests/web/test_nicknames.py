"""Two nicknames that look the same to people are one."""

import pytest

from playground.classroom.services import ADJECTIVES, ANIMALS, folded


@pytest.mark.parametrize(
    "other",
    ["ANNA", "a n-n_a", "\u0430nna", "Ann\u0430", "\u0391nna", "\u00e1nna", "a\u0301nna", "\uff41nna"],
)
def test_look_alikes_are_the_same(other: str) -> None:
    assert folded(other) == folded("Anna")


@pytest.mark.parametrize(
    ("one", "other"), [("Bob", "B0b"), ("\u0440o\u0441", "poc"), ("\u0441\u0430\u0442a", "c\u0430\u0442a")]
)
def test_digits_and_mixed_scripts_are_seen_through(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_different_names_stay_different() -> None:
    names = [
        "Anna",
        "Hanna",
        "Anne",
        "\u5c0f\u660e",
        "\u5c0f\u7ea2",
        "\u041c\u0430\u0448\u0430",
        "\u0414\u0430\u0448\u0430",
    ]
    assert len({folded(name) for name in names}) == len(names)
    suggested = {folded(f"{adjective}-{animal}") for adjective in ADJECTIVES for animal in ANIMALS}
    assert len(suggested) == len(ADJECTIVES) * len(ANIMALS)
