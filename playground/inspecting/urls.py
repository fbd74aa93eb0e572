"""Addresses of the page Inspect."""

from django.urls import path, re_path

from playground.inspecting import engine_files, views

urlpatterns = [
    path("", views.page, name="inspect"),
    re_path(
        r"^engine/(?P<name>[a-z_-]{1,40}(\.asm)?\.(js|mjs|wasm|zip|json|bin))\Z",
        engine_files.file,
        name="inspect-engine",
    ),
]
