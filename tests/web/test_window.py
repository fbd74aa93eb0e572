"""What a reader is owed."""

from collections import Counter

from playground.hosting.run import FRAMES_IN_FLIGHT, FrameWindow

SOME = Counter({"Published": 2})
NONE: Counter[str] = Counter()


def in_step() -> FrameWindow:
    window = FrameWindow()
    window.join(in_step=True)
    return window


def test_who_has_not_sent_hello_gets_nothing() -> None:
    assert FrameWindow().answer(SOME, fast=False) == "nothing"


def test_who_joins_gets_a_snapshot_without_a_count_of_what_was_before() -> None:
    window = FrameWindow()
    window.join(in_step=False)
    assert window.waits
    assert window.answer(SOME, fast=False) == "snapshot"
    assert window.caught_up() == ("join", {})
    assert window.answer(SOME, fast=False) == "frame"


def test_who_is_in_step_gets_frames() -> None:
    assert in_step().answer(SOME, fast=False) == "frame"


def test_too_many_rows_become_a_snapshot() -> None:
    window = in_step()
    assert window.answer(Counter({"Acked": 5000}), fast=True) == "snapshot"
    assert window.caught_up() == ("fast", {"Acked": 5000})


def test_a_reader_that_stalls_gets_a_bounded_number_then_a_snapshot() -> None:
    window = in_step()
    sent = 0
    for number in range(100):
        if window.answer(SOME, fast=False) == "frame":
            window.sent(2 * number)
            sent += 1
    assert sent == FRAMES_IN_FLIGHT
    assert not window.waits
    window.acknowledge(0)
    assert window.waits
    assert window.answer(NONE, fast=False) == "snapshot"
    why, missed = window.caught_up()
    assert (why, missed) == ("lag", {"Published": 2 * (100 - FRAMES_IN_FLIGHT)})


def test_an_acknowledgement_covers_everything_before_it() -> None:
    window = in_step()
    for through in (5, 5, 9, 12):
        window.sent(through)
    window.acknowledge(9)
    assert window.unacknowledged == 1


def test_nothing_missed_is_no_lag() -> None:
    window = in_step()
    for through in range(FRAMES_IN_FLIGHT):
        window.sent(through)
    window.answer(NONE, fast=False)
    assert window.behind is None


def test_a_pause_is_heard_however_many_frames_are_on_their_way() -> None:
    """The reader would think for ever that time passes: while it stands still, nothing else is sent."""
    window = in_step()
    for through in range(FRAMES_IN_FLIGHT - 1):
        window.sent(through)
    window.owe_pace()
    assert window.waits
    assert window.answer(NONE, fast=False) == "frame"
    window.sent(FRAMES_IN_FLIGHT - 1)
    assert not window.waits


def test_a_pause_waits_for_room() -> None:
    window = in_step()
    for through in range(FRAMES_IN_FLIGHT):
        window.sent(through)
    window.owe_pace()
    assert not window.waits
    assert window.answer(NONE, fast=False) == "nothing"
    window.acknowledge(0)
    assert window.waits
    assert window.answer(NONE, fast=False) == "frame"


def test_a_snapshot_does_not_have_the_pace() -> None:
    window = FrameWindow()
    window.join(in_step=False)
    window.owe_pace()
    window.sent(0, has_pace=False)
    window.caught_up()
    assert window.waits
    window.sent(0)
    assert not window.waits


def test_a_window_that_is_full_has_asked_for_what_makes_room() -> None:
    """Most frames need no acknowledgement of their own; one that never comes would end the session's picture."""
    window, asked, through = in_step(), [], 0
    for round_ in range(60):
        while window.unacknowledged < FRAMES_IN_FLIGHT:
            through += 1
            window.sent(through)
            if window.asks:
                asked.append(through)
        assert asked, "nothing would go on"
        last = asked[0] if round_ % 3 else asked[-1]
        window.acknowledge(last)
        asked = [each for each in asked if each > last]
    assert through > 100
