"""The imported qrels of a collection, as its pages list them."""

from django.db.models import Count, IntegerField, QuerySet, Sum
from django.db.models.functions import Coalesce

from adjudication.models import ImportedQrels
from corpus.models import Collection


def imported_qrels(collection: Collection) -> QuerySet[ImportedQrels]:
    """By name, each with `n_topics` and `n_judgments`."""
    sizes = Coalesce(Sum("topics__docnos__len", output_field=IntegerField()), 0)
    known = ImportedQrels.objects.filter(collection=collection)
    return known.annotate(n_topics=Count("topics"), n_judgments=sizes).order_by("name")
