"""Sign-in, sign-out, password and one's own settings."""

from django.urls import include, path

urlpatterns = [path("", include("allauth.urls"))]
