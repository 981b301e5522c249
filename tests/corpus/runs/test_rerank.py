"""Reranking by a chat model, asked of a real HTTP server, and the versions of its prompts."""

import hashlib
import json
import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.management import call_command

from accounts import jobs
from accounts.job_kinds import Progress
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.endpoints.changes import add_endpoint
from corpus.models import Collection, PaidAnswer, PromptTemplate, RetrievalRun, RunMaking, Topic
from corpus.questions.prompts import write_rerank_prompt
from corpus.runs.files import metadata_text
from corpus.runs.jobs import RunMakingJob
from corpus.runs.recipes.rerank import order_in, windows
from corpus.runs.runs import recipe_named, request_run
from engines.text.reranking import STARTERS, USUAL
from tests.corpus.runs.conftest import TOPICS
from tests.corpus.runs.recipes import docnos, made
from tests.factories.accounts import AT
from tests.factories.corpus import make_run
from tests.stubs.chat import Answer, Call, ChatStub, Status, Step

pytestmark = pytest.mark.usefixtures("paced")


class TestRerank:
    @pytest.fixture
    def chat(self, settings: Any) -> Any:
        def use(stub: ChatStub) -> None:
            settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "ranker"

        return use

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ("[3] > [1]", [2, 0, 1]),
            ("3, 3, 9, 0 and 2", [2, 1, 0]),
            ("Sorry.", None),
            ("[7]", None),
            ("Of the 3 papers, 2 are on tea: [2] > [1] > [3]", [1, 0, 2]),
        ],
    )
    def test_every_number_is_a_place(self, answer: str, expected: list[int] | None) -> None:
        assert order_in(answer, 3) == expected

    def test_windows_slide_up_and_end_at_the_first(self) -> None:
        assert windows(100, 0, 10) == windows(100, 100, 10) == [(0, 100)]
        assert windows(10, 4, 3) == [(6, 10), (3, 7), (0, 4)]

    def test_windows_must_not_leave_documents_out(self, collection: Collection, chat: Any) -> None:
        with ChatStub(["[1]"]) as stub:
            chat(stub)
            with pytest.raises(Refused, match="must not slide by 3"):
                made(collection, "x", "rerank", run="first", window=2, step=3)

    @pytest.mark.slow
    def test_equal_questions_are_asked_and_paid_once(self, collection: Collection, chat: Any, settings: Any) -> None:
        collection.topics.update(text="tea")
        with ChatStub([Answer("[2] > [1]", usage=(1000, 0))]) as stub:
            chat(stub)
            settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = 1
            made(collection, "reranked", "rerank", run="first")
            assert len(stub.calls) == 1
            made(collection, "again", "rerank", run="first")
            assert len(stub.calls) == 1
        again = RetrievalRun.objects.get(name="again")
        assert float(again.parameters["cost"]) == pytest.approx(0.001), "an answer that topics share counts once"
        run = RetrievalRun.objects.get(name="reranked")
        assert float(run.parameters["cost"]) == pytest.approx(0.001)
        assert {tuple(ranking.docnos) for ranking in run.rankings.all()} == {("D2", "D1", "D3", "D4")}

    def test_an_endpoint_of_staff_makes_the_run_that_the_same_model_makes_elsewhere(
        self, collection: Collection, chat: Any, settings: Any
    ) -> None:
        settings.INNER_ADDRESSES = (ip_network("127.0.0.1/32"),)
        with ChatStub([Answer("[2] > [1]", usage=(1000, 0))]) as stub:
            chat(stub)
            add_endpoint(
                by=None,
                at=AT,
                name="ours",
                purpose="chat",
                address=stub.url,
                key="sk-ours",
                models=["ranker"],
                price_in=1,
                price_out=1,
                per_minute=0,
                collections=["tea"],
            )
            ours = made(collection, "ours", "rerank", run="first", endpoint="ours")
            assert (ours.state, len(stub.calls)) == (JobState.DONE, TOPICS)
            assert {call.headers["authorization"] for call in stub.calls} == {"Bearer sk-ours"}
            usual = made(collection, "usual", "rerank", run="first")
            assert len(stub.calls) == TOPICS, "what a model answered is not asked again elsewhere"
        assert ours.recipe_hash == usual.recipe_hash
        assert [each.parameters["settings"]["endpoint"] for each in (ours, usual)] == ["ours", "default"]
        assert float(RetrievalRun.objects.get(name="ours").parameters["cost"]) == pytest.approx(TOPICS * 0.001)
        with pytest.raises(Refused, match="no model “other”"):
            made(collection, "other", "rerank", run="first", endpoint="ours", model="other")
        with pytest.raises(Refused, match="no model endpoint “theirs”"):
            made(collection, "other", "rerank", run="first", endpoint="theirs")

    def test_the_answers_are_the_order_and_unparsed_ones_are_counted(
        self, collection: Collection, chat: Any, settings: Any
    ) -> None:
        def answer(call: Call) -> Step:
            return Answer("none" if "sort 2\n" in call.prompt else "[3] > [1]", usage=(1000, 10))

        with ChatStub(answer) as stub:
            chat(stub)
            settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = 1
            job = made(collection, "reranked", "rerank", run="first", top=3)
            assert (job.state, job.reason) == (JobState.DONE, "")
            assert len(stub.calls) == TOPICS
            assert "[3] Tea 3 tea tea tea" in stub.calls[0].prompt
            assert docnos("reranked") == ["D3", "D1", "D2", "D4"]
            assert docnos("reranked", "2") == ["D1", "D2", "D3", "D4"]
            found = RetrievalRun.objects.get(name="reranked").parameters
            assert found["counts"] == {
                "answers": TOPICS - 1,
                "documents that answers left unnamed, which keep the old order": TOPICS - 1,
                "documents that answers were asked to order": 3 * (TOPICS - 1),
                "invalid answers, which keep the old order": 1,
            }
            assert (found["same_order"], found["warnings"]) == ({"first": 1}, [])
            assert float(found["cost"]) == pytest.approx(TOPICS * 1010 / 1e6)
            assert made(collection, "reranked", "rerank", run="first", top=3).state == JobState.DONE
            assert len(stub.calls) == TOPICS, "made again without asking again"

    def test_answers_that_name_few_documents_are_counted_and_a_run_equal_to_its_base_is_warned_of(
        self, collection: Collection, chat: Any, capsys: Any
    ) -> None:
        asked = ["make_run", "tea", "lazy", "--recipe", "rerank", "--run", "first", "--json"]
        with ChatStub(["[1]"]) as stub:
            chat(stub)
            call_command(*asked)
        printed = capsys.readouterr()
        found = json.loads(printed.out)
        assert found["counts"] == {
            "answers": TOPICS,
            "answers that name fewer than half of their documents": TOPICS,
            "documents that answers left unnamed, which keep the old order": 3 * TOPICS,
            "documents that answers were asked to order": 4 * TOPICS,
        }
        assert found["same_order"] == {"first": TOPICS}
        assert found["warnings"] == [
            "It ranks every topic exactly like the run first, so its results will be the same.",
            f"{TOPICS} of {TOPICS} answers that name fewer than half of their documents; the others keep their order.",
        ]
        assert all(each in printed.err for each in found["warnings"])
        made(collection, "fused", "fusion", runs=["first", "lazy"])  # of any recipe that starts from runs
        assert RetrievalRun.objects.get(name="fused").parameters["same_order"] == dict.fromkeys(
            ("first", "lazy"), TOPICS
        )

    @pytest.mark.slow
    def test_kept_answers_are_asked_for_again_where_they_are_poor_or_all(
        self, collection: Collection, chat: Any
    ) -> None:
        def first(call: Call) -> Step:
            return "[2]" if "sort 2\n" in call.prompt else "[2] > [1]"

        with ChatStub(first) as stub:
            chat(stub)
            made(collection, "one", "rerank", run="first")
        assert "answer" not in RetrievalRun.objects.get(name="one").parameters["settings"]  # its hash is the old one
        with ChatStub(["[4] > [3]"]) as stub:
            chat(stub)
            made(collection, "two", "rerank", run="first", answer=2)
            assert len(stub.calls) == 1
            assert (docnos("two", "2"), docnos("two", "3")) == (["D4", "D3", "D1", "D2"], docnos("one", "3"))
            made(collection, "all", "rerank", run="first", answer=2, again="all")
            assert len(stub.calls) == TOPICS  # the second answer about sort 2 was kept
            assert docnos("all", "3") == ["D4", "D3", "D1", "D2"]
            made(collection, "one", "rerank", run="first")
            assert len(stub.calls) == TOPICS  # and so were the first answers
        assert docnos("one", "2") == ["D2", "D1", "D3", "D4"]

    def test_an_endpoint_that_dies_loses_nothing_and_is_not_paid_twice(self, collection: Collection, chat: Any) -> None:
        with ChatStub(lambda call: "[2] > [1]" if call.number < 15 else Status(500)) as stub:
            chat(stub)
            job = made(collection, "reranked", "rerank", run="first")
        assert job.state == JobState.FAILED
        assert "15 answers that came are kept" in job.reason
        assert not RetrievalRun.objects.filter(name="reranked").exists()
        assert PaidAnswer.objects.count() == 15
        with ChatStub(["[2] > [1]"]) as stub:
            chat(stub)
            job = made(collection, "reranked", "rerank", run="first")
            assert len(stub.calls) == TOPICS - 15
        assert (job.state, docnos("reranked", "20")) == (JobState.DONE, ["D2", "D1", "D3", "D4"])

    @pytest.mark.slow
    @pytest.mark.timeout(600)
    def test_an_endpoint_that_dies_at_item_90_of_100(self, collection: Collection, chat: Any, settings: Any) -> None:
        """Nothing is lost, nothing is paid twice; the run made then is that of an endpoint that lives."""
        n, dies = 100, 90
        Topic.objects.bulk_create(
            Topic(collection=collection, number=str(each), text=f"tea of sort {each}", position=each)
            for each in range(TOPICS + 1, n + 1)
        )
        make_run(collection, "long", {str(each): ["D1", "D2", "D3", "D4"] for each in range(1, n + 1)})
        settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = 1
        answered = Answer("[2] > [1]", usage=(1000, 0))
        with ChatStub(lambda call: answered if call.number < dies else Status(500)) as stub:
            chat(stub)
            job = made(collection, "reranked", "rerank", run="long")
        assert job.state == JobState.FAILED
        assert f"{dies} answers that came are kept" in job.reason
        assert PaidAnswer.objects.count() == dies
        assert not RetrievalRun.objects.filter(name="reranked").exists()
        with ChatStub([answered]) as stub:
            chat(stub)
            job = made(collection, "reranked", "rerank", run="long")
            assert len(stub.calls) == n - dies
        assert (job.state, job.reason) == (JobState.DONE, "")
        run = RetrievalRun.objects.get(name="reranked")
        assert {tuple(ranking.docnos) for ranking in run.rankings.all()} == {("D2", "D1", "D3", "D4")}
        assert run.rankings.count() == n
        paid = sum(cost for cost in PaidAnswer.objects.values_list("cost", flat=True) if cost is not None)
        assert float(paid) == float(run.parameters["cost"]) == pytest.approx(n / 1_000)

    @pytest.mark.slow
    def test_cancelling_keeps_what_was_paid_and_says_so(self, collection: Collection, chat: Any, settings: Any) -> None:
        class Watched(Progress):
            def check(self) -> None:
                if PaidAnswer.objects.count() >= 5:
                    jobs.cancel(job, at=AT)
                super().check()

        def work(job: RunMaking, progress: Progress) -> None:
            RunMakingJob("runs").work(job, Watched(job))

        with ChatStub(["[2] > [1]"]) as stub:
            chat(stub)
            job = request_run(
                by=None,
                at=AT,
                collection=collection,
                name="reranked",
                recipe=recipe_named("rerank"),
                options={"run": "first"},
                send=False,
            )
            jobs.carry_out(job, work)
            job.refresh_from_db()
            kept = PaidAnswer.objects.count()
            assert (job.state, len(stub.calls)) == (JobState.CANCELLED, kept)
            assert "what an endpoint has answered is kept" in job.reason
            assert made(collection, "reranked", "rerank", run="first").state == JobState.DONE
            assert len(stub.calls) == TOPICS

    @pytest.mark.slow
    def test_a_small_window_carries_the_best_to_the_front(self, collection: Collection, chat: Any) -> None:
        def last_first(call: Call) -> Step:
            numbers = re.findall(r"^\[([0-9])\] Tea ([0-9])", call.prompt, re.MULTILINE)
            return " > ".join(f"[{place}]" for place, tea in sorted(numbers, key=lambda pair: pair[1], reverse=True))

        with ChatStub(last_first) as stub:
            chat(stub)
            made(collection, "slid", "rerank", run="first", window=2, step=1)
            assert len(stub.calls) == 3 * TOPICS
        assert docnos("slid") == ["D4", "D1", "D2", "D3"]

    def test_without_a_model_nothing_is_asked(self, collection: Collection) -> None:
        with pytest.raises(Refused, match="LITMUS_LLM_BASE_URL"):
            made(collection, "x", "rerank", run="first")


class TestRerankPrompts:
    """What a model is sent is a prompt in a version that never changes, which the run keeps word for word."""

    @pytest.fixture(autouse=True)
    def chat(self, settings: Any) -> Iterator[ChatStub]:
        with ChatStub(["[2] > [1]"]) as stub:
            settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "ranker"
            yield stub

    @pytest.mark.slow
    def test_one_to_begin_with_becomes_version_1_and_its_words_are_kept(
        self, collection: Collection, chat: ChatStub
    ) -> None:
        made(collection, "usual", "rerank", run="first")
        made(collection, "turns", "rerank", run="first", prompt="Turns")
        assert [str(each) for each in PromptTemplate.objects.order_by("name")] == [
            f"{USUAL}, version 1",
            "Turns, version 1",
        ]
        for name, prompt, body in (("usual", USUAL, STARTERS[USUAL]), ("turns", "Turns", STARTERS["Turns"])):
            facts = RetrievalRun.objects.get(name=name).parameters
            assert facts["settings"]["prompt"] == f"{prompt}@1"
            digest = hashlib.sha256(body.encode()).hexdigest()
            assert facts["prompt"] == {"name": prompt, "version": 1, "sha256": digest, "body": body}
        first, last = chat.calls[0].body["messages"], chat.calls[-1].body["messages"]
        assert [each["role"] for each in first] == ["system", "user"]
        assert len(last) == 3 + 2 * 4 + 1
        assert last[3]["content"] == "[1] Title: Tea 1\nAbstract: tea"
        text = metadata_text(RetrievalRun.objects.get(name="turns"))
        assert f'sha256: "{hashlib.sha256(STARTERS["Turns"].encode()).hexdigest()}"' in text
        assert "for each paper" in text

    def test_a_new_version_changes_no_run_that_was_requested_before(
        self, collection: Collection, chat: ChatStub
    ) -> None:
        words = "--- user\n{query}: order these.\n\n{papers}"
        old = write_rerank_prompt(by=None, at=AT, collection=collection, name="Short", body=words)
        job = request_run(
            by=None, at=AT, collection=collection, name="old", recipe=recipe_named("rerank"),
            options={"run": "first", "prompt": "Short"}, send=False,
        )  # fmt: skip
        write_rerank_prompt(by=None, at=AT, collection=collection, name="Short", body=words + "\nPlease.")
        jobs.carry_out(job)
        assert not chat.calls[-1].prompt.endswith("Please.")
        made(collection, "new", "rerank", run="first", prompt="Short")
        assert chat.calls[-1].prompt.endswith("Please.")
        found = {each.name: each.parameters["prompt"] for each in RetrievalRun.objects.filter(name__in=("old", "new"))}
        assert (found["old"]["sha256"], found["old"]["version"], found["new"]["version"]) == (old.sha256, 1, 2)
        made(collection, "again", "rerank", run="first", prompt="Short@1")
        assert len(chat.calls) == 2 * TOPICS, "what version 1 was answered is kept"

    def test_what_is_no_prompt_is_refused(self, collection: Collection) -> None:
        with pytest.raises(Refused, match=f"There are: {USUAL}, Turns"):
            made(collection, "x", "rerank", run="first", prompt="Short")
        with pytest.raises(Refused, match="Show the papers once"):
            write_rerank_prompt(by=None, at=AT, collection=collection, name="Short", body="--- user\n{query}")
        assert not PromptTemplate.objects.exists()

    def test_a_run_that_was_requested_before_prompts_had_versions_asks_as_then(
        self, collection: Collection, chat: ChatStub
    ) -> None:
        job = request_run(
            by=None, at=AT, collection=collection, name="old", recipe=recipe_named("rerank"),
            options={"run": "first"}, send=False,
        )  # fmt: skip
        del job.parameters["settings"]["prompt"], job.parameters["prompt"]
        job.save()
        jobs.carry_out(job)
        assert docnos("old") == ["D2", "D1", "D3", "D4"]
        assert "Here are 4 papers, each after its number in brackets." in chat.calls[0].prompt
