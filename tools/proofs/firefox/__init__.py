"""The page of a run opens from a disk in Firefox, and draws."""
