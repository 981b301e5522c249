"""A campaign with verdicts."""

import pytest

from tests.adjudication.exports.exporting import LABELS, TRIPLES
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS, triples=TRIPLES)
    vote(found)
    return found
