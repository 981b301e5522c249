from corpus.documents.commands import Command
