"""Exchanges, their bindings, and the routing of messages, by patterns of topics too (D1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec

from engine.values.labels import bare, beside, host_of, in_host

MASK: Final = 0xFFFFFFFF
GOLDEN: Final = 0x9E3779B9
OF_BINARIES: Final = (13 * GOLDEN) & MASK
OF_ENDS: Final = (2 * GOLDEN) & MASK
EMPTY_LIST: Final = 3468870702
END: Final = 2
BLOCK: Final = 12
"""Bytes that are mixed at once."""


def phash2(keys: Sequence[bytes], bound: int) -> int:
    """Return the hash of a list of binaries, from 0 up to `bound`."""
    if not keys:
        return EMPTY_LIST % bound
    found = 0
    for key in keys:
        found = _of_binary(key, (OF_BINARIES + found) & MASK)
    end = (OF_ENDS + END) & MASK
    return _mixed(end, OF_ENDS, found)[2] % bound


def _of_binary(data: bytes, begun: int) -> int:
    if not data:
        return begun
    a = b = GOLDEN
    c = begun
    whole = len(data) - len(data) % BLOCK
    for at in range(0, whole, BLOCK):
        a, b, c = _mixed(a + _word(data, at), b + _word(data, at + 4), c + _word(data, at + 8))
    rest = data[whole:]
    c += len(data) + (_word(rest, 8) << 8)  # the lowest byte of c has the length
    return _mixed(a + _word(rest, 0), b + _word(rest, 4), c)[2]


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for first, second, third in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
        a = (a - b - c & MASK) ^ (c & MASK) >> first
        b = (b - c - a & MASK) ^ a << second & MASK
        c = (c - a - b & MASK) ^ b >> third
    return a, b, c


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
        """Remove a pattern that was added once, and branches that are no longer needed."""
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
        """Return the queues of every pattern that fits a routing key. All reachable places are followed at
        once, so that many `#` in a pattern cost no more.
        """
        places = _with_nothing_between([self])
        for word in words_of(key):
            after = [node for node in places if node.word == WILD_WORDS]
            for node in places:
                after += [node.children[each] for each in (word, WILD_WORD) if each in node.children]
            places = _with_nothing_between(after)
        return {queue for node in places for queue in node.queues}


def _with_nothing_between(nodes: Iterable[TopicTrie[T]]) -> set[TopicTrie[T]]:
    """Add the places after a `#`, since it also fits no words."""
    found: set[TopicTrie[T]] = set()
    for node in nodes:
        place: TopicTrie[T] | None = node
        while place is not None and place not in found:
            found.add(place)
            place = place.children.get(WILD_WORDS)
    return found


DEFAULT: Final = ""
"""The exchange to which every queue is bound by its own name."""

Destination = Literal["queue", "exchange"]
Target = tuple[Destination, str]
"""Where a binding leads to."""
ExchangeType = Literal["direct", "fanout", "topic", "headers"]


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """An exchange as it was declared. `auto_delete`: deleted with its last binding, but never before it had
    one. `internal`: clients cannot publish to it. `arguments`: only `alternate-exchange` has a meaning.
    """

    name: str
    type: ExchangeType | str = "direct"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: dict[str, Any] = {}


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """A binding; two bindings are the same if all fields are equal. `queue`: name of the bound queue or exchange."""

    exchange: str
    queue: str
    routing_key: str = ""
    arguments: dict[str, Any] = {}
    to: Destination = "queue"


PREDECLARED: Final = (
    Exchange(name=DEFAULT),
    Exchange(name="amq.direct"),
    Exchange(name="amq.fanout", type="fanout"),
    Exchange(name="amq.headers", type="headers"),
    Exchange(name="amq.match", type="headers"),
    Exchange(name="amq.rabbitmq.trace", type="topic", internal=True),
    Exchange(name="amq.topic", type="topic"),
)
"""What every virtual host has from the start."""

LOG: Final = Exchange(name="amq.rabbitmq.log", type="topic", durable=True, internal=True)
"""What the first virtual host of 4.3 has besides; the broker writes its log there if it is told to."""

LOCAL_RANDOM: Final = "x-local-random"
MODULUS_HASH: Final = "x-modulus-hash"
HASHES: Final = 1 << 27
"""So many different hashes of routing keys there are (W231)."""

X_MATCH: Final = ("all", "any", "all-with-x", "any-with-x")


def headers_match(arguments: Mapping[str, Any], headers: Mapping[str, Any]) -> bool:
    """Return whether a headers binding fits a message: all or any of its fields are equal. Fields that begin with `x-`
    count only with `all-with-x` and `any-with-x`; a field without a value (null) asks only that the header is there.
    """
    match = arguments.get("x-match", "all")
    asked = {
        name: value
        for name, value in arguments.items()
        if name != "x-match" and (str(match).endswith("-with-x") or not name.startswith("x-"))
    }
    hits = sum(
        name in headers and (value is None or are_equal(value, headers[name]))
        for name, value in asked.items()
    )
    return hits > 0 if str(match).startswith("any") else hits == len(asked)


def are_equal(one: Any, other: Any) -> bool:
    """Compare as the broker's `==` does: 1 equals 1.0, but true is not a number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _target(binding: Binding) -> Target:
    return (binding.to, binding.queue)


def declared_alternate(exchange: Exchange) -> str | None:
    alternate = exchange.arguments.get("alternate-exchange")
    return alternate if isinstance(alternate, str) else None


class Exchanges:
    """Exchanges and bindings of a node, by their labels: see engine.values.labels. `predeclared`: what the
    first virtual host has from the start.
    """

    def __init__(self, predeclared: Sequence[Exchange] = PREDECLARED) -> None:
        self.exchanges: dict[str, Exchange] = {each.name: each for each in predeclared}
        self.bindings: list[Binding] = []
        self._queues: dict[str, None] = {}
        self._topics: dict[str, TopicTrie[Target]] = {}

    def add_host(self, vhost: str) -> None:
        for each in PREDECLARED:
            self.add(msgspec.structs.replace(each, name=in_host(vhost, each.name)))

    def forget_host(self, vhost: str) -> None:
        for name in [each for each in self.exchanges if host_of(each) == vhost]:
            if name in self.exchanges:
                self.remove(name)

    def add(self, exchange: Exchange) -> None:
        self.exchanges[exchange.name] = exchange

    def remove(self, name: str) -> list[Binding]:
        """Remove an exchange; return its bindings, which go with it."""
        gone = [each for each in self.bindings if each.exchange == name]
        del self.exchanges[name]
        self._topics.pop(name, None)
        self.bindings = [each for each in self.bindings if each.exchange != name]
        for binding in [each for each in self.bindings if (each.to, each.queue) == ("exchange", name)]:
            if binding in self.bindings:
                self._forget(binding)
            gone.append(binding)
        return gone

    def bind(self, binding: Binding) -> bool:
        """Add a binding; return False if it already exists."""
        if binding in self.bindings:
            return False
        self.bindings.append(binding)
        if self.exchanges[binding.exchange].type == "topic":
            self._topics.setdefault(binding.exchange, TopicTrie()).add(binding.routing_key, _target(binding))
        return True

    def unbind(self, binding: Binding) -> bool:
        """Remove a binding, and an auto-delete exchange with its last; return whether the binding existed."""
        if binding not in self.bindings:
            return False
        self._forget(binding)
        return True

    def _forget(self, binding: Binding) -> None:
        self.bindings.remove(binding)
        exchange = self.exchanges[binding.exchange]
        if exchange.type == "topic":
            self._topics[exchange.name].remove(binding.routing_key, _target(binding))
        if exchange.auto_delete and not self.bound(exchange.name):
            self.remove(exchange.name)

    def bound_to(self, name: str) -> int:
        return len({_target(each) for each in self.bindings if each.exchange == name})

    def bound(self, name: str) -> bool:
        return any(each.exchange == name for each in self.bindings)

    def add_queue(self, name: str) -> None:
        self._queues[name] = None

    def forget_queue(self, name: str) -> list[Binding]:
        """Forget a deleted queue; return its bindings, which go with it."""
        self._queues.pop(name, None)
        gone = [each for each in self.bindings if (each.to, each.queue) == ("queue", name)]
        for binding in gone:
            self._forget(binding)
        return gone

    def route(
        self,
        exchange: str,
        routing_keys: Sequence[str],
        headers: Mapping[str, Any] | None = None,
        alternate_of: Callable[[Exchange], str | None] = declared_alternate,
        turn: int = 0,
    ) -> tuple[str, ...]:
        """Return the names of the queues that get a message, each once, sorted. Follows bindings between exchanges,
        each exchange once; if an exchange finds no queue, its alternate exchange is tried. An unknown exchange has no
        queues. `turn`: a number that grows; where the broker draws one of several queues, they are taken in turn by it.
        """
        if exchange == DEFAULT and len(routing_keys) == 1 and routing_keys[0] in self._queues:
            return (routing_keys[0],)
        asked, left = {exchange}, [exchange]
        queues: set[str] = set()
        while left:
            current = self.exchanges.get(left.pop(0))
            if current is None:
                continue
            found = self._matching(current, routing_keys, headers or {}, turn)
            alternate = None if found else alternate_of(current)
            if alternate is not None:
                found = {("exchange", beside(current.name, alternate))}
            queues |= {name for to, name in found if to == "queue"}
            further = sorted(name for to, name in found if to == "exchange" and name not in asked)
            asked.update(further)
            left += further
        return tuple(sorted(queues))

    def _matching(
        self, exchange: Exchange, routing_keys: Sequence[str], headers: Mapping[str, Any], turn: int
    ) -> set[Target]:
        if not bare(exchange.name):  # the default exchange of a virtual host
            keys = (beside(exchange.name, key) for key in routing_keys)
            return {("queue", key) for key in keys if key in self._queues}
        if exchange.type == "topic":
            trie = self._topics.get(exchange.name)
            return set().union(*(trie.matching(key) for key in routing_keys)) if trie else set()
        bindings = (each for each in self.bindings if each.exchange == exchange.name)
        if exchange.type == "fanout":
            return {_target(each) for each in bindings}
        if exchange.type in (LOCAL_RANDOM, MODULUS_HASH):
            targets = sorted({_target(each) for each in bindings})
            if exchange.type == MODULUS_HASH:
                turn = phash2([key.encode() for key in routing_keys], HASHES)
            return {targets[turn % len(targets)]} if targets else set()
        if exchange.type == "direct":
            return {_target(each) for each in bindings if each.routing_key in routing_keys}
        return {_target(each) for each in bindings if headers_match(each.arguments, headers)}

    def after_restart(self, durable_queues: Collection[str], all_stay: bool = False) -> Exchanges:
        """Return what a restart keeps: durable exchanges, and their bindings to durable queues (D1). An auto-delete
        exchange stays, even if it loses its last binding with a queue that is not durable.

        Args:
            durable_queues: queues that come back.
            all_stay: keep exchanges that are not durable too, and delete the other queues as at any other time, with
                auto-delete exchanges that lose their last binding (W227).
        """
        if all_stay:
            for name in [each for each in self._queues if each not in durable_queues]:
                self.forget_queue(name)
            return self
        kept = Exchanges()
        for exchange in self.exchanges.values():
            if exchange.durable:
                kept.add(exchange)
        for queue in durable_queues:
            kept.add_queue(queue)
        for binding in self.bindings:
            ends = durable_queues if binding.to == "queue" else kept.exchanges
            if binding.exchange in kept.exchanges and binding.queue in ends:
                kept.bind(binding)
        return kept
