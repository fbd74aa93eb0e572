"""PerfTest commands: its own grammar, what becomes of each option, and what is told or refused by name."""

import json
from typing import Any

import pytest

from engine.broker.commands.scenario import MAX_QUEUES, parse
from engine.ctl.console import operated
from engine.storage.ledger import LedgerStorage
from workloads.errors import LineError, WorkloadError
from workloads.imports import READERS, Imported, Options
from workloads.imports.perf_test.options import OPTIONS, given
from workloads.imports.perf_test.shell import command_line
from workloads.workload import checked, messages


def read(text: str, **options: Any) -> Imported:
    """Read a command, and let the engine check what became of it."""
    imported = READERS["perf-test"](text.splitlines(keepends=True), Options(**options))
    return imported._replace(scenario=checked("w", imported.scenario).scenario)


def codes(imported: Imported) -> set[str]:
    return {remark.code for remark in imported.remarks}


def options(text: str) -> dict[str, list[str]]:
    found = given(command_line([text]))
    return {name: [word.text for word in words] for name, words in found.values.items()}


def of(imported: Imported, verb: str) -> list[dict[str, Any]]:
    return [each for each in imported.scenario["commands"] if each["do"] == verb]


COMMAND = """# nightly run
bin/runjava com.rabbitmq.perf.PerfTest -h amqp://alice:secret@host:5672 \\
  --producers 2 -y 1 --rate 500 -s 4000 -f persistent -c 100 \\
  --qos 50 --multi-ack-every 10 --consumer-rate 300 -z 10 -u orders-eu
"""


def test_a_command_line_becomes_publishers_and_consumers() -> None:
    imported = read(COMMAND)
    scenario = imported.scenario
    consumer, one, two = [each for each in scenario["commands"] if each["do"] != "remove"]
    assert (consumer["rate_per_s"], consumer["prefetch"], consumer["ack"]) == (300, 50, "multiple")
    for publisher in (one, two):
        assert (publisher["rate_per_s"], publisher["size_bytes"]) == (500, 4000)
        assert publisher["persistent"]
        assert publisher["confirm"]
    assert [each["at_us"] for each in of(imported, "remove")] == [10_000_000] * 2
    assert messages(scenario) == 10_000
    assert "alice" not in json.dumps(scenario)
    assert "orders-eu" not in json.dumps(scenario)
    assert codes(imported) == {"confirm_window", "acks_together", "names_replaced", "no_effect"}
    assert "without effect on what is stored: --uri" in map(str, imported.remarks)


def test_the_queue_is_the_one_that_perf_test_declares() -> None:
    transient, durable = (
        read(f"perf-test -r 1 -z 1 -u q {more}").scenario["topology"]["queues"]
        for more in ("", "-f persistent")
    )
    assert transient == [{"name": "orders", "durable": False, "auto_delete": True}]
    assert durable == [{"name": "orders", "auto_delete": True}]
    kept = read("perf-test -r 1 -z 1 -u q -ad false -f persistent")
    assert kept.scenario["topology"]["queues"] == [{"name": "orders"}]


def test_variable_rates_and_sizes_go_round() -> None:
    imported = read(
        "perf-test -vr 100:2 -vr 0:1 -vs 1000:3 --variable-size 2000:3 -z 7 --autoack -qa x-queue-mode=lazy"
    )
    arrivals = [
        (each["at_us"] // 1_000_000, each["rate_per_s"], each["size_bytes"], each["running"])
        for each in of(imported, "set_publisher")
    ]
    assert arrivals == [
        (0, 100, 1000, True),
        (2, 1, 1000, False),
        (3, 100, 2000, True),
        (5, 1, 2000, False),
        (6, 100, 1000, True),
    ]
    assert imported.scenario["topology"]["queues"][0]["arguments"] == {"x-queue-mode": "lazy"}
    assert of(imported, "set_consumer")[0]["ack"] == "auto"


@pytest.mark.parametrize(
    ("launcher", "environment"),
    [
        ("perf-test", ""),
        ("./perf-test", ""),
        ("rabbitmq-perf-test", ""),
        ("$ bin/perf-test-2.18.0.sh", ""),
        ("java -jar perf-test-2.18.0.jar", ""),
        ("java -Xmx1g -cp 'lib/*' com.rabbitmq.perf.PerfTest", ""),
        ("nohup sh ./runjava.sh com.rabbitmq.perf.PerfTest", ""),
        ("time bin/runjava com.rabbitmq.perf.PerfTest", ""),
        ("sudo docker run -it --rm --name perf-test --network host pivotalrabbitmq/perf-test:latest", ""),
        ("podman run --rm docker.io/pivotalrabbitmq/perf-test@sha256:00ff", ""),
        ("docker exec -it perf-test bin/perf-test", ""),
        ("docker run -e PRODUCERS=3 --env CONSUMERS=2 pivotalrabbitmq/perf-test", "3/2"),
        ("kubectl run -it --rm perf-test --image=pivotalrabbitmq/perf-test --env=PRODUCERS=3 --", "3/1"),
        ("kubectl -n mq exec pod-0 -- /opt/perf-test/bin/runjava com.rabbitmq.perf.PerfTest", ""),
        ("PRODUCERS=3 perf-test", "3/1"),
        ("export CONSUMERS=2; cd /opt && perf-test", "1/2"),
    ],
)
def test_launchers_in_front_have_no_influence(launcher: str, environment: str) -> None:
    imported = read(f"{launcher} -u q --rate 100 -z 10 > out.txt 2>&1 &")
    producers, consumers = (environment or "1/1").split("/")
    assert len(of(imported, "set_publisher")) == int(producers)
    assert len(of(imported, "set_consumer")) == int(consumers)
    assert messages(imported.scenario) == 1000 * int(producers)
    assert codes(imported) == {"names_replaced", "unlimited_consumers"}


def test_a_shell_inside_a_container_is_read() -> None:
    imported = read(
        "docker run --rm pivotalrabbitmq/perf-test sh -c 'perf-test -r 10 -z 5 -d $HOSTNAME' | tee log"
    )
    assert messages(imported.scenario) == 50


def test_values_of_the_text_s_own_variables_are_used() -> None:
    text = 'RATE=20\nSECONDS_="7"\nperf-test -r $RATE --time ${SECONDS_} -s "${SIZE:-100}"'
    (publisher,) = of(read(text), "set_publisher")
    assert (publisher["rate_per_s"], publisher["size_bytes"]) == (20, 100)
    with pytest.raises(
        LineError, match=r"line 2: --rate is \$RATE, and nothing in the text says what that is"
    ):
        read("# nightly\nperf-test -r $RATE -h $URI")
    assert messages(read("perf-test -r 10 -z 5 -h $URI").scenario) == 50


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("-x4 -y0", {"producers": ["4"], "consumers": ["0"]}),
        ("--producers=4 -y=0", {"producers": ["4"], "consumers": ["0"]}),
        ("-ad false", {"auto-delete": ["false"]}),
        ("-producers 4 --consumer-r 5", {"producers": ["4"], "consumer-rate": ["5"]}),
        ("-ax2", {"autoack": ["-ax2"], "producers": ["2"]}),
        ("-f persistent mandatory -x 1", {"flag": ["persistent", "mandatory"], "producers": ["1"]}),
        ("-fpersistent -f mandatory", {"flag": ["persistent", "mandatory"]}),
        ("-qa a=1,b=2 c=3", {"queue-args": ["a=1,b=2", "c=3"]}),
        ("-c -1", {"confirm": ["-1"]}),
        ("-e -x 1", {"exchange": ["-e"], "producers": ["1"]}),
        ("-p -x 1", {"predeclared": ["-p"], "producers": ["1"]}),
    ],
)
def test_words_are_read_as_perf_test_reads_them(text: str, found: dict[str, list[str]]) -> None:
    assert options(f"perf-test {text}") == found


def test_every_option_of_perf_test_has_one_place_in_the_table() -> None:
    names = [name for option in OPTIONS for name in (option.short, option.long) if name]
    assert len(set(names)) == len(names)


def test_several_queues() -> None:
    own = read("perf-test -x 1 -y 3 -r 10 -z 1")
    assert [queue["name"] for queue in own.scenario["topology"]["queues"]] == [
        "orders",
        "orders-2",
        "orders-3",
    ]
    assert len(own.scenario["topology"]["bindings"]) == 3
    assert [each.get("queue", "orders") for each in of(own, "set_consumer")] == [
        "orders",
        "orders-2",
        "orders-3",
    ]
    assert "queue_each" in codes(own)
    named = read("perf-test -x 1 -y 2 -r 10 -z 1 -u a,b -R 50")
    assert [(each.get("queue", "orders"), each["rate_per_s"]) for each in of(named, "set_consumer")] == [
        ("orders", 25),
        ("orders", 25),
        ("orders-2", 25),
        ("orders-2", 25),
    ]
    turn = read("perf-test -x 4 -y 2 -r 10 -z 1 -qp 'q-%d' -qpf 1 -qpt 3")
    assert [each.get("routing_key", "orders") for each in of(turn, "set_publisher")] == [
        "orders",
        "orders",
        "orders-2",
        "orders-3",
    ]
    assert "bindings" not in turn.scenario["topology"]
    assert "no_queue" in codes(read("perf-test -y0 -r 10 -z 1"))


def test_more_clients_than_a_page_can_draw_do_the_work_of_several() -> None:
    exact = read("perf-test -x 40 -y 30 -u q -r 100 -R 10 -q 5 -z 10")
    assert [each["rate_per_s"] for each in of(exact, "set_publisher")] == [100] * 40
    assert [(each["rate_per_s"], each["prefetch"]) for each in of(exact, "set_consumer")] == [(10, 5)] * 30
    imported = read("perf-test -x 300 -y 300 -u q -r 100 -R 10 -q 5 -z 10")
    publishers, consumers = of(imported, "set_publisher"), of(imported, "set_consumer")
    assert [each["rate_per_s"] for each in publishers] == [500] * 60
    assert sum(each["rate_per_s"] for each in consumers) == 3000
    assert sum(each["prefetch"] for each in consumers) == 1500
    assert "300 --producers are played as 60 that do the work of several each" in map(str, imported.remarks)


def test_transactions_are_the_publishers_own() -> None:
    assert [each["tx"] for each in of(read("perf-test -u q -r 10 -z 1 -m 50"), "set_publisher")] == [50]
    assert "transactions_left_out" in codes(read("perf-test -u q -C 100 -m 50"))
    with pytest.raises(LineError, match="--ptxsize with --confirm"):
        read("perf-test -u q -r 10 -m 50 -c 1")


def test_an_option_that_is_given_again_is_told() -> None:
    again = read("perf-test -u q -r 10 -r 20 -z 1 -y0")
    assert [each["rate_per_s"] for each in of(again, "set_publisher")] == [10]
    assert "--rate is given again; PerfTest takes the first, so 20 is left out" in map(str, again.remarks)


def test_refusing_consumers() -> None:
    """--nack refuses what is finished; --requeue says what becomes of it, and means nothing without --nack."""
    back = read("perf-test -u q -r 10 -z 1 -R 5 --nack -A 10")
    assert [(each["nack"], each["ack"]) for each in of(back, "set_consumer")] == [("requeue", "multiple")]
    gone = read("perf-test -u q -r 10 -z 1 -R 5 -na -re false")
    assert [each["nack"] for each in of(gone, "set_consumer")] == ["discard"]
    assert {"nacks_requeue"} <= codes(back)
    assert {"nacks_discard"} <= codes(gone)
    assert "nack" not in of(read("perf-test -u q -r 10 -z 1 -R 5 --nack -a"), "set_consumer")[0]
    assert "--requeue" in " ".join(map(str, read("perf-test -u q -r 10 -z 1 -re false").remarks))


def test_what_the_queue_can_do_is_carried_over() -> None:
    arguments = "x-max-length=10000,x-overflow=reject-publish,x-message-ttl=5000,x-max-priority=3"
    imported = read(
        f"perf-test -r 10 -z 1 -qa {arguments} -mp priority=2,expiration=900,team=blue -mlb 5mb -Q 7"
    )
    assert imported.scenario["topology"]["queues"][0]["arguments"] == {
        "x-max-length": 10000,
        "x-overflow": "reject-publish",
        "x-message-ttl": 5000,
        "x-max-priority": 3,
        "x-max-length-bytes": 5_000_000,
    }
    (publisher,) = of(imported, "set_publisher")
    assert (publisher["properties"], publisher["expiration_ms"]) == ({"priority": 2}, 900)
    assert list(publisher["headers"].values()) == ["xxxx"]
    assert of(imported, "set_consumer")[0]["channel_prefetch"] == 7


def test_starts_and_ends() -> None:
    imported = read("perf-test -x 1 -y 3 -u q -csd 2 -S -C 500 -r 100 -prsd 4")
    assert [each["at_us"] // 1_000_000 for each in of(imported, "set_consumer")] == [2, 3, 4]
    assert [each["at_us"] for each in of(imported, "remove")] == [5_000_000]
    assert {"messages_bound", "random_start"} <= codes(imported)
    burst = read("perf-test -x 2 -y 0 -u q -C 700 -s 50")
    assert [(each["count"], each["size_bytes"]) for each in of(burst, "publish")] == [(700, 50)] * 2
    variable = read("perf-test -u q -C 1000 -vr 10:5 -vr 100:5")
    assert messages(variable.scenario) == 1000


def test_rates_that_are_no_whole_numbers() -> None:
    seldom = read("perf-test -u q -P 5 -z 60")
    assert [each["at_us"] // 1_000_000 for each in of(seldom, "publish")] == list(range(0, 60, 5))
    rounded = read("perf-test -u q -r 2.4 -z 10")
    assert of(rounded, "set_publisher")[0]["rate_per_s"] == 2
    assert "--rate 2.4 is played as 2 messages a second" in map(str, rounded.remarks)


def test_consumers_that_take_time() -> None:
    slow = read("perf-test -u q -r 10 -z 10 -L 4000")
    assert [each["rate_per_s"] for each in of(slow, "set_consumer")] == [250]
    changing = read("perf-test -u q -r 10 -z 6 -vl 1000:2 -vl 100000:2 -R 500")
    assert [(each["at_us"] // 1_000_000, each["rate_per_s"]) for each in of(changing, "set_consumer")] == [
        (0, 500),
        (2, 10),
        (4, 500),
    ]


def test_without_a_rate_the_node_decides() -> None:
    imported = read("perf-test -x 1 -y 2 -a -u q -z 1")
    assert imported.scenario["settings"] == {"work_profile": "measured-vm"}
    assert {"unlimited_producers", "unlimited_consumers"} <= codes(imported)


def test_what_is_passed_over_is_named() -> None:
    imported = read(
        "perf-test -r 1 -z 1 stray -ew empty -D 5 -jb -K -sb -p -ca x-foo=1 -H a,b -qa x-what=2 -T text/plain --id me"
    )
    assert codes(imported) == {
        *("stray_words", "exit_when", "consumer_messages", "json_body", "random_keys", "bound_already"),
        *("predeclared", "consumer_argument", "one_node", "queue_argument", "content_type", "no_effect"),
        "unlimited_consumers",
    }
    assert "first_command" in codes(read("perf-test -r 1 -z 1\nperf-test -r 2 -z 2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("perf-test -x 1 \\\n -y 1 --fast", "line 2: PerfTest has no option --fast"),
        ("perf-test --rate fast", "line 1: --rate 'fast' is no number"),
        ("perf-test --rate", "line 1: --rate needs a value"),
        ("perf-test -s 1.5", "line 1: --size '1.5' is no whole number"),
        ("perf-test --autoack=yes", "line 1: --autoack takes no value"),
        ("perf-test --rate 10 -x 99999999", "at most 1000000"),
        ("perf-test --rate 10 \\\n--flag gold", "line 2: --flag 'gold'"),
        ("perf-test --rate 10 'oops", "line 1: the quotes do not fit"),
        ("perf-test --rate 10 -vr 5", "line 1: --variable-rate '5' is no VALUE:SECONDS"),
        ("perf-test -qp 'q-%d' -r 1", "go together"),
        ("perf-test -qp 'q-%d' -qpf 1 -qpt 1000000000 -r 1", "--queue-pattern-to asks for 1000000000 queues"),
        ("perf-test -r 1 -t x-consistent-hash", "--type 'x-consistent-hash' is not known"),
        ("perf-test -r 1 -qa x-queue-type=quorum", "x-queue-type=quorum"),
        ("perf-test -r 1 -qa x-max-length=many", "the queue argument 'x-max-length=many' is not possible"),
        ("perf-test -vr 1:1 -vr 2:1 -z 80000", "more than 10000 commands"),
        ("perf-test -P 0.01", "out of range"),
        ("ls -l", "there is no PerfTest command in it"),
        *(
            (f"perf-test -r 1 {option}", "cannot be carried over")
            for option in ("-qq", "-sq", "-po", "-B file", "-n 5", "-qf names", "--help")
        ),
    ],
)
def test_what_cannot_be_carried_over_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(WorkloadError) as refusal:
        read(text)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("perf-test -qp 'q-%d' -qpf 1 -qpt 500 -x 500 -y 500", "--queue-pattern-to asks for 500"),
        ("perf-test -x 200 -y 200 -r 10", "--consumers asks for 200"),
        (f"perf-test -u {','.join(f'q{at}' for at in range(65))} -r 10", "--queue asks for 65"),
        ("perf-test -Y 65 -r 10", "--consumer-channel-count asks for 65"),
    ],
)
def test_more_queues_than_a_session_has_are_refused_by_option_and_bound(line: str, named: str) -> None:
    with pytest.raises(WorkloadError, match=named) as refused:
        READERS["perf-test"]([line], Options())
    assert f"at most {MAX_QUEUES}" in str(refused.value)


def test_exclusive_queues_are_one_for_each_consumer() -> None:
    imported = READERS["perf-test"](["perf-test -y 3 -E -u q -r 10 -z 5"], Options())
    assert len(imported.scenario["topology"]["queues"]) == 3
    assert "exclusive_queues" in {remark.code for remark in imported.remarks}


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("perf-test -r 10 -z 5", None),
        ("sudo nohup perf-test -r 10 -z 5 > log 2>&1 &", None),
        ("for i in 1 2 3; do perf-test -r 10 -z 5; done", "for i in 1 2 3"),
        ("timeout 60 docker run --rm pivotalrabbitmq/perf-test -r 10 -z 5", "timeout 60"),
        (
            "cd /opt/perf && ./bin/runjava com.rabbitmq.perf.PerfTest -r 10 -z 5; sleep 5",
            "sleep 5",
        ),
        ("RATE=5\nset -e\nperf-test -r 10 -z 5\nrabbitmqctl list_queues\n", "rabbitmqctl list_queues"),
        ("oc run p --image=pivotalrabbitmq/perf-test --command -- runjava PerfTest -r 10 -z 5", None),
    ],
)
def test_what_a_shell_does_besides_is_told(text: str, around: str | None) -> None:
    """A loop runs PerfTest several times, a bound of time ends it: neither is played, and neither is passed over."""
    remarks = READERS["perf-test"](text.splitlines(), Options()).remarks
    told = [remark.values["names"] for remark in remarks if remark.code == "commands_around"]
    assert told == ([around] if around else [])


@pytest.mark.parametrize(("queues", "per_s"), [(1, 20), (10, 10), (40, 5)])
def test_more_clients_than_the_page_draws_play_exactly(queues: int, per_s: int) -> None:
    """No alarm rings for buffers of connections: each of 12 producers sends at its rate, the last at the end."""
    pattern = f"--queue-pattern 'q-%d' --queue-pattern-from 1 --queue-pattern-to {queues}"
    imported = read(f"perf-test -x 12 -y 40 --rate {per_s} -s 1000 -z 2 {pattern if queues > 1 else '-u q'}")
    node = operated(parse(imported.scenario), LedgerStorage())
    node.advance(1_999_999)
    state = node.snapshot()
    actors = state["node"]["actors"].values()
    published = [each["published"] for each in actors if each["role"] == "publisher" and each["rate_per_s"]]
    assert published == [2 * per_s - 1] * 12
    assert sum(each["role"] == "consumer" for each in actors) == 40
    assert len(state["queues"]) == queues
    assert not any(state["node"]["alarms"].values())
    assert messages(imported.scenario) == 12 * 2 * per_s
    node.advance(imported.scenario["until_us"])
    node.verify()
    assert (
        sum(each["counters"]["next_seq_id"] for each in node.snapshot()["queues"].values()) >= 12 * 2 * per_s
    )
    assert "ram_for_connections" in codes(imported)


def test_a_few_clients_keep_the_usual_ram() -> None:
    imported = read("perf-test -x 2 -y 4 --rate 10 -z 2")
    assert "ram_bytes" not in imported.scenario["settings"]
    assert "ram_for_connections" not in codes(imported)


def test_what_is_beyond_a_session_is_refused_by_the_option() -> None:
    many = MAX_QUEUES + 1
    with pytest.raises(LineError, match=f"--queue-pattern-to asks for {many} queues"):
        read(f"perf-test --rate 1 --queue-pattern 'q-%d' --queue-pattern-from 1 --queue-pattern-to {many}")
