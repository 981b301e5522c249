"""What gunicorn serves."""

import importlib
import os
import re
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()
importlib.import_module("config.celery")  # now, not within the first request that sends a job
UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
_charset = re.compile(r"""charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE).search


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Django; but 400 for other encodings than UTF-8.

    Django 5.2 decodes even addresses by the encoding that a request names, and fails outside any handler on one such
    as `hex`; others would give texts that nothing behind it can hold.
    """
    charset = _charset(environ.get("CONTENT_TYPE", ""))
    if charset and charset[1].lower() not in UTF_8:
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"Texts are read in UTF-8 only. Send the request in that encoding.\n"]
    return django_application(environ, start_response)
