"""Which socket answers which address."""

from django.urls import re_path

from playground.classroom.sockets import websocket_urlpatterns as class_sockets
from playground.sessions.session_sockets import SessionSocket

websocket_urlpatterns = [
    re_path(r"^ws/session/(?P<session_id>[2-9a-z]{1,32})/\Z", SessionSocket.as_asgi()),
    *class_sockets,
]
