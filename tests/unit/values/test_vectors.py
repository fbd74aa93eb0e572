"""What numpy answers about many numbers is what plain Python answers: a browser's engine has no numpy."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from engine.values import plain_vectors, vectors

NUMBERS = st.integers(0, (1 << 32) - 1)
WORDS = st.lists(NUMBERS, max_size=40).map(lambda numbers: array("I", numbers))


@given(WORDS, NUMBERS)
def test_both_answer_alike(words: array[int], border: int) -> None:
    assert vectors.span(words) == plain_vectors.span(words)
    assert vectors.running_sums(words) == plain_vectors.running_sums(words)
    assert vectors.reaching(words, border) == plain_vectors.reaching(words, border)


def test_it_is_numpy_that_is_compared() -> None:
    assert vectors.span is not plain_vectors.span
