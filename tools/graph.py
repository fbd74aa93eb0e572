"""Figures of an import graph: layers, circles, and what runs upwards."""

from collections.abc import Iterable, Mapping

Graph = Mapping[str, Iterable[str]]
"""Each node with the nodes that it imports."""


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of nodes that import each other, however indirectly (Tarjan's algorithm).

    Args:
        graph: each node with the nodes that it imports.

    Returns:
        Each group of two nodes or more, sorted.
    """
    return [sorted(group) for group in _groups(graph) if len(group) > 1]


def layers(graph: Graph) -> dict[str, int]:
    """Return the layer of each node: 0 imports nothing, each other one stands above all that it imports.

    Args:
        graph: each node with the nodes that it imports.

    Returns:
        A number for each node; the nodes of a circle share one.
    """
    heights: dict[str, int] = {}
    # Tarjan yields a group after everything that it imports.
    for group in _groups(graph):
        below = [heights[to] for node in group for to in graph.get(node, ()) if to not in group]
        heights |= dict.fromkeys(group, max(below, default=-1) + 1)
    return heights


def upwards(edges: Iterable[tuple[str, str]], order: Iterable[str]) -> list[tuple[str, str]]:
    """Return the imports that run against an order.

    Args:
        edges: pairs of an importing and an imported node.
        order: the nodes from the bottom to the top.

    Returns:
        The pairs whose imported node stands above the importing one.
    """
    place = {node: index for index, node in enumerate(order)}
    return [(start, end) for start, end in edges if place[end] > place[start]]


def best_order(edges: Mapping[tuple[str, str], int], nodes: Iterable[str]) -> list[str]:
    """Return an order, bottom first, in which few imports run upwards (greedy, after Eades, Lin and Smyth).

    Args:
        edges: how many imports run between each pair of an importing and an imported node.
        nodes: all nodes, also those without an edge.
    """
    bottom: list[str] = []
    top: list[str] = []
    left = set(nodes)
    while left:
        out = {
            node: sum(n for (a, b), n in edges.items() if a == node and b in left and b != a) for node in left
        }
        into = {
            node: sum(n for (a, b), n in edges.items() if b == node and a in left and b != a) for node in left
        }
        node = min(sorted(left), key=lambda each: (out[each] > 0, into[each] > 0, out[each] - into[each]))
        if out[node] and not into[node]:
            top.insert(0, node)
        else:
            bottom.append(node)
        left.remove(node)
    return bottom + top


def _groups(graph: Graph) -> list[list[str]]:
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in graph.get(node, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[node] = min(low[node], low[to])
        if low[node] == index[node]:
            cut = stack.index(node)
            found.append(stack[cut:])
            del stack[cut:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found
