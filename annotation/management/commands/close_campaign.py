from annotation.campaigns.commands.states import CloseCommand as Command
