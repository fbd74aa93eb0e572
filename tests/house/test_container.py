"""The container: its two files are sound, and what the image holds is enough to start the app."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import compose_spec
import pytest

from tests.house.files import copy_compiled, first_page, repository_files
from tools.cluster import proxy
from tools.free_port import free_port

VARIABLE = re.compile(r"\$\{(?P<name>[A-Z_]+):-(?P<default>[^}]*)\}")


def test_the_linter_has_nothing_to_say_of_the_dockerfile(repo_root: Path) -> None:
    linter = Path(sys.executable).with_name("hadolint")
    run = subprocess.run([linter, "Dockerfile"], cwd=repo_root, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def compose(root: Path, name: str = "compose.yaml", **environment: str) -> compose_spec.PyCompose:
    """Return a compose file as `docker compose config` would read it: variables filled in, then checked."""
    text = (root / name).read_text(encoding="utf-8")
    filled = VARIABLE.sub(lambda found: environment.get(found["name"]) or found["default"], text)
    found = compose_spec.PyCompose.from_yaml(filled)
    found.validate()
    return found


def test_the_compose_file_is_one(repo_root: Path) -> None:
    services = compose(repo_root).to_dict()["services"]
    assert set(services) == {"app", "database"}
    assert services["database"]["profiles"] == ["postgresql"], "only who asks for it gets a database server"
    assert services["app"]["read_only"]
    assert services["app"]["depends_on"]["database"]["required"] is False


def test_the_cluster_in_containers_is_the_one_on_this_machine(repo_root: Path) -> None:
    services = compose(repo_root, "compose.cluster.yaml").to_dict()["services"]
    apps = {name: f"{name}:8000" for name in services if name.startswith("app")}
    assert set(services) == {"prepare", "proxy", "database", "redis", *apps}
    assert len(apps) > 1
    first = services["app1"]
    assert "WATERLINE_NODE=$$(hostname)" in " ".join(first["command"])
    assert first["depends_on"]["prepare"]["condition"] == "service_completed_successfully"
    for name in apps:
        assert services[name]["hostname"] == name
        assert name == "app1" or services[name]["extends"]["service"] == "app1"
    written = (repo_root / "tools/cluster/nginx.conf").read_text(encoding="utf-8")
    assert written == proxy.configuration(apps, "8000", "/tmp"), (
        "write it anew, as compose.cluster.yaml describes"
    )


@pytest.mark.parametrize(("name", "service"), [("compose.yaml", "app"), ("compose.cluster.yaml", "prepare")])
def test_a_compose_file_sets_only_what_the_app_reads(repo_root: Path, name: str, service: str) -> None:
    settings = (repo_root / "playground" / "settings.py").read_text(encoding="utf-8")
    settings += (repo_root / "playground" / "environment.py").read_text(encoding="utf-8")
    for variable in compose(repo_root, name).to_dict()["services"][service]["environment"]:
        assert f'"{variable}"' in settings, variable


@pytest.fixture(scope="module")
def image(repo_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the files that `COPY . .` puts into the image, and no right to write there."""
    ignored = (repo_root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line.removeprefix("**/") for line in ignored if line and not line.startswith("#")]
    place = tmp_path_factory.mktemp("image") / "srv"
    for name in repository_files(repo_root):
        heads = [str(name), *map(str, name.parents), name.name]
        if not any(fnmatch.fnmatch(head, pattern) for head in heads for pattern in patterns):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repo_root / name, place / name)
            if name.suffix == ".py":
                copy_compiled(repo_root / name, place / name)
    return place


def test_the_image_holds_no_tests_and_no_sessions(image: Path) -> None:
    held = {path.name for path in image.iterdir()}
    assert held.isdisjoint({"tests", "var", ".git", "spark_jobs", "bench"})
    assert {"engine", "playground", "docs", "locale", "static", "templates", "workloads"} <= held


def test_the_app_starts_from_what_the_image_holds(image: Path, tmp_path: Path, repo_root: Path) -> None:
    dockerfile = (repo_root / "Dockerfile").read_text(encoding="utf-8")
    assert 'CMD ["tools/start.sh", "0.0.0.0", "8000"]' in dockerfile
    subprocess.run([sys.executable, "tools/compile_messages.py"], cwd=image, check=True)
    subprocess.run(["chmod", "-R", "a-w", str(image)], check=True)
    port = free_port()
    environment = {**os.environ, "PYTHON": sys.executable, "WATERLINE_VAR": str(tmp_path / "var")}
    environment = {
        name: value
        for name, value in environment.items()
        if name not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    }
    log = tmp_path / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            ["tools/start.sh", "127.0.0.1", str(port)],
            cwd=image,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        assert "Waterline" in first_page(f"http://127.0.0.1:{port}/", server), log.read_text()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/rules/Q46", timeout=10) as page:
            assert page.status == 200
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)
        subprocess.run(["chmod", "-R", "u+w", str(image)], check=True)
