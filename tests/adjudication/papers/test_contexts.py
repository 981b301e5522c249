"""Citation contexts in figures, and the sanity check by BM25 as a job."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts import jobs
from accounts.actions.jobs import cancel_job
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.models import ContextCheck
from adjudication.papers.actions.contexts import request_context_check
from adjudication.papers.jobs import figures, merged
from annotation.definitions.extractions import Content, ExtractedContext, ExtractedReference, ExtractedSentence
from annotation.models import ExtractionSource
from corpus.formats.records import QrelRow, TopicRecord
from corpus.models import Document, Paper, Topic
from tests.factories.accounts import AT
from tests.factories.annotation import Material, make_material
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db


@pytest.fixture
def material() -> Material:
    """Forty documents on teas; a paper that cites those on oolong and on matcha in such words, and one draft."""
    made = make_material(topics=0, documents=0)
    names = ["oolong", "matcha", *(f"blend{n}" for n in range(38))]
    Document.objects.bulk_create(
        [
            Document(collection=made.collection, docno=name, title=f"On {name}", abstract="It was brewed.")
            for name in names
        ]
    )
    paper = PaperFactory(collection=made.collection, key="10.1/p.1234567")
    sentences = (
        ExtractedSentence("Some have measured oolong [1].", ("1",)),
        ExtractedSentence("Others looked at nothing of the kind [2].", ("2",)),
    )
    references = (ExtractedReference("1", "oolong"), ExtractedReference("2", "matcha"), ExtractedReference("3", "away"))
    content = Content((ExtractedContext("01", "introduction", sentences),), references)
    make_extraction(paper, ExtractionSource.IMPORTED, content)
    Document.objects.create(collection=made.collection, docno=paper.key, title="Oolong oolong oolong measured")
    draft = PaperFactory(collection=made.collection, key="10.1/p.7654321")
    make_extraction(draft, ExtractionSource.MACHINE, make_content(values=("blend1", None)))
    return made


def test_the_check_finds_what_is_said_in_the_same_words(material) -> None:
    job = request_context_check(collection=material.collection, by=material.manager, at=AT, send=False)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert (job.state, job.reason, job.documents) == ("done", "", 40)  # the citing paper is passed over
    assert job.results["paragraph"] == {
        "topics": 1, "judgments": 2, "recall_10": 0.5, "ndcg_10": pytest.approx(1 / (1 + 0.6309), abs=1e-3),
    }  # fmt: skip
    assert job.results["sentence"] == {"topics": 2, "judgments": 2, "recall_10": 0.5, "ndcg_10": 0.5}
    assert job.statistics["papers"] == 1
    first, digest = job.results, job.inputs_hash
    jobs.carry_out(job)  # again does nothing
    job.refresh_from_db()
    assert (job.results, job.inputs_hash) == (first, digest)


def test_numbers_given_twice_keep_the_later_text_and_all_judgments() -> None:
    def made(text: str, docno: str) -> tuple[TopicRecord, list[QrelRow]]:
        record = TopicRecord("7", "", text, "", "", "", (), (), "p", 0)
        return record, [QrelRow("7", "1", docno, 1)]

    topics = merged([made("early", "a"), made("late", "b")])
    assert topics == {"7": ("late", {"a": 1, "b": 1})}
    assert figures(topics, {"7": ["b", "x"]})["recall_10"] == 0.5
    assert figures({}, {}) == {"topics": 0, "judgments": 0, "recall_10": None, "ndcg_10": None}


def test_one_check_at_a_time_by_those_who_decide(material) -> None:
    asked = {"collection": material.collection, "at": AT}
    job = request_context_check(**asked, by=material.people["ada"], send=False)
    with pytest.raises(Conflict, match="under way"):
        request_context_check(**asked, by=material.manager)
    cancel_job(job=job, by=material.manager, at=AT)
    with pytest.raises(Conflict, match="has ended"):
        cancel_job(job=job, by=material.manager, at=AT)
    with pytest.raises(NotAllowed):
        request_context_check(**asked, by=material.people["vic"])
    for bad, words in (({"b": 2.0}, "b between 0 and 1"), ({"tokens": "x"}, "Tokens are one of")):
        with pytest.raises(Refused, match=words):
            request_context_check(**asked, by=material.manager, **bad)
    Paper.objects.all().delete()
    with pytest.raises(Refused, match="has no papers"):
        request_context_check(**asked, by=material.manager)


def test_a_check_without_topics_ends_with_the_reason(material, capsys) -> None:
    Document.objects.filter(docno__in=["oolong", "matcha"]).delete()
    with pytest.raises(CommandError, match="No context cites a document"):
        call_command("check_contexts", "teas")
    call_command("check_contexts", "teas", "--include-drafts", "--json")
    assert json.loads(capsys.readouterr().out)["sentence"]["topics"] == 1


def test_the_page_shows_figures_and_checks_and_gives_tables(material, client, django_assert_max_num_queries) -> None:
    job = request_context_check(collection=material.collection, by=material.manager, at=AT, send=False)
    jobs.carry_out(job)
    client.force_login(material.people["vic"])
    with django_assert_max_num_queries(14):
        page = client.get(reverse("context_report", args=["teas"])).content.decode()
    assert "1 of 2 papers" in page
    assert "0.5000" in page
    assert "Run the check" not in page
    drafts = client.get(reverse("context_report", args=["teas"]), {"drafts": "1"}).content.decode()
    assert "2 of 2 papers" in drafts
    table = client.get(reverse("context_table", args=["teas", "csv"])).content.decode().splitlines()
    assert table[0].endswith(
        "tokens,tokens_min,tokens_max,characters,characters_min,characters_max,"
        "citations,citations_min,citations_max,none,some,all,mean_coverage"
    )
    assert table[1:] == [
        "Paragraphs,1,1,19.0,19,19,71.0,71,71,2.0,2,2,0,0,1,1.0",
        "Sentences,2,2,9.5,8,11,35.5,30,41,1.0,1,1,0,0,2,1.0",
    ]
    papers = client.get(reverse("context_table", args=["teas", "papers"])).content.decode().splitlines()
    assert papers[0].startswith("paper,contexts,context_topics,sentences,")
    assert len(papers) == 2
    latex = client.get(reverse("context_table", args=["teas", "tex"])).content.decode()
    assert r"Paragraphs & 1 & 1 & 19.0 & 71 & 2.0 & 0 & 0 & 1 & 1.00 \\" in latex
    assert r"Per paper & mean & min & max \\" in latex
    for words in ("Some known", "None known", "Mean coverage", "References in the collection"):
        assert words in page
    assert client.get(reverse("context_table", args=["teas", "pdf"])).status_code == 404
    client.force_login(material.manager)
    assert "Run the check" in client.get(reverse("context_report", args=["teas"])).content.decode()
    client.post(
        reverse("context_check_create", args=["teas"]), {"tokens": "lucene", "stemmer": "none", "k1": 1, "b": 3}
    )
    assert ContextCheck.objects.count() == 1
    client.post(reverse("context_check_create", args=["teas"]), {"tokens": "pairs", "stemmer": "none", "k1": 1, "b": 0})
    assert ContextCheck.objects.count() == 2


def test_contexts_become_topics_with_what_they_cite_as_targets(material, client, capsys) -> None:
    client.force_login(material.manager)
    address = reverse("context_topics_create", args=["teas"])
    page = client.post(address, {"level": "paragraph"}, follow=True).content.decode()
    assert "1 topics made, 0 were here already; 2 documents are new targets." in page
    topic = Topic.objects.get(collection=material.collection)
    assert (topic.number, topic.kind, topic.source) == ("123456701", "context-paragraph", "citation-context")
    assert sorted(topic.targets.values_list("document__docno", flat=True)) == ["matcha", "oolong"]
    call_command("make_context_topics", "teas", "--level", "paragraph", "--json")
    assert json.loads(capsys.readouterr().out) == {"made": 0, "known": 1, "targets": 0, "prefix": ""}
    call_command("make_context_topics", "teas", "--level", "sentence", "--include-drafts")
    assert Topic.objects.filter(kind="context-sentence").count() == 3
    Topic.objects.filter(number="123456701").update(kind="question")
    call_command("make_context_topics", "teas", "--level", "paragraph")
    assert Topic.objects.get(kind="context-paragraph").number == "p-123456701"
    assert "paragraphs or sentences" in client.post(address, {"level": "x"}, follow=True).content.decode()
