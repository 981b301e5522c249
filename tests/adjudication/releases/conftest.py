"""A judged collection, ready to be released."""

from pathlib import Path

import pytest

from tests.adjudication.releases.releasing import LABELS, PEOPLE, TRIPLES, A, B, C
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign
from tests.factories.corpus import make_run, make_tree


@pytest.fixture
def built(settings, tmp_path: Path) -> Built:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""  # seconds each
    found = build_campaign(LABELS, triples=TRIPLES, people=PEOPLE, machines=[("Robot, run 1", "robot", 1)])
    found.collection.licence = "CC BY 4.0"
    found.collection.save()
    for topic, tree in (("7", {A: [], B: []}), ("12", {C: []})):
        make_tree(found.collection.topics.get(number=topic), tree)
    make_run(found.collection, "bm25", {"7": ["doc-a", "doc-b"]})
    vote(found)
    return found
