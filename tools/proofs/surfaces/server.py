"""What each surface of the server answers about a column's run: that it works, or what its release does not have."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import AsyncClient, Client

from engine.broker.commands.scenario import parse
from engine.ctl.console import ask, operated
from engine.metrics import METRICS, is_had
from engine.releases import RELEASES, Feature
from engine.storage.ledger import LedgerStorage
from playground.browser_app import browser_app
from playground.classroom import selectors as classes
from playground.classroom.models import Classroom
from playground.comparing.reel import make
from playground.exercises import catalog, task
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session_record import RecordedSession
from playground.hosting.solo import SoloSession
from playground.inspecting import reading, uploads
from playground.inspecting.browser_inspect import InspectSession
from playground.inspecting.rehearsal import TARGETS
from playground.inspecting.uploads import read_choice
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.sessions import scenario_links
from playground.storybook import rehearsal
from playground.views.fidelity import WORKS
from sweeps.cell import Cell, outcome
from tests.conftest import RECORDINGS
from tests.web.test_records import body_of
from tools.proofs.surfaces.columns import COMMANDS, MIDDLE_US, UNTIL_US, Column
from workloads.imports import READERS, Options

TRACES: Final = RECORDINGS / "traces"
PAGING: Final = {
    "commands": [*COMMANDS, {"at_us": 6_000_000, "do": "publish", "count": 40, "size_bytes": 6144}],
    "until_us": 12_000_000,
    "settings": {"ram_bytes": 166 << 20, "base_memory_bytes": 50_000_000, "vm_memory_high_watermark": 0.6},
}
"""What a run of real constants needs so that memory pages: a small machine, and time for its timers."""
LINES: Final = (
    "list_queues name messages memory",
    "list_queues name backing_queue_status",
    "list_consumers",
    "list_connections",
    "list_channels",
    "list_exchanges",
    "list_bindings",
    "list_policies",
    "status",
    "version",
    "environment",
    "report",
    "rabbitmq-diagnostics memory_breakdown",
    "help",
)
"""What operators ask first."""


class Visit:
    """A browser with a session of a column's run that has reached its end.

    Args:
        column: release, version and scale.
    """

    def __init__(self, column: Column) -> None:
        self.column = column
        self.client = Client()
        self.run = column.run()

    def session(self) -> str:
        """Return the id of a session that has done it all."""
        return kept_runs.start_session(self.run, self.kept(), UNTIL_US).public_id

    def kept(self) -> Scenario:
        """Return the run as a link keeps it."""
        return kept_runs.keep_scenario(self.run)

    def page(self, address: str, **query: Any) -> bytes:
        """Return what an address answers; anything but 200 is a break."""
        response = self.client.get(address, query)
        assert response.status_code == 200, (address, response.status_code, response.content[:500])
        with _closed(response):
            return body_of(response) if response.streaming else response.content

    @async_to_sync
    async def stream(self, address: str) -> bytes:
        """Return what an address sends piece by piece."""
        response = await AsyncClient().get(address)
        assert response.status_code == 200, (address, response.status_code)
        with _closed(response):
            return b"".join([piece async for piece in response])

    def opened(self, address: str, **form: Any) -> Session:
        """Send a form, and return the session to which it leads."""
        response = self.client.post(address, form)
        assert response.status_code == 302, (address, response.status_code, response.content[:500])
        return Session.objects.get(public_id=response["Location"].split("/")[2])


Probe = Callable[[Visit], str]


@contextmanager
def _closed(response: Any) -> Iterator[None]:
    """Close a response after its use: a stream holds a place until then. The test's connection stays open."""
    yield
    request_finished.disconnect(close_old_connections)
    response.close()
    request_finished.connect(close_old_connections)


# --- the session's own addresses ---


def session_page(visit: Visit) -> str:
    """The live page names the release."""
    assert visit.column.release.name.encode() in visit.page(f"/s/{visit.session()}/")
    return WORKS


def sessions_page(visit: Visit) -> str:
    """The list of a browser's sessions has it."""
    session = visit.opened("/s/import", text=json.dumps(visit.run))
    assert session.public_id.encode() in visit.page("/s/")
    return WORKS


def console(visit: Visit) -> str:
    """The lines that operators ask first are answered, and none raises."""
    node = operated(parse(visit.run), LedgerStorage())
    node.advance(MIDDLE_US)
    for line in LINES:
        found = ask(line, node.snapshot(), node.now_us, node.live())
        assert found.text, line
        assert found.code == 0 or found.text.startswith(("Waterline: ", "Error")), (line, found)
    assert "orders" in ask("list_queues", node.snapshot(), node.now_us, node.live()).text
    return WORKS


def past(visit: Visit) -> str:
    """What came before a page was opened is told again."""
    told = json.loads(visit.page(f"/s/{visit.session()}/past", to=30))
    assert told["stretches"][0]["rows"]
    return WORKS


def survival(visit: Visit) -> str:
    """Each way to stop tells what it would leave of each message."""
    session = visit.session()
    for kind in ("clean", "kill", "power"):
        fates = json.loads(visit.page(f"/s/{session}/survival", kind=kind))["orders"]
        assert sum(count for each in ("kept", "lost") for _first, count in fates[each]) > 0, (kind, fates)
    return WORKS


def record(visit: Visit) -> str:
    """A message is shown as bytes of a file."""
    session = visit.session()
    found = [json.loads(visit.page(f"/s/{session}/record", seq=seq, at=100)) for seq in (0, 20, 39)]
    assert any("fields" in each for each in found), found
    return WORKS


def archive(visit: Visit) -> str:
    """All files of a moment come as a zip, none of them empty."""
    packed = zipfile.ZipFile(io.BytesIO(visit.page(f"/s/{visit.session()}/files.zip", at=200)))
    assert packed.testzip() is None
    assert any(
        each.file_size
        for each in packed.infolist()
        if "/queues/" in each.filename or "store" in each.filename
    )
    return WORKS


def scenario_file(visit: Visit) -> str:
    """The scenario's file opens the same run."""
    brought = json.loads(visit.page(f"/s/{visit.session()}/scenario.json"))
    assert visit.opened("/s/import", text=json.dumps(brought)).scenario["profile"] == visit.column.profile
    return WORKS


def csv(visit: Visit) -> str:
    """The run comes as a table."""
    rows = visit.stream(f"/s/{visit.session()}/run.csv").decode().splitlines()
    assert len(rows) > len(COMMANDS)
    return WORKS


def json_lines(visit: Visit) -> str:
    """The run comes as lines of JSON."""
    head, *rows = map(json.loads, visit.stream(f"/s/{visit.session()}/run.jsonl").splitlines())
    assert head["scenario"]["profile"] == visit.column.profile
    assert rows[-1]["at_us"] <= UNTIL_US
    return WORKS


def fork_of_a_moment(visit: Visit) -> str:
    """A fork of an earlier moment has what was done before it."""
    forked = visit.opened(f"/s/{visit.session()}/fork", at_us="250000")
    assert len(forked.scenario["commands"]) == 3
    assert forked.scenario["profile"] == visit.column.profile
    return WORKS


def other_releases(visit: Visit) -> str:
    """The session goes on each other release."""
    for series in RELEASES:
        if series != visit.column.release.series:
            taken = visit.opened(f"/s/{visit.session()}/release", release=series)
            assert rehearsal.shown_release(taken.scenario).series == series
            visit.page(f"/s/{taken.public_id}/")
    return WORKS


# --- links ---


def permalink(visit: Visit) -> str:
    """A link opens the run at its moment."""
    response = visit.client.get(f"/r/{visit.kept().short_id}/", {"at": MIDDLE_US})
    session = Session.objects.get(public_id=response["Location"].split("/")[2])
    assert (session.scenario["profile"], session.reached_us) == (visit.column.profile, MIDDLE_US)
    return WORKS


def stateless(visit: Visit) -> str:
    """A link that carries the run opens it."""
    response = visit.client.get(f"/x/{scenario_links.packed(visit.run)}/")
    session = Session.objects.get(public_id=response["Location"].split("/")[2])
    assert session.scenario["profile"] == visit.column.profile
    return WORKS


def card(visit: Visit) -> str:
    """The preview of a link is a picture."""
    assert visit.page(f"/r/{visit.kept().short_id}/card.png", at=MIDDLE_US).startswith(b"\x89PNG")
    return WORKS


def small_stage(visit: Visit) -> str:
    """A small stage beside a text gets the rows that lead to its moment."""
    lead = json.loads(visit.page(f"/r/{visit.kept().short_id}/lead.json", at=MIDDLE_US))
    assert lead
    return WORKS


def embed(visit: Visit) -> str:
    """A frame for another page shows the run, and starts it."""
    short_id = visit.kept().short_id
    assert visit.run["title"].encode() in visit.page(f"/embed/{short_id}/")
    response = visit.client.post(f"/embed/{short_id}/start")
    assert response.status_code == 200, response.content[:500]
    return WORKS


# --- comparisons and the library ---


def comparison(visit: Visit) -> str:
    """The run and the same without a consumer run side by side."""
    sides = [visit.run, visit.column.run(title="other", commands=[*COMMANDS[:1]])]
    ids = [kept_runs.keep_scenario(each).short_id for each in sides]
    assert visit.page(f"/compare/{'/'.join(ids)}/").count(b"data-side=") == len(sides)
    return _reel(sides)


def comparison_of_releases(visit: Visit) -> str:
    """The run goes on all releases side by side."""
    form = {"a": visit.kept().short_id, "release": list(RELEASES)}
    response = visit.client.post("/compare/releases", form)
    assert response.status_code == 302, response.content[:500]
    assert visit.page(response["Location"]).count(b"data-side=") == len(RELEASES)
    return _reel([rehearsal.taken_to(each, visit.run).scenario for each in RELEASES])


def _reel(sides: list[dict[str, Any]]) -> str:
    """Play runs as their page does; each side has figures."""
    *_shares, last = make(sides)
    assert isinstance(last, bytes)
    assert all(each["figures"] for each in json.loads(gzip.decompress(last))["sides"])
    return WORKS


def library(visit: Visit) -> str:
    """Each ready scenario's card opens it on this release."""
    series = visit.column.release.series
    cards = browser_app.QUESTIONS["library"]({"query": f"release={series}"})["html"]
    assert f'?release={series}"' in cards
    return WORKS


# --- sweeps ---


def _row(column: Column) -> dict[str, Any]:
    """Return the row of a sweep's cell with a column's run, which is run once for all metrics."""
    if column.name not in _rows:
        _rows[column.name] = _played(column)
    return _rows[column.name]


_rows: Final[dict[str, dict[str, Any]]] = {}


def _played(column: Column) -> dict[str, Any]:
    scenario = column.run(**(PAGING if column.scale == "real" else {}))
    cell = Cell(cell_id="x", workload="own", values={}, seed=1, scenario=scenario, series_points=4)
    return outcome(cell)


def metric(name: str) -> Probe:
    """Return the probe of one metric of a sweep: a number, and none where its release has no such thing."""

    def probe(visit: Visit) -> str:
        value = _row(visit.column)[name]
        if is_had(visit.column.release, name):
            assert value is not None
            return WORKS
        assert value is None
        return "counted"

    return probe


# --- imports ---


def workload(kind: str) -> Probe:
    """Return the probe of one kind of log or command line: what comes of it plays on the release to its end."""

    def probe(visit: Visit) -> str:
        text = BROUGHT[kind]()
        scenario = READERS[kind](io.StringIO(text, newline=""), Options()).scenario
        checked = EngineDoor().check(scenario)
        taken = rehearsal.taken_to(visit.column.release.series, checked).scenario
        taken["profile"] = visit.column.profile
        _arguments(taken, visit.column)
        node = EngineDoor().rehearse(EngineDoor().check(taken))
        node.advance(min(taken["until_us"], UNTIL_US))
        assert node.log.number > 10
        return WORKS

    return probe


def _arguments(scenario: dict[str, Any], column: Column) -> None:
    """Give the queues of a run the version of a column."""
    declared = scenario.setdefault("topology", {}).setdefault("queues", [])
    version = {"x-queue-version": 2} if column.version == 2 else {}
    for each in declared or [{"name": "orders"}]:
        each["arguments"] = {**each.get("arguments", {}), **version}


BROUGHT: Final[dict[str, Callable[[], str]]] = {
    "perf-test": lambda: "perf-test --producers 1 --consumers 1 --rate 40 --size 500 --time 2",
    "csv": lambda: "at_s,size_bytes\n" + "".join(f"{at / 20},500\n" for at in range(30)),
    "tracing": lambda: (TRACES / "text.log").read_text(encoding="utf-8", errors="surrogateescape"),
    "firehose": lambda: (TRACES / "firehose.jsonl").read_text(encoding="utf-8", errors="surrogateescape"),
}


def import_of_a_session(visit: Visit) -> str:
    """A session of this release can be swept: its form offers it, and takes it."""
    session = visit.opened("/s/import", text=json.dumps(visit.run))
    assert session.public_id.encode() in visit.page("/whatif/own/")
    return WORKS


def import_of_definitions(visit: Visit) -> str:
    """Definitions that a broker of this release exports become a run; the run plays on it."""
    arguments = visit.column.topology()["queues"][0]["arguments"]
    found = _definitions(visit, arguments)
    taken = {**found["scenario"], "profile": visit.column.profile}
    node = EngineDoor().rehearse(EngineDoor().check(taken))
    node.advance(1000)
    assert "orders" in node.snapshot()["queues"]
    return WORKS


# --- Inspect ---


def _definitions(visit: Visit, arguments: dict[str, Any]) -> dict[str, Any]:
    queue = {"name": "orders", "vhost": "/", "durable": True, "auto_delete": False, "arguments": arguments}
    data = {"rabbit_version": visit.column.release.name, "vhosts": [{"name": "/"}], "queues": [queue]}
    given = SimpleUploadedFile("definitions.json", json.dumps(data).encode())
    response = visit.client.post("/inspect/", {"definitions": given})
    assert response.status_code == 200, response.content[:500]
    return dict(response.json())


def inspect_definitions(visit: Visit) -> str:
    """Inspect reads definitions, and says what the next release makes of them."""
    assert _definitions(visit, {"x-queue-mode": "lazy"})["scenario"]
    return WORKS


def _figures(visit: Visit, text: str) -> dict[str, Any]:
    response = visit.client.post("/inspect/", {"figures": text})
    assert response.status_code == 200, response.content[:500]
    return dict(response.json())


def inspect_listing(visit: Visit) -> str:
    """Inspect draws what list_queues of this release prints."""
    node = operated(parse(visit.run), LedgerStorage())
    node.advance(MIDDLE_US)
    text = ask(
        "list_queues name messages backing_queue_status", node.snapshot(), node.now_us, node.live()
    ).text
    assert "orders" in json.dumps(_figures(visit, text))
    return WORKS


def inspect_configuration(visit: Visit) -> str:
    """Inspect reads rabbitmq.conf; what it makes of it begins a session on this release."""
    found = _figures(visit, "vm_memory_high_watermark.relative = 0.5\ndisk_free_limit.absolute = 1GB\n")
    taken = {**found["scenario"], "profile": visit.column.profile}
    assert EngineDoor().check(taken)["settings"]["vm_memory_high_watermark"] == 0.5
    return WORKS


def _files(visit: Visit) -> dict[str, bytes]:
    """Return the files of a moment of the run, as Inspect gets them."""
    return uploads.of_zip(io.BytesIO(visit.page(f"/s/{visit.session()}/files.zip", at=200)))


def _directory(visit: Visit, **choice: Any) -> tuple[dict[str, Any], Any]:
    asked = {"profile": visit.column.profile, **choice}
    return reading.directory(_files(visit), read_choice(json.dumps(asked)))


def inspect_directory(visit: Visit) -> str:
    """Inspect reads the files of a session, finds no damage, and starts a node on them."""
    report, revived = _directory(visit)
    assert report["damage"] == []
    assert report["started"], report["failure"]
    assert [row["name"] for row in report["queues"]] == ["orders"]
    assert report["queues"][0]["live"] > 0
    assert reading.run(revived)
    return WORKS


def inspect_bytes(visit: Visit) -> str:
    """Inspect shows records byte by byte."""
    files = _files(visit)
    reader = InspectSession()
    reader.directory(
        json.dumps(list(files)), list(files.values()), json.dumps({"profile": visit.column.profile})
    )
    path = next(each for each in files if each.endswith(".rdq") and len(files[each]) > 1000)
    offset, size, _kind, _entry = json.loads(reader.records(path, 0))["records"][0]
    assert json.loads(reader.bytes_at(path, offset, size))["fields"]
    return WORKS


def inspect_upgrade(visit: Visit) -> str:
    """Inspect rehearses the upgrades that a broker with these files can make; of the newest release there is none."""
    report, _revived = _directory(visit)
    rows = report["upgrades"]
    assert rows
    ahead = [each for each in TARGETS[report["source"]] if not each.is_back]
    if not ahead:
        return "newest"
    other, _revived = _directory(visit, target=ahead[0].name, stopped=True)
    assert other["started"], other
    return WORKS


# --- classes and exercises ---


def class_push(visit: Visit) -> str:
    """A teacher opens the run for a whole class; a student's page leads to a session of this release."""
    visit.client.force_login(
        get_user_model().objects.create_user("teacher", password="correct horse battery")
    )
    form = {"name": "Brokers 1", "unit": ["waterline"], "keep_days": "30"}
    assert visit.client.post("/class/new", form).status_code == 302
    classroom = Classroom.objects.get()
    response = visit.client.post(f"/class/{classroom.public_id}/push", {"link": visit.kept().short_id})
    assert response.status_code == 302, response.content[:500]
    classroom.refresh_from_db()
    pushed = classes.for_students(classroom)["push"]
    student = Visit(visit.column)
    opened = student.client.get(f"/r/{pushed['id']}/", {"at": pushed["at_us"]})
    session = Session.objects.get(public_id=opened["Location"].split("/")[2])
    assert session.scenario["profile"] == visit.column.profile
    return WORKS


def exercise_today(visit: Visit) -> str:
    """An exercise on this release tells what today's does instead; one of today's own storage has nothing to tell."""
    found = catalog.exercise("first-in")
    scenario = {**found.full_scenario(), "profile": visit.column.profile, "settings": {}}
    scenario["topology"] = visit.column.topology()
    other = msgspec.structs.replace(found, scenario=scenario, go_on=None)
    told = task.otherwise(other)
    if visit.column.release.storage is task.verdicts.TODAYS.storage:
        assert told == []
        return "todays"
    assert all(each.text for each in told)
    assert told
    return WORKS


# --- without a server ---


def static_edition(visit: Visit) -> str:
    """The engine of the static edition plays the run to its end, and answers the console."""
    sent: list[dict[str, Any]] = []
    session = SoloSession(
        RecordedSession(visit.run, [], UNTIL_US),
        lambda text: sent.append(json.loads(text)),
        lambda _text: None,
    )
    session.receive(json.dumps({"t": "hello", "have": None}))
    session.receive(json.dumps({"t": "ask", "id": 1, "line": "list_queues"}))
    for _turn in range(200):
        session.turn()
    snapshot = next(each for each in sent if each["t"] == "snapshot")
    assert snapshot["state"]["queues"]["orders"], snapshot
    answer = next(each for each in sent if each["t"] == "answer")
    assert "orders" in answer["text"], answer
    return WORKS


def static_link(visit: Visit) -> str:
    """A link of the static edition carries the run, and takes it to the other releases."""
    packed = browser_app.QUESTIONS["share"]({"scenario": visit.run})["packed"]
    assert browser_app.QUESTIONS["link"]({"packed": packed})["scenario"]["profile"] == visit.column.profile
    for series in RELEASES:
        taken = browser_app.QUESTIONS["release"]({"scenario": visit.run, "release": series})["scenario"]
        assert (taken is None) == (series == visit.column.release.series)
    return WORKS


# --- what a release has no more ---


def feature(part: Feature, **command: Any) -> Probe:
    """Return the probe of a part that some release has no more: its command is taken, or the page says the rule."""

    def probe(visit: Visit) -> str:
        run = visit.column.run(commands=[*COMMANDS[:1], {"at_us": 1000, **command}], until_us=10_000)
        said = rehearsal.taken_to(visit.column.release.series, run).said
        gone = visit.column.release.gone
        if part in gone:
            assert any(gone[part] in str(each) for each in said), said
            return part
        assert said == []
        node = EngineDoor().rehearse(run)
        node.advance(10_000)
        assert node.refused == []
        return WORKS

    return probe


def cluster(visit: Visit) -> str:
    """A session of three nodes with mirrors begins, or the page says that there are none."""
    policy = {"at_us": 1000, "do": "ctl", "line": 'set_policy ha .* \'{"ha-mode":"all"}\''}
    gone = visit.column.release.gone
    if "mirrors" in gone:
        wanted = RELEASES["3.10"].profiles[visit.column.scale]
        run = EngineDoor().check({"version": 1, "profile": wanted, "settings": {"nodes": 3}, "until_us": 1})
        said = rehearsal.taken_to(visit.column.release.series, run).said
        assert any(gone["mirrors"] in str(each) for each in said), said
        return "mirrors"
    run = visit.column.run(settings={"nodes": 3}, commands=[*COMMANDS[:1], policy])
    session = kept_runs.start_session(run, None, UNTIL_US)
    assert visit.column.release.name.encode() in visit.page(f"/s/{session.public_id}/")
    node = EngineDoor().rehearse(run)
    node.advance(UNTIL_US)
    assert node.refused == []
    return WORKS


SURFACES: Final[dict[str, Probe]] = {
    "session_page": session_page,
    "sessions_page": sessions_page,
    "console": console,
    "past": past,
    "fates": survival,
    "record": record,
    "archive": archive,
    "other_releases": other_releases,
    "scenario_file": scenario_file,
    "csv": csv,
    "json_lines": json_lines,
    "fork_of_a_moment": fork_of_a_moment,
    "permalink": permalink,
    "stateless": stateless,
    "card": card,
    "small_stage": small_stage,
    "embed": embed,
    "comparison": comparison,
    "comparison_of_releases": comparison_of_releases,
    "library": library,
    **{f"workload_{kind.replace('-', '_')}": workload(kind) for kind in BROUGHT},
    "workload_session": import_of_a_session,
    "import_definitions": import_of_definitions,
    "inspect_directory": inspect_directory,
    "inspect_bytes": inspect_bytes,
    "inspect_upgrade": inspect_upgrade,
    "inspect_listing": inspect_listing,
    "inspect_configuration": inspect_configuration,
    "inspect_definitions": inspect_definitions,
    "class_push": class_push,
    "exercise_today": exercise_today,
    "static_edition": static_edition,
    "static_link": static_link,
    "cluster": cluster,
    "lazy_mode": feature("queue_mode", do="set", name="queue_mode", value="lazy"),
    "paging_ratio": feature("paging", do="set", name="vm_memory_high_watermark_paging_ratio", value=0.3),
    "ram_target": feature("target_ram_count", do="set", name="target_ram_count", value=3),
    **{f"metric_{name}": metric(name) for name in METRICS},
}
"""The surfaces that answer without a page in a browser: name and probe. One more costs a line here, and its label."""
