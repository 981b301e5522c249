"""Pages of releases, and the page of each line."""

import io
import json
import re
import zipfile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.explaining import explain
from adjudication.releases.releases import open_release
from annotation.models import Assignment
from corpus.models import Collection, Membership
from tests.adjudication.releases.releasing import PEOPLE, folder_of, freeze, text
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db


class TestPages:
    @pytest.fixture
    def manager(self, built: Built, client: Client) -> Client:
        client.force_login(built.people["manager"])
        return client

    @pytest.mark.slow
    def test_the_way_from_the_check_list_to_the_download(self, built: Built, manager: Client) -> None:
        slug = built.collection.slug
        page = manager.get(reverse("release_create", args=[slug])).content.decode()
        assert "Nothing is open" in page
        assert "not stated" in page
        assert "<strong>main</strong>: Documents for each" in page
        answer = manager.post(reverse("release_create", args=[slug]), {"name": "v1"})
        assert answer.status_code == 302
        reloads = "data-reload-when-finished"  # or the page would say that it is done, and not show it
        assert reloads in manager.get(reverse("release_list", args=[slug])).content.decode()
        jobs.carry_out(Release.objects.get())
        page = manager.get(reverse("release_list", args=[slug])).content.decode()
        assert "v1" in page
        assert reloads not in page
        page = manager.get(reverse("release_detail", args=[slug, "v1"])).content.decode()
        assert "campaigns/main/judgments.jsonl" in page
        assert "<strong>Next:</strong>" in page
        content = b"".join(manager.get(reverse("release_archive", args=[slug, "v1"])).streaming_content)  # type: ignore[arg-type]
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert "croissant.json" in archive.namelist()
            assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        address = reverse("release_file", args=[slug, "v1", "LICENSE"])
        assert b"CC BY 4.0" in b"".join(manager.get(address).streaming_content)  # type: ignore[arg-type]
        for path in ("../named/LICENSE", "nothing.txt"):
            assert manager.get(reverse("release_file", args=[slug, "v1", "x"])[:-1] + path).status_code == 404

    @pytest.mark.slow
    @pytest.mark.usefixtures("release")
    @pytest.mark.parametrize("anonymous", ["", "1"])
    def test_the_api_hands_out_both_variants_as_the_page_does(
        self, built: Built, manager: Client, anonymous: str
    ) -> None:
        def read(name: str, *where: str) -> tuple[str, bytes]:
            answer = manager.get(reverse(name, args=[built.collection.slug, "v1", *where]), {"anonymous": anonymous})
            return answer["Content-Disposition"], b"".join(answer.streaming_content)  # type: ignore[attr-defined]

        assert read("api_release_archive") == read("release_archive")
        assert ("anonymous-v1" in read("api_release_archive")[0]) == bool(anonymous)
        assert read("api_release_file", "README.md") == read("release_file", "README.md")

    @pytest.mark.slow
    def test_an_opened_release_is_for_everybody_and_the_reviewers_page_names_nobody(
        self, built: Built, release: Release, manager: Client
    ) -> None:
        slug, stranger = built.collection.slug, Client()
        public = reverse("public_release", args=[slug, "v1"])
        publish = reverse("release_publish", args=[slug, "v1"])
        page = manager.post(publish, {"to": "public"}, follow=True).content.decode()
        assert "People still judge in Main round" in page
        assert stranger.get(public).status_code == 404
        built.campaign.state = "closed"
        built.campaign.closed_at = timezone.now()
        built.campaign.save()
        manager.post(publish, {"to": "public"})
        manager.post(publish, {"to": "reviewers"})
        release.refresh_from_db()
        page = stranger.get(public).text
        assert page.index('href="#cite-heading"') < page.index("Dataset description") < page.index('id="cite-heading"')
        assert re.search(rf'href="{public}files/croissant.json"\s+download>Croissant metadata', page)
        assert f'href="{public}files/REVIEWERS.md?read"' in page
        shown = stranger.get(f"{public}files/DATASHEET.md", {"read": ""}).text
        assert "<h1>Datasheet: Collection tea</h1>" in shown
        assert "<strong>Who created it?</strong>" in shown
        assert "Countess of Kettles" in shown
        cited = "# Appendix\n\n## D1 Instructions\n\n> # How to judge\n> Well.\n\n## D2 Payment\n"
        (folder_of(release, anonymous=False) / "REVIEWERS.md").write_text(cited)
        shown = stranger.get(f"{public}files/REVIEWERS.md", {"read": ""}).text
        assert re.findall("<h2>D. .*</h2>", shown) == ["<h2>D1 Instructions</h2>", "<h2>D2 Payment</h2>"]
        assert "<strong>How to judge</strong>" in shown
        review = reverse("reviewing_release", args=[release.anonymous_token])
        answer = stranger.get(review)
        assert answer["X-Robots-Tag"] == "noindex"
        assert not [name for name in (*PEOPLE, slug + "/") if name in answer.content.decode().lower()]
        datasheet = reverse("reviewing_file", args=[release.anonymous_token, "DATASHEET.md"])
        answer = stranger.get(datasheet, {"read": ""})
        assert answer["X-Robots-Tag"] == "noindex"
        assert not [name for name in (*PEOPLE, slug + "/", "kettles") if name in answer.text.lower()]
        address = reverse("reviewing_file", args=[release.anonymous_token, "README.md"])
        assert b"Collection tea" in b"".join(stranger.get(address).streaming_content)  # type: ignore[arg-type]
        manager.post(publish, {"to": "nobody"})
        manager.post(publish, {"to": "no-reviewers"})
        assert stranger.get(public).status_code == stranger.get(review).status_code == 404

    @pytest.mark.slow
    def test_the_statement_is_asked_once_and_printed(self, built: Built, manager: Client) -> None:
        address = reverse("statement_edit", args=[built.collection.slug])
        assert "not stated" in manager.get(address).content.decode()
        Collection.objects.update(language="ar")
        asked = manager.get(address).content.decode()
        assert "Starter: “ar”" in asked
        assert "are in Arabic." in asked
        manager.post(address, {"creators": "Nadia Nemo", "dataBiases": "Only tea."})
        release = freeze(built)
        assert "Only tea." in text(release, "README.md")
        assert json.loads(text(release, "croissant.json"))["rai:dataBiases"].startswith("Only tea.")


class TestLines:
    @pytest.mark.slow
    def test_a_line_says_where_it_comes_from_and_what_changed(
        self, built: Built, release: Release, client: Client
    ) -> None:
        lines = [json.loads(line) for line in text(release, "lines.jsonl").splitlines()]
        assert len(lines) == 6
        verdict = built.items[1].verdicts.get()
        verdict.value, verdict.comment = 2, "Zebulon was right."
        verdict.save()
        found = explain(built.collection, "7", "doc-b")
        assert [line["value"] for line in found["lines"]] == [2, 2]
        changed = next(line for line in found["lines"] if line["changed"])
        assert changed["released"] == 1
        assert "Zebulon" not in json.dumps(found)
        assert {one["prov:wasAttributedTo"] for one in changed["labels"] if not one["machine"]} == set(
            changed["prov:wasGeneratedBy"]["votes"]
        )
        assert len(explain(built.collection, "7.2", "doc-b")["lines"]) == 1
        client.force_login(built.people["manager"])
        page = client.get(reverse("line_detail", args=[built.collection.slug]), {"topic": "7", "docno": "doc-b"})
        assert "release v1: 1" in page.content.decode()
        with pytest.raises(Refused, match="never judged together"):
            explain(built.collection, "12", "doc-a")

    def test_tables_lead_to_the_explanation_of_each_line(self, built: Built, client: Client) -> None:
        client.force_login(built.people["manager"])
        slug = built.collection.slug
        lines = reverse("line_detail", args=[slug])
        target = f"{lines}?topic=7&amp;docno=doc-b"
        topic = built.items[0].topic_id
        for name, more in (("judgment_list", ()), ("relevance_detail", (topic,))):
            page = client.get(reverse(name, args=[slug, "main", *more])).content.decode()
            assert target in page, name
        page = client.get(lines, {"topic": "7"}).content.decode()
        assert "?topic=7&amp;docno=doc-a" in page
        assert "doc-c" not in page
        assert "has no topic 99" in client.get(lines, {"topic": "99"}).content.decode()

    @pytest.mark.slow
    @pytest.mark.usefixtures("release")
    def test_who_still_has_to_judge_reads_none(self, built: Built, client: Client) -> None:
        assignment = built.items[0].assignments.filter(annotator=built.annotators["zebulon"]).get()
        Assignment.objects.filter(pk=assignment.pk).update(state="pending")
        Membership.objects.filter(user=built.people["zebulon"]).update(role="manager")
        client.force_login(built.people["zebulon"])
        slug = built.collection.slug
        asked = {"topic": "7", "docno": "doc-b"}
        for address, wanted in (
            (reverse("line_detail", args=[slug]), asked),
            (reverse("api_line", args=[slug]), asked),
            (reverse("release_list", args=[slug]), {}),
            (reverse("release_archive", args=[slug, "v1"]), {}),
            (reverse("api_release_file", args=[slug, "v1", "lines.jsonl"]), {}),
            (reverse("api_release_archive", args=[slug, "v1"]), {}),
        ):
            assert client.get(address, wanted).status_code == 403, address

    @pytest.mark.slow
    def test_without_makers_the_public_page_cites_nobody(self, built: Built) -> None:
        built.collection.data_statement.delete()
        built.campaign.state, built.campaign.closed_at = "closed", timezone.now()
        built.campaign.save()
        open_release(release=freeze(built), by=built.people["manager"], at=timezone.now())
        page = Client().get(reverse("public_release", args=[built.collection.slug, "v1"])).text
        assert "Dataset description" in page
        assert "How to cite it" not in page
        assert "CITATION.cff" not in page
