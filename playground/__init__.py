"""The web side: Django project and app in one. Pages, sockets, and the hosts that run the engine."""
