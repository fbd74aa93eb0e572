"""The server's entry: pages to Django, sockets to sessions."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
pages = get_asgi_application()

from django.conf import settings  # noqa: E402

from playground import live, urls, warm  # noqa: E402, F401 - needs the apps to be ready; all views' types are imported
from playground.doors import door  # noqa: E402
from playground.kept_files import KeptFiles  # noqa: E402
from playground.letting_in import LetIn, letting_in  # noqa: E402
from playground.origins import OwnOrigins  # noqa: E402
from playground.routing import websocket_urlpatterns  # noqa: E402
from playground.turns import InTurn, turns  # noqa: E402
from playground.web.overfull import answer_busy  # noqa: E402

door()
warm.types()
turns.pressure = letting_in.pressure = live.pressure

application = ProtocolTypeRouter(
    {
        "http": KeptFiles(InTurn(pages, answer_busy, turns), settings.STATIC_URL),
        "websocket": OwnOrigins(LetIn(SessionMiddlewareStack(URLRouter(websocket_urlpatterns)), letting_in)),
    }
)
