"""Addresses of the page Inspect."""

from django.urls import path

from playground.inspecting import views

urlpatterns = [path("", views.page, name="inspect")]
