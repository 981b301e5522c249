"""manage.py import_papers SLUG FILE… [--format F] [--dry-run] [--json]"""

from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = (
        "Read citing papers: PDF, GROBID TEI, S2ORC JSON Lines, ACM-CR XML. A table with the columns doi and"
        " first_sentence_number among the files says in which order they come. A bad file is reported, others come in."
    )
    kind = ImportKind.PAPERS
