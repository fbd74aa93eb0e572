"""Addresses of the what-if page, below /whatif/."""

from django.urls import path

from playground.whatif import views

urlpatterns = [
    path("", views.page, name="whatif"),
    path("own/", views.own, name="whatif_own"),
    path("browser/", views.own_in_browser, name="whatif_browser"),
    path("own/<slug:name>/", views.progress, name="whatif_progress"),
    path("table.csv", views.table_csv, name="whatif_csv"),
    path("table.parquet", views.table_parquet, name="whatif_parquet"),
    path("open/", views.open_cell, name="whatif_open"),
    path("compare/", views.compare_cells, name="whatif_compare"),
]
