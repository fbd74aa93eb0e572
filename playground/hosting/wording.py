"""The sentences that a host shows to people."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from playground.hosting.session.protocol import WorkFailure
from playground.hosting.verdict import judge
from playground.texts.page_message import PageMessage

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
WOKE_DIFFERENT = PageMessage(_("Repeating the session gave a different digest: this is our mistake."))


def files_failed(why: str) -> PageMessage:
    """Say that the files of a session cannot be used, in the words of the operating system."""
    text = _(
        "The session's files cannot be used (%(why)s). Everything you did is on record; the session goes on by "
        "itself when that is repaired."
    )
    return PageMessage(text, why=why)


def woke_in_other_version(then: str, now: str) -> PageMessage:
    """Say why a session is not quite what it was."""
    text = _(
        "The session was made with engine %(then)s; this is %(now)s. It was repeated and came out differently."
    )
    return PageMessage(text, then=then, now=now)


def failure(failed: WorkFailure) -> PageMessage:
    if failed.code == "files_failed":
        return files_failed(failed.values["why"])
    return FAILURES[failed.code]


def coded(code: str, values: Mapping[str, int | str]) -> PageMessage:
    """Return the sentence of a worker's code, with its numbers; with the code where a reader can act on them."""
    if code not in CODED:
        return ASLEEP
    return PageMessage(CODED[code], code=code if "room" in values else "", **values)


def verdict(expected: str | None, got: str, recorded_by: str, version: str) -> tuple[str, PageMessage]:
    """Say, with its level, whether a repeated run is the one that was recorded."""
    level, code, values = judge(expected, got, recorded_by, version)
    return level, coded(code, values)


FAILURES = {
    "broke": BROKE,
    "files_gone": FILES_GONE,
    "full_disk": FULL_DISK,
    "no_memory": NO_MEMORY,
    "no_room": NO_ROOM,
    "read_only": READ_ONLY,
    "too_many_open": TOO_MANY_OPEN,
}
"""By the codes of `session.failures`."""

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
