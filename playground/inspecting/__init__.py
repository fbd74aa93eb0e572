"""The page Inspect: what a broker's own files, listings and definitions mean. Nothing that is sent to it is kept."""
