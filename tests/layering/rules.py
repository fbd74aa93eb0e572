"""The layers as data, and the functions that find a breach. docs/internals/layers.md gives the reasons."""

import ast
import re
from collections.abc import Iterator

from tests.layering.sources import imports, within

VALUES = ("engine.values", "engine.report.transitions")
"""Plain values that everything in the engine but the formats may import."""

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "engine.values": ("engine.values",),
    "engine.formats": (
        "engine.formats",
        "engine.values.chunks",
        "engine.values.errors",
        "engine.values.sizes",
    ),
    "engine.storage": ("engine.storage", "engine.values"),
    "engine.report.transitions": VALUES,
    "engine.report.log": ("engine.report.log", *VALUES),
    "engine.folding": ("engine.folding", "engine.backing_queue.message_places", *VALUES),
    "engine.backing_queue": (
        "engine.backing_queue",
        "engine.formats.message",  # the codec, which queues are given
        "engine.storage.port",
        *VALUES,
    ),
    "engine.classic_v1.formats": (
        "engine.classic_v1.formats",
        "engine.formats",
        "engine.values.chunks",
        "engine.values.errors",
        "engine.values.sizes",
    ),
    "engine.classic_v1.transitions": ("engine.classic_v1.transitions", *VALUES),
    "engine.classic_v1.metrics": (
        "engine.classic_v1.metrics",
        "engine.classic_v1.transitions",
        "engine.counting",  # the registry of metrics, and the common ones
        *VALUES,
    ),
    "engine.classic_v2.metrics": (
        "engine.classic_v2.metrics",
        "engine.classic_v2.files_table",  # how many bytes what is written takes
        "engine.classic_v2.transitions",
        "engine.counting",
        *VALUES,
    ),
    "engine.classic_v1.costs": ("engine.classic_v1.transitions", "engine.costs", *VALUES),
    "engine.costs": ("engine.costs", *VALUES),
    "engine.counting": ("engine.counting", "engine.backing_queue.message_places", *VALUES),
    "engine.classic_v1.fold": (
        "engine.classic_v1.fold",
        "engine.backing_queue.message_places",
        "engine.classic_v1.settings",
        "engine.classic_v1.transitions",
        "engine.folding",  # the registry of tables, and the common table of a queue
        *VALUES,
    ),
    "engine.classic_v1.index": (
        "engine.classic_v1.index",
        "engine.backing_queue.protocol",  # what the memory model counts of it
        "engine.classic_v1.formats",
        "engine.classic_v1.settings",
        "engine.classic_v1.transitions",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v1.settings": ("engine.values",),
    "engine.classic_v1.store": (
        "engine.classic_v1.store",
        "engine.backing_queue.stores",
        "engine.classic_v1.formats",
        "engine.classic_v1.settings",
        "engine.classic_v1.transitions",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v1.queue": (
        "engine.classic_v1.queue",
        "engine.classic_v1.status",
        "engine.backing_queue",
        "engine.classic_v1.index",
        "engine.classic_v1.settings",
        "engine.classic_v1.store",
        "engine.classic_v1.transitions",
        "engine.formats.message",  # sizes of the property block, which decide a body's home (Q12)
        "engine.storage.port",  # the type alone, to hand it on to the index
        *VALUES,
    ),
    "engine.classic_v2.inspect": (
        "engine.classic_v2.inspect",
        "engine.classic_v2.formats",
        "engine.damage",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v2.fold": (
        "engine.classic_v2.fold",
        "engine.classic_v2.files_table",
        "engine.classic_v2.transitions",
        "engine.backing_queue.message_places",
        "engine.folding",  # the registry of tables
        *VALUES,
    ),
    "engine.classic_v2": (
        "engine.classic_v2",
        "engine.backing_queue",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v2.formats": (
        "engine.classic_v2.formats",
        "engine.formats",
        "engine.values.chunks",
        "engine.values.errors",
        "engine.values.sizes",
    ),
    "engine.classic_v2.queue_store": (
        "engine.classic_v2.queue_store",
        "engine.classic_v2.files_table",
        "engine.classic_v2.formats",
        "engine.classic_v2.settings",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v2.store": (
        "engine.classic_v2.store",
        "engine.classic_v2.formats",
        "engine.classic_v2.settings",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.classic_v2.index": (
        "engine.classic_v2.index",
        "engine.classic_v2.queue_store",
        "engine.classic_v2.store.recovery",  # the references that a dirty start asks the index for
        "engine.classic_v2.formats",
        "engine.classic_v2.settings",
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.version_choice": (
        "engine.version_choice",
        "engine.amqp.arguments",  # the argument that says the version
        "engine.backing_queue",
        "engine.classic_v1",
        "engine.classic_v2",
        "engine.folding",  # the registry of tables
        "engine.formats",
        "engine.storage",
        *VALUES,
    ),
    "engine.priority_queue": (
        "engine.priority_queue",
        "engine.amqp.arguments",
        "engine.backing_queue",
        "engine.formats",  # the codec, whose templates have a message's priority
        *VALUES,
    ),
    "engine.amqp": ("engine.amqp", "engine.values.errors", "engine.values.labels"),
    "engine.mirrored_queue": ("engine.mirrored_queue", "engine.backing_queue", "engine.amqp", *VALUES),
}
"""For each part of the engine, the parts it may import. What is not listed stands above them: it may use all."""

NEVER: dict[str, tuple[str, ...]] = {
    "engine.releases": ("engine.broker", "engine.ctl"),
    "engine.broker": (
        "engine.ctl",
        "engine.generations",
        "engine.classic_v1",
        "engine.classic_v2",
        "engine.priority_queue",
        "engine.version_choice",
    ),
}
"""What a part of the rest must not import: a broker knows its operator no more than what kinds of queues it has."""

ROOT_NAMES = frozenset({"engine", "engine.ENGINE_VERSION"})
"""What the engine's own `__init__` offers to everyone."""

TOUCHES_THE_SYSTEM = ("engine.storage.directory",)
"""The one module of the engine that opens files."""

RIM = (
    "engine.__main__",
    "engine.cli",
    "engine.inspect",
)
"""Command-line programs around the engine: they read arguments and files, and print."""

PURE_STDLIB = frozenset(
    "__future__ abc array base64 binascii bisect collections contextlib copy dataclasses enum fractions "
    "functools difflib hashlib heapq itertools json math numbers operator re shlex string struct textwrap types typing "
    "zlib".split()
)
"""Modules of the standard library that know no clock, no chance, no thread and no file."""

SYSTEM_STDLIB = frozenset("errno io os pathlib shutil".split())
"""What the one module that touches the system may import besides."""

ENGINE_PACKAGES = frozenset({"numpy", "msgspec"})
FORMATS_PACKAGES = frozenset({"numpy", "msgspec"})

ONLY_FOR_TYPES = {"engine.values.marks": frozenset({"typing_extensions"})}
"""What only a type checker imports, and where."""

IMPURE_CALLS = frozenset("open input eval exec compile __import__ breakpoint hash id".split())
"""Builtins that read the world, or whose answer differs from one process to the next."""


def engine_import_breaches(tree: ast.Module, module: str, is_package: bool = False) -> Iterator[str]:
    """Yield a sentence for each import of an engine module that its layer does not allow."""
    layer = next((name for name in MAY_IMPORT if within(module, name)), None)
    for imported, line in imports(tree, module, is_package):
        top = imported.partition(".")[0]
        if top == "engine":
            never = next((name for name in NEVER if within(module, name)), None)
            if never and within(imported, *NEVER[never]):
                yield f"{module}:{line} imports {imported}, which {never} must not"
            if layer and imported not in ROOT_NAMES and not within(imported, *MAY_IMPORT[layer]):
                yield f"{module}:{line} imports {imported}, which {layer} may not"
        elif within(module, *RIM):
            if top in {"django", "playground", "spark_jobs", "pyspark"}:
                yield f"{module}:{line} imports {imported}; the engine knows neither the web nor Spark"
        elif top not in _outside_allowed(module):
            yield f"{module}:{line} imports {imported}, which is not on the engine's list of pure modules"


def _outside_allowed(module: str) -> frozenset[str]:
    formats = within(module, "engine.formats", "engine.classic_v1.formats")
    allowed = PURE_STDLIB | (FORMATS_PACKAGES if formats else ENGINE_PACKAGES)
    allowed |= ONLY_FOR_TYPES.get(module, frozenset())
    return allowed | SYSTEM_STDLIB if within(module, *TOUCHES_THE_SYSTEM) else allowed


def engine_call_breaches(tree: ast.Module, module: str) -> Iterator[str]:
    """Yield a sentence for each call by which an engine module would reach outside or lose determinism."""
    if within(module, *RIM):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            if node.func.id == "open" and within(module, *TOUCHES_THE_SYSTEM):
                continue
            yield f"{module}:{node.lineno} calls {node.func.id}()"
        elif (
            isinstance(node, ast.Attribute)
            and node.attr == "random"
            and isinstance(node.value, ast.Name)
            and node.value.id in {"np", "numpy"}
        ):
            yield f"{module}:{node.lineno} uses numpy's random generator; seeds belong to the scenario"


NOT_IN_A_WORKER = frozenset({"asyncio", "asgiref", "channels", "daphne", "django", "twisted"})
"""What paces and frames a session runs in a process of its own, and one day in the browser, without these."""

KNOWS_RELEASES = ("engine.releases", "engine.classic_v1", "engine.classic_v2")
"""The table of releases, and the rooms of implementations: only these may compare a release with another."""

RELEASE = re.compile(r"[34]\.\d{1,2}(\.\d{1,2})?(-\w+)?")


def release_comparisons(tree: ast.Module, module: str) -> Iterator[str]:
    """Yield a sentence for each comparison with a release's name outside the table and the implementations."""
    if within(module, *KNOWS_RELEASES):
        return
    for node in ast.walk(tree):
        compared: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            compared = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            compared = [node.value]
        elif isinstance(node, ast.Subscript):
            compared = [node.slice]
        for each in compared:
            for inner in ast.walk(each):
                if (
                    isinstance(inner, ast.Constant)
                    and isinstance(inner.value, str)
                    and RELEASE.fullmatch(inner.value)
                ):
                    yield f"{module}:{node.lineno} compares with {inner.value}: ask the release's row"
