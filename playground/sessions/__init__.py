"""Live sessions as the web sees them: sockets, links, who commands and where."""
