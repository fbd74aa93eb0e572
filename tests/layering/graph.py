"""Layers and circles of a graph of imports."""

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

Graph = Mapping[str, Set[str]]
"""For each file (or room) those that it imports; every target is a key as well."""

EXACT = 14
"""A circle of up to so many files is put in the best order there is; a larger one in a good order."""


class Figures(NamedTuple):
    """What is counted of a graph.

    Args:
        nodes: files or rooms.
        edges: imports between them, each pair once.
        layers: the longest way down, counted in files.
        upwards: the imports that run against the order.
        circles: the groups in which each file reaches every other.
    """

    nodes: int
    edges: int
    layers: int
    upwards: list[tuple[str, str]]
    circles: list[list[str]]


def figures(graph: Graph) -> Figures:
    """Return the figures of a graph."""
    groups = circles(graph)
    upwards = [edge for group in groups for edge in _against(graph, _order(graph, group))]
    kept = {
        node: {target for target in targets if (node, target) not in set(upwards)}
        for node, targets in graph.items()
    }
    layers = layers_of(kept)
    return Figures(
        nodes=len(graph),
        edges=sum(len(targets) for targets in graph.values()),
        layers=max(layers.values(), default=0),
        upwards=sorted(upwards),
        circles=groups,
    )


def layers_of(graph: Graph) -> dict[str, int]:
    """Return the layer of each node of a graph without circles; what imports nothing is in layer 1."""
    layers: dict[str, int] = {}

    def layer(node: str) -> int:
        if node not in layers:
            layers[node] = 1 + max((layer(each) for each in graph[node]), default=0)
        return layers[node]

    for node in graph:
        layer(node)
    return layers


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of two or more in which each reaches every other, in the order of their names."""
    reach = {node: _reached(graph, node) for node in graph}
    groups = {
        tuple(sorted(other for other in reach[node] if node in reach[other]))
        for node in graph
        if node in reach[node]
    }
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    todo = list(graph[start])
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += graph[node]
    return found


def _against(graph: Graph, order: Sequence[str]) -> list[tuple[str, str]]:
    """Return the imports inside an order, lowest first, that run upwards."""
    place = {node: at for at, node in enumerate(order)}
    return [
        (node, target)
        for node in order
        for target in graph[node]
        if target in place and place[target] > place[node]
    ]


def _order(graph: Graph, group: Sequence[str]) -> list[str]:
    """Return a circle's files, lowest first, with as few imports upwards as can be."""
    if len(group) > EXACT:
        return sorted(group, key=lambda node: (len(graph[node] & set(group)), node))
    bits = {node: 1 << at for at, node in enumerate(group)}
    inside = {node: sum(bits[target] for target in graph[node] if target in bits) for node in group}
    best: dict[int, tuple[int, list[str]]] = {0: (0, [])}
    for _ in group:
        longer: dict[int, tuple[int, list[str]]] = {}
        for below, (cost, order) in best.items():
            for node in group:
                if not bits[node] & below:
                    upwards = cost + (inside[node] & ~below & ~bits[node]).bit_count()
                    found = longer.get(below | bits[node])
                    if found is None or upwards < found[0]:
                        longer[below | bits[node]] = (upwards, [*order, node])
        best = longer
    return best[(1 << len(group)) - 1][1]
