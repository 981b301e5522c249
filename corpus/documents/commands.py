"""litmus import_documents."""

from corpus.imports.commands import ImportCommand


class ImportDocuments(ImportCommand):
    """litmus import_documents SLUG FILE… [--format F] [--dry-run] [--exclude FILE-OF-DOCNOS] [--json]"""

    called = "import_documents"
    task = "Bring in"
    example = "import_documents demo papers.bib corpus.jsonl"
    line = "Documents from BibTeX, JSON Lines, TREC and other files"
    kind = "documents"
