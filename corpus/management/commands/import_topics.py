"""manage.py import_topics SLUG FILE… [--format F] [--dry-run] [--json]"""

from corpus.management.importing import ImportCommand


class Command(ImportCommand):
    kind = "topics"
