"""What collection_stats counts of runs and pools; topics and aspects are in test_import_topics."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from corpus.collections.statistics_table import as_latex, as_markdown, as_text, lines_of
from corpus.models import Target
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run, make_tree

BREAK = "\\\\"


@pytest.mark.django_db
def test_pairs_are_distinct_aspects_times_pool(capsys: pytest.CaptureFixture[str]) -> None:
    collection = CollectionFactory(slug="tea")
    documents = [DocumentFactory(collection=collection) for _ in range(4)]
    one, two, three = (TopicFactory(collection=collection) for _ in range(3))
    make_tree(one, {"hot": ["boiled", "kept hot"], "white": ["boiled"]})  # four distinct texts at five places
    make_pool(one, documents[:3])
    make_pool(two, documents)  # without aspects: the topic itself is judged
    make_tree(three, {"green": []})  # without a pool
    Target.objects.create(topic=three, document=documents[0])
    make_run(collection, "bm25", {one.number: [documents[0].docno]})
    other = CollectionFactory()
    make_pool(TopicFactory(collection=other), [DocumentFactory(collection=other)])

    call_command("collection_stats", "tea", as_json=True)
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    wanted = {
        "documents": 4, "topics": 3, "runs": 1, "targets": 1, "pooled_topics": 2, "pool_entries": 7,
        "aspects": 3, "sub_aspects": 3, "distinct_aspects": 5, "distinct_aspect_texts": 5, "pairs": 4 * 3 + 1 * 4,
    }  # fmt: skip
    assert {name: found[name] for name in wanted} == wanted
    assert [found[name] for name in ("mean_aspects", "mean_sub_aspects", "mean_pool")] == [1.5, 1.5, 3.5]
    assert printed.err.splitlines()[-3].split() == ["pooled", "documents", "of", "a", "topic,", "mean", "3.5"]
    call_command("collection_stats", "tea")
    assert capsys.readouterr() == (printed.err, ""), "without --json the text is on stdout, to be kept in a file"
    call_command("collection_stats", "tea", form="latex")
    latex = capsys.readouterr().out
    assert f"pooled documents of a topic, mean & 3.5 {BREAK}" in latex
    assert f"Figure & Value {BREAK}" in latex
    assert r"\caption{Dataset statistics.}" in latex
    client = Client()
    client.force_login(MembershipFactory(collection=collection, role="manager").user)
    page = client.get(reverse("document_figures", args=["tea"])).content.decode()
    assert f"pairs to judge &amp; 16 {BREAK}" in page
    assert "Sub-aspects of a topic, mean" in page
    assert "a full text." in page.split("No document has ")[1][:60]


def test_figures_are_named_in_words_and_those_of_nothing_are_left_out() -> None:
    figures = {
        "documents": 1234, "with_doi": 0, "mean_words": None, "topics_by_kind": {"complex-query": 2},
        "contexts": {"papers": 1, "references": 0, "coverage": {"contexts": {"none": 1, "some": 0, "mean": 0.5}}},
        "questions": {"kept": 0, "table": {"inline_acl": {"all": {"questions": 3, "mean_length": 9.5}}}},
    }  # fmt: skip
    lines = lines_of(figures)
    assert lines == [
        ("documents", "1,234"),
        ("topics of kind: complex-query", "2"),
        ("citation contexts: papers", "1"),
        ("citation contexts: cited papers in the collection: contexts", "none 1, mean 0.5"),
        ("questions: kept: inline_acl: all", "questions 3, mean length 9.5"),
    ]
    assert as_text(lines).splitlines()[-1] == "questions: kept: inline_acl: all: questions 3, mean length 9.5"
    assert "inline" not in as_latex(lines)
    assert "| documents | 1,234 |" in as_markdown(lines)


@pytest.mark.django_db
def test_documents_are_counted_by_what_is_known_of_them(
    capsys: pytest.CaptureFixture[str], client: Client, django_assert_max_num_queries: Any
) -> None:
    collection = CollectionFactory(slug="tea")
    client.force_login(MembershipFactory(collection=collection, role="annotator").user)
    assert "No documents yet" in client.get(reverse("document_figures", args=["tea"])).content.decode()
    DocumentFactory(collection=collection, title="On tea", abstract="Two  words", keywords=["tea"], doi="10.1/x")
    DocumentFactory(collection=collection, title="A", abstract=" b\nc\td e f ")
    DocumentFactory(collection=collection, title="Of tea", abstract="four words are here")
    DocumentFactory(collection=collection, title="Only a title of many words", abstract="", year=None)
    call_command("collection_stats", "tea", as_json=True)
    found = json.loads(capsys.readouterr().out)
    wanted = {"documents": 4, "with_abstract": 3, "with_keywords": 1, "with_year": 3, "with_doi": 1, "mean_words": 5.3}
    assert {name: found[name] for name in wanted} == wanted
    with django_assert_max_num_queries(8):
        page = client.get(reverse("document_figures", args=["tea"])).content.decode()
    assert "Words of title and abstract, mean" in page
    assert "5.3" in page
    assert "Topics of" not in page


@pytest.mark.django_db
def test_an_unknown_collection_is_refused() -> None:
    with pytest.raises(CommandError, match="There is no collection coffee"):
        call_command("collection_stats", "coffee")
