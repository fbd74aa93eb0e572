"""Texts of templates are looked up once for each language, and pages are the same to the letter."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from django.template import Context, Engine
from django.test import Client
from django.utils.translation import override

from playground.web import page_delivery

FILES = "django.template.loaders.filesystem.Loader"
FOLDERS = "django.template.loaders.app_directories.Loader"
LANGUAGES = ("en", "zh-hans", "zh-hant")
RANDOM = re.compile(r'(name="csrfmiddlewaretoken" value="|"key": "|key=)[^"&]+')
TEXTS = """{% load i18n static %}{% block title %}{% trans "Playground" %}{% endblock %} · {% trans "Library" %}
{% if name %}<b>{% trans "Learn" %}</b>{{ name }}{% else %}{% trans "Rules" %}{% endif %}{% trans word %}
{% for each in names %}{{ each }} <img src="{% static 'icons/waterline.svg' %}">{% trans "Class" %}{% endfor %}
{% trans "Compare" as later %}{{ later }}{% trans "Go"|lower %}"""


def engine(folder: Path, *, keeps: bool) -> Engine:
    """Return one that finds templates in a folder, with or without keeping texts."""
    (folder / "texts.html").write_text(TEXTS)
    loaders: list[Any] = [("playground.web.page_delivery.KeptTextLoader", [FILES])] if keeps else [FILES]
    libraries = {"i18n": "django.templatetags.i18n", "static": "django.templatetags.static"}
    return Engine(dirs=[str(folder)], loaders=loaders, libraries=libraries)


@pytest.mark.parametrize("values", [{}, {"name": "q<1>", "names": ["a", "b"], "word": "Playground"}])
def test_a_template_gives_the_same_text_in_each_language_also_the_second_time(
    tmp_path: Path, values: dict[str, Any]
) -> None:
    kept = engine(tmp_path, keeps=True).get_template("texts.html")
    plain = engine(tmp_path, keeps=False)
    seen = set()
    for language in (*LANGUAGES, *LANGUAGES):
        with override(language):
            text = kept.render(Context(values))
            assert text == plain.get_template("texts.html").render(Context(values))
            seen.add(text)
    assert len(seen) == len(LANGUAGES)


def test_a_text_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"names": "abc"}
    found = engine(tmp_path, keeps=True).get_template("texts.html")
    found.render(Context(values))
    looked_up: list[str] = []
    look_up = page_delivery.TranslateNode.render

    def render(self: Any, context: Any) -> str:
        looked_up.append(str(self.filter_expression))
        return str(look_up(self, context))

    monkeypatch.setattr(page_delivery.TranslateNode, "render", render)
    found.render(Context(values))
    # What has a filter, a variable or a name for later may be another text each time.
    assert sorted(looked_up) == sorted(['"Compare"', '"Go"|lower', "word"])


def test_what_is_kept_with_other_names_of_files_is_not_given(tmp_path: Path, settings: Any) -> None:
    found = engine(tmp_path, keeps=True).get_template("texts.html")
    assert "/static/icons/waterline.svg" in found.render(Context({"names": "a"}))
    backend = {"BACKEND": settings.STORAGES["staticfiles"]["BACKEND"], "OPTIONS": {"base_url": "/elsewhere/"}}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    assert "/elsewhere/icons/waterline.svg" in found.render(Context({"names": "a"}))


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_the_same_to_the_letter(client: Client, settings: Any, language: str) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    exercise = "/learn/waterline/first-in/"
    client.post(f"{exercise}begin")
    session = client.post("/s/new", {"profile": "classroom"})["Location"]
    paths = ("/", "/learn/", exercise, session, "/rules/", "/subjects/", "/class/", "/privacy/", "/inspect/")

    def pages() -> list[str]:
        found = [client.get(path, follow=True).content.decode() for path in (*paths, *paths)]
        return [RANDOM.sub(r"\1", each) for each in found]

    kept = pages()
    plain = copy.deepcopy(settings.TEMPLATES)
    plain[0]["OPTIONS"]["loaders"] = [FILES, FOLDERS]
    settings.TEMPLATES = plain
    assert kept == pages()
    assert all(len(page) > 1000 for page in kept)
