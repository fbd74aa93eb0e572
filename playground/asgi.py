"""The server's entry: pages to Django, sockets to sessions."""

import os

import django
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402
from django.urls import re_path  # noqa: E402

from playground import urls  # noqa: E402, F401 - needs the apps to be ready; all views' types are imported
from playground.classroom.sockets import websocket_urlpatterns as class_sockets  # noqa: E402
from playground.hosting import real_engine  # noqa: E402 - needs the apps to be ready; all views' types are imported
from playground.hosting.real_engine import door  # noqa: E402
from playground.limits.page_scheduler import InTurn, turns  # noqa: E402
from playground.server.request_intake import LetIn, letting_in  # noqa: E402
from playground.server.static_assets import KeptFiles  # noqa: E402
from playground.sessions import live_hosts  # noqa: E402 - needs the apps to be ready; all views' types are imported
from playground.sessions.session_sockets import OwnOrigins, SessionSocket  # noqa: E402
from playground.web.errors import answer_busy  # noqa: E402
from playground.web.page_delivery import PageHandler  # noqa: E402

door()
real_engine.types()
turns.pressure = letting_in.pressure = live_hosts.pressure

sockets = [re_path(r"^ws/session/(?P<session_id>[2-9a-z]{1,32})/\Z", SessionSocket.as_asgi()), *class_sockets]
application = ProtocolTypeRouter(
    {
        "http": KeptFiles(InTurn(PageHandler(), answer_busy, turns), settings.STATIC_URL),
        "websocket": OwnOrigins(LetIn(SessionMiddlewareStack(URLRouter(sockets)), letting_in)),
    }
)
