"""The order in which Erlang walks a map, against what `maps:fold/3` of the nodes 4.0.5 and 4.3.6 printed (W212)."""

from __future__ import annotations

import zlib

from engine.classic_v2.index.tables import walked

MIXED = (
    "18,4095,4,1000000,12,19,100,29,13,2,7,31,16777216,8,10,23,65536,9,15,32,1,25,28,20,6,123456789012,11,17,24,14,3,"
    "16,30,21,5,0,27,26,22"
)
"""39 keys: 0 to 32, and some far away."""
MANY_CRC32 = 4104511979
"""Of the text of 0 to 4000 as the nodes walked them."""


def test_a_map_of_few_keys_is_walked_in_their_order() -> None:
    assert walked({9, 3, 100}) == [3, 9, 100]
    assert walked(range(32)) == list(range(32))


def test_a_map_of_many_keys_is_walked_as_the_nodes_did() -> None:
    """W212."""
    printed = [int(each) for each in MIXED.split(",")]
    assert walked(set(printed)) == printed
    assert zlib.crc32(str(walked(range(4001))).encode()) == MANY_CRC32
