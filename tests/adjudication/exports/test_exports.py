"""What is written is what was decided: read back by ir-measures and by our own readers; refused with reasons."""

import csv
import hashlib
import io
import json
import re
import zipfile
from datetime import timedelta
from pathlib import Path

import ir_measures
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusals import Refused
from adjudication.exporting.findings import find
from adjudication.exporting.forms import GRADES
from adjudication.exporting.options import formats, make_options, option_fields
from adjudication.exports.exporters.qrels import grade
from adjudication.exports.files import open_export
from adjudication.exports.registry import EXPORTERS
from adjudication.models import Verdict
from adjudication.verdicts.actions.verdicts import decide_verdict
from annotation.models import Criterion, Level
from corpus.formats.doris_json import read_doris_judgments, read_doris_topics
from corpus.formats.judgments import read_judgments
from corpus.formats.records import JudgmentRow, TopicRecord
from corpus.formats.topics import read_topics
from corpus.models import AspectNode, Document, Topic
from corpus.topics.actions.sub_queries import make_sub_queries
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, Triple, build_campaign, make_items
from tests.factories.authors import withdraw_as_author
from tests.factories.corpus import make_pool, make_tree

pytestmark = pytest.mark.django_db

A, B, C = "It has leaves.", "It has steam.", "It has a pot."
TRIPLES: list[Triple] = [
    ("7", A, "doc-b"), ("7", B, "doc-b"), ("7", A, "doc-a"), ("7", B, "doc-a"), ("12", C, "doc-b"), ("12", C, "doc-c"),
]  # fmt: skip
LABELS = [[2, 2, 2], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 0], [2, 2, 1]]


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS, triples=TRIPLES)
    vote(found)
    return found


def text_of(built: Built, kind: str, **options: object) -> str:
    return b"".join(open_export(make_options(built.collection, kind, **options)).pieces).decode()  # type: ignore[arg-type]


def codes(built: Built, kind: str = "qrels", **options: object) -> dict[str, str]:
    found = find(make_options(built.collection, kind, **options))  # type: ignore[arg-type]
    return {finding.code: finding.severity for finding in found}


def test_query_level_sums_over_distinct_aspects(built: Built) -> None:
    assert text_of(built, "qrels") == "7 0 doc-a 1\n7 0 doc-b 3\n12 0 doc-b 0\n12 0 doc-c 2\n"


def test_what_an_author_has_withdrawn_is_in_no_file(built: Built) -> None:
    topic = built.collection.topics.get(number="7")
    withdraw_as_author(topic)
    assert codes(built) == {"withdrawn": "warning"}
    assert text_of(built, "qrels") == "12 0 doc-b 0\n12 0 doc-c 2\n"
    assert text_of(built, "diversity").startswith("12 ")
    for level in ("query", "aspect"):
        topics = text_of(built, "topics", level=level)
        assert topic.text not in topics
        assert "Question 12?" in topics
    assert topic.text not in text_of(built, "doris-mae")
    beir = b"".join(open_export(make_options(built.collection, "beir")).pieces)
    with zipfile.ZipFile(io.BytesIO(beir)) as archive:
        written = archive.read("queries.jsonl").decode() + archive.read("qrels/test.tsv").decode()
    assert topic.text not in written
    assert "\n7\t" not in written


def test_binary_is_a_mean_of_one_or_more(built: Built) -> None:
    assert text_of(built, "qrels", grades="binary") == "7 0 doc-a 0\n7 0 doc-b 1\n12 0 doc-b 0\n12 0 doc-c 1\n"


def test_mean_is_rounded_half_up(built: Built) -> None:
    assert text_of(built, "qrels", grades="mean") == "7 0 doc-a 1\n7 0 doc-b 2\n12 0 doc-b 0\n12 0 doc-c 2\n"
    assert [grade(total, 4, "mean") for total in (0, 1, 2, 5, 6)] == [0, 0, 1, 1, 2]


def test_aspect_level_numbers_aspects_as_topics(built: Built) -> None:
    assert text_of(built, "qrels", level="aspect") == (
        "7.1 0 doc-a 0\n7.1 0 doc-b 2\n7.2 0 doc-a 1\n7.2 0 doc-b 1\n12.1 0 doc-b 0\n12.1 0 doc-c 2\n"
    )
    assert text_of(built, "aspects").splitlines()[1:] == [f"7\t1\t{A}", f"7\t2\t{B}", f"12\t1\t{C}"]


def test_diversity_has_subtopics_from_one(built: Built) -> None:
    lines = text_of(built, "diversity").splitlines()
    assert lines[:4] == ["7 1 doc-a 0", "7 1 doc-b 2", "7 2 doc-a 1", "7 2 doc-b 1"]
    assert len({tuple(line.split()[:3]) for line in lines}) == len(lines), "ndeval counts a repeated line twice"
    assert all(line.split()[1].isdigit() and line.split()[1] != "0" for line in lines)


def test_subtopics_follow_the_tree(built: Built) -> None:
    first, second = AspectNode.objects.filter(topic__number="7").order_by("position")
    first.parent, first.position = second, 0
    first.save()
    assert text_of(built, "aspects").splitlines()[1:3] == [f"7\t1\t{B}", f"7\t2\t{A}"]


def test_by_annotator_in_column_two(built: Built) -> None:
    lines = text_of(built, "qrels", annotators=True).splitlines()
    assert lines[3:6] == ["7 ana doc-b 3", "7 ben doc-b 3", "7 cai doc-b 2"]
    assert len({tuple(line.split()[:3]) for line in lines}) == len(lines), "trec_eval refuses a repeated document"
    assert "7.2 cai doc-b 0" in text_of(built, "qrels", annotators=True, level="aspect").splitlines()


def test_by_annotator_needs_every_aspect_of_the_document() -> None:
    built = build_campaign([[2, 1], [1, None]], people=("ana", "ben"), triples=[("1", A, "d"), ("1", B, "d")])
    assert text_of(built, "qrels", annotators=True) == "1 ana d 3\n"


def test_ir_measures_reads_the_same_values(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "out.qrels"
    call_command("export", "tea", "--format", "qrels", "--out", str(out))
    read = {(one.query_id, one.doc_id): one.relevance for one in ir_measures.read_trec_qrels(str(out))}
    assert read == {("7", "doc-a"): 1, ("7", "doc-b"): 3, ("12", "doc-b"): 0, ("12", "doc-c"): 2}
    run = [ir_measures.ScoredDoc("7", "doc-b", 2), ir_measures.ScoredDoc("7", "doc-a", 1)]
    run += [ir_measures.ScoredDoc("12", "doc-b", 2), ir_measures.ScoredDoc("12", "doc-c", 1)]
    found = ir_measures.calc_aggregate([ir_measures.P @ 1], ir_measures.read_trec_qrels(str(out)), run)
    assert found[ir_measures.P @ 1] == pytest.approx(0.5)


def test_by_hand_wins_over_the_vote(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[0])
    decide_verdict(verdict=verdict, value=0, by=built.people["manager"], at=timezone.now(), comment="Misread.")
    assert "7 0 doc-b 1\n" in text_of(built, "qrels")


def test_judgments_come_back_as_they_were(built: Built, tmp_path: Path) -> None:
    for kind, name in (("judgments", "out.csv"), ("judgments-jsonl", "out.jsonl")):
        path = tmp_path / name
        path.write_text(text_of(built, kind))
        found = list(read_judgments(path))
        assert all(isinstance(one, JudgmentRow) for one in found)
        read_back = {(one.annotator, one.topic, one.aspect, one.docno): one.value for one in found}  # type: ignore[union-attr]
        assert read_back == {
            (who, *triple): str(value)
            for triple, row in zip(TRIPLES, LABELS, strict=True)
            for who, value in zip(("ana", "ben", "cai"), row, strict=True)
        }


def test_judgments_show_machines_notes_and_times() -> None:
    built = build_campaign([[2, 1]], people=("ana",), machines=[("m-1", "m", 1)])
    found = list(csv.DictReader(io.StringIO(text_of(built, "judgments"))))
    assert [(one["annotator"], one["machine"], one["model"]) for one in found] == [("ana", "0", ""), ("m-1", "1", "m")]
    assert found[0]["at"] == AT.isoformat()


def test_topics_come_back_as_they_were(built: Built, tmp_path: Path) -> None:
    Topic.objects.filter(number="7").update(title="Tea", text="<b> & more\n<i>", narrative="Only green.")
    path = tmp_path / "topics"
    path.write_text(text_of(built, "topics"))
    found = [one for one in read_topics(path) if isinstance(one, TopicRecord)]
    assert [(one.number, one.title) for one in found] == [("7", "Tea"), ("12", "Question 12?")]
    assert found[0].text == "<b> & more <i>"
    assert found[0].narrative == "Only green."
    assert text_of(built, "topics", level="aspect").count("<num> Number: 7.") == 2


def test_verdicts_carry_policy_and_votes(built: Built) -> None:
    first = json.loads(text_of(built, "verdicts").splitlines()[1])
    assert first["value"] == 1
    assert first["policy"] == {"ties": "adjudicate", "min_votes": 2, "voters": "humans"}
    assert first["votes"] == {"ana": 1, "ben": 1, "cai": 0}
    built.campaign.annotators.filter(name="cai").update(weight=0.5)
    vote(built, weighted=True)
    first = json.loads(text_of(built, "verdicts").splitlines()[1])
    assert first["policy"]["weights"] == {"ana": 1.0, "ben": 1.0, "cai": 0.5}


def test_beir_archive(built: Built) -> None:
    content = b"".join(open_export(make_options(built.collection, "beir", unresolved="skip")).pieces)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]
        assert archive.read("qrels/test.tsv").decode().splitlines()[:3] == [
            "query-id\tcorpus-id\tscore",
            "7\tdoc-a\t1",
            "7\tdoc-b\t3",
        ]
        assert {json.loads(line)["_id"] for line in archive.read("corpus.jsonl").splitlines()} == {
            *("doc-a", "doc-b", "doc-c")
        }
    assert content == b"".join(open_export(make_options(built.collection, "beir", unresolved="skip")).pieces)


def test_documents_carry_everything(built: Built) -> None:
    Document.objects.filter(docno="doc-a").update(year=1999, keywords=["tea"], extra={"shelf": "3"})
    found = {one["docno"]: one for one in map(json.loads, text_of(built, "documents").splitlines())}
    assert (found["doc-a"]["year"], found["doc-a"]["keywords"], found["doc-a"]["shelf"]) == (1999, ["tea"], "3")


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
    Verdict.objects.update(value=None, method="unresolved")
    (finding,) = find(make_options(built.collection, "qrels"))
    assert finding.code == "no_verdicts"
    assert "The votes were counted, but no item has a value: 6 tied or with too few votes" in finding.text
    assert "at least 2 votes" in finding.text


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
            with pytest.raises(Refused, match=r"Only scores|an option of qrels, doris-mae, beir"):
                make_options(sampled.collection, kind, level=level, aspects="judged")

    def test_the_page_offers_it(self, sampled: Built) -> None:
        client = Client()
        client.force_login(sampled.people["manager"])
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


def test_options_that_name_nothing_are_refused(built: Built) -> None:
    for kind, options, reason in (
        ("parquet", {}, "Unknown export"),
        ("qrels", {"campaign": "nope"}, "no campaign"),
        ("qrels", {"criterion": "nope"}, "no criterion"),
        ("qrels", {"level": "word"}, "none of"),
        ("judgments", {"annotators": True}, "an option of qrels"),
    ):
        with pytest.raises(Refused, match=reason):
            make_options(built.collection, kind, **options)  # type: ignore[arg-type]


def test_every_export_says_what_it_is_and_what_its_options_are() -> None:
    for name, exporter in EXPORTERS.items():
        assert re.fullmatch(r"[a-z-]{1,30}(:[a-z]+)?", name)
        assert exporter.label
        assert exporter.about or exporter.fixed_level
        assert "/" in exporter.media_type
        assert exporter.form({}).is_valid(), name  # every option has a value when nothing is asked for
    assert len({exporter.suffix for exporter in EXPORTERS.own.values()}) == len(formats())
    for name, field in option_fields().items():
        assert field.label or field.help_text, name


def test_words_that_would_change_nothing_are_passed_over(built: Built) -> None:
    for words in ({"campaign": "nope"}, {"drafts": True}, {"grades": "mean"}, {"annotators": "false"}, {"level": ""}):
        assert make_options(built.collection, "documents", **words).asked == {}


def test_another_criterion_can_be_chosen(built: Built) -> None:
    other = Criterion.objects.create(campaign=built.campaign, key="clarity", label="Clarity", position=1)
    Level.objects.bulk_create([Level(criterion=other, value=v, label=str(v)) for v in (0, 1)])
    assert codes(built, criterion="clarity") == {"no_verdicts": "fatal"}
    assert codes(built, criterion="relevance") == {}


def test_command_refuses_and_leaves_no_file(built: Built, tmp_path: Path) -> None:
    Verdict.objects.all().delete()
    out = tmp_path / "out.qrels"
    with pytest.raises(CommandError, match="Count the votes"):
        call_command("export", "tea", "--format", "qrels", "--out", str(out))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CommandError) as wrong:
        call_command("export", "tea", "--format", "qrels", "--json")
    assert wrong.value.returncode == 2


def test_command_reports_what_it_wrote(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    call_command("export", "tea", "--format", "judgments", "--out", str(out), "--json")
    result = json.loads(capsys.readouterr().out)
    assert (result["format"], result["lines"], result["bytes"]) == ("judgments-jsonl", 18, out.stat().st_size)
    assert json.loads(out.read_text().splitlines()[0])["annotator"] == "ana"


def test_items_without_aspect_are_written_under_their_topic() -> None:
    built = build_campaign([], people=("ana", "ben"))
    items = make_items(built.campaign, [("3", None, "x"), ("3", None, "y")])
    for item, value in zip(items, (2, 0), strict=True):
        for name in ("ana", "ben"):
            built.label(item, name, value)
    vote(built)
    assert text_of(built, "qrels") == "3 0 x 2\n3 0 y 0\n"


def test_a_download_through_the_api_is_logged_as_one_from_the_page_is(built: Built) -> None:
    client = Client()
    client.force_login(built.people["viewer"])
    address = reverse("api_export", args=["tea", "judgments"])
    assert client.head(address).status_code == 200
    assert not AuditEvent.objects.filter(verb="download_export").exists()
    assert client.get(address, {"campaign": "main"}).getvalue()
    event = AuditEvent.objects.get(verb="download_export")
    assert (event.actor, event.scope) == (built.people["viewer"].email, "tea")
    assert event.data == {"format": "judgments", "campaign": "main"}


class TestDorisMae:
    """Out in DORIS-MAE's layout, and in again by the readers of imports."""

    def test_what_is_written_is_read_back(self, built: Built, tmp_path: Path) -> None:
        topic = Topic.objects.get(number="7")
        topic.extra = {"idea_from": ["doc-b", "stranger"], "query_type": "tea"}
        topic.save()
        make_pool(topic, list(Document.objects.filter(docno__in=["doc-a", "doc-b"])))
        file = tmp_path / "doris.json"
        file.write_text(text_of(built, "doris-mae"))
        written = json.loads(file.read_text())
        assert written["Query"][0]["candidate_pool"] == [
            place for place, each in enumerate(written["Corpus"]) if each["docno"] in ("doc-a", "doc-b")
        ]
        assert len(written["Query"][0]["idea_from"]) == 1, "a source paper that is not in the collection has no place"
        with file.open("rb") as stream:
            topics = [each for each in read_doris_topics(stream, "doris.json") if isinstance(each, TopicRecord)]
        assert [topic.item_texts() for topic in topics] == [[A, B], [C]]
        by_place = {str(place): each["docno"] for place, each in enumerate(written["Corpus"])}
        with file.open("rb") as stream:
            found = list(read_doris_judgments(stream, "doris.json"))
        rows = {(each.aspect, by_place[each.docno]): each.value for each in found if isinstance(each, JudgmentRow)}
        assert rows == {(A, "doc-b"): "2", (B, "doc-b"): "1", (A, "doc-a"): "0", (B, "doc-a"): "1"}
        outside = [each for each in found if not isinstance(each, JudgmentRow)]
        assert len(outside) == 2, "topic 12 has no pool, so nobody asks for its annotations"

    def test_one_text_with_two_values_is_refused(self) -> None:
        triples: list[Triple] = [("7", A, "doc-a"), ("12", A, "doc-a")]
        found = build_campaign([[2, 2, 2], [1, 1, 1]], triples=triples)
        vote(found)
        assert codes(found, "doris-mae")["two_scores"] == "fatal"

    def test_values_it_does_not_know_are_refused(self, built: Built) -> None:
        Level.objects.create(criterion=built.criterion, value=3, label="more")
        Verdict.objects.filter(value=2).update(value=3)
        assert codes(built, "doris-mae")["no_doris_score"] == "fatal"
