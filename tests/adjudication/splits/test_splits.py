"""Splits: exact shares, balance, what stays together, never two parts; evaluations and exports."""

import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.refusals import Conflict, Refused
from adjudication.evaluation.evaluation import evaluate
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Split, SplitTopic
from adjudication.releases.recipe import make_recipe
from adjudication.splits.splits import figures_of, make_split, members_of
from corpus.models import Collection, Ranking, RetrievalRun, Target, Topic
from engines.stats.splits import Unit, divide, join
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.adjudication import build_campaign
from tests.factories.corpus import DocumentFactory, TopicFactory


@given(
    st.lists(st.sampled_from("abc"), min_size=2, max_size=80),
    st.integers(1, 9),
    st.integers(0, 2**32),
)
def test_shares_are_met_over_all_and_in_each_stratum(strata: list[str], share: int, seed: int) -> None:
    """Two parts of single units: within one of the share in each stratum, and rounded over all."""
    units = [Unit((place,), (stratum,)) for place, stratum in enumerate(strata)]
    found = divide(units, {"dev": share, "test": 10 - share}, np.random.default_rng(seed))
    assert found.keys() == set(range(len(strata)))
    dev = Counter(strata[place] for place, part in found.items() if part == "dev")
    assert abs(dev.total() - len(strata) * share / 10) <= 0.5
    assert all(abs(dev[each] - strata.count(each) * share / 10) <= 1 for each in set(strata))


def test_groups_are_joined_through_any_key() -> None:
    assert join({1: "a", 2: "b", 3: "ab", 4: "c"}) == [(1, 2, 3), (4,)]


@pytest.fixture(scope="module")
def shared_tea(module_db: None) -> Collection:
    """100 topics, 60 of one source and 40 of another; two of the same words, one made from another."""
    collection = CollectionFactory(slug="tea")
    for place in range(100):
        source = "author" if place % 5 < 2 else "inline-acl"
        text = "What is tea?" if place in (3, 7) else f"How long does tea number {place} brew?"
        parent = Topic.objects.get(number="10") if place == 20 else None
        TopicFactory(
            collection=collection, number=str(place), text=text, source=source, parent=parent, position=place,
            author=f"author {place // 10}",
        )  # fmt: skip
    return collection


@pytest.fixture
def tea(db: None, shared_tea: Collection) -> Collection:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_tea)


def draw(collection: Collection, **more: Any) -> Split:
    asked = {"name": "dev-test", "parts": {"dev": 40, "test": 60}, **more}
    return make_split(by=None, at=AT, collection=collection, **asked)


def test_a_split_is_balanced_and_the_same_again(tea: Collection) -> None:
    first = draw(tea, within=["source"])
    assert figures_of(first).parts == [("dev", 40), ("test", 60)]
    lines = {line.label: line.counts for line in figures_of(first).lines}
    assert all(abs(dev - 0.4 * (dev + test)) <= 2 for dev, test in lines.values())
    again, other = draw(tea, within=["source"], name="again"), draw(tea, within=["source"], name="other", seed=2)
    assert members_of(again) == members_of(first) != members_of(other)
    parts = members_of(first)
    assert parts["3"] == parts["7"]
    assert parts["10"] == parts["20"]


def test_topics_of_one_author_stay_together(tea: Collection) -> None:
    parts = members_of(draw(tea, together=["author"]))
    by_author = {topic.author: set[str]() for topic in tea.topics.all()}
    for topic in tea.topics.all():
        by_author[topic.author].add(parts[topic.number])
    assert {len(found) for found in by_author.values()} == {1}


def test_parts_that_differ_from_their_shares_say_why(tea: Collection, client: Client) -> None:
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    split = draw(tea)
    assert not figures_of(split).is_uneven
    split.members.filter(pk=split.members.filter(part="dev").values("pk")[:1]).update(part="test")
    assert figures_of(split).is_uneven
    assert "differ from the shares" in client.get(reverse("split_detail", args=["tea", "dev-test"])).text


def test_the_database_keeps_a_topic_in_one_part(tea: Collection) -> None:
    split = draw(tea)
    member = split.members.first()
    assert member is not None
    other = "test" if member.part == "dev" else "dev"
    with pytest.raises(IntegrityError, match="split_topic_in_one_part"), transaction.atomic():
        SplitTopic.objects.create(split=split, topic=member.topic, part=other)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"parts": {"dev": 1}}, "between 2 and 10 parts"),
        ({"parts": {"dev": 1, "test": 0}}, "share of “test” must be a number above 0"),
        ({"parts": {"dev": 1, "test": float("nan")}}, "share of “test”"),
        ({"parts": {"dev": 1, "a b": 1}}, "“a b” is not a valid name"),
        ({"name": "../x"}, "is not a valid name"),
        ({"within": ["colour"]}, "No topic has an attribute “colour”"),
        ({"within": ["author"], "together": ["author"]}, "Choose one of the two"),
        ({"parts": {"dev": 1, "test": 999_999}}, "part “dev” would be empty"),
        ({"seed": -1}, "The seed must be"),
    ],
)
def test_what_makes_no_sense_is_refused(tea: Collection, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        draw(tea, **more)
    assert not Split.objects.exists()


def test_a_name_is_taken_once_and_no_topics_are_refused(tea: Collection) -> None:
    draw(tea)
    with pytest.raises(Conflict, match="There is a split “dev-test” already"):
        draw(tea)
    with pytest.raises(Refused, match="no topics yet"):
        draw(CollectionFactory(slug="empty"))


def test_a_part_of_rest_is_one_part(tea: Collection, client: Client) -> None:
    """The page parts words at spaces, which a name in REST cannot use to become two."""
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    body = {"name": "rest", "parts": {"train=5 dev": 40}}
    answer = client.post(reverse("api_splits", args=["tea"]), body, content_type="application/json")
    assert (answer.status_code, "is not a valid name" in answer.json()["detail"]) == (422, True)


def test_an_attribute_with_a_comma_is_named_at_each_door_and_words_with_commas_are_several(
    tea: Collection, client: Client
) -> None:
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    for place, topic in enumerate(tea.topics.all()):
        topic.extra = {**topic.extra, "length, in words": str(place % 2), "domain": str(place % 3)}
        topic.save()
    wanted = ["length, in words", "domain", "source"]
    client.post(
        reverse("split_create", args=["tea"]), {"name": "page", "parts": "a=1 b=1", "within": wanted, "seed": 1}
    )
    body = {"parts": {"a": 1, "b": 1}, "within": wanted}
    several = {**body, "within": ["length, in words", "domain,source"]}
    for name, each in (("rest", body), ("commas", several)):
        answer = client.post(reverse("api_splits", args=["tea"]), {"name": name, **each}, "application/json")
        assert answer.status_code == 201, answer.json()
    call_command("make_split", "tea", "command", "--parts", "a=1", "--parts", "b=1", "--within", *wanted)
    repeated = ("--within", "length, in words", "--within", "domain,source")
    call_command("make_split", "tea", "repeated", "--parts", "a=1", "b=1", *repeated)
    assert {split.name: split.parameters["within"] for split in Split.objects.all()} == dict.fromkeys(
        ("page", "rest", "commas", "command", "repeated"), wanted
    )


def test_a_split_is_drawn_shown_released_and_deleted(tea: Collection, client: Client, tmp_path: Path) -> None:
    client.force_login(MembershipFactory(collection=tea, role="manager").user)
    assert "No splits yet" in client.get(reverse("split_list", args=["tea"])).text
    data = {"name": "page", "parts": "dev=40 test=60", "within": ["source"], "seed": "7"}
    wrong = client.post(reverse("split_create", args=["tea"]), {**data, "parts": "dev=many"})
    assert (wrong.status_code, "is not a name with its share" in wrong.text) == (422, True)
    answer = client.post(reverse("split_create", args=["tea"]), data)
    assert answer["Location"] == reverse("split_detail", args=["tea", "page"])
    shown = client.get(answer["Location"], {"part": "dev"}).text
    assert "inline-acl" in shown
    assert "40 topics" in shown
    assert "40%" in shown
    assert "differ from the shares" not in shown
    out = tmp_path / "splits.jsonl"
    call_command("export", "tea", "--format", "splits", "--out", str(out))
    [line] = [json.loads(line) for line in out.read_text().splitlines()]
    assert line["split"] == "page"
    assert line["topics"] == client.get(reverse("api_split", args=["tea", "page"])).json()["topics"]
    parts = make_recipe(tea).parts
    assert [path for path, options in parts.items() if options.exporter.name == "splits"] == ["topics/splits.jsonl"]
    call_command("delete_split", "tea", "page")
    assert not Split.objects.exists()
    with pytest.raises(CommandError, match="There is no split page in tea"):
        call_command("delete_split", "tea", "page")


def make_run(collection: Collection) -> None:
    """Each topic has d1 to d6; d2 is its target, and d3 the paper that it was written from."""
    for number in range(1, 7):
        DocumentFactory(collection=collection, docno=f"d{number}", title=f"Tea {number}", abstract="Leaves.")
    run = RetrievalRun.objects.create(collection=collection, name="bm25", created_at=AT)
    found = {document.docno: document for document in collection.documents.all()}
    for topic in collection.topics.all():
        Topic.objects.filter(pk=topic.pk).update(extra={"idea_from": ["d3"]})
        Target.objects.create(topic=topic, document=found["d2"])
        Ranking.objects.create(run=run, topic=topic, docnos=sorted(found), scores=[6, 5, 4, 3, 2, 1])


def test_a_split_is_a_subset_of_evaluations(tea: Collection) -> None:
    draw(tea)
    make_run(tea)
    spec = EvaluationSpec("targets", ("bm25",), measures=("RR@10",), by=("split:dev-test",), resamples=1000)
    found = {each.by.get("split:dev-test"): len(each.topics) for each in evaluate(tea, spec).subsets}
    assert found == {None: 100, "dev": 40, "test": 60}


def exported(tmp_path: Path, *words: str) -> list[dict[str, Any]]:
    out = tmp_path / "training.jsonl"
    call_command("export", "tea", "--run", "bm25", "--out", str(out), *words)
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_training_data_have_negatives_of_the_run_and_topics_of_one_part(tea: Collection, tmp_path: Path) -> None:
    parts = members_of(draw(tea))
    make_run(tea)
    lines = exported(tmp_path, "--format", "triplets", "--part", "dev-test:dev", "--negatives", "2", "--skip", "1")
    assert {line["query_id"] for line in lines} == {number for number, part in parts.items() if part == "dev"}
    mine = [line for line in lines if line["query_id"] == lines[0]["query_id"]]
    assert [(line["positive_id"], line["negative_id"]) for line in mine] == [("d2", "d4"), ("d2", "d5")]
    assert list(mine[0])[:3] == ["anchor", "positive", "negative"]
    assert (mine[0]["positive"], mine[0]["negative"]) == ("Tea 2\nLeaves.", "Tea 4\nLeaves.")
    (line, *rest) = exported(tmp_path, "--format", "hard-negatives")
    assert len(rest) == 99
    assert [one["docid"] for one in line["negative_passages"]] == ["d1", "d4", "d5", "d6"]
    assert line["positive_passages"] == [{"docid": "d2", "title": "Tea 2", "text": "Leaves."}]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--part", "dev-test:train"), "There is dev-test:dev, dev-test:test"),
        (("--run", "dense"), "has no run “dense”. It has: bm25"),
        (("--judged",), "Targets do not show which documents are not relevant"),
        (("--positives", "verdicts"), "No campaign yet"),
    ],
)
def test_wrong_words_of_training_data_are_refused(
    tea: Collection, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    draw(tea)
    make_run(tea)
    with pytest.raises(CommandError, match=reason):
        exported(tmp_path, "--format", "triplets", *words)


@pytest.mark.usefixtures("_free_address")
def test_verdicts_give_positives_and_negatives_that_are_judged(tmp_path: Path) -> None:
    """Of d1 to d4 the first is relevant, the second judged not relevant, the third a target that nobody judged."""
    triples = [("1", "It brews.", "d1"), ("1", "It brews.", "d2")]
    built = build_campaign([[2, 2], [0, 0]], people=("ana", "ben"), triples=triples)
    call_command("adjudicate", "tea", "main")
    topic = built.collection.topics.get(number="1")
    Target.objects.create(topic=topic, document=DocumentFactory(collection=built.collection, docno="d3"))
    DocumentFactory(collection=built.collection, docno="d4")
    run = RetrievalRun.objects.create(collection=built.collection, name="bm25", created_at=AT)
    Ranking.objects.create(run=run, topic=topic, docnos=["d4", "d3", "d2", "d1"], scores=[4, 3, 2, 1])
    asked = ("--format", "triplets", "--positives", "verdicts")
    found = [(line["positive_id"], line["negative_id"]) for line in exported(tmp_path, *asked)]
    assert found == [("d1", "d4"), ("d1", "d2")]
    found = [(line["positive_id"], line["negative_id"]) for line in exported(tmp_path, *asked, "--judged")]
    assert found == [("d1", "d2")]
