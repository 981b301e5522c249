from corpus.collections.commands.export_person import Command
