"""A public class has a name for itself, of two plain words; the second says its role."""

from tests.layering import names, tidy
from tests.layering.sources import ROOT, python_files
from tests.layering.test_tidy import OWN_PYTHON

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*python_files(*OWN_PYTHON), *tidy.own_scripts(ROOT)]
    if path.suffix in {".py", ".js"} and "migrations" not in path.parts and "tests" not in path.parts
}
DJANGOS_OWN = {"Command", "Meta"}
"""Names that Django looks up: its management commands, and the options of a model or a form."""
OF_TOOLS = {"Axis", "Cluster", "CommandLine", "Student", "Use", "Work"}
"""Names that tools, benches, imports or Spark share with another room still: the list may only become shorter."""


def test_a_class_has_its_name_for_itself() -> None:
    found = names.shared(SOURCES)
    new = {name: paths for name, paths in found.items() if name not in DJANGOS_OWN | OF_TOOLS}
    assert not new, "give each class a name of its own"
    assert set(found) >= OF_TOOLS, "one is gone: take it from the list"
    assert names.shared({"a.py": "class A: ...\nclass _B: ...", "b.py": "class A: ...\nclass _B: ..."}) == {
        "A": ["a.py", "b.py"]
    }


def test_names_are_two_words() -> None:
    """What is one word is AMQP's own, a command, a transition or one of Django's models."""
    for room, most in (("engine", 0.12), ("playground", 0.08)):
        own = {path: source for path, source in SOURCES.items() if path.startswith(f"{room}/")}
        found = names.public_classes(own)
        assert names.single_words(found) <= most, room
    assert names.words_of("FrameThrottle") == ["Frame", "Throttle"]
    assert names.words_of("V2Record") == ["V2", "Record"]
    assert names.single_words(["Queue", "QueueIndex"]) == 0.5


def test_no_name_is_given_twice() -> None:
    found = [breach for path, source in SOURCES.items() for breach in names.given_twice(source, path)]
    assert not found, "\n".join(["", *found])
    assert list(names.given_twice("A = 1\nB = 2\nA = 3\n", "a.py")) == [
        "a.py:3 gives the name A to a second thing"
    ]
