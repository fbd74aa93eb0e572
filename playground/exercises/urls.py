"""Addresses of the units and exercises, below /learn/."""

from django.urls import path

from playground.exercises import views

urlpatterns = [
    path("", views.units, name="units"),
    path("come-back", views.come_back, name="learner-back"),
    path("<slug:unit>/notes/", views.notes, name="unit-notes"),
    path("<slug:unit>/<slug:slug>/", views.exercise, name="exercise"),
    path("<slug:unit>/<slug:slug>/begin", views.begin, name="exercise-begin"),
    path("<slug:unit>/<slug:slug>/answer", views.answer, name="exercise-answer"),
    path("<slug:unit>/<slug:slug>/standing.json", views.standing, name="exercise-standing"),
    path("<slug:unit>/<slug:slug>/hint", views.hint, name="exercise-hint"),
    path("<slug:unit>/<slug:slug>/solution", views.solution, name="exercise-solution"),
    path("<slug:unit>/<slug:slug>/again", views.again, name="exercise-again"),
]
