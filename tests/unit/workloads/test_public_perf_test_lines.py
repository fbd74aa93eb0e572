"""PerfTest commands of its documentation, of runbooks, issues and articles: each imports, or names an option."""

from __future__ import annotations

from typing import Final

import pytest

from workloads.errors import WorkloadError
from workloads.imports import READERS, Options
from workloads.workload import checked

JAVA: Final = "bin/runjava com.rabbitmq.perf.PerfTest"
PATTERN: Final = "--queue-pattern 'perf-test-%d' --queue-pattern-from 1 --queue-pattern-to"
IMAGE: Final = "pivotalrabbitmq/perf-test:latest"

IMPORTED: Final = (
    JAVA,
    f'{JAVA} -x 1 -y 2 -u "throughput-test-1" -a --id "test 1"',
    f'{JAVA} -x 2 -y 4 -u "throughput-test-2" -a --id "test 2"',
    f'{JAVA} -x 1 -y 2 -u "throughput-test-3" --id "test 3"',
    f'{JAVA} -x 1 -y 2 -u "throughput-test-4" --id "test-4" -f persistent --multi-ack-every 50',
    f'{JAVA} -x 1 -y 2 -u "throughput-test-7" --id "test-7" -f persistent --multi-ack-every 200 -q 500',
    f'{JAVA} -x 1 -y 2 -u "throughput-test-9" --id "test-9" -f persistent --rate 5000',
    f'{JAVA} -x 1 -y 2 -u "throughput-test-11" --id "test-11" -f persistent --size 4000 -c 100',
    f"{JAVA} {PATTERN} 10 --producers 100 --consumers 100",
    f"{JAVA} {PATTERN} 50 --producers 50 --consumers 50 --rate 1 -z 60",
    f"{JAVA} -x 1000 -y 1000 --publishing-interval 60 -prsd 1800 -hst 10 --producer-scheduler-threads 10 -u heavy",
    f"{JAVA} --variable-rate 100:60 --variable-rate 1000:10 --variable-rate 500:15",
    f"{JAVA} --variable-size 1000:30 --variable-size 10000:20 --variable-size 5000:45",
    f"{JAVA} --variable-latency 1000:60 --variable-latency 1000000:30",
    f"{JAVA} --consumer-latency 5000 --rate 200 --qos 10",
    f"{JAVA} --metrics-prometheus --metrics-tags env=performance,region=eu",
    f"{JAVA} --json-body --size 16000",
    f"{JAVA} --json-body --size 16000 --body-count 10 --body-field-count 250",
    f"{JAVA} --queue-args x-max-length=10 -r 50 -u capped",
    f"{JAVA} --queue-args x-message-ttl=60000,x-dead-letter-exchange=dlx -r 50",
    f"{JAVA} -qa x-max-priority=10 -mp priority=5 -u prio -ad false",
    f"{JAVA} --uris amqp://host1,amqp://host2 -x 3 -y 3",
    f"{JAVA} --nack --requeue false -qa x-dead-letter-exchange= -u refused -r 10",
    f"{JAVA} --nack -u poison -r 1 --consumer-rate 20",
    f"{JAVA} --slow-start --consumer-start-delay 5 -x 2 -y 10 -u slow",
    f"{JAVA} -x 1 -y 0 --exit-when empty -C 1000 -u fill",
    f"{JAVA} -t topic -e events -k a.b.c -x 2 -y 2",
    f"{JAVA} -e amq.direct -t direct -k key --skip-binding-queues -p -u existing",
    "perf-test -x1 -y0 -u lazy -ad false -f persistent -s 1024 -C 1000000 -qa x-queue-mode=lazy",
    "perf-test -x 0 -y 1 -u lazy -ad false -f persistent -q 200 -R 1000",
    "rabbitmq-perf-test --uri amqp://user:pass@10.0.0.1:5672/%2f -z 30 -s 1000 -x 4 -y 4 -f persistent -c 500 -ct -1",
    "java -jar perf-test-2.20.0.jar --producers 3 --consumers 3 --rate 1000 --time 120 --pmessages 50000",
    f"docker run -it --rm --network perf-test {IMAGE} --uri amqp://some-rabbit",
    f"docker run --rm -e RATE=100 -e QUEUE=q1 -e AUTO_DELETE=false {IMAGE}",
    "kubectl run perf-test --image=pivotalrabbitmq/perf-test -- --uri amqp://${username}:${password}@${service}",
    "kubectl run -it --rm pt --image=pivotalrabbitmq/perf-test --restart=Never -- -h amqp://hello-world -x 2 -y 2",
    "kubectl rabbitmq perf-test hello-world --rate 100",
    "podman run --rm docker.io/pivotalrabbitmq/perf-test -h amqp://10.0.0.2 -x 1 -y 1 -s 12 -a -z 30 --use-millis",
    f"{JAVA} --exclusive",
    f"{JAVA} --metrics-command-line-arguments --metrics-prometheus -r 10",
    f"for i in 1 2 3; do {JAVA} -x 1 -y 1 -r 10 -z 60; done",
    "oc run perf --image=pivotalrabbitmq/perf-test --command -- bin/runjava com.rabbitmq.perf.PerfTest -r 10",
    f"docker compose run {IMAGE} -x 1 -y 1 -z 60",
    f"{JAVA} --queue-args x-single-active-consumer=true -y 3 -u sac --rate 1000 --size 1024",
    "perf-test --autoack -c 1 -f persistent -f mandatory -q 1 -X 5 -Y 5 -r 100",
)
"""Commands that can be played, with remarks where something is played otherwise."""

REFUSED: Final = {
    f"{JAVA} {PATTERN} 500 --producers 1000 --consumers 1000": "--queue-pattern-to asks for 500 queues",
    f"{JAVA} --quorum-queue --queue qq": "--quorum-queue",
    f"{JAVA} --stream-queue --queue sq --max-age P1D": "--stream-queue",
    f"{JAVA} -u qq -qa x-queue-type=quorum -ad false -f persistent": "x-queue-type",
    f"{JAVA} --body content1.json,content2.json --body-content-type application/json": "--body",
    f"{JAVA} --polling --polling-interval 5": "--polling",
    f"docker run -it --rm {IMAGE} --help": "--help",
    f"{JAVA} --ctxsize 10 -m 10": "--ctxsize",
    f"{JAVA} --rate 10 --shuffle": "--shuffle",
    f"{JAVA} -x 200 -y 200 -r 10": "--consumers",
    f"{JAVA} --type x-delayed-message -e d -r 10": "--type",
    f"{JAVA} --size 1k -r 10": "--size",
}
"""Commands that would be another run, with what the refusal names."""


@pytest.mark.parametrize("line", IMPORTED)
def test_a_public_line_imports(line: str) -> None:
    imported = READERS["perf-test"]([line], Options())
    scenario = checked("w", imported.scenario).scenario
    assert len(scenario["commands"]) > 0


@pytest.mark.parametrize(("line", "named"), REFUSED.items())
def test_a_public_line_that_would_be_another_run_is_refused_by_name(line: str, named: str) -> None:
    with pytest.raises(WorkloadError) as refused:
        READERS["perf-test"]([line], Options())
    assert named in str(refused.value)


def test_the_goal() -> None:
    assert len(IMPORTED) >= 30
    assert len(IMPORTED) + len(REFUSED) >= 36
