from annotation.campaigns.commands.remove_items import Command
