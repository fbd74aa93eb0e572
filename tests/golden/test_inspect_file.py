"""`waterline-inspect.pyz` with nothing but Python: verdict, status, advice, and messages as a consumer got them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v2.formats.mc import McCodec
from engine.formats.names import queue_directory
from engine.storage.directory import DirectoryStorage
from tools import inspect_file
from tools.proofs.interop import directories

pytestmark = pytest.mark.sources  # the file is built of them

DAY = "2026-11-29"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return inspect_file.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def given() -> tuple[dict[str, Any], dict[str, dict[str, bytes]]]:
    answers = json.loads((directories.PLACE / "answers.json").read_text())
    return answers, directories.directories((directories.PLACE / "directories.tar.xz").read_bytes())


def placed(files: dict[str, bytes], place: Path) -> Path:
    for path, data in directories.as_of_node(files).items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return place


def run(built: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it with the plain interpreter: -I and -S keep every installed package away."""
    plain = getattr(sys, "_base_executable", sys.executable)
    command = [plain, "-I", "-S", built, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8")


def test_it_says_first_what_comes_back(built: Path, given: Any, tmp_path: Path) -> None:
    whole = run(built, placed(given[1]["4.3.6-stop-basic"], tmp_path), "--day", DAY)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert whole.stdout.startswith("ALL BACK: 4.3 starts on virtual host '/' and has 137 of 137 messages")
    assert "  orders: 61 of 61 back, 0 redelivered" in whole.stdout


def test_what_is_no_classic_queue_is_named(built: Path, given: Any, tmp_path: Path) -> None:
    """A quorum queue's log keeps its name in `config`, as `~p` prints it: by letters, or by the bytes of others."""
    placed(given[1]["4.3.6-stop-basic"], tmp_path)
    for place, name in (
        ("quorum/rabbit@a/2F_BIGABC", '<<"big">>'),
        ("quorum/rabbit@a/2F_OFABC", "<<195,188>>"),
    ):
        config = tmp_path / "rabbit@a" / place / "config"
        config.parent.mkdir(parents=True)
        config.write_text(
            f'#{{machine => {{module,rabbit_fifo,#{{queue_resource =>\n  {{resource,<<"/">>,queue,{name}}}}}}}}}.'
        )
    (tmp_path / "rabbit@a" / "stream" / "__log_1796").mkdir(parents=True)
    for given_place in (tmp_path, tmp_path / "rabbit@a"):
        said = run(built, given_place, "--day", DAY).stdout
        assert "  quorum: 2F_BIGABC of queue 'big' in virtual host '/': not read" in said
        assert "  quorum: 2F_OFABC of queue 'ü' in virtual host '/': not read" in said
        assert "  stream: __log_1796: not read" in said


def test_it_says_what_to_do_about_damage_and_what_that_costs(built: Path, given: Any, tmp_path: Path) -> None:
    """S206, W205: with `clean.dot` away a start scans the store, as the recorded node of the same damage did."""
    broken = run(built, placed(given[1]["dmg-4.3.6-stop/d26"], tmp_path), "--day", DAY, "--what-to-do")
    assert broken.returncode == 1
    assert broken.stdout.startswith("LOSES: ")
    assert "large: 5 of 12 back, 5 redelivered" not in broken.stdout
    assert "lists 12, and a read ends its queue after 5" in broken.stdout
    assert "41 can then be read, instead of 35" in broken.stdout
    assert run(built, tmp_path / "no").returncode == 2


def test_it_advises_nothing_that_brings_less_back(built: Path, given: Any, tmp_path: Path) -> None:
    """With a `.qi` cut off the real node listed more than a scan finds; a copy of a queue costs nothing (W101)."""
    cut, twice = (dict(given[1]["dmg-4.3.6-stop/d00"]) for _ in range(2))
    [qi, *_] = sorted(path for path in cut if path.endswith(".qi") and len(cut[path]) > 400)
    cut[qi] = cut[qi][: len(cut[qi]) // 2 + 15]
    twice |= {
        f"{path.split('/')[0]}/queues/1ORPHAN/{path.rpartition('/')[2]}": data
        for path, data in twice.items()
        if path.startswith(qi.rpartition("/")[0])
    }
    for files, code, advice in (
        (cut, 1, "do: no file that is moved away brings more back"),
        (twice, 1, "do: nothing; the damage costs no message"),
    ):
        place = tmp_path / advice[4:10].strip()
        done = run(built, placed(files, place), "--day", DAY, "--what-to-do")
        assert advice in done.stdout
        assert "mv " not in done.stdout
        assert done.returncode == code


@pytest.mark.parametrize(
    ("name", "queue"),
    [
        ("3.8.9-stop-basic", "orders"),
        ("3.10.8-stop-basic", "orders"),
        ("3.10.8-stop-basic-v2", "orders"),
        ("4.0.5-kill-basic", "orders"),
        ("4.3.6-stop-basic", "orders"),
        ("4.3.6-kill-prio-ttl", "prio"),
    ],
)
def test_every_message_comes_out_as_a_consumer_got_it(
    built: Path, given: Any, tmp_path: Path, name: str, queue: str
) -> None:
    """Also a priority queue's: highest priority first."""
    real = given[0]["directories"][name]["starts"]["same"]["queues"][queue]
    done = run(built, placed(given[1][name], tmp_path), "--extract", queue)
    back = [each for each in map(json.loads, done.stdout.splitlines()) if each["comes_back"]]
    assert [each["properties"]["message_id"] for each in back] == real["ids"], done.stderr
    bodies = [base64.b64decode(each["body"]) for each in back]
    assert [len(each) for each in bodies] == real["sizes"]
    assert directories.digest_of(bodies) == real["crc32"]


def test_a_message_that_has_expired_is_printed_and_marked(built: Path, given: Any, tmp_path: Path) -> None:
    """P17: the real start dropped ten of twenty as their turn came, and its consumer got the others."""
    name, queue = "3.10.8-stop-prio-ttl-v2", "ttl.each"
    start = given[0]["directories"][name]["starts"]["same"]
    done = run(built, placed(given[1][name], tmp_path), "--extract", queue, "--day", "2026-11-29T10:51")
    rows = [*map(json.loads, done.stdout.splitlines())]
    back = [each["properties"]["message_id"] for each in rows if each["comes_back"]]
    assert back == start["queues"][queue]["ids"]
    assert [each["why"] for each in rows if not each["comes_back"]] == ["expired"] * (len(rows) - len(back))
    assert len(rows) == 2 * len(back)
    assert all(each["body"] for each in rows)


def test_of_a_large_directory_no_body_is_read_and_the_start_is_played(
    built: Path, given: Any, tmp_path: Path
) -> None:
    """400 MB, of which 384 are one body in each of 24 files: all is answered in 150 MiB."""
    placed(given[1]["4.3.6-stop-basic"], tmp_path)
    small = run(built, tmp_path, "--day", DAY)
    [store] = tmp_path.rglob("msg_store_persistent")
    for path in store.glob("*.ets"):  # so that the start scans the store
        path.unlink()
    size = 16 << 20
    codec = McCodec(frame_bytes=2 * size)
    for number in range(100, 124):
        term = codec.one(b"foreign." + number.to_bytes(8, "big"), 0, size, True)
        with (store / f"{number}.rdq").open("wb") as opened:
            opened.write((len(term) + 16).to_bytes(8, "big") + b"foreign." + number.to_bytes(8, "big"))
            opened.write(term[:200])
            opened.seek(len(term) - 400, 1)  # the body is a hole
            opened.write(term[-200:] + b"\xff")
    large = run(built, tmp_path, "--day", DAY, "--memory", "150", "--what-to-do")
    assert large.stdout.splitlines()[0] == small.stdout.splitlines()[0], large.stderr
    assert "26 bodies (402702770 bytes) belong to no message" in large.stdout
    assert large.returncode == 0, large.stdout
    assert "reading, 90 %" in large.stderr
    none = run(built, tmp_path, "--memory", "20")
    assert none.returncode == 3
    assert "needs more than 20 MiB; give more (--memory 80)" in none.stderr


def test_a_virtual_host_with_hundreds_of_queues_starts_with_all_of_them(built: Path, tmp_path: Path) -> None:
    """A page shows 64 of them; a start has them all."""
    scenario = {
        "version": 1,
        "title": "",
        "profile": "4.3.6",
        "seed": 1,
        "topology": {"queues": [{"name": "q-0"}]},
        "commands": [
            {
                "at_us": 1,
                "do": "publish",
                "routing_key": "q-0",
                "count": 3,
                "size_bytes": 5000,
                "persistent": True,
            }
        ],
        "until_us": 2_000_000,
    }
    node = Cluster(parse(scenario), DirectoryStorage(str(tmp_path)))
    node.advance(2_000_000)
    node.submit({"do": "stop_app"})
    node.advance(3_000_000)
    [first] = (tmp_path / "msg_stores/vhosts").glob("*/queues/*")
    for number in range(1, 200):
        title = f"q-{number}"
        other = first.with_name(queue_directory("/", title))
        shutil.copytree(first, other)
        (other / ".queue_name").write_text(f"VHOST: /\nQUEUE: {title}\nINDEX: v2\n")
    done = run(built, tmp_path, "--json")
    [answer] = json.loads(done.stdout)
    assert {(row["live"], row["back"]) for row in answer["queues"]} == {(3, 3)}, done.stderr
    assert len(answer["queues"]) == 200
    assert answer["not_shown"] == 136
    assert done.returncode == 0
