from corpus.collections.commands import InvitePeople as Command
