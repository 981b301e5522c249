"""Refusals become pages, fragments or 401s; errors of every kind have a page in the same look."""

import pytest
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import path

from accounts.refusals import Conflict, NotAllowed, Refused
from config import urls
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def raising(error: Exception):
    def view(request: object) -> HttpResponse:
        raise error

    return view


handler400, handler404, handler500 = urls.handler400, urls.handler404, urls.handler500
urlpatterns = [
    *urls.urlpatterns,
    path("raise/not-allowed/", raising(NotAllowed("You lack the <role>."))),
    path("raise/conflict/", raising(Conflict("Somebody was faster."))),
    path("raise/refused/", raising(Refused("It is closed."))),
    path("raise/too-big/", raising(RequestDataTooBig("The files are larger than 7 MB."))),
    path("raise/body-too-big/", raising(RequestDataTooBig("Request body exceeded DATA_UPLOAD_MAX_MEMORY_SIZE."))),
    path("raise/suspicious/", raising(SuspiciousOperation("odd"))),
    path("raise/bug/", raising(RuntimeError("boom"))),
    path("api/raise/suspicious/", raising(SuspiciousOperation("odd"))),
    path("api/raise/body-too-big/", raising(RequestDataTooBig("Request body exceeded DATA_UPLOAD_MAX_MEMORY_SIZE."))),
    path("api/raise/bug/", raising(RuntimeError("boom"))),
]
here = override_settings(ROOT_URLCONF=__name__)


@pytest.fixture
def known(client: Client) -> Client:
    client.force_login(UserFactory())
    client.raise_request_exception = False
    return client


@here
@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("not-allowed", 403, "You lack the &lt;role&gt;."),
        ("conflict", 409, "Somebody was faster."),
        ("refused", 422, "It is closed."),
        ("too-big", 413, "The files are larger than 7 MB."),
        ("body-too-big", 413, "larger than this server accepts"),
        ("suspicious", 400, "was not understood"),
        ("bug", 500, "Something went wrong on the server"),
    ],
)
def test_each_error_has_a_page_with_a_reason(known: Client, address: str, status: int, reason: str) -> None:
    answer = known.get(f"/raise/{address}/")
    assert answer.status_code == status
    assert reason in answer.text
    assert "<h1>" in answer.text
    assert 'class="masthead"' in answer.text
    assert "boom" not in answer.text
    assert "DATA_UPLOAD" not in answer.text


@here
@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("nowhere/", 404, "no such address"),
        ("collections/{slug}/", 404, "no such address"),
        ("raise/suspicious/", 400, "cannot be understood"),
        ("raise/body-too-big/", 413, "in several parts"),
        ("raise/bug/", 500, "went wrong"),
    ],
)
def test_each_error_of_the_api_is_a_problem(known: Client, address: str, status: int, reason: str) -> None:
    answer = known.get(f"/api/{address}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert problem["status"] == status
    assert reason in problem["detail"]
    assert "boom" not in answer.text


@here
def test_a_refusal_goes_among_the_messages_of_an_htmx_page(known: Client) -> None:
    answer = known.get("/raise/conflict/", headers={"HX-Request": "true"})
    assert answer.status_code == 409
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#messages", "beforeend")
    assert answer.text.strip().startswith('<div class="alert bad">')
    assert "Somebody was faster." in answer.text


@pytest.mark.parametrize("headers", [{"HX-Request": "true"}, {"Accept": "application/json"}])
def test_scripts_of_the_signed_out_get_401_instead_of_a_page(client: Client, headers: dict[str, str]) -> None:
    answer = client.get("/", headers=headers)
    assert answer.status_code == 401
    assert "Sign in again" in answer.json()["detail"]


@pytest.mark.usefixtures("somebody")
def test_pages_of_the_signed_out_go_to_the_sign_in_page(client: Client) -> None:
    assert client.get("/collections/?a=1")["Location"] == "/accounts/login/?next=/collections/%3Fa%3D1"


def test_a_page_that_does_not_exist(known: Client) -> None:
    answer = known.get("/nowhere/")
    assert answer.status_code == 404
    assert "Page not found" in answer.text


def test_a_form_without_its_token_says_so() -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/accounts/login/", {"login": "a@example.org", "password": "x"})
    assert answer.status_code == 403
    assert "The form has expired" in answer.text


@here
def test_the_page_of_a_bug_needs_no_database(known: Client, django_assert_num_queries) -> None:
    from django.test import RequestFactory
    from django.views.defaults import server_error

    with django_assert_num_queries(0):
        answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "Something went wrong on the server" in answer.text


def test_opening_an_address_that_takes_forms_only_leads_back_to_its_page(known: Client) -> None:
    """As after a form was refused, when its answer is reloaded."""
    answer = known.get("/accounts/tokens/5/revocation/", headers={"accept": "text/html"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address only accepts submitted forms." in answer.text
    assert 'href="/accounts/tokens/"' in answer.text
    assert known.get("/accounts/tokens/5/revocation/", headers={"accept": "application/json"}).content == b""


@pytest.mark.parametrize("length", ["", "2200000000"])
def test_a_body_that_cannot_be_taken_in_breaks_no_page_of_an_error(known: Client, length: str) -> None:
    known.handler.enforce_csrf_checks = True
    known.get("/collections/")  # brings the cookie: only now is a token looked for
    files = {f"file{number}": SimpleUploadedFile("a", b"a") for number in range(101)}
    answer = known.post("/nowhere/", files, **({"CONTENT_LENGTH": length} if length else {}))
    assert answer.status_code == 404
    assert "Page not found" in answer.text
