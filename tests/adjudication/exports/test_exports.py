"""What is written is what was decided: read back by ir-measures and by our own readers; refused with reasons."""

import csv
import io
import json
import re
import zipfile
from copy import deepcopy
from pathlib import Path

import ir_measures
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusals import Refused
from adjudication.exporting.options import formats, in_section, make_options, option_fields
from adjudication.exporting.registry import EXPORTERS
from adjudication.exports.exporters.qrels import grade
from adjudication.exports.files import open_export
from adjudication.exports.pages import SECTIONS
from adjudication.models import Verdict
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Criterion, Level
from corpus.models import AspectNode, Document, Role, Topic
from engines.formats.doris_json import read_doris_judgments, read_doris_topics
from engines.formats.reading import read_judgments, read_topics
from engines.formats.records import JudgmentRow, Remark, TopicRecord
from tests.adjudication.exports.exporting import LABELS, TRIPLES, A, B, C, codes, text_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built, Triple, build_campaign, make_items
from tests.factories.authors import withdraw_as_author
from tests.factories.corpus import make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    found = build_campaign(LABELS, triples=TRIPLES)
    vote(found)
    return found


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)


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
    built = build_campaign(
        [[2, 1], [1, None]], people=("ana", "ben"), triples=[("1", A, "d"), ("1", B, "d")], slug="coffee"
    )
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
        found = [one for one in read_judgments(path) if not isinstance(one, Remark)]
        assert all(isinstance(one, JudgmentRow) for one in found)
        read_back = {(one.annotator, one.topic, one.aspect, one.docno): one.value for one in found}  # type: ignore[union-attr]
        assert read_back == {
            (who, *triple): str(value)
            for triple, row in zip(TRIPLES, LABELS, strict=True)
            for who, value in zip(("ana", "ben", "cai"), row, strict=True)
        }


def test_judgments_show_machines_notes_and_times() -> None:
    built = build_campaign([[2, 1]], people=("ana",), machines=[("m-1", "m", 1)], slug="coffee")
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
    assert first["policy"] == {"ties": "adjudicate", "min_votes": 3, "voters": "humans"}
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


def test_options_that_name_nothing_are_refused(built: Built) -> None:
    for kind, options, reason in (
        ("parquet", {}, "Unknown export"),
        ("qrels", {"campaign": "nope"}, "no campaign"),
        ("qrels", {"criterion": "nope"}, "no criterion"),
        ("qrels", {"level": "word"}, "none of"),
        ("judgments", {"annotators": True}, "one of these: qrels"),
    ):
        with pytest.raises(Refused, match=reason):
            make_options(built.collection, kind, **options)  # type: ignore[arg-type]


def test_every_export_says_what_it_is_and_what_its_options_are() -> None:
    for name, exporter in EXPORTERS.items():
        assert re.fullmatch(r"[a-z0-9-]{1,30}(:[a-z]+)?", name)
        assert exporter.label
        assert exporter.about or exporter.fixed_level
        assert "/" in exporter.media_type
        assert exporter.form({}).is_valid(), name  # every option has a value when nothing is asked for
    assert len({exporter.suffix for exporter in EXPORTERS.own.values()}) == len(formats())
    for name, field in option_fields().items():
        assert field.label or field.help_text, name


def test_rest_refuses_what_an_export_has_no_option_for(client: Client, built: Built) -> None:
    """Of other exports, or of none: a misspelt option gives another file than was asked for."""
    client.force_login(MembershipFactory(collection=built.collection, role=Role.MANAGER).user)
    for name, query, known in (
        ("qrels", "critrion=relevance", "aspects, campaign, criterion, drafts"),
        ("documents", "grades=mean", "full_texts"),
    ):
        answer = client.get(reverse("api_export", args=[built.collection.slug, name]) + f"?{query}")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [query.partition("=")[0]])
        assert known in answer.text
    answer = client.get(reverse("api_export", args=[built.collection.slug, "parquet"]) + "?grades=mean")
    assert (answer.status_code, "Unknown export" in answer.text) == (422, True)


def test_words_that_would_change_nothing_are_passed_over(built: Built) -> None:
    for words in ({"campaign": "nope"}, {"drafts": True}, {"grades": "mean"}, {"annotators": "false"}, {"level": ""}):
        assert make_options(built.collection, "documents", **words).words == {}


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


def test_an_option_of_another_export_is_refused_in_the_words_of_the_door(built: Built, client: Client) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("export", "tea", "--format", "judgments", "--annotators")
    assert str(refused.value) == (
        "“Judgments, CSV” cannot be written with --annotators. Each line already names the annotator. Leave it"
        " out, or export one of these: qrels."
    )
    client.force_login(built.people["manager"])
    answer = client.get(reverse("api_export", args=["tea", "topics"]), {"full_texts": "1"})
    assert answer.status_code == 400, "the API knows the options of each export"


def test_command_reports_what_it_wrote(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    call_command("export", "tea", "--format", "judgments", "--out", str(out), "--json")
    result = json.loads(capsys.readouterr().out)
    assert (result["format"], result["lines"], result["bytes"]) == ("judgments-jsonl", 18, out.stat().st_size)
    assert json.loads(out.read_text().splitlines()[0])["annotator"] == "ana"


@pytest.mark.parametrize(
    ("layout", "file", "words", "key"),
    [
        ("documents-parquet", "out.parquet", "records", "records"),
        ("beir", "out.zip", "files", "members"),
        ("topics", "out.trec", "lines", "lines"),
    ],
)
def test_command_counts_what_the_file_is_made_of(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str, file: str, words: str, key: str
) -> None:
    out = tmp_path / file
    call_command("export", "tea", "--format", layout, "--out", str(out), "--json")
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert f"Wrote {result[key]:,} {words}, " in printed.err
    assert not {"lines", "records", "members"} - {key} & result.keys()
    if key == "records":
        assert result[key] == built.collection.documents.count()
    elif key == "members":
        assert result[key] == len(zipfile.ZipFile(out).namelist())


def test_items_without_aspect_are_written_under_their_topic() -> None:
    built = build_campaign([], people=("ana", "ben"), slug="coffee")
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
        found = build_campaign([[2, 2, 2], [1, 1, 1]], triples=triples, slug="coffee")
        vote(found)
        assert codes(found, "doris-mae")["two_scores"] == "fatal"

    def test_values_it_does_not_know_are_refused(self, built: Built) -> None:
        Level.objects.create(criterion=built.criterion, value=3, label="more")
        Verdict.objects.filter(value=2).update(value=3)
        assert codes(built, "doris-mae")["no_doris_score"] == "fatal"


def test_no_two_exports_of_the_page_have_one_name():
    names = [exporter.short for section in SECTIONS for exporter in in_section(section)]
    assert len(names) == len({name.casefold() for name in names})
