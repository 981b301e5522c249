"""Pages wait until the tables are those of this version; until then each says what is in the way, with status 503."""

import threading
import time
from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.template import loader

from accounts.edge import API
from config import upgrade
from config.errors import problem
from config.tables import migrations_applied, migrations_on_disk, unknown_migration
from config.watching.health import own_connection

ASK_AGAIN = 2  # seconds
RETRY_AFTER = "30"  # seconds


class Fitness:
    """What keeps this process from serving pages: asked until nothing does, and from then on no more."""

    def __init__(self) -> None:
        self.given = ""  # by `up`, which has tried
        self.lock = threading.Lock()
        self.is_asked = False  # by a web server alone
        self.fits = False
        self.words, self.until = "", 0.0

    def why_not(self) -> str:
        """What to say instead of a page, "" for nothing. Where no database answers, pages say so themselves."""
        if self.fits:
            return ""
        with self.lock:
            if time.monotonic() > self.until:
                self.words = self.given or self.ask()
                self.until = time.monotonic() + ASK_AGAIN
            return self.words

    def ask(self) -> str:
        connection = own_connection()
        try:
            words = misfit(connection)
        except Error:
            return ""
        finally:
            connection.close()
        self.fits = not words
        return words


fitness = Fitness()


def misfit(on: object) -> str:
    """Why the tables do not fit, without saying where they are; "" where they do."""
    applied = migrations_applied(on)
    if strange := unknown_migration(applied):
        return upgrade.later(strange, upgrade.read_stamp(on), where="The database")
    return upgrade.waiting(upgrade.read_stamp(on)) if migrations_on_disk() - applied else ""


class FitnessMiddleware:
    """503 with what is in the way, before anything touches the database. Probes and static files are above it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not fitness.is_asked:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        words = fitness.why_not()
        if not words:
            return self.get_response(request)
        if request.path_info.startswith(API) or request.content_type == "application/json":
            response = problem(503, words, code="other-version", reason=words)
        else:
            response = HttpResponse(loader.get_template("503.html").render({"reason": words}), status=503)
        response["Retry-After"] = RETRY_AFTER
        response._has_been_logged = True  # type: ignore[attr-defined]  # else Django writes a line for each request
        return response
