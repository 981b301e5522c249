"""Questions of authors."""

from datetime import timedelta

from corpus.models import AuthorAnswer, AuthorInvitation, AuthorQuestion, QuestionCall, Topic
from tests.factories.accounts import AT, UserFactory
from tests.factories.corpus import DocumentFactory


def withdraw_as_author(topic: Topic) -> None:
    """Make it a question of an invited author who has withdrawn it since."""
    call = QuestionCall.objects.create(
        collection=topic.collection,
        name="authors",
        source="author",
        mail_body="{link} {opt_out}",
        deadline_at=AT,
        created_by=UserFactory(),
        created_at=AT,
    )
    document = topic.collection.documents.first() or DocumentFactory(collection=topic.collection)
    invitation = AuthorInvitation.objects.create(call=call, email="x@example.org", document=document, created_at=AT)
    answer = AuthorAnswer.objects.create(
        invitation=invitation, revision=1, text=topic.text, consent=True, submitted_at=AT
    )
    AuthorQuestion.objects.create(topic=topic, answer=answer)
    later = AT + timedelta(days=1)
    AuthorAnswer.objects.create(invitation=invitation, revision=2, withdrawn=True, submitted_at=later)
