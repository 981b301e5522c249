"""Campaigns: made, copied, changed, opened, closed, deleted."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.models import Verdict
from annotation.assignment.annotators import add_members, add_name, remove_annotator
from annotation.assignment.assignments import assign_items, release_assignments
from annotation.campaigns.campaigns import campaigns_for, drafts_of
from annotation.campaigns.criteria import replace_criteria
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import (
    close_campaign,
    copy_campaign,
    create_campaign,
    delete_campaign,
    open_campaign,
    update_campaign,
)
from annotation.campaigns.rules import check_can_see
from annotation.kind import kinds
from annotation.models import Assignment, Campaign, CampaignState, Item, Level, Split
from engines.definitions.drafts import CriterionDraft, LevelDraft
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material
from tests.factories.papers import PaperFactory

pytestmark = pytest.mark.django_db


def create(made, **fields):
    return create_campaign(collection=made.collection, by=made.manager, at=AT, **{"name": "First round", **fields})


def test_a_new_campaign_has_the_default_scale_and_guideline(made):
    campaign = create(made)
    assert (campaign.slug, campaign.state, campaign.split, campaign.overlap) == ("first-round", "draft", "main", 3)
    criterion = campaign.criteria.get()
    assert (criterion.key, criterion.scale) == ("relevance", "ordinal")
    levels = list(criterion.levels.all())
    assert [level.value for level in levels] == [0, 1, 2]
    assert all(level.label and level.definition and level.example for level in levels)
    assert "key components" in campaign.guidelines.get(version=1).body
    assert not campaign.items.exists()
    assert AuditEvent.objects.get(verb="create_campaign").data["seed"] == campaign.seed


def test_each_campaign_draws_a_seed_of_its_own(made):
    seeds = {create(made, name=f"Round {i}").seed for i in range(5)}
    assert len(seeds) == 5


@pytest.mark.parametrize("kind", ["sorting"])
def test_unknown_kinds_are_refused(made, kind):
    with pytest.raises(Refused, match=f"Supported: {', '.join(map(str, kinds()))}\\."):
        create(made, kind=kind)
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"overlap": 0}, "from 1 to 50"),
        ({"split": "train"}, "dev, test, main"),
        ({"order": "at-random"}, "by-aspect, by-document"),
        ({"strategy": "lottery"}, "planned, queue"),
        ({"lease_minutes": 0}, "lease"),
        ({"seed": -1}, "seed"),
        ({"name": "  "}, "name"),
        ({"name": "New"}, "used by Litmus"),
    ],
)
def test_values_out_of_range_are_refused(made, fields, words):
    with pytest.raises(Refused, match=words):
        create(made, **fields)


def test_a_name_is_taken_once_per_collection(made):
    create(made)
    with pytest.raises(Conflict, match="already"):
        create(made)
    other = make_material(slug="coffees")
    assert create(other).slug == "first-round"
    assert [create(other, name=name).slug for name in ("茶", "جولة")] == ["relevance-1", "relevance-2"]


def test_only_managers_make_campaigns_and_the_command_line_may(made):
    for name in ("ada", "vic", "ana"):
        with pytest.raises(NotAllowed):
            create_campaign(collection=made.collection, by=made.people[name], at=AT, name="Mine")
    assert (
        create_campaign(collection=made.collection, by=None, at=AT, name="By command").guidelines.get().created_by
        is None
    )


def test_a_copy_has_the_definition_and_people_but_no_items(made):
    campaign = make_campaign(made, overlap=3, order="by-document")
    scale = CriterionDraft("fit", "Fit", (LevelDraft(1, "Yes"), LevelDraft(0, "No", reasons=("off topic",))))
    replace_criteria(campaign=campaign, criteria=[scale], by=made.manager, at=AT)
    remove_annotator(annotator=annotator(campaign, "ben"), by=made.manager, at=AT)
    copy = copy_campaign(campaign=campaign, by=made.manager, at=AT, name="Again")
    assert (copy.overlap, copy.order, copy.state) == (3, "by-document", "draft")
    assert copy.seed != campaign.seed
    assert drafts_of(copy) == drafts_of(campaign)
    assert sorted(copy.annotators.values_list("name", flat=True)) == ["Ana", "Cai"]
    assert not copy.items.exists()


def test_a_draft_can_be_changed_and_says_what_was(made):
    campaign = create(made)
    update_campaign(campaign=campaign, by=made.manager, at=AT, name="Better", overlap=5, order="by-document")
    campaign.refresh_from_db()
    assert (campaign.name, campaign.slug, campaign.overlap, campaign.order) == (
        "Better",
        "first-round",
        5,
        "by-document",
    )
    event = AuditEvent.objects.get(verb="update_campaign")
    assert event.data["before"] == {"name": "First round", "overlap": 3, "order": "by-aspect"}


@pytest.mark.slow
def test_a_deadline_is_set_by_form_command_and_api_and_seen_by_annotators(made, client):
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    client.force_login(made.manager)
    page = reverse("campaign_edit", args=["teas", campaign.slug])
    assert client.post(page, {"name": campaign.name, "lease_minutes": 60, "deadline": "2030-12-31"}).status_code == 302
    assert 'value="2030-12-31"' in client.get(page).text
    assert AuditEvent.objects.get(verb="update_campaign").data["after"] == {"deadline": "2030-12-31"}
    assert "Judge until 31 Dec 2030" in client.get(reverse("campaign_list", args=["teas"])).text
    client.force_login(made.people["ana"])
    assert "Judge until 31 Dec 2030" in client.get(reverse("campaign_detail", args=["teas", campaign.slug])).text
    address = reverse("api_campaign", args=["teas", campaign.slug])
    client.force_login(made.manager)
    change = client.patch(address, {"deadline": "2031-01-31", "state": "closed"}, content_type="application/json")
    assert (change.status_code, change.json()["deadline"], change.json()["state"]) == (200, "2031-01-31", "closed")
    assert client.patch(address, {"name": "Late"}, content_type="application/json").status_code == 422
    change = client.patch(address, {"deadline": "2031-02-28", "state": "open"}, content_type="application/json")
    assert (change.json()["deadline"], change.json()["state"]) == ("2031-02-28", "open")
    assert client.patch(address, {}, content_type="application/json").status_code == 400
    call_command("update_campaign", "teas", campaign.slug, "--no-deadline")
    campaign.refresh_from_db()
    assert campaign.deadline is None
    assert "Judge until" not in client.get(reverse("campaign_list", args=["teas"])).text


def test_a_draft_is_changed_and_opened_by_rest(made, client):
    client.force_login(made.manager)
    new = {"name": "Round", "overlap": 2, "annotators": ["ana@example.org", "ben@example.org"]}
    made_by_rest = client.post(reverse("api_campaigns", args=["teas"]), new, content_type="application/json")
    assert made_by_rest.status_code == 201
    campaign = Campaign.objects.get()
    assert sorted(campaign.annotators.values_list("name", flat=True)) == ["Ana", "Ben"]
    build_items(campaign=campaign, by=None, at=AT)
    address = reverse("api_campaign", args=["teas", campaign.slug])
    levels = [{"value": 0, "label": "No"}, {"value": 1, "label": "Yes"}]
    change = {
        "order": "by-document", "strategy": "planned", "seed": 5, "overlap": 1, "guideline": "Read twice.",
        "criteria": [{"key": "fit", "label": "Fit", "question": "", "scale": "ordinal", "levels": levels}],
    }  # fmt: skip
    changed = client.patch(address, {**change, "state": "open"}, content_type="application/json")
    assert changed.status_code == 422  # nobody has an item: then nothing is changed
    assert Campaign.objects.get().order == "by-aspect"
    changed = client.patch(address, change, content_type="application/json").json()
    assert {name: changed[name] for name in ("order", "strategy", "seed", "overlap")} == {
        "order": "by-document",
        "strategy": "planned",
        "seed": 5,
        "overlap": 1,
    }
    assert [each["key"] for each in changed["criteria"]] == ["fit"]
    assert campaign.guidelines.first().body == "Read twice.\n"
    assign_items(campaign=Campaign.objects.get(), by=None, at=AT)
    opened = client.patch(address, {"name": "Main", "split": "dev", "state": "open"}, content_type="application/json")
    assert (opened.json()["state"], opened.json()["split"]) == ("open", "dev")
    assert client.patch(address, {"seed": 6}, content_type="application/json").status_code == 422
    assert client.patch(address, {"criteria": []}, content_type="application/json").status_code == 400


def test_changing_nothing_leaves_no_trace(made):
    campaign = create(made)
    update_campaign(campaign=campaign, by=made.manager, at=AT, name=campaign.name)
    assert not AuditEvent.objects.filter(verb="update_campaign").exists()


def opened(made, **fields):
    campaign = make_campaign(made, **fields)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    return open_campaign(campaign=campaign, by=made.manager, at=AT)


def test_an_open_campaign_is_settled_but_for_name_and_leases(made):
    campaign = opened(made)
    update_campaign(campaign=campaign, by=made.manager, at=AT, name="Renamed", lease_minutes=5)
    with pytest.raises(Refused, match="Copy the campaign"):
        update_campaign(campaign=campaign, by=made.manager, at=AT, split="dev")


def test_the_order_is_settled_once_items_are_assigned(made):
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    with pytest.raises(Refused, match="already assigned"):
        update_campaign(campaign=campaign, by=made.manager, at=AT, order="by-document")
    for each in campaign.annotators.all():
        release_assignments(annotator=each, by=made.manager, at=AT)
    assert update_campaign(campaign=campaign, by=made.manager, at=AT, order="by-document").order == "by-document"


def test_items_move_with_the_split_unless_a_pair_is_held_out_already(made):
    first = make_campaign(made, name="One")
    update_campaign(campaign=first, by=made.manager, at=AT, split="dev")
    assert set(Item.objects.filter(campaign=first).values_list("split", flat=True)) == {Split.DEV}
    second = make_campaign(made, name="Two")
    with pytest.raises(Refused, match="24 of its pairs are in another development or test campaign"):
        update_campaign(campaign=second, by=made.manager, at=AT, split="test")
    assert Campaign.objects.get(pk=second.pk).split == Split.MAIN


def test_opening_says_what_is_missing_step_by_step(made):
    campaign = create(made, overlap=2, strategy="planned")

    def refusal():
        with pytest.raises(Refused) as found:
            open_campaign(campaign=campaign, by=made.manager, at=AT)
        return found.value.reason

    campaign.guidelines.all().delete()
    assert "no guideline" in refusal()
    campaign.guidelines.create(version=1, body="Judge.", created_at=AT)
    assert "no items" in refusal()
    build_items(campaign=campaign, by=made.manager, at=AT)
    assert "Nobody can judge" in refusal()
    add_members(campaign=campaign, users=[made.people["ana"], made.people["ben"]], by=made.manager, at=AT)
    assert "No item is assigned" in refusal()
    assign_items(campaign=campaign, by=made.manager, at=AT)
    assert open_campaign(campaign=campaign, by=made.manager, at=AT).opened_at == AT
    assert "already open" in refusal()


def test_an_open_queue_is_the_default_and_is_filled_when_it_opens(made):
    assert create(made, kind="extraction").strategy == "planned"  # papers have no queue
    campaign = create(made, name="Second", overlap=2)
    assert campaign.strategy == "queue"
    build_items(campaign=campaign, by=made.manager, at=AT)
    add_members(campaign=campaign, users=[made.people["ana"], made.people["ben"]], by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    assert Assignment.objects.filter(queue=campaign, state="open").count() == 2 * campaign.items.count()


def test_a_large_empty_queue_does_not_open(made, monkeypatch):
    monkeypatch.setattr("annotation.campaigns.campaigns.FILLED_AT_ONCE", 3)
    campaign = make_campaign(made, strategy="queue")
    with pytest.raises(Refused, match="queue is empty"):
        open_campaign(campaign=campaign, by=made.manager, at=AT)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    assert open_campaign(campaign=campaign, by=made.manager, at=AT).state == CampaignState.OPEN


def test_closing_keeps_everything_and_reopening_goes_on(made):
    campaign = opened(made)
    before = Assignment.objects.filter(state="pending").count()
    close_campaign(campaign=campaign, by=made.manager, at=AT)
    with pytest.raises(Refused, match="Only an open campaign"):
        close_campaign(campaign=campaign, by=made.manager, at=AT)
    with pytest.raises(Refused, match="Reopen it first"):
        build_items(campaign=campaign, by=made.manager, at=AT)
    reopened = open_campaign(campaign=campaign, by=made.manager, at=AT)
    assert (reopened.state, reopened.closed_at) == (CampaignState.OPEN, None)
    assert Assignment.objects.filter(state="pending").count() == before
    assert list(
        AuditEvent.objects.filter(verb__endswith="_campaign").order_by("id").values_list("verb", flat=True)
    ) == [
        "create_campaign",
        "open_campaign",
        "close_campaign",
        "reopen_campaign",
    ]


def test_a_campaign_without_answers_can_be_deleted_and_frees_its_pairs(made):
    campaign = make_campaign(made, split="dev")
    assign_items(campaign=campaign, by=made.manager, at=AT)
    delete_campaign(campaign=campaign, by=made.manager, at=AT)
    assert not Campaign.objects.exists()
    assert make_campaign(made, split="test").items.count() == 24


def test_answers_keep_a_campaign_from_being_deleted(made):
    campaign = opened(made)
    with pytest.raises(Refused, match="Close it first"):
        delete_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [1])
    close_campaign(campaign=campaign, by=made.manager, at=AT)
    with pytest.raises(Refused, match="never deleted"):
        delete_campaign(campaign=campaign, by=made.manager, at=AT)


def test_annotators_see_only_the_campaigns_they_judge_in(made):
    campaign = make_campaign(made)
    hidden = make_campaign(made, name="Hidden", annotators=False, items=False)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [1, 2])
    ana, manager = made.membership("ana"), made.membership("mia")
    assert [(each.slug, each.done) for each in campaigns_for(ana)] == [("main-round", 2)]
    assert [(each.slug, each.items_count) for each in campaigns_for(manager)] == [("hidden", 0), ("main-round", 24)]
    check_can_see(ana, campaign)
    check_can_see(manager, hidden)
    with pytest.raises(NotAllowed, match="not among the annotators"):
        check_can_see(ana, hidden)


def test_a_removed_annotator_no_longer_sees_the_campaign(made):
    campaign = make_campaign(made)
    remove_annotator(annotator=annotator(campaign, "ana"), by=made.manager, at=AT)
    assert not campaigns_for(made.membership("ana")).exists()


def test_names_do_not_open_doors(made):
    campaign = make_campaign(made, annotators=False)
    add_name(campaign=campaign, name="Ana", by=made.manager, at=AT)
    with pytest.raises(NotAllowed):
        check_can_see(made.membership("ana"), campaign)


# --- criteria --------------------------------------------------------------------------------------------------------

YES_NO = CriterionDraft("fit", "Fit", (LevelDraft(1, "Yes"), LevelDraft(0, "No")))


def test_criteria_are_replaced_as_a_whole(made):
    campaign = create(made)
    assert replace_criteria(campaign=campaign, criteria=[YES_NO], by=made.manager, at=AT)
    assert [(c.key, [v.value for v in c.levels]) for c in drafts_of(campaign)] == [("fit", [0, 1])]
    assert not replace_criteria(campaign=campaign, criteria=[YES_NO], by=made.manager, at=AT)


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ([], "at least one criterion"),
        ([YES_NO, YES_NO], "used by 2 criteria"),
        ([CriterionDraft("Not OK", "X", YES_NO.levels)], "small letters"),
        ([CriterionDraft("x", " ", YES_NO.levels)], "no label"),
        ([CriterionDraft("x", "X", YES_NO.levels, scale="fuzzy")], "ordinal or nominal"),
        ([CriterionDraft("x", "X", (LevelDraft(0, "only"),))], "has 1 levels"),
        ([CriterionDraft("x", "X", (LevelDraft(0, "a"), LevelDraft(0, "b")))], "2 levels have the value 0"),
        ([CriterionDraft("x", "X", (LevelDraft(0, "a"), LevelDraft(200, "b")))], "outside -127 to 127"),
        ([CriterionDraft("x", "X", (LevelDraft(0, "a"), LevelDraft(1, "")))], "level 1 has no label"),
    ],
)
def test_criteria_that_make_no_sense_are_refused(made, criteria, words):
    campaign = create(made)
    with pytest.raises(Refused, match=words):
        replace_criteria(campaign=campaign, criteria=criteria, by=made.manager, at=AT)
    assert Level.objects.filter(criterion__campaign=campaign).count() == 3


def test_judgments_settle_the_criteria(made):
    campaign = opened(made)
    give_labels(annotator(campaign, "ana"), [1])
    with pytest.raises(Refused, match="the levels can no longer change"):
        replace_criteria(campaign=campaign, criteria=[YES_NO], by=made.manager, at=AT)
    assert not replace_criteria(campaign=campaign, criteria=drafts_of(campaign), by=made.manager, at=AT)


def test_verdicts_settle_levels_and_items(made):
    campaign = make_campaign(made)
    criterion = campaign.criteria.get()
    Verdict.objects.create(item=campaign.items.first(), criterion=criterion, method="unresolved")
    with pytest.raises(Refused, match="Verdicts or machine runs use these levels"):
        replace_criteria(campaign=campaign, criteria=[YES_NO], by=made.manager, at=AT)
    with pytest.raises(Refused, match="other work depends on them"):
        delete_campaign(campaign=campaign, by=made.manager, at=AT)
    assert campaign.items.count() == 24


@pytest.mark.parametrize(("kind", "overlap", "sample"), [("relevance", 3, 3), ("rubric", 1, 3), ("extraction", 1, 2)])
def test_each_kind_has_an_overlap_that_suits_its_work(made, kind: str, overlap: int, sample: int) -> None:
    campaign = create_campaign(collection=made.collection, by=made.manager, at=AT, name="Round", kind=kind)
    assert (campaign.overlap, campaign.kind_object.calibration_overlap) == (overlap, sample)


def test_papers_get_a_calibration_sample_on_the_form_that_makes_the_campaign(made, client) -> None:
    for _ in range(3):
        PaperFactory(collection=made.collection)
    client.force_login(made.manager)
    fields = {"name": "Contexts", "template": "acm-cr", "split": "main", "order": "by-aspect", "strategy": "planned"}
    sent = client.post(reverse("campaign_create", args=["teas"]), {**fields, "lease_minutes": 60, "calibration": 2})
    assert sent.status_code == 302
    campaign = Campaign.objects.get(slug="contexts")
    assert campaign.overlap == 1
    assert sorted(campaign.items.values_list("extra_overlap", flat=True)) == [0, 1, 1]
