"""What a measurement makes of the compiled engine."""

from __future__ import annotations

from bench.measure import NEARLY, not_slower


def test_a_compiled_engine_that_is_slower_in_one_kind_is_noticed() -> None:
    sources = {"messages": 10, "ledger_messages_per_s": 100, "files_messages_per_s": 50}
    assert not_slower(None, sources)
    assert not_slower(
        {"messages": 1, "ledger_messages_per_s": 300, "files_messages_per_s": 50 * NEARLY}, sources
    )
    assert not not_slower({"messages": 10, "ledger_messages_per_s": 300, "files_messages_per_s": 4}, sources)
