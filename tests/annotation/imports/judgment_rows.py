"""Rows of judgments files for the tests, and what came of them."""

HEADER = "annotator,topic,aspect,docno,value"


def row(who, topic, aspect, document, value):
    return f"{who},{topic},Does thing {topic}.{aspect}.,d{document:04d},{value}"


def counts(result):
    return tuple(result[name] for name in ("created", "updated", "unchanged", "skipped"))


def reasons(result):
    return [(error["line"], error["reason"]) for error in result["errors"]]
