"""The text of a shell: words with the lines they stand on, and the PerfTest command among them.

People start PerfTest in many ways: by a script, with java, in a container, in a cluster. What is before its first
own option has no influence on the run, but for the environment variables that PerfTest reads as options.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from workloads.errors import LineError

MOST_CHARACTERS: Final = 100_000
"""Of a whole text; nobody writes a longer command."""
CONTINUED: Final = ("\\", "^", "`")
"""Ends of lines that go on, in the shells of three systems."""
OPERATORS: Final = frozenset("; & && | ||".split())
"""What ends a command."""
REDIRECTION: Final = re.compile(r"[<>]+&?")
HANDLE: Final = re.compile(r"(?<=\s)[0-9](?=[<>])")
"""The number of what is redirected, such as the 2 of 2>&1."""
ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*))?\})")
PROGRAM: Final = re.compile(
    r"(rabbitmq[-_]?)?perf[-_]?test(-[\w.]+)?(\.jar|\.sh|\.bat|\.exe)?|runjava(\.sh|\.bat)?|com\.rabbitmq\.perf\.perftest"
)
CONTAINERS: Final = frozenset("docker podman nerdctl docker-compose".split())
SHELLS: Final = frozenset("sh bash zsh dash".split())
VALUED: Final = frozenset(
    "--name --network --net -e --env -v --volume -p --publish -h --hostname --link --cpus --memory -m -w --workdir "
    "--entrypoint -u --user --env-file --add-host -l --label --platform --restart --ulimit --cpuset-cpus --log-driver "
    "--log-opt --mount --ip --dns --pull -c --cpu-shares -f --file --project-name --profile --context".split()
)
"""Options of a container's launcher that have a value behind them."""
CLUSTERS: Final = frozenset({"kubectl", "oc"})
STARTERS: Final = CONTAINERS | SHELLS | CLUSTERS | {"java"}
HARMLESS: Final = frozenset("sudo nohup exec do then time env nice ssh".split())
"""Words before a launcher that change nothing of the run."""
SILENT: Final = frozenset("cd do done fi then exit wait set echo".split())
"""First words of other commands that need no word."""
MOST_WORDS: Final = 24
MOST_TOLD: Final = 160
PROMPTS: Final = frozenset({"$", "%", ">", "PS>"})


class Word(NamedTuple):
    """A word of the text and the line that it stands on."""

    text: str
    line: int


class CommandLine(NamedTuple):
    """One PerfTest command.

    Args:
        words: those after the program.
        environment: the variables that it is started with, by name.
        second_line: line of a second PerfTest command, 0 for none.
        around: the beginnings of other commands, and what is before PerfTest's launcher.
    """

    words: Sequence[Word]
    environment: dict[str, Word]
    second_line: int
    around: tuple[str, ...] = ()


def command_line(lines: Iterable[str]) -> CommandLine:
    """Return the first PerfTest command of a text.

    Raises:
        LineError: quotes do not fit together, or there is no PerfTest command.
    """
    variables: dict[str, Word] = {}
    found: CommandLine | None = None
    around: list[str] = []
    used: set[str] = set()
    for command in _commands(lines):
        given, rest = _assignments(_with_values(command, variables, used))
        if rest and rest[0].text == "export":
            given, rest = _assignments(rest[1:])[0], []
        if not rest:
            variables |= given
            continue
        behind = _behind_program(rest)
        if behind is None:
            around.append(_beginning(rest))
            continue
        if found is not None:
            return found._replace(second_line=rest[0].line, around=_told(around))
        words, container = behind
        environment = {name: word for name, word in variables.items() if name not in used} | given | container
        found = CommandLine(words, environment, 0)
        around.append(_beginning(_in_front(rest)))
    if found is None:
        raise LineError(1, "no_perf_test")
    return found._replace(around=_told(around))


def _told(around: Iterable[str]) -> tuple[str, ...]:
    """Return what is to be told of what a text does besides."""
    return tuple(dict.fromkeys(each for each in around if each and each.split()[0] not in SILENT))


def _beginning(words: Sequence[Word]) -> str:
    """Return how a command begins; what is not told of it stands as three dots."""
    text = " ".join(word.text for word in words[:MOST_WORDS])
    whole = len(words) <= MOST_WORDS and len(text) <= MOST_TOLD
    return text if whole else f"{text[:MOST_TOLD]} ..."


def _in_front(words: Sequence[Word]) -> list[Word]:
    """Return the words before what starts PerfTest, without those that only start something."""
    found: list[Word] = []
    for word in words:
        name = _name(word.text)
        if word.text.startswith("-") or name in STARTERS or _is_program(word.text):
            break
        if name not in HARMLESS:
            found.append(word)
    return found


def _commands(lines: Iterable[str]) -> Iterator[list[Word]]:
    """Yield the words of each command, without what is written to or read from files.

    A command goes on in the next line where a line ends with a backslash, or the next begins with an option.
    """
    command: list[Word] = []
    goes_on = False
    length = 0
    for number, line in enumerate(lines, start=1):
        length += len(line)
        if length > MOST_CHARACTERS:
            raise LineError(number, "text_too_long", most=MOST_CHARACTERS)
        text = HANDLE.sub("", line.strip())
        if not text or text.startswith("#"):
            continue
        if command and not goes_on and not text.startswith("-"):
            yield command
            command = []
        goes_on = text.endswith(CONTINUED)
        words = _split(text[:-1] if goes_on else text, number)
        for word in words:
            if word.text in OPERATORS:
                if command:
                    yield command
                command = []
            elif REDIRECTION.fullmatch(word.text):
                next(words, None)
            elif command or word.text not in PROMPTS:
                command.append(word)
    if command:
        yield command


def _split(text: str, number: int) -> Iterator[Word]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    try:
        yield from (Word(word, number) for word in lexer)
    except ValueError as error:
        raise LineError(number, "quotes_open", why=error) from None


def _with_values(words: Sequence[Word], variables: Mapping[str, Word], used: set[str]) -> list[Word]:
    """Return the words with the values of variables that the text itself sets, or gives as a default.

    Args:
        used: gets the names of variables whose values are in the words now.
    """

    def value(match: re.Match[str]) -> str:
        name, default = match[1] or match[2], match[3]
        if name in variables:
            used.add(name)
            return variables[name].text
        return match[0] if default is None else default

    return [word._replace(text=VARIABLE.sub(value, word.text)) for word in words]


def _assignments(words: Sequence[Word]) -> tuple[dict[str, Word], list[Word]]:
    """Return the variables that are set in front of a command, and the command."""
    given: dict[str, Word] = {}
    for place, word in enumerate(words):
        match = ASSIGNMENT.fullmatch(word.text)
        if match is None:
            return given, list(words[place:])
        given[match[1]] = Word(match[2], word.line)
    return given, []


def _behind_program(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]] | None:
    """Return the words after the program, and the variables that a container gets; None for another program."""
    texts = [word.text for word in words]
    if texts[0].startswith("-"):
        return list(words), {}
    for place, text in enumerate(texts):
        inner = texts[place + 1] if place + 1 < len(texts) else ""
        if _name(text) in SHELLS and inner == "-c" and place + 2 < len(texts):
            return _of_shell(words[place + 2])
        if _name(text) in CONTAINERS:
            return _in_container(words[place + 1 :])
        if _name(text) in CLUSTERS:
            return _in_cluster(words[place + 1 :])
        if _is_program(text):
            return _behind_name(words[place + 1 :])
    return None


def _of_shell(script: Word) -> tuple[list[Word], dict[str, Word]] | None:
    """Return the command that a shell is given as a text."""
    try:
        inner = command_line([script.text])
    except LineError as error:
        if error.code == "no_perf_test":
            return None
        raise
    return [word._replace(line=script.line) for word in inner.words], inner.environment


def _in_container(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]] | None:
    """Return what a container's PerfTest is given: the words behind its image or program."""
    environment: dict[str, Word] = {}
    place = 0
    while place < len(words):
        text = words[place].text
        name, equals, value = text.partition("=")
        if name in {"-e", "--env"}:
            given = Word(value, words[place].line) if equals else words[min(place + 1, len(words) - 1)]
            environment |= _assignments([given])[0]
        if text.startswith("-"):
            place += 2 if name in VALUED and not equals else 1
            continue
        if _is_program(text):
            found, inner = _behind_name(words[place + 1 :])
            return found, environment | inner
        place += 1
    return None


def _in_cluster(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]] | None:
    """Return what kubectl passes on: the words behind its two hyphens."""
    texts = [word.text for word in words]
    if "--" not in texts:
        return _in_container(words)
    cut = texts.index("--")
    environment: dict[str, Word] = {}
    for word, following in zip(words[:cut], [*words[1:cut], Word("", 0)], strict=True):
        name, equals, value = word.text.partition("=")
        if name == "--env":
            environment |= _assignments([word._replace(text=value) if equals else following])[0]
    behind = words[cut + 1 :]
    if behind and not behind[0].text.startswith("-"):
        found = _behind_program(behind)
        return None if found is None else (found[0], environment | found[1])
    return (list(behind), environment) if any(map(_is_program, _images(texts[:cut]))) else None


def _images(texts: Sequence[str]) -> Iterator[str]:
    """Yield what may name the image among kubectl's own words."""
    for text in texts:
        yield text.partition("=")[2] if text.startswith("--") else text


def _behind_name(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]]:
    """Return what is after PerfTest's name, where a script, a class or a shell may be named once more."""
    rest = list(words)
    while rest and _is_program(rest[0].text):
        rest.pop(0)
    again = _behind_program(rest) if rest and _name(rest[0].text) in SHELLS else None
    return (rest, {}) if again is None else again


def _name(text: str) -> str:
    """Return the last part of a path, without the tag or digest of an image."""
    return re.split(r"[\\/]", text)[-1].partition("@")[0].partition(":")[0].lower()


def _is_program(text: str) -> bool:
    return PROGRAM.fullmatch(_name(text)) is not None
