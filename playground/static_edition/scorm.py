"""A zip for learning platforms: SCORM 1.2 around a unit or an exercise of the static edition.

The platform launches one page; exercises run in a frame of it, and the page reports their scores to the platform.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from django.template.loader import render_to_string
from django.test.utils import override_settings
from django.utils import translation

from playground.exercises import catalog, task
from playground.exercises.schema import Exercise
from playground.static_edition.addresses import file_of, relative

PACKAGING: Final = "http://www.imsproject.org/xsd/imscp_rootv1p1p2"
ADL: Final = "http://www.adlnet.org/xsd/adlcp_rootv1p2"
INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance"
LAUNCHED: Final = "scorm.html"
SCRIPTS: Final = (
    ("wasm/pyodide.mjs", b"pyodide.asm.mjs", b"pyodide.asm.js"),
    ("wasm/pyodide.asm.mjs", b"", b""),
    ("static/js/wasm/python.js", b".mjs`", b".js`"),
)
"""Platforms without the ending .mjs in their lists serve it as something that browsers do not run: it is .js here.
Each is a file, and the name in it that becomes another.
"""
BEGAN: Final = (1980, 1, 1, 0, 0, 0)


class NoSuchWork(LookupError):
    """There is no unit and no exercise of this name."""


def write_package(edition: Path, out: Path, name: str, language: str) -> int:
    """Write the zip; return how many files are in it.

    Args:
        edition: where `make static` wrote.
        out: the zip.
        name: of a unit or an exercise.
        language: one of the edition's.

    Raises:
        NoSuchWork: by the name, or the edition has no such language.
    """
    title, exercises = _chosen(name, language)
    if not (edition / language / "index.html").is_file():
        raise NoSuchWork(f"{edition} has no pages in {language!r}: write them with `make static`")
    files = dict(_files(edition, language))
    launch = f"{language}/{LAUNCHED}"
    files[launch] = _launched(title, exercises, language)
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        described = {"imsmanifest.xml": manifest(name, title, launch, sorted(files)), **files}
        for path, data in described.items():
            package.writestr(zipfile.ZipInfo(path, BEGAN), data, zipfile.ZIP_DEFLATED)
    return len(described)


def _chosen(name: str, language: str) -> tuple[str, Sequence[Exercise]]:
    for unit in catalog.units():
        if unit.slug == name:
            return unit.texts(language).title, catalog.of_unit(name)
    exercise = catalog.exercises().get(name)
    if exercise is None:
        known = ", ".join(unit.slug for unit in catalog.units())
        raise NoSuchWork(f"there is no unit and no exercise {name!r}; the units are {known}")
    return exercise.texts(language).title, [exercise]


def _launched(title: str, exercises: Sequence[Exercise], language: str) -> bytes:
    with override_settings(ROOT_URLCONF="playground.static_edition.write"), translation.override(language):
        launch = {
            "first": file_of(task.address(exercises[0])),
            "exercises": [each.slug for each in exercises],
        }
        page = render_to_string("static_edition/scorm.html", {"title": title, "scorm": launch})
        return relative(page, LAUNCHED, {}).encode()


def _files(edition: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """Yield what the package needs of the edition: one language, and what all of them share."""
    changed = {path: (name, into) for path, name, into in SCRIPTS}
    for folder in (language, "static", "wasm"):
        for path in sorted((edition / folder).rglob("*")):
            if not path.is_file():
                continue
            name, data = path.relative_to(edition).as_posix(), path.read_bytes()
            if name in changed:
                before, after = changed[name]
                if before not in data:
                    raise ValueError(f"{name} does not name {before.decode()} any more")
                data = data.replace(before, after) if before else data
            yield name.replace(".mjs", ".js") if name in changed else name, data


def manifest(name: str, title: str, launch: str, files: Sequence[str]) -> bytes:
    """Return imsmanifest.xml: one organization with one item, whose resource lists every file.

    Args:
        name: makes the identifiers.
        title: as the platform shows it.
        launch: the page that is opened.
        files: all of them, by their names in the zip.
    """
    ET.register_namespace("", PACKAGING)
    ET.register_namespace("adlcp", ADL)
    ET.register_namespace("xsi", INSTANCE)
    node = ET.SubElement
    root = ET.Element(f"{{{PACKAGING}}}manifest", identifier=f"waterline-{name}", version="1.0")
    schemas = f"{PACKAGING} imscp_rootv1p1p2.xsd {ADL} adlcp_rootv1p2.xsd"
    root.set(f"{{{INSTANCE}}}schemaLocation", schemas)
    metadata = node(root, f"{{{PACKAGING}}}metadata")
    node(metadata, f"{{{PACKAGING}}}schema").text = "ADL SCORM"
    node(metadata, f"{{{PACKAGING}}}schemaversion").text = "1.2"
    organizations = node(root, f"{{{PACKAGING}}}organizations", default="waterline")
    organization = node(organizations, f"{{{PACKAGING}}}organization", identifier="waterline")
    node(organization, f"{{{PACKAGING}}}title").text = title
    item = node(
        organization, f"{{{PACKAGING}}}item", identifier="work", identifierref="page", isvisible="true"
    )
    node(item, f"{{{PACKAGING}}}title").text = title
    resources = node(root, f"{{{PACKAGING}}}resources")
    page = node(
        resources, f"{{{PACKAGING}}}resource", identifier="page", type="webcontent", href=quote(launch)
    )
    page.set(f"{{{ADL}}}scormtype", "sco")
    for each in files:
        node(page, f"{{{PACKAGING}}}file", href=quote(each))
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)
