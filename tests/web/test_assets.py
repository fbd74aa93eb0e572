"""Static files are collected under names that browsers may keep for ever."""

from playground.assets import HashedStorage
from tests.layering.graph import figures
from tests.layering.sources import file_imports


def test_the_longest_chain_of_imports_settles_while_files_are_collected() -> None:
    assert figures(file_imports("static/js")).layers + 2 < HashedStorage.max_post_process_passes
