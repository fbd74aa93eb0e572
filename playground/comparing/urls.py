"""Addresses of the comparison, below /compare/."""

from django.urls import path, re_path

from playground.comparing import views

PAIR = r"^(?P<a>[2-9a-z]{1,32})/(?P<b>[2-9a-z]{1,32})/"

SEVERAL = r"^(?P<ids>[2-9a-z]{1,32}(?:/[2-9a-z]{1,32}){2,3})/"

urlpatterns = [
    path("", views.choose, name="compare"),
    path("new", views.new, name="compare-new"),
    path("releases", views.releases, name="compare-releases"),
    re_path(SEVERAL + r"\Z", views.several, name="compare-several"),
    re_path(SEVERAL + r"reel\Z", views.reel_of_several, name="compare-several-reel"),
    re_path(PAIR + r"\Z", views.pair, name="compare-pair"),
    re_path(PAIR + r"reel\Z", views.reel, name="compare-reel"),
]
