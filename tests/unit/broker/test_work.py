"""The work profiles are the calibration, number for number."""

from __future__ import annotations

from typing import Any

import pytest

from engine.costs import MEBIBYTE, PROFILES, DiskCost, WorkCost, each_us


@pytest.fixture(scope="module")
def calibration(calibration_file: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = calibration_file["time"]["profiles"]
    return found


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_what_was_measured_or_assumed(calibration: dict[str, Any], name: str) -> None:
    profile, source = PROFILES[name], calibration[name]
    cpu = calibration["measured-vm"]["cpu_us"] if source["cpu_us"] == "as measured-vm" else source["cpu_us"]
    for step, cost in profile.cpu._asdict().items():
        assert cost[:2] == (round(1000 * cpu[step]["a_us"]), round(1000 * cpu[step]["b_us_per_kib"])), step
        assert cost.residual_pct == cpu[step].get("residual_max_pct"), step
    expected = [
        round(1000 * source["disk"][f"{each}_us{per}"])
        for each in ("fsync", "write_buffered", "read")
        for per in ("", "_per_mib")
    ]
    assert list(profile.disk) == expected
    combine = source["gc_combine"]
    assert profile.combine_ns_per_mib == 1000 * combine["us_per_live_mib"]
    assert profile.combine_ns_per_message == 1000 * combine["us_per_message"]
    assert profile.milli_cores == 1000 * source["effective_cores"]
    assert profile.assumed == source.get("assumed", False)
    assert profile.assumed or "measured" in profile.why


def test_all_profiles_are_there(calibration: dict[str, Any]) -> None:
    assert set(PROFILES) == set(calibration)
    assert [name for name, profile in PROFILES.items() if profile.instant] == ["instant"]


def test_costs_add_up() -> None:
    assert WorkCost(1000, 512).of(3, 2048) == 3 * (1000 + 1024)
    assert DiskCost(10, 100, 1, 2, 3, 4).fsync(MEBIBYTE // 2) == 60
    assert DiskCost(10, 100, 1, 2, 3, 4).write(MEBIBYTE) == 3
    assert DiskCost(10, 100, 1, 2, 3, 4).read(3 * MEBIBYTE) == 15


def test_residuals_stand_beside_the_figures() -> None:
    shown = each_us(PROFILES["ssd"])
    assert shown["reader_publish_us"] == pytest.approx(5.43 + 1.065)
    assert shown["reader_publish_residual_pct"] == 36.07
    assert shown["channel_deliver_residual_pct"] is None
