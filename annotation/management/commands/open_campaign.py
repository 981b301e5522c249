from annotation.campaigns.commands.states import OpenCommand as Command
