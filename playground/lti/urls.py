"""Addresses for learning platforms, below /lti/."""

from django.urls import path

from playground.lti import views

urlpatterns = [
    path("keys.json", views.keys, name="lti-keys"),
    path("log-in/<uuid:registration_uuid>/", views.log_in, name="lti-login"),
    path("launch", views.launch, name="lti-launch"),
    path("choose", views.choose, name="lti-choose"),
]
