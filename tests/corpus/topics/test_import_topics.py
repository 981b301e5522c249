"""Topics with their aspect trees from files: counted as published, updated, and fixed once somebody has judged."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import JobState
from accounts.refusals import Refused
from annotation.models import Item
from corpus.collections.statistics import collection_statistics
from corpus.loading import background_reading
from corpus.models import Aspect, AspectNode, Collection, ImportRun, Topic, TopicKind
from corpus.topics.trees import LONGEST_ASPECT
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.corpus.judging import judge, put_in_campaign
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_tree
from tests.shared import shared_path

HEAT = {
    "number": "1",
    "text": "How hot is the water? And for white tea?",
    "sentences": ["How hot is the water?", "And for white tea?"],
    "aspects": [
        {
            "text": "It is about temperature.",
            "sentences": [0],
            "aspects": [{"text": "It measures.", "sentences": [1]}, {"text": "It compares."}],
        },
        {"text": "It compares."},
    ],
}
POTS = {"number": "2", "text": "Which pots keep warm?"}


@pytest.fixture
def collection(db: None) -> Collection:
    return CollectionFactory(slug="tea")


def bring(collection: Collection, path: Path, *rows: dict[str, Any], **options: Any) -> ImportRun:
    return import_files(collection, jsonl(path / "topics.jsonl", rows), kind="topics", **options)


def tree(topic: Topic) -> list[tuple[str, list[int], list[str]]]:
    """The top places: text, sentences, texts below."""
    return [
        (top.aspect.text, top.sentences, [below.aspect.text for below in top.children.all()])
        for top in topic.nodes.filter(parent=None)
    ]


class TestMerging:
    def test_trees_arrive_whole_and_equal_texts_are_one_aspect(self, collection: Collection, tmp_path: Path) -> None:
        assert counts(bring(collection, tmp_path, HEAT, POTS)) == (2, 0, 0, 0)
        topic = collection.topics.get(number="1")
        assert tree(topic) == [
            ("It is about temperature.", [0], ["It measures.", "It compares."]),
            ("It compares.", [], []),
        ]
        assert sorted(topic.aspects.values_list("text", flat=True)) == [
            "It compares.",
            "It is about temperature.",
            "It measures.",
        ]
        assert AspectNode.objects.get(aspect__text="It measures.").sentences == [1]
        assert topic.kind == TopicKind.COMPLEX_QUERY
        assert collection.topics.get(number="2").kind == TopicKind.QUESTION

    def test_importing_again_updates_what_differs(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, HEAT, POTS)
        kept = Aspect.objects.get(text="It compares.").pk
        changed = {**HEAT, "aspects": [{"text": "It compares.", "sentences": [1]}, {"text": "It is new."}]}
        assert counts(bring(collection, tmp_path, changed, POTS)) == (0, 1, 1, 0)
        assert tree(collection.topics.get(number="1")) == [("It compares.", [1], []), ("It is new.", [], [])]
        assert Aspect.objects.get(text="It compares.").pk == kept
        assert not Aspect.objects.filter(text="It measures.").exists()

    def test_what_a_file_does_not_say_stays(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, HEAT)
        run = bring(collection, tmp_path, {"number": "1", "text": HEAT["text"]})
        assert counts(run) == (0, 0, 1, 0)
        topic = collection.topics.get(number="1")
        assert len(tree(topic)) == 2
        assert topic.sentences == HEAT["sentences"]
        assert topic.kind == TopicKind.COMPLEX_QUERY

    def test_new_topics_come_after_those_there(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, POTS)
        bring(collection, tmp_path, HEAT, {"number": "0", "text": "First of all?"})
        assert list(collection.topics.values_list("number", flat=True)) == ["2", "1", "0"]

    def test_a_dry_run_counts_the_same_and_writes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, HEAT)
        other = ["Other?", "And then?"]
        rows = ({**HEAT, "text": " ".join(other), "sentences": other}, POTS, {"number": "3"})
        dry = bring(collection, tmp_path, *rows, dry_run=True)
        assert collection.topics.count() == 1
        assert counts(bring(collection, tmp_path, *rows)) == counts(dry) == (1, 1, 0, 1)

    def test_targets_become_those_of_the_file(self, collection: Collection, tmp_path: Path) -> None:
        DocumentFactory(collection=collection, docno="d1")
        DocumentFactory(collection=collection, docno="d2")
        bring(collection, tmp_path, {**POTS, "targets": ["d1"]})
        run = bring(collection, tmp_path, {**POTS, "targets": ["d2", "d9"]})
        assert list(collection.topics.get().targets.values_list("document__docno", flat=True)) == ["d2"]
        assert counts(run) == (0, 1, 0, 0)
        assert "names the target d9" in run.errors[0]["reason"]
        again = bring(collection, tmp_path, {**POTS, "targets": ["d2", "d9"]})
        assert counts(again) == (0, 0, 1, 0)

    def test_source_papers_are_kept_and_unknown_ones_reported(self, collection: Collection, tmp_path: Path) -> None:
        DocumentFactory(collection=collection, docno="d1")
        run = bring(collection, tmp_path, {**POTS, "source_papers": ["d1", "d9"], "category": "Heat"})
        assert counts(run) == (1, 0, 0, 0)
        assert [error["reason"] for error in run.errors] == [
            f"topic {POTS['number']} names the source paper d9, which is no document of the collection"
        ]
        run = bring(collection, tmp_path, {**POTS, "author": "Ann"})
        assert counts(run) == (0, 1, 0, 0)
        topic = collection.topics.get()
        assert (topic.source_papers, topic.category, topic.author) == (["d1", "d9"], "Heat", "Ann")
        assert counts(bring(collection, tmp_path, POTS)) == (0, 0, 1, 0)

    def test_odd_questions_come_in_and_are_reported(self, collection: Collection, tmp_path: Path) -> None:
        DocumentFactory(collection=collection, docno="D1")
        TopicFactory(collection=collection, number="old", kind=TopicKind.QUESTION, text="Is <b>it</b> warm?")
        rows = [
            {"number": "1", "text": "Which pots keep warm?", "targets": ["D1"]},
            {"number": "2", "text": "WHICH pots — keep warm"},
            {"number": "3", "text": "Is <b>it</b> warm?", "targets": ["D1"]},
            {"number": "4", "text": "Is p < 0.05 enough for a pot?", "targets": ["D1"]},
            {"number": "5", "kind": "complex-query", "text": "Which pots keep warm?"},
        ]
        remarks = [
            "Duplicate questions: 2 (2 as 1, 3 as old). All were imported; delete the duplicates.",
            "Questions that contain HTML: 1 (3). It is shown as it is written.",
            "Questions without a target: 1 (2). They have no known relevant document.",
        ]
        assert bring(collection, tmp_path, *rows, dry_run=True).remarks[1:] == remarks
        run = bring(collection, tmp_path, *rows)
        assert (counts(run), run.remarks[1:]) == ((5, 0, 0, 0), remarks)
        assert bring(collection, tmp_path, POTS | {"number": "9", "text": "And coffee?"}).remarks[1:] == []

    def test_bad_records_are_reported_and_skipped(self, collection: Collection, tmp_path: Path) -> None:
        deep = {"text": "a", "aspects": [{"text": "b", "aspects": [{"text": "c"}]}]}
        run = bring(
            collection,
            tmp_path,
            POTS,
            {"number": "3", "text": ""},
            {"number": "has blank", "text": "x"},
            {"number": "5", "text": "x", "aspects": [deep]},
            {"number": "6", "text": "x", "aspects": [{"text": "y" * (LONGEST_ASPECT + 1)}]},
            {"number": "7", "text": "nul \0"},
            {"number": "8", "text": "x", "kind": "riddle"},
        )
        assert run.state == JobState.DONE
        assert counts(run) == (1, 0, 0, 6)
        assert [error["line"] for error in run.errors] == [2, 3, 4, 5, 6, 7]

    def test_a_number_of_an_earlier_file_is_reported_with_its_line(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        """Two tracks may both count from 1: who brings both in learns which topics did not come in."""
        files = [jsonl(tmp_path / "2021.jsonl", [POTS]), jsonl(tmp_path / "2022.jsonl", [HEAT, POTS])]
        run = import_files(collection, *files, kind="topics")
        assert counts(run) == (2, 0, 0, 1)
        assert [(error["file"], error["line"], error["reason"]) for error in run.errors] == [
            ("2022.jsonl", 2, "topic 2 came earlier in this import; the first one counts")
        ]

    @pytest.mark.slow
    def test_queries_do_not_grow_with_the_topics(
        self,
        collection: Collection,
        tmp_path: Path,
        django_assert_max_num_queries: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(background_reading, "LOOK_EVERY", 60)  # each look at whether it was cancelled is a query
        rows = [{**HEAT, "number": str(number)} for number in range(250)]
        with django_assert_max_num_queries(60):
            assert counts(bring(collection, tmp_path, *rows)) == (250, 0, 0, 0)
        with django_assert_max_num_queries(60):
            assert counts(bring(collection, tmp_path, *rows)) == (0, 0, 250, 0)


class TestJudged:
    def test_texts_of_judged_topics_are_fixed(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, HEAT, POTS)
        judge(collection.topics.get(number="1"))
        other = ["Changed?", "And why?"]
        run = bring(collection, tmp_path, {**HEAT, "text": " ".join(other), "sentences": other}, POTS)
        assert counts(run) == (0, 0, 1, 1)
        assert run.errors[0]["reason"].startswith("topic 1 has been judged, so its text")
        assert collection.topics.get(number="1").text == HEAT["text"]

    def test_aspects_of_campaigns_cannot_be_taken_out(self, collection: Collection, tmp_path: Path) -> None:
        bring(collection, tmp_path, HEAT)
        put_in_campaign(Aspect.objects.get(text="It measures."))
        run = bring(collection, tmp_path, {**HEAT, "aspects": [{"text": "It compares."}]}, POTS)
        assert counts(run) == (1, 0, 0, 1)
        assert "'It measures.' is in a campaign and cannot be removed" in run.errors[0]["reason"]
        more = {**HEAT, "aspects": [*HEAT["aspects"], {"text": "It is new."}]}
        assert counts(bring(collection, tmp_path, more)) == (0, 1, 0, 0)
        assert Item.objects.get().aspect == Aspect.objects.get(text="It measures.")


class TestCommand:
    def test_statistics_of_a_small_collection(self, collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
        topic = TopicFactory(collection=collection, sentences=["One?", "Two?"])
        make_tree(topic, {"a": ["b", "c"], "b": [], "d": []})
        DocumentFactory(collection=collection, abstract="", keywords=["k"])
        call_command("collection_stats", "tea", "--json")
        printed = capsys.readouterr()
        found = json.loads(printed.out)
        wanted = {
            "documents": 1,
            "with_abstract": 0,
            "with_keywords": 1,
            "topics": 1,
            "sentences": 2,
            "aspects": 3,
            "sub_aspects": 2,
            "aspects_without_sub_aspects": 2,
            "max_aspects": 3,
            "max_sub_aspects_per_aspect": 2,
            "distinct_aspects": 4,
            "pool_entries": 0,
            "pairs": 0,
        }
        assert {name: found[name] for name in wanted} == wanted
        assert "sub-aspects" in printed.err

    def test_an_empty_collection_has_only_zeros_and_no_means(self, collection: Collection) -> None:
        found = collection_statistics(collection)
        plain = {name: value for name, value in found.items() if not isinstance(value, dict)}
        assert set(plain.values()) == {0, None}
        assert all("mean" in name for name, value in plain.items() if value is None)

    def test_unknown_formats_are_refused(self, collection: Collection, tmp_path: Path) -> None:
        with pytest.raises(Refused, match="Unknown format “bibtex”"):
            bring(collection, tmp_path, POTS, format="bibtex")


@pytest.mark.shared
class TestDorisMae:
    """The published queries give the published counts."""

    @pytest.mark.slow
    def test_counts_are_the_papers(self, collection: Collection) -> None:
        folder = shared_path("data", "doris-mae")
        run = import_files(collection, folder / "queries.txt", kind="topics")
        expected = json.loads((folder / "expected_counts.json").read_text())
        totals, found = expected["totals"], collection_statistics(collection)
        assert counts(run) == (totals["queries"], 0, 0, 0)
        same = ("sentences", "aspects", "sub_aspects", "aspects_without_sub_aspects", "max_aspects")
        assert {name: found[name] for name in same} == {name: totals[name] for name in same}
        assert found["max_sub_aspects_per_aspect"] == totals["max_sub_aspects_per_aspect"]
        assert found["distinct_aspects"] == totals["sum_distinct_items"] == 1501
        assert found["distinct_aspect_texts"] == totals["distinct_item_texts_over_all_queries"]
        for query in expected["per_query"]:
            topic = collection.topics.get(number=str(query["id"]))
            assert [len(below) for _, _, below in tree(topic)] == query["sub_per_aspect"]
            assert topic.aspects.count() == query["distinct_items"]
            assert len(topic.sentences) == query["sentences"]
