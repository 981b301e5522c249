"""The first account of an empty Litmus: by a code of the terminal, once."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.first_account import (
    TRIES,
    VALID_FOR,
    announce_first_code,
    create_first_account,
    create_first_code,
)
from accounts.models import AuditEvent, FirstCode, User
from accounts.refusals import NotHere, Refused
from tests.databases import at_once
from tests.factories.accounts import AT, PASSWORD, UserFactory
from tests.processes import Child, answers, child_environment, free_port, web_server
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/first/"
MINE: dict[str, Any] = {"email": "ana@example.org", "name": "Ana", "password": PASSWORD}


def test_every_page_leads_to_it_and_a_person_comes_in(client: Client) -> None:
    for page in ("home", "account_login", "help", "collection_list", "account_signup"):
        assert client.get(reverse(page)).headers["Location"] == ADDRESS
    assert client.get(reverse("api_collections")).status_code == 401
    assert client.get(reverse("home"), headers={"HX-Request": "true"}).status_code == 401
    shown = client.get(ADDRESS).text
    assert "manage.py up --demo" in shown
    code = re.search(r"[A-Z2-9]{5}-[A-Z2-9]{5}", announce_first_code())
    assert code is not None
    sent = MINE | {"repeated": PASSWORD}
    assert "required" in client.post(ADDRESS, sent).text
    assert not User.objects.exists()
    wrong = client.post(ADDRESS, sent | {"code": "AAAAA-AAAAA"})
    assert (wrong.status_code, "4 tries are left" in wrong.text) == (422, True)
    answer = client.post(ADDRESS, sent | {"code": f" {code[0].lower().replace('-', ' ')} "}, follow=True)
    assert "Create the first collection" in answer.text
    for name in ("litsearch", "doris-mae", "acm-cr"):
        assert f"/docs/tutorials/{name}/" in answer.text
        assert reverse("example_download", args=[name]) in answer.text
    user = User.objects.get()
    assert (user.email, user.is_staff) == ("ana@example.org", True)
    assert list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True)) == [
        "create_first_code",
        "create_user",
    ]
    for person, place in ((client, reverse("home")), (Client(), reverse("account_login"))):
        for answer in (person.get(ADDRESS), person.post(ADDRESS, sent)):
            assert (answer.status_code, answer.headers["Location"]) == (302, place)
    assert "There is an account already. Sign in with it" in Client().post(ADDRESS, sent, follow=True).text
    assert Client().get(reverse("home")).headers["Location"].startswith(reverse("account_login"))
    assert not FirstCode.objects.exists()
    assert announce_first_code() == ""


def test_the_form_is_guarded_against_other_sites() -> None:
    create_first_code(at=AT)
    assert Client(enforce_csrf_checks=True).post(ADDRESS, MINE).status_code == 403


def test_a_code_is_good_for_a_quarter_of_an_hour_and_until_the_next() -> None:
    with pytest.raises(Refused, match=r"no longer valid\. Print a new one with .*manage\.py first_code"):
        create_first_account(at=AT, code="", **MINE)  # there is none
    old, new = create_first_code(at=AT), create_first_code(at=AT)
    assert FirstCode.objects.get().digest not in (old, new)
    with pytest.raises(Refused, match="The code is wrong"):
        create_first_account(at=AT, code=old, **MINE)
    with pytest.raises(Refused, match="no longer valid"):
        create_first_account(at=AT + VALID_FOR, code=new, **MINE)
    create_first_account(at=AT + VALID_FOR - timedelta(seconds=1), code=new, **MINE)
    with pytest.raises(NotHere):
        create_first_code(at=AT)


def test_after_five_tries_even_the_right_one_is_refused() -> None:
    code = create_first_code(at=AT)
    said = []
    for _ in range(TRIES):
        with pytest.raises(Refused) as refused:
            create_first_account(at=AT, code="22222-22222", **MINE)
        said.append(str(refused.value.reason))
    assert "1 try is left" in said[-2]
    assert "it was the last try" in said[-1]
    with pytest.raises(Refused, match="Too many wrong attempts"):
        create_first_account(at=AT, code=code, **MINE)
    assert not User.objects.exists()


def test_how_often_one_may_try_is_limited(client: Client, settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "first_account": "1/m/ip"}
    create_first_code(at=AT)
    sent = MINE | {"repeated": PASSWORD, "code": "22222-22222"}
    assert "The code" in client.post(ADDRESS, sent).text
    assert "Too many attempts" in client.post(ADDRESS, sent).text


def test_the_command_prints_a_new_one_while_there_is_no_account(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("first_code")
    assert re.search(r"\n  [A-Z2-9]{5}-[A-Z2-9]{5}\n\nIt is valid for 15 minutes and 5 tries", capsys.readouterr().err)
    UserFactory()
    with pytest.raises(CommandError, match="There is an account already"):
        call_command("first_code")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("second", ["page", "command"])
def test_two_at_once_make_one_account(second: str) -> None:
    code = create_first_code(at=AT)

    def make(number: int) -> User:
        if number and second == "command":
            return create_first_account(at=AT, code=create_first_code(at=AT), **MINE)
        return create_first_account(at=AT, code=code, **{**MINE, "email": f"ana{number}@example.org"})

    said = at_once(partial(make, 0), partial(make, 1))
    assert sorted(isinstance(each, User) for each in said) == [False, True]
    assert User.objects.count() == 1


@contextmanager
def development_server(log: Path) -> Iterator[None]:
    """A real `runserver`, with the process that it restarts when code changes."""
    address = f"127.0.0.1:{free_port()}"
    server = Child([sys.executable, "manage.py", "runserver", address], log, child_environment())
    try:
        wait_for(lambda: answers(f"http://{address}/healthz"), what=f"an answer of runserver:\n{server.output}")
        yield
    finally:
        server.kill()


@pytest.mark.django_db(transaction=True)
@pytest.mark.services
@pytest.mark.slow
@pytest.mark.parametrize("serve", [web_server, development_server], ids=["gunicorn", "runserver"])
def test_servers_print_the_code_once_as_they_start(serve: Callable[[Path], Any], tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with serve(log):
        codes = re.findall(r"[A-Z2-9]{5}-[A-Z2-9]{5}", log.read_text())
    assert len(codes) == 1, log.read_text()
    create_first_account(at=timezone.now(), code=codes[0], **MINE)
