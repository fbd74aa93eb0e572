"""What Python has and the page needs too, as JavaScript, and the table of transitions to read."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, get_args

import msgspec

from engine.backing_queue.message_places import VARIABLE_QUEUE, MessagePlace
from engine.backing_queue.stores import SYNC_INTERVAL_US
from engine.classic_v1.fold import IndexEntry, StoreFile
from engine.generations import PLACES
from engine.releases import RELEASES
from engine.report.transitions.base import UNITS, About, Group, Transition
from engine.transitions import all_kinds, fields_of
from engine.values import extents
from engine.values.extents import DeltaExtent, Extent, StoreRow
from engine.values.stretches import Range

_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*\Z")


def head(about: str, source: str) -> str:
    return f"/** {about}\n *\n * Written by `python -m tools.catalogue` from {source}: change that, not this file. */\n"


def literal(value: Any) -> str:
    """Return plain data as one line of JavaScript; names stand without quotes where they can."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key(name)}: {literal(each)}" for name, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    return name if _NAME.match(name) else json.dumps(name)


def table(name: str, about: str, rows: Mapping[str, Any], type_: str) -> str:
    """Return an exported object, one line for each of `rows`, whose values have this type."""
    lines = "".join(f"  {key(each)}: {literal(value)},\n" for each, value in rows.items())
    return f"\n{comment(about, type_)}export const {name} = {{\n{lines}}};\n"


def comment(about: str, type_: str) -> str:
    return f"/**\n * {about}\n * @type {{Record<string, {type_}>}}\n */\n"


def kinds_module() -> str:
    return "".join(
        [
            head("What is known of each kind of transition.", "engine/transitions.py"),
            table(
                "KINDS",
                "The fields of `About` in engine/report/transitions/base.py; one that is left out has no effect.",
                {kind.__name__: _row_of(kind) for kind in _by_name(all_kinds())},
                'import("./types.js").About',
            ),
            table(
                "UNITS",
                "Units of fields and of the numbers in `why`, by name; a kind may differ.",
                UNITS,
                "string",
            ),
            f"\n/** What the log may be filtered by. */\nexport const GROUPS = {literal(get_args(Group))};\n",
        ]
    )


def _by_name(kinds: Iterable[type[Transition]]) -> list[type[Transition]]:
    return sorted(kinds, key=lambda kind: kind.__name__)


def _row_of(kind: type[Transition]) -> dict[str, Any]:
    """Return what differs from the default, and the group, which every kind names."""
    plain = msgspec.structs.asdict(kind.about)
    usual = msgspec.structs.asdict(type(kind.about)(group=kind.about.group))
    given = {name: value for name, value in plain.items() if name == "group" or value != usual[name]}
    return given | ({"queue": True} if "queue" in fields_of(kind) else {})


def lanes_module() -> str:
    return "".join(
        [
            head("Where the messages of a queue can lie.", "engine/backing_queue/places"),
            "\n/** The backing queue of a queue whose settings name no other. */\n",
            f"export const USUAL = {literal(VARIABLE_QUEUE)};\n",
            "\n/** How long a store waits for more before it syncs (K6). */\n",
            f"export const STORE_SYNC_MS = {SYNC_INTERVAL_US // 1000};\n",
            "\n",
            comment(
                "The places of each, from the tail to the head; then those of unacknowledged messages.",
                'import("./types.js").MessagePlace[]',
            ),
            "export const PLACES = {\n",
            *(
                f"  {key(name)}: [\n{_rows(PLACES[name])}  ],\n"
                for name in sorted(PLACES, key=lambda each: (each != VARIABLE_QUEUE, each))
            ),
            "};\n",
            table(
                "GONE",
                "What releases have no more, each with the rule that says so, by their series.",
                {each.series: dict(each.gone) for each in RELEASES.values() if each.gone},
                "Record<string, string>",
            ),
        ]
    )


def _rows(places: tuple[MessagePlace, ...]) -> str:
    return "".join(f"    {literal(msgspec.structs.asdict(each))},\n" for each in places)


Values = dict[str, Any]


class IndexState(msgspec.Struct, forbid_unknown_fields=True):
    """A queue's index; `segments` are numbers and bytes of files."""

    entries: list[IndexEntry]
    segments: list[tuple[int, int]]
    journal_bytes: int | None
    buffered_bytes: int
    dirty: int


class FilesState(msgspec.Struct, forbid_unknown_fields=True):
    """Files of a queue of version 2, and what waits to be written. Segments are (number, bytes, live messages),
    `unread` (number, bytes) of `.qs` files that a start found, slots (start, count, what became of them), places of
    bodies in `.qs` (start, count, offset, bytes of each, what became of them, number of the first message where
    bytes differ), as `engine.classic_v2.files_table` has them.
    """

    segments: list[tuple[int, int, int]]
    bodies: list[tuple[int, int]]
    unread: list[tuple[int, int]]
    buffered: list[Range]
    acks: list[Range]
    waiting: list[Range]
    waiting_bytes: int
    slots: list[tuple[int, int, int]]
    places: list[tuple[int, int, int, int, int, int]]


class QueueSnapshot(msgspec.Struct):
    """A queue; beside these fields it has those of the last `QueueChanged`. `own` is what only its kind shows."""

    mode: str
    durable: bool
    lanes: dict[str, list[Extent]]
    counted: dict[str, DeltaExtent]
    counters: Values
    own: Values


class StoreSnapshot(msgspec.Struct, forbid_unknown_fields=True):
    """A message store; `orphans` are numbers and bytes of files that are in no table."""

    files: list[StoreFile]
    current: int
    rows: list[StoreRow]
    cache: int
    buffered_bytes: int
    orphans: list[tuple[int, int]]


class BindingState(msgspec.Struct, forbid_unknown_fields=True):
    """A binding of a queue to an exchange."""

    exchange: str
    queue: str
    routing_key: str
    arguments: Values
    to: str


class NodeState(msgspec.Struct, forbid_unknown_fields=True):
    """The node, part by part, with its members by their names."""

    settings: Values
    memory: Values
    disk: Values
    alarms: dict[str, bool]
    clock: Values
    work: Values
    app: Values
    cluster: Values
    bodies: dict[str, tuple[int, list[int]]]
    actors: dict[str, Values]
    processes: dict[str, Values]
    exchanges: dict[str, Values]
    bindings: list[BindingState]
    policies: dict[str, Values]
    vhosts: list[str] = []


class RunSnapshot(msgspec.Struct, forbid_unknown_fields=True):
    """Everything that transitions describe."""

    queues: dict[str, QueueSnapshot]
    stores: dict[str, StoreSnapshot]
    node: NodeState


class FrameMessage(msgspec.Struct, tag_field="t", tag="frame", forbid_unknown_fields=True):
    """Transitions as rows, with the moment of each; `first` is the number of the first. Between two frames the
    page's clock goes on by itself, from `now_us` up to `to_us`, at `speed`, or at `pace` if the engine cannot keep
    up. A page answers a frame with an ack, unless `ack` is false.
    """

    first: int
    at_us: list[int]
    rows: list[list[Any]]
    now_us: int
    digest: str | None = None
    play: bool | None = None
    speed: float | None = None
    to_us: int | None = None
    pace: float | None = None
    ack: bool | None = None


class SnapshotMessage(msgspec.Struct, tag_field="t", tag="snapshot", forbid_unknown_fields=True):
    """The whole state; `skipped` are the transitions that were left out, by kind."""

    next: int
    at_us: int
    state: RunSnapshot
    digest: str
    skipped: dict[str, int]
    why: str
    to_us: int | None = None
    pace: float | None = None


class WelcomeMessage(msgspec.Struct, tag_field="t", tag="welcome", forbid_unknown_fields=True):
    """The first answer to a page."""

    session: str
    limits: Values
    engine: str
    scenario: Values
    life: str
    owner: bool
    lasts_us: int | None


class NoticeMessage(msgspec.Struct, tag_field="t", tag="notice", forbid_unknown_fields=True):
    """Words for the person: level info, limit or error."""

    level: str
    message: str


class AcceptedMessage(msgspec.Struct, tag_field="t", tag="accepted", forbid_unknown_fields=True):
    """A command was taken."""

    id: int | str


class RefusedMessage(msgspec.Struct, tag_field="t", tag="refused", forbid_unknown_fields=True):
    """A command was not taken: why, and what to do; for programs as a code with its parameters as well."""

    id: int | str | None
    message: str
    code: str | None = None
    values: Values = {}


class AnswerMessage(msgspec.Struct, tag_field="t", tag="answer", forbid_unknown_fields=True):
    """What the console answers to a line."""

    id: int | str
    text: str
    error: str | None


class MovedMessage(msgspec.Struct, tag_field="t", tag="moved", forbid_unknown_fields=True):
    """Another process has the session: where its socket is. This one is closed."""

    websocket: str


HostMessage = (
    FrameMessage
    | SnapshotMessage
    | WelcomeMessage
    | NoticeMessage
    | AcceptedMessage
    | RefusedMessage
    | AnswerMessage
    | MovedMessage
)

SHAPES: Final[dict[str, type[msgspec.Struct]]] = {
    "EXTENT": Extent,
    "DELTA": DeltaExtent,
    "ENTRY": IndexEntry,
    "STORE_ROW": StoreRow,
    "STORE_FILE": StoreFile,
}
"""Rows of the state's tables, by the name under which the page has their places."""

FLAGS: Final = ("PERSISTENT", "IN_RAM", "IN_STORE", "INDEXED", "HOME_STORE")
"""Bits of an extent's flags that the page reads, by their names in engine/values/extents.py."""

DECODE: Final = """
/**
 * A transition by the names of its fields, from its row. Raises when the kind is unknown: a gap would lie.
 *
 * @param {TransitionRow} row
 * @returns {Transition}
 */
export function decode(row) {
  const decoder = DECODERS[row[0]];
  if (!decoder) throw new TypeError(`unknown transition ${row[0]}`);
  return decoder(row);
}
"""


def rows_module() -> str:
    return "".join(
        [
            head(
                "Rows by the names of their fields.",
                "engine/transitions.py, engine/values/extents.py and engine/folding.py",
            ),
            *(_places(name, shape) for name, shape in SHAPES.items()),
            "\n/** Bits of an extent's flags. */\n",
            *(f"export const {name} = {getattr(extents, name)};\n" for name in FLAGS),
            '\n/** @import { Transition, TransitionRow } from "./types.js" */\n',
            "\n/** @type {Record<string, (row: TransitionRow) => Transition>} */\n",
            "const DECODERS = {\n",
            *(_decoder(kind) for kind in _by_name(all_kinds())),
            "};\n",
            DECODE,
        ]
    )


def script_name(name: str) -> str:
    """Return a field's name as the page has it: Python's `bytes_` only avoids a word of Python's own."""
    return name.rstrip("_")


def _places(name: str, shape: type[msgspec.Struct]) -> str:
    about = (shape.__doc__ or "").strip().split("\n")[0]
    places = {script_name(field.name): at for at, field in enumerate(wire_fields(shape))}
    return f"\n/** {about} */\nexport const {name} = Object.freeze({literal(places)});\n"


def _decoder(kind: type[Transition]) -> str:
    named = []
    for at, field in enumerate(wire_fields(kind), start=1):
        named.append(f"{script_name(field.name)}: row[{at}]")
        if field.default is not msgspec.NODEFAULT:  # a row that was written by hand may leave it out
            named[-1] += f" ?? {literal(msgspec.to_builtins(field.default))}"
    return f"  {kind.__name__}: (row) => ({{ kind: {literal(kind.__name__)}, {', '.join(named)} }}),\n"


VALUES: Final = "Values"
"""The type of a table whose values have no types of their own: each name has its own kind of value."""


class TransitionField(msgspec.Struct, frozen=True):
    """One field. `type`: in the notation of JSDoc, as the field is on the wire. `unit`: None for a text or a table.
    `default`: NODEFAULT where it must be given.
    """

    name: str
    type: str
    unit: str | None
    default: Any


def wire_fields(struct: type[msgspec.Struct]) -> Iterator[TransitionField]:
    """Yield the fields of a class whose values are rows, in the order of the row."""
    info = msgspec.inspect.type_info(struct)
    if not isinstance(info, msgspec.inspect.StructType):
        raise TypeError(f"{struct} is no class of rows")
    units = {**UNITS, **struct.about.units} if issubclass(struct, Transition) else UNITS
    for each in info.fields:
        unit = units.get(each.name) if _is_number(each.type) else None
        default = each.default
        if each.default_factory is not msgspec.NODEFAULT:
            default = each.default_factory()
        yield TransitionField(each.name, type_of(each.type), unit, default)


def _is_number(found: msgspec.inspect.Type) -> bool:
    if isinstance(found, msgspec.inspect.UnionType):
        return any(_is_number(each) for each in found.types)
    return isinstance(found, msgspec.inspect.IntType | msgspec.inspect.FloatType)


def type_of(found: msgspec.inspect.Type) -> str:
    """Return a type in the notation of JSDoc; a row of an array-like class has the class's name."""
    match found:
        case msgspec.inspect.StructType(cls=cls):
            return cls.__name__
        case msgspec.inspect.UnionType() | msgspec.inspect.LiteralType():
            if isinstance(found, msgspec.inspect.LiteralType):
                parts = map(json.dumps, found.values)
            else:
                parts = map(type_of, found.types)
            return " | ".join(dict.fromkeys(parts))
        case msgspec.inspect.TupleType(item_types=items):
            return f"[{', '.join(type_of(each) for each in items)}]"
        case msgspec.inspect.VarTupleType(item_type=item) | msgspec.inspect.ListType(item_type=item):
            inside = type_of(item)
            return f"({inside})[]" if " | " in inside else f"{inside}[]"
        case msgspec.inspect.DictType(value_type=value):
            kinds = {type(each) for each in getattr(value, "types", [value])}
            mixed = {msgspec.inspect.IntType, msgspec.inspect.StrType} <= kinds
            return (
                VALUES if mixed or msgspec.inspect.AnyType in kinds else f"Record<string, {type_of(value)}>"
            )
        case _:
            return _PLAIN[type(found)]


_PLAIN: Final[dict[type, str]] = {
    msgspec.inspect.IntType: "number",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
    msgspec.inspect.NoneType: "null",
    msgspec.inspect.AnyType: "unknown",
}

STATES: Final = (IndexState, FilesState, QueueSnapshot, StoreSnapshot, BindingState, NodeState, RunSnapshot)
MORE: Final[dict[type[msgspec.Struct], str]] = {
    QueueSnapshot: f" & {VALUES}",
    About: " & { queue?: boolean }",
}
"""What else an object of this type may have."""

OF_KINDS: Final = {
    "Kind": 'Transition["kind"]',
    "TransitionOf<K>": "Extract<Transition, { kind: K }>",
    "Handlers": "{ [K in Kind]?: (state: RunSnapshot, t: TransitionOf<K>) => void }",
}
"""Types made from the kinds of transitions: their names, the transition of one kind, a fold for some of the kinds."""


def types_module() -> str:
    kinds = _by_name(all_kinds())
    messages = get_args(HostMessage)
    shapes: list[type[msgspec.Struct]] = [*SHAPES.values(), Range]
    return "".join(
        [
            head(
                "Types of rows, transitions, states and messages, for comments: `import(...)`. Nothing of it runs.",
                "the engine's classes and tools/catalogue/script_modules.py",
            ),
            _typedef(VALUES, "Record<string, any>"),
            *(_typedef(shape.__name__, f"[{', '.join(_typed(shape))}]") for shape in shapes),
            _typedef("TransitionRow", "[kind: string, rule: string, ...fields: any[]]"),
            *(_typedef(kind.__name__, _named(f'kind: "{kind.__name__}"', *_typed(kind))) for kind in kinds),
            _typedef("Transition", " | ".join(kind.__name__ for kind in kinds)),
            _typedef("AnyTransition", _any_of(kinds)),
            *(_typedef(name, text) for name, text in OF_KINDS.items()),
            _typedef(About.__name__, _object(About)),
            _typedef(MessagePlace.__name__, _whole(MessagePlace)),
            *(_typedef(state.__name__, _object(state)) for state in STATES),
            *(_typedef(message.__name__, _object(message)) for message in messages),
            _typedef("HostMessage", " | ".join(message.__name__ for message in messages)),
            "\nexport {};\n",
        ]
    )


def _typedef(name: str, text: str) -> str:
    """Return a type with its name; a name with a letter in angle brackets is of any one kind of transition."""
    plain, _, letter = name.rstrip(">").partition("<")
    template = f"@template {{Kind}} {letter} " if letter else ""
    return f"\n/** {template}@typedef {{{text}}} {plain} */\n"


def _typed(struct: type[msgspec.Struct]) -> list[str]:
    return [f"{script_name(field.name)}: {field.type}" for field in wire_fields(struct)]


def _any_of(kinds: list[type[Transition]]) -> str:
    """Return the type of a transition of which nobody has asked the kind: it may have any field of any kind."""
    found: dict[str, dict[str, None]] = {}
    for kind in kinds:
        for each in wire_fields(kind):
            found.setdefault(script_name(each.name), {}).update(dict.fromkeys(each.type.split(" | ")))
    rule = found.pop("rule")
    optional = (f"{name}?: {' | '.join(types)}" for name, types in found.items())
    return _named("kind: Kind", f"rule: {' | '.join(rule)}", *optional)


def _object(struct: type[msgspec.Struct]) -> str:
    tag = struct.__struct_config__.tag
    parts = [f't: "{tag}"'] if tag is not None else []
    for each in wire_fields(struct):
        parts.append(f"{each.name}{'' if each.default is msgspec.NODEFAULT else '?'}: {each.type}")
    return _named(*parts) + MORE.get(struct, "")


def _whole(struct: type[msgspec.Struct]) -> str:
    """Return the type of an object that is written with all its fields, whether they have a usual value or not."""
    return _named(*(f"{field.name}: {field.type}" for field in wire_fields(struct)))


def _named(*parts: str) -> str:
    return f"{{ {', '.join(parts)} }}"


TITLES: Final[dict[str, str]] = {
    "messages": "The way of messages",
    "memory": "What leaves RAM and comes back",
    "files": "Files on disk",
    "node": "The node and what is around its queues",
}

TRANSITIONS_HEAD: Final = """# Transitions

Every change that the engine makes is one of these. The state after it is the state before, folded with it
(`engine/folding.py`, `static/js/model/reduce.js`). On the wire and in the digest a transition is a row: its kind, the
rule that caused it, then the fields in this order.

*Log* says how the page's log shows it: an *event* has a line, a *detail* has one on demand, a *step* has none. *Weight*
says how much it explains among what comes at once. *Function* is the broker's own that does the same, *setting* is the
one that governs it.

Written by `python -m tools.catalogue` from the classes that `engine/transitions.py` lists: change those, not this page.
"""

COLUMNS: Final = """| kind | fields (units) | what happened | log | weight | function | setting |
|---|---|---|---|---|---|---|
"""

_FOLD: Final = re.compile(r"\s*Fold:.*", re.DOTALL)


def transitions_page() -> str:
    text = TRANSITIONS_HEAD
    for group in get_args(Group):
        kinds = _by_name(kind for kind in all_kinds() if kind.about.group == group)
        text += f"\n## {TITLES[group]}\n\n{COLUMNS}" + "".join(map(_line, kinds))
    return text


def _line(kind: type[Transition]) -> str:
    about = kind.about
    fields = [field for field in wire_fields(kind) if field.name not in {"rule", "why"}]
    named = [
        f"{each.name} ({each.unit})" if each.unit not in {None, each.name} else each.name for each in fields
    ]
    # The first paragraph of the class's docstring, without how it is folded.
    sentence = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    cells = (
        kind.__name__,
        ", ".join(named),
        _FOLD.sub("", " ".join(sentence.split())).replace("|", "\\|"),
        about.shown,
        str(about.weight or ""),
        f"`{about.function}`" if about.function else "",
        f"`{about.setting}`" if about.setting else "",
    )
    return f"| {' | '.join(cells)} |\n"
