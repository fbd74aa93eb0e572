"""Addresses of the page Inspect."""

from django.urls import path, re_path

from playground.inspecting import views
from playground.web import engine_files

urlpatterns = [
    path("", views.page, name="inspect"),
    path(engine_files.NODE_FILE, engine_files.node_file, name="inspect-node-file"),
    re_path(
        r"^engine/(?P<name>[a-z_-]{1,40}(\.asm)?\.(js|mjs|wasm|zip|json|bin))\Z",
        engine_files.file,
        name="inspect-engine",
    ),
]
