"""A call to authors by command, and by REST: the same steps, refusals and results as on its pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from accounts import jobs
from corpus.models import AuthorInvitation, AuthorMailing, Membership, QuestionCall, Topic
from tests.corpus.questions.asking import QUESTION, answer, close

pytestmark = pytest.mark.django_db

API = "/api/collections/tea/author-calls/"
ROWS = "email,docno,name\nann@example.org,D0,Ann\nbob@example.org,D1,\nnobody,D1,\ncy@example.org,D9,\n"


def step(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("author_calls", "tea", words[0], "--json", *words[1:])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(reason: str, *words: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("author_calls", "tea", *words)


def answers_arrive() -> QuestionCall:
    """Both authors ask the same, and the last day ends."""
    for invitation in AuthorInvitation.objects.filter(revoked_at=None).order_by("pk"):
        answer(invitation, name="Ann Lee" if invitation.name else "")
    call = QuestionCall.objects.get()
    close(call)
    return call


def test_a_call_by_command(
    manager: Membership, capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: Any
) -> None:
    settings.MAIL_RATE = 0
    letter, rows = tmp_path / "letter.txt", tmp_path / "authors.csv"
    letter.write_text("Dear {name}, {link}", encoding="utf-8")
    rows.write_text(ROWS, encoding="utf-8")
    refused(r"\{opt_out\} is missing", "create", "2026", "--deadline-at", "2999-12-31", "--mail-body", str(letter))
    refused("Last day: Enter a valid date", "create", "2026", "--deadline-at", "tomorrow")
    refused("already passed", "create", "2026", "--deadline-at", "2020-02-29")
    assert step(capsys, "create", "2026", "--deadline-at", "2999-12-31", "--dry-run")["dry_run"]
    assert not QuestionCall.objects.exists()
    made = step(capsys, "create", "2026", "--deadline-at", "2999-12-31", "--source", "authors")
    assert (made["source"], made["deadline_at"][:19]) == ("authors", "2999-12-31T23:59:59")
    refused("named 2026 already", "create", "2026", "--deadline-at", "2999-12-31")
    refused("no call named 2027", "show", "2027")
    assert step(capsys, "change", "2026", "--mail-subject", "A question")["name"] == "2026"
    found = step(capsys, "invite-file", "2026", str(rows))
    assert (found["created"], [each["line"] for each in found["errors"]]) == (2, [4, 5])
    refused("E-mail address: Enter a valid", "invite", "2026", "nobody", "D1")
    refused("invited for D0 already", "invite", "2026", "Ann@example.org", "D0")
    assert step(capsys, "invite", "2026", "dan@example.org", "D2")["state"] == "unsent"
    refused("not invited for D1", "revoke", "2026", "dan@example.org", "D1")
    assert step(capsys, "revoke", "2026", "dan@example.org", "D2")["link"] is None
    refused("All authors who received a letter have answered", "mail", "2026", "reminder")
    assert step(capsys, "mail", "2026", "invitation", "--dry-run")["due"] == 2
    assert (mail.outbox, AuthorMailing.objects.count()) == ([], 0)
    assert step(capsys, "mail", "2026", "invitation") == {"due": 2, "sent": 2, "failed": 0}
    assert [each.subject for each in mail.outbox] == ["A question"] * 2
    refused("All authors have received a letter", "mail", "2026", "invitation")
    waiting = step(capsys, "authors", "2026", "--state", "waiting")["authors"]
    assert [each["letter"] for each in waiting] == ["sent", "sent"]
    refused("until the deadline", "take-in", "2026")
    answers_arrive()
    shown = step(capsys, "show", "2026")
    assert (shown["ready"], shown["is_over"], shown["counts"]["answered"], shown["counts"]["stopped"]) == (
        2,
        True,
        2,
        1,
    )
    taken = step(capsys, "take-in", "2026")
    assert taken == {"topics": ["authors-1"], "equal": [{"email": "bob@example.org", "topic": "authors-1"}]}
    assert [each["topic"] for each in step(capsys, "authors", "2026")["authors"]] == ["authors-1", None, None]
    assert step(capsys, "list")["calls"][0]["answered"] == 2
    refused("so it cannot be changed", "change", "2026", "--source", "others")


@pytest.mark.slow
def test_a_call_by_rest(manager: Membership, settings: Any) -> None:
    settings.MAIL_RATE = 0
    client = Client()
    client.force_login(manager.user)

    def send(address: str, expected: int, method: str = "POST", **body: Any) -> Any:
        answered = client.generic(method, f"{API}{address}", json.dumps(body), content_type="application/json")
        assert answered.status_code == expected, answered.text
        return answered.json()

    assert "opt_out" in send("", 422, name="2026", deadline_at="2999-12-31", mail_body="{link}")["detail"]
    call = send("", 201, name="2026", deadline_at="2999-12-31")
    at = f"{call['id']}/"
    assert call["deadline_at"] == "2999-12-31T23:59:59Z"
    assert send(at, 200, "PATCH", source="asked")["source"] == "asked"
    file = SimpleUploadedFile("authors.csv", ROWS.encode())
    sent = client.post(f"{API}{at}authors/file/", {"file": file})
    assert (sent.status_code, sent.json()["created"], len(sent.json()["errors"])) == (200, 2, 2)
    author = send(f"{at}authors/", 201, email="dan@example.org", docno="D2")
    send(f"{at}authors/", 409, email="dan@example.org", docno="D2")
    assert send(f"{at}authors/{author['id']}/revocation/", 200)["state"] == "stopped"
    mailing = send(f"{at}mailings/", 202, purpose="invitation")
    send(f"{at}mailings/", 409, purpose="invitation")
    jobs.carry_out(AuthorMailing.objects.get(pk=mailing["id"]))
    assert len(mail.outbox) == 2
    assert client.get(f"{API}{at}authors/?state=nothing").status_code == 400
    found = client.get(f"{API}{at}authors/?state=waiting").json()["results"]
    assert [each["email"] for each in found] == ["ann@example.org", "bob@example.org"]
    assert found[0]["link"] in mail.outbox[0].body
    send(f"{at}topics/", 422)
    answers_arrive()
    assert client.get(f"{API}{at}").json()["mailing"]["sent"] == 2
    assert send(f"{at}topics/", 200)["topics"] == ["asked-1"]
    topic = Topic.objects.get(number="asked-1")
    assert (topic.text, topic.author, topic.source) == (QUESTION, "Ann Lee", "asked")
    assert client.get(API).json()[0]["invited"] == 3
