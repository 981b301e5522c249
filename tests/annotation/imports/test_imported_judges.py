"""Judgments made elsewhere: whose they are, which slots of an item they take, and judging in Litmus meanwhile."""

import threading
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from annotation.assignment.annotators import add_members, pause_annotator, remove_annotator
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.labelling.units_ahead import take_units
from annotation.models import Annotator, Assignment, Judgment
from corpus.models import ImportRun
from tests.annotation.imports.judgment_rows import HEADER, counts, reasons, row
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material, skip_item
from tests.processes import PATIENCE, wait_for

pytestmark = pytest.mark.django_db


def test_members_are_known_by_address(made, load):
    campaign = make_campaign(made, annotators=False)
    result = load(row("ana@example.org", 1, 1, 0, 2), row("ANA@example.org", 1, 1, 2, 2))
    assert [each.user for each in campaign.annotators.all()] == [made.people["ana"]]
    assert campaign.annotators.get().name == "Ana"
    assert result["remarks"][1:] == [
        "Annotators added with the account of their e-mail address: Ana (ana@example.org)."
    ]
    again = load(row("Ana", 1, 1, 1, 2))  # now it is the campaign's own name for her
    assert counts(again) == (1, 0, 0, 0)
    assert again["remarks"][1:] == ["Matched to annotators of the campaign with an account: Ana (ana@example.org)."]


def test_a_members_name_is_not_their_account(made, load):
    campaign = make_campaign(made, annotators=False)
    result = load(row("Ana", 1, 1, 0, 2), row("Zoe", 1, 1, 0, 1))
    assert list(campaign.annotators.order_by("pk").values_list("name", "user")) == [("Ana", None), ("Zoe", None)]
    assert result["remarks"][1:] == [
        "Annotators added by name only: Ana, Zoe.",
        "Not linked to members of the same name, because only an e-mail address identifies an account: Ana.",
    ]
    add_members(campaign=campaign, users=[made.people["ana"]], by=None, at=AT)
    assert campaign.annotators.get(user=made.people["ana"]).name == "ana@example.org"


def test_nobody_is_added_whose_labels_were_all_refused(made, load):
    campaign = make_campaign(made, annotators=False)
    result = load(row("Zoe", 1, 1, 0, 1), row("Kim", 9, 1, 0, 1), row("ana@example.org", 1, 1, 0, 7))
    assert list(campaign.annotators.values_list("name", flat=True)) == ["Zoe"]
    assert result["remarks"][1:] == ["Annotators added by name only: Zoe."]


def test_what_names_were_taken_for_is_on_the_imports_page(made, load, client):
    campaign = make_campaign(made, annotators=False)
    load(row("Ana", 1, 1, 0, 2), row("m1", 1, 1, 0, 2), options=["--machine"])
    client.force_login(made.manager)
    page = client.get(reverse("import_detail", args=["teas", ImportRun.objects.get().pk])).text
    inside = reverse("campaign_detail", args=["teas", campaign.slug])
    assert f'into the campaign <a href="{inside}"' in page
    assert "Machines added: Ana, m1." in page


def test_a_dry_run_says_whom_it_would_add(made, load):
    make_campaign(made, annotators=False)
    people = load(row("Zoe", 1, 1, 0, 2), row("ana@example.org", 1, 1, 0, 2), options=["--dry-run"])
    machine = load(row("m1", 1, 1, 0, 2), options=["--machine", "--dry-run"])
    assert people["remarks"][1:] == [
        "Annotators to add with the account of their e-mail address: Ana (ana@example.org).",
        "Annotators to add by name only: Zoe.",
    ]
    assert machine["remarks"][1:] == ["Machines to add: m1."]
    assert not Annotator.objects.exists()


def test_a_viewers_name_is_only_a_name(made, load):
    campaign = make_campaign(made, annotators=False)
    load(row("Vic", 1, 1, 0, 2))
    assert campaign.annotators.get().user is None


@pytest.mark.slow
def test_a_machines_labels_hold_no_slot(campaign, load):
    lines = [f"m{n},1,Does thing 1.1.,d0000,1,1" for n in range(5)]
    result = load(*lines, header=HEADER + ",machine")
    assert counts(result) == (5, 0, 0, 0)
    assert set(Assignment.objects.values_list("slot", "state")) == {(None, "done")}
    assert set(Annotator.objects.filter(name__startswith="m").values_list("kind", flat=True)) == {"machine"}
    assert counts(load(row("Ana", 1, 1, 0, 2), row("Ben", 1, 1, 0, 2))) == (2, 0, 0, 0)
    assert counts(load(*lines, header=HEADER + ",machine")) == (0, 0, 5, 0)


def test_the_option_flags_everybody_as_a_machine(campaign, load):
    load(row("gpt", 1, 1, 0, 2), options=["--machine"])
    assert Annotator.objects.get(name="gpt").kind == "machine"
    load(row("gpt", 1, 1, 1, 2))  # known as a machine, whether flagged or not
    assert Annotator.objects.filter(name="gpt").count() == 1
    assert not Assignment.objects.filter(slot__isnull=False).exists()


def test_a_person_is_not_taken_for_a_machine(campaign, load):
    with pytest.raises(CommandError, match="Ana is a person in this campaign, not a machine"):
        load(row("Ana", 1, 1, 0, 2), options=["--machine"])


def test_paused_and_removed_people_keep_what_they_judged_elsewhere(campaign, load):
    pause_annotator(annotator=annotator(campaign, "ana"), by=None, at=AT)
    remove_annotator(annotator=annotator(campaign, "ben"), by=None, at=AT)
    assert counts(load(row("Ana", 1, 1, 0, 2), row("Ben", 1, 1, 0, 2))) == (2, 0, 0, 0)


def test_no_item_gets_more_human_judgments_than_its_overlap(campaign, load):
    lines = [row(who, 1, 1, d, 1) for d in range(4) for who in ("A", "B", "C", "D")]
    result = load(*lines)
    assert counts(result) == (8, 0, 0, 8)
    full = "the item needs 2 judgments by people: 2 given, 0 assigned to others."
    assert {reason for _, reason in reasons(result)} == {f"{full} Plan an assignment with a larger overlap to add more"}
    assert set(Counter(Assignment.objects.values_list("item", flat=True)).values()) == {2}
    assert Counter(Assignment.objects.values_list("annotator__name", flat=True)) == {"A": 4, "B": 4}


def test_an_assigned_person_fills_their_own_slot_and_others_get_none(campaign, load):
    assign_items(campaign=campaign, by=None, at=AT)
    item = campaign.items.get(aspect__text="Does thing 1.1.", document__docno="d0000")
    assigned = sorted(item.assignments.values_list("annotator__name", flat=True))
    other = ({"Ana", "Ben", "Cai"} - set(assigned)).pop()
    result = load(row(assigned[0], 1, 1, 0, 2), row(other, 1, 1, 0, 2))
    assert counts(result) == (1, 0, 0, 1)
    ((_, reason),) = reasons(result)
    assert "needs 2 judgments by people: 0 given, 2 assigned to others. Plan an assignment" in reason
    assert "release what others have not judged, or name one of them" in reason
    assert Counter(item.assignments.values_list("state", flat=True)) == {"done": 1, "pending": 1}


def test_free_slots_of_a_queue_are_taken(made, load):
    campaign = make_campaign(made, strategy="queue")
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    assert counts(load(row("Ana", 1, 1, 0, 2), row("New", 1, 1, 0, 2), row("Ben", 1, 1, 1, 2))) == (3, 0, 0, 0)
    item = campaign.items.get(aspect__text="Does thing 1.1.", document__docno="d0000")
    assert sorted(item.assignments.values_list("slot", "state", "queue")) == [
        (1, "done", campaign.pk),
        (2, "done", campaign.pk),
    ]
    assert Assignment.objects.filter(state="open").count() == 45
    units = take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    assert units


def test_an_item_with_another_judge_asked_for_takes_one_more(campaign, load):
    campaign.items.filter(aspect__text="Does thing 1.1.", document__docno="d0000").update(extra_overlap=1)
    assert counts(load(*[row(who, 1, 1, 0, 1) for who in "ABCD"])) == (3, 0, 0, 1)


@pytest.fixture
def opened(campaign):
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


def line_of(assignment, value):
    item = assignment.item
    return f"{assignment.annotator.name},{item.topic.number},{item.aspect.text},{item.document.docno},{value}"


def test_what_was_answered_in_litmus_is_not_changed_by_a_file(opened, load):
    ana = annotator(opened, "ana")
    give_labels(ana, [2, 1])
    first, second = ana.assignments.filter(state="done").order_by("position")
    result = load(line_of(first, 2), line_of(second, 0))
    assert counts(result) == (0, 0, 1, 1)
    assert "an import does not change that" in reasons(result)[0][1]
    assert Judgment.objects.get(assignment=second).value == 1


def test_somebody_who_skipped_may_still_hand_in_an_answer(opened, load):
    ana = annotator(opened, "ana")
    item = skip_item(ana, "cannot be understood")
    skipped = ana.assignments.get(item=item)
    assert counts(load(line_of(skipped, 1))) == (1, 0, 0, 0)
    skipped.refresh_from_db()
    assert (skipped.state, skipped.slot is not None) == ("done", True)
    assert ana.assignments.filter(item=item).count() == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_import_into_a_queue_that_is_being_judged_never_passes_the_overlap(tmp_path):
    """The file comes after the first label. Of 160 slots three people hold 45 each at most: some are left for it."""
    made = make_material(topics=4, documents=10)
    campaign = make_campaign(made, strategy="queue")
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    path = tmp_path / "labels.csv"
    lines = [row(who, t, a, d, 1) for t in (1, 2, 3, 4) for a in (1, 2) for d in range(10) for who in ("X", "Y")]
    path.write_text("\n".join([HEADER, *lines]), "utf-8")
    failures = []

    def judge(name):
        try:
            for _ in range(20):
                take_units(collection="teas", campaign="main-round", have=[], by=made.people[name], at=AT)
                pending = annotator(campaign, name).assignments.filter(state="pending").count()
                give_labels(annotator(campaign, name), [0] * min(pending, 1))
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=judge, args=(name,)) for name in ("ana", "ben", "cai")]
    for thread in threads:
        thread.start()
    wait_for(lambda: Judgment.objects.exists() or failures, what="the first label")
    call_command("import_judgments", "teas", "main-round", str(path), stdout=StringIO(), stderr=StringIO())
    for thread in threads:
        thread.join(PATIENCE)
    assert not failures
    rows = Assignment.objects.filter(item__campaign=campaign, slot__isnull=False)
    assert set(Counter(rows.values_list("item", flat=True)).values()) == {2}
    done = rows.filter(state="done")
    assert done.count() == Judgment.objects.count()
    imported = done.filter(annotator__name__in=["X", "Y"])
    assert 0 < imported.count() < done.count()
