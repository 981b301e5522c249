"""What is said knows the door it is said at."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.doors import COMMAND, NO_DOOR, DoorMiddleware, through, where
from accounts.refusals import Refused

PLACES = {"page": "page “Splits”", "rest": "POST /api/splits/", "command": "make_split tea"}


@pytest.mark.parametrize(
    ("path", "said"),
    [("/c/tea/", "Draw one (page “Splits”)"), ("/api/collections/tea/", "Draw one (POST /api/splits/)")],
)
def test_addresses_are_doors(path: str, said: str) -> None:
    def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse(where("Draw one", **PLACES))

    assert DoorMiddleware(answer)(RequestFactory().get(path)).content.decode() == said
    assert where("Draw one", **PLACES) == "Draw one", "who has gone through no door, such as a worker, is sent nowhere"


def test_a_door_closes_behind_a_refusal() -> None:
    with through(COMMAND):
        with pytest.raises(Refused, match="no door"), through(NO_DOOR):
            raise Refused(where("no door", **PLACES))
        assert where("Draw one", **PLACES) == "Draw one (manage.py make_split tea)"
        assert where("Draw one", page="page “Splits”") == "Draw one"
