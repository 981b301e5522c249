"""A person's data: taken out, and erased."""

import json
from copy import deepcopy

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Model
from django.test import Client, TestCase
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent, Digest, ErasureRequest, JobState, User
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Judgment, Submission
from corpus.collections import erasures
from corpus.models import Collection, PersonErasure
from tests.factories.accounts import AT, UserFactory, make_token
from tests.factories.annotation import Material, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_material(module_db: None) -> Material:
    """Ana has judged two items."""
    made = make_material(topics=2, documents=2)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [1, 2])
    return made


@pytest.fixture
def made(shared_material: Material, db: None) -> Material:
    """A copy for each test, which may change it."""
    return deepcopy(shared_material)


def everything() -> str:
    """All rows of all tables as text."""
    with connection.cursor() as cursor:
        return "".join(
            str(cursor.execute(f'SELECT t::text FROM "{table}" t').fetchall())
            for table in connection.introspection.table_names()
            if table.startswith(("accounts", "account_", "corpus", "annotation", "adjudication", "mfa"))
        )


@pytest.mark.parametrize(("labels", "left"), [("keep", 2), ("exclude", 0)])
def test_name_and_address_are_nowhere_afterwards(made: Material, labels: str, left: int) -> None:
    ana = made.people["ana"]
    User.objects.filter(pk=ana.pk).update(name="Anastasia Unmistakable")
    made.collection.campaigns.get().annotators.filter(user=ana).update(name="Anastasia Unmistakable")
    assert ana.email in everything()
    call_command("erase_person", ana.email, "--labels", labels, "--confirm", ana.email)
    assert ana.email not in everything()
    assert "Anastasia" not in everything()
    assert Judgment.objects.count() == left
    assert Submission.objects.filter(kind="answer").count() == 2
    event = AuditEvent.objects.get(verb="erase_person")
    assert (event.target, event.data["labels"]) == (f"Person {ana.pk}", "kept" if labels == "keep" else "excluded")
    assert not User.objects.get(pk=ana.pk).is_active


def test_refusals(made: Material) -> None:
    manager = made.manager.email
    with pytest.raises(CommandError, match="is the only manager of"):
        call_command("erase_person", manager, "--labels", "keep", "--confirm", manager)
    with pytest.raises(CommandError, match=r"Type the address exactly as shown: .* Nothing was erased"):
        call_command("erase_person", manager, "--labels", "keep", "--confirm", "x@example.org")


def test_own_data(made: Material, client: Client) -> None:
    ana = made.people["ana"]
    client.force_login(ana)
    result = json.loads(client.get(reverse("own_data")).content)
    assert [each["answers"] for each in result["answers"]] == [{"relevance": 1}, {"relevance": 2}]
    assert result["account"]["email"] == ana.email


@pytest.fixture
def staff(client: Client) -> User:
    """Signed in, a member of nothing."""
    staff = UserFactory(email="op@example.org", is_staff=True)
    client.force_login(staff)
    return staff


def with_captured(client: Client, address: str, data: dict[str, str]) -> None:
    """POST and do what waits for the commit."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        client.post(address, data)


def bearer(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(user)[1]}"}


class TestRequest:
    """What people can ask for themselves."""

    def test_on_the_profile_page(self, made: Material, client: Client, staff: User, mailoutbox) -> None:
        ana, profile = made.people["ana"], reverse("account_profile")
        client.force_login(ana)
        assert "Ask for erasure" in client.get(profile).text
        with_captured(client, reverse("own_erasure"), {"labels": "exclude"})
        page = client.get(profile).text
        assert "Your labels will be excluded" in page
        assert "Ask for erasure" not in page
        (mail,) = mailoutbox
        assert mail.to == [staff.email]
        assert reverse("person_detail", args=[ana.pk]) in mail.body
        client.post(reverse("own_erasure"), {"withdraw": "1"})
        assert not ErasureRequest.objects.exists()
        verbs = AuditEvent.objects.filter(actor_id=ana.pk, target_type="accounts.user").order_by("id")
        assert list(verbs.values_list("verb", flat=True))[-2:] == ["request_erasure", "withdraw_erasure_request"]

    def test_labels_must_be_chosen(self, made: Material, client: Client) -> None:
        client.force_login(made.people["ana"])
        page = client.post(reverse("own_erasure"), follow=True)
        assert "Choose what happens to your labels" in page.text
        assert not ErasureRequest.objects.exists()

    def test_api(self, made: Material, client: Client) -> None:
        ana = made.people["ana"]
        address, headers = reverse("api_own_erasure"), bearer(ana)
        asked = client.put(address, {"labels": "keep"}, "application/json", headers=headers)
        assert (asked.status_code, asked.json()["labels"]) == (200, "keep")
        again = client.put(address, {"labels": "exclude"}, "application/json", headers=headers).json()
        assert again == asked.json() | {"labels": "exclude"}
        assert client.get(reverse("api_own_data"), headers=headers).json()["erasure_request"]["keep_labels"] is False
        assert client.delete(address, headers=headers).status_code == 204
        assert client.delete(address, headers=headers).status_code == 409


class TestStaff:
    def test_requests_are_shown_first_and_announced(
        self, made: Material, client: Client, staff: User, django_assert_max_num_queries
    ) -> None:
        assert "for their data to be erased" not in client.get(reverse("home")).text
        UserFactory.create_batch(20)
        ErasureRequest.objects.create(user=made.people["ana"], keep_labels=False, requested_at=AT)
        assert "1 person asks for their data to be erased" in client.get(reverse("home")).text
        with django_assert_max_num_queries(8):
            page = client.get(reverse("person_list")).text
        assert page.index(made.people["ana"].email) < page.index(made.manager.email)
        only = client.get(reverse("person_list"), {"show": "requests"}).text
        assert made.people["ana"].email in only
        assert made.manager.email not in only
        assert "No name or address contains" in client.get(reverse("person_list"), {"q": "nobody-like-this"}).text

    @pytest.mark.parametrize("way", ["page", "api"])
    def test_export_is_logged(self, made: Material, client: Client, staff: User, way: str) -> None:
        ana = made.people["ana"]
        name = "person_data" if way == "page" else "api_person_data"
        headers = bearer(staff) if way == "api" else {}
        data = json.loads(client.post(reverse(name, args=[ana.pk]), headers=headers).content)
        assert [each["answers"] for each in data["answers"]] == [{"relevance": 1}, {"relevance": 2}]
        event = AuditEvent.objects.get(verb="export_person")
        assert (event.actor, event.target_id) == (staff.email, str(ana.pk))

    def test_export_keeps_judge_first(self, made: Material, client: Client, staff: User) -> None:
        """Who still has items to judge in the campaign does not read another's answers, staff or not."""
        ben = made.people["ben"]
        User.objects.filter(pk=ben.pk).update(is_staff=True)
        client.force_login(ben)
        refused = client.post(reverse("person_data", args=[made.people["ana"].pk]))
        assert refused.status_code == 403
        assert "You still have items to judge" in refused.text
        assert not AuditEvent.objects.filter(verb="export_person").exists()

    @pytest.mark.parametrize(("labels", "left"), [("keep", 2), ("exclude", 0)])
    def test_erasure_by_page(self, made: Material, client: Client, staff: User, labels: str, left: int) -> None:
        ana = made.people["ana"]
        ErasureRequest.objects.create(user=ana, keep_labels=labels == "keep", requested_at=AT)
        Digest.objects.create(user=ana, day=AT.date(), covered_until=AT)
        page = client.get(reverse("person_detail", args=[ana.pk])).text
        assert f'value="{labels}" required id="id_labels_{0 if left else 1}" checked' in page
        address = reverse("person_erase", args=[ana.pk])
        wrong = client.post(address, {"labels": labels, "confirm": "ben@example.org"})
        assert (wrong.status_code, "Nothing was erased" in wrong.text) == (422, True)
        assert ana.email in everything()
        asked = client.post(address, {"labels": labels, "confirm": ana.email}, follow=True)
        assert "is being erased and can no longer sign in" in asked.text
        assert "Erase this person" not in asked.text
        again = client.post(address, {"labels": labels, "confirm": ana.email})
        assert (again.status_code, "is being erased already" in again.text) == (422, True)
        jobs.carry_out(PersonErasure.objects.get())
        done = client.get(reverse("person_detail", args=[ana.pk])).text
        assert "The name and address of this person were erased" in done
        assert "Erase this person" not in done
        assert ana.email not in everything()
        assert Judgment.objects.count() == left
        event = AuditEvent.objects.get(verb="erase_person")
        assert (event.actor, event.data["labels"]) == (staff.email, "kept" if labels == "keep" else "excluded")
        assert not ErasureRequest.objects.exists()
        assert not Digest.objects.exists()

    def test_erasure_by_api(self, made: Material, client: Client, staff: User) -> None:
        ana, headers = made.people["ana"], bearer(staff)
        listed = client.get(reverse("api_people"), {"q": ana.email}, headers=headers).json()["results"]
        assert [(each["id"], each["erasure_request"]) for each in listed] == [(ana.pk, None)]
        address = reverse("api_person_erasure", args=[ana.pk])
        wrong = client.post(address, {"labels": "keep", "confirm": "x"}, "application/json", headers=headers)
        assert wrong.status_code == 422
        done = client.post(address, {"labels": "keep", "confirm": ana.email}, "application/json", headers=headers)
        assert (done.status_code, done.json()["pseudonym"]) == (202, f"Person {ana.pk}")
        jobs.carry_out(PersonErasure.objects.get())
        assert ana.email not in everything()

    def test_nobody_erases_themselves(self, client: Client, staff: User) -> None:
        assert "This is your own account" in client.get(reverse("person_detail", args=[staff.pk])).text
        address = reverse("person_erase", args=[staff.pk])
        refused = client.post(address, {"labels": "keep", "confirm": staff.email})
        assert (refused.status_code, "your own account" in refused.text) == (422, True)

    def test_an_erasure_that_was_killed_starts_again_and_one_that_failed_can_be_requested_again(
        self, made: Material, client: Client, staff: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Killed between two tables, nothing of it is kept; killed after its commit, it has nothing left to do."""
        ana, address = made.people["ana"], reverse("person_erase", args=[made.people["ana"].pk])
        client.post(address, {"labels": "keep", "confirm": ana.email})
        run, replace = PersonErasure.objects.get(), erasures._replace

        def killed(model: type[Model], *more: object) -> None:
            replace(model, *more)
            if model is Collection:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(erasures, "_replace", killed)
            with pytest.raises(KeyboardInterrupt):
                jobs.carry_out(run)
        assert ana.email in everything()
        PersonErasure.objects.update(state=JobState.FAILED, reason="Unexpected: a full disk")
        page = client.get(reverse("person_detail", args=[ana.pk])).text
        assert "The erasure failed." in page
        assert "a full disk" in page
        client.post(address, {"labels": "keep", "confirm": ana.email})
        second = PersonErasure.objects.latest("pk")
        jobs.carry_out(second)
        PersonErasure.objects.filter(pk=second.pk).update(state=JobState.RUNNING)
        jobs.carry_out(second)
        assert PersonErasure.objects.get(pk=second.pk).state == JobState.DONE
        assert AuditEvent.objects.filter(verb="erase_person").count() == 1

    def test_its_job_is_for_staff_alone(self, made: Material, client: Client, staff: User) -> None:
        client.post(
            reverse("person_erase", args=[made.people["ana"].pk]),
            {"labels": "keep", "confirm": made.people["ana"].email},
        )
        page = reverse("job_detail", args=["erasures", PersonErasure.objects.get().pk])
        assert client.get(page).status_code == 200
        client.force_login(made.manager)
        assert client.get(page).status_code == 404

    def test_an_erased_person_is_out_at_once(self, made: Material, client: Client, staff: User) -> None:
        ana, theirs = made.people["ana"], Client()
        theirs.force_login(ana)
        headers = bearer(ana)
        SocialAccount.objects.create(user=ana, provider="university", uid="ana", extra_data={"name": "Ana"})
        client.post(reverse("person_erase", args=[ana.pk]), {"labels": "keep", "confirm": ana.email})
        assert not SocialAccount.objects.exists()
        assert theirs.get(reverse("home")).status_code == 302
        assert Client().get(reverse("api_own_data"), headers=headers).status_code == 401
