"""Items: built from aspects and pools, sampled into held-out splits that never overlap."""

from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Count

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from annotation.assignment.assignments import assign_items
from annotation.campaigns import items as item_actions
from annotation.campaigns.items import (
    ItemFilter,
    build_items,
    describe_items,
    find_items,
    needs_job,
    request_item_build,
)
from annotation.campaigns.lifecycle import open_campaign
from annotation.labelling.units_ahead import take_units
from annotation.models import Item, ItemBuild, Split
from corpus.models import Aspect, AspectNode, PoolEntry
from tests.databases import at_once
from tests.factories.annotation import (
    AT,
    add_documents,
    add_to_pool,
    add_topic,
    annotator,
    give_labels,
    make_campaign,
    make_material,
    skip_item,
)
from tests.processes import wait_for

pytestmark = pytest.mark.django_db


def campaign_of(made, **fields):
    return make_campaign(made, items=False, annotators=False, **fields)


def build(campaign, **options):
    return build_items(campaign=campaign, by=None, at=AT, **options)


def keys(campaign):
    return set(campaign.items.values_list("topic__number", "aspect__text", "document__docno"))


def test_items_are_the_distinct_aspects_by_the_pool():
    made = make_material(topics=3, aspects=2, documents=4)
    campaign = campaign_of(made)
    built = build(campaign)
    assert (built.created, built.items, built.left) == (24, 24, 0)
    expected = {(t, f"Does thing {t}.{i}.", f"d{d:04d}") for t in "123" for i in (1, 2) for d in range(4)}
    assert keys(campaign) == expected


def test_an_aspect_that_stands_twice_in_the_tree_is_one_item():
    made = make_material(topics=1, aspects=2, documents=1)
    AspectNode.objects.create(topic=made.topics[0], aspect=made.aspects[0], position=7)
    campaign = campaign_of(made)
    assert build(campaign).created == 2


def test_an_aspect_that_left_the_tree_makes_no_items():
    made = make_material(topics=1, aspects=1, documents=1)
    Aspect.objects.create(topic=made.topics[0], text="Was dropped.")
    campaign = campaign_of(made)
    assert build(campaign).created == 1


def test_a_topic_without_aspects_is_judged_as_a_whole():
    made = make_material(topics=1, aspects=2, documents=3)
    add_topic(made, "whole", [])
    campaign = campaign_of(made)
    build(campaign)
    assert Counter(text for number, text, _ in keys(campaign) if number == "whole") == {None: 3}


def test_building_again_adds_only_what_is_new():
    made = make_material(topics=2, aspects=1, documents=2)
    add_topic(made, "whole", [])
    campaign = campaign_of(made)
    build(campaign)
    with pytest.raises(Refused, match="No pairs are left"):
        build(campaign)
    before = set(campaign.items.values_list("pk", flat=True))
    add_to_pool(made.topics[2], add_documents(made.collection, 2, start=90))
    assert build(campaign).created == 2
    assert before < set(campaign.items.values_list("pk", flat=True))


def test_items_whose_pair_has_left_the_pool_stay():
    made = make_material(topics=1, aspects=1, documents=3)
    campaign = campaign_of(made)
    build(campaign)
    PoolEntry.objects.filter(document=made.documents[0]).delete()
    supply = campaign.kind_object.items.fetch_supply(campaign)
    assert (supply.total, supply.taken, supply.left) == (2, 2, 0)
    assert campaign.items.count() == 3


def test_without_pools_there_is_nothing_to_build():
    campaign = campaign_of(make_material(pooled=False))
    with pytest.raises(Refused, match="No topic of the collection has a pool yet"):
        build(campaign)


def test_another_collections_pools_are_not_taken():
    make_material(slug="other", topics=5)
    campaign = campaign_of(make_material(topics=1, aspects=1, documents=2))
    assert build(campaign).created == 2


def test_a_sample_is_drawn_by_its_seed():
    made = make_material(topics=5, aspects=3, documents=10)
    drawn = []
    for number, seed in enumerate([1, 1, 2]):
        campaign = campaign_of(made, name=f"Sample {number}")
        assert build(campaign, sample=20, seed=seed).created == 20
        drawn.append(keys(campaign))
    assert drawn[0] == drawn[1] != drawn[2]
    larger = campaign_of(made, name="Larger")
    build(larger, sample=30, seed=1)
    assert drawn[0] < keys(larger)


def test_without_a_seed_the_campaigns_own_draws():
    made = make_material(topics=5, aspects=3, documents=10)
    one, other = campaign_of(made, name="One", seed=5), campaign_of(made, name="Other")
    build(one, sample=9)
    build(other, sample=9, seed=5)
    assert keys(one) == keys(other)


def test_a_stratified_sample_takes_the_same_from_each_topic():
    made = make_material(topics=4, aspects=2, documents=10)
    small = add_topic(made, "small", ["One thing."], pooled=False)
    add_to_pool(small, made.documents[:2])
    campaign = campaign_of(made)
    build(campaign, sample=42, stratified=True)
    counts = dict(campaign.items.values_list("topic__number").annotate(n=Count("pk")))
    assert counts == {"1": 10, "2": 10, "3": 10, "4": 10, "small": 2}


def test_held_out_samples_never_overlap_and_say_what_is_left():
    made = make_material(topics=2, aspects=2, documents=5)
    dev, test = campaign_of(made, name="Dev", split="dev"), campaign_of(made, name="Test", split="test")
    main = campaign_of(made, name="Main", split="main")
    build(dev, sample=8)
    with pytest.raises(Refused, match=r"Only 12 pairs are left .* 13 were requested. 8 of the collection's 20 pairs"):
        build(test, sample=13)
    built = build(test, sample=12)
    assert (built.created, built.left, built.held_elsewhere) == (12, 0, 8)
    assert not keys(dev) & keys(test)
    with pytest.raises(Refused, match="No pairs are left"):
        build(campaign_of(made, name="Dev 2", split="dev"), sample=1)
    assert build(main).created == 20


def test_a_sample_can_be_enlarged():
    made = make_material(topics=2, aspects=2, documents=5)
    campaign = campaign_of(made, split="dev")
    build(campaign, sample=8)
    assert build(campaign, sample=8).items == 16
    with pytest.raises(Refused, match="must be a whole number from 1"):
        build(campaign, sample=0)


def test_the_database_itself_keeps_held_out_splits_apart():
    made = make_material(topics=1, aspects=1, documents=1)
    dev, test = campaign_of(made, name="Dev", split="dev"), campaign_of(made, name="Test", split="test")
    build(dev)
    item = dev.items.get()
    with pytest.raises(IntegrityError, match="item_in_one_held_out_split"), transaction.atomic():
        Item.objects.create(
            campaign=test, split=Split.TEST, topic=item.topic, aspect=item.aspect, document=item.document
        )


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_samples_at_once_share_nothing():
    made = make_material(topics=4, aspects=2, documents=10)
    campaigns = [campaign_of(made, name=f"Split {i}", split=split) for i, split in enumerate(["dev", "test"] * 2)]
    drawn = at_once(*(partial(build, campaign, sample=20, seed=1) for campaign in campaigns))  # all want the same pairs
    assert not [each for each in drawn if isinstance(each, Refused)]
    assert [campaign.items.count() for campaign in campaigns] == [20] * 4
    assert len(set().union(*map(keys, campaigns))) == 80


def test_building_takes_few_queries_however_many_items(django_assert_max_num_queries):
    campaign = campaign_of(make_material(topics=30, aspects=3, documents=30))
    with django_assert_max_num_queries(26):
        assert build(campaign).created == 2700


# --- as a job --------------------------------------------------------------------------------------------------------


def test_large_builds_are_jobs(monkeypatch):
    campaign = campaign_of(make_material())
    assert not needs_job(campaign, None)
    monkeypatch.setattr(item_actions, "JOB_FROM", 20)
    assert needs_job(campaign, None)
    assert not needs_job(campaign, 20)


def test_the_job_builds_once_however_often_it_runs():
    campaign = campaign_of(make_material())
    job = request_item_build(campaign=campaign, by=None, at=AT, sample=10, seed=3)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert (job.state, job.created, job.done) == (JobState.DONE, 10, 10)
    ItemBuild.objects.update(state=JobState.RUNNING)  # as if its worker had died before it could say that it ended
    jobs.carry_out(job)
    assert campaign.items.count() == 10


def test_a_job_that_cannot_be_done_says_why():
    campaign = campaign_of(make_material(pooled=False))
    job = request_item_build(campaign=campaign, by=None, at=AT)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "No topic of the collection has a pool" in job.reason


def test_a_cancelled_job_leaves_nothing(monkeypatch):
    campaign = campaign_of(make_material())
    job = request_item_build(campaign=campaign, by=None, at=AT)
    ItemBuild.objects.update(cancel_requested_at=AT)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert not campaign.items.exists()


def test_a_job_that_calls_itself_cancelled_has_left_nothing_however_late_that_came(monkeypatch):
    class CancelledLate(jobs.Progress):
        def report(self, done, total=None, step=""):
            if step == "all items made":
                ItemBuild.objects.update(cancel_requested_at=AT)
            super().report(done, total, step)

    monkeypatch.setattr(jobs, "Progress", CancelledLate)
    campaign = campaign_of(make_material())
    job = request_item_build(campaign=campaign, by=None, at=AT, sample=10)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert (job.state, job.created) == (JobState.CANCELLED, 0)
    assert not campaign.items.exists()


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_real_worker_builds(celery_worker):
    campaign = campaign_of(make_material())
    job = request_item_build(campaign=campaign, by=None, at=AT)
    wait_for(lambda: jobs.with_live_progress(ItemBuild.objects.get(pk=job.pk)).is_final, what="the build")
    assert campaign.items.count() == 24


# --- lists -----------------------------------------------------------------------------------------------------------


def test_lists_filter_by_topic_and_state():
    made = make_material()
    campaign = make_campaign(made)
    found = find_items(campaign, ItemFilter(topic=made.topics[1].pk, state="untouched", needs=2), AT)
    chosen = found.values_list("pk", flat=True)
    assert chosen.count() == 8
    described = describe_items(chosen[:3])
    assert [item.pk for item in described] == list(chosen[:3])
    assert {(item.topic, item.needed, item.done, item.slots) for item in described} == {(made.topics[1], 2, 0, 0)}
    assert find_items(campaign, ItemFilter(), AT).count() == 24
    assert find_items(campaign, ItemFilter(state="unassigned"), AT).count() == 24
    assert not find_items(campaign, ItemFilter(state="complete"), AT).exists()
    assert not find_items(campaign, ItemFilter(needs=1), AT).exists()


def test_each_state_lists_its_items():
    made = make_material(topics=1, aspects=1, documents=6)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    ana, ben, cai = (annotator(campaign, name) for name in ("ana", "ben", "cai"))
    skipped = skip_item(ana, "cannot be understood")
    for judge in (ben, cai):
        give_labels(judge, [1] * 4)
    found = {
        state: {item.pk for item in find_items(campaign, ItemFilter(state=state), AT)}
        for state in ("complete", "begun", "untouched", "unassigned", "skipped", "stale")
    }
    everything = set(campaign.items.values_list("pk", flat=True))
    assert found["complete"] | found["begun"] | found["untouched"] == everything
    assert len(found["complete"]) + len(found["begun"]) + len(found["untouched"]) == 6
    assert found["skipped"] == found["unassigned"] == {skipped}
    assert found["stale"] == set()
    assert {item.pk for item in find_items(campaign, ItemFilter(needs=1), AT)} == found["begun"]
    reasoned = ItemFilter(reason="cannot be understood")
    assert {item.pk for item in find_items(campaign, reasoned, AT)} == {skipped}
    assert not find_items(campaign, ItemFilter(reason="something else"), AT).exists()


def test_leases_that_ran_out_are_listed():
    made = make_material(topics=1, aspects=1, documents=6)
    campaign = make_campaign(made, strategy="queue")
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    stale = ItemFilter(state="stale")
    assert not find_items(campaign, stale, AT).exists()
    held = annotator(campaign, "ana").assignments.filter(state="pending").values_list("item", flat=True)
    assert {item.pk for item in find_items(campaign, stale, AT + timedelta(hours=2))} == set(held) != set()


def test_samples_of_the_three_splits_never_overlap():
    """Development, test and main as Anno-GPT needs them; all that is left can still be taken as a whole."""
    made = make_material(topics=3, aspects=2, documents=5)
    drawn = []
    for split in (Split.DEV, Split.TEST, Split.MAIN):
        campaign = campaign_of(made, name=split, split=split)
        build(campaign, sample=10, seed=7)
        drawn.append(keys(campaign))
    assert len(set().union(*drawn)) == 30, "each pair in one of the three"
    main = campaign_of(made, name="Sampled main")
    with pytest.raises(Refused, match=r"Only 10 pairs are left for this campaign, but 11 were requested\. 20 of"):
        build(main, sample=11, seed=8)
    assert build(campaign_of(made, name="Everything")).created == 30
