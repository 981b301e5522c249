"""The jobs that ask models for questions and send letters to authors."""

from django.db.models import Count, Q
from django.urls import reverse

from accounts import jobs
from accounts.counting import counted
from accounts.queues import Queue
from corpus.collections.jobs import CollectionJob
from corpus.models import AuthorMailing, Outcome, QuestionRun
from corpus.questions.asking import generate_questions
from corpus.questions.author_mails import send_letters


class MailingJob(CollectionJob[AuthorMailing]):
    """Sending the letters of a call to authors: managers alone see it, because it names them."""

    model = AuthorMailing
    queue = Queue.HEAVY
    doing = "Sending"
    did = "Sent:"
    purpose = "Authors get a letter that asks them for a question their paper answers."
    counted = "sent"
    onward = "See the authors"
    cancel_verb = "cancel_mailing"
    tab = "authors"
    related = ("call__collection",)
    is_for_managers = True

    def work(self, job: AuthorMailing, progress: jobs.Progress) -> None:
        send_letters(job, progress)

    def subject(self, job: AuthorMailing) -> str:
        return f"{job.get_purpose_display()} to authors"

    def outcome(self, job: AuthorMailing) -> str:
        return f"{counted(job.failed, 'letter')} could not be sent." if job.failed else ""

    def page(self, job: AuthorMailing) -> str:
        return reverse("author_call_detail", args=[job.call.collection.slug, job.call_id])


class QuestionJob(CollectionJob[QuestionRun]):
    """Asking a language model for questions about sampled citation mentions."""

    model = QuestionRun
    queue = Queue.HEAVY
    doing = "Asking a language model for questions"
    did = "A language model was asked for questions"
    onward = "See the questions"
    purpose = "It reads paragraphs that cite a paper, and writes questions which that paper answers."
    counted = "asked"
    cancel_verb = "cancel_questions"
    tab = "generation"
    begins_at = "generation_create"

    def work(self, job: QuestionRun, progress: jobs.Progress) -> None:
        generate_questions(job, progress)

    def outcome(self, job: QuestionRun) -> str:
        replies = job.replies.aggregate(all=Count("pk"), good=Count("pk", filter=Q(outcome=Outcome.QUESTIONS)))
        return f"It wrote questions for {replies['good']:,} of {counted(replies['all'], 'paragraph')}."

    def page(self, job: QuestionRun) -> str:
        return reverse("generation_detail", args=[job.collection.slug, job.pk])
