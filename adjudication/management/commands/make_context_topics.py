from adjudication.papers.commands import MakeContextTopics as Command
