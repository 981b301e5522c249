"""Campaigns for the benchmark of judging, built by SQL: a million items in minutes, as no action would make them."""

import re
import secrets
from dataclasses import dataclass, field
from typing import Any

ANNOTATORS = 8
WORDS = (
    "retrieval scientific literature dense encoder query document aspect annotation label judgment ranking neural"
    " language model corpus citation context topic pool evaluation benchmark dataset sparse lexical semantic transfer"
    " learning contrastive supervision expert agreement metric relevance passage abstract sentence embedding attention"
    " transformer graph knowledge domain biomedical chemistry robustness efficiency latency memory scaling training"
)
# Names after a colon are filled in; 190 words an abstract and 8 sentences a query are what real ones have.
BUILD = """
WITH vocabulary AS (SELECT string_to_array(':words', ' ') AS words)
INSERT INTO corpus_document (collection_id, docno, title, abstract, keywords, authors, venue, doi, url, extra)
SELECT :collection, 'doc' || n, 'A study of ' || left(abstract, 60), abstract, '{}', '{}', '', '', '', '{}'
FROM vocabulary, generate_series(1, :documents) n, LATERAL (
  SELECT string_agg(words[1 + (n * 7919 + w * 104729 + w * w * n) % array_length(words, 1)], ' ') AS abstract
  FROM generate_series(1, 190) w
) text;

INSERT INTO corpus_topic
  (collection_id, number, prefix, kind, source, author, title, text, narrative, sentences, position, extra)
SELECT :collection, n, '', 'complex-query', '', '', '', array_to_string(sentences, ' '), '', sentences, n, '{}'
FROM generate_series(1, :topics) n, LATERAL (
  SELECT array_agg('I look for work number ' || q || ' on dense retrieval of labelled papers.') AS sentences
  FROM generate_series(1, 8) q WHERE n > 0
) text;

INSERT INTO corpus_aspect (topic_id, text)
SELECT t.id, 'The work trains a dense encoder for semantic query relevance, variant ' || n
FROM corpus_topic t, generate_series(1, :aspects) n WHERE t.collection_id = :collection;

INSERT INTO corpus_aspectnode (topic_id, aspect_id, position, sentences)
SELECT a.topic_id, a.id, a.id % 100, '{2}' FROM corpus_aspect a JOIN corpus_topic t ON t.id = a.topic_id
WHERE t.collection_id = :collection;

INSERT INTO annotation_item (campaign_id, split, topic_id, aspect_id, document_id, extra_overlap)
SELECT :campaign, 'main', a.topic_id, a.id, d.id, 0
FROM corpus_aspect a JOIN corpus_topic t ON t.id = a.topic_id
JOIN corpus_document d ON d.collection_id = t.collection_id WHERE t.collection_id = :collection
"""
PLAN = """
INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position)
SELECT i.id, ids[1 + (i.n + s) % :annotators], 'pending', s, 0, i.n
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM annotation_item WHERE campaign_id = :campaign) i,
  generate_series(1, :overlap) s,
  (SELECT array_agg(id ORDER BY id) AS ids FROM annotation_annotator WHERE campaign_id = :campaign) people
"""
QUEUE = """
INSERT INTO annotation_assignment (item_id, queue_id, state, slot, repeat, position)
SELECT i.id, :campaign, 'open', s, 0, i.n
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM annotation_item WHERE campaign_id = :campaign) i,
  generate_series(1, :overlap) s
"""
OVERLAP = 5  # so that the small campaign lasts longer than a run


@dataclass
class Scene:
    """A campaign to be judged: its address and its annotators' sessions."""

    items: int
    strategy: str
    path: str
    sessions: list[str] = field(default_factory=list)


def build_scene(items: int, strategy: str, annotators: int = ANNOTATORS) -> Scene:
    """A new campaign of so many items with so many annotators; `strategy` is planned or queue."""
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Annotator, Campaign, Criterion, Guideline, Level
    from corpus.models import Collection, Membership

    slug = f"bench-{strategy}-{items}-{secrets.token_hex(3)}"
    now = timezone.now()
    collection = Collection.objects.create(slug=slug, title=slug, created_at=now)
    campaign = Campaign.objects.create(
        collection=collection, slug="main", name="Bench", kind="relevance", state="open", overlap=OVERLAP, seed=1,
        strategy=strategy, created_at=now, opened_at=now,
    )  # fmt: skip
    criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
    for value, label in enumerate(("not relevant", "partly relevant", "relevant")):
        Level.objects.create(criterion=criterion, value=value, label=label, definition=WORDS[:180])
    users = people(annotators)
    Guideline.objects.create(
        campaign=campaign,
        version=1,
        body="## How to judge\n\n" + " ".join([WORDS] * 4),
        created_at=now,
        created_by=users[0],
    )
    for user in users:
        Membership.objects.create(collection=collection, user=user, role="annotator", created_at=now)
        Annotator.objects.create(campaign=campaign, name=user.email, user=user, created_at=now)
    documents = min(1000, items // 10)
    topics = max(1, items // documents // 10)
    names = {
        "words": WORDS, "documents": documents, "topics": topics, "aspects": items // documents // topics,
        "collection": collection.pk, "campaign": campaign.pk, "annotators": annotators, "overlap": OVERLAP,
    }  # fmt: skip
    script = BUILD + ";" + (QUEUE if strategy == "queue" else PLAN)
    with connection.cursor() as cursor:
        cursor.execute(re.sub(r"(?<!:):([a-z]+)", lambda name: str(names[name[1]]), script))
        # As in a database that has been at rest: no clean-up of the building runs during the judging.
        cursor.execute("VACUUM (ANALYZE, FREEZE) annotation_item, annotation_assignment, corpus_document, corpus_topic")
    assert campaign.items.count() == items
    return Scene(items, strategy, f"/c/{slug}/campaigns/main/label/", [session_of(user) for user in users])


def people(number: int = ANNOTATORS) -> list[Any]:
    from accounts.models import User

    names = [f"annotator{place}@example.org" for place in range(number)]
    return [User.objects.filter(email=name).first() or User.objects.create_user(name, None) for name in names]


def session_of(user: Any) -> str:
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client.cookies[settings.SESSION_COOKIE_NAME].value
