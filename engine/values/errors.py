"""The engine's own errors. Each message names what is wrong and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, TypeVar

from engine.values.labels import BREAK

ENGLISH: Final[dict[str, str]] = {
    # --- commands that cannot be done now ---
    "too_many_messages": (
        "the node holds %(held)s messages and may hold %(most)s; publish at most %(room)s, or purge or consume first"
    ),
    "too_many_bytes": (
        "%(count)s messages could need %(needed)s bytes on disk, and %(free)s of %(most)s are free; publish fewer or "
        "smaller messages, or purge first"
    ),
    "broker_stopped": "the broker is stopped; start it with start_app first",
    "quorum_queue": (
        "%(name)s = %(value)s: a quorum queue keeps its messages in a log that several nodes agree on by Raft; it is "
        "not part of Waterline, which shows classic queues. Read rabbitmq.com/docs/quorum-queues and leave the "
        "argument out"
    ),
    "stream": (
        "%(name)s = %(value)s: a stream is a log that consumers read without taking anything out; it is not part of "
        "Waterline, which shows classic queues. Read rabbitmq.com/docs/streams and leave the argument out"
    ),
    "no_vhost": "there is no virtual host %(name)s; virtual hosts: %(known)s",
    "first_vhost": "%(name)s is the virtual host that every session has; it stays",
    "too_many_vhosts": "there are %(most)s virtual hosts already; delete one first",
    "no_vhost_name": "%(place)s must be the name of a virtual host: a text of 1 to %(most)s bytes without line breaks",
    "too_many_channels": "there are %(most)s channels already; close a connection first",
    "not_held": (
        "%(held)s messages are held by hand, not %(count)s; first use get with ack, or a consumer with manual acks"
    ),
    "ack_mode_fixed": "%(name)s holds %(held)s messages, so its ack mode cannot change; remove it and add it again",
    "queue_fixed": "%(name)s holds %(held)s messages, so its queue cannot change; remove it and add it again",
    "name_taken": "%(name)s is already the name of another actor; choose another name",
    "name_of_page": "the page calls something else %(name)s: a queue's member on a node, or one of its priorities",
    "name_reserved": "the name %(name)s is taken by the node itself; choose another",
    "too_many_actors": "there are %(most)s publishers and consumers already; remove one first",
    "no_actor": "there is no %(name)s; publishers and consumers: %(known)s",
    "no_queue": "there is no queue %(name)s; queues: %(known)s",
    "no_node": "there is no node %(name)s; nodes: %(known)s",
    "node_down": "%(name)s does not run; start it first, or use one that runs: %(known)s",
    "node_runs": "%(name)s runs already",
    "node_waits": "%(name)s waits for %(last)s, which stopped last; start that one first",
    "not_mirrored": "%(name)s has no mirrors by policy; set a policy with ha-mode first",
    "release_without_mirrors": "a %(release)s has no mirrored queues; set nodes to 1, or another release",
    "cluster_instant": "work takes no time in a cluster; leave work_profile at instant, or use one node",
    "never_stops": "%(name)s is in a conversion that never ends, so the node cannot stop; kill it, or the queue",
    "no_member": "%(name)s has no member on %(node)s; members: %(known)s",
    "no_consumer": "there is no consumer %(name)s; consumers: %(known)s",
    "policy_crashes": (
        "%(key)s = %(value)s ends RabbitMQ's own check with an error, so no policy is set; write another value"
    ),
    "no_policy": "there is no policy %(name)s; policies: %(known)s",
    "no_channel": "there is no %(name)s; channels: %(known)s",
    "too_many_queues": "there are %(most)s queues already; delete one first",
    "too_many_priorities": (
        "each priority is a backing queue of its own, and there may be %(most)s; x-max-priority is at most "
        "%(room)s here"
    ),
    "too_many_exchanges": "there are %(most)s exchanges already; delete one first",
    "too_many_bindings": "there are %(most)s bindings already; remove one first",
    "too_many_policies": "there are %(most)s policies already; clear one first",
    "only_asks": "%(line)s changes nothing; ask it instead",
    "pattern_too_long": "a pattern may have %(most)s characters; write a shorter one",
    "pattern_repeats_twice": (
        "character %(at)s of the pattern repeats a repeat, which is not understood here; put the first one in a group"
    ),
    "pattern_repeats_too_often": (
        "the repeat at character %(at)s of the pattern is not understood here; write {n} or {n,m} with n not above m, "
        "both at most %(most)s"
    ),
    "pattern_group_unknown": (
        "the group at character %(at)s of the pattern is not understood here; (...), (?:...), (?=...) and (?!...) are"
    ),
    "pattern_too_deep": (
        "the group at character %(at)s of the pattern lies in too many others; at most %(most)s may lie in each other"
    ),
    "pattern_too_costly": (
        "a name of %(letters)s letters could cost the pattern more than %(most)s steps; use fewer and smaller repeats "
        "inside repeats"
    ),
    "pattern_escape_unknown": (
        "%(found)s at character %(at)s of the pattern is not understood here; of letters \\d, \\w, \\s and their "
        "capitals are"
    ),
    "broker_refuses": "%(words)s",
    # --- values ---
    "no_command": 'a command is an object such as {"do": "purge"}',
    "no_verb": "do must be one of %(verbs)s",
    "no_amount": '"%(text)s" is no amount of bytes; write it like 512MiB, 1GB or 1073741824',
    "setting_impossible": "%(name)s = %(value)s is not possible; allowed: %(allowed)s",
    "not_whole": "%(place)s must be a whole number, not %(got)s",
    "no_time": "%(place)s must be a whole number of microseconds from 0 on",
    "not_whole_between": "%(place)s must be a whole number from %(least)s to %(most)s",
    "not_a_number": "%(place)s must be a number, not %(got)s",
    "not_a_flag": "%(place)s must be true or false, not %(got)s",
    "not_text": "%(place)s must be text, not %(got)s",
    "not_an_object": "%(place)s must be an object, not %(got)s",
    "not_a_list": "%(place)s must be a list, not %(got)s",
    "too_small": "%(place)s must be at least %(least)s",
    "not_above": "%(place)s must be more than %(least)s",
    "too_high": "%(place)s must be at most %(most)s",
    "after_the_end": "%(place)s must be at most until_us, %(most)s",
    "too_large": "%(place)s is too large",
    "too_short": "%(place)s must have at least %(least)s characters",
    "too_long": "%(place)s must have at most %(most)s characters",
    "too_many_elements": "%(place)s must have at most %(most)s elements",
    "wrong_length": "%(place)s must have %(wanted)s elements, not %(got)s",
    "no_name": "%(place)s must begin with a letter and have only a-z, 0-9, ., - and _ after it",
    "name_no_text": "%(place)s is no text that UTF-8 can write",
    "column_unreadable": "%(place)s must be written as an import packs it",
    "column_of_others": "%(place)s must have a value for each of %(count)s messages",
    "column_too_large": "%(place)s must have values of at most %(most)s",
    "column_too_long": "%(place)s must have at most %(most)s values, and not %(count)s",
    "sizes_other_mean": "size_bytes must be the mean of %(place)s, rounded up",
    "expirations_beside_one": "leave expiration_ms and expiration out where %(place)s has that of each message",
    "name_too_long": "%(place)s must have at most %(most)s bytes of UTF-8",
    "name_line_break": "%(place)s has a line break, which the broker takes out of a name; leave it out",
    "no_such_value": "%(place)s is none of the possible values",
    "missing": "%(place)s is missing",
    "unknown": "%(place)s is not known here",
    "no_property": "%(place)s has no %(name)s; there are %(known)s",
    "too_many_values": "%(place)s has more than %(most)s values",
    "table_too_deep": "%(place)s is nested deeper than %(most)s",
    "no_field_name": "%(place)s: a name has 1 to %(most)s bytes",
    "field_text_too_long": "%(place)s: a text has at most %(most)s characters",
    "no_field_number": "%(place)s: a number is an integer of at most %(most)s bits",
    "no_event_kind": "there is no transition called %(name)s with these fields: %(fields)s",
    "no_field_value": "%(place)s: %(got)s is no value that AMQP has",
    "one_of_two": "one of %(first)s and %(second)s is needed, and not both",
    "one_of_several": "exactly one of these is needed: %(names)s",
    "conditions_too_deep": "conditions may be nested %(most)s deep",
    "measures_too_deep": "measures may be nested %(most)s deep",
    "invalid": "%(words)s",
    # --- scenarios ---
    "scenario_too_large": "a scenario has at most %(most)s bytes, this one has %(count)s",
    "no_json": "this is no JSON: %(why)s",
    "no_object": "a scenario is an object",
    "other_version": "version must be %(version)s; this program knows no other",
    "no_setting": "settings: %(name)s is no setting; there are %(known)s",
    "twice": "topology.%(part)s has %(name)s twice",
    "topology_refused": "topology: %(words)s",
    "out_of_order": "commands[%(number)s].at_us is before that of the command in front of it",
    # --- files and runs ---
    "storage_full": (
        "writing to %(path)s would need %(needed)s bytes in all, but this session has %(most)s; drain or purge the "
        "queue, or use smaller or fewer messages"
    ),
    "no_file": "there is no file %(path)s",
    "queue_crashes": "the queue's process crashes at %(path)s: %(reason)s in %(function)s",
    "path_too_long": "%(path)s is no path of the storage: it needs 1 to %(most)s characters",
    "path_not_plain": "%(path)s is no path of the storage: it must be relative and without empty, . and .. names",
    "path_name_too_long": "%(path)s is no path of the storage: a name has more than %(most)s bytes",
    "path_signs": "%(path)s is no path of the storage: a name has a backslash or a control character",
    "path_of_storage": "%(path)s is no path of the storage: %(name)s is the storage's own",
    "path_of_directory": "%(path)s is no path of the storage: it is a directory",
    "path_below_file": "%(path)s is no path of the storage: %(file)s is a file",
    "stray_byte": "one stray byte at offset %(at)s ends the segment file",
    "no_record_begins": "no record begins with %(found)s at offset %(at)s",
    "entry_too_high": "entry %(entry)s at offset %(at)s is not below %(entries)s",
    "embedded_unreadable": "the message embedded at offset %(at)s cannot be read: %(why)s",
    "embedded_other_id": "the message embedded at offset %(at)s has another id than its record",
    "record_too_small": "a record of size %(size)s at offset %(at)s has no room for its id",
    "index_version_2": "%(path)s belongs to queue version 2; convert the queue to version 1 on its node first",
    "no_segment_number": "%(path)s is no segment number; remove the file (S9)",
    "journal_impossible": "%(path)s: %(why)s",
    "no_journal_action": "a journal has no action %(action)s (S62)",
    "slots_impossible": (
        "seq_ids %(first)s to %(last)s: the segment file has state %(filed)s, the journal adds %(pending)s; %(rule)s "
        "does not allow it"
    ),
    "mark_without_message": "a two-byte record of seq_ids %(first)s to %(last)s has no message (S119)",
    "left_over_file": "%(path)s is left from a combination, but there is no %(wanted)s to append it to",
    # --- Erlang terms, AMQP properties and table dumps in files ---
    "term_without_version": "an external term begins with byte %(version)s",
    "term_cut_off": "the term is cut off at byte %(at)s, %(count)s bytes are missing",
    "term_too_deep": "the term is nested deeper than %(most)s",
    "bytes_behind_term": "%(count)s bytes are behind the term",
    "too_few_bytes": "%(count)s elements do not fit into %(left)s bytes",
    "unknown_tag": "no term has tag %(tag)s, which is at byte %(at)s",
    "atom_not_in_charset": "an atom is not %(charset)s: %(why)s",
    "no_float": "%(text)s is no float",
    "no_external_form": "%(value)s has no external form; text is Atom or bytes (S42)",
    "no_basic_message": "the term is no basic_message (S50)",
    "unknown_properties": "these properties are unknown: %(names)s",
    "property_impossible": "%(value)s is no value of a property: %(why)s",
    "no_short_string": "%(count)s bytes do not fit into a short string",
    "unknown_field_type": "no field has type %(letter)s",
    "field_impossible": "%(value)s is no field of type %(letter)s: %(why)s",
    "unknown_property_flags": "no property has the flags %(flags)s",
    "bytes_behind_properties": "%(count)s bytes are behind the property list",
    "properties_cut_off": "the property list is cut off at byte %(at)s",
    "fields_end_elsewhere": "a table or array should end at byte %(end)s, not %(at)s",
    "no_table_dump": "a table dump begins with %(wanted)s",
    "table_without_description": "the table has no description",
    "table_counts_other_rows": "the table holds %(count)s rows, which is not what it counts: %(trailer)s",
    "table_without_end": "the table ends after %(count)s rows without its end mark",
    "table_cut_off": "the table is cut off at offset %(at)s",
    "no_table_item": "no item of a table begins at offset %(at)s",
    "table_item_cut_off": "the item at offset %(at)s is cut off",
    "no_row_of_file_summary": "%(row)s is no row of the file summary",
    "no_row_of_store_index": "%(row)s is no row of the store's index",
    "run_too_long": "the run is too long: %(bound)s (%(most)s)",
}


R = TypeVar("R", bound="Refusal")
NAMES = ("name", "known")
"""Values that may be labels with another virtual host, which are shown as `prod: orders`."""


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class Refusal(EngineError):
    """A refusal, as a code with named parameters; its text is an English sentence. `code`: a key of
    `sentences`. `outer`: prefix of the sentence, such as `commands[3]: `.
    """

    sentences: ClassVar[Mapping[str, str]] = ENGLISH
    """The English sentence of each code; code above the engine adds its own in a subclass."""

    def __init__(self, code: str, /, outer: str = "", **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.outer = outer
        self.values = {name: _plain(value) for name, value in values.items()}
        for name in NAMES:
            if isinstance(self.values.get(name), str):
                self.values[name] = str(self.values[name]).replace(BREAK, ": ")

    def __str__(self) -> str:
        return (self.outer + self.sentences[self.code] % self.values).strip()

    def __reduce__(self) -> tuple[object, ...]:
        return _refusal, (type(self), self.code, self.outer, self.values)

    def inside(self, outer: str, kind: type[R]) -> R:
        """Return the same as an error of another kind, with `outer` in front."""
        for name in ("place", "words"):
            if name in self.values:
                return kind(self.code, self.outer, **{**self.values, name: f"{outer}{self.values[name]}"})
        return kind(self.code, outer + self.outer, **self.values)


def _plain(value: object) -> str | int:
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _refusal(kind: type[Refusal], code: str, outer: str, values: dict[str, str | int]) -> Refusal:
    return kind(code, outer, **values)


class InvalidSetting(Refusal):
    """A setting is outside what the rules allow."""

    @classmethod
    def of(cls, name: str, value: object, allowed: str) -> InvalidSetting:
        return cls("setting_impossible", name=name, value=value, allowed=allowed)


class RunHalted(EngineError):
    """The log reached the number of transitions at which it halts; the node must not be used any more."""


class InvariantBroken(EngineError):
    """The queue's own assertions failed (Q2, Q6-Q8, S253): a defect of this engine, never of the user."""


class ProcessCrash(EngineError):
    """The queue's process ends in the middle of a call, where the broker's does: no clause matches (V8, V9).
    `queue`: name of the queue, as transitions carry it. `function`: module and function that has no clause,
    as Erlang writes them: "rabbit_variable_queue,d". `arguments`: its arguments, or the value that no clause
    of a case in it takes, as Erlang writes them.
    """

    def __init__(
        self,
        queue: str,
        function: str,
        arguments: str,
        kind: Literal["function_clause", "case_clause"] = "function_clause",
    ) -> None:
        self.queue = queue
        self.function = function
        self.arguments = arguments
        self.kind = kind
        self.fetched: list[Any] = []
        """Messages that the same call had taken before, which clients have got."""
        self.caller: tuple[str, str] | None = None
        """The channel that waits for the call's answer, and the consumer that the call begins, empty for none."""
        super().__init__(f"{queue}: {self.reason}")

    @property
    def reason(self) -> str:
        """What the broker's log begins with, without spaces."""
        if self.kind == "case_clause":
            return f"{{case_clause,{self.arguments}}},[{{{self.function},"
        return f"function_clause,[{{{self.function},[{self.arguments}]"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.queue, self.function, self.arguments, self.kind)


class EngineFailure(Refusal):
    """A refusal whose class implies its code, so that its parameters alone make it."""

    _given: tuple[object, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._given


class FileCorrupt(Refusal):
    """A file holds what the broker would crash on; the parameter `at`, where it has one, is the offset of that."""

    @property
    def offset(self) -> int | None:
        """Return the byte at which the damage begins, if it has a place."""
        at = self.values.get("at")
        return at if isinstance(at, int) else None


class IndexCorrupt(FileCorrupt):
    """A queue index file holds what the broker would crash on (S119)."""


class StoreCorrupt(FileCorrupt):
    """A store file holds what the broker would crash on (S209)."""


class StorageFull(EngineFailure):
    """The files would grow past the bound of this session; nothing was written. `needed`: bytes of the files
    after the refused write.
    """

    def __init__(self, path: str, needed: int, max_bytes: int) -> None:
        super().__init__("storage_full", path=path, needed=needed, most=max_bytes)
        self._given = path, needed, max_bytes


class FileMissing(EngineFailure):
    """There is no file at a path."""

    def __init__(self, path: str) -> None:
        super().__init__("no_file", path=path)
        self._given = (path,)


class PathRefused(Refusal):
    """A path leads outside the storage, or names something that is no plain file in it."""


class ScenarioError(Refusal):
    """A scenario cannot be used; the message names the place."""


class ValueRefused(Refusal, ValueError):
    """A value that its own class refuses; the validator hands it on, with the place where the value stands."""


class CommandError(Refusal):
    """A command was refused and nothing changed; the message names what to do instead."""


class RunTooLong(EngineFailure):
    """A run exceeds a bound of its player. `bound`: "transitions", "time", or an "event" with more than a log
    holds. `most`: the bound, None if it is not a number.
    """

    def __init__(self, bound: str, most: int | None) -> None:
        super().__init__("run_too_long", bound=bound, most="no number" if most is None else most)
        self._given = bound, most
        self.bound = bound


class ProcessCrashed(FileCorrupt):
    """The queue's process crashes, as the broker's does (W200, W202, W205). `reason`: the class of the error,
    as the broker logs it. `function`: the broker's function in which it happens. `path`: the file that it was
    at.
    """

    def __init__(self, reason: str, function: str, path: str) -> None:
        super().__init__("queue_crashes", reason=reason, function=function, path=path)
        self._given = reason, function, path
        self.reason = reason
        self.function = function

    def __reduce__(self) -> tuple[object, ...]:
        return ProcessCrashed, self._given
