"""What language models are asked: templates that people edit, in versions that never change."""

from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.counting import by, moment
from accounts.models import person_key
from corpus.models.collections import Collection, InCollection


class PromptPurpose(models.TextChoices):
    QUESTIONS = "questions", "question generation"
    RELEVANCE = "relevance", "relevance judgments"
    RERANKING = "reranking", "reranking of runs"


class PromptTemplate(models.Model):
    """One version of a prompt. An edit makes the next version, so that every reply names the very words it answers.

    `sha256` is that of the body in UTF-8.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="prompt_templates")
    purpose = models.CharField(max_length=12, choices=PromptPurpose)
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    body = models.TextField()
    sha256 = models.CharField(max_length=64)
    created_by = person_key("prompt_templates")  # null: the command line, or Litmus's own wording
    created_at = models.DateTimeField()

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["purpose", "name", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "purpose", "name", "version"], name="prompt_template_version_once"
            ),
            models.CheckConstraint(
                name="prompt_template_purpose_known", condition=models.Q(purpose__in=PromptPurpose.values)
            ),
            models.CheckConstraint(name="prompt_template_has_body", condition=~models.Q(body="")),
            models.CheckConstraint(name="prompt_template_has_name", condition=~models.Q(name="")),
            models.CheckConstraint(name="prompt_template_version_from_1", condition=models.Q(version__gte=1)),
            models.CheckConstraint(name="prompt_template_sha256", condition=models.Q(sha256__regex=r"^[0-9a-f]{64}$")),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"

    @property
    def named(self) -> str:
        """As commands and the API name this version."""
        return f"{self.name}@{self.version}"

    @property
    def origin(self) -> SafeString:
        """Its version, when it was written, and by whom."""
        who = by(self.created_by, ", ")
        return format_html("Version {}, {}{}.", self.version, moment(self.created_at), who)
