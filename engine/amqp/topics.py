"""The topic exchange's patterns in a trie of words: cost follows the key's words, not the number of bindings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, TypeVar

T = TypeVar("T")
"""What is bound: a queue, or an exchange."""

WILD_WORD: Final = "*"
WILD_WORDS: Final = "#"


def words_of(key: str) -> Sequence[str]:
    """Return the words of a routing key; the empty key has none."""
    return key.split(".") if key else ()


class TopicTrie(Generic[T]):
    """Binding keys with `*` for one word and `#` for any number of them, and the queues bound by each."""

    def __init__(self, word: str = "") -> None:
        self.word = word
        self.children: dict[str, TopicTrie[T]] = {}
        self.queues: dict[T, int] = {}

    def add(self, pattern: str, queue: T) -> None:
        """Bind a queue; the same pattern may be added several times (with different arguments)."""
        node = self
        for word in words_of(pattern):
            node = node.children.setdefault(word, TopicTrie(word))
        node.queues[queue] = node.queues.get(queue, 0) + 1

    def remove(self, pattern: str, queue: T) -> None:
        """Take back what was added once, and the branches that nobody needs any more."""
        path = [self]
        for word in words_of(pattern):
            path.append(path[-1].children[word])
        last = path[-1]
        last.queues[queue] -= 1
        if not last.queues[queue]:
            del last.queues[queue]
        for parent, child in zip(reversed(path[:-1]), reversed(path), strict=False):
            if not child.children and not child.queues:
                del parent.children[child.word]

    def matching(self, key: str) -> set[T]:
        """Return the queues of every pattern that fits a routing key.

        All places that the words so far can lead to are kept at once, so that many `#` in a pattern cost no more.
        """
        places = _with_nothing_between([self])
        for word in words_of(key):
            after = [node for node in places if node.word == WILD_WORDS]
            for node in places:
                after += [node.children[each] for each in (word, WILD_WORD) if each in node.children]
            places = _with_nothing_between(after)
        return {queue for node in places for queue in node.queues}


def _with_nothing_between(nodes: Iterable[TopicTrie[T]]) -> set[TopicTrie[T]]:
    """Add the places behind a `#`, which fits no words as well."""
    found: set[TopicTrie[T]] = set()
    for node in nodes:
        place: TopicTrie[T] | None = node
        while place is not None and place not in found:
            found.add(place)
            place = place.children.get(WILD_WORDS)
    return found
