"""The pages in three languages."""

from __future__ import annotations

import pytest
from django.test import Client

from playground.texts import PageMessage, language_of

pytestmark = pytest.mark.django_db

TITLES = {"en": "Ready scenarios", "zh-hans": "现成的场景", "zh-hant": "現成的情境"}


@pytest.mark.parametrize(("language", "title"), TITLES.items())
def test_the_browser_chooses(client: Client, language: str, title: str) -> None:
    response = client.get("/", headers={"accept-language": language})
    assert title in response.content.decode()
    assert f'lang="{language}"' in response.content.decode()


@pytest.mark.parametrize(
    ("accepted", "title"), [("zh-TW", TITLES["zh-hant"]), ("zh-CN", TITLES["zh-hans"]), ("de", TITLES["en"])]
)
def test_regions_lead_to_their_script(client: Client, accepted: str, title: str) -> None:
    assert title in client.get("/", headers={"accept-language": accepted}).content.decode()


def test_a_person_may_choose_another(client: Client) -> None:
    response = client.post("/i18n/setlang/", {"language": "zh-hant", "next": "/"})
    assert response.status_code == 302
    assert TITLES["zh-hant"] in client.get("/", headers={"accept-language": "en"}).content.decode()


def test_the_choice_does_not_lead_elsewhere(client: Client) -> None:
    response = client.post("/i18n/setlang/", {"language": "zh-hant", "next": "https://evil.example/"})
    assert response["Location"] == "/"


def test_the_scripts_have_a_catalogue_that_follows_the_language(client: Client) -> None:
    english = client.get("/i18n/catalog.js")
    assert english["Content-Type"].startswith("text/javascript")
    chinese = client.get(
        "/i18n/catalog.js", headers={"accept-language": "zh-hant", "if-none-match": english["ETag"]}
    )
    assert chinese.status_code == 200
    again = client.get("/i18n/catalog.js", headers={"if-none-match": english["ETag"]})
    assert again.status_code == 304


def test_sockets_know_the_language_too() -> None:
    headers = [(b"accept-language", b"fr, zh-TW;q=0.9")]
    assert language_of({"headers": headers, "cookies": {}}) == "zh-hant"
    assert language_of({"headers": headers, "cookies": {"django_language": "zh-hans"}}) == "zh-hans"
    assert language_of({"headers": [(b"accept-language", b"\xff;;;q=x")]}) == "en"


def test_a_message_is_written_in_the_readers_language() -> None:
    message = PageMessage("%(most)s", most=5)
    assert message.in_language("zh-hant") == "5"
