"""The demo's call to authors: three asked, one answer with a name to credit, one withdrawn."""

from datetime import datetime, timedelta

from accounts.models import User
from corpus.models import Collection, QuestionCall
from corpus.questions.author_answers import submit_answer, withdraw_answer
from corpus.questions.author_calls import create_call, invite_author
from corpus.questions.author_links import author_token
from corpus.questions.author_words import BODY, GUIDELINE, SUBJECT

OPEN_FOR = timedelta(days=21)
AUTHORS = (
    ("ngozi.okafor@litmus.example", "Ngozi Okafor", "LD-001"),
    ("second.author@litmus.example", "Second Author", "LD-006"),
    ("third.author@litmus.example", "", "LD-012"),
)
QUESTION = "Can bibliographies that a machine wrote be recognised by looking each entry up, without asking the machine?"
REGRETTED = "Which insects can a cheap recorder tell apart?"


def load_authors(collection: Collection, manager: User, at: datetime) -> QuestionCall:
    """A call that takes answers for some weeks still; no letter has gone out."""
    call = create_call(
        by=manager,
        at=at,
        collection=collection,
        name="Authors of the demo's papers",
        source="author",
        guideline=GUIDELINE,
        mail_subject=SUBJECT,
        mail_body=BODY,
        deadline_at=at + OPEN_FOR,
    )
    tokens = [
        author_token(invite_author(by=manager, at=at, call=call, email=email, name=name, docno=docno))
        for email, name, docno in AUTHORS
    ]
    submit_answer(at=at, token=tokens[0], seen=0, text=QUESTION, consent=True, credit_name="Ngozi Okafor")
    submit_answer(at=at, token=tokens[1], seen=0, text=REGRETTED, consent=True, credit_name="")
    withdraw_answer(at=at, token=tokens[1])
    return call
