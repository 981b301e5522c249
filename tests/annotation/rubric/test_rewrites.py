"""Rewrites: a second person is asked, confirms or rejects; confirmed wording stands in the question set."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.questions.question_set import fetch_question_set
from annotation.kinds.rubric.item_view import attach_ratings, fetch_question_view
from annotation.models import Item, Rewrite, RewriteReview, Submission
from annotation.rubric.rewrites import ask_for_reviews, current_rewrites, decide_rewrite, describe_rewrites
from corpus.models import Collection
from tests.factories.accounts import AT
from tests.factories.rubrics import Rubric, build_rubric, rate, rating, send

pytestmark = pytest.mark.django_db

WORDING = "Has anybody shown that mouths carry meaning that hands lose?"


@pytest.fixture
def rubric() -> Rubric:
    """Ana has rewritten q1."""
    made = build_rubric(people=("ana", "ben"))
    person = next(
        name
        for name in ("ana", "ben")
        if made.campaign.items.filter(topic__number="q1", assignments__annotator__user=made.people[name]).exists()
    )
    made.people["writer"], made.people["other"] = made.people[person], made.people["ben" if person == "ana" else "ana"]
    rate(made, "writer", "q1", rewrite=WORDING, found=("13",), note="The lips are meant.")
    return made


def ask(rubric: Rubric, reviewer: str, by: str = "mia") -> list[RewriteReview]:
    pks = list(Rewrite.objects.values_list("pk", flat=True))
    people = rubric.people
    return ask_for_reviews(campaign=rubric.campaign, rewrites=pks, reviewer=people[reviewer], by=people[by], at=AT)


def decide(rubric: Rubric, person: str, decision: str = "confirmed", comment: str = "") -> RewriteReview:
    pk = Rewrite.objects.latest("pk").pk
    by = rubric.people[person]
    return decide_rewrite(campaign=rubric.campaign, rewrite=pk, by=by, at=AT, decision=decision, comment=comment)


def wording(rubric: Rubric) -> tuple[str, str]:
    """The wording that holds, and the original where it does not."""
    (question,) = [each for each in fetch_question_set(rubric.collection).questions if each.number == "q1"]
    return question.text, question.original


def test_a_confirmed_rewrite_stands_in_the_question_set(rubric):
    original = rubric.topics["q1"].text
    assert wording(rubric) == (original, "")
    assert len(ask(rubric, "other")) == 1
    assert wording(rubric) == (original, "")
    assert ask(rubric, "other") == []  # asked already
    decide(rubric, "other", comment="Better.")
    assert wording(rubric) == (WORDING, original)
    assert AuditEvent.objects.filter(verb__in=["ask_for_reviews", "decide_rewrite"]).count() == 2


def test_one_rejection_is_enough(rubric):
    decide(rubric, "ada")
    decide(rubric, "mia", "rejected")
    assert wording(rubric)[1] == ""
    (row,) = describe_rewrites(current_rewrites(rubric.campaign))
    assert row.standing == "rejected"


def test_sending_the_same_wording_again_keeps_the_confirmation(rubric):
    decide(rubric, "ada")
    base = Submission.objects.get().uuid
    assignment = rubric.assignment("writer", "q1")
    send(rubric, "writer", rating(assignment, quality=1, rewrite=WORDING, base=base))
    assert wording(rubric)[0] == WORDING
    base = Submission.objects.latest("pk").uuid
    send(rubric, "writer", rating(assignment, quality=1, rewrite=WORDING + " Really?", base=base))
    assert wording(rubric)[1] == ""


def test_a_rejection_and_a_request_follow_the_same_wording_into_a_new_rating(rubric):
    """The list, the person asked and the question set look at the words, not at the row that brought them."""
    decide(rubric, "ada", "rejected", comment="Asks something else.")
    ask(rubric, "other")
    assignment = rubric.assignment("writer", "q1")
    send(rubric, "writer", rating(assignment, quality=1, rewrite=WORDING, base=Submission.objects.get().uuid))
    first, again = Rewrite.objects.order_by("pk")
    (row,) = describe_rewrites(current_rewrites(rubric.campaign))
    assert (row.rewrite, row.standing, row.reviews[0].comment) == (again, "rejected", "Asks something else.")
    assert ask_for_reviews(
        campaign=rubric.campaign, rewrites=[again.pk], reviewer=rubric.people["other"], by=rubric.people["mia"], at=AT
    ) == []  # fmt: skip
    other = client_of(rubric, "other")
    assert WORDING.rsplit(maxsplit=1)[-1] in other.get(address("review_list", rubric)).content.decode()
    other.post(address("rewrite_decide", rubric, first.pk), {"decision": "confirmed", "from": "reviews"})
    decide(rubric, "ada")  # has thought better of it
    assert wording(rubric)[0] == WORDING
    assert RewriteReview.objects.count() == 2


def test_nobody_confirms_their_own_and_strangers_none(rubric):
    with pytest.raises(Refused, match="somebody else has to"):
        ask(rubric, "writer")
    with pytest.raises(Refused, match="somebody else has to"):
        decide(rubric, "writer")
    with pytest.raises(NotAllowed):
        decide(rubric, "other")  # was not asked
    with pytest.raises(NotAllowed):
        ask(rubric, "ada", by="other")
    with pytest.raises(Refused, match="Confirm the rewrite or reject it"):
        decide(rubric, "ada", "perhaps")
    assert not RewriteReview.objects.exists()


def test_an_undone_rewrite_can_no_longer_be_decided(rubric):
    base = Submission.objects.get().uuid
    send(rubric, "writer", rating(rubric.assignment("writer", "q1"), None, None, kind="undo", base=base))
    with pytest.raises(Conflict, match="no longer counts"):
        decide(rubric, "ada")


# --- pages ------------------------------------------------------------------------------------------------------------


def client_of(rubric: Rubric, person: str) -> Client:
    client = Client()
    client.force_login(rubric.people[person])
    return client


def address(name: str, rubric: Rubric, *more: object) -> str:
    return reverse(name, args=["signs", rubric.campaign.slug, *more])


def test_rewrites_of_an_archived_collection_are_shown_without_a_decision(rubric):
    Collection.objects.update(archived_at=AT)
    page = client_of(rubric, "mia").get(address("rewrite_list", rubric)).content.decode()
    assert "<ins>mouths</ins>" in page
    assert "/rewrites/questions/" not in page
    assert 'name="decision"' not in page


@pytest.mark.slow
def test_a_manager_asks_and_the_asked_person_confirms_on_pages(rubric):
    rewrite = Rewrite.objects.get()
    mia, other = client_of(rubric, "mia"), client_of(rubric, "other")
    page = mia.get(address("rewrite_list", rubric)).content.decode()
    assert "<ins>mouths</ins>" in page
    values = {"rewrites": [rewrite.pk], "reviewer": rubric.people["other"].email}
    mia.post(address("rewrite_ask", rubric), values)
    assert "confirm 1 rewrite" in other.get(address("campaign_detail", rubric)).content.decode()
    mine = other.get(address("review_list", rubric)).content.decode()
    assert WORDING.rsplit(maxsplit=1)[-1] in mine
    for secret in (rubric.people["writer"].name, "The lips are meant", "Specificity", "discard"):
        assert secret not in mine
    other.post(address("rewrite_decide", rubric, rewrite.pk), {"decision": "confirmed", "from": "reviews"})
    assert RewriteReview.objects.get().decision == "confirmed"
    assert "Nothing to confirm" in other.get(address("review_list", rubric)).content.decode()
    assert other.get(address("rewrite_list", rubric)).status_code == 403


def test_the_list_takes_few_queries(rubric, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        assert len(describe_rewrites(current_rewrites(rubric.campaign))) == 1


# --- adjudication -----------------------------------------------------------------------------------------------------


def test_adjudicators_see_the_question_and_what_came_with_each_vote(rubric):
    item = Item.objects.get(topic__number="q1")
    view = fetch_question_view(item.pk)
    assert (view.text, view.cutoff, [docno for *_, docno in view.targets]) == (rubric.topics["q1"].text, 0.1, ["12"])
    submission = Submission.objects.get()
    more = attach_ratings([submission.pk])[submission.pk]
    assert [(label, value) for label, value, _ in more.values] == [("Specificity", 1), ("Quality", 2)]
    assert more.rewrite == WORDING
    assert more.found == ["A Census of Small Corpora for Signed Languages"]
