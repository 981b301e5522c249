from corpus.documents.commands.import_documents import Command
