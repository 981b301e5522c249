from corpus.collections.commands.erase_person import Command
