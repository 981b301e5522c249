from annotation.campaigns.commands.update_campaign import Command
