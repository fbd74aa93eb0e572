"""The zip for learning platforms has the structure that SCORM 1.2 asks for, and what its page needs."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from playground.exercises import catalog
from playground.static_edition.write import ADL, PACKAGING, NoSuchWork, write_package

NAMES = {"p": PACKAGING}


@pytest.fixture
def edition(repo_root: Path, tmp_path: Path) -> Path:
    """Return an edition with the files that matter to a package."""
    out = tmp_path / "dist"
    shutil.copytree(repo_root / "static", out / "static")
    made = {
        "en/index.html": "",
        "en/a name & more.html": "",
        "en/i18n/catalog.js": "",
        "zh-hans/index.html": "",
        "wasm/pyodide.mjs": 'import("./pyodide.asm.mjs")',
        "wasm/pyodide.asm.mjs": "",
    }
    for name, text in made.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, "utf-8")
    return out


def test_the_manifest_lists_every_file_and_launches_one_of_them(edition: Path, tmp_path: Path) -> None:
    package = tmp_path / "package.zip"
    count = write_package(edition, package, "first-in", "en")
    with zipfile.ZipFile(package) as found:
        names = found.namelist()
        root = ET.fromstring(found.read("imsmanifest.xml"))
    assert (len(names), names[0]) == (count, "imsmanifest.xml")
    assert root.findtext("p:metadata/p:schema", namespaces=NAMES) == "ADL SCORM"
    assert root.findtext("p:metadata/p:schemaversion", namespaces=NAMES) == "1.2"
    [organizations] = root.findall("p:organizations", NAMES)
    [organization] = organizations
    assert organizations.get("default") == organization.get("identifier")
    assert organization.findtext("p:title", namespaces=NAMES) == "The first messages"
    [item] = organization.findall("p:item", NAMES)
    [resource] = root.findall("p:resources/p:resource", NAMES)
    assert item.get("identifierref") == resource.get("identifier")
    assert (resource.get("type"), resource.get(f"{{{ADL}}}scormtype")) == ("webcontent", "sco")
    listed = [unquote(each.get("href", "")) for each in resource.findall("p:file", NAMES)]
    assert sorted(listed) == sorted(set(names) - {"imsmanifest.xml"})
    assert resource.get("href") in listed
    assert not any(name.startswith("zh-hans/") or name.endswith(".mjs") for name in names)


def test_the_page_knows_its_exercises_and_finds_its_files(edition: Path, tmp_path: Path) -> None:
    package = tmp_path / "package.zip"
    unit = catalog.units()[0]
    write_package(edition, package, unit.slug, "en")
    with zipfile.ZipFile(package) as found:
        page = found.read("en/scorm.html").decode()
        names = set(found.namelist())
        assert b'import("./pyodide.asm.js")' in found.read("wasm/pyodide.js")
        assert b".mjs`" not in found.read("static/js/wasm/python.js")
    data = re.search(r'<script id="scorm" type="application/json">(.*?)</script>', page)
    assert data is not None
    listed = json.loads(data[1])
    assert listed["exercises"] == list(unit.exercises)
    assert listed["first"] == f"learn/{unit.slug}/{unit.exercises[0]}/index.html"
    for link in re.findall(r'(?:href|src)="([^"]+)"', page):
        assert str(Path("en") / link).replace("en/../", "") in names, link


def test_what_cannot_be_packed_is_reported(edition: Path, tmp_path: Path) -> None:
    with pytest.raises(NoSuchWork, match="the units are"):
        write_package(edition, tmp_path / "package.zip", "nothing-of-the-kind", "en")
    with pytest.raises(NoSuchWork, match="make static"):
        write_package(edition, tmp_path / "package.zip", "first-in", "zh-hant")
