"""Inspect: directories that a real broker wrote, zips that lie, listings, definitions; nothing is kept or crashes."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from playground.inspecting import again, definitions, figures, revival, summary, uploads
from playground.messages import Refused
from playground.models import Scenario, Session
from tests.fuzz.damage import damaged, load

pytestmark = pytest.mark.django_db


@pytest.fixture
def mixed(recordings: Path) -> uploads.Files:
    return load(recordings / "datadirs" / "clean-mixed")


def zipped(files: dict[str, bytes], **more: bytes) -> SimpleUploadedFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, data in {**files, **more}.items():
            packed.writestr(path, data)
    return SimpleUploadedFile("data.zip", held.getvalue(), "application/zip")


def sent(**form: Any) -> Any:
    return Client().post("/inspect/", {"agreed": "1", **form})


def test_a_directory_of_a_real_node_is_started(mixed: uploads.Files) -> None:
    """What a start brings back is what the engine's own recovery of the same files gives: persistent messages only."""
    report = revival.report_on(mixed)
    revived = revival.revive(mixed, report)
    assert revived is not None
    assert revived.failure == ""
    rows = {row["name"]: row for row in summary.queue_rows(report, revived)}
    assert {name: (row["live"], row["back"]) for name, row in rows.items()} == {
        "q.mixed": (16, 16),
        "q.lazy": (9, 5),
    }
    files = summary.store_rows(report, revived)
    assert [(row["file"], row["store"], row["entries"], row["live"]) for row in files] == [
        ("0.rdq", "persistent", 11, 11),
        ("0.rdq", "transient", 7, 0),
    ]
    assert files[0]["garbage"] == 0


def test_the_answer_shows_the_start_and_keeps_nothing(mixed: uploads.Files) -> None:
    answer = sent(files=zipped({f"vhost/{path}": data for path, data in mixed.items()}))
    assert answer.status_code == 200
    page = answer.content.decode()
    run = json.loads(
        re.search(r'id="inspected-run" type="application/json">(.*?)</script>', page, re.DOTALL)[1]
    )  # type: ignore[index]
    kinds = {row[0] for part in run for message in part if message["t"] == "frame" for row in message["rows"]}
    assert {"NodeStarted", "QueueStarted"} & kinds
    assert "No damage was found." in page
    assert not Scenario.objects.exists()
    assert not Session.objects.exists()


def test_files_are_sent_only_after_agreeing(mixed: uploads.Files) -> None:
    answer = Client().post("/inspect/", {"files": zipped(mixed)})
    assert answer.status_code == 422
    assert "Agree to that first" in answer.content.decode()


def test_a_directory_comes_file_by_file_with_its_paths(mixed: uploads.Files) -> None:
    paths = sorted(mixed)
    files = [SimpleUploadedFile(path.rsplit("/", 1)[-1], mixed[path]) for path in paths]
    answer = sent(files=files, paths=json.dumps([f"628WB79CIFDYO9LJI6DKMI09L/{path}" for path in paths]))
    assert b"q.mixed" in answer.content


def test_a_queue_alone_is_read(mixed: uploads.Files) -> None:
    directory = "queues/434QJ29PS1F7KJO6A26YZF1Z8/"
    alone = {path.removeprefix(directory): data for path, data in mixed.items() if path.startswith(directory)}
    report = revival.report_on(alone)
    revived = revival.revive(alone, report)
    assert revived is not None
    assert summary.queue_rows(report, revived)[0]["live"] > 0


@pytest.mark.parametrize("path", ["../../etc/0.idx", "/etc/x/../0.idx", "a/..%2f/0.idx", "a b/0.rdq"])
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(Refused, match=r"no name of a broker|cannot be read"):
        uploads.of_zip(zipped({path: b"x"}))


def test_a_zip_bomb_is_read_only_up_to_the_bound() -> None:
    bomb = zipped({f"msg_store_persistent/{at}.rdq": bytes(uploads.MOST_BYTES // 4) for at in range(6)})
    assert bomb.size < uploads.MOST_BYTES // 100
    with pytest.raises(Refused, match="MiB"):
        uploads.of_zip(bomb)


def test_what_is_no_zip_and_what_has_no_files_says_so() -> None:
    with pytest.raises(Refused, match="cannot be read"):
        uploads.of_zip(SimpleUploadedFile("data.zip", b"no zip at all"))
    with pytest.raises(Refused, match="No files of a queue"):
        uploads.of_zip(zipped({"README": b"hello"}))
    assert sent(files=SimpleUploadedFile("0.idx", b""), paths="[1").status_code == 422


@pytest.mark.parametrize("seed", range(24))
def test_damaged_files_give_words_and_never_a_crash(recordings: Path, seed: int) -> None:
    """As the fuzz tests damage them."""
    files = damaged(load(recordings / "datadirs" / ("clean-mixed", "dirty-mixed")[seed % 2]), seed)
    report = revival.report_on(files)
    revived = revival.revive(files, report)
    for each in summary.damage_rows(report, files):
        assert each["words"]
    summary.queue_rows(report, revived)
    summary.store_rows(report, revived)
    assert revived is None or revived.state is not None or revived.failure


def test_damage_is_shown_with_its_bytes(mixed: uploads.Files) -> None:
    path = "msg_store_persistent/0.rdq"
    whole = mixed[path]
    files = {**mixed, path: whole[:5217] + b"\x00" + whole[5218:]}
    page = sent(files=zipped(files)).content.decode()
    assert "wrong marker" in page
    assert "00000000" in page


def test_what_was_found_opens_as_a_scenario(mixed: uploads.Files) -> None:
    report = revival.report_on(mixed)
    revived = revival.revive(mixed, report)
    assert revived is not None
    begun = again.scenario(report, revived)
    assert begun is not None
    published = [each for each in begun["commands"] if each["do"] == "publish"]
    assert sum(each["count"] for each in published) == 16 + 5
    answer = Client().post("/s/import", {"text": json.dumps(begun)})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/s/")


LISTING = """name\tmessages\tbacking_queue_status
orders\t2100\t[{mode,default}, {q1,1000}, {q2,50}, {delta,{delta,100,900,0,1000}}, {q3,100}, {q4,50}, {len,2100}, \
{target_ram_count,120}, {ram_msg_count,1050}, {avg_ingress_rate,900.5}, {avg_egress_rate,100.0}]
calm\t0\t[{mode,default}, {q1,0}, {q4,0}, {delta,{delta,undefined,0,0,undefined}}, {len,0}, \
{target_ram_count,infinity}, {avg_ingress_rate,0.0}, {avg_egress_rate,0.0}]
"""


def test_a_listing_becomes_a_picture_with_questions() -> None:
    orders, calm = figures.read(LISTING)
    assert [(lane, count) for lane, count, _share in orders.lanes] == [
        ("q1", 1000),
        ("q2", 50),
        ("delta", 900),
        ("q3", 100),
        ("q4", 50),
    ]
    assert "More comes in than goes out (900.5 and 100.0 per second)" in orders.questions[0]
    assert any("target_ram_count is 120" in each for each in orders.questions)
    assert calm.questions == []
    page = sent(figures=LISTING).content.decode()
    assert '<h2 class="mono">orders</h2>' in page
    assert sent(figures="nothing of the kind").status_code == 422


def test_definitions_become_a_topology() -> None:
    body = {
        "users": [{"name": "guest", "password_hash": "secret"}],
        "queues": [
            {
                "name": "orders",
                "vhost": "/",
                "durable": True,
                "arguments": {"x-queue-type": "classic", "x-message-ttl": 60000},
            },
            {"name": "Not Ours", "durable": True, "arguments": {}},
        ],
        "exchanges": [{"name": "shop", "type": "topic", "durable": True, "arguments": {}}],
        "bindings": [
            {
                "source": "shop",
                "destination": "orders",
                "destination_type": "queue",
                "routing_key": "o.#",
                "arguments": {},
            }
        ],
        "policies": [
            {
                "name": "lazy",
                "pattern": "^o",
                "definition": {"queue-mode": "lazy"},
                "priority": 1,
                "apply-to": "queues",
            }
        ],
    }
    taken = definitions.read(json.dumps(body).encode())
    topology = taken.scenario["topology"]
    assert [each["name"] for each in topology["queues"]] == ["orders"]
    assert [len(topology[name]) for name in ("exchanges", "bindings", "policies")] == [1, 1, 1]
    assert [name for name, _why in taken.left_out] == ["Not Ours"]
    page = sent(
        definitions=SimpleUploadedFile("definitions.json", json.dumps(body).encode())
    ).content.decode()
    assert "Open as a scenario" in page
    assert "secret" not in page
    for bad in (b"", b"[]", b"{}", b'{"queues": 7}', b"[" * 5000):
        with pytest.raises(Refused):
            definitions.read(bad)
