"""Questions that authors write about their own papers: calls, invitations, letters, answers."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from accounts.models import Job, person_key
from corpus.models.collections import Collection, InCollection
from corpus.models.documents import Document
from corpus.models.topics import Topic

LONGEST_QUESTION = 2_000  # characters


class QuestionCall(models.Model):
    """One round of asking authors: what they read, the letter they get, and until when they may answer.

    `source` becomes the source of the topics made of the answers, so that statistics can tell calls apart.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="question_calls")
    name = models.CharField(max_length=100)
    source = models.SlugField(max_length=60)
    guideline = models.TextField()
    mail_subject = models.CharField(max_length=200)
    mail_body = models.TextField()
    deadline_at = models.DateTimeField()
    created_by = person_key("question_calls")  # null: the command line
    created_at = models.DateTimeField()

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="question_call_name_unique"),
            models.CheckConstraint(name="question_call_has_source", condition=~Q(source="")),
        ]

    def __str__(self) -> str:
        return self.name


class AuthorInvitation(models.Model):
    """One author asked for one question about one paper. Its number, signed, is the personal link."""

    call = models.ForeignKey(QuestionCall, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=150, blank=True)
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="author_invitations")
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["call", "email", "document"], name="author_invitation_once"),
            models.CheckConstraint(name="author_invitation_email_lower", condition=Q(email=Lower("email"))),
        ]

    def __str__(self) -> str:
        return f"{self.email} on {self.document_id}"


class AuthorOptOut(models.Model):
    """An address that wants no such letters, from no collection of this installation."""

    email = models.EmailField(max_length=254, unique=True)
    opted_out_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(name="author_opt_out_email_lower", condition=Q(email=Lower("email")))]

    def __str__(self) -> str:
        return self.email


class AuthorAnswer(models.Model):
    """What an author sent, in revisions that never change: the newest counts. A withdrawal is a revision as well."""

    invitation = models.ForeignKey(AuthorInvitation, on_delete=models.CASCADE, related_name="answers")
    revision = models.PositiveIntegerField()
    text = models.TextField(blank=True, max_length=LONGEST_QUESTION)
    withdrawn = models.BooleanField(default=False)
    consent = models.BooleanField(default=False)  # to publication in the collection
    credit_name = models.CharField(max_length=150, blank=True)  # "" where the author wants not to be named
    submitted_at = models.DateTimeField()

    class Meta:
        ordering = ["invitation", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["invitation", "revision"], name="author_answer_revision_once"),
            models.CheckConstraint(
                name="author_answer_or_withdrawal",
                condition=Q(withdrawn=True, text="", consent=False, credit_name="")
                | (Q(withdrawn=False, consent=True) & ~Q(text="")),
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision}"


class AuthorQuestion(models.Model):
    """A topic made of an author's answer."""

    topic = models.OneToOneField(Topic, on_delete=models.CASCADE, related_name="author_question")
    answer = models.OneToOneField(AuthorAnswer, on_delete=models.PROTECT, related_name="question")

    def __str__(self) -> str:
        return f"{self.topic_id} from {self.answer_id}"


class MailPurpose(models.TextChoices):
    INVITATION = "invitation", "invitations"
    REMINDER = "reminder", "reminders"


class AuthorMailing(Job):
    """Sending letters of a call, N per minute. `sent` and `failed` count what became of them."""

    call = models.ForeignKey(QuestionCall, on_delete=models.CASCADE, related_name="mailings")
    purpose = models.CharField(max_length=10, choices=MailPurpose)
    sent = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(name="author_mailing_purpose_known", condition=Q(purpose__in=MailPurpose.values))
        ]

    def __str__(self) -> str:
        return f"mailing of {self.get_purpose_display()}"


class LetterState(models.TextChoices):
    SENDING = "sending", "being sent"
    SENT = "sent", "sent"
    FAILED = "failed", "not taken by the mail server"


class AuthorLetter(models.Model):
    """One letter of a mailing. It is written down before it goes out, so that a crash never sends it twice."""

    mailing = models.ForeignKey(AuthorMailing, on_delete=models.CASCADE, related_name="letters")
    invitation = models.ForeignKey(AuthorInvitation, on_delete=models.CASCADE, related_name="letters")
    purpose = models.CharField(max_length=10, choices=MailPurpose)
    state = models.CharField(max_length=7, choices=LetterState, default=LetterState.SENDING)
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mailing", "invitation"], name="author_letter_once_per_mailing"),
            models.UniqueConstraint(
                fields=["invitation"],
                condition=Q(purpose="invitation") & ~Q(state="failed"),
                name="author_invited_by_one_letter",
            ),
            models.CheckConstraint(name="author_letter_state_known", condition=Q(state__in=LetterState.values)),
        ]

    def __str__(self) -> str:
        return f"{self.invitation_id}: {self.state}"
