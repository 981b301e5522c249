"""A judged campaign with two runs, one of which lacks topics."""

import numpy as np
import pytest

from accounts.models import User
from annotation.models import Campaign
from corpus.models import Ranking, RetrievalRun, Topic
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

TOPICS, DOCUMENTS = 12, 15


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    return make_built()


@pytest.fixture
def built(shared_built: Built, db: None) -> Built:
    """Of rows that the tests of a module share, as they are in the database: no test sees another's objects."""
    campaign = Campaign.objects.select_related("collection").get(pk=shared_built.campaign.pk)
    people = User.objects.in_bulk([user.pk for user in shared_built.people.values()])
    annotators = {each.name: each for each in campaign.annotators.select_related("user").order_by("pk")}
    items = campaign.items.select_related("topic", "aspect", "document").order_by("pk")
    return Built(
        campaign.collection,
        campaign,
        campaign.criteria.get(),
        list(items),
        {name: annotators[name] for name in shared_built.annotators},
        {name: people[user.pk] for name, user in shared_built.people.items()},
    )


def make_built() -> Built:
    rng = np.random.default_rng(5)
    triples = [(str(t), f"aspect {a}", f"d{d}") for t in range(1, TOPICS + 1) for d in range(DOCUMENTS) for a in (1, 2)]
    labels = [[value] * 3 for value in rng.choice(3, len(triples), p=[0.6, 0.25, 0.15]).tolist()]
    found = build_campaign(labels, people=("ana", "ben"), machines=[("gpt", "gpt", 1)], triples=triples)
    vote(found)
    for name, topics in (("good", TOPICS), ("half", TOPICS - 3)):
        run = RetrievalRun.objects.create(collection=found.collection, name=name, created_at=AT)
        for topic in Topic.objects.filter(collection=found.collection)[:topics]:
            scores = sorted(rng.random(DOCUMENTS - 2).tolist(), reverse=True)
            docnos = [f"d{d}" for d in rng.permutation(DOCUMENTS)[: DOCUMENTS - 2]]
            Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=scores)
    return found
