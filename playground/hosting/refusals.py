"""Sentences of a session in the reader's language: its host's, the engine's refusals, why there is no record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.base import refused
from engine.values.errors import CommandError, Refusal
from playground.hosting import protocol
from playground.hosting.file_records import NotThere
from playground.hosting.protocol import WorkFailure
from playground.texts import PageMessage

BROKE = PageMessage(_("That broke the engine; the session is back where it was before."))
ASLEEP = PageMessage(_("The session is being restored. Try again in a moment."))
BUSY = PageMessage(_("Too many commands are waiting already. Try again in a moment."))
ENDLESS = PageMessage(
    _(
        "The session's last command takes longer than this server allows, so the session has "
        "stopped. Take the command back with Undo."
    )
)
FAULT = PageMessage(
    _(
        "The engine found an error in itself. The session is at the last moment that was correct; try something else."
    )
)
FILES_FAILED = _(
    "The session's files cannot be used (%(why)s). Everything you did is on record; the session goes on by "
    "itself when that is repaired."
)
FULL_DISK = PageMessage(
    _(
        "The next step needs more disk than a session may use, so the session stopped before it. Consume, purge or "
        "stop."
    )
)
NOT_WRITTEN = PageMessage(_("The command could not be saved, so it was undone. Try again."))
NO_MEMORY = PageMessage(
    _(
        "The server has no memory left for this session. Everything you did is on record; it goes on by itself as "
        "soon as there is room."
    )
)
NEEDS_MEMORY = PageMessage(
    _(
        "Repeating this session takes more memory than this server allows, so the session has stopped. "
        "Take the last command back with Undo."
    )
)
NO_RECORD = PageMessage(
    _(
        "The server's database does not answer, so nothing can be saved. Nothing that was "
        "accepted is lost; the session goes on by itself as soon as the database answers."
    )
)
NO_ROOM = PageMessage(
    _(
        "The server's disk is full. Everything you did is on record; the session goes on by itself as soon as there "
        "is room."
    )
)
FILES_GONE = PageMessage(
    _(
        "The session's files are gone from the server's disk. Everything you did is on record, and the files are "
        "made again from it."
    )
)
READ_ONLY = PageMessage(
    _(
        "The server cannot write the session's files: the disk is read-only, or the permission is missing. Everything "
        "you did is on record; the session goes on by itself when that is repaired."
    )
)
RESUMED = PageMessage(_("The problem is solved: the session continues where it was."))
TOO_MANY_OPEN = PageMessage(
    _(
        "The server has too many open files. Everything you did is on record; the session goes on by itself when "
        "others have closed theirs."
    )
)
NOT_STRUCK_OUT = PageMessage(_("The undo could not be saved, so nothing is undone. Try again in a moment."))
NOTHING_TO_UNDO = PageMessage(_("There is no command to undo; the scenario's own commands stay."))
NOTHING_LEFT = PageMessage(_("Nothing more will happen by itself. Publish something, or start a consumer."))
STRUCK_OUT = PageMessage(
    _("Undone. As soon as the problem is solved, the session runs again without its last command.")
)
TOO_LONG = PageMessage(
    _(
        "Repeating this session takes longer than this server allows, so the session has "
        "stopped. Everything you did is on record: take the last command back with Undo, or "
        "share the session and go on in a new one."
    )
)
TAKEN_BACK = PageMessage(
    _("Undone: the session was run again without its last command, and is now at the moment before it.")
)
WATCHING_ONLY = PageMessage(
    _("You are watching somebody else's session: here the console answers questions, but changes nothing.")
)
SLEEPS = PageMessage(_("Nobody did anything for a while, so the session sleeps. Anything you do wakes it."))
STOPPED = PageMessage(_("The session had to stop. Load the page again to go on."))
TOOK_MEMORY = PageMessage(
    _(
        "This session took more memory than this server allows, so its engine has ended. The session goes back to "
        "what is on record, and pauses there; do less at once."
    )
)
UNDONE = PageMessage(_("The session cannot be repeated with its last command, so that command was undone."))
UNREPEATABLE = PageMessage(
    _("This engine cannot repeat the session: its scenario breaks it. Download the scenario to report it.")
)
WAKES = PageMessage(_("Waking the session: repeating what happened in it."))
WORKER_LOST = PageMessage(
    _(
        "The process that ran this session's engine has ended. Everything you did is on record; "
        "the session continues in another process."
    )
)
LOST = {None: WORKER_LOST, "time": ENDLESS, "memory": TOOK_MEMORY}
"""By of what the session took too much."""
WOKE_IN_OTHER_VERSION = _(
    "The session was made with engine %(then)s; this is %(now)s. It was repeated and came out differently."
)
WOKE_DIFFERENT = PageMessage(_("Repeating the session gave a different digest: this is our mistake."))


def failure(failed: WorkFailure) -> PageMessage:
    """Say why a run failed; where its files cannot be used, in the words of the operating system."""
    return FAILURES.get(failed.code) or PageMessage(FILES_FAILED, **failed.values)


def coded(code: str, values: Mapping[str, int | str]) -> PageMessage:
    """Return the sentence of a worker's code, with its numbers; with the code where a reader can act on them."""
    if code not in CODED:
        return ASLEEP
    return PageMessage(CODED[code], code=code if "room" in values else "", **values)


FAILURES = {
    "broke": BROKE,
    "files_gone": FILES_GONE,
    "full_disk": FULL_DISK,
    "no_memory": NO_MEMORY,
    "no_room": NO_ROOM,
    "read_only": READ_ONLY,
    "too_many_open": TOO_MANY_OPEN,
}
"""By the codes of `protocol.of`."""

CODED = {
    "full": _(
        "The session holds %(messages_n)s messages and %(bytes_mib)s MiB on disk; it may hold %(most_n)s and "
        "%(most_bytes_mib)s MiB. Publishers were stopped. Consume or purge to make room."
    ),
    "too_many_bytes": _(
        "These messages could take %(wanted_mib)s MiB on disk; the session has room for %(most_mib)s MiB, and "
        "%(used_mib)s MiB are taken or promised. %(room_n)s of this size fit. Publish fewer or smaller ones, or purge."
    ),
    "too_many_messages": _(
        "The session holds %(held_n)s messages and may hold %(most_n)s. "
        "Publish fewer, or let consumers take some, or purge."
    ),
    "asked": _("The run waits for your answer; then it goes on."),
    "run_ends": _("This is where the scenario ends. Play on, or change something."),
    "run_repeated": _("This is where the recorded run ends, and it is the same run: digest %(digest)s."),
    "run_of_another_engine": _(
        "This is where the recorded run ends. It was recorded with engine %(then)s; engine %(now)s behaves "
        "differently, so this is not the same run (digest %(got)s, recorded %(expected)s)."
    ),
    "run_differs": _(
        "This should be the recorded run, but the digest is %(got)s instead of %(expected)s: our mistake."
    ),
    "waking": _("Waking the session: %(percent)s %% of its time repeated."),
    "worn_out": _(
        "This session has reached its limit (%(steps)s steps, or %(hours)s hours of its own time). Share "
        "it, or go on in a new one."
    ),
}
"""By the codes that a worker uses."""


_BUFFERS: Final = {
    "journal": "journal",
    "segment": "journal",
    "persistent": "persistent",
    "transient": "persistent",
}
"""The buffer in which a record waits, by the kind of its file."""


def missing_words(missing: NotThere, kind: str) -> dict[str, str]:
    """Return the sentences of all reasons why there is no record, by the reason."""
    words = {
        "asleep": _("While the session sleeps it has no files. They are made again as soon as it runs."),
        "no_file": _("There is no such file now: it has not been made yet, or it was deleted."),
        "no_record": _("No record begins there now: the file has changed. Choose the message again."),
        "future": _("The run has not reached that moment yet."),
        "too_long": _("Repeating the run up to that moment takes longer than this server allows."),
        "busy": _("Other moments are being repeated. Try again in a moment."),
        "absent": _(
            "The index files have no record of this message: it waits in a write buffer, or only RAM knows it."
        ),
    }
    if missing.reason == "waiting":
        text = {
            "journal": _("These bytes are still in the journal's buffer: the file ends at %(size)s."),
            "persistent": _("These bytes are still in the 1 MiB write buffer: the file ends at %(size)s."),
            "slots": _("These bytes are still in a write buffer: the file ends at %(size)s."),
        }[_BUFFERS.get(kind, "slots")]
        words["waiting"] = text % {"size": missing.numbers["size"]}
    return {reason: str(text) for reason, text in words.items()}


NAME_TAKEN: Final = _("The name %(name)s is taken. Choose another.")
TEXTS: Final[dict[str, Any]] = {
    # --- commands that cannot be done now ---
    "too_many_messages": _(
        "The node holds %(held_n)s messages and may hold %(most_n)s. Publish at most %(room_n)s, or purge or "
        "consume first."
    ),
    "too_many_bytes": _(
        "So many messages (%(count_n)s) could need %(needed_mib)s MiB on disk; %(free_mib)s of %(most_mib)s MiB are "
        "free. Publish fewer or smaller messages, or purge first."
    ),
    "broker_stopped": _("The broker is stopped. Start it in the console with start_app first."),
    "quorum_queue": _(
        "A quorum queue keeps its messages in a log that several nodes agree on by Raft. It is not part of Waterline, "
        "which shows classic queues. Read rabbitmq.com/docs/quorum-queues, and leave %(name)s = %(value)s out."
    ),
    "stream": _(
        "A stream is a log that consumers read without taking anything out. It is not part of Waterline, which shows "
        "classic queues. Read rabbitmq.com/docs/streams, and leave %(name)s = %(value)s out."
    ),
    "no_vhost": _("There is no virtual host called %(name)s."),
    "first_vhost": _("%(name)s is the virtual host that every session has; it stays."),
    "too_many_vhosts": _("There are %(most)s virtual hosts already; delete one first."),
    "no_vhost_name": _(
        "%(place)s must be the name of a virtual host: 1 to %(most)s bytes, without line breaks."
    ),
    "too_many_channels": _("There are %(most)s channels already. Close a connection first."),
    "not_held": _("Held by hand: %(held)s, not %(count)s. First use Get, or a consumer with acks by hand."),
    "ack_mode_fixed": _(
        "%(name)s holds messages (%(held)s), so its way of acknowledging cannot change. Remove it, and "
        "add it again."
    ),
    "queue_fixed": _(
        "%(name)s holds messages (%(held)s), so its queue cannot change. Remove it, and add it again."
    ),
    "name_taken": NAME_TAKEN,
    "name_of_page": _(
        "Waterline uses the name %(name)s for something else: a queue's member on a node, or one of its "
        "priorities. Choose another name."
    ),
    "name_reserved": NAME_TAKEN,
    "too_many_actors": _("There are %(most)s publishers and consumers already. Remove one first."),
    "no_actor": _("There is no publisher or consumer called %(name)s."),
    "no_queue": _("There is no queue called %(name)s."),
    "no_node": _("There is no node called %(name)s."),
    "node_down": _("Node %(name)s does not run. Start it first, or use one that runs: %(known)s."),
    "node_runs": _("Node %(name)s runs already."),
    "node_waits": _("Node %(name)s waits for %(last)s, which stopped last. Start that one first."),
    "not_mirrored": _("%(name)s has no mirrors by policy. Set a policy with ha-mode first."),
    "release_without_mirrors": _(
        "RabbitMQ %(release)s has no mirrored queues. Use one node, or another release."
    ),
    "cluster_instant": _(
        "Work takes no time in a cluster of several nodes. Use one node to see what work costs."
    ),
    "never_stops": _(
        "Queue %(name)s is in a conversion that never ends, so the node cannot stop in order. Kill the node, or the "
        "queue."
    ),
    "no_member": _("%(name)s has no member on %(node)s."),
    "no_consumer": _("There is no consumer called %(name)s."),
    "policy_crashes": _(
        "%(key)s = %(value)s ends RabbitMQ's own check with an error, so no policy is set. Write another value."
    ),
    "no_policy": _("There is no policy called %(name)s."),
    "no_channel": _("No client called %(name)s has a channel."),
    "too_many_queues": _("There are %(most)s queues already. Delete one first."),
    "too_many_priorities": _(
        "Each priority is a backing queue of its own, and there may be %(most)s. x-max-priority is at most "
        "%(room)s here."
    ),
    "too_many_exchanges": _("There are %(most)s exchanges already. Delete one first."),
    "too_many_bindings": _("There are %(most)s bindings already. Remove one first."),
    "too_many_policies": _("There are %(most)s policies already. Clear one first."),
    "only_asks": _("%(line)s only asks; it changes nothing."),
    "pattern_too_long": _("A pattern may have at most %(most)s characters. Write a shorter one."),
    "pattern_repeats_twice": _(
        "Character %(at)s of the pattern repeats a repeat, which is not understood here. Put the first one in a group."
    ),
    "pattern_repeats_too_often": _(
        "The repeat at character %(at)s of the pattern is not understood here. Write {n} or {n,m} with n not above m, "
        "both at most %(most)s."
    ),
    "pattern_group_unknown": _(
        "The group at character %(at)s of the pattern is not understood here. Possible: (...), (?:...), (?=...) and "
        "(?!...)."
    ),
    "pattern_too_deep": _(
        "The group at character %(at)s of the pattern is nested too deeply. At most %(most)s levels "
        "are possible."
    ),
    "pattern_too_costly": _(
        "Matching the pattern against a name of %(letters)s letters could take more than %(most)s steps. Use fewer or "
        "smaller repeats inside repeats."
    ),
    "pattern_escape_unknown": _(
        "%(found)s at character %(at)s of the pattern is not understood here. Possible: \\d, \\w, \\s and "
        "their capitals."
    ),
    "broker_refuses": "%(words)s",
    # --- values ---
    "no_command": _('A command must be an object, such as {"do": "purge"}.'),
    "no_verb": _("do must be one of these: %(verbs)s."),
    "no_amount": _("%(text)s is not an amount of bytes. Write it like 512MiB, 1GB or 1073741824."),
    "setting_impossible": _("%(name)s cannot be %(value)s. Possible: %(allowed)s."),
    "not_whole": _("%(place)s must be a whole number."),
    "no_time": _("%(place)s must be a whole number."),
    "not_whole_between": _("%(place)s must be a whole number from %(least)s to %(most)s."),
    "not_a_number": _("%(place)s must be a number."),
    "not_a_flag": _("%(place)s must be true or false."),
    "not_text": _("%(place)s must be text."),
    "not_an_object": _("%(place)s must be an object."),
    "not_a_list": _("%(place)s must be a list."),
    "too_small": _("%(place)s must be at least %(least)s."),
    "not_above": _("%(place)s must be more than %(least)s."),
    "too_high": _("%(place)s must be at most %(most)s."),
    "after_the_end": _("%(place)s must be at most %(most)s."),
    "too_large": _("%(place)s is too large."),
    "too_short": _("%(place)s must have at least %(least)s characters."),
    "too_long": _("%(place)s must have at most %(most)s characters."),
    "too_many_elements": _("%(place)s must have at most %(most)s elements."),
    "wrong_length": _("%(place)s must have this number of elements: %(wanted)s, not %(got)s."),
    "no_name": _("%(place)s must begin with a letter; after it only a-z, 0-9, ., - and _ are allowed."),
    "name_no_text": _("%(place)s is not a text that UTF-8 can write."),
    "column_unreadable": _("%(place)s must be written as an import packs it."),
    "column_of_others": _("%(place)s must have one value for each message: %(count)s."),
    "column_too_large": _("%(place)s must have values of at most %(most)s."),
    "column_too_long": _(
        "%(place)s has %(count_n)s values; a burst takes up to %(most_n)s that differ. Split it, or give all messages "
        "the same."
    ),
    "sizes_other_mean": _("size_bytes must be the mean of %(place)s, rounded up."),
    "expirations_beside_one": _(
        "Leave out expiration_ms and expiration: %(place)s already has one for each message."
    ),
    "name_too_long": _("%(place)s must have at most %(most)s bytes of UTF-8."),
    "name_line_break": _("%(place)s has a line break, which the broker takes out of a name. Leave it out."),
    "no_such_value": _("%(place)s is none of the possible values."),
    "missing": _("%(place)s is missing."),
    "unknown": _("%(place)s is not known here."),
    "no_property": _("%(place)s: there is no property called %(name)s. Possible: %(known)s."),
    "too_many_values": _("%(place)s must have at most %(most)s values."),
    "table_too_deep": _("%(place)s must be nested in at most %(most)s levels."),
    "no_field_name": _("%(place)s: a name must have 1 to %(most)s bytes."),
    "field_text_too_long": _("%(place)s: a text must have at most %(most)s characters."),
    "no_field_number": _("%(place)s: a number must be a whole number of at most %(most)s bits."),
    "no_event_kind": _("There is no transition called %(name)s with these fields: %(fields)s."),
    "no_field_value": _("%(place)s: AMQP has no value of the type %(got)s."),
    "one_of_two": _("Give either %(first)s or %(second)s, not both."),
    "one_of_several": _("Give exactly one of these: %(names)s."),
    "conditions_too_deep": _("Conditions may be nested in at most %(most)s levels."),
    "measures_too_deep": _("Measures may be nested in at most %(most)s levels."),
    "invalid": "%(words)s",
    # --- scenarios ---
    "scenario_too_large": _("A scenario has at most %(most)s bytes; this one has %(count)s."),
    "no_json": _("This is not a scenario: it is not JSON."),
    "no_object": _("This is not a scenario: it must be an object."),
    "other_version": _("The version of the scenario must be %(version)s; this program knows no other."),
    "no_setting": _("settings: there is no setting called %(name)s."),
    "twice": _("topology.%(part)s has %(name)s twice."),
    "topology_refused": _("The topology cannot be declared: %(words)s"),
    "out_of_order": _("commands[%(number)s].at_us is earlier than that of the command before it."),
    # --- files and runs ---
    "storage_full": _(
        "The files would need %(needed)s bytes, and this session may have %(most)s. Drain or purge the queue, or use "
        "fewer or smaller messages."
    ),
    "no_file": _("There is no file %(path)s."),
    "queue_crashes": _("The queue's process crashes at %(path)s: %(reason)s in %(function)s."),
    "path_too_long": _("%(path)s is not a path of a session's files: it needs 1 to %(most)s characters."),
    "path_not_plain": _(
        "%(path)s is not a path of a session's files: it must be relative, without empty names and "
        "without . and .."
    ),
    "path_name_too_long": _(
        "%(path)s is not a path of a session's files: a name has more than %(most)s bytes."
    ),
    "path_signs": _(
        "%(path)s is not a path of a session's files: a name has a backslash or a control character."
    ),
    "path_of_storage": _("%(path)s is not a path of a session's files: %(name)s belongs to the storage."),
    "path_of_directory": _("%(path)s is not a path of a session's files: it is a directory."),
    "path_below_file": _("%(path)s is not a path of a session's files: %(file)s is a file."),
    "stray_byte": _("The segment file ends with a single byte at offset %(at)s."),
    "no_record_begins": _("No record begins with %(found)s, which is at offset %(at)s."),
    "entry_too_high": _("Entry %(entry)s at offset %(at)s is too high: a segment has %(entries)s entries."),
    "embedded_unreadable": _("The message embedded at offset %(at)s cannot be read."),
    "embedded_other_id": _("The message embedded at offset %(at)s has another id than its record."),
    "record_too_small": _("A record of %(size)s B at offset %(at)s has no room for its id."),
    "index_version_2": _(
        "%(path)s belongs to a queue of version 2. Convert the queue to version 1 on its node first."
    ),
    "no_segment_number": _("%(path)s does not begin with a segment's number. Remove the file."),
    "journal_impossible": _("The records of %(path)s do not fit what the segment files hold."),
    "no_journal_action": _("A journal has no action %(action)s."),
    "slots_impossible": _(
        "Messages %(first)s to %(last)s: what the journal adds cannot follow what the segment file has (%(rule)s)."
    ),
    "mark_without_message": _(
        "Messages %(first)s to %(last)s are marked as delivered or acknowledged, but have no publish record."
    ),
    "left_over_file": _(
        "%(path)s is left from a combination of files, but there is no %(wanted)s to which it could be appended."
    ),
    # --- Erlang terms, AMQP properties and table dumps in files ---
    "term_without_version": _("An external term must begin with byte %(version)s."),
    "term_cut_off": _("The term is cut off at byte %(at)s; %(count)s B is missing."),
    "term_too_deep": _("The term is nested in more than %(most)s levels."),
    "bytes_behind_term": _("%(count)s B follow the end of the term."),
    "too_few_bytes": _("Elements (%(count)s) do not fit into the %(left)s B that are left."),
    "unknown_tag": _("The tag %(tag)s at byte %(at)s is not known."),
    "atom_not_in_charset": _("The name of an atom is not %(charset)s."),
    "no_float": _("%(text)s is not a number with a decimal point."),
    "no_external_form": _("%(value)s cannot be written as an external term."),
    "no_basic_message": _("The term is no basic_message (S50)."),
    "unknown_properties": _("These properties are not known: %(names)s."),
    "property_impossible": _("%(value)s cannot be the value of a property."),
    "no_short_string": _("A short string has at most 255 bytes, not %(count)s."),
    "unknown_field_type": _("The field type %(letter)s is not known."),
    "field_impossible": _("%(value)s cannot be a field of type %(letter)s."),
    "unknown_property_flags": _("The property flags %(flags)s are not known."),
    "bytes_behind_properties": _("%(count)s B follow the end of the property list."),
    "properties_cut_off": _("The property list is cut off at byte %(at)s."),
    "fields_end_elsewhere": _("A table or array must end at byte %(end)s, but ends at byte %(at)s."),
    "no_table_dump": _("A table dump must begin with the bytes %(wanted)s."),
    "table_without_description": _("The table has no description."),
    "table_counts_other_rows": _("The number of the table's rows (%(count)s) differs from its end mark."),
    "table_without_end": _("The table ends without an end mark; rows before that: %(count)s."),
    "table_cut_off": _("The table is cut off at offset %(at)s."),
    "no_table_item": _("No item of a table begins at offset %(at)s."),
    "table_item_cut_off": _("The item of the table at offset %(at)s is cut off."),
    "no_row_of_file_summary": _("%(row)s is not a row of the file summary."),
    "no_row_of_store_index": _("%(row)s is not a row of the index of a message store."),
    "run_too_long": _("The run is too long to be played here."),
}


def of(refusal: protocol.CommandRefused) -> PageMessage:
    """Return the sentence of a worker's refusal: the engine's, or its own."""
    if refusal.by_engine:
        return PageMessage(TEXTS[refusal.code], code=refusal.code, **refusal.values)
    return PageMessage(refusal.text) if refusal.text else coded(refusal.code, refusal.values)


def message_of(error: Exception, texts: Mapping[str, Any] = TEXTS) -> PageMessage:
    """Return the sentence of a refusal, with its code and parameters; any other error as it is. `error`: a refusal of
    the engine or of what is built on it, a finding of the validator, or anything else.
    """
    if isinstance(error, msgspec.ValidationError):
        error = refused(Refusal, error)
    if not isinstance(error, Refusal):
        return PageMessage(str(error))
    message = PageMessage(texts[error.code], code=error.code, **error.values)
    if error.outer and not isinstance(
        error, CommandError
    ):  # which of a file's commands it is; a form shows its own
        return PageMessage("%(outer)s%(why)s", code=error.code, outer=error.outer, why=message)
    return message
