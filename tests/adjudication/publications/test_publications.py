"""A release goes to the Hugging Face Hub and to Zenodo whole, once, and the token goes nowhere else."""

import json
import logging

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, NotAllowed, Refused
from accounts.sealing import sealed, unsealed
from adjudication.models import Publication, Release
from adjudication.publications.actions import request_publication
from adjudication.releases.reads.sources import fingerprints
from annotation.models import CampaignState
from corpus.collections.jobs.collection_backup import backup_pieces
from tests.adjudication.publications.publishing import files_of, publish, sent_to
from tests.factories.adjudication import Built
from tests.stubs.repositories import TOKEN, Asked, HubStub, Reply, Server, ZenodoStub

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def everything_stored() -> str:
    """All rows of all tables as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT string_agg(t::text, E"\\n") FROM "{table}" t'.replace('E"\\n"', "' '"))
            found.append(str(cursor.fetchone()[0]))
    return "\n".join(found)


class TestHub:
    @pytest.mark.parametrize("anonymous", [False, True])
    def test_every_file_arrives_in_a_private_repository(self, release: Release, hub: HubStub, anonymous: bool) -> None:
        found = publish(release, anonymous=anonymous)
        assert found.state == JobState.DONE, found.reason
        assert found.address == f"{hub.url}/datasets/ada/words-v1"
        assert hub.repositories["ada/words-v1"].private
        assert sent_to(hub) == files_of(release, anonymous=anonymous)
        assert found.files_there == found.files_sent == len(sent_to(hub))
        assert found.done == found.total == sum(map(len, sent_to(hub).values()))
        assert any(path.endswith(".parquet") for path in hub.repositories["ada/words-v1"].large)

    def test_the_second_time_nothing_is_sent(self, release: Release, hub: HubStub) -> None:
        publish(release)
        puts, commits = len(hub.storage.asked), len(hub.repositories["ada/words-v1"].commits)
        again = publish(release)
        assert (again.state, again.files_sent) == (JobState.DONE, 0)
        assert again.done == again.total > 0
        assert len(hub.storage.asked) == puts
        assert len(hub.repositories["ada/words-v1"].commits) == commits

    def test_a_very_large_file_goes_in_parts(self, release: Release, hub: HubStub) -> None:
        hub.chunk = 1_000
        found = publish(release, public=False)
        assert found.state == JobState.DONE, found.reason
        assert hub.calls("POST", "/finish/")
        assert sent_to(hub) == files_of(release)

    def test_the_token_goes_to_the_hub_alone(self, release: Release, hub: HubStub) -> None:
        publish(release)
        assert {one.token for one in hub.asked} == {TOKEN}
        assert {one.token for one in hub.storage.asked} == {""}

    def test_a_taken_name_is_refused_and_nothing_is_changed(self, release: Release, hub: HubStub) -> None:
        publish(release)
        hub.repositories["ada/words-v1"].files["theirs.txt"] = b"of somebody else"
        found = publish(release)
        assert found.state == JobState.FAILED
        assert "The name is taken" in found.reason
        assert "theirs.txt" in found.reason

    def test_what_shall_be_private_does_not_go_to_a_public_repository(self, release: Release, hub: HubStub) -> None:
        publish(release)
        hub.repositories["ada/words-v1"].private = False
        found = publish(release)
        assert "is public" in found.reason

    def test_public_comes_last_and_also_after_private(self, built: Built, release: Release, hub: HubStub) -> None:
        built.campaign.state = CampaignState.CLOSED
        built.campaign.save()
        hub.hooks.append(lambda asked: Reply(413) if "/commit/" in asked.path else None)
        assert publish(release, public=True).state == JobState.FAILED
        assert hub.repositories["ada/words-v1"].private  # half of it is shown to nobody
        hub.hooks.clear()
        assert publish(release).state == JobState.DONE
        assert hub.repositories["ada/words-v1"].private
        again = publish(release, public=True)
        assert (again.state, again.files_sent) == (JobState.DONE, 0), again.reason
        assert not hub.repositories["ada/words-v1"].private
        assert publish(release, public=True).state == JobState.DONE

    def test_another_namespace_is_refused_in_words(self, release: Release, hub: HubStub) -> None:
        found = publish(release, repository="bob/words")
        assert "The token does not allow this" in found.reason
        assert "namespace" in found.reason


def echo(asked: Asked, status: int) -> Reply:
    return Reply(status, {"error": f"token {asked.token} is bad", "message": asked.token})


HOSTILE = {
    "html": (lambda _: Reply(body=b"<html>Sign in to the hotel</html>"), "no answer"),
    "html error": (lambda _: Reply(404, body=b"<html>nothing</html>"), "status 404"),
    "500": (lambda _: Reply(500, {"error": "oops"}), "could not be reached: it answered with status 500"),
    "cut": (lambda _: Reply(cut=True), "could not be reached: the connection failed"),
    "401": (lambda asked: echo(asked, 401), "does not know this token"),
    "403": (lambda asked: echo(asked, 403), "does not allow this"),
    "quota": (lambda _: Reply(403, {"error": "Private repository storage limit reached"}), "no room"),
    "413": (lambda _: Reply(413, body=b"too large"), "no room"),
    "list": (lambda _: Reply(value=[1, "x", None]), "no answer"),
    "deep": (lambda _: Reply(body=b"[" * 100_000), "no answer"),
}


@pytest.mark.parametrize("destination", ["huggingface", "zenodo"])
class TestHostile:
    @pytest.fixture
    def stub(self, destination: str, request: pytest.FixtureRequest) -> Server:
        found: Server = request.getfixturevalue("hub" if destination == "huggingface" else "zenodo")
        return found

    def test_each_bad_answer_has_its_words_and_no_token(
        self, release: Release, stub: Server, destination: str, caplog
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for case, (hook, words) in HOSTILE.items():
            stub.hooks.append(hook)
            found = publish(release, destination)
            assert (found.state, words in found.reason) == (JobState.FAILED, True), (case, found.reason)
            assert found.sealed_token == "", case
            stub.hooks.clear()
            again = publish(release, destination)
            assert again.state == JobState.DONE, (case, again.reason)
        assert TOKEN not in caplog.text
        assert TOKEN not in everything_stored()

    def test_a_redirect_is_not_followed(self, release: Release, stub: Server, destination: str) -> None:
        with ZenodoStub() as elsewhere:
            headers = {"Location": f"{elsewhere.url}/api/whoami-v2"}
            for status in (301, 302, 303, 307, 308):
                stub.hooks[:] = [lambda _, status=status: Reply(status, headers=headers, body=b"")]
                assert "the token was not sent there" in publish(release, destination).reason, status
        assert elsewhere.asked == []

    def test_nothing_listens(self, release: Release, stub: Server, destination: str, settings) -> None:
        settings.HUGGINGFACE_URL = settings.ZENODO_URL = "http://127.0.0.1:1"
        assert "could not be reached: the connection failed (ConnectError)" in publish(release, destination).reason

    def test_a_short_trouble_is_waited_for(self, release: Release, stub: Server, destination: str) -> None:
        troubles = [Reply(503), Reply(429, headers={"Retry-After": "0"}), Reply(cut=True)]
        stub.hooks.append(lambda _: troubles.pop() if troubles else None)
        found = publish(release, destination)
        assert found.state == JobState.DONE, found.reason
        assert found.done == found.total

    def test_a_changed_file_is_not_sent(self, release: Release, stub: Server, destination: str) -> None:
        (release.variant(anonymous=False) / "README.md").write_text("changed")
        found = publish(release, destination)
        assert "README.md differs from what was frozen" in found.reason
        assert stub.asked == []


def test_what_the_storage_says_is_bounded_and_without_the_token(release: Release, hub: HubStub) -> None:
    def refuse(asked: Asked) -> Reply | None:
        if not asked.path.endswith("/batch"):
            return None
        error = {"code": 422, "message": f"no \0\n{asked.token} {'x' * 10_000}"}
        return Reply(value={"objects": [{**one, "error": error} for one in asked.value["objects"]]})

    hub.hooks.append(refuse)
    found = publish(release, "huggingface")
    assert (found.state, "does not take" in found.reason) == (JobState.FAILED, True), found.reason
    assert "no [token] xxx" in found.reason
    assert len(found.reason) < 500


class TestToken:
    def test_it_is_sealed_while_the_job_waits_and_gone_when_it_is_cancelled(self, release: Release) -> None:
        asked = request_publication(
            release=release, destination="zenodo", by=None, at=timezone.now(), token=TOKEN, send=False
        )
        assert unsealed(asked.sealed_token) == TOKEN
        assert TOKEN not in everything_stored()
        assert TOKEN.encode() not in b"".join(backup_pieces(release.collection))
        jobs.cancel(asked, at=timezone.now())
        assert (asked.state, asked.sealed_token) == (JobState.CANCELLED, "")

    def test_the_database_holds_none_of_an_ended_job(self, release: Release, hub: HubStub) -> None:
        found = publish(release)
        with pytest.raises(IntegrityError), transaction.atomic():
            Publication.objects.filter(pk=found.pk).update(sealed_token="x")

    def test_another_secret_key_says_so(self, release: Release, hub: HubStub, settings) -> None:
        asked = request_publication(
            release=release,
            destination="huggingface",
            by=None,
            at=timezone.now(),
            token=TOKEN,
            repository="w",
            send=False,
        )
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [settings.SECRET_KEY]
        assert unsealed(asked.sealed_token) == TOKEN
        settings.SECRET_KEY_FALLBACKS = []
        jobs.carry_out(asked)
        asked.refresh_from_db()
        assert "Type it again" in asked.reason
        assert hub.asked == []

    def test_that_of_the_server_is_used_where_none_is_typed(self, release: Release, hub: HubStub, settings) -> None:
        with pytest.raises(Refused, match="needs a token"):
            publish(release, token="")
        settings.HUGGINGFACE_TOKEN = TOKEN
        assert publish(release, token="").state == JobState.DONE

    def test_what_is_no_token_is_not_repeated(self, release: Release) -> None:
        for token in ("short", "with a blank", "line\nbreak-in-it", "ünprintable", "x" * 513):
            with pytest.raises(Refused) as refused:
                publish(release, token=token)
            assert token not in refused.value.reason

    def test_sealed_texts_differ_each_time(self) -> None:
        assert sealed("a") != sealed("a")
        assert sealed("") == unsealed("") == ""


class TestAsking:
    def test_managers_only_one_at_a_time_and_it_is_audited(self, built: Built, release: Release) -> None:
        asked = {"release": release, "destination": "zenodo", "at": timezone.now(), "token": TOKEN}
        with pytest.raises(NotAllowed):
            request_publication(by=next(who for role, who in built.people.items() if role != "manager"), **asked)
        request_publication(by=built.people["manager"], **asked)
        event = AuditEvent.objects.get(verb="publish_release")
        assert event.data["destination"] == "zenodo"
        assert TOKEN not in json.dumps(event.data)
        with pytest.raises(Conflict, match="being sent to Zenodo"):
            request_publication(by=built.people["manager"], **asked)

    def test_names_the_hub_does_not_take(self, release: Release) -> None:
        for name in ("", "a b", "../x", "a/b/c", "-x", "x-", "a--b", "ü", "a" * 97, "a/"):
            with pytest.raises(Refused, match="Name the repository"):
                publish(release, repository=name)

    def test_an_anonymous_repository_does_not_say_whose_it_is(self, release: Release) -> None:
        with pytest.raises(Refused, match="which collection it is"):
            publish(release, anonymous=True, repository=f"ada/{release.collection.slug}-v1")

    def test_publishing_changes_no_fingerprint(self, release: Release, hub: HubStub) -> None:
        before = fingerprints(release.collection_id)
        publish(release)
        assert fingerprints(release.collection_id) == before


class TestPages:
    @pytest.fixture
    def manager(self, built: Built, client: Client) -> Client:
        client.force_login(built.people["manager"])
        return client

    def test_from_the_release_to_the_address(
        self, release: Release, manager: Client, hub: HubStub, django_assert_max_num_queries
    ) -> None:
        slug = release.collection.slug
        detail = reverse("release_detail", args=[slug, "v1"])
        page = reverse("publication_create", args=[slug, "v1"])
        assert page in manager.get(detail).content.decode()
        asked = {"destination": "huggingface", "anonymous": "named", "public": "private", "token": TOKEN}
        bad = manager.post(page, {**asked, "repository": "a b"})
        assert bad.status_code == 422
        assert TOKEN not in bad.content.decode()
        assert "Name the repository" in bad.content.decode()
        sent = manager.post(page, {**asked, "repository": "words-v1"})
        found = Publication.objects.get()
        assert sent.headers["Location"] == reverse("job_detail", args=["publications", found.pk])
        assert (found.public, found.anonymous) == (False, False)
        assert TOKEN not in manager.get(sent.headers["Location"]).content.decode()
        jobs.carry_out(found)
        assert "there · finished" in manager.get(sent.headers["Location"]).content.decode()
        rows = manager.get(page).content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
        assert rows.count("<td data-label=") == rows.count("<td") == 4  # so it folds where it is narrow
        for address in (detail, page):
            with django_assert_max_num_queries(25):
                shown = manager.get(address).content.decode()
            assert f"{hub.url}/datasets/ada/words-v1" in shown
            assert TOKEN not in shown

    def test_by_rest(self, release: Release, manager: Client, zenodo: ZenodoStub) -> None:
        address = reverse("api_publications", args=[release.collection.slug, "v1"])
        asked = {"destination": "zenodo", "token": TOKEN}
        answer = manager.post(address, asked, content_type="application/json")
        assert answer.status_code == 202, answer.content
        assert TOKEN not in answer.content.decode()
        assert manager.post(address, asked, content_type="application/json").status_code == 409
        jobs.carry_out(Publication.objects.get())
        one = reverse("api_publication", args=[release.collection.slug, "v1", answer.json()["id"]])
        found = manager.get(one).json()
        assert (found["state"], found["doi"]) == ("done", "10.5281/zenodo.1000")
        assert manager.get(address).json() == [found]

    def test_by_command(self, release: Release, hub: HubStub, settings, capsys) -> None:
        slug = release.collection.slug
        with pytest.raises(CommandError, match="needs a token"):
            call_command("publish_release", slug, "v1", "huggingface")
        settings.HUGGINGFACE_TOKEN = TOKEN
        call_command("publish_release", slug, "v1", "huggingface", as_json=True)
        printed = capsys.readouterr()
        assert json.loads(printed.out)["address"] == f"{hub.url}/datasets/ada/{slug}-v1"
        assert TOKEN not in printed.out + printed.err
        with pytest.raises(CommandError, match="no frozen release v9"):
            call_command("publish_release", slug, "v9", "huggingface")
