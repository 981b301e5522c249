"""Models that staff have set up on a page, next to the one of the environment."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class ModelPurpose(models.TextChoices):
    CHAT = "chat", "answers questions"
    EMBEDDINGS = "embeddings", "makes vectors of texts"


class ModelEndpoint(models.Model):
    """Where models are asked, as whom, how fast and at what price.

    `sealed_key` is encrypted (accounts/sealing.py). `model_names` begin with the one that is asked where none is named.
    Prices are of a million tokens. `collections`: ids of those that may use it, null for all; ids are never given out
    again, so a collection that is deleted and restored may use it as before. Runs remember its name, not this row.
    """

    name = models.SlugField(max_length=40, unique=True)
    purpose = models.CharField(max_length=10, choices=ModelPurpose, default=ModelPurpose.CHAT)
    address = models.CharField(max_length=500)
    model_names = ArrayField(models.CharField(max_length=80))
    sealed_key = models.TextField(blank=True)
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    per_minute = models.PositiveIntegerField(default=60)
    collections = ArrayField(models.BigIntegerField(), null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(name="model_endpoint_purpose_known", condition=Q(purpose__in=ModelPurpose.values)),
            models.CheckConstraint(name="model_endpoint_is_not_default", condition=~Q(name__in=["", "default"])),
            models.CheckConstraint(name="model_endpoint_has_models", condition=Q(model_names__len__gte=1)),
            models.CheckConstraint(
                name="model_endpoint_prices_not_negative",
                condition=(Q(price_in__isnull=True) | Q(price_in__gte=0))
                & (Q(price_out__isnull=True) | Q(price_out__gte=0)),
            ),
        ]

    def __str__(self) -> str:
        return self.name
