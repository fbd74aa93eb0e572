"""A visitor's own workload over a grid: what may be asked, that it is bounded, and that its cells replay."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from playground.limits import rate_limits, request_callers, session_limits
from playground.models import CommandRecord, OwnSweep, Session
from playground.records import kept_runs, paused_sessions
from playground.sweeping import asked, runner
from playground.texts import PageMessage
from playground.whatif import views
from playground.whatif.shipped import full
from sweeps.errors import SweepError, read
from sweeps.errors import kept as kept_error
from sweeps.progress import SweepStanding

pytestmark = pytest.mark.django_db

LINE = "perf-test --producers 1 --consumers 1 --rate 40 --consumer-rate 30 --size 500 --time 2"
ASKED = {"kind": "perf-test", "text": LINE, "x": "queue_mode", "y": "persistent"}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> list[str]:
    """Keep the names of sweeps that would run, and run none."""
    names: list[str] = []

    def take(_group: str, name: str) -> None:
        names.append(name)

    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(
        views.runner,
        "sweep_runner",
        lambda: type("Kept", (), {"take": staticmethod(take)}),
    )
    return names


def bounded(settings: Any, **bounds: int) -> None:
    settings.WATERLINE = {**settings.WATERLINE, **bounds}


def ask(client: Client, **changes: str) -> Any:
    return client.post("/whatif/own/", {**ASKED, **changes})


def test_a_perf_test_line_becomes_a_heatmap_whose_cells_replay(client: Client, taken: list[str]) -> None:
    assert "Sweep your own workload" in client.get("/whatif/own/").content.decode()
    asked_for = ask(client)
    (name,) = taken
    assert asked_for.url == f"/whatif/own/{name}/"
    waiting = client.get(asked_for.url).content.decode()
    assert "waits for its turn" in waiting
    guessed = full(OwnSweep.objects.get(name=name).guessed_s or 0, "seconds")
    assert f"About {guessed} of one processor" in waiting
    runner.run(OwnSweep.objects.get(name=name))
    kept = OwnSweep.objects.get(name=name)
    now = runner.standing(kept)
    guessed, took = (full(each, "seconds") for each in (now.guessed_s, now.taken_s))
    told = f"Guessed: {guessed} of one processor; taken: {took}."
    assert (now.done, now.taken_s > 0) == (kept.cells, True)
    done = client.get(asked_for.url)
    assert done.url == f"/whatif/?h={name}"
    assert client.get(asked_for.url, headers={"HX-Request": "true"})["HX-Redirect"] == done.url
    page = client.get(done.url).content.decode()
    assert "Your own workload" in page
    assert told in page
    assert told in client.get("/whatif/own/").content.decode()
    found = views.known_to(name)[name]
    assert len(found.cells) == 2 * 2 * 3
    assert found.home == {"queue_mode": "default", "persistent": False}
    assert all(run.digest and not run.error for run in found.cells)
    run = found.cells[0]
    opened = client.post("/whatif/open/", {"heatmap": name, "cell": run.cell_id})
    session = Session.objects.get(public_id=opened.url.partition("?")[0].rstrip("/").rpartition("/")[2])
    assert session.origin is not None
    assert session.origin.digest == run.digest
    assert client.get(f"/whatif/table.csv?h={name}").status_code == 200
    assert client.get(f"/whatif/table.parquet?h={name}").status_code == 404
    assert "Queue mode × persistence" in client.get("/whatif/own/").content.decode()
    assert name not in client.get("/whatif/").content.decode()


def test_a_sweep_under_way_says_how_long_it_takes_what_failed_and_what_is_silent(
    client: Client, taken: list[str]
) -> None:
    address = ask(client).url
    standing = SweepStanding(
        done=3,
        guessed_s=8.0,
        taken_s=2.0,
        left_s=5.0,
        middle_s=0.5,
        slowest_s=1.2,
        failed=1,
        failure=kept_error(SweepError("job_too_slow")),
        silent=("master",),
    )
    runner.advance(taken[0], standing)
    page = client.get(address).content.decode()
    for words in (
        "3 of",
        f"about {full(5.0, 'seconds')} left",
        f"a run takes {full(0.5, 'seconds')}, the slowest {full(1.2, 'seconds')}",
        "1 failed: ",
        "Spark&#x27;s master no longer answers",
        f"taken: {full(2.0, 'seconds')}",
    ):
        assert words in page, words
    runner.advance(taken[0], msgspec.structs.replace(standing, silent=("executors",)))
    assert "Spark has no executor left" in client.get(address).content.decode()


def test_a_recorded_session_is_swept_only_by_its_owner(
    client: Client, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    commands = (
        {"do": "publish", "count": 20, "size_bytes": 900},
        {"do": "set_consumer", "name": "alice", "rate_per_s": 5},
    )
    for number, command in enumerate(commands):
        CommandRecord.objects.create(session=session, sequence=number, at_us=1000, command=command)
    Session.objects.filter(pk=session.pk).update(reached_us=2_000_000)
    given = {"kind": "session", "text": "", "session": session.public_id, "x": "burst_count"}
    assert ask(client, **given).status_code == 400
    assert ask(client).status_code == 302  # the browser has its number from here on
    runner.end(taken[0], b"{}")
    Session.objects.filter(pk=session.pk).update(visitor=request_callers.known_visitor(client.session))
    assert session.public_id in client.get("/whatif/own/").content.decode()
    with (
        monkeypatch.context() as patch
    ):  # an exercise that waits for its answer must not be played on elsewhere
        patch.setattr(paused_sessions, "_reasons", [(lambda _session: PageMessage("Answer first"), True)])
        refused = ask(client, **given)
        assert (refused.status_code, "Answer first" in refused.content.decode()) == (400, True)
    assert ask(client, **given).status_code == 302
    kept = OwnSweep.objects.get(name=taken[1])
    assert "alice" not in str(kept.spec)
    assert [axis["values"] for axis in kept.spec["grid"]["axes"]] == [[5, 10, 20, 40], [False, True]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": ""}, "Paste a PerfTest line"),
        ({"text": "rm -rf /"}, "cannot be read"),
        ({"kind": "csv", "text": "at_s,size_bytes\n1,x\n"}, "cannot be read"),
        ({"kind": "bogus"}, "what kind"),
        ({"x": "persistent"}, "two different"),
        ({"x": "bogus"}, "two different"),
        ({"x": "burst_count"}, "nothing that “burst length” could vary"),
        ({"text": LINE.replace("--rate 40", "--rate 99999999")}, ""),
    ],
)
def test_what_cannot_be_swept_is_refused_with_what_to_do(
    client: Client, taken: list[str], changes: dict[str, str], words: str
) -> None:
    answer = ask(client, **changes)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert 'role="alert"' in answer.content.decode()
    assert taken == []


def test_the_bounds(client: Client, taken: list[str], settings: Any) -> None:
    bounded(settings, sweep_cells=3)
    assert "takes up to 3 runs" in ask(client).content.decode()
    bounded(settings, sweep_cells=4)
    assert ask(client).status_code == 302
    assert OwnSweep.objects.get().cells == 4  # one phase instead of three
    assert "still under way" in ask(client).content.decode()
    runner.end(taken[0], b"{}")
    bounded(settings, sweep_s=0)
    assert "0 s" in ask(client).content.decode()
    bounded(settings, sweep_s=60, scenario_bytes=10)
    assert "longer than 10 bytes" in ask(client).content.decode()


def test_a_server_takes_so_many_and_keeps_so_many(client: Client, taken: list[str], settings: Any) -> None:
    bounded(settings, sweeps_waiting=1, sweeps_per_visitor=2)
    assert Client().post("/whatif/own/", ASKED, REMOTE_ADDR="192.0.2.9").status_code == 302
    assert "busy with other sweeps" in ask(client).content.decode()
    runner.end(taken[0], b"{}")
    for _ in range(3):
        assert ask(client).status_code == 302
        runner.end(taken[-1], b"{}")
    assert set(OwnSweep.objects.values_list("name", flat=True)) == {taken[0], *taken[-2:]}
    OwnSweep.objects.update(created=timezone.now() - timedelta(days=session_limits.current().keep_days + 1))
    call_command("clean_sessions")
    assert not OwnSweep.objects.exists()


def test_one_that_takes_too_long_or_loses_its_process_says_so(
    client: Client, taken: list[str], settings: Any
) -> None:
    ask(client)
    bounded(settings, sweep_s=0)
    runner.run(OwnSweep.objects.get())
    page = client.get(f"/whatif/own/{taken[0]}/").content.decode()
    assert "longer than 0 s" in page
    assert "hx-get" not in page
    bounded(settings, sweep_s=60)
    assert ask(client).status_code == 302
    OwnSweep.objects.filter(name=taken[1]).update(touched=timezone.now() - runner.STALE)
    assert "restarted in the meantime" in client.get(f"/whatif/own/{taken[1]}/").content.decode()
    assert ask(client).status_code == 302
    assert client.get("/whatif/own/own-0/").status_code == 404


@pytest.fixture
def at_peace(settings: Any) -> None:
    """Let no rate be reached."""
    bounded(settings, new_per_minute=1000)
    rate_limits.forget()


def test_one_address_fills_half_of_the_queue_however_many_cookies_it_has(
    taken: list[str], at_peace: None
) -> None:
    """Eight visitors of one address once filled it."""
    here, house = "192.0.2.1", "2001:db8:1:2::%x"

    def answers(address: str) -> int:
        return Client().post("/whatif/own/", ASKED, REMOTE_ADDR=address).status_code

    assert [answers(here) for _each in range(6)] == [302] * 4 + [503] * 2
    assert (
        "class or network has 4 sweeps"
        in Client().post("/whatif/own/", ASKED, REMOTE_ADDR=here).content.decode()
    )
    assert [answers(house % each) for each in range(1, 6)] == [302] * 4 + [503]
    assert (
        "busy with other sweeps"
        in Client().post("/whatif/own/", ASKED, REMOTE_ADDR="192.0.2.2").content.decode()
    )


def test_what_waits_is_counted_and_not_lost_however_long_it_waits(
    taken: list[str], at_peace: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After five minutes those that waited were counted no longer, and read that the server was started anew."""
    bounded(settings, sweeps_waiting=2)
    for address in ("192.0.2.1", "192.0.2.2"):
        assert Client().post("/whatif/own/", ASKED, REMOTE_ADDR=address).status_code == 302
    OwnSweep.objects.update(touched=timezone.now() - timedelta(minutes=10))
    mine = runner.SweepRunner()
    monkeypatch.setattr(runner.threading, "Thread", lambda **_given: SimpleNamespace(start=lambda: None))
    for name in taken:
        mine.take("", name)

    def once(_seconds: float, passed: list[int] = []) -> None:  # noqa: B006 - counts
        passed.append(1)
        if len(passed) > 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(runner.time, "sleep", once)
    monkeypatch.setattr(runner, "close_old_connections", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        mine._speak()
    page = Client().get(f"/whatif/own/{taken[0]}/").content.decode()
    assert "waits for its turn" in page
    assert "started anew" not in page
    assert (
        "busy with other sweeps"
        in Client().post("/whatif/own/", ASKED, REMOTE_ADDR="192.0.2.3").content.decode()
    )


def test_addresses_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = runner.SweepRunner()
    monkeypatch.setattr(runner.threading, "Thread", lambda **_given: SimpleNamespace(start=lambda: None))
    for group, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")):
        mine.take(group, name)
    assert [mine._next() for _each in range(4)] == ["a1", "b1", "a2", "a3"]


def test_large_ones_are_a_spark_job_where_the_operator_allows_it(
    client: Client, taken: list[str], settings: Any
) -> None:
    settings.SPARK_SWEEPS = False
    assert 'value="large"' not in client.get("/whatif/own/").content.decode()
    ask(client, size="large")
    assert OwnSweep.objects.get().spec["large"] is False
    OwnSweep.objects.all().delete()
    settings.SPARK_SWEEPS = True
    assert 'value="large"' in client.get("/whatif/own/").content.decode()
    ask(client, size="large", x="vm_memory_high_watermark")
    sweep = OwnSweep.objects.get()
    assert sweep.spec["large"] is True
    assert sweep.spec["grid"]["axes"][0]["values"] == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    settings.SPARK_MASTER = "bogus://"
    runner.run(sweep)
    assert read(OwnSweep.objects.get().error).code == "job_failed"


@pytest.mark.spark
def test_a_large_sweep_has_the_same_tables(client: Client, taken: list[str], settings: Any) -> None:
    settings.SPARK_SWEEPS = True
    settings.SPARK_MASTER = "local[2]"
    ask(client, size="large")
    runner.run(OwnSweep.objects.get())
    name = taken[0]
    assert OwnSweep.objects.get().error == ""
    assert client.get(f"/whatif/?h={name}").status_code == 200
    assert b"".join(client.get(f"/whatif/table.parquet?h={name}").streaming_content).startswith(b"PAR1")


@pytest.mark.django_db(transaction=True)
def test_the_runner_takes_one_after_the_other(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    done: list[str] = []

    def one(sweep: OwnSweep) -> None:
        done.append(sweep.name)
        if len(done) == 1:
            raise RuntimeError("a mistake of ours")
        runner.end(sweep.name, b"{}")

    monkeypatch.setattr(runner, "run", one)
    mine = runner.SweepRunner()
    for number in range(2):
        OwnSweep.objects.create(name=f"own-{number}", visitor="v", spec={}, cells=1)
        mine.take("", f"own-{number}")
    until = time.monotonic() + 60
    while OwnSweep.objects.filter(ended=False).exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert done == ["own-0", "own-1"]
    assert read(OwnSweep.objects.get(name="own-0").error).code == "server_fault"
    assert OwnSweep.objects.get(name="own-1").document == b"{}"


def test_every_offered_parameter_has_values_for_a_workload_that_has_it_all() -> None:
    commands = [
        {"at_us": 0, "do": "publish", "count": 8, "size_bytes": 10},
        {"at_us": 0, "do": "set_publisher", "name": "p", "rate_per_s": 40, "size_bytes": 10},
        {"at_us": 0, "do": "set_consumer", "name": "c", "rate_per_s": 30, "prefetch": 5},
    ]
    scenario = {"version": 1, "profile": "real", "settings": {}, "commands": commands, "until_us": 1_000_000}
    workload = asked.checked("own", scenario)
    for parameter in asked.OFFERED:
        few = asked.values(parameter, workload.scenario)
        assert 2 <= len(few) <= len(asked.values(parameter, workload.scenario, finer=True))
        other = "queue_mode" if parameter != "queue_mode" else "persistent"
        _spec, plan = asked.plan_of(workload, asked.new_name(), parameter, other, large=False)
        assert plan.cells


@pytest.mark.django_db
def test_a_table_goes_with_its_sweep(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    for name in ("own-here", "own-gone"):
        written = tmp_path / f"{name}.parquet"
        written.write_bytes(b"PAR1")
        runner.keep(written)
    OwnSweep.objects.create(name="own-here", visitor="v", spec={}, cells=1)
    call_command("clean_sessions")
    assert [path.name for path in runner.folder().iterdir()] == ["own-here.parquet"]


def test_what_was_made_of_the_workload_stands_beside_its_sweep(client: Client, taken: list[str]) -> None:
    asked_for = ask(client, text=f"docker run pivotalrabbitmq/{LINE} --id '<b>night</b>' --exit-when empty")
    shown = client.get(asked_for.url).content.decode()
    assert "Without effect on what is stored: --id" in shown
    assert "--exit-when: the run goes on to its end." in shown
    assert "night" not in shown
    runner.run(OwnSweep.objects.get(name=taken[0]))
    assert "--exit-when: the run goes on" in client.get(f"/whatif/?h={taken[0]}").content.decode()
