"""How long a page may take for what a test waits for."""

WAIT_MS = 60_000
"""What comes at all comes in this time, on a slow machine with other work too; Playwright's own 5 s are not enough."""
