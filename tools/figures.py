"""`python -m tools.figures [--check]`: write docs/figures.md from what was measured, or report that it is out of date.

Nobody copies a number into a document by hand: benches, proofs and coverage leave files, and this page is made of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("docs/figures.md")
BENCHES = Path("bench/results.json")
PROOFS = Path("fidelity")
COVERAGE = Path("tests/coverage.json")
HEAD = """# Figures

Written by `python -m tools.figures` from `bench/results.json`, `fidelity/` and what `make coverage` found: measure anew
instead of changing this page.
"""
OF_MIXED = """
A mixed log is one as it comes: half of its messages are persistent, 18 in 100 belong to a store, and the
neighbour is of another class two times in three. The goal is {ledger} messages a second, and {files} with
files; it is not reached. Lanes, transitions and totals take such messages many at once. What is left is paid
for each run of one class, which has 1.6 messages: its record in the index and its place in a segment, its row
in a store, and with files its bytes. Calls a message, which no busy machine changes, are bounded in
`tests/unit/classic_v1/test_mixed_log.py`. To go further, index and store would need runs with holes: one entry
for many messages, with a column that says which of them it has.
"""
"""What the figures of a mixed log mean, below the table that has them."""
WORDS = """
## Words held to the picture

{on}: {runs} random runs by `make words`, in three languages. At each moment each surface says what the state and the
transition say; the dock is also the same live, in frames, by link, from the middle on, and recorded. The numbers are of
moments, and of the sentences (gauges, rows, values) that each surface said at them.

{table}

The time line of one run (12 messages, 40 more, a consumer) as `python -m tools.timelines` draws it with the page's own
scripts: live, by its link, and in the page that works offline. A walk had found three different ones.

![one run's time line in three ways](img/timelines.png)

What it found since it is held at every moment:

{found}
"""
"""The table of the page's words."""
GATHERED = """
## A gathered log beside its rows

{on} {logs} logs of {rows} rows, each as its import gathers it into {bursts} bursts, beside the same log row by row:

{names}

Of {metrics} metrics these differ by more than {most} %, by as much as here in one log. Sweeps leave them empty for such
an import, peak memory only where nobody reads the queue. All others agree within {most} %, or within what one burst
has: its width in seconds, its messages, its bytes.

| metric | {releases} |
|---|{columns}
{table}
"""
"""The table of metrics that a gathered log does not answer."""
RELEASES = {
    "articles": "3.8.9",
    "3.8.9-classroom": "3.8.9 classroom",
    "real": "3.10.8",
    "classroom": "3.10.8 classroom",
    "4.0.5-classroom": "4.0.5 classroom",
    "4.3.6": "4.3.6",
    "4.3.6-classroom": "4.3.6 classroom",
}
"""Profiles of the random runs, and what they are called in the table."""
Row = tuple[str, str]


def whole(value: float) -> str:
    """Return a whole number with its thousands apart."""
    return f"{value:,.0f}".replace(",", " ")


def proofs(folder: Path) -> Iterator[Row]:
    """Yield what was proved of the engine."""
    results, differential, interop, stories, webassembly = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("results", "differential", "interop", "stories", "webassembly")
    )
    traces = results["traces"]
    yield "recordings of the real broker, replayed whole", f"{traces['whole']} of {traces['traces']}"
    yield (
        "random programs of the queue, equal on a real node",
        f"{whole(differential['equal'])} of {whole(differential['programs'])}",
    )
    old = json.loads((folder / "differential-3.8.9.json").read_text(encoding="utf-8"))
    yield (
        "random programs of the queue, equal on a real node of 3.8.9",
        f"{whole(old['equal'])} of {whole(old['programs'])}",
    )
    yield "random AMQP programs, equal on a real node", f"{stories['equal']} of {stories['stories']}"
    yield (
        "random AMQP programs of which the broker shows several outcomes, the engine's among them",
        str(len(stories["by_chance"])),
    )
    for name, label in (
        ("engine_to_node", "queues that a real node read from the engine's files"),
        ("node_to_engine", "queues that the engine read from a real node's files"),
    ):
        each = interop[name]
        yield label, f"{each['queues'] - len(each['differing'])} of {each['queues']}"
    exchanged = json.loads((folder / "interop-3.8.9.json").read_text(encoding="utf-8"))
    for name, label in (
        ("engine_to_node", "queues that a real node of 3.8.9 read from the engine's files"),
        ("node_to_engine", "readings of queues in directories of a real 3.8.9 that are equal"),
    ):
        each = exchanged[name]
        yield label, f"{each['queues'] - len(each['differing'])} of {each['queues']}"
    for place, where in (("node", "Node.js"), ("chromium", "a worker of Chromium")):
        found = webassembly[place]
        label = f"ready scenarios and exercises with the same digest in WebAssembly, in {where}"
        yield label, f"{found['played'] - len(found['different'])} of {found['played']}"
    words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    seen = "headline, log, Why?, gauges and table agree, in three languages"
    yield f"moments of {whole(words['runs'])} random runs at which {seen}", whole(words["moments"])
    rules = results["rules"]
    yield "rules that concern the engine and are cited by it", f"{rules['engine_cited']} of {rules['engine']}"


def one_at_a_time(found: dict[str, Any]) -> Iterator[Row]:
    """Yield what one message after the other costs, on the sources and on what was compiled of them."""
    kinds = {
        "transient": "transient",
        "persistent_embedded": "body in the index",
        "persistent_stored": "body in a store",
    }
    for kind, what in kinds.items():
        label = f"messages a second, each published, fetched and acked by itself, {what}"
        yield label, whole(found[f"{kind}_messages_per_s"])
        if compiled := found.get("compiled"):
            yield f"{label}, compiled engine", whole(compiled[f"{kind}_messages_per_s"])


def benches(found: dict[str, Any]) -> Iterator[Row]:
    """Yield what the benches measured."""
    burst, wire, frames = found["burst"], found["wire"], found["frames"]
    yield "messages a second in a burst, sizes only", whole(burst["ledger_messages_per_s"])
    yield "messages a second in a burst, real files", whole(burst["files_messages_per_s"])
    yield from one_at_a_time(found["one_at_a_time"])
    kinds = {"embedded": "bodies in the index", "stored": "bodies in a store", "mixed": "mixed"}
    kinds |= {"mixed_compiled": "mixed, compiled engine"} if found["unequal"].get("mixed_compiled") else {}
    for kind, what in kinds.items():
        log = found["unequal"][kind]
        label = f"messages a second of a log in which each has its own size, {what}"
        yield f"{label}, sizes only", whole(log["ledger_messages_per_s"])
        yield f"{label}, real files", whole(log["files_messages_per_s"])
    yield "bytes to the browser for a burst of a million messages", whole(wire["bytes"])
    yield "the same, compressed", whole(wire["compressed_bytes"])
    for load in ("light", "heavy"):
        each = frames[load]
        label = f"milliseconds of work for one drawn frame with {whole(each['messages'])} messages, 95 in 100"
        yield label, f"{each['work_ms_p95']:.1f}"
    memory, wake, room = found["session_memory"], found["wake"], found["classroom"]
    yield "MB of a session with a million messages", f"{memory['bytes']['well_filled'] / 1e6:.1f}"
    label = f"seconds to wake a session of {whole(wake['transitions'])} transitions, from a checkpoint"
    yield label, f"{wake['restored_s']:.2f}"
    yield f"{room['students']} students at work: a command until accepted", room["command_until_accepted"]
    yield f"{room['students']} students: a freeze until everybody knows", room["freeze_until_everybody_knows"]
    yield from lessons(found["school"])
    yield from class_counts(found["class_counts"])
    cost, sweep, cluster = found["session_cost"], found["sweep"], found["cluster"]
    yield "percent of one core for a session with a student at work", f"{cost['at_work_core_pct']:.1f}"
    yield "milliseconds of processor for one command in it", f"{cost['command_ms']:.1f}"
    yield "the same in release 0.2.0", f"{cost['release_command_ms']:.1f}"
    yield (
        "seconds for a sweep's cell of a million messages",
        f"{sweep['plain_seconds_per_million_messages']:.2f}",
    )
    yield from imported_logs(found["imported_log"])
    yield from prices(found["peers"])
    yield "cells a second with Spark, of those of as many plain processes", f"{sweep['of_the_pool']:.2f}"
    yield (
        "the cost of the same work on three mirrored nodes, in costs of one node",
        f"{cluster['three_nodes_over_one']:.2f}",
    )
    yield "times less than in 0.2.0 that a student at work costs", f"{cost['times_less_at_work']:.1f}"
    asleep = f"{cost['times_less_where_processors_sleep']:.1f}"
    yield "the same where processors sleep between two pieces of work", asleep
    edition = found["static_edition"]
    for device, label in (("desktop", "on a desktop"), ("phone", "with a processor four times slower")):
        for visit, which in (("cold", "at the first visit"), ("warm", "at the second")):
            found = edition[device][visit]
            yield (
                f"seconds until the static edition shows a run, {label}, {which}",
                f"{found['picture_s']:.1f}",
            )
            yield f"seconds until its own engine answers, {label}, {which}", f"{found['engine_s']:.1f}"
    sent_bytes = edition["desktop"]["cold"]["sent_bytes"]
    yield "MB that the static edition sends at the first visit", f"{sent_bytes / 1e6:.1f}"
    yield "MB of all its files", f"{edition['dist']['bytes'] / 1e6:.1f}"
    yield (
        "kB of the page of a story that works offline, the largest",
        whole(edition["largest_story_page_bytes"] / 1e3),
    )
    label = f"kB of such a page of a run with {whole(edition['messages_of_long_run'])} messages"
    yield label, whole(edition["long_run_page_bytes"] / 1e3)


def imported_logs(log: dict[str, Any]) -> Iterator[Row]:
    """Yield what a log costs that somebody imports, from the sources and on the compiled engine."""
    yield "rows of a log imported in a second", whole(log["imported_rows_per_s"])
    for each, of in ((log, ""), (log.get("compiled"), ", compiled engine")):
        if each:
            label = "messages a second of an imported log with a consumer"
            yield f"{label}, sizes only{of}", whole(each["log_messages_per_s"])
            yield f"{label}, real files{of}", whole(each["log_files_messages_per_s"])
            label = "seconds for a heatmap's cell of an imported log of a million rows"
            yield f"{label}{of}", f"{each['seconds_for_a_cell_of_a_million_rows']:.1f}"
            yield (
                f"minutes for 400 such cells on two cores{of}",
                f"{each['minutes_for_400_cells_on_2_cores']:.0f}",
            )


def prices(peers: dict[str, Any]) -> Iterator[Row]:
    """Yield what a message of the same log costs in programs that only calculate waits, and in the engine."""
    rows = whole(peers["messages"])
    for name, us in peers["us_a_message"].items():
        what = "the engine as " if name in RELEASES.values() else ""
        yield f"microseconds a message of a log of {rows} with a backlog, {what}{name}", f"{us:.2f}"
    for name, count in peers["calls_a_message"].items():
        times = peers["us_a_message"][name] / peers["us_a_message"]["SimPy"]
        yield f"the price of fidelity: times what SimPy takes for it, the engine as {name}", f"{times:.1f}"
        yield f"calls of functions a message of it, the engine as {name}", f"{count:.0f}"


def lessons(school: dict[str, Any]) -> Iterator[Row]:
    """Yield how long students wait: on a server that uses all cores, and on a cluster of the same machine."""
    for layout, label in (("all_cores", "on all cores"), ("cluster", "on a cluster")):
        for name, lesson in school.items():
            if not name.endswith(f"_on_{layout}"):
                continue
            students = f"{lesson['students']} students {label}"
            yield f"{students}: a command until accepted", lesson["command_until_accepted"]
            yield f"{students}: a freeze until everybody knows", lesson["freeze_until_everybody_knows"]
            yield (
                f"{students}: all answer at once, until each is on record",
                lesson["answers_at_once_until_recorded"],
            )
            yield f"{students}: frames a second for each", f"{lesson['frames_a_second_for_each']:.1f}"


def class_counts(found: dict[str, Any]) -> Iterator[Row]:
    """Yield what a class costs, counted."""
    for name, label in (("an_answer", "a student's answer"), ("its_page", "the page after it")):
        yield f"calls of functions for {label}", whole(found[f"calls_of_{name}"])
        yield f"statements to the database for {label}", str(found[f"statements_of_{name}"])
        yield f"transactions that write for {label}", str(found[f"transactions_of_{name}"])
    yield "transactions for 20 commands at once", str(found["transactions_of_twenty_commands"])
    yield "writes to the worker for them", str(found["writes_to_the_worker_for_twenty_commands"])
    yield "writes to the worker for a freeze of 20", str(found["writes_to_the_worker_for_a_freeze_of_twenty"])


def coverage(parts: dict[str, Any]) -> Iterator[Row]:
    """Yield the share of lines and branches that the tests reach, part by part."""
    for name, share in parts.items():
        yield f"lines and branches of `{name}` that tests reach without browser and Spark", f"{share} %"


def table(title: str, rows: Iterator[Row], on: str) -> str:
    """Return a section with its table."""
    lines = "".join(f"| {label} | {value} |\n" for label, value in rows)
    return f"\n## {title}\n\n{on}\n\n| figure | measured |\n|---|---|\n{lines}"


def words_held(words: dict[str, Any]) -> str:
    """Return the section of what was held of the page's words: a row for each surface, a column for each release."""
    held = {RELEASES[profile]: words["held"][profile] for profile in RELEASES if profile in words["held"]}
    surfaces = sorted(
        {name for each in held.values() for name in each}, key=lambda name: (name != "moments", name)
    )
    lines = [f"| | {' | '.join(held)} |", "|---|" + "---|" * len(held)]
    for name in surfaces:
        counts = " | ".join(whole(each[name]) if name in each else "-" for each in held.values())
        lines.append(f"| {name} | {counts} |")
    found = "\n".join(f"- {each}" for each in words["found"])
    return WORDS.format(
        on=f"{engine_of(words)[:-1]}, {words['measured_on'].get('date', 'no date')}",
        runs=whole(words["runs"]),
        table="\n".join(lines),
        found=found,
    )


def gathered_log(found: dict[str, Any]) -> str:
    """Return the section of logs that an import gathers: a row for each metric that differs, a column a release."""
    releases, bursts = ("3.10.8", "4.3.6"), found["bursts"].values()
    lines = []
    for name, shares in found["apart"].items():
        each = (f"{100 * shares[one]:.0f} %" if one in shares else "agrees" for one in releases)
        lines.append(f"| `{name}` | {' | '.join(each)} |")
    return GATHERED.format(
        on=engine_of(found),
        logs=found["logs"],
        rows=whole(found["rows"]),
        bursts=f"{whole(min(bursts))} to {whole(max(bursts))}",
        names="\n".join(f"- {each}" for each in found["bursts"]),
        metrics=found["metrics"],
        most=f"{100 * found['bounds']['apart']:.0f}",
        releases=" | ".join(releases),
        columns="---|" * len(releases),
        table="\n".join(lines),
    )


def engine_of(measured: dict[str, Any]) -> str:
    """Return with which engine, and on what, something was measured."""
    on = measured["measured_on"]
    cores = f", Python {on['python']}, {on['cores']} cores" if "cores" in on else ""
    return f"Engine {on['engine']}{cores}."


def page(root: Path) -> str:
    """Return the page as the files beside it make it."""
    results = json.loads((root / BENCHES).read_text(encoding="utf-8"))
    proved = json.loads((root / PROOFS / "differential.json").read_text(encoding="utf-8"))
    text = HEAD + table("Proved", proofs(root / PROOFS), engine_of(proved))
    text += words_held(json.loads((root / PROOFS / "words.json").read_text(encoding="utf-8")))
    text += table("Measured", benches(results), engine_of(results["burst"]))
    goals = results["unequal"]["goals"]
    text += OF_MIXED.format(
        ledger=whole(goals["ledger_messages_per_s"]), files=whole(goals["files_messages_per_s"])
    )
    text += gathered_log(results["gathered_log"])
    if (root / COVERAGE).exists():
        reached = json.loads((root / COVERAGE).read_text(encoding="utf-8"))
        text += table("Reached by tests", coverage(reached["parts"]), engine_of(reached))
    return text


def main(arguments: list[str]) -> int:
    """Write the page; with --check only report whether it is as it should be."""
    text = page(ROOT)
    if "--check" not in arguments:
        (ROOT / PAGE).write_text(text, encoding="utf-8")
    elif (ROOT / PAGE).read_text(encoding="utf-8") != text:
        print(f"{PAGE} is out of date: python -m tools.figures", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
