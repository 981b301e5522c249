"""Addresses of the annotation app."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import home

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("help/", home.show_help, name="help"),
]
