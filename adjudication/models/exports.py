"""What exports remember from one time to the next."""

from django.db import models

from annotation.models import Campaign
from corpus.models import Collection


class ExportPrefixes(models.Model):
    """What ids of queries and documents begin with in an export, because BEIR takes equal ids for one thing."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="+", db_index=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=40)  # of export
    query = models.CharField(max_length=20, blank=True)
    document = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "campaign", "kind"], name="export_prefixes_once", nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.query}, {self.document}"
