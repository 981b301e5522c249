"""What tests of questions from authors share: a manager, and a call whose letters leave at once."""

import pytest

from corpus.models import Membership, QuestionCall
from tests.corpus.questions.asking import new_call, new_manager


@pytest.fixture
def manager(db: None) -> Membership:
    return new_manager()


@pytest.fixture
def call(manager: Membership, settings) -> QuestionCall:
    settings.MAIL_RATE = 0
    return new_call(manager)
