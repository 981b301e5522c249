"""An invented question set of LitSearch's shape: its counts (formats.md 2), but none of its words."""

from typing import Any

SETS = {"inline_acl": (32, 66), "inline_nonacl": (88, 165), "manual_acl": (25, 130), "manual_iclr": (10, 81)}
DOCUMENTS = 700


def invented_questions() -> list[dict[str, Any]]:
    """597 rows: 155 broad, 442 specific; quality 294 ones and 303 twos; 639 targets (563×1, 29×2, 3×3, 1×4, 1×5)."""
    rows = []
    for query_set, (broad, specific) in SETS.items():
        rows += [{"query_set": query_set, "specificity": 0}] * broad
        rows += [{"query_set": query_set, "specificity": 1}] * specific
    sizes = [5, 4, *[3] * 3, *[2] * 29, *[1] * 563]
    return [
        {
            "query_set": row["query_set"],
            "query": f"Which invented paper, number {number}, answers this?",
            "specificity": row["specificity"],
            "quality": 1 if number < 294 else 2,
            "corpusids": [1000 + (number + step) % DOCUMENTS for step in range(sizes[number])],
        }
        for number, row in enumerate(rows)
    ]
