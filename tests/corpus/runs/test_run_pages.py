"""Pages and API of runs and pools: what overseers see, what managers may do, and that annotators learn nothing."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import jobs
from corpus.models import (
    Collection,
    ImportRun,
    Membership,
    PoolEntry,
    PoolRun,
    RetrievalRun,
    Role,
    RunMaking,
)
from tests.corpus.runs.runs_and_pools import topic
from tests.factories.accounts import AT, make_token
from tests.factories.corpus import TopicFactory, make_run

SECRETS = ("bm25-of-ours", "dense-retriever", "hand-picked", "known to answer", "targets")


@pytest.fixture
def collection(members: dict[Role, Membership]) -> Collection:
    return members[Role.MANAGER].collection


def client_of(members: dict[Role, Membership], role: Role) -> Client:
    client = Client()
    client.force_login(members[role].user)
    return client


@pytest.fixture
def manager(members: dict[Role, Membership], collection: Collection) -> Client:
    return client_of(members, Role.MANAGER)


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


class TestPages:
    def test_runs(self, manager: Client) -> None:
        page = text(manager.get(reverse("run_list", args=["tea"])))
        assert "bm25-of-ours" in page
        assert '<td class="num" data-label="Rows">4</td>' in page

    def test_runs_that_are_being_made_come_into_the_table_by_themselves(
        self, manager: Client, collection: Collection
    ) -> None:
        assert "data-reload-when-finished" not in text(manager.get(reverse("run_list", args=["tea"])))
        RunMaking.objects.create(
            collection=collection, name="bm25", parameters={}, recipe_hash="0" * 64, requested_at=AT
        )
        assert "data-reload-when-finished" in text(manager.get(reverse("run_list", args=["tea"])))

    def test_a_run(self, manager: Client) -> None:
        run = RetrievalRun.objects.get(name="bm25-of-ours")
        page = text(manager.get(reverse("run_detail", args=["tea", run.pk])))
        assert '<td class="num" data-label="Pooled">2</td>' in page
        assert '<td class="num" data-label="Judged">1</td>' in page
        assert "Campaigns judge 2 documents that bm25-of-ours added to pools" in page
        ranking = text(manager.get(reverse("run_detail", args=["tea", run.pk]), {"topic": "1"}))
        assert "not in the collection" in ranking
        assert ranking.count("pooled</span>") == 2
        assert manager.get(reverse("run_detail", args=["tea", run.pk]), {"topic": "9"}).status_code == 200

    def test_a_run_is_described_and_deleted(self, manager: Client, collection: Collection) -> None:
        run = make_run(collection, "spare", {"1": ["D1"]})
        address = reverse("run_detail", args=["tea", run.pk])
        assert "Description saved." in text(manager.post(address, {"description": " BM25, k1 1.2 "}, follow=True))
        run.refresh_from_db()
        assert run.description == "BM25, k1 1.2"
        answer = manager.post(reverse("run_delete", args=["tea", run.pk]), follow=True)
        assert "The run spare is deleted. 0 documents left the pools with it." in text(answer)
        assert not RetrievalRun.objects.filter(pk=run.pk).exists()

    def test_a_run_that_must_stay_says_why(self, manager: Client) -> None:
        run = RetrievalRun.objects.get(name="bm25-of-ours")
        answer = manager.post(reverse("run_delete", args=["tea", run.pk]), follow=True)
        assert "their origin must stay known" in text(answer)
        assert RetrievalRun.objects.filter(pk=run.pk).exists()

    def test_pools(self, manager: Client) -> None:
        page = text(manager.get(reverse("pool_list", args=["tea"])))
        assert "4 pairs of topic and document." in page
        assert "bm25-of-ours – 2 topics, up to 3 documents each" in page
        assert "documents known to answer a topic – 1" in page
        assert '<td class="num" data-label="Found by one method">3</td>' in page
        assert '<span class="badge warn">empty</span>' in page

    def test_a_pool(self, manager: Client) -> None:
        address = reverse("pool_detail", args=["tea", topic("1").pk])
        page = text(manager.get(address))
        assert "dense-retriever @ 2" in page
        assert 'aria-label="Remove D3 from the pool"' in page
        assert 'aria-label="Remove D1 from the pool"' not in page
        assert "2 of 4 documents" in text(manager.get(address, {"method": "dense-retriever"}))
        assert "Nothing here" in text(manager.get(address, {"method": "no such"}))

    def test_pools_are_asked_for_by_a_form(self, manager: Client) -> None:
        address = reverse("pool_build", args=["tea"])
        for data, reason in (
            ({"depth": "5"}, "Choose at least one run, or search the collection."),
            ({"search": "own"}, "Choose at least one retriever."),
            ({"methods": ["bm25-of-ours"], "depth": "-1"}, "greater than or equal to 0"),
            ({"methods": ["unknown"]}, "unknown is not one of the available choices"),
        ):
            answer = manager.post(address, data)
            assert (answer.status_code, reason in text(answer)) == (422, True)
        assert manager.post(address, {"methods": ["bm25-of-ours", "targets"], "depth": "5"}).status_code == 302
        assert PoolRun.objects.get().parameters == {"methods": ["bm25-of-ours", "targets"], "depth": 5}
        again = manager.post(address, {"methods": ["bm25-of-ours"]})
        assert (again.status_code, "are already being built" in text(again)) == (422, True)

    def test_a_search_is_asked_for_by_the_same_form(self, manager: Client) -> None:
        address = reverse("pool_build", args=["tea"])
        numbers = {"query_take": "7", "least": "", "k1": "0.9", "b": "", "stemmer": "porter", "citations": "on"}
        assert manager.post(address, {"search": "own", "scorers": ["bm25"], **numbers}).status_code == 302
        parameters = PoolRun.objects.get().parameters
        assert parameters["methods"] == []
        recipe = {"scorers": ["bm25"], "query_take": 7, "least": 80, "citations": True, "same_category": False}
        assert recipe.items() <= parameters["recipe"].items()
        assert parameters["index"]["analysis"]["stemmer"] == "porter"
        assert (parameters["index"]["k1"], parameters["index"]["b"]) == (0.9, 0.75)

    def test_own_numbers_are_not_dropped_where_another_search_is_chosen(self, manager: Client) -> None:
        form = manager.get(reverse("pool_list", args=["tea"])).context["form"]
        shown = {each.name: each.value() for each in form.own_fields}
        as_sent = {name: value for name, value in shown.items() if value is not False}
        address = reverse("pool_build", args=["tea"])
        for search in ("doris-mae", "none"):
            data = {"methods": ["bm25-of-ours"], "search": search, **as_sent}
            for changed in ({"query_take": "7"}, {"scorers": ["bm25"]}, {"exclude_sources": ""}):
                answer = manager.post(address, data | changed)
                assert (answer.status_code, "which only “Standard search with custom" in text(answer)) == (422, True)
        assert not PoolRun.objects.exists()
        left_empty = {"search": "doris-mae", **as_sent, "query_take": "", "dense": ""}
        assert manager.post(address, left_empty).status_code == 302

    def test_a_viewer_sees_everything_and_changes_nothing(
        self, members: dict[Role, Membership], collection: Collection
    ) -> None:
        viewer = client_of(members, Role.VIEWER)
        for name, arguments in (
            ("run_list", []),
            ("run_detail", [RetrievalRun.objects.get(name="bm25-of-ours").pk]),
            ("pool_list", []),
            ("pool_detail", [topic("1").pk]),
        ):
            page = text(viewer.get(reverse(name, args=["tea", *arguments])))
            assert "bm25-of-ours" in page
            assert 'method="post" action="/c/' not in page

    @pytest.mark.slow
    def test_the_cost_of_pages_does_not_grow_with_runs_and_topics(
        self, manager: Client, collection: Collection, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(3, 20):
            TopicFactory(collection=collection, number=str(number))
        for number in range(8):
            make_run(collection, f"r{number}", {str(n): ["D1", "D2"] for n in range(1, 20)})
        run = RetrievalRun.objects.get(name="r1")
        for name, arguments, most in (
            ("run_list", [], 8),
            ("run_detail", [run.pk], 12),
            ("pool_list", [], 15),
            ("pool_detail", [topic("1").pk], 12),
        ):
            with django_assert_max_num_queries(most):
                assert manager.get(reverse(name, args=["tea", *arguments])).status_code == 200


class TestUploads:
    def send(self, client: Client, kind: str, content: bytes, **data: str) -> ImportRun:
        upload = SimpleUploadedFile("file.txt", content)
        answer = client.post(reverse("import_create", args=["tea", kind]), {"uploads": [upload], **data})
        assert answer.status_code == 302, text(answer)
        run = ImportRun.objects.latest("pk")
        jobs.carry_out(run)
        run.refresh_from_db()
        return run

    def test_a_run(self, manager: Client, collection: Collection) -> None:
        run = self.send(manager, "runs", b"1 Q0 D1 1 nan t\n2 Q0 D1 1 2 t\n", name="uploaded")
        assert (run.created, run.error_count) == (1, 1)
        assert RetrievalRun.objects.get(name="uploaded").rankings.get().docnos == ["D1"]

    def test_a_pool_list_of_two_columns(self, manager: Client, collection: Collection) -> None:
        run = self.send(manager, "pool", b"2 D1\n2 D9\n", method="picked")
        assert (run.created, run.error_count) == (1, 1)
        assert PoolEntry.objects.get(topic=topic("2")).sources.get().method == "picked"


class TestBlindness:
    """No page, header, count or API answer shows an annotator where documents come from."""

    def test_what_is_not_there_is_refused_as_what_is_there(self, members: dict[Role, Membership]) -> None:
        annotator = client_of(members, Role.ANNOTATOR)
        assert annotator.get(reverse("run_detail", args=["tea", 10**6])).status_code == 403
        assert annotator.get(reverse("pool_detail", args=["tea", 10**6])).status_code == 403

    def test_pages_they_may_open_reveal_nothing(self, members: dict[Role, Membership], collection: Collection) -> None:
        annotator = client_of(members, Role.ANNOTATOR)
        for address in (
            "/",
            reverse("collection_dashboard", args=["tea"]),
            reverse("topic_list", args=["tea"]),
            reverse("topic_detail", args=["tea", topic("1").pk]),
            reverse("document_list", args=["tea"]),
            reverse("document_detail", args=["tea", "D6"]),
            reverse("document_detail", args=["tea", "D2"]),
        ):
            answer = annotator.get(address)
            assert answer.status_code == 200
            text = answer.content.decode() + str(answer.headers)
            assert not [secret for secret in SECRETS if secret in text], address
            assert "/runs/" not in text
            assert "/pool" not in text


class TestApi:
    @pytest.fixture
    def ask(self, members: dict[Role, Membership], collection: Collection) -> Any:
        def ask(role: Role, path: str, method: str = "GET", data: Any = None) -> Any:
            _, key = make_token(members[role].user)
            return Client().generic(
                method,
                f"/api/collections/tea/{path}",
                json.dumps(data) if data is not None else "",
                content_type="application/json",
                headers={"Authorization": f"Bearer {key}"},
            )

        return ask

    def test_runs_are_listed(self, ask: Any) -> None:
        first, second = ask(Role.VIEWER, "runs/").json()["results"]
        assert {key: first[key] for key in ("name", "topics", "rows", "deepest")} == {
            "name": "bm25-of-ours", "topics": 2, "rows": 4, "deepest": 3,
        }  # fmt: skip
        assert second["name"] == "dense-retriever"

    def test_a_pool_comes_in_pages_with_its_provenance(self, ask: Any) -> None:
        page = ask(Role.ADJUDICATOR, "topics/1/pool/?page_size=3").json()
        assert page["results"][1] == {
            "docno": "D2",
            "sources": [{"method": "bm25-of-ours", "rank": 2}, {"method": "dense-retriever", "rank": 2}],
        }
        assert (len(page["results"]), page["previous"]) == (3, None)
        rest = ask(Role.ADJUDICATOR, page["next"].split("/tea/")[1]).json()
        assert [entry["docno"] for entry in rest["results"]] == ["D5"]
        assert ask(Role.ADJUDICATOR, "topics/99/pool/").status_code == 404

    def test_pools_are_built_followed_and_cancelled(self, ask: Any) -> None:
        answer = ask(Role.MANAGER, "pools/", "POST", {"methods": ["dense-retriever"], "depth": 3})
        assert answer.status_code == 202
        build = answer.json()
        assert (build["state"], build["depth"], build["methods"]) == ("queued", 3, {})
        assert ask(Role.MANAGER, "pools/", "POST", {}).status_code == 409
        assert ask(Role.VIEWER, "pools/").json()["results"][0]["id"] == build["id"]
        assert ask(Role.VIEWER, f"pools/{build['id']}/").json()["state"] == "queued"
        assert ask(Role.VIEWER, f"pools/{build['id']}/", "DELETE").status_code == 403
        assert ask(Role.MANAGER, f"pools/{build['id']}/", "DELETE").json()["state"] == "cancelled"
        assert ask(Role.MANAGER, f"pools/{build['id']}/", "DELETE").status_code == 409
        searched = ask(Role.MANAGER, "pools/", "POST", {"recipe": {"scorers": ["bm25"], "query_take": 5}})
        assert searched.status_code == 202
        assert {"scorers": ["bm25"], "query_take": 5, "fused_take": 25}.items() <= searched.json()["recipe"].items()
        assert ask(Role.MANAGER, "pools/", "POST", {"recipe": {"scorers": ["splade"]}}).status_code == 400
        PoolRun.objects.filter(pk=searched.json()["id"]).delete()
        unknown = ask(Role.MANAGER, "pools/", "POST", {"methods": ["splade"]})
        assert (unknown.status_code, "There is no run splade" in unknown.json()["detail"]) == (422, True)

    def test_annotators_are_refused_without_a_hint(self, ask: Any) -> None:
        for path in ("runs/", "topics/1/pool/", "topics/99/pool/", "pools/", "pools/1/"):
            answer = ask(Role.ANNOTATOR, path)
            assert answer.status_code == 403
            assert not [secret for secret in SECRETS if secret in answer.content.decode()]
        for path in ("topics/", "topics/1/", "documents/", "documents/D2/"):
            answer = ask(Role.ANNOTATOR, path)
            assert answer.status_code == 200
            text = answer.content.decode().replace('"targets":[]', "")  # nothing is said of them
            assert not [secret for secret in SECRETS if secret in text]


class TestAskingAgain:
    def test_the_page_warns_and_offers_the_next_answer(self, manager: Client, collection: Collection) -> None:
        settings = {"topics": "all", "run": "bm25-of-ours", "top": 7, "model": "stub"}
        facts = {"recipe": "rerank", "settings": settings, "recipe_hash": "1f", "inputs": {"documents": "2e"}}
        facts |= {"seconds": 1.5, "cost": None, "code_version": "1", "counts": {"answers": 2}, "without_documents": 0}
        facts |= {"same_order": {"bm25-of-ours": 2}, "warnings": ["It ranks every topic as before."]}
        run = make_run(collection, "lazy", {"1": ["D1"]})
        run.parameters = facts
        run.save()
        page = text(manager.get(reverse("run_detail", args=[collection.slug, run.pk])))
        assert "It ranks every topic as before." in page
        assert "Same ranking as bm25-of-ours: 2 topics" in page
        address = f"{reverse('run_create', args=[collection.slug])}?recipe=rerank&again={run.pk}"
        assert address.replace("&", "&amp;") in page
        shown = manager.get(address).context
        assert shown["named"]["name"].value() == "lazy-2"
        assert {name: shown["form"][name].value() for name in ("answer", "top", "model")} == {
            "answer": 2,
            "top": 7,
            "model": "stub",
        }
        plain = make_run(collection, "plain", {"1": ["D1"]})
        assert "Ask again" not in text(manager.get(reverse("run_detail", args=[collection.slug, plain.pk])))
        unknown = {"recipe": "rerank", "again": "x9"}
        assert manager.get(reverse("run_create", args=[collection.slug]), unknown).status_code == 200
