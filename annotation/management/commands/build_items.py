from annotation.campaigns.commands.build_items import Command
