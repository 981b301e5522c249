"""Types of requests, for views: what the middleware has put on them."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class OpenRequest(HttpRequest):
    """A request to a view that is open to everybody (login_not_required)."""

    htmx: HtmxDetails


class Request(OpenRequest):
    """A request to any other view: accounts.middleware.SignInMiddleware has let in signed-in people only."""

    user: User
