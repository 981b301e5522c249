from corpus.collections.commands import AddMember as Command
