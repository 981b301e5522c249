"""The sanity check of citation contexts: what a plain retriever makes of the topics and qrels they give."""

from django.db import models

from accounts.models import Job
from corpus.models import Collection
from corpus.models.collections import InCollection


class ContextCheck(Job):
    """BM25 over the collection against the contexts' own qrels; parameters say tokens, stemmer, k1, b and drafts.

    `results` are {"paragraph"|"sentence": {"topics", "judgments", "recall_10", "ndcg_10"}}, null where undefined.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="context_checks")
    documents = models.PositiveIntegerField(default=0)
    results = models.JSONField(default=dict, blank=True)
    statistics = models.JSONField(default=dict, blank=True)  # as collection_stats has them, of the same moment
    inputs_hash = models.CharField(max_length=64, blank=True)

    objects = InCollection.as_manager()

    def __str__(self) -> str:
        return f"sanity check {self.pk}"
