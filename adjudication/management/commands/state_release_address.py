from adjudication.releases.operations import STATE_RELEASE_ADDRESS

Command = STATE_RELEASE_ADDRESS.command
