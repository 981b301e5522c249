"""What Django has no setting for: headers of every answer, compressed pages, and answers that are headers alone."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class DefaultsMiddleware:
    """What an answer says unless its view says otherwise.

    No page of ours uses camera, microphone, position or payment: scripts and style sheets, of which a page has dozens,
    need not say so, as it is the page's own answer that counts. And no browser or proxy keeps an answer: after signing
    out, Back would show it to the next person.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not response.get("Content-Type", "").startswith(("text/javascript", "text/css")):
            response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class PageCompressionMiddleware(GZipMiddleware):
    """Pages alone: exports are streams or compressed already.

    Django adds up to 100 random bytes, without which the sizes of pages that hold a secret and repeat what somebody
    else may choose give the secret away (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.streaming or not response.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class HeadMiddleware:
    """Answers to HEAD have the headers of the page or file and nothing else.

    Without this the server makes whole exports and backups to throw them away, and writes a warning for each.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self.get_response(request)
        if request.method == "HEAD":
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = ()
            elif isinstance(response, HttpResponse):
                response.headers.setdefault("Content-Length", str(len(response.content)))
                response.content = b""
        return response
