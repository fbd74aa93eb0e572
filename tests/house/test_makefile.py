"""Every target of the Makefile does its least in a copy of the repository: none can break unseen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from engine import ENGINE_VERSION
from tests.house.files import copy_repository
from tools.compiled import chosen, lacks, translate
from tools.proofs.attack.cases import GROUPS
from tools.proofs.fidelity.__main__ import MEASURES

BY_MAKE_TEST = {"programs", "lint", "types", "supplies", "js-test", "spark-classes", "collect", "py-test"}
"""What `make test` runs itself, on the whole of it."""
SELF = {"test", "js-lint", "js-types", "wasm"}
"""What runs this, and what others begin with."""
ENVIRONMENT = ("env", "dev-env", "spark-env", "constraints")
QUICK = (
    "help",
    *ENVIRONMENT,
    "wasm-digests",
    "static",
    "scorm",
    "format",
    "check",
    "conformance",
    "digests",
    "surfaces",
    "predict",
    "firefox-test",
    "coverage",
    "supported",
    "console-lines",
    "words",
    "lesson-check",
    "slides",
    "interop-directories",
    "inspect-file",
)
BROWSER = ("docs-images", "screenshots", "browser-test", "static-digests")
SPARK = ("heatmaps", "spark-cluster")
AT_LENGTH = {"docs-images", "browser-test", "static-digests", "spark-cluster"}
"""What only the long tests run: `screenshots`, `wasm-digests`, tests/browser and tests/spark go the same ways."""
ELSEWHERE = {"bench"}
"""Its tiny mode is run by tests/bench."""
WRITES = {
    "docs-images": "var/tiny/docs-images/live-phone-dark.png",
    "screenshots": "var/tiny/screenshots/index-desktop-light.png",
    "heatmaps": "var/tiny/heatmaps/few.parquet",
    "wasm-digests": "dist/wasm/engine.zip",
    "static-digests": "dist/wasm/engine.zip",
    "scorm": "var/tiny/static/first-in.zip",
    "fidelity": "var/tiny/fidelity.json",
    "surfaces": "var/tiny/surfaces.json",
    "predict": "var/tiny/predictions.json",
    "coverage": "var/coverage.json",
    "differential": "var/tiny/differential.json",
    "interop": "var/tiny/interop.json",
    "words": "var/tiny/words.json",
    "lesson-check": "var/tiny/lessons.md",
    "slides": "var/tiny/slides-waterline.html",
    "inspect-file": "var/tiny/waterline-inspect.pyz",
}
"""What shows that a target did something."""
HOLDS = {"wasm-digests": ("dist/wasm/browser_app.zip", "locale/zh_Hans/LC_MESSAGES/django.mo")}
"""What an archive that a target made has in it: texts are compiled before they are packed."""
OTHERS = {
    "run",
    "compiled",
    "cluster",
    "clean",
    "messages",
    "long-tests",
    "attack",
    "fidelity",
    "fuzz",
    "soak",
    "postgresql-test",
    "differential",
    "stories",
    "questions",
    "interop",
}
"""Each has a test of its own below."""
INSTALLED_BY = ("package.json", "package-lock.json", ".npmrc")
"""What npm installs by."""
MOST_SECONDS = 900
"""A target that hangs ends; a machine with other work may take long for one that does not."""


@pytest.fixture(scope="session")
def place(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository with the same environments, so that a target may write what it likes."""
    place = tmp_path_factory.mktemp("make") / "waterline"
    copy_repository(repo_root, place)
    (place / ".venv").symlink_to((repo_root / ".venv").resolve())
    if (repo_root / "node_modules" / ".installed").exists():
        (place / "node_modules").symlink_to((repo_root / "node_modules").resolve())
    # What is installed is this repository's: the time of a copy must not install it anew, over what others use.
    for name in (*(place / "locked").glob("*.txt"), *(place / each for each in INSTALLED_BY)):
        os.utime(name, (0, 0))
    subprocess.run(["git", "init", "--quiet"], cwd=place, check=True)
    lend_objects(repo_root, place)
    subprocess.run(["git", "add", "--all"], cwd=place, check=True)
    return place


def lend_objects(root: Path, place: Path) -> None:
    """Let a copy's git take what is committed from the repository's, where it is compressed already."""
    command = ["git", "rev-parse", "--path-format=absolute", "--git-path", "objects"]
    objects = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    (place / ".git" / "objects" / "info" / "alternates").write_text(objects, encoding="utf-8")


def make(place: Path, target: str, *variables: str) -> subprocess.CompletedProcess[str]:
    """Run one target in its tiny mode."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "MAKE", "MFLAGS"))
    }
    return subprocess.run(
        ["make", "--no-print-directory", target, "TINY=1", *variables],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )


def succeeds(place: Path, target: str, *variables: str) -> str:
    """Run a target; fail with its output where it fails, or leaves nothing behind."""
    run = make(place, target, *variables)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    if target in WRITES:
        assert (place / WRITES[target]).stat().st_size > 0
    if target in HOLDS:
        archive, name = HOLDS[target]
        assert name in zipfile.ZipFile(place / archive).namelist()
    return run.stdout


def targets(root: Path) -> set[str]:
    """Return every target that the Makefile says is one."""
    text = (root / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"^\.PHONY:(.*)$", text, re.MULTILINE)
    assert found is not None
    return set(found[1].split())


def test_every_target_is_run_by_a_test(repo_root: Path) -> None:
    covered = BY_MAKE_TEST | SELF | ELSEWHERE | OTHERS | set(QUICK) | set(BROWSER) | set(SPARK)
    assert targets(repo_root) == covered, "give a new target a tiny mode, and name it here"
    text = (repo_root / "Makefile").read_text(encoding="utf-8")
    run = {
        name
        for names in re.findall(r"^\t\t\$\S+ .*?((?: [a-z-]+)+) \|\| status=1", text, re.MULTILINE)
        for name in names.split()
    }
    assert run == BY_MAKE_TEST
    assert set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE)) >= covered - {"py-test"}, (
        "say what it is for"
    )


def test_what_needs_a_browser_or_spark_is_where_make_test_searches(repo_root: Path) -> None:
    found = re.search(
        r"^WAITING := (.*)$", (repo_root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found is not None
    places = [repo_root / name for name in found[1].split()]
    marks = re.compile(r"\bmark\.(browser|spark)\b")
    marked = [path for path in (repo_root / "tests").rglob("*.py") if marks.search(path.read_text("utf-8"))]
    elsewhere = [path for path in marked if not any(path.is_relative_to(place) for place in places)]
    assert marked
    assert elsewhere == []


def with_marks(targets: tuple[str, ...]) -> list[ParameterSet]:
    """Return targets as parameters, marked where only the long tests run them."""
    return [pytest.param(each, marks=pytest.mark.soak if each in AT_LENGTH else ()) for each in targets]


@pytest.mark.parametrize("target", QUICK)
def test_target(place: Path, target: str) -> None:
    succeeds(place, target)


@pytest.mark.browser
@pytest.mark.parametrize("target", with_marks(BROWSER))
def test_target_with_a_browser(place: Path, target: str) -> None:
    succeeds(place, target)


@pytest.mark.spark
@pytest.mark.parametrize("target", with_marks(SPARK))
def test_target_with_spark(place: Path, target: str) -> None:
    succeeds(place, target)


def test_messages_collects_every_text(place: Path) -> None:
    """Afterwards no text is missing from the translations; what is obsolete may go."""
    succeeds(place, "messages")
    assert (place / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.mo").is_file()
    # With other texts the next target would build the engine for browsers again.
    subprocess.run(["git", "checkout", "--quiet", "--", "locale"], cwd=place, check=True)


def test_long_tests_run_one(place: Path) -> None:
    assert re.search(r"[1-9]\d* passed", succeeds(place, "long-tests"))


def test_attack_tries_a_case_of_each_group(place: Path) -> None:
    found = re.search(r"attack: (\d+) of \1 cases hold", succeeds(place, "attack"))
    assert found
    assert int(found[1]) == len(GROUPS)


@pytest.mark.soak
def test_attack_tries_what_takes_no_time(place: Path) -> None:
    assert re.search(r"attack: (\d+) of \1 cases hold", succeeds(place, "attack", "ATTACK_ARGS=--tiny"))


def test_fidelity_measures_everything(place: Path) -> None:
    succeeds(place, "fidelity")
    results = json.loads((place / WRITES["fidelity"]).read_text(encoding="utf-8"))
    for name in MEASURES:
        assert results[name]["measured_on"]["date"] == "2026-01-31"
        assert results[name]["measured_on"]["engine"] == ENGINE_VERSION
    assert {each["traces"] for each in results["traces"]["releases"].values()} == {2}
    assert results["crashes"]["runs"] == results["fuzz"]["inputs"] == 3
    assert results["rules"]["engine"] == results["rules"]["engine_cited"] > 150


def test_fuzz_plays_two_programs(place: Path) -> None:
    assert re.search(r"fuzz: programs 2, refused \d, engines [12], broken 0\n", succeeds(place, "fuzz"))


@pytest.mark.soak
def test_soak_brings_about_every_fault_once(place: Path) -> None:
    printed = succeeds(place, "soak")
    assert re.search(r"soak: [1-9]\d* faults, \d+ sessions, [1-9]\d* commands accepted", printed)
    assert "soak: nothing wrong" in printed


def test_postgresql_test_runs_on_a_server_of_its_own(place: Path) -> None:
    assert re.search(r"[1-9]\d* passed", succeeds(place, "postgresql-test"))


def test_cluster_shows_that_another_process_takes_over(place: Path) -> None:
    """One is killed while students work; the owner of a session is stopped and writes too late, its heir is killed."""
    printed = succeeds(place, "cluster")
    assert re.search(r"killed under load .* none of [1-9]\d* commands lost\n", printed)
    assert re.search(r"the late command refused; killed: .* the same digest [0-9a-f]{32}\n", printed)


@pytest.mark.parametrize(
    ("target", "release"),
    [
        ("differential", "3.10.8"),
        ("questions", "3.10.8"),
        pytest.param("stories", "3.10.8", marks=pytest.mark.soak),
        pytest.param("interop", "3.10.8", marks=pytest.mark.soak),
        pytest.param("differential", "3.8.9", marks=pytest.mark.soak),
        pytest.param("interop", "3.8.9", marks=pytest.mark.soak),
    ],
)
def test_a_real_broker_is_compared_or_asked_for(place: Path, target: str, release: str) -> None:
    """Where the distribution has no such RabbitMQ the target can do no more than say so."""
    ensure = {"3.10.8": "tools/ensure_rabbitmq.sh", "3.8.9": "tools/ensure_rabbitmq_3_8.sh"}[release]
    home = subprocess.run([ensure], cwd=place, capture_output=True, text=True, check=False)
    if home.returncode == 0:
        printed = succeeds(place, target, f"RELEASE={release}")
        assert target != "differential" or f"RabbitMQ {release} on Erlang" in printed
    else:
        run = make(place, target, f"RELEASE={release}")
        assert run.returncode != 0
        assert "rabbitmq" in (run.stdout + run.stderr).lower()


@pytest.mark.soak
@pytest.mark.parametrize("target", ["differential", "stories", "questions", "interop"])
@pytest.mark.parametrize("release", ["4.3.6", "4.0.5"])
def test_a_broker_of_today_is_compared_where_it_is(
    place: Path, target: str, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making its system takes minutes, which is for the long tests; elsewhere the target says that it is missing."""
    monkeypatch.setenv("WATERLINE_FETCH", "no")
    ensure = ["tools/ensure_rabbitmq_suite.sh", release]
    if subprocess.run(ensure, cwd=place, capture_output=True, check=False).returncode == 0:
        printed = succeeds(place, target, f"RELEASE={release}")
        assert target != "differential" or f"RabbitMQ {release} on Erlang" in printed
    else:
        run = make(place, target, f"RELEASE={release}")
        assert run.returncode != 0
        assert "rabbitmq" in (run.stdout + run.stderr).lower()


def test_compiled_modules_have_the_digests_of_the_sources(place: Path) -> None:
    """Without a C compiler the target can do no more than say so."""
    missing = lacks()
    run = make(place, "compiled")
    if missing is None:
        assert (
            run.stdout == "compiled: modules 1; scenarios with the digests of the sources 1; tests pass\n"
        ), run.stderr
    else:
        assert run.returncode != 0
        assert missing in run.stderr


@pytest.mark.soak
def test_the_compiler_takes_every_module(tmp_path: Path) -> None:
    if lacks() is None:
        assert translate(tmp_path / "copy") == len(chosen())


@pytest.mark.soak
def test_run_serves_the_first_page(place: Path, tmp_path: Path) -> None:
    """As continuous integration begins, which goes on with `make test`: a newcomer's two commands, in their order."""
    order = (place / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^python3 -m tools\.first_page\nexec make test$", order, re.MULTILINE)
    ours = ("DATABASE_URL", "DJANGO_", "WATERLINE_", "MAKE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    run = subprocess.run(
        [sys.executable, "-m", "tools.first_page", "--seconds", "120"],
        cwd=place,
        env={**environment, "WATERLINE_VAR": str(tmp_path / "var")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "var" / "static" / "staticfiles.json").is_file()


def test_clean_removes_what_was_made_and_nothing_else(place: Path, tmp_path: Path) -> None:
    copy = tmp_path / "clean"
    (copy / "var").mkdir(parents=True)
    shutil.copy2(place / "Makefile", copy)
    (copy / ".venv").mkdir()
    (copy / "engine" / "__pycache__").mkdir(parents=True)
    (copy / "engine" / "kept.py").touch()
    succeeds(copy, "clean")
    assert {path.name for path in copy.iterdir()} == {"Makefile", "engine"}
    assert [path.name for path in (copy / "engine").iterdir()] == ["kept.py"]
