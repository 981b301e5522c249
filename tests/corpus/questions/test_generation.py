"""Questions from citation mentions, asked of a real HTTP stub: whatever it answers, nothing is lost or paid twice."""

from decimal import Decimal
from ipaddress import ip_network

import pytest

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.endpoints.changes import add_endpoint, remove_endpoint
from corpus.models import GeneratedQuestion, Outcome, QuestionRun, QuestionState, Role, Topic
from corpus.questions.decisions import discard_question
from corpus.questions.generation import continue_questions, request_questions, write_question_prompt
from corpus.questions.mentions import MentionFilter
from corpus.questions.question_runs import estimate_questions, prompt_body, run_figures
from corpus.topics.origins import fetch_origin
from tests.corpus.questions.generating import GOOD, generate, one
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.corpus import TopicFactory
from tests.stubs.chat import Answer, ChatStub, CutOff, Garbage, Hang, Status


@pytest.fixture
def manager(collection):
    return MembershipFactory(collection=collection, role=Role.MANAGER).user


# --- the good way -----------------------------------------------------------------------------------------------------


def test_questions_become_topics_with_targets_and_origin(manager, collection, mentions, document, quick):
    quick.LLM_PRICE_IN, quick.LLM_PRICE_OUT = Decimal(1), Decimal(10)
    answers = [GOOD.replace("leaves", each) for each in ("leaves", "buds", "stems")]
    run, stub = generate(manager, collection, quick, answers)
    assert (run.state, run.done, run.total, run.model) == (JobState.DONE, 3, 3, "stub")
    assert stub.calls[0].body["model"] == "stub"
    assert "cooler water {cite_001}, as was found for white tea as well {cite_002}." in stub.calls[0].prompt
    assert "- cite_001: Green tea infusion temperatures" in stub.calls[0].prompt
    topic = Topic.objects.get(source="inline-inside")
    assert (topic.text, topic.kind) == ("Which leaves want water that has cooled down?", "question")
    assert [target.document for target in topic.targets.all()] == [document]
    assert Topic.objects.filter(source="inline-outside").count() == 2
    origin = fetch_origin(topic)
    assert origin.mention == mentions[0]
    assert [piece.text for piece in origin.pieces if piece.is_target] == ["[1]"]
    assert (origin.template.version, origin.reply.text) == (1, answers[0])
    figures = run_figures(collection, run)
    assert (figures.mentions, figures.asked, figures.questions) == (3, 3, 3)
    assert (figures.prompt_tokens, figures.completion_tokens) == (300, 60)
    assert figures.spending.whole == Decimal("0.0009")
    assert [(s.source, s.kept) for s in figures.sources] == [("inline-inside", 1), ("inline-outside", 2)]
    assert AuditEvent.objects.filter(verb="generate_questions").count() == 1


def test_the_same_sample_again_only_if_wanted(manager, collection, mentions, quick):
    generate(manager, collection, quick, ["NONE"], criteria=MentionFilter(sample=2, seed=5))
    run, stub = generate(manager, collection, quick, ["NONE"], criteria=MentionFilter(used="no"))
    assert run.total == len(stub.calls) == 1


def test_a_changed_prompt_is_a_new_version_and_old_runs_keep_theirs(manager, collection, mentions, quick):
    first, _ = generate(manager, collection, quick, ["NONE"])
    write_question_prompt(by=manager, at=AT, collection=collection, body=prompt_body(collection) + "\nBe brief.")
    second, stub = generate(manager, collection, quick, ["NONE"])
    assert (first.template.version, second.template.version) == (1, 2)
    assert stub.calls[0].prompt.endswith("Be brief.")
    with pytest.raises(Refused, match="does not hold"):
        write_question_prompt(by=manager, at=AT, collection=collection, body="Write questions.")


def test_an_estimate_costs_nothing(manager, collection, mentions, quick):
    quick.LLM_PRICE_IN, quick.LLM_PRICE_OUT, quick.LLM_RATE = Decimal(1), Decimal(2), 6
    quick.LLM_BASE_URL, quick.LLM_MODEL = "http://127.0.0.1:1/v1", "wise"
    estimate = estimate_questions(collection, MentionFilter(), prompt_body(collection))
    assert (estimate.mentions, estimate.inside, estimate.outside) == (3, 1, 2)
    assert estimate.prompt_tokens > 3 * 500
    assert estimate.completion_tokens == 450
    assert estimate.cost == (Decimal(estimate.prompt_tokens) + 900) / 1_000_000
    assert estimate.minutes == pytest.approx(0.5)
    assert not QuestionRun.objects.exists()


# --- the overlap filter -----------------------------------------------------------------------------------------------


def test_what_repeats_the_title_is_filtered_by_the_cutoff_of_its_source(manager, collection, mentions, quick):
    """A quarter of the words stand in the title: within 0.3 of sources inside, above 0.1 of those outside."""

    def answer(call):
        return f"QUESTION: Which Green leaf {'abc'[call.number]}?\nANSWER: cite_001"

    run, _ = generate(manager, collection, quick, answer)
    questions = list(GeneratedQuestion.objects.order_by("pk"))
    assert [question.state for question in questions] == ["kept", "filtered", "filtered"]
    assert [question.overlap_titles for question in questions] == [0.25] * 3
    assert questions[1].problem == "A share of 0.25 of its words are in the titles; the cut-off is 0.1."
    assert Topic.objects.count() == 1
    outside = run_figures(collection, run).sources[1]
    assert (outside.questions, outside.kept, outside.filtered) == (2, 0, 2)


def test_shares_of_filtered_are_of_questions_that_could_be_kept_and_not_added_over_runs(
    manager, collection, mentions, quick
):
    asked = {"Which leaves?": 1, "Which Leaves, again?": 1, "Green tea infusion temperatures?": 1, "Which buds?": 9}
    asked |= {"Which stems?": 1}
    text = "\n".join(f"QUESTION: {words}\nANSWER: cite_00{key}" for words, key in asked.items())
    run, _ = generate(manager, collection, quick, [text.replace("again", "or not"), "NONE", "NONE"])
    (source,) = run_figures(collection, run).sources
    assert (source.questions, source.keepable, source.kept, source.filtered) == (5, 4, 3, 1)
    assert (source.became_percent, source.filtered_percent) == (75, 25)
    discard_question(by=manager, at=AT, question=GeneratedQuestion.objects.get(state="filtered"))
    discard_question(by=manager, at=AT, question=GeneratedQuestion.objects.get(state="unknown-keys"))
    discard_question(by=manager, at=AT, question=GeneratedQuestion.objects.filter(state="kept")[0])
    (source,) = run_figures(collection, run).sources  # what a person decided changes nothing that was filtered
    assert (source.questions, source.keepable, source.kept, source.filtered) == (5, 4, 2, 1)
    Topic.objects.filter(generated_question__state="kept").first().delete()
    (source,) = run_figures(collection, run).sources
    assert (source.keepable, source.kept, source.lost, source.filtered) == (4, 1, 1, 1)
    assert "of the 4 that could be kept, 2 became topics (1 deleted since) and 1 (25%) did not" in source.about_filter
    assert run_figures(collection).asked_again == 0
    generate(manager, collection, quick, [text], criteria=MentionFilter(source="inside"))
    assert run_figures(collection).asked_again == 1
    assert run_figures(collection, run).asked_again == 0


def test_kept_answers_are_asked_for_again_and_stay_with_the_new_ones(manager, collection, mentions, quick):
    run, _ = generate(manager, collection, quick, ["Hm.", GOOD, Answer("QUESTION: Wh", finish_reason="length")])
    with pytest.raises(Refused, match="All questions have been answered"):
        continue_questions(by=manager, at=AT, run=run, send=False)
    with ChatStub([GOOD.replace("leaves", "buds"), "Hm, again."]) as stub:
        quick.LLM_BASE_URL = stub.url
        jobs.carry_out(continue_questions(by=manager, at=AT, run=run, ask_again=True, send=False))
    assert len(stub.calls) == 2
    first, second, third = run.replies.order_by("position")
    assert [reply.outcome for reply in (first, second, third)] == ["questions", "questions", "unparseable"]
    assert [(each["text"], each["outcome"]) for each in first.earlier] == [("Hm.", "unparseable")]
    assert (second.earlier, [each["outcome"] for each in third.earlier]) == ([], ["cut-off"])
    assert (first.prompt_tokens, second.prompt_tokens) == (200, 100)  # both answers were paid for


def test_answers_asked_for_again_are_counted_together_only_where_each_was_counted(manager, collection, mentions, quick):
    """The count of the last answer alone was taken for that of all."""
    uncounted, counted = Answer("Hm.", usage=None), Answer("Hm.", usage=(100, 20))
    run, _ = generate(manager, collection, quick, [uncounted], criteria=MentionFilter(sample=1))
    for step in (counted, counted):
        with ChatStub([step]) as stub:
            quick.LLM_BASE_URL = stub.url
            jobs.carry_out(continue_questions(by=manager, at=AT, run=run, ask_again=True, send=False))
    reply = run.replies.get()
    assert (len(reply.earlier), reply.prompt_tokens, reply.completion_tokens) == (2, None, None)


def test_other_cutoffs_and_no_cutoffs(manager, collection, mentions, quick):
    text = "QUESTION: Green tea infusion temperatures?\nANSWER: cite_001"
    reply = one(manager, collection, quick, text, cutoff_inside=None, cutoff_outside=None)
    assert reply.questions.get().state == QuestionState.KEPT
    with pytest.raises(Refused, match="share from 0 to 1"):
        one(manager, collection, quick, text, cutoff_inside=1.5)


def test_as_litsearch_coded_it(manager, collection, mentions, quick):
    text = "QUESTION: What about green tea infusion?\nANSWER: cite_001"
    reply = one(manager, collection, quick, text)
    question = reply.questions.get()
    assert reply.run.overlap_definition == "litsearch-code"
    assert question.overlap_titles == pytest.approx(1 / 5)  # “green” and “infusion?” do not count as written


# --- answers that are none --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        ("Sure, here are some questions!", Outcome.UNPARSEABLE, "no line that begins with QUESTION:"),
        (Answer(""), Outcome.UNPARSEABLE, "empty"),
        (Answer(None), Outcome.UNPARSEABLE, "empty"),
        ("I'm sorry, but I cannot do that.", Outcome.REFUSAL, "would not answer"),
        (Answer(None, refusal="Not with me."), Outcome.REFUSAL, "Not with me."),
        (Answer("", finish_reason="content_filter"), Outcome.REFUSAL, "withheld"),
        (Answer(GOOD + "\nQUESTION: And wh", finish_reason="length"), Outcome.CUT_OFF, "length limit of answers"),
        ("NONE", Outcome.NONE, ""),
        (Status(400), Outcome.NO_ANSWER, "400"),
        (Status(500), Outcome.NO_ANSWER, "500"),
        (CutOff(), Outcome.NO_ANSWER, "connection failed"),
        (Garbage(), Outcome.NO_ANSWER, "not a chat completion"),
    ],
)
def test_answers_that_are_none_are_kept_as_such(manager, collection, mentions, quick, step, outcome, words):
    reply = one(manager, collection, quick, step)
    assert reply.outcome == outcome
    assert words in reply.problem
    assert reply.run.state == JobState.DONE
    assert not Topic.objects.exists()
    assert reply.answered_at is not None
    if isinstance(step, Answer | str):
        assert reply.text == (step if isinstance(step, str) else step.text or "")


@pytest.mark.slow
def test_a_time_out_is_tried_again(manager, collection, mentions, quick):
    quick.LLM_TIMEOUT = 1
    with ChatStub([Hang(20), GOOD]) as stub:
        quick.LLM_BASE_URL = stub.url
        run = request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(sample=1), send=False)
        jobs.carry_out(run)
    assert len(stub.calls) == 2
    assert run.replies.get().outcome == Outcome.QUESTIONS


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("QUESTION: Why?\nANSWER: cite_009", QuestionState.UNKNOWN_KEYS, "names cite_009"),
        ("QUESTION: Why?\nANSWER: cite_002", QuestionState.NO_TARGETS, "None of the papers"),
        ("QUESTION: Why?\nANSWER:", QuestionState.NO_TARGETS, "names no paper"),
        ("QUESTION: Why <b>so</b>?\nANSWER: cite_001", QuestionState.MARKUP, "HTML"),
        (f"QUESTION: {'why ' * 5_000}\nANSWER: cite_001", QuestionState.TOO_LONG, "19,999 characters"),
    ],
)
def test_doubtful_questions_are_kept_with_the_reason_and_are_no_topics(
    manager, collection, mentions, quick, text, state, words
):
    reply = one(manager, collection, quick, text)
    question = reply.questions.get()
    assert question.state == state
    assert words in question.problem
    assert reply.text == text
    assert not Topic.objects.exists()


def test_equal_questions_are_one_topic(manager, collection, mentions, quick):
    TopicFactory(collection=collection, number="old", text="Which leaves want water that has cooled DOWN")
    twice = "QUESTION: How cool?\nANSWER: cite_001\nQUESTION: how  cool\nANSWER: cite_001\n"
    run, _ = generate(manager, collection, quick, lambda call: twice + GOOD)
    problems = list(GeneratedQuestion.objects.filter(reply__position=0).values_list("state", "problem"))
    assert problems == [
        ("kept", ""),
        ("repeated", f"It equals question 1 of run {run.pk}, mention 1."),
        ("repeated", "It equals topic old."),
    ]
    assert Topic.objects.count() == 2


def test_a_good_question_next_to_a_bad_one_is_kept(manager, collection, mentions, quick):
    reply = one(manager, collection, quick, GOOD + "\nQUESTION: Why?\nANSWER: cite_077")
    assert [question.state for question in reply.questions.all()] == ["kept", "unknown-keys"]


def test_characters_that_cannot_be_stored_do_not_lose_an_answer(manager, collection, mentions, quick):
    reply = one(manager, collection, quick, "a\0b \ud800")
    assert reply.text.startswith("a\ufffdb")


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_without_a_model_or_mentions_nothing_begins(manager, collection, quick):
    quick.LLM_BASE_URL = ""
    with pytest.raises(Refused, match="LITMUS_LLM_BASE_URL"):
        request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
    quick.LLM_BASE_URL = "http://127.0.0.1:1/v1"
    with pytest.raises(Refused, match="No usable mention"):
        request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)


def test_one_run_at_a_time_and_only_for_managers(manager, collection, mentions, quick):
    quick.LLM_BASE_URL = "http://127.0.0.1:1/v1"
    run = request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
    with pytest.raises(Conflict):
        request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
    with pytest.raises(Conflict):
        continue_questions(by=manager, at=AT, run=run, send=False)
    viewer = MembershipFactory(collection=collection, role=Role.VIEWER).user
    with pytest.raises(NotAllowed):
        request_questions(by=viewer, at=AT, collection=collection, criteria=MentionFilter(), send=False)
    with pytest.raises(NotAllowed):
        cancel_job(by=viewer, at=AT, job=run)


def test_an_endpoint_of_staff_is_asked_at_its_prices_and_its_run_cannot_go_on_without_it(
    manager, collection, mentions, quick
):
    quick.INNER_ADDRESSES = (ip_network("127.0.0.1/32"),)
    with ChatStub([Answer(GOOD, usage=(1000, 100)), Status(401)]) as stub:
        ours = add_endpoint(
            by=None,
            at=AT,
            name="ours",
            purpose="chat",
            address=stub.url,
            models=["wise"],
            key="sk-ours",
            price_in=1,
            price_out=10,
            per_minute=0,
            collections=["tea"],
        )
        quick.LLM_BASE_URL, quick.LLM_PRICE_IN, quick.LLM_PRICE_OUT = "http://127.0.0.1:1/v1", 100, 100
        run = request_questions(
            by=manager, at=AT, collection=collection, criteria=MentionFilter(), endpoint="ours", send=False
        )
        jobs.carry_out(run)
        assert {call.headers["authorization"] for call in stub.calls} == {"Bearer sk-ours"}
    run.refresh_from_db()
    assert (run.state, run.model, run.parameters["endpoint"]) == (JobState.FAILED, "wise", "ours")
    assert run_figures(collection, run).spending.whole == Decimal("0.002")
    remove_endpoint(by=None, at=AT, endpoint=ours)
    assert run_figures(collection, run).spending.whole == Decimal("0.002")
    with pytest.raises(Refused, match="no model endpoint “ours”"):
        continue_questions(by=manager, at=AT, run=run, send=False)
