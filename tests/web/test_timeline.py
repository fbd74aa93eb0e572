"""Scenarios and commands as values."""

from playground.hosting import session_record

SCENARIO = {
    "title": "x",
    "commands": [{"at_us": 5, "do": "purge"}, {"at_us": 90, "do": "purge"}],
    "digest": "old",
}


def test_live_commands_come_after_scripted_ones_of_the_same_instant() -> None:
    merged = session_record.merged(SCENARIO, [(5, {"do": "get"}), (2, {"do": "ack"})], 50, "new")
    assert [each["do"] for each in merged["commands"]] == ["ack", "purge", "get"]
    assert (merged["until_us"], merged["digest"], merged["title"]) == (50, "new", "x")


def test_a_short_id_depends_on_the_text_alone() -> None:
    assert session_record.short_id("a") == session_record.short_id("a")
    assert session_record.short_id("a") != session_record.short_id("b")
    assert set(session_record.short_id("a")) <= set(session_record.ALPHABET)


def test_the_canonical_form_does_not_depend_on_the_order_of_keys() -> None:
    assert session_record.canonical({"a": 1, "b": 2}) == session_record.canonical({"b": 2, "a": 1})


def test_running_publishers_are_those_not_stopped_or_removed() -> None:
    scenario = {
        "commands": [
            {"at_us": 1, "do": "set_publisher", "name": "p1", "rate_per_s": 1},
            {"at_us": 2, "do": "set_publisher", "name": "p2", "rate_per_s": 1},
            {"at_us": 3, "do": "set_publisher", "name": "p3", "rate_per_s": 1},
            {"at_us": 99, "do": "set_publisher", "name": "later", "rate_per_s": 1},
        ]
    }
    commands = [
        (5, {"do": "remove", "name": "p2"}),
        (6, {"do": "set_publisher", "name": "p3", "rate_per_s": 1, "running": False}),
        (7, {"do": "set_publisher", "name": "p1", "rate_per_s": 9}),
    ]
    running = session_record.running_publishers(scenario, commands, 50)
    assert running == [{"do": "set_publisher", "name": "p1", "rate_per_s": 9}]
