from adjudication.papers.commands.adjudicate_papers import Command
