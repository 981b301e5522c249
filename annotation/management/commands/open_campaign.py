from annotation.campaigns.operations import OPEN_CAMPAIGN

Command = OPEN_CAMPAIGN.command
