"""A run as one page that works without a server: what was recorded, the page's scripts, and how both are packed."""
