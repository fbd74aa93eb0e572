"""Every surface that shows or asks a run, on every release, with both versions of 3.10.8's files and at both scales."""
