"""A release goes to the Hugging Face Hub and to Zenodo whole, once, and the token goes nowhere else."""

import io
import json
import logging
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from adjudication.publications import job as module
from adjudication.publications.actions import request_publication
from adjudication.releases.reads.sources import fingerprints
from annotation.models import CampaignState
from corpus.collections.jobs.collection_backup import backup_pieces
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign
from tests.stubs.repositories import TOKEN, Asked, HubStub, Reply, Server, ZenodoStub

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_pause(settings, monkeypatch) -> None:
    settings.HUGGINGFACE_TOKEN = settings.ZENODO_TOKEN = ""
    made = module.service_of
    monkeypatch.setattr(module, "service_of", lambda *given: replace(made(*given), pause=0.01))


@pytest.fixture
def built(settings, tmp_path: Path) -> Built:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""
    found = build_campaign([[1, 1, 1], [0, 0, 0], [1, 1, 0]], topics=1)
    found.collection.licence = "CC BY 4.0"
    found.collection.save()
    vote(found)
    call_command("release", found.collection.slug, "v1", "--force", "a test")
    return found


@pytest.fixture
def release(built: Built) -> Release:
    return Release.objects.select_related("collection").get()


@pytest.fixture
def hub(settings) -> Iterator[HubStub]:
    with HubStub(page=5) as stub:
        settings.HUGGINGFACE_URL = stub.url
        yield stub


@pytest.fixture
def zenodo(settings) -> Iterator[ZenodoStub]:
    with ZenodoStub() as stub:
        settings.ZENODO_URL = stub.url
        yield stub


def publish(release: Release, destination: str = "huggingface", token: str = TOKEN, **more: Any) -> Publication:
    """A publication, made by the job as a worker makes it."""
    options = {"repository": "words-v1" if destination == "huggingface" else "", **more}
    asked = request_publication(
        release=release, destination=destination, by=None, at=timezone.now(), token=token, send=False, **options
    )
    assert token == "" or TOKEN not in asked.sealed_token
    jobs.carry_out(asked)
    asked.refresh_from_db()
    return asked


def files_of(release: Release, *, anonymous: bool = False) -> dict[str, bytes]:
    folder = release.variant(anonymous=anonymous)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def sent_to(hub: HubStub, name: str = "ada/words-v1") -> dict[str, bytes]:
    return {path: content for path, content in hub.repositories[name].files.items() if path != ".gitattributes"}


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


class TestZenodo:
    def test_a_draft_with_archive_metadata_and_reserved_doi(self, release: Release, zenodo: ZenodoStub) -> None:
        found = publish(release, "zenodo")
        assert found.state == JobState.DONE, found.reason
        (draft,) = zenodo.drafts.values()
        assert not draft.submitted
        assert (found.doi, found.remote) == (f"10.5281/zenodo.{draft.number}", str(draft.number))
        slug = release.collection.slug
        assert set(draft.files) == {"manifest.json", "README.md", "LICENSE", "croissant.json", f"{slug}-v1.zip"}
        with zipfile.ZipFile(io.BytesIO(draft.files[f"{slug}-v1.zip"])) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == files_of(release)
        assert draft.metadata["license"] == "cc-by-4.0"
        assert draft.metadata["upload_type"] == "dataset"

    def test_the_anonymous_variant_names_nobody(self, built: Built, release: Release, zenodo: ZenodoStub) -> None:
        publish(release, "zenodo", anonymous=True)
        (draft,) = zenodo.drafts.values()
        assert draft.metadata["creators"] == [{"name": "Anonymous authors"}]
        assert "anonymous-v1.zip" in draft.files
        said = json.dumps(draft.metadata)
        assert not [user.email for user in built.people.values() if user.email in said]

    def test_the_second_time_the_same_draft_is_taken(self, release: Release, zenodo: ZenodoStub) -> None:
        publish(release, "zenodo")
        puts = len(zenodo.calls("PUT", "/api/files/"))
        again = publish(release, "zenodo")
        assert (again.state, again.files_sent) == (JobState.DONE, 0)
        assert len(zenodo.drafts) == 1
        assert len(zenodo.calls("PUT", "/api/files/")) == puts
        zenodo.drafts.clear()  # deleted there by hand
        later = publish(release, "zenodo")
        assert later.state == JobState.DONE, later.reason
        assert later.files_sent == 5

    def test_a_draft_of_another_account_or_site_is_left_alone(
        self, release: Release, zenodo: ZenodoStub, settings
    ) -> None:
        theirs = publish(release, "zenodo")
        forbidden = Reply(403, {"status": 403, "message": "Permission denied."})
        zenodo.hooks.append(lambda asked: forbidden if asked.path.endswith(f"depositions/{theirs.remote}") else None)
        ours = publish(release, "zenodo")
        assert (ours.state, ours.remote) == (JobState.DONE, "1001"), ours.reason
        with ZenodoStub() as other:
            settings.ZENODO_URL = other.url
            assert publish(release, "zenodo").state == JobState.DONE
            assert not [one for one in other.asked if one.path.endswith("/1001")]

    @pytest.mark.parametrize("odd", [{"id": "9" * 300}, {"doi": "10.1/\0"}, {"doi": "x" * 300}])
    def test_what_cannot_be_an_id_or_doi_is_not_stored(
        self, release: Release, zenodo: ZenodoStub, odd: dict[str, str]
    ) -> None:
        links = {"bucket": f"{zenodo.url}/api/files/1", "html": f"{zenodo.url}/deposit/1"}
        shown = {"id": 1, "metadata": {}, "links": links, "files": [], **odd}
        zenodo.hooks.append(lambda asked: Reply(201, shown) if asked.method == "POST" else None)
        assert "no answer" in publish(release, "zenodo").reason

    def test_public_is_published_once(self, built: Built, release: Release, zenodo: ZenodoStub) -> None:
        with pytest.raises(Refused, match="still judge"):
            publish(release, "zenodo", public=True)
        built.campaign.state = CampaignState.CLOSED
        built.campaign.save()
        publish(release, "zenodo", public=True)
        again = publish(release, "zenodo", public=True)
        assert again.state == JobState.DONE, again.reason
        assert len(zenodo.calls("POST", "/actions/publish")) == 1

    def test_an_unknown_licence_never_becomes_an_open_one(
        self, built: Built, release: Release, zenodo: ZenodoStub
    ) -> None:
        built.collection.licence = "Ask us <first>"
        built.collection.save()
        call_command("release", built.collection.slug, "v2", "--force", "a test")
        publish(Release.objects.get(name="v2"), "zenodo")
        (draft,) = zenodo.drafts.values()
        assert draft.metadata["access_right"] == "restricted"
        assert "license" not in draft.metadata
        assert "Ask us &lt;first&gt;" in draft.metadata["access_conditions"]

    def test_a_file_that_arrives_changed_is_noticed(self, release: Release, zenodo: ZenodoStub) -> None:
        zenodo.hooks.append(
            lambda asked: Reply(201, {"key": "x", "checksum": "md5:" + "0" * 32}) if asked.method == "PUT" else None
        )
        assert "arrived changed" in publish(release, "zenodo").reason


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

    @pytest.mark.parametrize("case", HOSTILE)
    def test_each_bad_answer_has_its_words_and_no_token(
        self, release: Release, stub: Server, destination: str, case: str, caplog
    ) -> None:
        caplog.set_level(logging.DEBUG)
        hook, words = HOSTILE[case]
        stub.hooks.append(hook)
        found = publish(release, destination)
        assert (found.state, words in found.reason) == (JobState.FAILED, True), found.reason
        assert found.sealed_token == ""
        assert TOKEN not in caplog.text
        assert TOKEN not in everything_stored()
        stub.hooks.clear()
        again = publish(release, destination)
        assert again.state == JobState.DONE, again.reason

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_not_followed(self, release: Release, stub: Server, destination: str, status: int) -> None:
        with ZenodoStub() as elsewhere:
            stub.hooks.append(lambda _: Reply(status, headers={"Location": f"{elsewhere.url}/api/whoami-v2"}, body=b""))
            found = publish(release, destination)
        assert "the token was not sent there" in found.reason
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


def test_files_that_zenodo_wants_elsewhere_are_not_sent(release: Release, zenodo: ZenodoStub, hub: HubStub) -> None:
    def elsewhere(asked: Asked) -> Reply | None:
        if asked.method == "POST":
            links = {"bucket": f"{hub.url}/api/files/1", "html": f"{zenodo.url}/deposit/1"}
            return Reply(201, {"id": 1, "metadata": {}, "links": links, "files": []})
        return None

    zenodo.hooks.append(elsewhere)
    assert "another address than its own" in publish(release, "zenodo").reason
    assert hub.asked == []


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

    @pytest.mark.parametrize("token", ["short", "with a blank", "line\nbreak-in-it", "ünprintable", "x" * 513])
    def test_what_is_no_token_is_not_repeated(self, release: Release, token: str) -> None:
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

    @pytest.mark.parametrize("name", ["", "a b", "../x", "a/b/c", "-x", "x-", "a--b", "ü", "a" * 97, "a/"])
    def test_names_the_hub_does_not_take(self, release: Release, name: str) -> None:
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
