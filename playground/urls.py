"""Which view answers which address."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path, re_path
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import etag
from django.views.i18n import JavaScriptCatalog

from playground.classroom import accounts, services, views
from playground.classroom import views as classes
from playground.comparing import views as comparing
from playground.exercises import builder
from playground.exercises import views as learning
from playground.inspecting import views as inspecting
from playground.lti import views as lti
from playground.server import static_assets
from playground.views import fidelity, home, library, links, sessions
from playground.web import engine_files, errors
from playground.whatif import views as whatif

SESSION = r"s/(?P<session_id>[2-9a-z]{1,32})"

catalog = cache_control(private=True, no_cache=True)(
    etag(lambda request: f'"{get_language()}-{static_assets.STARTED}"')(JavaScriptCatalog.as_view())
)

INSPECT = [
    path("", inspecting.page, name="inspect"),
    path(engine_files.NODE_FILE, engine_files.node_file, name="inspect-node-file"),
    re_path(
        r"^engine/(?P<name>[a-z_-]{1,40}\d?(\.asm)?\.(js|mjs|wasm|zip|json|bin))\Z",
        engine_files.file,
        name="inspect-engine",
    ),
]

RUNS = r"^(?P<ids>[2-9a-z]{1,32}(?:/[2-9a-z]{1,32}){1,3})/"
COMPARE = [
    path("", comparing.choose, name="compare"),
    path("new", comparing.new, name="compare-new"),
    path("releases", comparing.releases, name="compare-releases"),
    re_path(RUNS + r"\Z", comparing.runs, name="compare-runs"),
    re_path(RUNS + r"reel\Z", comparing.reel, name="compare-reel"),
]

LEARN = [
    path("", learning.units, name="units"),
    path("made/", builder.listed, name="made"),
    path("made/import", builder.bring, name="made-import"),
    re_path(r"^made/from/(?P<session_id>[2-9a-z]{1,32})/\Z", builder.build, name="build"),
    path("made/<slug:slug>/exercise.json", builder.take, name="made-file"),
    path("made/<slug:slug>/delete", builder.delete, name="made-delete"),
    path("come-back", learning.come_back, name="learner-back"),
    path("bring", learning.bring, name="learner-bring"),
    path("plans/", learning.plans, name="plans"),
    path("<slug:unit>/slides/", learning.slides, name="unit-slides"),
    path("<slug:unit>/notes/", learning.notes, name="unit-notes"),
    path("<slug:unit>/<slug:slug>/", learning.exercise, name="exercise"),
    path("<slug:unit>/<slug:slug>/read/", learning.reading, name="reading"),
    path("<slug:unit>/<slug:slug>/read/run.json", learning.reading_run, name="reading-run"),
    path("<slug:unit>/<slug:slug>/example/", learning.example, name="example"),
    path("<slug:unit>/<slug:slug>/begin", learning.begin, name="exercise-begin"),
    path("<slug:unit>/<slug:slug>/answer", learning.answer, name="exercise-answer"),
    path("<slug:unit>/<slug:slug>/standing.json", learning.standing, name="exercise-standing"),
    path("<slug:unit>/<slug:slug>/hint", learning.hint, name="exercise-hint"),
    path("<slug:unit>/<slug:slug>/why", learning.why, name="exercise-why"),
    path("<slug:unit>/<slug:slug>/solution", learning.solution, name="exercise-solution"),
    path("<slug:unit>/<slug:slug>/again", learning.again, name="exercise-again"),
]

CLASS = r"(?P<public_id>[2-9a-z]{16})"
STUDENT = rf"{CLASS}/students/(?P<pk>[0-9]{{1,12}})"
CLASSES = [
    path("", classes.entrance, name="classes"),
    path("sign-up", accounts.sign_up, name="sign-up"),
    path("log-in", accounts.LogInForm.as_view(), name="login"),
    path("recover", accounts.recover, name="recover"),
    path("renew-recovery", accounts.renew_recovery, name="renew-recovery"),
    path("invite", accounts.invite, name="invite"),
    path("log-out", LogoutView.as_view(), name="logout"),
    path("delete-account", accounts.delete_account, name="account-delete"),
    path("new", classes.new, name="class-new"),
    path("join/", views.join, name="join"),
    re_path(r"^join/(?P<code>[0-9A-Za-z-]{1,20})/\Z", views.join, name="join-code"),
    path("back", views.come_back, name="student-back"),
    path("me/", views.home, name="student"),
    path("me/vote/", views.cast_vote, name="class-vote-page"),
    path("me/test/", classes.paper, name="class-paper"),
    path("me/leave", views.leave, name="student-leave"),
    path("me/delete", views.delete_yourself, name="student-delete"),
    path("me/delete-work", views.delete_work, name="learner-delete"),
    path("my-data.json", services.download, name="my-data"),
    path("undo", views.undo, name="undo"),
    re_path(rf"^{CLASS}/\Z", classes.classroom, name="class"),
    re_path(rf"^{CLASS}/change\Z", classes.change, name="class-change"),
    re_path(rf"^{CLASS}/renew-code\Z", classes.renew_code, name="class-renew-code"),
    re_path(rf"^{CLASS}/freeze\Z", classes.freeze, name="class-freeze"),
    re_path(rf"^{CLASS}/push\Z", classes.push, name="class-push"),
    re_path(rf"^{CLASS}/vote\Z", classes.vote, name="class-vote"),
    re_path(rf"^{CLASS}/test\Z", classes.lead, name="class-test"),
    re_path(rf"^{CLASS}/exam\.csv\Z", classes.table, {"what": "exam"}, name="class-exam-table"),
    re_path(
        rf"^{CLASS}/inventory\.csv\Z", classes.table, {"what": "inventory"}, name="class-inventory-table"
    ),
    re_path(rf"^{CLASS}/delete\Z", classes.delete, name="class-delete"),
    re_path(rf"^{CLASS}/unblock\Z", classes.unblock, name="class-unblock"),
    re_path(rf"^{CLASS}/teachers\Z", classes.teachers, name="class-teachers"),
    re_path(rf"^{CLASS}/lesson\Z", classes.lesson, name="class-lesson"),
    re_path(rf"^{CLASS}/report/\Z", classes.report, name="class-report"),
    re_path(rf"^{CLASS}/table\.csv\Z", classes.table, {"what": "class"}, name="class-table"),
    re_path(rf"^{CLASS}/votes\.csv\Z", classes.table, {"what": "votes"}, name="class-votes-table"),
    re_path(rf"^{CLASS}/qr\.svg\Z", classes.qr, name="class-qr"),
    re_path(rf"^{CLASS}/projector/\Z", classes.projector, name="class-projector"),
    re_path(rf"^{STUDENT}/\Z", classes.student, name="class-student"),
    re_path(rf"^{STUDENT}/fork\Z", classes.fork, name="class-student-fork"),
    re_path(rf"^{STUDENT}/rename\Z", classes.rename, name="class-student-rename"),
    re_path(rf"^{STUDENT}/block\Z", classes.delete_student, {"blocked": True}, name="class-student-block"),
    re_path(rf"^{STUDENT}/code\Z", classes.code, name="class-student-code"),
    re_path(rf"^{STUDENT}/delete\Z", classes.delete_student, name="class-student-delete"),
]

WHATIF = [
    path("", whatif.page, name="whatif"),
    path("own/", whatif.own, name="whatif_own"),
    path("browser/", whatif.own_in_browser, name="whatif_browser"),
    path("own/<slug:name>/", whatif.progress, name="whatif_progress"),
    path("table.csv", whatif.table_csv, name="whatif_csv"),
    path("table.parquet", whatif.table_parquet, name="whatif_parquet"),
    path("open/", whatif.open_cell, name="whatif_open"),
    path("compare/", whatif.compare_cells, name="whatif_compare"),
]

LTI = [
    path("keys.json", lti.keys, name="lti-keys"),
    path("log-in/<uuid:registration_uuid>/", lti.log_in, name="lti-login"),
    path("launch", lti.launch, name="lti-launch"),
    path("choose", lti.choose, name="lti-choose"),
]

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
    re_path(rf"^{SESSION}/record\Z", sessions.record, name="session-record"),
    re_path(rf"^{SESSION}/past\Z", sessions.rows, name="session-past"),
    re_path(rf"^{SESSION}/survival\Z", sessions.survival, name="session-survival"),
    re_path(rf"^{SESSION}/download\Z", sessions.download, name="session-download"),
    re_path(rf"^{SESSION}/files\.zip\Z", sessions.archive, name="session-archive"),
    re_path(rf"^{SESSION}/scenario\.json\Z", sessions.scenario_file, name="session-scenario"),
    re_path(rf"^{SESSION}/run\.(?P<form>csv|jsonl)\Z", sessions.run, name="session-run"),
    re_path(rf"^{SESSION}/run\.html\Z", sessions.page, name="session-page"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/\Z", links.permalink, name="permalink"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/card\.png\Z", links.card, name="permalink-card"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/lead\.json\Z", links.lead, name="permalink-lead"),
    re_path(r"^r/(?P<short_id>[2-9a-z]{1,32})/scenario\.json\Z", links.kept_file, name="permalink-file"),
    re_path(r"^x/(?P<packed>[A-Za-z0-9_-]{2,8000})/\Z", links.stateless, name="stateless"),
    re_path(r"^x/(?P<packed>[A-Za-z0-9_-]{2,8000})/card\.png\Z", links.stateless_card, name="stateless-card"),
    re_path(r"^embed/(?P<short_id>[2-9a-z]{1,32})/\Z", links.embed, name="embed"),
    re_path(r"^embed/(?P<short_id>[2-9a-z]{1,32})/start\Z", links.embed_start, name="embed-start"),
    path("browser/", links.page, name="browser-run"),
    path("library/", library.page, name="library"),
    path("library/edit/", library.edit, name="scenario-edit"),
    path("library/check/", library.check, name="scenario-check"),
    re_path(r"^library/(?P<slug>[a-z0-9-]{1,60})\.json\Z", library.file, name="library-file"),
    path("schema/scenario-v1.json", library.schema_file, name="scenario-schema"),
    path("subjects/", library.subjects_index, name="subjects"),
    re_path(r"^subjects/(?P<slug>[a-z][a-z0-9-]{1,40})/\Z", library.subject, name="subject"),
    path("glossary/", library.glossary, name="glossary"),
    path("glossary/words.json", library.glossary_words, name="glossary-words"),
    path("rules/", library.rules_index, name="rules"),
    re_path(r"^rules/(?P<name>queue|storage|mirrors|queue-v2)/\Z", library.document, name="rules-document"),
    re_path(r"^rules/(?P<rule_id>[^/]{1,40})\Z", library.rule, name="rule"),
    path("fidelity/", fidelity.fidelity, name="fidelity"),
    path("lti/", include(LTI)),
    path("inspect/", include(INSPECT)),
    path("compare/", include(COMPARE)),
    path("learn/", include(LEARN)),
    path("class/", include(CLASSES)),
    path("whatif/", include(WHATIF)),
    path("too-large/", errors.too_large, name="too-large"),
    path("privacy/", home.privacy, name="privacy"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("i18n/catalog.js", links.in_a_language(catalog), name="javascript-catalog"),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
