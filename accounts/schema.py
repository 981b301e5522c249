"""How the API's answers are described: problem details for every error that an operation can answer with."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse

from accounts.problems import TITLES, ProblemSerializer

ALWAYS = (400, 401, 403, 404, 406, 429)
MOVED = "The collection was renamed; its current address is in the header Location."


def answers(success: dict[Any, Any], *errors: int) -> dict[Any, Any]:
    """Responses for `extend_schema`: the successes given, the errors given, and those that every operation has."""
    problems = {
        (status, "application/problem+json"): OpenApiResponse(ProblemSerializer, description=TITLES[status])
        for status in sorted({*errors, *ALWAYS})
    }
    return {**success, 307: OpenApiResponse(description=MOVED), **problems}
