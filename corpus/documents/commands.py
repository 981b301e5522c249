"""manage.py import_documents."""

from corpus.imports.commands import ImportCommand


class ImportDocuments(ImportCommand):
    """manage.py import_documents SLUG FILE… [--format F] [--dry-run] [--exclude FILE-OF-DOCNOS] [--json]"""

    called = "import_documents"
    kind = "documents"
