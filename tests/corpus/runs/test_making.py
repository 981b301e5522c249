"""Making runs: by command, page and REST alike; what is left out; the same recipe gives the same bytes."""

import json
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.job_kinds import Progress
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, Refused
from corpus.models import (
    Aspect,
    Collection,
    Membership,
    ModelEndpoint,
    PartRanking,
    Ranking,
    RetrievalRun,
    Role,
    RunMaking,
    SubQuery,
)
from corpus.pools.requests import delete_run
from corpus.runs.files import metadata_text, run_lines
from corpus.runs.making import make_run
from corpus.runs.recipes.registry import RECIPES, all_options
from corpus.runs.runs import recipe_named, request_run
from tests.corpus.runs.recipes import made
from tests.factories.accounts import AT, CollectionFactory, make_token, one_member_each
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool

TEXTS = {
    "D1": ("Green tea", "Leaves of green tea in water"),
    "D2": ("Black tea", "Leaves, withered and rolled"),
    "D3": ("Teapots", "Pots for brewing the tea"),
    "D4": ("Silk roads", "Caravans and their roads"),
    "D5": ("Green tea", "Leaves of green tea in water"),
}


@pytest.fixture(autouse=True)
def _indexes(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.INDEX_DIR = tmp_path / "indexes"
    return


@pytest.fixture
def members(db: None) -> dict[Role, Membership]:
    return one_member_each(CollectionFactory(slug="tea"))


@pytest.fixture
def collection(members: dict[Role, Membership]) -> Collection:
    found = members[Role.MANAGER].collection
    for docno, (title, abstract) in TEXTS.items():
        DocumentFactory(collection=found, docno=docno, title=title, abstract=abstract, keywords=[])
    TopicFactory(collection=found, number="1", text="green tea leaves")
    TopicFactory(collection=found, number="2", text="roads of silk", extra={"idea_from": ["D4"]})
    return found


def command(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("make_run", "tea", *arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def stored(name: str) -> dict[str, list[str]]:
    found = Ranking.objects.filter(run__name=name).select_related("topic")
    return {ranking.topic.number: ranking.docnos for ranking in found}


def file_of(name: str) -> str:
    return "".join(run_lines(RetrievalRun.objects.select_related("collection").get(name=name)))


def test_the_command_makes_a_run_in_trec_evals_order(collection: Collection) -> None:
    said = command("mine", "--recipe", "bm25", "--depth", "3")
    assert stored("mine") == {"1": ["D5", "D1", "D2"]}, (
        "equal texts tie: docno falling; the source of topic 2 is left out"
    )
    assert said["without_documents"] == 1
    run = RetrievalRun.objects.get(name="mine")
    assert (said["run"], said["topics"], said["lines"], said["cost"]) == ("mine", 1, 3, "0")
    assert said["recipe_hash"] == run.parameters["recipe_hash"]
    assert said["seconds"] > 0
    assert run.parameters["settings"]["k1"] == 0.9
    first = file_of("mine").splitlines()[0].split()
    assert first[:4] == ["1", "Q0", "D5", "1"]
    assert first[5] == "mine"
    assert AuditEvent.objects.filter(verb="make_run").count() == 1


@pytest.mark.parametrize("recipe", ["bm25", "bm25-okapi", "tfidf"])
def test_the_same_recipe_gives_the_same_bytes(
    collection: Collection, members: dict[Role, Membership], recipe: str
) -> None:
    command("mine", "--recipe", recipe, "--leave-out", "nothing")
    first = file_of("mine")
    assert first.count("\n") >= 4
    command("mine", "--recipe", recipe, "--leave-out", "nothing")  # in place of itself
    assert file_of("mine") == first
    delete_run(by=members[Role.MANAGER].user, at=AT, run=RetrievalRun.objects.get(name="mine"))
    job = made(collection, "mine", recipe, leave_out="nothing")
    assert job.state == JobState.DONE
    assert file_of("mine") == first


def test_fields_have_weights(collection: Collection) -> None:
    DocumentFactory(
        collection=collection, docno="D9", title="Porcelain", abstract="silk roads and silk", keywords=["jar"]
    )
    made(collection, "titles", "bm25", fields="title", leave_out="nothing", topics="question")
    assert stored("titles")["2"] == ["D4"]
    made(collection, "both", "bm25", fields=["title^0.1", "abstract^5"], leave_out="nothing")
    assert stored("both")["2"] == ["D9", "D4"]
    assert RetrievalRun.objects.get(name="both").parameters["settings"]["fields"] == "title^0.1 abstract^5"


class Meanwhile(Progress):
    """Something happens while topics are searched for."""

    def __init__(self, job: RunMaking, happens: Callable[[], Any]) -> None:
        super().__init__(job)
        self.happens = happens
        self.reports: list[int] = []

    def report(self, done: int, total: int | None = None, step: str = "") -> None:
        super().report(done, total, step)
        if step == "searching for each topic":
            self.reports.append(done)
            if done == 1:
                self.happens()


def test_a_run_of_two_states_of_the_documents_stops_at_once(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.runs.making.CHECK_EVERY", 0)
    job = request_run(
        by=None, at=AT, collection=collection, name="mine", recipe=recipe_named("bm25"), options={}, send=False
    )
    progress = Meanwhile(job, lambda: DocumentFactory(collection=collection, docno="D9", title="Late tea"))
    with pytest.raises(Refused, match="The documents of the collection were changed while the run was made"):
        make_run(job, progress)
    assert progress.reports[-1] == 1
    assert not RetrievalRun.objects.exists()


def test_topics_are_ranked_as_they_were_when_the_run_began(collection: Collection) -> None:
    def happens() -> None:
        TopicFactory(collection=collection, number="99", text="silk")
        collection.topics.filter(number="2").update(text="something else")
        collection.topics.filter(number="1").delete()

    made(collection, "before", "bm25", leave_out="nothing")
    job = request_run(
        by=None,
        at=AT,
        collection=collection,
        name="mine",
        recipe=recipe_named("bm25"),
        options={"leave_out": "nothing"},
        send=False,
    )
    make_run(job, Meanwhile(job, happens))
    before, mine = (RetrievalRun.objects.get(name=name) for name in ("before", "mine"))
    assert stored("mine") == {number: docnos for number, docnos in stored("before").items() if number != "1"}
    assert mine.parameters["inputs"] == before.parameters["inputs"]
    assert mine.parameters["topics"] == before.parameters["topics"] - 1
    assert mine.parameters["lines"] == sum(map(len, stored("mine").values()))
    assert mine.parameters["warnings"] == ["Topics deleted while it was made: 1. Their rankings are not stored."]


def test_a_pool_is_ranked_whole(collection: Collection) -> None:
    documents = {each.docno: each for each in collection.documents.all()}
    make_pool(collection.topics.get(number="1"), [documents["D4"], documents["D1"]])
    made(collection, "pooled", "bm25", among="pools")
    assert stored("pooled") == {"1": ["D1", "D4"]}
    before = RetrievalRun.objects.get(name="pooled").parameters["inputs"]
    make_pool(collection.topics.get(number="1"), [documents["D2"]])
    made(collection, "more", "bm25", among="pools")
    assert RetrievalRun.objects.get(name="more").parameters["inputs"]["pools"] != before["pools"]
    made(collection, "all", "bm25")
    assert RetrievalRun.objects.get(name="all").parameters["inputs"].keys() == {"documents", "topics"}


def test_parts_of_topics_have_rankings_of_their_own(collection: Collection) -> None:
    topic = collection.topics.get(number="1")
    SubQuery.objects.create(collection=collection, topic=topic, number="1-a", size=1, sentences=["silk", "roads"])
    Aspect.objects.create(topic=topic, text="black tea")
    assert command("parts", "--recipe", "bm25", "--topics", "sub-queries")["topics"] == 1
    assert not Ranking.objects.exists()
    assert PartRanking.objects.get().docnos == ["D4"]
    assert file_of("parts").startswith("1-a Q0 D4 1 ")
    command("aspects", "--recipe", "tfidf", "--topics", "aspects")
    assert file_of("aspects").startswith("1.1 Q0 D2 1 ")


def test_what_cannot_be_made_is_refused_with_a_reason(collection: Collection) -> None:
    for arguments, reason in (
        (("a b", "--recipe", "bm25"), "without spaces"),
        (("targets", "--recipe", "bm25"), "which Litmus itself uses"),
        (("mine", "--recipe", "tfidf", "--k1", "2"), "TF-IDF has no option “k1”"),
        (("mine", "--recipe", "bm25", "--fields", "titel"), "“titel” is no field"),
        (("mine", "--recipe", "bm25", "--b", "2"), "less than or equal to 1"),
        (("mine", "--recipe", "bm25", "--topics", "aspects"), "has no such topics"),
    ):
        with pytest.raises(CommandError, match=reason):
            command(*arguments)
    command("mine", "--recipe", "bm25")
    with pytest.raises(CommandError, match="There is a run mine already"):
        command("mine", "--recipe", "bm25", "--k1", "2")
    collection.topics.update(text="zzz")
    with pytest.raises(CommandError, match="the run would be empty"):
        command("none", "--recipe", "bm25")


def test_a_run_is_made_once_at_a_time_and_can_be_cancelled(collection: Collection) -> None:
    asked: dict[str, Any] = {"by": None, "at": AT, "collection": collection, "recipe": RECIPES["bm25"], "options": {}}
    job = request_run(**asked, name="mine", send=False)
    with pytest.raises(Conflict, match="already being made"):
        request_run(**asked, name="mine", send=False)
    jobs.cancel(job, at=AT)
    jobs.carry_out(job)
    assert not RetrievalRun.objects.exists()
    with pytest.raises(Refused, match="no recipe"):
        recipe_named("splade")


def test_who_lacks_a_model_reads_whom_to_ask_and_staff_get_the_way(
    client: Client, members: dict[Role, Membership]
) -> None:
    manager = members[Role.MANAGER].user
    client.force_login(manager)
    page = reverse("run_create", args=["tea"])
    offered = client.get(page).text
    assert offered.count("The people who run this Litmus can set one up: ask them.") == 2
    assert "LITMUS_" not in offered
    manager.is_staff = True
    manager.save(update_fields=["is_staff"])
    assert client.get(page).text.count(f'href="{reverse("endpoint_list")}">Set up a model endpoint') == 2
    address = "https://llm.example.org/v1"
    ModelEndpoint.objects.create(name="ours", address=address, model_names=["wise"], sealed_key="by a former secret")
    offered = client.get(page).text
    assert offered.count("not now") == 2
    assert "The secret key of this Litmus has changed" in offered


@pytest.mark.slow
def test_page_and_rest_make_what_the_command_makes(
    client: Client, collection: Collection, members: dict[Role, Membership], django_capture_on_commit_callbacks: Any
) -> None:
    client.force_login(members[Role.MANAGER].user)
    page = reverse("run_create", args=["tea"])
    offered = client.get(page).content.decode()
    assert all(recipe.label in offered for recipe in RECIPES.values())
    assert offered.count("not now") == len({each.needs for each in RECIPES.values()} - {None}), "a reason once"
    shown = client.get(f"{page}?recipe=bm25").content.decode()
    assert all(f'name="{name}"' in shown for name in RECIPES["bm25"].form.options())
    assert "<code>bm25</code>" in shown
    assert list(RECIPES["bm25"].form.options())[:3] == ["topics", "among", "fields"]
    assert client.post(f"{page}?recipe=bm25", {"name": "", "k1": "x"}).status_code == 422
    assert client.post(f"{page}?recipe=bm25", {"name": "by-page", "depth": "2"}).status_code == 302
    _, key = make_token(members[Role.MANAGER].user)
    headers = {"authorization": f"Bearer {key}"}
    body = {"name": "by-rest", "recipe": "bm25", "depth": 2}
    address = reverse("api_run_makings", args=["tea"])
    answer = client.post(address, body, content_type="application/json", headers=headers)
    assert answer.status_code == 202, answer.content
    for job in RunMaking.objects.all():
        jobs.carry_out(job)
    command("by-command", "--recipe", "bm25", "--depth", "2")
    runs = {run.name: run for run in RetrievalRun.objects.all()}
    assert stored("by-page") == stored("by-rest") == stored("by-command")
    assert len({run.parameters["recipe_hash"] for run in runs.values()}) == 1
    detail = client.get(reverse("run_detail", args=["tea", runs["by-page"].pk])).content.decode()
    assert "How it was made" in detail
    assert "BM25 (Lucene)" in detail
    file = b"".join(client.get(reverse("run_file", args=["tea", runs["by-page"].pk])).streaming_content)
    assert file.decode() == file_of("by-page")
    with_header = client.get(reverse("run_file", args=["tea", runs["by-page"].pk]) + "?header=1")
    lines = b"".join(with_header.streaming_content).decode().splitlines()
    assert lines[0] == "# ir_metadata.start"
    assert "# ir_metadata.end" in lines
    assert lines[-1] in file.decode()
    rest = client.get(reverse("api_run_file", args=["tea", runs["by-page"].pk]), headers=headers)
    assert b"".join(rest.streaming_content) == file
    assert client.get(reverse("api_run", args=["tea", runs["by-page"].pk]), headers=headers).json()["made"]["recipe"]


def test_the_command_has_the_options_of_all_recipes_and_files_go_out(collection: Collection, tmp_path: Path) -> None:
    assert {"topics", "depth", "fields", "k1", "b", "stemmer"} <= set(all_options())
    command("mine", "--recipe", "bm25")
    call_command("export_run", "tea", "mine", "--out", str(tmp_path / "mine.run"), stderr=StringIO())
    assert (tmp_path / "mine.run").read_text() == file_of("mine")
    metadata = (tmp_path / "mine.run.metadata.yml").read_text()
    assert metadata == metadata_text(RetrievalRun.objects.get(name="mine"))
    assert "k1: 0.9" in metadata
    assert django_settings.CODE_VERSION in metadata


def test_a_page_offers_the_runs_to_start_from(
    client: Client, collection: Collection, members: dict[Role, Membership]
) -> None:
    client.force_login(members[Role.MANAGER].user)
    page = reverse("run_create", args=["tea"])
    for recipe in ("rerank", "fusion", "one-hop"):
        assert "no first-stage run" in client.get(f"{page}?recipe={recipe}").text
    for name in ("one", "other", "third"):
        made(collection, name, "bm25")
    for recipe in ("rerank", "one-hop"):
        assert '<option value="other">other</option>' in client.get(f"{page}?recipe={recipe}").text
    assert client.get(f"{page}?recipe=fusion").text.count('type="checkbox" name="runs"') == 3
    refused = client.post(f"{page}?recipe=fusion", {"name": "both", "runs": ["other"]})
    assert "Fusion needs two runs or more" in refused.text
    assert refused.text.count("checked") == 1
    assert client.post(f"{page}?recipe=fusion", {"name": "both", "runs": ["one", "third"]}).status_code == 302
    assert RunMaking.objects.get(name="both").parameters["settings"]["runs"] == "one third"
