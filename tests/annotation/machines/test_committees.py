"""Committees: labels by a fixed rule from stored replies, no vote for members, and the gate as for any machine."""

import pytest
from django.test import Client

from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from adjudication.labels.ballots import current_votes
from adjudication.models import VoteRun
from annotation.machines.committees import request_committee, with_members
from annotation.machines.replies import decide_reply
from annotation.machines.requests import continue_machine_run
from annotation.models import Campaign, Judgment, MachineReply, MachineRun, ReplyValue
from tests.factories.annotation import AT, Material
from tests.factories.machines import ask, carry_out, make_prompt, stubbed
from tests.stubs.chat import Call, Status, Step

pytestmark = pytest.mark.django_db

ITEMS = 8


def judged_by(made: Material, campaign: Campaign, *answers: str) -> list[MachineRun]:
    """A run for each of the answers, which it gives to every item."""
    runs = []
    for number, answer in enumerate(answers):
        with stubbed([answer]):
            [run] = ask(made, campaign, make_prompt(made, name=f"P{number}"), model=f"m{number}")
            runs.append(carry_out(run))
    return runs


def committee_of(made: Material, campaign: Campaign, members: list[MachineRun], rule: str = "majority") -> MachineRun:
    return request_committee(campaign=campaign, by=made.manager, at=AT, members=members, rule=rule, send=False)


def labels_of(run: MachineRun) -> list[int]:
    return list(Judgment.objects.filter(assignment__annotator=run.annotator).values_list("value", flat=True))


@pytest.mark.parametrize(
    ("rule", "answers", "label", "share"),
    [
        ("majority", ("Answer: 2", "Answer: 2", "Answer: 0"), 2, 2 / 3),
        ("majority", ("Answer: 2", "Perhaps", "Answer: 2"), 2, 1.0),  # who could not be read counts for nothing
        ("majority", ("Answer: 2", "Answer: 0"), None, 1 / 2),
        ("median", ("Answer: 2", "Answer: 1", "Answer: 0"), 1, 1 / 3),
        ("median", ("Answer: 2", "Answer: 1"), 1, 1 / 2),
        ("majority", ("Perhaps", "Perhaps"), None, None),
    ],
)
def test_a_committee_labels_by_its_rule_at_no_cost(
    made: Material, campaign: Campaign, rule: str, answers: tuple[str, ...], label: int | None, share: float | None
) -> None:
    members = judged_by(made, campaign, *answers)
    with stubbed(["Answer: 1"]) as stub:
        run = carry_out(committee_of(made, campaign, members, rule))
    assert (run.state, len(stub.calls)) == (JobState.DONE, 0)
    assert labels_of(run) == [] if label is None else [label] * ITEMS
    stated = list(ReplyValue.objects.filter(reply__run=run))
    assert [(one.value, one.agreement) for one in stated] == [(label, pytest.approx(share) if share else None)] * ITEMS
    assert {reply.cost for reply in run.replies.all()} == {0}
    assert all(bool(one.problem) == (label is None) for one in stated)


def test_a_tie_is_decided_by_a_person_and_follows_no_member_then(made: Material, campaign: Campaign) -> None:
    members = judged_by(made, campaign, "Answer: 2", "Perhaps")
    run = carry_out(committee_of(made, campaign, members))
    assert labels_of(run) == [2] * ITEMS
    hidden = members[1].replies.order_by("pk").first().stated.get()
    decide_reply(stated=hidden, by=made.manager, at=AT, value=0)
    own = ReplyValue.objects.get(reply__run=run, reply__item=hidden.reply.item)
    assert (own.value, own.agreement, own.reply.state) == (None, 0.5, "invalid")
    assert "equally many members say 0, 2" in own.problem
    assert len(labels_of(run)) == ITEMS - 1
    decide_reply(stated=own, by=made.manager, at=AT, value=1)
    decide_reply(stated=hidden, by=made.manager, at=AT, value=2)
    own.refresh_from_db()
    assert own.value == 1  # a person has said so


def test_a_committee_follows_when_a_member_goes_on(made: Material, campaign: Campaign) -> None:
    [sure] = judged_by(made, campaign, "Answer: 2")

    def refuse_later(call: Call) -> Step:
        return "Answer: 2" if call.number < 3 else Status(401)

    with stubbed(refuse_later, LLM_CONCURRENCY=1):
        stopped = carry_out(ask(made, campaign, make_prompt(made, name="Other"))[0])
    assert (stopped.state, stopped.replies.count()) == (JobState.FAILED, 3)
    run = carry_out(committee_of(made, campaign, [sure, stopped]))
    assert (run.state, labels_of(run)) == (JobState.FAILED, [2] * 3)
    assert "3 of 8 items are answered. Members lack replies" in run.reason
    with stubbed(["Answer: 2"]) as stub:
        run = continue_machine_run(run=run, by=made.manager, at=AT, send=False)
        for each in with_members([run]):
            carry_out(each)
    run.refresh_from_db()
    assert (run.state, labels_of(run), len(stub.calls)) == (JobState.DONE, [2] * ITEMS, ITEMS - 3)
    with pytest.raises(Conflict, match="nothing to continue"):
        continue_machine_run(run=run, by=made.manager, at=AT)


def test_members_have_no_vote_next_to_their_committee(made: Material, campaign: Campaign) -> None:
    members = judged_by(made, campaign, "Answer: 2", "Answer: 2")
    [alone] = judged_by(made, campaign, "Answer: 0")
    everybody = VoteRun(parameters={"voters": "all"})
    item, criterion = campaign.items.first(), campaign.criteria.get()
    run = committee_of(made, campaign, members)
    votes = current_votes(item.pk, criterion.pk, everybody)
    assert len(votes) == 3, "a committee without answers, as one that was cancelled, takes no vote from its members"
    run = carry_out(run)
    votes = current_votes(item.pk, criterion.pk, everybody)
    assert sorted(votes) == sorted([[alone.annotator_id, 0], [run.annotator_id, 2]])


def test_a_committee_that_ended_half_way_leaves_the_other_items_without_a_machine_s_vote(
    made: Material, campaign: Campaign, client: Client
) -> None:
    members = judged_by(made, campaign, "Answer: 2", "Answer: 2")
    run = committee_of(made, campaign, members)
    MachineReply.objects.filter(run=members[0], item__in=list(campaign.items.all()[3:])).update(
        state="error", problem="no answer"
    )
    assert carry_out(run).state == JobState.FAILED
    MachineRun.objects.filter(pk=run.pk).update(state=JobState.CANCELLED)
    criterion, everybody = campaign.criteria.get(), VoteRun(parameters={"voters": "all"})
    votes = [current_votes(item.pk, criterion.pk, everybody) for item in campaign.items.all()]
    assert votes == [[[run.annotator_id, 2]]] * 3 + [[]] * 5
    client.force_login(made.manager)
    page = client.get(f"/c/{made.collection.slug}/campaigns/{campaign.slug}/machines/{run.pk}/").text
    assert "They do not vote next to the committee, also not on items that it has not answered yet" in page


def test_what_cannot_be_a_committee_is_refused(made: Material, campaign: Campaign) -> None:
    first, second = judged_by(made, campaign, "Answer: 2", "Answer: 1")
    run = committee_of(made, campaign, [first, second])
    with pytest.raises(Conflict, match="already"):
        committee_of(made, campaign, [second, first])
    for members in ([first], [first, run]):
        with pytest.raises(Refused, match="at least two members"):
            committee_of(made, campaign, members)
    campaign.criteria.update(scale="nominal")
    with pytest.raises(Refused, match="an order"):
        committee_of(made, campaign, [first, second], "median")
    again = committee_of(made, campaign, judged_by(made, campaign, "Answer: 0", "Answer: 0"))
    assert (again.recipe_hash, again.run_number) == (run.recipe_hash, 2)  # of further runs of the same machines
    assert committee_of(made, campaign, [first, second, *again.members.all()]).recipe_hash != run.recipe_hash


def test_its_page_names_rule_and_members(made: Material, campaign: Campaign, client: Client) -> None:
    members = judged_by(made, campaign, "Answer: 2", "Answer: 1")
    client.force_login(made.manager)
    base = f"/c/{made.collection.slug}/campaigns/{campaign.slug}/machines/"
    answer = client.post(
        f"{base}committees/new/", {"members": [one.annotator.name for one in members], "rule": "median"}
    )
    run = MachineRun.objects.get(kind="committee")
    assert (answer.status_code, answer.url) == (302, f"{base}{run.pk}/")
    text = client.get(answer.url).text
    assert "Committee of 2, median, run 1" in text
    assert all(f'href="{base}{one.pk}/"' in text for one in members)


def test_without_two_machines_its_page_leads_to_one_more(made: Material, campaign: Campaign, client: Client) -> None:
    judged_by(made, campaign, "Answer: 2")
    client.force_login(made.manager)
    base = f"/c/{made.collection.slug}/campaigns/{campaign.slug}/machines/"
    text = client.get(f"{base}committees/new/").text
    assert "A committee needs two machines" in text
    assert "This campaign has one so far: <bdi>" in text
    assert f'href="{base}new/"' in text
    assert "Make the committee" not in text
