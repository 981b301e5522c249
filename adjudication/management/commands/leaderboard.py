from adjudication.leaderboards.commands import Command
