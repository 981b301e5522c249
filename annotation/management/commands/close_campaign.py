from annotation.campaigns.operations import CLOSE_CAMPAIGN

Command = CLOSE_CAMPAIGN.command
