"""What the open queue hands out next, in which order it was chosen, and what the judged part is a sample of."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.refusals import Refused
from annotation.assignment.assignments import assign_items
from annotation.assignment.ordering import handed_out, judged_sample, order_queue
from annotation.assignment.queue_front import move_to_front
from annotation.campaigns.items import build_items
from annotation.models import (
    Annotator,
    Asked,
    Assignment,
    AssignmentState,
    Campaign,
    Judgment,
    Order,
    Strategy,
    Submission,
)
from corpus.models import PoolEntry, PoolSource, Ranking, RetrievalRun, Role
from tests.annotation.labelling.queues import build_queue, items_of, take
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built
from tests.factories.annotation import add_topic, make_campaign, make_material
from tests.factories.labelling import build_work, given, send
from tests.plans import statements
from tests.test_sealed_labels_are_unseen import mail_to

pytestmark = pytest.mark.django_db


def choose(built: Built, order: str, **more: object) -> None:
    job = order_queue(campaign=built.campaign, order=order, by=None, at=AT, send=False, **more)  # type: ignore[arg-type]
    jobs.complete(job)


def upcoming(built: Built) -> list[int]:
    """Numbers of the items that have free places, as the queue would hand them out."""
    number = {item.pk: n for n, item in enumerate(built.items)}
    rows = Assignment.objects.filter(queue=built.campaign, state="open", repeat=0).order_by("position", "slot")
    return list(dict.fromkeys(number[item] for item in rows.values_list("item", flat=True)))


def label(built: Built, annotator: Annotator, values: dict[int, int]) -> None:
    """Labels by the numbers of the items, in addition to the queue."""
    for number, value in values.items():
        done = Assignment.objects.create(
            item=built.items[number], annotator=annotator, state=AssignmentState.DONE, finished_at=AT
        )
        sent = Submission.objects.create(
            uuid=f"00000000-0000-0000-{annotator.pk:04d}-{done.pk:012d}", assignment=done, kind="answer", received_at=AT
        )
        criterion = built.campaign.criteria.get()
        Judgment.objects.create(assignment=done, criterion=criterion, value=value, submission=sent)


def add_machine(built: Built) -> Annotator:
    return Annotator.objects.create(campaign=built.campaign, name="llm", kind="machine", model="m", created_at=AT)


def test_a_random_order_depends_on_its_seed_alone_and_can_be_taken_back() -> None:
    built = build_queue(items=12)
    planned = upcoming(built)
    choose(built, "random", seed=1)
    first = upcoming(built)
    choose(built, "random", seed=2)
    second = upcoming(built)
    choose(built, "random", seed=1)
    assert upcoming(built) == first != second
    assert sorted(first) == planned
    assert planned not in (first, second)
    choose(built, "planned")
    assert [part.label for part in handed_out(built.campaign)] == [
        "as planned",
        "random",
        "random",
        "random",
        "as planned",
    ]


def test_what_people_have_in_hand_stays_and_the_next_comes_in_the_new_order() -> None:
    built = build_queue(items=8)
    held = take(built, "ana")
    choose(built, "random", seed=3)
    assert take(built, "ana") == held
    order = upcoming(built)
    assert items_of(built, take(built, "ben")) == order[:3]
    send(built, "ana", given(held[0][0]))
    own = [n for n in order if n not in items_of(built, held)]
    assert items_of(built, take(built, "ana", have=held[1:])) == own[:1]


def test_in_the_order_by_abstract_all_aspects_of_one_stay_together() -> None:
    pairs = [("1", f"Aspect {a}.", f"doc{d:05d}") for d in range(6) for a in range(2)]
    built = build_work(strategy=Strategy.QUEUE, overlap=1, order=Order.BY_DOCUMENT, triples=pairs)
    choose(built, "random", seed=1)
    documents = [n // 2 for n in upcoming(built)]
    assert documents[::2] == documents[1::2]
    assert documents[::2] != sorted(documents[::2])


def test_ranks_of_pools_and_holes_of_named_runs_come_first() -> None:
    built = build_queue(items=5)
    topic = built.items[0].topic
    for number, rank in ((3, 1), (1, 2), (4, 9)):
        entry = PoolEntry.objects.create(topic=topic, document=built.items[number].document)
        PoolSource.objects.create(entry=entry, method="bm25", rank=rank)
    choose(built, "pooled-rank")
    assert upcoming(built)[:3] == [3, 1, 4]
    run = RetrievalRun.objects.create(collection=built.collection, name="dense", created_at=AT)
    docnos = [built.items[number].document.docno for number in (2, 0, 4)]
    Ranking.objects.create(run=run, topic=topic, docnos=["unknown", *docnos], scores=[4.0, 3.0, 2.0, 1.0])
    label(built, built.annotators["ana"], {2: 1})
    choose(built, "holes", runs=["dense"])
    assert upcoming(built)[:2] == [0, 4]  # a person has judged the first already


def test_disagreement_of_people_and_what_people_correct_come_first() -> None:
    built = build_queue(items=6)
    label(built, built.annotators["ana"], {1: 0, 2: 0, 3: 2})
    label(built, built.annotators["ben"], {1: 1, 2: 2, 3: 2})
    choose(built, "disagreement")
    assert upcoming(built)[:3] == [2, 1, 3]
    # People overturn what the machine calls 1 (items 1 and 2), not what it calls 2 (item 3).
    label(built, add_machine(built), {1: 1, 2: 1, 3: 2, 4: 2, 5: 1})
    choose(built, "machine-uncertainty")
    order = upcoming(built)
    assert order.index(5) < order.index(4) < order.index(0)


def test_hidden_gold_comes_after_its_own_item_in_every_order() -> None:
    built = build_queue(items=10)
    checks = [
        Assignment(item=item, queue=built.campaign, state="open", repeat=Asked.CHECK, position=1)
        for item in built.items[:5]
    ]
    Assignment.objects.bulk_create(checks)
    choose(built, "random", seed=4)
    places = {(a.item_id, a.repeat): a.position for a in Assignment.objects.filter(queue=built.campaign)}
    assert all(places[item.pk, 2] > places[item.pk, 0] for item in built.items[:5])


def test_only_what_a_random_order_handed_out_from_the_beginning_is_a_random_sample() -> None:
    built = build_queue(items=6)
    choose(built, "random", seed=1)
    assert judged_sample(built.campaign).reason == "nothing is judged yet."
    [[first], *_] = take(built, "ana")
    send(built, "ana", given(first))
    sample = judged_sample(built.campaign)
    assert sample.stands_for_all
    assert sample.sentence.startswith("The 1 judged item is a random sample of the campaign’s 6: the open queue")
    choose(built, "pooled-rank")
    assert judged_sample(built.campaign).stands_for_all  # nothing was handed out under it yet
    take(built, "ben")
    found = judged_sample(built.campaign)
    assert not found.stands_for_all
    assert found.reason.endswith("handed out 3 assignments by pooled rank.")
    assert [part.given for part in handed_out(built.campaign)] == [0, 3, 3]


def test_what_is_not_random_says_why() -> None:
    built = build_queue(items=6, slug="queue")
    [[first], *_] = take(built, "ana")
    send(built, "ana", given(first))
    choose(built, "random")
    assert judged_sample(built.campaign).reason == "at first the queue handed out 3 assignments as planned."
    plan = build_work(items=2, slug="plan")
    one, other = plan.annotators["ana"].assignments.order_by("position")
    send(plan, "ana", given(one))
    assert "assigned in advance" in judged_sample(plan.campaign).reason
    send(plan, "ana", given(other))
    found = judged_sample(plan.campaign)
    assert found.stands_for_all
    assert found.sentence == ""
    with pytest.raises(Refused, match="Only an open queue has an order"):
        choose(plan, "random")


def test_a_queue_is_filled_in_its_order_and_items_added_later_end_the_random_sample() -> None:
    made = make_material(topics=2)
    campaign = make_campaign(made, strategy="queue", overlap=1)
    job = order_queue(campaign=campaign, order="random", seed=3, by=None, at=AT, send=False)
    jobs.complete(job)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    rows = list(campaign.items.model.objects.filter(campaign=campaign).order_by("assignments__position"))
    assert len({item.aspect_id for item in rows[:4]}) > 1  # not one aspect after another
    Assignment.objects.filter(item=rows[0]).update(
        state="done", finished_at=AT, annotator=campaign.annotators.order_by("pk")[0]
    )
    assert judged_sample(campaign).stands_for_all
    add_topic(made, "9", ["Does thing 9.1.", "Does thing 9.2."])
    build_items(campaign=campaign, by=made.manager, at=AT)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    assert "were added after people had begun" in judged_sample(campaign).reason


def test_its_page_says_first_how_much_is_left_to_hand_out(client: Client) -> None:
    built = build_queue(items=2)
    client.force_login(MembershipFactory(collection=built.collection, role=Role.MANAGER).user)
    url = reverse("queue_order", args=[built.collection.slug, built.campaign.slug])
    html = client.get(url).text
    assert html.index("2 items wait in the open queue of this campaign.") < html.index("Use this order")
    Assignment.objects.filter(queue=built.campaign, state="open").delete()
    html = client.get(url).text
    assert html.index("No item waits in the open queue of this campaign.") < html.index("Choose an order for items")
    assert "<h1>Order of the open queue</h1>" in html
    Campaign.objects.update(strategy=Strategy.PLANNED)
    with statements() as executed:
        html = client.get(url).text
    assert not any('FROM "annotation_assignment"' in sql for sql in executed), "nothing is counted for nothing"
    assert "This campaign has no open queue" in html
    assert "Use this order" not in html, "it would be refused"


def test_items_of_an_audit_that_come_first_end_the_random_sample() -> None:
    built = build_queue(items=6)
    choose(built, "random", seed=1)
    last = upcoming(built)[-1]
    move_to_front(built.campaign.pk, [built.items[last].pk])
    [[first], *_] = take(built, "ana")
    send(built, "ana", given(first))
    assert judged_sample(built.campaign).reason.endswith("handed out 3 assignments with items of an audit first.")


def test_nothing_an_annotator_is_sent_tells_the_order() -> None:
    built = build_queue(items=6)
    client, where = Client(), f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}"
    client.force_login(built.people["ana"])
    choose(built, "disagreement", seed=987_654)
    bodies = [client.get(f"{where}/{end}").text for end in ("", "label/")]
    bodies.append(client.get(f"/api/collections/{where[3:]}/next/").text)
    assert "assignment" in bodies[-1]
    bodies.append(mail_to(built.people["ana"]))
    assert "to judge" in bodies[-1]
    for body in bodies:
        assert not re.search('disagreement|987.?654|position"|queue_order', body)
