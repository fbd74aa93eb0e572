"""Which socket of a class answers which address."""

from django.urls import re_path

from playground.classroom.sockets import StudentSocket, TeacherSocket

websocket_urlpatterns = [
    re_path(r"^ws/class/me/\Z", StudentSocket.as_asgi()),
    re_path(r"^ws/class/(?P<public_id>[2-9a-z]{1,32})/\Z", TeacherSocket.as_asgi()),
]
