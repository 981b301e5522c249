"""Citation-context statistics, made topics, and searched by BM25."""

import json
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts import jobs
from adjudication.models import Evaluation
from annotation.models import ExtractionSource
from corpus.models import Document, Topic
from engines.definitions.extractions import Content, ExtractedContext, ExtractedReference, ExtractedSentence
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


def test_bm25_of_make_run_finds_what_is_said_in_the_same_words(material, capsys) -> None:
    """As ACM-CR measures: the citing paper is not searched, and each level is evaluated against what it cites."""
    for level in ("paragraph", "sentence"):
        call_command("make_context_topics", "teas", "--level", level)
        asked = ("--topics", f"context-{level}", "--k1", "0.9", "--b", "0.4", "--stemmer", "porter")
        call_command("make_run", "teas", f"bm25-{level}", "--recipe", "bm25", *asked)
    found = {}
    for level in ("paragraph", "sentence"):
        capsys.readouterr()
        asked = ("--gold", f"contexts:{level}", "--run", f"bm25-{level}", "--measure", "R@10", "nDCG@10")
        call_command("evaluate", "teas", *asked, "--json")
        (subset,) = json.loads(capsys.readouterr().out)["subsets"]
        measured = subset["runs"][f"bm25-{level}"]
        found[level] = (subset["n_topics"], measured["R@10"]["value"], measured["nDCG@10"]["value"])
    assert found == {"paragraph": (1, 0.5, pytest.approx(1 / (1 + 0.6309), abs=1e-3)), "sentence": (2, 0.5, 0.5)}


def test_the_page_shows_figures_and_checks_and_gives_tables(material, client, django_assert_max_num_queries) -> None:
    client.force_login(material.people["vic"])
    with django_assert_max_num_queries(14):
        page = client.get(reverse("context_report", args=["teas"])).content.decode()
    assert "1 of 2 papers" in page
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


def test_a_page_does_not_count_many_papers_while_somebody_waits(material, client, monkeypatch) -> None:
    monkeypatch.setattr("adjudication.papers.pages.contexts.MOST_LIVE", 1)
    client.force_login(material.people["vic"])
    page = client.get(reverse("context_report", args=["teas"])).content.decode()
    assert "Counting this many papers takes a while" in page
    assert b"Paragraphs,1,1" in client.get(reverse("context_table", args=["teas", "csv"])).content


def test_contexts_become_topics_with_what_they_cite_as_targets(material, client, capsys) -> None:
    client.force_login(material.manager)
    address = reverse("context_topics_create", args=["teas"])
    page = client.post(address, {"level": "paragraph"}, follow=True).content.decode()
    assert "1 topic made, 0 were here already; 2 new targets, one for each topic and document that it cites." in page
    topic = Topic.objects.get(collection=material.collection)
    assert (topic.number, topic.kind, topic.source) == ("123456701", "context-paragraph", "citation-context")
    assert sorted(topic.targets.values_list("document__docno", flat=True)) == ["matcha", "oolong"]
    call_command("make_context_topics", "teas", "--level", "paragraph", "--json")
    assert json.loads(capsys.readouterr().out) == {"made": 0, "known": 1, "targets": 0, "prefix": ""}
    call_command("make_context_topics", "teas", "--level", "sentence", "--include-drafts")
    assert "--include-drafts is now --drafts" in capsys.readouterr().err
    assert Topic.objects.filter(kind="context-sentence").count() == 3
    Topic.objects.filter(number="123456701").update(kind="question")
    call_command("make_context_topics", "teas", "--level", "paragraph")
    assert Topic.objects.get(kind="context-paragraph").number == "p-123456701"
    assert "paragraphs or sentences" in client.post(address, {"level": "x"}, follow=True).content.decode()


def test_table_1_needs_no_run(material, client) -> None:
    client.force_login(material.manager)
    assert "Table layout" in client.get(reverse("evaluation_create", args=["teas"])).content.decode()
    asked = {"gold": "", "measures": ""}
    refused = client.post(reverse("evaluation_create", args=["teas"]), asked)
    assert (refused.status_code, "Choose at least one run" in refused.content.decode()) == (422, True)
    answer = client.post(reverse("evaluation_create", args=["teas"]), {**asked, "preset": "acm-cr-1"})
    assert answer.status_code == 302, answer.content.decode()
    job = Evaluation.objects.get()
    jobs.carry_out(job)
    table = client.get(reverse("evaluation_table", args=["teas", job.pk, "csv"])).content.decode()
    assert "Paragraphs,1,1" in table
    page = client.get(reverse("evaluation_detail", args=["teas", job.pk])).text
    assert "counts twice" in page
    assert "<h1>Evaluation of ACM-CR Table 1: the citation contexts</h1>" in page
    assert "the highest first" not in page, "kinds of contexts are not runs to be ranked"
    assert "so there is no plot" not in page


def test_where_the_table_of_runs_fails_its_page_leads_to_what_it_lacks(material, client) -> None:
    client.force_login(material.manager)
    page = reverse("evaluation_create", args=["teas"])
    call_command("make_context_topics", "teas", "--level", "paragraph")
    call_command("make_run", "teas", "bm25", "--recipe", "bm25")

    def failed() -> str:
        client.post(page, {"gold": "", "measures": "", "preset": "acm-cr-2", "runs": ["bm25"]})
        job = Evaluation.objects.latest("pk")
        jobs.carry_out(job)
        return client.get(reverse("evaluation_detail", args=["teas", job.pk])).text

    first = failed()
    assert "No sentence has been made a topic" in first
    assert f'<a href="{reverse("context_report", args=["teas"])}#topics">Make topics</a>' in first
    call_command("make_context_topics", "teas", "--level", "sentence")
    second = failed()
    assert "it ranks 1 other topics. Make a run that ranks for them." in second
    assert f'<a href="{reverse("run_create", args=["teas"])}">Make a run over all topics</a>' in second
    form = client.get(page, {"preset": "acm-cr-2"}).text
    assert re.findall(r'<option value="([a-z-]+-[0-9])"', form)[:3] == ["acm-cr-1", "acm-cr-2", "litsearch-3"]
    assert '<option value="acm-cr-2" selected>' in form


def test_topics_are_made_of_drafts(material, client) -> None:
    """The page could not; REST had no such verb."""
    client.force_login(material.manager)
    assert 'name="drafts"' in client.get(reverse("context_report", args=["teas"]), {"drafts": "1"}).text
    asked = {"level": "sentence", "drafts": True}
    answer = client.post("/api/collections/teas/context-topics/", asked, content_type="application/json")
    assert answer.json() == {"made": 3, "known": 0, "targets": 3, "prefix": ""}
    assert Topic.objects.filter(kind="context-sentence").count() == 3
