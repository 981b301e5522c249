from adjudication.leaderboards.commands.leaderboard import Command
