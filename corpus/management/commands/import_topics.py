"""manage.py import_topics SLUG FILE… [--format F] [--dry-run] [--json]"""

from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = "Read topics, with their aspects where the files have them. What has been judged stays as it is."
    kind = ImportKind.TOPICS
