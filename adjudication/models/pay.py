"""What people are paid for their work in a campaign."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from accounts.models import person_key
from annotation.models import Campaign


class PaidPer(models.TextChoices):
    HOUR = "hour", "hour of active judging"
    ITEM = "item", "judged item"


class PayRate(models.Model):
    """The rate of a campaign, which counts for all its work, also what was done before it was set.

    Annotators may have a personal rate (`Annotator.pay_rate`), per the same and in the same currency.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="pay")
    per = models.CharField(max_length=4, choices=PaidPer, default=PaidPer.HOUR)
    rate = models.FloatField()
    currency = models.CharField(max_length=3, validators=[RegexValidator(r"^[A-Z]{3}\Z")])  # ISO 4217
    set_by = person_key("pay_rates")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="pay_rate_not_negative", condition=Q(rate__gte=0)),
            models.CheckConstraint(name="pay_currency_is_a_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
        ]

    def __str__(self) -> str:
        return f"{self.rate:.10g} {self.currency} per {self.get_per_display()}"
