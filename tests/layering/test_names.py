"""Seven words have one meaning each, and a class has its name for itself."""

from tests.layering import names, tidy
from tests.layering.sources import ROOT, python_files
from tests.layering.test_tidy import OWN_PYTHON

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*python_files(*OWN_PYTHON), *tidy.own_scripts(ROOT)]
    if path.suffix in {".py", ".js"} and "migrations" not in path.parts and "tests" not in path.parts
} | {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in python_files("tests/programs/conformance")
}


def test_a_word_has_one_meaning() -> None:
    there = {path.rpartition("/")[2] for path in SOURCES if not path.startswith("bench/")}
    there |= {each for path, source in SOURCES.items() for each in names.classes_of(source, path)}
    found = list(names.second_meanings(there))
    assert not found, "\n".join(["", *found])
    assert [each for word in names.WORDS.values() for each in word.names if each not in there] == []


SHARED = set(
    """
    Account Ack Answer Answered Axis Binding Bounds Cell Change Channel Choice CleanStop Cluster
    Command CommandLine Configuration Connections Consumer Drop Entry Failure Field
    File FileRow Files Findings Form Gone Host Item Keeper Label Layout Line Listener LogIn Member
    Message Node Number Option Options Pace Pair Place Places Point Pool Posted Prediction Process
    Progress Publish QueueState Reader Refusal Refused Release Request Requeue Row Run
    Scenario Session State Step Steps StoreState Stretch Student Table Taken Term TooLong
    Unit Usage Use Verdict Work Writer
    """.split()
)
"""Names of public classes that several files still have: the list may only become shorter."""


def test_a_class_has_its_name_for_itself() -> None:
    found = names.shared(SOURCES)
    new = {name: paths for name, paths in found.items() if name not in SHARED}
    assert not new, "give each class a name of its own"
    assert set(found) == SHARED, "one is gone: take it from the list"
    assert names.shared({"a.py": "class A: ...\nclass _B: ...", "b.py": "class A: ...\nclass _B: ..."}) == {
        "A": ["a.py", "b.py"]
    }


def test_no_name_is_given_twice() -> None:
    found = [breach for path, source in SOURCES.items() for breach in names.given_twice(source, path)]
    assert not found, "\n".join(["", *found])
    assert list(names.given_twice("A = 1\nB = 2\nA = 3\n", "a.py")) == [
        "a.py:3 gives the name A to a second thing"
    ]


def test_a_second_meaning_is_found() -> None:
    assert [
        each.split(":")[0] for each in names.second_meanings({"StoreRun", "wire.js", "Runs", "Rung"})
    ] == [
        "Runs",
        "StoreRun",
        "wire.js",
    ]
