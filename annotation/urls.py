"""Addresses of the annotation app."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import home, labelling, labelling_data

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("help/", home.show_help, name="help"),
    path("help/style/", home.show_style, name="style"),
    path("label/session/", labelling_data.label_session, name="label_session"),
    path("label/preferences/", labelling_data.label_preferences, name="label_preferences"),
    *[
        path(f"c/<slug:slug>/campaigns/<slug:campaign>/label/{address}", view, name=name)
        for address, view, name in (
            ("", labelling.labelling_screen, "labelling_screen"),
            ("submissions/", labelling_data.submission_create, "submission_create"),
            ("next/", labelling_data.label_next, "label_next"),
            ("history/", labelling_data.label_history, "label_history"),
            ("guideline/", labelling_data.label_guideline, "label_guideline"),
        )
    ],
]
