"""Addresses of the units and exercises, below /learn/."""

from django.urls import path, re_path

from playground.exercises import views
from playground.exercises.builder import views as builder

urlpatterns = [
    path("", views.units, name="units"),
    path("made/", builder.listed, name="made"),
    path("made/import", builder.bring, name="made-import"),
    re_path(r"^made/from/(?P<session_id>[2-9a-z]{1,32})/\Z", builder.build, name="build"),
    path("made/<slug:slug>/exercise.json", builder.take, name="made-file"),
    path("made/<slug:slug>/delete", builder.delete, name="made-delete"),
    path("come-back", views.come_back, name="learner-back"),
    path("bring", views.bring, name="learner-bring"),
    path("plans/", views.plans, name="plans"),
    path("<slug:unit>/slides/", views.slides, name="unit-slides"),
    path("<slug:unit>/notes/", views.notes, name="unit-notes"),
    path("<slug:unit>/<slug:slug>/", views.exercise, name="exercise"),
    path("<slug:unit>/<slug:slug>/read/", views.reading, name="reading"),
    path("<slug:unit>/<slug:slug>/read/run.json", views.reading_run, name="reading-run"),
    path("<slug:unit>/<slug:slug>/example/", views.example, name="example"),
    path("<slug:unit>/<slug:slug>/begin", views.begin, name="exercise-begin"),
    path("<slug:unit>/<slug:slug>/answer", views.answer, name="exercise-answer"),
    path("<slug:unit>/<slug:slug>/standing.json", views.standing, name="exercise-standing"),
    path("<slug:unit>/<slug:slug>/hint", views.hint, name="exercise-hint"),
    path("<slug:unit>/<slug:slug>/why", views.why, name="exercise-why"),
    path("<slug:unit>/<slug:slug>/solution", views.solution, name="exercise-solution"),
    path("<slug:unit>/<slug:slug>/again", views.again, name="exercise-again"),
]
