from adjudication.papers.commands import AdjudicatePapers as Command
