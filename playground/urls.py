"""Which view answers which address."""

from importlib.util import find_spec

from django.urls import include, path, re_path
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import etag
from django.views.i18n import JavaScriptCatalog

from playground.server import static_assets
from playground.views import (
    browser_runs,
    editor,
    exports,
    fidelity,
    files,
    home,
    library,
    links,
    past,
    rules,
    sessions,
    subjects,
)
from playground.web import errors

SESSION = r"s/(?P<session_id>[2-9a-z]{1,32})"

catalog = cache_control(private=True, no_cache=True)(
    etag(lambda request: f'"{get_language()}-{static_assets.STARTED}"')(JavaScriptCatalog.as_view())
)

urlpatterns = [
    path("", home.home, name="home"),
    path("play/", home.resume, name="playground"),
    path("demo", home.demo, name="demo"),
    path("s/", sessions.mine, name="sessions"),
    path("s/new", home.new, name="session-new"),
    path("s/import", home.import_scenario, name="scenario-import"),
    re_path(rf"^{SESSION}/\Z", sessions.session, name="session"),
    re_path(rf"^{SESSION}/share\Z", sessions.share, name="session-share"),
    re_path(rf"^{SESSION}/fork\Z", sessions.fork, name="session-fork"),
    re_path(rf"^{SESSION}/release\Z", sessions.release, name="session-release"),
    re_path(rf"^{SESSION}/file\Z", sessions.file_bytes, name="session-file"),
    re_path(rf"^{SESSION}/record\Z", files.record, name="session-record"),
    re_path(rf"^{SESSION}/past\Z", past.rows, name="session-past"),
    re_path(rf"^{SESSION}/survival\Z", past.survival, name="session-survival"),
    re_path(rf"^{SESSION}/download\Z", files.download, name="session-download"),
    re_path(rf"^{SESSION}/files\.zip\Z", files.archive, name="session-archive"),
    re_path(rf"^{SESSION}/scenario\.json\Z", sessions.scenario_file, name="session-scenario"),
    re_path(rf"^{SESSION}/run\.(?P<form>csv|jsonl)\Z", exports.run, name="session-run"),
    re_path(rf"^{SESSION}/run\.html\Z", exports.page, name="session-page"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/\Z", links.permalink, name="permalink"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/card\.png\Z", links.card, name="permalink-card"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/lead\.json\Z", links.lead, name="permalink-lead"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/scenario\.json\Z", links.kept_file, name="permalink-file"),
    re_path(r"^x/(?P<packed>[A-Za-z0-9_-]{2,8000})/\Z", links.stateless, name="stateless"),
    re_path(r"^x/(?P<packed>[A-Za-z0-9_-]{2,8000})/card\.png\Z", links.stateless_card, name="stateless-card"),
    re_path(r"^embed/(?P<short_id>[2-9a-z]{1,32})/\Z", links.embed, name="embed"),
    re_path(r"^embed/(?P<short_id>[2-9a-z]{1,32})/start\Z", links.embed_start, name="embed-start"),
    path("browser/", browser_runs.page, name="browser-run"),
    path("library/", library.page, name="library"),
    path("library/edit/", editor.edit, name="scenario-edit"),
    path("library/check/", editor.check, name="scenario-check"),
    re_path(r"^library/(?P<slug>[a-z0-9-]{1,60})\.json\Z", library.file, name="library-file"),
    path("schema/scenario-v1.json", library.schema_file, name="scenario-schema"),
    path("subjects/", subjects.index, name="subjects"),
    re_path(r"^subjects/(?P<slug>[a-z][a-z0-9-]{1,40})/\Z", subjects.subject, name="subject"),
    path("glossary/", subjects.glossary, name="glossary"),
    path("glossary/words.json", subjects.glossary_words, name="glossary-words"),
    path("rules/", rules.index, name="rules"),
    re_path(r"^rules/(?P<name>queue|storage|mirrors|queue-v2)/\Z", rules.document, name="rules-document"),
    re_path(r"^rules/(?P<rule_id>[^/]{1,40})\Z", rules.rule, name="rule"),
    path("fidelity/", fidelity.fidelity, name="fidelity"),
    path("lti/", include("playground.lti.urls")),
    path("too-large/", errors.too_large, name="too-large"),
    path("privacy/", home.privacy, name="privacy"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("i18n/catalog.js", links.in_a_language(catalog), name="javascript-catalog"),
]

urlpatterns.append(path("inspect/", include("playground.inspecting.urls")))
urlpatterns.append(path("compare/", include("playground.comparing.urls")))
urlpatterns.append(path("learn/", include("playground.exercises.urls")))
urlpatterns.append(path("class/", include("playground.classroom.urls")))
if find_spec("playground.whatif") and find_spec("playground.whatif.urls"):
    urlpatterns.append(path("whatif/", include("playground.whatif.urls")))

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
