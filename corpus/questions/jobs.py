"""The jobs that ask models for questions and send letters to authors."""

from django.urls import reverse

from accounts import jobs
from corpus.collections.jobs import CollectionJob
from corpus.models import AuthorMailing, QuestionRun
from corpus.questions.asking import generate_questions
from corpus.questions.author_mails import send_letters


class MailingJob(CollectionJob[AuthorMailing]):
    """Sending the letters of a call to authors: managers alone see it, because it names them."""

    model = AuthorMailing
    title = "Letters to authors"
    counted = "sent"
    onward = "See the authors"
    cancel_verb = "cancel_mailing"
    tab = "authors"
    related = ("call__collection",)
    is_for_managers = True

    def work(self, job: AuthorMailing, progress: jobs.Progress) -> None:
        send_letters(job, progress)

    def page(self, job: AuthorMailing) -> str:
        return reverse("author_call_detail", args=[job.call.collection.slug, job.call_id])


class QuestionJob(CollectionJob[QuestionRun]):
    """Asking a language model for questions about sampled citation mentions."""

    model = QuestionRun
    title = "Question generation"
    counted = "asked"
    cancel_verb = "cancel_questions"
    tab = "generation"
    begins_at = "generation_create"

    def work(self, job: QuestionRun, progress: jobs.Progress) -> None:
        generate_questions(job, progress)

    def page(self, job: QuestionRun) -> str:
        return reverse("generation_detail", args=[job.collection.slug, job.pk])
