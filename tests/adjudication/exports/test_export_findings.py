"""What an export would hide or get wrong is reported or refused, with its reason."""

import hashlib
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from adjudication.exporting.findings import find
from adjudication.exporting.forms import GRADES
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from adjudication.models import Verdict, VoteRun
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Level, QueueOrdering
from corpus.models import AspectNode, Collection, Document, Topic
from corpus.topics.sub_queries import make_sub_queries
from tests.adjudication.exports.exporting import TRIPLES, A, B, C, codes, text_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, Triple, build_campaign
from tests.factories.corpus import TopicFactory, make_pool, make_run, make_tree

pytestmark = pytest.mark.django_db


def test_missing_and_unresolved_refuse_unless_skipped() -> None:
    triples: list[Triple] = [("1", A, "d"), ("1", A, "e"), ("1", A, "f")]
    built = build_campaign([[1, 1, 1], [0, 1, 2], [None, None, None]], triples=triples)
    assert codes(built) == {"no_verdicts": "fatal"}
    vote(built)
    assert codes(built) == {"missing": "fatal", "unresolved": "fatal"}
    with pytest.raises(Refused, match="tied"):
        text_of(built, "qrels")
    assert text_of(built, "qrels", unresolved="skip") == "1 0 d 1\n"
    assert codes(built, unresolved="skip") == {"missing": "warning", "unresolved": "warning"}


def test_ties_left_out_by_policy_are_reported_not_refused() -> None:
    built = build_campaign([[1, 1, 1], [0, 1, 2]], triples=[("1", A, "d"), ("1", A, "e")])
    vote(built, ties="exclude")
    assert codes(built) == {"excluded": "warning"}
    assert text_of(built, "qrels") == "1 0 d 1\n"


def test_late_answers_refuse(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[0])
    decide_verdict(verdict=verdict, value=2, by=built.people["manager"], at=AT + timedelta(days=1))
    assert codes(built) == {}
    built.campaign.annotators.create(name="dee", created_at=AT)
    built.annotators["dee"] = built.campaign.annotators.get(name="dee")
    built.label(built.items[0], "dee", 1, at=AT + timedelta(days=2))
    assert codes(built) == {"reopened": "fatal", "stale": "fatal"}
    assert codes(built, unresolved="skip") == {"reopened": "warning", "stale": "warning"}


def test_documents_judged_in_part_refuse_at_query_level() -> None:
    built = build_campaign([[1, 1], [1, 1], [1, 1]], people=("ana", "ben"), triples=[*TRIPLES[:2], ("7", A, "doc-c")])
    vote(built)
    assert codes(built) == {"partial": "fatal"}
    assert codes(built, level="aspect") == {}
    assert text_of(built, "qrels", unresolved="skip") == "7 0 doc-b 2\n"


def test_values_are_not_counted_first_when_they_were(built: Built) -> None:
    Verdict.objects.update(value=None, probability=None, method="unresolved")
    (finding,) = find(make_options(built.collection, "qrels"))
    assert finding.code == "no_verdicts"
    assert "The votes were counted, but no item has a value: 6 tied or with too few votes" in finding.text
    assert "An item needs at least 3 votes." in finding.text
    VoteRun.objects.update(min_votes=1)
    (finding,) = find(make_options(built.collection, "qrels"))
    assert "An item needs at least 1 vote." in finding.text


class TestSampledCampaign:
    """A topic of nineteen aspects, one of which the campaign judges: no score of a document, unless it is asked for."""

    @pytest.fixture
    def sampled(self) -> Built:
        found = build_campaign([[2] * 3, [1] * 3], triples=[("7", A, "doc-a"), ("12", C, "doc-a")])
        topic = Topic.objects.get(number="7")
        make_tree(topic, {B: [f"step {place}" for place in range(17)]})
        make_pool(topic, list(Document.objects.all()))
        vote(found)
        return found

    @pytest.mark.parametrize("unresolved", ["refuse", "skip"])
    @pytest.mark.parametrize("kind", ["qrels", "beir", "doris-mae"])
    def test_scores_are_refused(self, sampled: Built, kind: str, unresolved: str) -> None:
        for grades in GRADES:
            assert codes(sampled, kind, unresolved=unresolved, grades=grades)["aspects_missing"] == "fatal"
        with pytest.raises(Refused, match=r"7 \(1 of 19 aspects judged\)"):
            text_of(sampled, kind, unresolved=unresolved)

    def test_labels_by_annotator_are_refused_too(self, sampled: Built) -> None:
        assert codes(sampled, annotators=True)["aspects_missing"] == "fatal"

    def test_aspects_can_be_written(self, sampled: Built) -> None:
        for kind, level in (("qrels", "aspect"), ("diversity", "query")):
            assert codes(sampled, kind, level=level) == {}
        assert text_of(sampled, "qrels", level="aspect") == "7.1 0 doc-a 2\n12.1 0 doc-a 1\n"

    def test_judged_aspects_only_go_out_with_their_number(self, sampled: Built, tmp_path: Path) -> None:
        assert codes(sampled, aspects="judged") == {"judged_only": "warning"}
        export = open_export(make_options(sampled.collection, "qrels", aspects="judged"))
        assert (export.filename, export.content_type) == (
            "tea-main-query-sum-judged-aspects.qrels.zip",
            "application/zip",
        )
        with zipfile.ZipFile(io.BytesIO(b"".join(export.pieces))) as archive:
            read = {name: archive.read(name) for name in archive.namelist()}
        qrels, comment, manifest = read.values()
        assert qrels == b"7 0 doc-a 2\n12 0 doc-a 1\n"
        assert comment.decode().split() == [
            *("topic", "annotator", "docno", "aspects_judged", "aspects"),
            *("7", "doc-a", "1", "19", "12", "doc-a", "1", "1"),
        ]
        about = json.loads(manifest)
        assert (about["aspects"]["scored"], about["aspects"]["judged"], about["aspects"]["aspects"]) == (
            "judged",
            2,
            20,
        )
        assert about["aspects"]["topics"][0] == {"topic": "7", "judged": 1, "aspects": 19}
        assert [(one["name"], one["sha256"]) for one in about["files"]] == [
            (name, hashlib.sha256(content).hexdigest()) for name, content in list(read.items())[:2]
        ]
        assert "7 (1 of 19 aspects judged)" in about["warnings"][0]

    def test_binary_grades_and_means_run_over_the_judged(self, sampled: Built, tmp_path: Path) -> None:
        for grades, value in (("binary", 1), ("mean", 2)):
            out = tmp_path / f"{grades}.qrels"
            call_command(
                *("export", "tea", "--format", "qrels", "--grades", grades, "--aspects", "judged", "--out", str(out))
            )
            assert out.read_text().splitlines()[0] == f"7 0 doc-a {value}"
            names = sorted(path.name for path in tmp_path.glob(f"{grades}*"))
            assert names == [out.name, f"{out.name}.comment.tsv", f"{out.name}.manifest.json"]
        with pytest.raises(CommandError) as wrong:
            call_command("export", "tea", "--format", "qrels", "--aspects", "judged")
        assert wrong.value.returncode == 2

    def test_archives_hold_them_as_well(self, sampled: Built) -> None:
        for kind in ("beir", "doris-mae"):
            options = make_options(sampled.collection, kind, aspects="judged")
            with zipfile.ZipFile(io.BytesIO(b"".join(open_export(options).pieces))) as archive:
                assert archive.namelist()[-2:] == ["comment.tsv", "manifest.json"]
                assert archive.read("comment.tsv").decode().splitlines()[1] == "7\t\tdoc-a\t1\t19"

    def test_documents_without_any_value_are_reported_to_readers_who_add_up(self, sampled: Built) -> None:
        make_pool(Topic.objects.get(number="12"), [Document.objects.create(collection=sampled.collection, docno="z")])
        assert codes(sampled, "doris-mae", aspects="judged")["pooled_alone"] == "warning"

    def test_sub_queries_need_all_of_their_own_aspects(self, sampled: Built) -> None:
        topic = Topic.objects.get(number="7")
        AspectNode.objects.filter(topic=topic).exclude(aspect__text=A).update(position=1)
        make_sub_queries(by=None, at=AT, collection=sampled.collection, size=1)
        make_sub_queries(by=None, at=AT, collection=sampled.collection, size=2)
        numbers = set(sampled.collection.sub_queries.values_list("number", flat=True))
        assert numbers >= {"7:1", "7:1+2"}
        with pytest.raises(Refused, match=r"7:1\+2 \(1 of 19 aspects judged\)"):
            text_of(sampled, "qrels", level="sub-query", unresolved="skip")
        options = make_options(sampled.collection, "qrels", level="sub-query", aspects="judged")
        with zipfile.ZipFile(io.BytesIO(b"".join(open_export(options).pieces))) as archive:
            comment = archive.read("comment.tsv").decode().splitlines()
        assert "7:1\t\tdoc-a\t1\t1" in comment
        assert "7:1+2\t\tdoc-a\t1\t19" in comment

    def test_only_scores_can_be_asked_for_so(self, sampled: Built) -> None:
        for kind, level in (("qrels", "aspect"), ("diversity", "query"), ("judgments", "query")):
            with pytest.raises(Refused, match=r"Only scores|one of these: qrels, doris-mae, beir"):
                make_options(sampled.collection, kind, level=level, aspects="judged")

    @pytest.mark.slow
    def test_the_page_offers_it(self, sampled: Built, django_assert_max_num_queries) -> None:
        client = Client()
        client.force_login(sampled.people["manager"])
        with django_assert_max_num_queries(80):  # what several exports ask is asked once
            page = client.get(reverse("export_list", args=["tea"])).content.decode()
        assert "7 (1 of 19 aspects judged)" in page
        page = client.get(reverse("export_list", args=["tea"]), {"aspects": "judged"}).content.decode()
        assert "tea-main-query-sum-judged-aspects.qrels.zip" in page
        for address in (
            reverse("export_download", args=["tea", "qrels"]),
            reverse("api_export", args=["tea", "qrels"]),
        ):
            assert client.get(address, {"unresolved": "skip"}).status_code == 422
            answer = client.get(address, {"aspects": "judged"})
            assert answer["Content-Type"] == "application/zip"
            assert zipfile.ZipFile(io.BytesIO(answer.getvalue())).testzip() is None


def test_undecided_aspects_leave_nothing_to_write() -> None:
    """All aspects are asked, one is decided: the scores of all documents would be left out."""
    built = build_campaign([[1, 1], [0, 1]], people=("ana", "ben"), triples=[("7", A, "d"), ("7", B, "d")])
    vote(built)
    assert codes(built, unresolved="skip") == {"unresolved": "warning", "nothing_complete": "fatal"}
    with pytest.raises(Refused, match=r"7 \(1 of 2 aspects judged\)"):
        text_of(built, "qrels", unresolved="skip")
    assert codes(built, "doris-mae", unresolved="skip")["partial"] == "fatal", "its readers add up what there is"
    found = find(make_options(built.collection, "qrels", unresolved="skip", aspects="judged"))
    assert [finding.code for finding in found] == ["unresolved", "judged_only"]


def test_documents_judged_in_part_are_counted_where_the_campaign_judges_every_aspect_of_their_topic() -> None:
    triples = [("7", A, "d"), ("7", B, "d"), ("7", A, "e")]
    built = build_campaign([[1, 1]] * 3, people=("ana", "ben"), triples=triples)
    vote(built)
    (finding,) = find(make_options(built.collection, "qrels", aspects="judged"))
    some = "1 of 2 documents are scored over judged aspects only"
    assert finding.text == f"{some}. The comment file gives the number for each document."


def test_sums_beyond_what_trec_eval_holds_refuse() -> None:
    built = build_campaign([[1, 1]] * 2, people=("ana", "ben"), triples=TRIPLES[:2])
    Level.objects.create(criterion=built.criterion, value=100, label="far")
    for judgment in [each for item in built.items for a in item.assignments.all() for each in a.judgments.all()]:
        judgment.value = 100
        judgment.save()
    vote(built)
    assert codes(built) == {"grade_too_large": "fatal"}
    assert text_of(built, "qrels", grades="binary") == "7 0 doc-b 1\n"


def test_levels_below_zero_refuse() -> None:
    built = build_campaign([[1, 1]], people=("ana", "ben"))
    Level.objects.create(criterion=built.criterion, value=-1, label="unreadable")
    vote(built)
    assert codes(built)["negative_level"] == "fatal"


def test_names_with_spaces_are_joined_and_reported() -> None:
    built = build_campaign([[1, 2]], people=("Ana Low", "ben"))
    assert text_of(built, "qrels", annotators=True) == "1 Ana_Low doc00000 1\n1 ben doc00000 2\n"
    assert codes(built, annotators=True) == {"renamed": "warning"}


def test_names_that_become_equal_refuse() -> None:
    built = build_campaign([[1, 2]], people=("Ana Low", "Ana_Low"))
    assert codes(built, annotators=True)["same_name"] == "fatal"


def test_ids_that_cannot_be_written_are_named() -> None:
    built = build_campaign([[1, 1]], people=("ana", "ben"))
    Document.objects.filter(docno="doc00000").update(docno="doc\x07bell")
    vote(built)
    assert codes(built) == {"bad_id": "fatal"}
    with pytest.raises(Refused, match="bell"):
        text_of(built, "qrels")


def test_diversity_wants_digits() -> None:
    built = build_campaign([[1, 1]], people=("ana", "ben"), triples=[("q7", A, "d")])
    vote(built)
    assert codes(built, "diversity") == {"number_not_digits": "fatal"}
    assert codes(built) == {}


def test_beir_refuses_ids_shared_by_queries_and_documents() -> None:
    built = build_campaign([[1, 1]], people=("ana", "ben"), triples=[("7", A, "7")])
    vote(built)
    assert codes(built, "beir") == {"same_id": "fatal"}


class TestFilesOfNothing:
    """They are refused with the reason: nobody can read qrels of topics that no file holds, or lines that are none."""

    def test_by_aspect_of_a_campaign_that_judges_whole_topics(self) -> None:
        built = build_campaign([[2, 2, 2]], triples=[("1", None, "d")], slug="whole")
        vote(built)
        for kind, options in (("qrels", {"level": "aspect"}), ("diversity", {})):
            assert codes(built, kind, **options) == {"no_aspects": "fatal"}
            with pytest.raises(Refused, match=r"judges whole topics: it has no item of an aspect\. Export by query\."):
                text_of(built, kind, **options)
        with pytest.raises(Refused, match="No topic has an aspect"):
            text_of(built, "topics", level="aspect")

    def test_items_of_whole_topics_are_not_among_those_of_aspects(self) -> None:
        built = build_campaign([[2, 2, 2], [1, 1, 1]], triples=[("1", A, "d"), ("2", None, "d")], slug="mixed")
        vote(built)
        assert text_of(built, "qrels", level="aspect") == "1.1 0 d 2\n"

    def test_labels_of_which_no_annotator_has_given_all_aspects(self) -> None:
        triples = [("1", A, "d"), ("1", B, "d")]
        built = build_campaign([[2, None], [None, 1]], people=("ana", "ben"), triples=triples, slug="halves")
        with pytest.raises(Refused, match="Nobody has judged a document on every aspect of its topic"):
            text_of(built, "qrels", annotators=True)

    @pytest.mark.parametrize(
        ("kind", "reason"),
        [("verdicts", "No item has a value yet"), ("judgments", "No label counts"), ("judgments-jsonl", "No label")],
    )
    def test_before_anything_is_judged(self, kind: str, reason: str) -> None:
        built = build_campaign([[None, None, None]], triples=[("1", A, "d")], slug="idle")
        with pytest.raises(Refused, match=reason):
            text_of(built, kind)

    def test_without_topics_and_documents(self) -> None:
        collection = Collection.objects.create(slug="bare", title="Bare", created_at=AT)
        for kind in ("topics", "topics-jsonl", "aspects", "documents", "documents-parquet"):
            with pytest.raises(Refused, match=r"has no (topics|documents)|No topic has an aspect"):
                open_export(make_options(collection, kind))

    @pytest.mark.parametrize("kind", ["triplets", "hard-negatives"])
    def test_training_data_without_a_topic_that_has_both_sides(self, built: Built, kind: str) -> None:
        make_run(built.collection, "bm25", {"7": ["doc-b"]})
        with pytest.raises(Refused, match="No topic has both a positive and a negative"):
            text_of(built, kind, run="bm25", positives="verdicts")

    def test_training_data_of_a_run_that_ranks_no_topic_with_a_target(self, built: Built) -> None:
        """The page says so before somebody downloads."""
        make_run(built.collection, "bm25", {"7": ["doc-b"]})
        other = TopicFactory(collection=built.collection, number="99")
        other.targets.create(document=built.collection.documents.first())
        assert codes(built, "triplets", run="bm25")["no_ranked_targets"] == "fatal"
        make_run(built.collection, "of both", {"7": ["doc-b"], "99": ["doc-b"]})
        assert "no_ranked_targets" not in codes(built, "triplets", run="of both")


def test_the_page_begins_with_a_campaign_that_has_items(client: Client) -> None:
    built = build_campaign([[1, 1, 1]])
    built.collection.campaigns.create(slug="a-draft", name="A draft", kind="relevance", seed=1, created_at=AT)
    client.force_login(built.people["manager"])
    answer = client.get(reverse("export_list", args=["tea"]))
    assert answer.context["campaign"] == built.campaign


@pytest.mark.parametrize("counted", [False, True])
def test_what_blocks_several_exports_stands_once_with_its_button(client: Client, counted: bool) -> None:
    """Before the votes are counted most exports wait for them; once they are, nothing of it is left."""
    built = build_campaign([[1, 1], [1, 1]], people=("ana", "ben"), triples=[("1", A, "d"), ("1", A, "e")])
    if counted:
        vote(built)
    client.force_login(built.people["manager"])
    answer = client.get(reverse("export_list", args=["tea"]), {"campaign": built.campaign.slug})
    [section] = [each for each in answer.context["sections"] if each["key"] == "judgments"]
    blocks = answer.context["first_blocks"] + section["blocks"]
    waiting = [block for block in blocks if "Count the votes first" in block["text"]]
    assert bool(waiting) is not counted
    if waiting:
        [block] = waiting
        assert len(block["labels"]) > 3
        assert block["remedy"].href == reverse("adjudication_screen", args=["tea", built.campaign.slug])
        assert answer.text.count(f">{block['text']}<") == 1
        assert answer.context["first"]["reason"].remedy is None  # it stands just above its button
        blocked = [offer for offer in section["offers"] if offer["blocked_by"]]
        assert {offer["reason"].remedy.href for offer in blocked} == {"#blocks-judgments"}


def test_an_archived_collection_offers_no_page_that_would_mend_what_blocks(client: Client) -> None:
    built = build_campaign([[1, 1, 1]])
    address = reverse("export_list", args=["tea"])
    client.force_login(built.people["manager"])
    assert [block["remedy"] for block in client.get(address).context["first_blocks"]] != [None]
    built.collection.archived_at = AT
    built.collection.save(update_fields=["archived_at"])
    assert [block["remedy"] for block in client.get(address).context["first_blocks"]] == [None]


def test_verdicts_say_that_their_items_are_no_random_sample_where_an_order_was_chosen() -> None:
    built = build_campaign([[1, 1, 1], [None, None, None]])
    vote(built)
    assert "no_random_sample" not in codes(built, level="aspect", unresolved="skip")
    QueueOrdering.objects.create(
        campaign=built.campaign, order="disagreement", state="done", requested_at=AT, finished_at=AT
    )
    assert codes(built, level="aspect", unresolved="skip")["no_random_sample"] == "warning"
