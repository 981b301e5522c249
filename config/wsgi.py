"""What gunicorn serves."""

import os
import re
from collections.abc import Iterable
from importlib import import_module
from wsgiref.types import StartResponse, WSGIEnvironment

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.urls import get_resolver

from config.addresses import path_below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# What some request would have to load; all processes share what is loaded here. `up` leaves it to that request.
NOT_FOR_THE_FIRST_PAGE = ("config.celery", "redis", "httpx2", "markdown_it")


def load() -> WSGIHandler:
    """Django with all its pages loaded, so that no request waits for them.

    `manage.py up` starts this while the database starts, and holds it back at the gate (a pipe) until the static
    files and the tables are there.
    """
    django.setup(set_prefix=False)
    _ = get_resolver().url_patterns
    from config.fitness import fitness  # which needs Django set up

    fitness.is_asked, fitness.given = True, os.environ.get("LITMUS_PROBLEM", "")
    if gate := os.environ.get("LITMUS_GATE"):
        os.read(int(gate), 1)  # returns when the other end is closed
    else:
        for name in NOT_FOR_THE_FIRST_PAGE:
            import_module(name)
    return WSGIHandler()


django_application = load()
UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
_charset = re.compile(r"""charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE).search


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Django; but 400 for other encodings than UTF-8.

    Django 5.2 decodes even addresses by the encoding that a request names, and fails outside any handler on one such
    as `hex`; others would give texts that nothing behind it can hold.
    """
    environ["PATH_INFO"] = path_below(settings.SITE_PATH, environ["PATH_INFO"])
    charset = _charset(environ.get("CONTENT_TYPE", ""))
    if charset and charset[1].lower() not in UTF_8:
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"Texts are read in UTF-8 only. Send the request in that encoding.\n"]
    return django_application(environ, start_response)
