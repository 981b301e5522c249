"""Many people invited at once: one reader of lists for page, command and REST, checked first, problems by line."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, TokenScope
from corpus.collections.address_lists import MOST_INVITED, Address, BadList, read_addresses
from corpus.models import InvitedRole, Membership, Role
from tests.factories.accounts import CollectionFactory, UserFactory, make_token, one_member_each

pytestmark = pytest.mark.django_db

WRONG = "new@example.org\nnot-an-address, neither; fine@example.org\n\nalso wrong"
SAID = ["Line 2: no e-mail address: not-an-address, neither.", "Line 4: no e-mail address: also wrong."]


@pytest.fixture
def members() -> dict[Role, Membership]:
    return one_member_each(CollectionFactory(slug="tea", title="Tea"))


class TestReading:
    def test_addresses_come_from_mails_tables_and_lists_each_once(self) -> None:
        text = 'Ada L <Ada@example.org>; "bob@example.org",\n\nbob@example.org\r\ncy@example.org'
        assert read_addresses(text) == [
            Address(1, "ada@example.org"),
            Address(1, "bob@example.org"),
            Address(4, "cy@example.org"),
        ]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("\n\r\n\r ada@x.org", [(4, "ada@x.org")]),
            ("<ada@x.org> <bob@x.org>", [(1, "ada@x.org"), (1, "bob@x.org")]),
            ('"Lovelace, Ada" <ada@x.org>; "Byron; Lord, G." <bob@x.org>', [(1, "ada@x.org"), (1, "bob@x.org")]),
            ("Lovelace, Ada <ada@x.org>; Byron, G. <bob@x.org>", [(1, "ada@x.org"), (1, "bob@x.org")]),
            ("Lovelace, Ada <ada@x.org>", [(1, "ada@x.org")]),
            ('"Ada <ada@x.org>', [(1, "ada@x.org")]),
            ("Ada <ada@x.org>, Bob <bob@x.org>", [(1, "ada@x.org"), (1, "bob@x.org")]),
            ('"ada@x.org, bob@x.org"', [(1, "ada@x.org"), (1, "bob@x.org")]),
            ("ada@x.org <mailto:ada@x.org>\n'mailto:bob@x.org'".replace("'", ""), [(1, "ada@x.org"), (2, "bob@x.org")]),
            ("\ufeffada@x.org\n\u200bbob@x.org\u200b ", [(1, "ada@x.org"), (2, "bob@x.org")]),
            ("ada@m\u00fcnchen.example", [(1, "ada@m\u00fcnchen.example")]),
        ],
    )
    def test_lists_as_programs_write_them(self, text: str, found: list[tuple[int, str]]) -> None:
        assert [(each.line, each.email) for each in read_addresses(text)] == found

    @pytest.mark.parametrize(
        ("text", "reasons"),
        [
            ("ada@x\u200b.org", ["Line 1: no e-mail address: ada@x[U+200B].org.", "Nobody was invited."]),
            ("bo\u017f@x.org", ["Line 1: no e-mail address: bo\u017f@x.org.", "Nobody was invited."]),
            ("ada@\uff58.org", ["Line 1: no e-mail address: ada@\uff58.org.", "Nobody was invited."]),
            ("Ada <>", ["Line 1: no e-mail address: Ada <>.", "Nobody was invited."]),
            ("<ada@x.org> bob@x.org", ["Line 1: no e-mail address: <ada@x.org> bob@x.org.", "Nobody was invited."]),
            ("Lovelace, Ada <ada@x.org>, Byron <b@x.org>",
             ["Line 1: no e-mail address: lovelace.", "Nobody was invited."]),
            (", ".join(f"x{n}" for n in range(2_000)),
             ["Line 1: no e-mail address: x0, x1, x2, x3, x4 and 1,995 more.", "Nobody was invited."]),
            (WRONG, [*SAID, "Nobody was invited."]),
            (" ;\n,", ["There is no address in the list."]),
            ("\n".join("x" * 7), [*(f"Line {n}: no e-mail address: x." for n in range(1, 6)),
                                  "Further lines with wrong addresses: 2.", "Nobody was invited."]),
            (f"{'a' * 300}@example.org", [f"Line 1: no e-mail address: {'a' * 59}….", "Nobody was invited."]),
            ("x@example.org " * 10_000, ["The list has more than 100,000 characters. Divide it."]),
            (",".join(f"p{n}@example.org" for n in range(MOST_INVITED + 1)),
             ["The list has 201 addresses; at most 200 are invited at once. Divide it."]),
        ],
    )  # fmt: skip
    def test_nobody_is_invited_from_a_list_with_faults(self, text: str, reasons: list[str]) -> None:
        with pytest.raises(BadList) as caught:
            read_addresses(text)
        assert list(caught.value.reasons) == reasons


def pasted(members: dict[Role, Membership]) -> str:
    """Two new people, one of them twice, and a member."""
    return f"Ada L <Ada@example.org>; bob@example.org,\n\nbob@example.org\n{members[Role.VIEWER].user.email}"


def refusal(members: dict[Role, Membership]) -> str:
    known = members[Role.VIEWER].user.email
    return f"{known} is in this collection already. Change their role instead."


def asked() -> list[tuple[str, str]]:
    return list(InvitedRole.objects.order_by("pk").values_list("invitation__email", "role"))


BOTH = [("ada@example.org", "adjudicator"), ("bob@example.org", "adjudicator")]


class TestPage:
    def test_a_list_is_checked_first_and_then_invited(self, client: Client, members: dict[Role, Membership]) -> None:
        client.force_login(members[Role.MANAGER].user)
        address = reverse("invitation_list_create", args=["tea"])
        sent = {"emails": pasted(members), "role": "adjudicator"}
        events = AuditEvent.objects.count()
        shown = client.post(address, {**sent, "preview": "1"})
        assert shown.status_code == 200
        text = " ".join(shown.text.split())
        assert "<strong>2 people would be invited.</strong> Nobody has been invited yet." in text
        assert "<li>ada@example.org as adjudicator</li><li>bob@example.org as adjudicator</li>" in text
        assert f"<li>Line 4: {refusal(members)}</li>" in text
        assert "Ada L &lt;Ada@example.org&gt;; bob@example.org," in shown.text, "the list is still in its field"
        assert (asked(), mail.outbox, AuditEvent.objects.count()) == ([], [], events)
        answer = client.post(address, sent, follow=True)
        assert asked() == BOTH
        assert [message.to for message in mail.outbox] == [["ada@example.org"], ["bob@example.org"]]
        assert "2 people are invited." in answer.text
        assert f"Not invited: 1. Line 4: {refusal(members)}" in answer.text

    @pytest.mark.parametrize("more", [{}, {"preview": "1"}])
    def test_wrong_addresses_are_named_by_line(
        self, client: Client, members: dict[Role, Membership], more: dict[str, str]
    ) -> None:
        client.force_login(members[Role.MANAGER].user)
        answer = client.post(
            reverse("invitation_list_create", args=["tea"]), {"emails": WRONG, "role": "annotator", **more}
        )
        assert answer.status_code == 422
        for said in (*SAID, "Nobody was invited."):
            assert said in answer.text
        assert asked() == []
        answer = client.post(
            reverse("invitation_list_create", args=["tea"]), {"emails": "\n\nwrong", "role": "annotator", **more}
        )
        assert "Line 3: no e-mail address: wrong." in answer.text, "as it was typed"


@pytest.fixture
def invite(members: dict[Role, Membership], tmp_path: Path, capsys: Any) -> Any:
    """`invite_people tea FILE …` in the manager's name; the JSON and the summary."""

    def run(text: str, *options: str, by: str = "") -> tuple[dict[str, Any], str]:
        file = tmp_path / "people.txt"
        file.write_text(text, encoding="utf-8")
        said = io.StringIO()
        manager = members[Role.MANAGER].user.email
        call_command("invite_people", "tea", str(file), "--by", by or manager, "--json", *options, stderr=said)
        return json.loads(capsys.readouterr().out), said.getvalue()

    return run


class TestCommand:
    def test_dry_run_and_run(self, members: dict[Role, Membership], invite: Any) -> None:
        found, said = invite(pasted(members), "--role", "adjudicator", "--dry-run")
        assert said.startswith("2 people would be invited. Nothing was changed.")
        refused = [{"line": 4, "email": members[Role.VIEWER].user.email, "reason": refusal(members)}]
        assert (found["dry_run"], found["refused"]) == (True, refused)
        assert [(each["email"], each["link"], each["mailed"]) for each in found["invited"]] == [
            ("ada@example.org", "", False),
            ("bob@example.org", "", False),
        ]
        assert (asked(), mail.outbox) == ([], [])
        found, said = invite(pasted(members), "--role", "adjudicator")
        assert asked() == BOTH
        assert all(each["mailed"] and "/invitations/" in each["link"] for each in found["invited"])
        assert said.splitlines() == ["2 people are invited.", f"Not invited: 1. Line 4: {refusal(members)}"]

    def test_links_are_shown_where_no_mail_server_is_set_up(self, invite: Any, settings: Any) -> None:
        settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
        found, said = invite("ada@example.org")
        (one,) = found["invited"]
        assert not one["mailed"]
        assert said.splitlines() == [
            "1 person is invited.",
            "1 mails were not sent. Hand over these links:",
            f"ada@example.org {one['link']}",
        ]

    def test_refusals(self, members: dict[Role, Membership], invite: Any) -> None:
        with pytest.raises(CommandError, match=" ".join(map(re.escape, SAID))):
            invite(WRONG)
        with pytest.raises(CommandError, match=r"not in tea\. Name one of its managers"):
            invite("ada@example.org", by=UserFactory().email)
        with pytest.raises(CommandError, match="manager"):
            invite("ada@example.org", by=members[Role.ADJUDICATOR].user.email)
        assert asked() == []


class TestRest:
    def test_dry_run_and_run(self, client: Client, members: dict[Role, Membership]) -> None:
        _, key = make_token(members[Role.MANAGER].user, scope=TokenScope.MANAGE)
        headers = {"Authorization": f"Bearer {key}"}
        address = reverse("api_invitations", args=["tea"])

        def post(**body: Any) -> Any:
            return client.post(address, body, "application/json", headers=headers)

        sent = {"emails": pasted(members), "role": "adjudicator"}
        found = post(**sent, dry_run=True)
        assert (found.status_code, found.json()["dry_run"], asked()) == (200, True, [])
        assert [each["line"] for each in found.json()["refused"]] == [4]
        found = post(**sent)
        assert (found.status_code, asked()) == (201, BOTH)
        assert [each["mailed"] for each in found.json()["invited"]] == [True, True]
        listed = client.get(address, headers=headers).json()["results"]
        assert [(each["email"], each["role"]) for each in listed] == [BOTH[1], BOTH[0]]
        assert all("/invitations/" in each["link"] and each["expires_at"] for each in listed)
        gone = client.delete(f"{address}{listed[0]['id']}/", headers=headers)
        assert (gone.status_code, gone.json()["email"]) == (200, "bob@example.org")
        assert client.delete(f"{address}{listed[0]['id']}/", headers=headers).status_code == 409
        assert len(client.get(address, headers=headers).json()["results"]) == 1
        reader = {"Authorization": f"Bearer {make_token(members[Role.MANAGER].user, scope=TokenScope.READ)[1]}"}
        assert client.get(address, headers=reader).status_code == 403
        wrong = post(emails="\n\nwrong")
        assert "Line 3: no e-mail address: wrong." in wrong.text
        wrong = post(emails=WRONG)
        assert wrong.status_code == 400
        assert all(said in wrong.text for said in SAID)
        assert len(asked()) == 2
