"""Marks a member that is documented where it is declared: in a protocol or in a base class."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(member: object) -> object:
        """Return the member as it is; the type checker looks up what it overrides."""
        return member


__all__ = ["override"]
