"""Addresses of the corpus app."""

from django.urls import URLPattern, URLResolver, path

from corpus.views import collections

urlpatterns: list[URLPattern | URLResolver] = [
    path("collections/", collections.collection_list, name="collection_list"),
    path("collections/new/", collections.collection_create, name="collection_create"),
    path("c/<slug:slug>/settings/", collections.collection_edit, name="collection_edit"),
]
