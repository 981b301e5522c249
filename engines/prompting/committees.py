"""What a committee of machines says, from the answers of its members: by a rule that is fixed before."""

from collections import Counter
from collections.abc import Sequence

from engines.prompting.answers import Reading, join_numbers

RULES = {
    "majority": "the answer that most members gave; where two are given equally often, it is undecided",
    "median": "the middle answer by the order of the levels; of an even number of members, the lower of the two",
}


def vote(rule: str, answers: Sequence[int]) -> tuple[Reading, float | None]:
    """What the committee says, and the share of the members with an answer who gave the most frequent one.

    `answers` are those that could be read; without any, nothing is said and there is no share.
    """
    if not answers:
        return Reading(None, "stands on no answer: none of the members gave one that could be read"), None
    counts = Counter(answers)
    most = max(counts.values())
    modes = sorted(value for value, count in counts.items() if count == most)
    share = most / len(answers)
    if rule == "median":
        return Reading(sorted(answers)[(len(answers) - 1) // 2]), share
    if len(modes) > 1:
        return Reading(None, f"is undecided: equally many members say {join_numbers(modes)}"), share
    return Reading(modes[0]), share
