"""Names that are defined and never used: vulture's findings in Python, and a count of words in JavaScript."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from vulture import Vulture

from tests.layering.javascript import code_only

PROGRAMS = (
    "engine",
    "playground",
    "workloads",
    "sweeps",
    "spark_jobs",
    "bench",
    "tools",
    "manage.py",
)
"""What runs outside the tests. A name that only a test uses is dead."""
PROOFS = "tools/proofs/(?!conformance/)"
"""Proofs take apart what they hold, as tests do: what they alone use is dead, but for the replay of recordings."""

READ_BY_NAME = ("templates/**/*.html", "static/js/**/*.js")
"""Templates and scripts read fields and methods of Python's values by their names."""

ALLOWED = (
    (
        r"tools/proofs/conformance/(door|door_both|door_v2|operations|cluster)\.py",
        r"_\w+",
        "a step of a recording names its method",
    ),
    (
        r"engine/(folding|classic_v1/fold|classic_v2/fold)(/\w+)?\.py",
        r"\w+",
        "a transition's kind names the method that folds it",
    ),
    (r"engine/costs\.py", r"writer_confirm|queue_\w+", "the profile is the calibration, number for number"),
    (
        r"engine/report/transitions/node\.py",
        "HappenedElsewhere",
        "scripts of a page make it, by the catalogue that is generated from the class",
    ),
    (r"playground/settings\.py", r"[A-Z_0-9]+", "Django and its packages read settings by their names"),
    (r"playground/urls\.py", r"handler\d+", "Django's name"),
    (r"playground/web/errors\.py", r"csrf_failure|BusyMiddleware|process_exception", "a setting names it"),
    (
        r"playground/sessions/live_hosts\.py",
        r"ElsewhereMiddleware|process_exception",
        "a setting names it",
    ),
    (r"playground/limits/request_callers\.py", "CallerMiddleware", "a setting names it"),
    (r"playground/web/page_delivery\.py", "TextCompression", "a setting names it"),
    (r"playground/server/static_assets\.py", "BundleFinder", "a setting names it"),
    (r"playground/web/page_delivery\.py", "KeptTextLoader", "a setting names it"),
    (r"playground/web/page_delivery\.py", "is_async|_handler_class|block_size", "Django's names"),
    (r"playground/sessions/live_hosts\.py", "status_code", "an attribute of Django's answers"),
    (
        r"playground/(apps|(classroom|exercises|lti)/__init__)\.py|playground/server/static_assets\.py",
        r"\w+",
        "settings name the class, Django its attributes",
    ),
    (r"playground/.*accounts\.py", r"\w+", "attributes of Django's own views"),
    (
        r"playground/.*models\.py",
        r"created|last_seen|code_trace|leaving_at|expires_at",
        "columns, which queries name as arguments",
    ),
    (r"playground/exercises/learners\.py", "code_trace", "a column"),
    (r"playground/.*migrations/.*", r"dependencies|operations", "Django's names"),
    (r"playground/.*management/.*", "add_arguments", "Django calls it"),
    (r"playground/.*sockets\.py", "bytes_data", "an argument that channels passes"),
    (r"playground/sessions/session_sockets\.py", "base_send|channel_layer", "channels reads them"),
    (r"bench/websocket\.py", "http_open|redirect_request", "urllib calls it"),
    (r"tools/static_host\.py", "protocol_version|do_GET|log_message", "http.server's names"),
    (r"playground/server/serve\.py", "server_class|buildProtocol", "daphne's and twisted's names"),
    (
        r"playground/server/request_intake\.py",
        "requestFactory|readConnectionLost|writeConnectionLost",
        "twisted's names",
    ),
    (
        r"playground/records/database_record\.py",
        "close_at",
        "Django asks a connection how long it stays open",
    ),
    (
        r"playground/hosting/pool.py",
        r"connection_\w+|data_received",
        "asyncio calls them",
    ),
    (
        r"playground/inspecting/browser_inspect\.py",
        "InspectSession",
        "a browser's worker makes it, in Python that a script holds as text",
    ),
    (
        r"playground/limits/session_limits\.py",
        r"max_actors|\w+_per_minute",
        "read by getattr, or sent to the page",
    ),
    (r"playground/.*", "changed_ns", "a cache's key: the file is read anew when it has changed"),
    (r"workloads/imports/perf_test/shell\.py", "whitespace_split", "an attribute that shlex reads"),
    (r"static/js/model/catalogue/.*", r"[A-Z_]+", "generated: a table for each table of the engine"),
    (r"static/js/model/canonical\.js", r"canonical|differences", "the twin test compares states with it"),
)
"""Pairs of pattern, of a path and of a name, that something calls without writing the name; with the reason."""

REGISTERING = (
    "@at_end",
    "@counted",
    "@*.of",
    "@does",
    "@follows",
    "@found_by",
    "@on_cpu",
    "@on_disk",
    "@register.*",
)
"""Decorators that hand a function to those who call it."""

DEFINED = re.compile(
    r"^\s*(?:export\s+)?(?:async\s+)?(?:function\*?|const|let|class)\s+([A-Za-z_$][\w$]*)"
    r"|^  (?:static |async |get |set |\*)*(#?[A-Za-z_$][\w$]*)\([^;]*?\) \{$",
    re.MULTILINE,
)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) ([A-Za-z_$][\w$]*)", re.MULTILINE)
WORD = re.compile(r"#?[A-Za-z_$][\w$]*")
WORDS_OF_JAVASCRIPT = frozenset({"constructor", "if", "for", "while", "switch", "catch"})


def in_python(root: Path, paths: Iterable[str] = PROGRAMS) -> Iterator[tuple[str, str]]:
    """Yield path and name of everything that the programs define and never use."""
    finder = Vulture(ignore_decorators=REGISTERING)
    used = [
        file
        for path in paths
        for file in ([root / path] if path.endswith(".py") else (root / path).rglob("*.py"))
    ]
    finder.scavenge([str(file) for file in used if not re.match(PROOFS, file.relative_to(root).as_posix())])
    elsewhere = set[str]()
    for pattern in READ_BY_NAME:
        for path in root.glob(pattern):
            elsewhere |= set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    for item in finder.get_unused_code():
        if item.typ in {"function", "class", "import"} or item.name not in elsewhere:
            yield Path(item.filename).relative_to(root).as_posix(), item.name


def in_javascript(sources: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield path and name of every function, method and constant whose name stands nowhere but at its definition.

    Args:
        sources: the text of each script by its path.
    """
    code = {path: code_only(source) for path, source in sources.items()}
    times = Counter(word for text in code.values() for word in WORD.findall(text))
    for path, text in code.items():
        for found in DEFINED.finditer(text):
            name = found[1] or found[2]
            if times[name] == 1 and name not in WORDS_OF_JAVASCRIPT:
                yield path, name


def exported_in_vain(sources: dict[str, str], others: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield path and name of every export that is used in its own file alone.

    Args:
        sources: the text of each script by its path.
        others: what reads scripts besides: pages, tests and programs that drive a page.
    """
    words = {path: set(WORD.findall(code_only(source))) for path, source in sources.items()}
    elsewhere = set[str]().union(*(WORD.findall(text) for text in others))
    for path, source in sources.items():
        for name in EXPORTED.findall(source):
            if name not in elsewhere and not any(name in words[other] for other in words if other != path):
                yield path, name


def reason(path: str, name: str) -> str | None:
    """Return why a name may stand unused, None if it may not."""
    for paths, names, why in ALLOWED:
        if re.fullmatch(paths, path) and re.fullmatch(names, name):
            return why
    return None
