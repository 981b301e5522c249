"""Labels of machines corrected by people: kept as judgments, decide items, enter no agreement, can be undone."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts import jobs
from accounts.models import AuditEvent
from accounts.refusals import Conflict, Refused
from adjudication.agreement.method import verdict_sentence
from adjudication.agreement.requests import request_agreement
from adjudication.labels.inputs import read_inputs
from adjudication.models import MachineCorrection, Verdict
from adjudication.verdicts.corrections import LabelFilter, correct_machine_label, find_labels, undo_correction
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from annotation.models import Judgment
from corpus.models import Role
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.labelling import build_work

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=1)


@pytest.fixture
def built() -> Built:
    """Five items; two machines differ on the second and the fourth; people have not judged the last two."""
    labels = [[0, 0, 0, 0], [1, 1, 1, 2], [1, 0, 1, 1], [None, None, 0, 2], [None, None, 1, 1]]
    return build_campaign(labels, people=("ana", "ben"), machines=[("gpt", "gpt", 1), ("llama", "llama", 1)])


def labels_of(built: Built, machine: str) -> list[Judgment]:
    found = Judgment.objects.filter(assignment__annotator=built.annotators[machine])
    return list(found.order_by("assignment__item"))


def correct(built: Built, label: Judgment, value: int | None, *, by: str = "manager", at=AT) -> MachineCorrection:
    return correct_machine_label(campaign=built.campaign, label=label.pk, value=value, by=built.people[by], at=at)


def test_a_correction_decides_the_item_and_is_kept_when_it_is_undone(built: Built) -> None:
    vote(built)
    label = labels_of(built, "gpt")[3]
    correct(built, label, 1)
    verdict = Verdict.objects.get(item=label.assignment.item)
    assert (verdict.value, verdict.method, verdict.comment) == (1, "by-hand", "Given in sight of the label 0 of gpt.")
    undo_correction(campaign=built.campaign, label=label.pk, by=built.people["manager"], at=LATER)
    verdict.refresh_from_db()
    assert (verdict.value, verdict.method) == (None, "unresolved")
    [kept] = MachineCorrection.objects.all()
    assert (kept.said, kept.value, kept.given_by, kept.undone_at) == (0, 1, built.people["manager"], LATER)
    with pytest.raises(Refused, match="no correction to undo"):
        undo_correction(campaign=built.campaign, label=label.pk, by=built.people["manager"], at=LATER)
    verbs = AuditEvent.objects.values_list("verb", flat=True)
    assert {"correct_machine_label", "undo_correction", "decide_verdict", "withdraw_decision"} <= set(verbs)


def test_one_may_change_one_s_own_mind_but_not_what_others_decided(built: Built) -> None:
    label, other = labels_of(built, "gpt")[3:]
    correct(built, label, None)
    correct(built, labels_of(built, "llama")[3], 2, at=LATER)  # the same item in sight of the other machine
    assert list(MachineCorrection.objects.order_by("pk").values_list("value", "undone_at")) == [(0, LATER), (2, None)]
    with pytest.raises(Conflict, match="has looked at this item already"):
        correct(built, label, 1, by="adjudicator", at=LATER)
    verdict = Verdict.objects.create(item=other.assignment.item, criterion=built.criterion, method="unresolved")
    decide_verdict(verdict=verdict, value=1, by=built.people["adjudicator"], at=AT, comment="Read it.")
    with pytest.raises(Conflict, match="already decided by hand"):
        correct(built, other, 0)
    with pytest.raises(Refused, match="no machine label"):
        correct(built, Judgment.objects.filter(assignment__annotator=built.annotators["ana"])[0], 0)


def end_on_the_screen(built: Built, verdict: Verdict, way: str) -> None:
    """Somebody else decides the item otherwise on the adjudication screen, or takes the decision back there."""
    other = built.people["adjudicator"]
    if way == "decided otherwise":
        decide_verdict(verdict=verdict, value=2, by=other, at=LATER, seen=verdict.decided_at, comment="Read it.")
    else:
        withdraw_decision(verdict=verdict, by=other, at=LATER)


@pytest.mark.parametrize("way", ["decided otherwise", "withdrawn"])
def test_a_correction_stands_as_long_as_the_decision_that_it_gave(built: Built, way: str) -> None:
    vote(built)
    label = labels_of(built, "gpt")[3]
    correct(built, label, 1)
    end_on_the_screen(built, Verdict.objects.get(item=label.assignment.item), way)
    assert MachineCorrection.objects.get().undone_at == LATER
    client = Client()
    client.force_login(built.people["manager"])
    page = client.get("/c/tea/campaigns/main/machine-labels/", {"label": label.pk}).content.decode()
    assert "corrected to" not in page
    assert not find_labels(built.criterion, LabelFilter(state="corrected"))
    assert label in find_labels(built.criterion, LabelFilter())
    with pytest.raises(Refused, match="no correction to undo"):
        undo_correction(campaign=built.campaign, label=label.pk, by=built.people["manager"], at=LATER)
    if way == "withdrawn":  # the item is open again, to anybody
        correct(built, label, 2, by="adjudicator", at=LATER)


def test_what_was_given_in_sight_of_a_machine_s_label_enters_no_agreement(built: Built) -> None:
    vote(built)
    label = labels_of(built, "gpt")[3]
    before = read_inputs(built.campaign)
    correct(built, label, 2)
    after = read_inputs(built.campaign)
    assert after.table.n_labels == before.table.n_labels  # it is no label of anybody
    assert label.assignment.item_id not in after.verdicts[built.criterion.pk]
    run = request_agreement(campaign=built.campaign, by=None, at=LATER, send=False)
    jobs.complete(run)
    assert verdict_sentence(run, "relevance").endswith(
        "1 value given in sight of a machine’s label is left out of these figures."
    )


def test_labels_are_found_by_what_may_be_wrong_with_them(built: Built) -> None:
    def found(**chosen: object) -> list[tuple[str, int]]:
        rows = find_labels(built.criterion, LabelFilter(**chosen))  # type: ignore[arg-type]
        places = {item.pk: n for n, item in enumerate(built.items)}
        return [(one.assignment.annotator.name, places[one.assignment.item_id]) for one in rows]

    assert len(found()) == 10
    assert sorted(found(split=True)) == [("gpt", 1), ("gpt", 3), ("llama", 1), ("llama", 3)]
    assert found(value=2) == [("llama", 1), ("llama", 3)]
    assert len(found(machine=built.annotators["gpt"].pk)) == 5
    assert len(found(topic=built.items[0].topic_id)) == 10
    vote(built)
    Verdict.objects.filter(item=built.items[0]).update(probability=0.6, probability_reason="")
    assert [n for _, n in found(under=75)] == [0, 0]
    correct(built, labels_of(built, "gpt")[4], None)
    assert [n for _, n in found(state="corrected")] == [4, 4]
    assert len(found()) == 8


def test_the_list_has_a_row_to_correct_and_shows_it_corrected(built: Built) -> None:
    client, where = Client(), "/c/tea/campaigns/main/machine-labels/"
    client.force_login(built.people["manager"])
    label = labels_of(built, "gpt")[3]
    page = client.get(where, {"split": "1"}).content.decode()
    assert f'id="label-{label.pk}"' in page
    answer = client.post(f"{where}corrections/", {"label": label.pk, "value": "1"}, follow=True)
    assert "corrected to 1" in answer.content.decode()
    answer = client.post(f"{where}corrections/undoing/", {"label": label.pk}, follow=True)
    assert "corrected to 1" not in answer.content.decode()
    lines = b"".join(client.get(where, {"as": "csv"}).streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines[0] == "label,topic,docno,aspect,criterion,machine,said,value"
    assert len(lines) == 11
    listed = client.get("/api/collections/tea/campaigns/main/machine-labels/", {"split": "1"}).json()
    assert len(listed["results"]) == 4


def test_what_the_machine_said_and_the_verdict_of_the_item_are_columns_of_their_own(built: Built) -> None:
    client, label = Client(), labels_of(built, "gpt")[1]
    client.force_login(built.people["manager"])

    def row() -> str:
        page = " ".join(client.get("/c/tea/campaigns/main/machine-labels/").content.decode().split())
        return page.partition(f'id="label-{label.pk}"')[2].partition("</tr>")[0]

    said = '<td data-label="Machine said"><span class="grade" data-grade="1">1</span></td>'
    assert f'{said} <td data-label="Verdict of the item">not counted yet</td>' in row()
    vote(built)
    verdicts = Verdict.objects.filter(item=label.assignment.item)
    verdicts.update(value=2, method="majority", probability=0.95, probability_reason="")
    assert f'{said} <td data-label="Verdict of the item">2, probability 95%</td>' in row()
    verdicts.update(value=None, method="unresolved", probability=None)
    assert f'{said} <td data-label="Verdict of the item">undecided</td>' in row()


def test_without_a_machine_there_is_nothing_to_filter_but_a_next_step() -> None:
    built, client = build_work(people=("ana",)), Client()
    client.force_login(MembershipFactory(collection=built.collection, role=Role.MANAGER).user)
    page = client.get(f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}/machine-labels/").content.decode()
    assert "Let a machine judge" in page
    assert "data-filters" not in page


def test_a_file_of_corrections_is_taken_whole_or_not_at_all(built: Built, tmp_path: Path) -> None:
    one, other = labels_of(built, "gpt")[3:]
    file = tmp_path / "labels.csv"
    file.write_text(f"label,said,value\n{one.pk},0,1\n{other.pk},1,1\n{labels_of(built, 'gpt')[0].pk},0,\n")
    words = ("correct_machine_labels", "tea", "main", str(file), "--by", built.people["manager"].email)
    call_command(*words, "--dry-run")
    assert not MachineCorrection.objects.exists()
    call_command(*words)
    assert sorted(MachineCorrection.objects.values_list("said", "value")) == [(0, 1), (1, 1)]
    file.write_text(f"label,value\n{labels_of(built, 'gpt')[0].pk},1\n{one.pk},9\n")
    with pytest.raises(CommandError):
        call_command(*words)
    assert MachineCorrection.objects.count() == 2


def test_the_list_says_whether_no_machine_has_labelled_or_all_is_looked_at(built: Built) -> None:
    client, where = Client(), "/c/tea/campaigns/main/machine-labels/"
    client.force_login(built.people["manager"])
    for label in labels_of(built, "gpt")[::-1] + labels_of(built, "llama"):
        if not MachineCorrection.objects.filter(item=label.assignment.item).exists():
            correct(built, label, None)
    assert "Every machine label is accepted or corrected" in client.get(where).text
    Judgment.objects.filter(assignment__annotator__kind="machine").delete()
    page = client.get(where).text
    assert ("No machine has labelled items here yet" in page, 'name="state"' in page) == (True, False)
