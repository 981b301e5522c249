"""A release goes to Zenodo as one deposit, which is made once."""

import io
import json
import zipfile

import pytest
from django.core.management import call_command

from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.models import Release
from annotation.models import CampaignState
from tests.adjudication.publications.publishing import files_of, publish
from tests.factories.adjudication import Built
from tests.stubs.repositories import Asked, HubStub, Reply, ZenodoStub

pytestmark = pytest.mark.django_db


class TestZenodo:
    @pytest.mark.slow
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

    def test_it_is_not_sent_without_makers(self, built: Built, zenodo: ZenodoStub) -> None:
        built.collection.data_statement.delete()
        call_command("release", built.collection.slug, "v2", force="a test")
        with pytest.raises(Refused, match="Zenodo asks who made the data"):
            publish(built.collection.releases.get(name="v2"), "zenodo")
        assert not zenodo.drafts

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
        zenodo.hooks.append(lambda asked: Reply(200, []) if "status=draft" in asked.path else None)
        ours = publish(release, "zenodo")
        assert (ours.state, ours.remote) == (JobState.DONE, "1001"), ours.reason
        with ZenodoStub() as other:
            settings.ZENODO_URL = other.url
            assert publish(release, "zenodo").state == JobState.DONE
            assert not [one for one in other.asked if one.path.endswith("/1001")]

    @pytest.mark.parametrize("anonymous", [False, True])
    def test_a_draft_whose_number_was_lost_is_found(
        self, release: Release, zenodo: ZenodoStub, anonymous: bool
    ) -> None:
        """The deposit was made, but its answer never arrived; that of the other variant is not taken for it."""

        def cut_after(asked: Asked) -> Reply | None:
            made = asked.method == "POST" and zenodo.answer(asked).status == 201
            return Reply(cut=True) if made else None

        publish(release, "zenodo", anonymous=not anonymous)
        zenodo.hooks.append(cut_after)
        found = publish(release, "zenodo", anonymous=anonymous)
        assert (found.state, found.remote, len(zenodo.drafts)) == (JobState.DONE, "1001", 2), found.reason

    @pytest.mark.slow
    def test_a_draft_is_made_once_and_found_by_the_next_publication(self, release: Release, zenodo: ZenodoStub) -> None:
        def down_after(asked: Asked) -> Reply | None:
            if asked.method == "POST":
                zenodo.answer(asked)
            return Reply(cut=True) if zenodo.drafts else None

        zenodo.hooks.append(down_after)
        lost = publish(release, "zenodo")
        assert (lost.state, lost.remote, len(zenodo.drafts)) == (JobState.FAILED, "", 1)
        zenodo.hooks.clear()
        again = publish(release, "zenodo")
        assert (again.state, again.remote, again.files_sent) == (JobState.DONE, "1000", 5), again.reason

    @pytest.mark.parametrize("odd", [{"id": "9" * 300}, {"doi": "10.1/\0"}, {"doi": "x" * 300}])
    def test_what_cannot_be_an_id_or_doi_is_not_stored(
        self, release: Release, zenodo: ZenodoStub, odd: dict[str, str]
    ) -> None:
        links = {"bucket": f"{zenodo.url}/api/files/1", "html": f"{zenodo.url}/deposit/1"}
        shown = {"id": 1, "metadata": {}, "links": links, "files": [], **odd}
        zenodo.hooks.append(lambda asked: Reply(201, shown) if asked.method == "POST" else None)
        assert "no answer" in publish(release, "zenodo").reason

    @pytest.mark.slow
    def test_public_is_published_once(self, built: Built, release: Release, zenodo: ZenodoStub) -> None:
        with pytest.raises(Refused, match="still judge"):
            publish(release, "zenodo", public=True)
        built.campaign.state = CampaignState.CLOSED
        built.campaign.save()
        publish(release, "zenodo", public=True)
        again = publish(release, "zenodo", public=True)
        assert again.state == JobState.DONE, again.reason
        assert len(zenodo.calls("POST", "/actions/publish")) == 1

    @pytest.mark.slow
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


def test_files_that_zenodo_wants_elsewhere_are_not_sent(release: Release, zenodo: ZenodoStub, hub: HubStub) -> None:
    def elsewhere(asked: Asked) -> Reply | None:
        if asked.method == "POST":
            links = {"bucket": f"{hub.url}/api/files/1", "html": f"{zenodo.url}/deposit/1"}
            return Reply(201, {"id": 1, "metadata": {}, "links": links, "files": []})
        return None

    zenodo.hooks.append(elsewhere)
    assert "another address than its own" in publish(release, "zenodo").reason
    assert hub.asked == []
