"""Addresses of the page Inspect."""

from django.urls import path, re_path

from playground.inspecting import views

urlpatterns = [
    path("", views.page, name="inspect"),
    path(views.NODE_FILE, views.node_file, name="inspect-node-file"),
    re_path(
        r"^engine/(?P<name>[a-z_-]{1,40}(\.asm)?\.(js|mjs|wasm|zip|json|bin))\Z",
        views.file,
        name="inspect-engine",
    ),
]
