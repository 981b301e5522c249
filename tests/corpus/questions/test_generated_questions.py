"""What people decide about generated questions: keep, discard, correct, move the cut-offs."""

import pytest
from django.urls import reverse

from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.models import Campaign, Item
from corpus.models import Outcome, QuestionState, Role, Topic
from corpus.questions.decisions import change_cutoffs, correct_reply, discard_question, keep_question
from corpus.questions.question_reading import known_questions, read_reply
from corpus.questions.question_runs import list_questions, replies_for_a_person, run_figures
from corpus.topics.topics import delete_topic
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question

TEXT = "Which green leaf is best?"  # one of five words stands in the title


@pytest.fixture
def manager(collection):
    return MembershipFactory(collection=collection, role=Role.MANAGER).user


@pytest.fixture
def run(collection):
    return QuestionRunFactory(collection=collection, state="done", overlap_definition="words")


def cutoffs(manager, run, inside=0.3, outside=0.1, definition="words"):
    return change_cutoffs(
        by=manager, at=AT, run=run, cutoff_inside=inside, cutoff_outside=outside, overlap_definition=definition
    ).changed


@pytest.mark.parametrize("state", ["filtered", "markup", "too-long", "repeated", "discarded"])
def test_a_filtered_or_doubted_question_can_be_kept_and_discarded_again(manager, mention, run, state):
    question = make_question(mention, run=run, text=TEXT, state=state, problem="Why not.")
    keep_question(by=manager, at=AT, question=question)
    question.refresh_from_db()
    assert (question.state, question.decided_by, question.problem) == (QuestionState.RESTORED, manager, "Why not.")
    topic = question.topic
    assert (topic.text, topic.source, topic.number) == (TEXT, "inline-inside", f"gen-{run.pk}-1-1")
    assert [target.document.docno for target in topic.targets.all()] == ["12"]
    assert question.overlap_titles == pytest.approx(1 / 5)
    with pytest.raises(Conflict, match="topic already"):
        keep_question(by=manager, at=AT, question=question)
    discard_question(by=manager, at=AT, question=question)
    question.refresh_from_db()
    assert (question.state, question.topic) == (QuestionState.DISCARDED, None)
    assert not Topic.objects.exists()
    with pytest.raises(Conflict, match="discarded already"):
        discard_question(by=manager, at=AT, question=question)


def test_a_question_without_targets_cannot_be_kept_until_the_paper_is_there(manager, mention, run):
    question = make_question(mention, run=run, keys=["b1"], state="no-targets")
    with pytest.raises(Refused, match="None of the papers it cites"):
        keep_question(by=manager, at=AT, question=question)
    document = DocumentFactory(collection=mention.collection)
    mention.references.filter(key="b1").update(document=document, link="id")
    keep_question(by=manager, at=AT, question=question)
    assert Topic.objects.get().targets.get().document == document


def test_a_topic_number_that_an_import_has_taken_gets_a_further_part(manager, mention, run):
    TopicFactory(collection=mention.collection, number=f"gen-{run.pk}-1-1", text="Something else")
    keep_question(by=manager, at=AT, question=make_question(mention, run=run, state="filtered"))
    assert Topic.objects.filter(number=f"gen-{run.pk}-1-1-2").exists()


def test_a_topic_that_was_deleted_leaves_its_question_to_be_kept_again(manager, mention, run):
    question = make_question(mention, run=run, text=TEXT, state="filtered")
    keep_question(by=manager, at=AT, question=question)
    delete_topic(by=manager, at=AT, topic=Topic.objects.get())
    question.refresh_from_db()
    assert (question.state, question.topic) == (QuestionState.RESTORED, None)
    keep_question(by=manager, at=AT, question=question)
    assert Topic.objects.get().text == TEXT


def test_a_question_of_a_campaign_stays(manager, mention, run):
    question = make_question(mention, run=run, text=TEXT, state="filtered")
    keep_question(by=manager, at=AT, question=question)
    question.refresh_from_db()
    campaign = Campaign.objects.create(
        collection=mention.collection, slug="r", name="R", kind="rubric", seed=1, created_at=AT
    )
    Item.objects.create(campaign=campaign, split=campaign.split, topic=question.topic)
    with pytest.raises(Refused, match=r"1 item of a campaign"):
        discard_question(by=manager, at=AT, question=question)
    question.refresh_from_db()
    assert question.state == QuestionState.RESTORED
    assert question.topic is not None


def test_other_cutoffs_filter_again_but_leave_what_a_person_decided(manager, mention, run):
    kept = make_question(mention, run=run, text=TEXT, state="filtered")
    second = make_question(make_mention({"b0": None}, collection=mention.collection), run=run, state="filtered")
    reply = kept.reply
    made = reply.questions.create(position=1, text=TEXT + " And why?", keys=["b0"], state="filtered")
    keep_question(by=manager, at=AT, question=made)
    changed = cutoffs(manager, run, inside=0.2)
    assert (changed.kept, changed.filtered, changed.held) == (1, 0, 0)  # the second no longer has a document
    kept.refresh_from_db()
    assert (kept.state, kept.problem, kept.topic.text) == ("kept", "", TEXT)
    changed = cutoffs(manager, run, inside=0.1)
    assert (changed.kept, changed.filtered, changed.held) == (0, 1, 0)
    kept.refresh_from_db()
    made.refresh_from_db()
    second.refresh_from_db()
    assert (kept.state, kept.topic) == ("filtered", None)
    assert "A share of 0.20 of its words" in kept.problem
    assert (made.state, second.state) == ("restored", "filtered")
    changed = cutoffs(manager, run, inside=0.1, definition="litsearch-code")
    assert changed.kept == 1  # “green” is not “Green” there
    with pytest.raises(Refused):
        cutoffs(manager, run, inside=2)
    assert run_figures(mention.collection, run).sources[0].kept == 2


def test_an_answer_that_was_not_understood_can_be_corrected(manager, mention, run):
    question = make_question(mention, run=run)
    reply = question.reply
    question.delete()
    reply.text = "Well: Why is it so? See cite_001"
    reply.save()
    read_reply(reply, known_questions(mention.collection))
    assert reply.outcome == Outcome.UNPARSEABLE
    assert list(replies_for_a_person(run)) == [reply]
    with pytest.raises(Refused, match="no line that begins"):
        correct_reply(by=manager, at=AT, reply=reply, text="Why? QUESTION")
    text = "QUESTION: Why is it so?\r\nANSWER: cite_001"
    assert correct_reply(by=manager, at=AT, reply=reply, text=text) == 1
    reply.refresh_from_db()
    assert (reply.outcome, reply.text) == (Outcome.QUESTIONS, "Well: Why is it so? See cite_001")
    assert (reply.corrected_by, reply.corrected) == (manager, text.replace("\r", ""))
    assert Topic.objects.get().text == "Why is it so?"
    with pytest.raises(Conflict):
        correct_reply(by=manager, at=AT, reply=reply, text=text)
    assert list(replies_for_a_person(run)) == []


def test_only_managers_decide(manager, mention, run):
    question = make_question(mention, run=run, state="filtered")
    viewer = MembershipFactory(collection=mention.collection, role=Role.VIEWER).user
    for act in (keep_question, discard_question):
        with pytest.raises(NotAllowed):
            act(by=viewer, at=AT, question=question)
    with pytest.raises(NotAllowed):
        cutoffs(viewer, run)
    with pytest.raises(NotAllowed):
        correct_reply(by=viewer, at=AT, reply=question.reply, text="NONE")


def test_questions_are_found_by_state_source_and_words(collection, mention, run, django_assert_max_num_queries):
    kept = make_question(mention, run=run, text=TEXT)
    filtered = make_question(make_mention({"b0": None}, collection=collection), run=run, state="filtered")
    make_question(make_mention({"b0": None}))
    with django_assert_max_num_queries(1):
        assert [each.reply.mention.source_title for each in list_questions(collection)] == ["A history of kettles"] * 2
    assert list(list_questions(collection, state="filtered")) == [filtered]
    assert list(list_questions(collection, text="GREEN leaf")) == [kept]
    assert list(list_questions(collection, source="inline-outside")) == []
    assert list(list_questions(collection, run=run.pk + 1)) == []


def test_several_questions_are_kept_and_discarded_from_the_table(client, collection, manager, mention, run):
    """Each by itself: what cannot be done is counted with its reason, and only rows of this filter are taken."""
    target = mention.references.get(key="b0").document
    mentions = [mention, *(make_mention({"b0": target}, collection=collection) for _ in range(2))]
    kept, doubted, other = (
        make_question(each, run=run, text=f"{TEXT} {number}", state=state)
        for number, (each, state) in enumerate(zip(mentions, ("filtered", "markup", "filtered"), strict=True))
    )
    keep_question(by=manager, at=AT, question=kept)
    client.force_login(manager)
    address = reverse("question_list", args=["tea"])

    def take(step, *picked, query=""):
        sent = {"step": step, "pick": [question.pk for question in picked]}
        answer = client.post(address + query, sent, follow=True)
        for question in (kept, doubted, other):
            question.refresh_from_db()
        return [str(message) for message in answer.context["messages"]]

    done, refused = take("keep", kept, doubted)
    assert done == "Questions kept as topics: 1."
    assert refused.startswith("Not done for 1.")
    assert "topic already" in refused
    assert [each.state for each in (kept, doubted, other)] == ["restored", "restored", "filtered"]
    assert take("discard", doubted, other) == ["Questions discarded: 2."]
    assert [each.state for each in (kept, doubted, other)] == ["restored", "discarded", "discarded"]
    assert Topic.objects.get().text == kept.text
    assert take("keep", kept, query="?state=discarded") == ["No rows are selected. Select some first."]
