"""Commands about topics."""

from corpus.imports.commands import ImportCommand


class ImportTopics(ImportCommand):
    """litmus import_topics SLUG FILE… [--format F] [--dry-run] [--json]"""

    called = "import_topics"
    task = "Bring in"
    example = "import_topics demo queries.jsonl"
    line = "Questions or complex queries, with their aspects"
    kind = "topics"
