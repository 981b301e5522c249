"""A judged campaign with two runs, one of which lacks topics."""

import numpy as np
import pytest

from corpus.models import Ranking, RetrievalRun, Topic
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

TOPICS, DOCUMENTS = 12, 15


@pytest.fixture
def built() -> Built:
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
