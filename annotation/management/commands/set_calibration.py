from annotation.campaigns.operations import SET_CALIBRATION

Command = SET_CALIBRATION.command
