"""Inspect: directories that a real broker wrote, zips that lie, listings, definitions; nothing is kept or crashes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client
from django.utils import translation

from playground.hosting.refusals import TEXTS
from playground.inspecting import definitions, listings, reading, rehearsal, revival, uploads, views
from playground.inspecting.uploads import ReleaseChoice, UnreadableInput
from playground.models import Scenario, Session
from tests.fuzz.damage import damaged, load

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


def zipped(files: dict[str, bytes], **more: bytes) -> SimpleUploadedFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, data in {**files, **more}.items():
            packed.writestr(path, data)
    return SimpleUploadedFile("data.zip", held.getvalue(), "application/zip")


UNEXPIRED = ReleaseChoice(day=1.0)
"""A start before any message expires."""


class Sent:
    """An answer about files: lines of what is done, then what was found."""

    def __init__(self, response: Any, lines: list[dict[str, Any]]) -> None:
        self.status_code = response.status_code
        self.content = json.dumps(lines).encode()
        self.lines = lines

    def json(self) -> dict[str, Any]:
        return self.lines[-1]


@async_to_sync
async def sent(**form: Any) -> Sent:
    response = await AsyncClient().post("/inspect/", {"agreed": "1", **form})
    content = b"".join([part async for part in response]) if response.streaming else response.content
    return Sent(response, [json.loads(line) for line in content.splitlines()])


def test_a_directory_of_a_real_node_is_started(mixed: uploads.Files) -> None:
    """What a start brings back is what the engine's own recovery of the same files gives: persistent messages only."""
    report = revival.report_on(mixed)
    revived = revival.revive(mixed, report, UNEXPIRED)
    assert revived is not None
    assert revived.failure is None
    rows = {row["name"]: row for row in rehearsal.queue_rows(report, revived)}
    assert {name: (row["live"], row["back"]) for name, row in rows.items()} == {
        "q.mixed": (16, 16),
        "q.lazy": (5, 5),
    }
    files = rehearsal.store_rows(report, revived)
    assert [(row["file"], row["store"], row["entries"], row["live"]) for row in files] == [
        ("0.rdq", "persistent", 11, 11),
        ("0.rdq", "transient", 7, 0),
    ]
    assert files[0]["garbage"] == 0
    assert revived.state is not None
    for store in ("persistent", "transient"):
        map_of_the_store = revived.state["stores"][store]["files"]
        ours = [row for row in files if row["store"] == store]
        assert sum(row["after"] for row in ours) == sum(size for _number, size, *_ in map_of_the_store), store
        assert sum(row["garbage"] for row in ours) == sum(
            size - valid for _number, size, valid, *_ in map_of_the_store
        ), "the page's map of the store shows the same moment"


def test_the_answer_has_the_start_and_keeps_nothing(mixed: uploads.Files) -> None:
    answer = sent(files=zipped({f"vhost/{path}": data for path, data in mixed.items()}))
    assert answer.status_code == 200
    found_report = answer.json()
    rows = [
        row
        for part in found_report["started"]["parts"]
        for message in part
        for row in message.get("rows", ())
    ]
    assert {"NodeStarted", "QueueStarted"} & {row[0] for row in rows}
    assert found_report["damage"] == []
    assert not Scenario.objects.exists()
    assert not Session.objects.exists()


def test_of_several_virtual_hosts_one_is_chosen(mixed: uploads.Files) -> None:
    """Both have queues of the same names: those of one must not be reported for the other."""
    alone = "queues/434QJ29PS1F7KJO6A26YZF1Z8/"
    whole = {f"msg_stores/vhosts/FIRST/{path}": data for path, data in mixed.items()}
    other = {path: data for path, data in mixed.items() if path.startswith(alone)}
    given = {**whole, **{f"msg_stores/vhosts/SECOND/{path}": data for path, data in other.items()}}
    asked = sent(files=zipped(given)).json()
    assert [(each["dir"], each["queues"]) for each in asked["vhosts"]] == [("FIRST", 2), ("SECOND", 1)]
    assert [each["name"] for each in asked["vhosts"]] == ["/", None]
    assert set(asked) == {"vhosts"}

    first = sent(files=zipped(given), choice='{"vhost": "FIRST", "day": 1}').json()
    rows = {each["name"]: (each["live"], each["back"]) for each in first["queues"]}
    assert rows == {"q.mixed": (16, 16), "q.lazy": (5, 5)}
    assert {each["path"].split("/")[2] for each in first["files"]} == {"FIRST"}
    second = sent(files=zipped(given), choice='{"vhost": "SECOND"}').json()
    assert len(second["queues"]) == 1
    assert (
        second["started"]["scenario"]["topology"]["queues"]
        != first["started"]["scenario"]["topology"]["queues"]
    )
    assert sent(files=zipped(given), choice='{"vhost": "../SECOND"}').json() == asked


def test_a_directory_of_4_x_is_read_as_it_is_given() -> None:
    """Its `.qi` and `.qs` are files of a queue: what a page sends is chosen by name."""
    place = ROOT / "tests" / "recordings" / "v2" / "datadirs" / "clean-mixed-4.3.6"
    files = {
        f"v/{path.relative_to(place).as_posix()}": path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }
    found = sent(files=zipped(files)).json()
    assert found["release"] == "4.3"
    assert sum(row["back"] for row in found["queues"]) == 16 + 18 + 4 + 1 + 8 + 9
    assert found["left_out"] == ["v/manifest.json"]


def test_the_page_knows_the_session_whose_files_it_reads() -> None:
    found = Client().post("/s/new", {"profile": "4.0.5-classroom"})["Location"].split("/")[2]
    page = Client().get(f"/inspect/?session={found}")
    session = page.context["inspect_data"]["session"]
    assert session["archive"].endswith(f"/{found}/files.zip")
    assert session["choice"] == {"profile": "4.0.5-classroom", "entries": 8}
    assert Client().get("/inspect/").context["inspect_data"]["session"] is None
    assert Client().get("/inspect/?session=nobody").status_code == 404


def test_files_are_sent_only_after_agreeing(mixed: uploads.Files) -> None:
    answer = Client().post("/inspect/", {"files": zipped(mixed)})
    assert answer.status_code == 422
    assert answer.json()["unreadable"] == "not_agreed"


def test_a_directory_comes_file_by_file_with_its_paths(mixed: uploads.Files) -> None:
    paths = sorted(mixed)
    files = [SimpleUploadedFile(path.rsplit("/", 1)[-1], mixed[path]) for path in paths]
    answer = sent(files=files, paths=json.dumps([f"628WB79CIFDYO9LJI6DKMI09L/{path}" for path in paths]))
    assert {queue["name"] for queue in answer.json()["queues"]} == {"q.mixed", "q.lazy"}


def test_a_queue_alone_is_read(mixed: uploads.Files) -> None:
    directory = "queues/434QJ29PS1F7KJO6A26YZF1Z8/"
    alone = {path.removeprefix(directory): data for path, data in mixed.items() if path.startswith(directory)}
    report = revival.report_on(alone)
    revived = revival.revive(alone, report)
    assert revived is not None
    assert rehearsal.queue_rows(report, revived)[0]["live"] > 0


@pytest.mark.parametrize("path", ["../../etc/0.idx", "/etc/x/../0.idx", "a/..%2f/0.idx", "a b/0.rdq"])
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(UnreadableInput, match=r"path|zip"):
        uploads.of_zip(zipped({path: b"x"}))


def test_a_zip_bomb_is_read_only_up_to_the_bound() -> None:
    bomb = zipped({f"msg_store_persistent/{at}.rdq": bytes(uploads.MOST_BYTES // 4) for at in range(6)})
    assert bomb.size < uploads.MOST_BYTES // 100
    with pytest.raises(UnreadableInput, match="too_many_bytes"):
        uploads.of_zip(bomb)


def test_what_is_no_zip_and_what_has_no_files_says_so() -> None:
    with pytest.raises(UnreadableInput, match="zip"):
        uploads.of_zip(SimpleUploadedFile("data.zip", b"no zip at all"))
    with pytest.raises(UnreadableInput, match="no_files"):
        uploads.of_zip(zipped({"README": b"hello"}))
    assert sent(files=SimpleUploadedFile("0.idx", b""), paths="[1").status_code == 422


@pytest.mark.parametrize("seed", range(24))
def test_damaged_files_give_words_and_never_a_crash(recordings: Path, seed: int) -> None:
    """As the fuzz tests damage them."""
    files = damaged(load(recordings / "datadirs" / ("clean-mixed", "dirty-mixed")[seed % 2]), seed)
    report = revival.report_on(files)
    revived = revival.revive(files, report)
    for each in rehearsal.damage_rows(report, files):
        assert each["words"]
        assert str(views.TEXTS[each["code"]]) % each["values"]
        assert each["kind"] in views.KINDS
    rehearsal.queue_rows(report, revived)
    rehearsal.store_rows(report, revived)
    assert revived is None or revived.state is not None or revived.failure is not None
    if revived is not None and revived.failure is not None:
        assert revived.failure["code"] in {*TEXTS, "far_apart", "unexpected", "start_hangs"}


def test_a_table_dump_that_cannot_be_read_says_why_by_a_code(mixed: uploads.Files) -> None:
    """The page has a sentence in the reader's language for the reason inside the finding as well."""
    path = "msg_store_persistent/file_summary.ets"
    found = sent(files=zipped({**mixed, path: b"no dump of a table"})).json()["damage"]
    reason = next(each for each in found if each["file"] == path)
    assert reason["code"] == "no_term"
    why = reason["values"]["why"]
    assert why == {"code": "no_table_dump", "values": {"wanted": "01 02 03 04 63 58 4d 0b"}}
    with translation.override("zh-hans"):
        sentence = str(TEXTS[why["code"]]) % why["values"]
        assert str(views.TEXTS["no_term"]) % {"why": sentence} == (
            "无法读取文件：表转储必须以字节 01 02 03 04 63 58 4d 0b 开头。broker 会像崩溃之后那样启动。"
        )


def test_the_page_has_the_engines_sentences_in_the_readers_language() -> None:
    for language, words, zeros in (
        ("en", "%(place)s must be text.", "zero bytes"),
        ("zh-hans", "%(place)s 必须是文本。", "零字节"),
    ):
        answer = Client().get("/inspect/", headers={"accept-language": language})
        data = answer.context["inspect_data"]
        assert data["sentences"]["not_text"] == words
        assert data["sentences"].keys() == {*TEXTS, *views.TEXTS}
        assert data["kinds"]["zeros"] == zeros


STORE = "msg_store_persistent"


def looked_into(files: uploads.Files) -> dict[str, Any]:
    return reading.directory(files, UNEXPIRED)[0]


def by_name(found: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {row["name"]: (row["listed"], row["unreadable"], row["back"]) for row in found["queues"]}


@pytest.mark.parametrize("damage_done", ["deleted", "truncated", "of another node"])
def test_after_a_clean_stop_a_start_believes_what_was_saved(mixed: uploads.Files, damage_done: str) -> None:
    """3.10.8 listed all 2,500 of a queue whose first .rdq was gone, and each basic.get ended with 541 (S206)."""
    path = f"{STORE}/0.rdq"
    files = dict(mixed)
    if damage_done == "deleted":
        del files[path]
    else:
        files[path] = b"" if damage_done == "truncated" else files["msg_store_transient/0.rdq"]
    whole, found = looked_into(mixed), looked_into(files)
    assert whole["stop"]["clean"]
    assert found["stop"]["clean"]
    assert by_name(whole) == {"q.mixed": (16, 0, 16), "q.lazy": (5, 0, 5)}
    in_store = 11
    rows = by_name(found)
    assert {name: listed for name, (listed, _unreadable, _back) in rows.items()} == {
        "q.mixed": 16,
        "q.lazy": 5,
    }
    assert sum(unreadable for _listed, unreadable, _back in rows.values()) == in_store + 5, (
        "the first that cannot be read ends the virtual host, and what is behind it comes with the next start"
    )
    assert sum(back for _listed, _unreadable, back in rows.values()) == 16 + 5 - in_store


def test_an_index_that_is_gone_is_damage_and_its_bodies_are_counted(mixed: uploads.Files) -> None:
    files = {path: data for path, data in mixed.items() if not path.endswith(".idx")}
    found = looked_into(files)
    assert {row["code"]: row["values"] for row in found["damage"]}["segment_missing"]["count"] in (9, 16)
    assert {name: row[2] for name, row in by_name(found).items()} == {"q.mixed": 4, "q.lazy": 1}, (
        "in the journal"
    )
    [persistent, transient] = found["unowned"]
    assert (persistent["store"], persistent["count"]) == (STORE, 9)
    assert 0 < persistent["bytes"] < len(mixed[f"{STORE}/0.rdq"])
    assert transient["store"] == "msg_store_transient"
    assert [each["store"] for each in looked_into(mixed)["unowned"]] == ["msg_store_transient"], "garbage"


def test_a_recovery_dets_that_is_overwritten_is_damage_and_not_believed(mixed: uploads.Files) -> None:
    """A real 3.10.8 then starts as after a crash, and all came back."""
    for content in (b"\0" * 6000, b""):
        found = looked_into({**mixed, "recovery.dets": content})
        assert ("recovery.dets", "other_content") in [(row["file"], row["code"]) for row in found["damage"]]
        assert not found["stop"]["clean"]
        assert by_name(found) == {"q.mixed": (None, None, 16), "q.lazy": (None, None, 5)}


def test_findings_and_files_that_are_not_listed_are_counted(mixed: uploads.Files) -> None:
    """Each of the records of a store may be damaged: their number is bounded, and the rest is counted."""
    broken = b"".join((16).to_bytes(8, "big") + bytes([at % 256]) * 16 + b"\0" for at in range(11_000))
    many = {f"msg_store_transient/{at}.rdq": b"" for at in range(300)}
    found = looked_into({**mixed, **many, f"{STORE}/1.rdq": broken})
    assert len(found["damage"]) == rehearsal.MOST_DAMAGE
    assert found["damage_more"] >= 11_000 - rehearsal.MOST_DAMAGE
    assert len(found["files"]) == rehearsal.MOST_LISTED
    assert found["files_more"] > 100


def test_terms_of_another_node_are_not_believed(mixed: uploads.Files, recordings: Path) -> None:
    other = load(recordings / "datadirs" / "clean-17000")["recovery.dets"]
    assert not looked_into({**mixed, "recovery.dets": other})["stop"]["clean"]


def test_damage_is_shown_with_its_bytes(mixed: uploads.Files) -> None:
    path = "msg_store_persistent/0.rdq"
    whole = mixed[path]
    files = {**mixed, path: whole[:5217] + b"\x00" + whole[5218:]}
    found = sent(files=zipped(files)).json()["damage"]
    assert [(each["file"], each["offset"], each["kind"]) for each in found] == [
        (path, 0, "wrong marker"),
        ("queues/434QJ29PS1F7KJO6A26YZF1Z8", None, "missing"),
    ]
    assert found[0]["hex"].startswith("00000000  ")
    assert [(each["code"], each["values"]) for each in found] == [
        ("wrong_marker", {"at": 0, "found": 0, "wanted": 255}),
        ("messages_without_record", {"count": 1, "first": 10, "store": "msg_store_persistent"}),
    ]


def test_what_was_found_opens_as_a_scenario(mixed: uploads.Files) -> None:
    report = revival.report_on(mixed)
    revived = revival.revive(mixed, report)
    assert revived is not None
    begun = reading.scenario(report, revived)
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
    orders, calm = listings.read(LISTING).figures
    assert [(lane, count) for lane, count, _share, _where in orders.lanes] == [
        ("q1", 1000),
        ("q2", 50),
        ("delta", 900),
        ("q3", 100),
        ("q4", 50),
    ]
    assert orders.questions == [
        ("grows_in_delta", {"ingress": "900.5", "egress": "100.0"}),
        ("delta", {"count": 900}),
        ("target", {"target": "120"}),
    ]
    assert calm.questions == []
    assert [each["name"] for each in sent(figures=LISTING).json()["figures"]] == ["orders", "calm"]
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
            {"name": "n" * 256, "durable": True, "arguments": {}},
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
    assert [name for name, _why in taken.left_out] == ["n" * 255, "users"]
    (_name, why), *_others = taken.left_out
    assert why["code"] in TEXTS
    answer = sent(definitions=SimpleUploadedFile("definitions.json", json.dumps(body).encode()))
    assert answer.json()["scenario"]["topology"] == topology
    assert b"secret" not in answer.content
    for bad in (b"", b"[]", b"{}", b'{"queues": 7}', b"[" * 5000):
        with pytest.raises(UnreadableInput):
            definitions.read(bad)
