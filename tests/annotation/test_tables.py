"""Tables of all subjects: sorted by the address, downloaded without formulas, changed in bulk by managers alone."""

import csv
import io

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Campaign
from corpus.models import Topic
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material
from tests.factories.papers import PaperFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material(topics=3, aspects=2)


def rows_of(client, address, **query):
    answer = client.get(address, {**query, "as": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def said(answer):
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_the_address_sorts_and_other_filters_stay(made, client):
    client.force_login(made.manager)
    address = reverse("topic_list", args=["teas"])
    assert [row["number"] for row in rows_of(client, address)] == ["1", "2", "3"]
    assert [row["number"] for row in rows_of(client, address, sort="-number")] == ["3", "2", "1"]
    assert [row["number"] for row in rows_of(client, address, sort="-number", q="2")] == ["2"]
    assert [row["number"] for row in rows_of(client, address, sort="password")] == ["1", "2", "3"]
    page = client.get(address, {"sort": "-number", "q": "tea"})
    assert 'aria-sort="descending"' in page.text
    assert '<option value="-number" selected>Number ↓</option>' in page.text
    assert 'href="?sort=topic&amp;q=tea"' in page.text
    assert 'href="?q=tea"' in page.text  # the third click goes back to the usual order


def test_few_rows_are_neither_filtered_nor_sorted_unless_they_are_already(client):
    few, many = make_material(topics=9, aspects=1), make_material(slug="cakes", topics=10, aspects=1)
    client.force_login(few.manager)
    page = client.get(reverse("topic_list", args=["teas"])).text
    assert ('name="kind"' in page, 'class="sort"' in page) == (False, False)
    assert 'name="kind"' in client.get(reverse("topic_list", args=["teas"]), {"q": "1"}).text
    assert 'class="sort"' in client.get(reverse("topic_list", args=["teas"]), {"sort": "number"}).text
    client.force_login(many.manager)
    page = client.get(reverse("topic_list", args=["cakes"])).text
    assert ('name="kind"' in page, 'class="sort"' in page) == (True, True)


def test_cells_are_no_formulas_and_annotators_get_no_pools(made, client):
    Topic.objects.filter(number="1").update(title="=HYPERLINK(1)")
    client.force_login(made.manager)
    address = reverse("topic_list", args=["teas"])
    first = rows_of(client, address)[0]
    assert (first["topic"], first["pool"]) == ("'=HYPERLINK(1)", "4")
    client.force_login(made.people["ana"])
    assert set(rows_of(client, address)[0]) == {"number", "topic", "text", "kind", "aspects", "sub_aspects"}
    assert "table-steps" not in client.get(address).text


def test_bulk_steps_take_each_row_for_itself(made, client):
    other = make_material(slug="cakes", topics=1)
    campaign = make_campaign(made, items=False)
    campaign.items.create(topic=made.topics[0], split="main")
    client.force_login(made.manager)
    address = f"{reverse('topic_list', args=['teas'])}?sort=-number"
    picks = [topic.pk for topic in (*made.topics, *other.topics)]
    answer = client.post(address, {"step": "delete", "pick": [*picks, "x", "9" * 30]})
    assert (answer.status_code, answer["Location"]) == (302, address)
    done, refused = said(answer)
    assert done == "Topics deleted: 2."
    assert refused.startswith("Not done for 1. ")
    assert set(Topic.objects.values_list("pk", flat=True)) == {made.topics[0].pk, other.topics[0].pk}
    assert said(client.post(address, {"step": "explode", "all": "1"}))[-1] == "Choose what to do with the rows."
    assert said(client.post(address, {"step": "delete"}))[-1] == "No rows are selected. Select some first."


def test_all_means_all_that_the_filter_shows(made, client):
    client.force_login(made.manager)
    answer = client.post(f"{reverse('topic_list', args=['teas'])}?q=2", {"step": "delete", "all": "1"})
    assert said(answer) == ["Topics deleted: 1."]
    assert list(Topic.objects.values_list("number", flat=True)) == ["1", "3"]


def test_several_campaigns_are_opened_and_closed(made, client):
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    make_campaign(made, name="Not ready", items=False)
    client.force_login(made.manager)
    address = reverse("campaign_list", args=["teas"])
    done, refused = said(client.post(address, {"step": "open", "all": "1"}))
    assert (done, refused[:15]) == ("Campaigns opened: 1.", "Not done for 1.")
    assert [row["campaign"] for row in rows_of(client, address, sort="campaign")] == ["Main round", "Not ready"]
    assert [row["campaign"] for row in rows_of(client, address, state="draft")] == ["Not ready"]
    assert "No campaign matches" in client.get(address, {"q": "zzz"}).text
    client.post(f"{address}?state=open", {"step": "close", "all": "1"})
    assert Campaign.objects.get(pk=campaign.pk).state == "closed"


@pytest.mark.slow
def test_items_are_sorted_downloaded_and_only_unjudged_ones_removed(made, client):
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    give_labels(annotator(campaign, "ana"), [1] * 3)
    client.force_login(made.manager)
    address = reverse("item_list", args=["teas", campaign.slug])
    rows = rows_of(client, address, sort="-judged")
    assert (len(rows), [row["judged"] for row in rows[:4]]) == (24, ["1", "1", "1", "0"])
    assert [row["topic"] for row in rows_of(client, address, sort="-topic")] == ["3"] * 8 + ["2"] * 8 + ["1"] * 8
    assert len(rows_of(client, address, topic=made.topics[0].pk)) == 8
    assert "aria-sort" in client.get(address, {"sort": "document"}).text
    before = set(campaign.items.values_list("pk", flat=True))
    judged = set(campaign.items.filter(assignments__state="done").values_list("pk", flat=True))
    picked = [*judged, *sorted(before - judged)[:2]]
    done, refused = said(client.post(address, {"step": "remove", "pick": picked}))
    assert (done, refused) == ("Items removed: 2.", "Not done for 3. Items that someone has begun are kept.")
    assert set(campaign.items.values_list("pk", flat=True)) == before - set(picked[3:])


@pytest.mark.parametrize("kind", ["rubric", "extraction"])
def test_items_of_each_kind_have_their_columns(made, client, kind):
    PaperFactory(collection=made.collection)
    campaign = make_campaign(made, kind=kind)
    client.force_login(made.manager)
    address = reverse("item_list", args=["teas", campaign.slug])
    columns = [column.key for column in campaign.kind_object.words.columns]
    rows = rows_of(client, address, sort=f"-{columns[0]}")
    assert list(rows[0])[: len(columns)] == columns
    assert len(rows) == campaign.items.count() > 0
