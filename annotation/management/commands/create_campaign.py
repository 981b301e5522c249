from annotation.campaigns.commands.create_campaign import Command
