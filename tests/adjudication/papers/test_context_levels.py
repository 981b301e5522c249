"""Paragraphs and sentences of citation contexts in one collection: unique numbers here, released numbers in files."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError
from django.urls import reverse

from adjudication.papers.context_topics import make_context_topics
from annotation.models import ExtractionSource, Item
from corpus.models import Collection, Ranking, RetrievalRun, Topic
from engines.definitions.extractions import Content, ExtractedContext, ExtractedReference, ExtractedSentence
from tests.corpus.imports.importing import counts, import_files
from tests.factories.accounts import AT
from tests.factories.adjudication import Built, build_campaign
from tests.factories.papers import PaperFactory, make_extraction

pytestmark = pytest.mark.django_db
NUMBER = "123456701"  # of the paper's first paragraph, and of its first sentence


@pytest.fixture
def built() -> Built:
    """A campaign over two documents that a paper cites; both of its levels have a topic numbered NUMBER."""
    built = build_campaign([[2], [0]], people=("ana",))
    paper = PaperFactory(collection=built.collection, key="10.1/p.1234567", first_sentence_number=701)
    sentences = (ExtractedSentence("Some brew [1].", ("1",)), ExtractedSentence("Others do not [2].", ("2",)))
    references = (ExtractedReference("1", "doc00000"), ExtractedReference("2", "doc00001"))
    content = Content((ExtractedContext("01", "introduction", sentences),), references)
    make_extraction(paper, ExtractionSource.IMPORTED, content)
    return built


def make(collection: Collection, *levels: str) -> list[str]:
    for level in levels:
        make_context_topics(collection=collection, level=level, by=None, at=AT)
    return list(Topic.objects.filter(source="citation-context").order_by("pk").values_list("number", flat=True))


@pytest.mark.parametrize(
    ("levels", "numbers"),
    [
        (("paragraph", "sentence"), [NUMBER, f"s-{NUMBER}", "s-123456702"]),
        (("sentence", "paragraph"), [NUMBER, "123456702", f"p-{NUMBER}"]),
    ],
)
def test_the_later_level_gets_a_prefix_and_keeps_it(built, client, levels, numbers) -> None:
    assert make(built.collection, *levels) == numbers
    assert make(built.collection, *reversed(levels)) == numbers  # again makes none
    client.force_login(built.people["manager"])
    page = client.post(reverse("context_topics_create", args=["tea"]), {"level": "sentence"}, follow=True)
    assert "0 topics made, 2 were here already" in page.content.decode()
    with pytest.raises(IntegrityError, match="topic_number_has_its_prefix"):
        Topic.objects.filter(number=numbers[-1]).update(prefix="x-")


def test_files_of_both_levels_have_the_released_numbers(built, tmp_path) -> None:
    make(built.collection, "paragraph", "sentence")
    wanted = {"paragraph": {NUMBER}, "sentence": {NUMBER, "123456702"}}
    for level, numbers in wanted.items():
        call_command("export", "tea", "--format", "qrels", "--level", level, "--out", str(tmp_path / level))
        assert {line.split("\t")[0] for line in (tmp_path / level).read_text().splitlines()} == numbers


def written(kind: str, out: Path) -> str:
    call_command(
        "export", "tea", "--format", kind, "--out", str(out), *([] if kind == "topics" else ["--campaign", "main"])
    )
    return out.read_text()


def test_a_campaign_on_sentences_writes_released_numbers_and_its_judgments_those_of_the_collection(
    built, tmp_path
) -> None:
    make(built.collection, "paragraph", "sentence")
    sentence, paragraph = (Topic.objects.get(number=f"{prefix}{NUMBER}") for prefix in ("s-", ""))
    Item.objects.filter(campaign=built.campaign).update(topic=sentence, aspect=None)
    call_command("adjudicate", "tea", "main", "--policy", "majority", "--min-votes", "1")
    assert {line.split()[0] for line in written("qrels", tmp_path / "q").splitlines()} == {NUMBER}
    assert {line.split(",")[1] for line in written("judgments", tmp_path / "j").splitlines()[1:]} == {f"s-{NUMBER}"}
    assert f"s-{NUMBER}" in written("topics", tmp_path / "t")  # holds both levels, so it must distinguish them
    Item.objects.filter(campaign=built.campaign, document__docno="doc00001").update(topic=paragraph)
    assert {line.split()[0] for line in written("qrels", tmp_path / "q").splitlines()} == {NUMBER, f"s-{NUMBER}"}


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([NUMBER, "123456702"], [f"s-{NUMBER}", "s-123456702"]),
        ([f"s-{NUMBER}"], [f"s-{NUMBER}"]),
        ([NUMBER], [NUMBER]),
    ],
    ids=["released sentences", "ours", "paragraphs"],
)
def test_a_run_on_released_numbers_is_of_the_level_that_it_numbers(built, tmp_path, numbers, found) -> None:
    make(built.collection, "paragraph", "sentence")
    path = tmp_path / "a.run"
    path.write_text("".join(f"{number} Q0 doc00000 1 1.0 r\n" for number in numbers))
    assert counts(import_files(built.collection, path, kind="runs"))[0] == len(numbers)
    assert sorted(Ranking.objects.values_list("topic__number", flat=True)) == sorted(found)


def test_a_run_is_written_in_the_numbers_of_its_levels_qrels(built, tmp_path) -> None:
    make(built.collection, "paragraph", "sentence")
    sentences = {f"s-{NUMBER}", "s-123456702"}
    wanted = {"sentences": (sentences, {NUMBER, "123456702"}), "both": ({NUMBER, *sentences}, {NUMBER, *sentences})}
    for name, (ranked, numbers) in wanted.items():
        run = RetrievalRun.objects.create(collection=built.collection, name=name, created_at=AT)
        for topic in Topic.objects.filter(number__in=ranked):
            Ranking.objects.create(run=run, topic=topic, docnos=["doc00000"], scores=[1.0])
        call_command("export_run", "tea", name, "--out", str(tmp_path / name))
        assert {line.split()[0] for line in (tmp_path / name).read_text().splitlines()} == numbers
    RetrievalRun.objects.all().delete()
    assert counts(import_files(built.collection, tmp_path / "sentences", kind="runs"))[0] == 2
    assert set(Ranking.objects.values_list("topic__number", flat=True)) == sentences
