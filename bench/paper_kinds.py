"""The kinds of made papers: classes, lists of works, ways to cite. Which served a rule and which are reported."""

from __future__ import annotations

from dataclasses import dataclass

_FRONT = r"\title{@TITLE@}\author{Ana Potter \and Bo Cup}\date{}\maketitle\begin{abstract}@ABSTRACT@\end{abstract}"
_FRONT_BEFORE = r"\title{@TITLE@}\author{Ana Potter}\begin{abstract}@ABSTRACT@\end{abstract}\maketitle"


@dataclass(frozen=True)
class PaperKind:
    """How papers of a kind are set. `served` says that a rule was written or changed with it in view."""

    name: str
    document: str
    bst: str
    served: bool
    front: str = _FRONT
    cite: str = r"\cite"
    narrative: str = r"\cite"
    prints_names: bool = False  # the narrative citation prints the names itself
    is_raised: bool = False
    survey: str = "Related Work"
    contents: str = ""
    heading: str = "References"  # "" where the style prints none above the list
    titles: bool = True  # whether the list prints the titles of works
    notes: bool = True
    thanks: bool = True
    appendix: bool = False
    subsections: bool = True
    run_ins: bool = True
    lists: bool = True

    @property
    def list_of_works(self) -> str:
        return rf"\bibliographystyle{{{self.bst}}}\bibliography{{works}}"


def _natbib(options: str) -> str:
    return rf"\usepackage[{options}]{{natbib}}"


_YEARS = {"cite": r"\citep", "narrative": r"\citet", "prints_names": True}
_ACM_FRONT = (
    r"\title{@TITLE@}\author{Ana Potter}\affiliation{\institution{Institute of Cards}\city{Nantes}\country{France}}"
    r"\email{ana@example.org}\begin{abstract}@ABSTRACT@\end{abstract}\keywords{archives, cards}\maketitle"
)
_ACM_NOTICE = r"\setcopyright{none}\acmConference[Cards '21]{Conference on Cards}{May 2021}{Nantes, France}"
_ELSEVIER_FRONT = (
    r"\begin{frontmatter}\title{@TITLE@}\author{Ana Potter}\author{Bo Cup}"
    r"\begin{abstract}@ABSTRACT@\end{abstract}\begin{keyword}archives \sep cards\end{keyword}\end{frontmatter}"
)
_APS_FRONT = (
    r"\title{@TITLE@}\author{Ana Potter}\author{Bo Cup}\affiliation{Institute of Cards, Nantes}\date{1 May 2021}"
    r"\begin{abstract}@ABSTRACT@\end{abstract}\maketitle"
)
# What ACL's and NeurIPS's own style files do, in a few lines of ours.
_ACL = (
    r"\documentclass[11pt,a4paper,twocolumn]{article}\usepackage[T1]{fontenc}\usepackage{mathptmx}"
    r"\usepackage[margin=2.5cm,columnsep=6mm]{geometry}\pagestyle{empty}\setlength{\parindent}{1em}"
    r"\usepackage{titlesec}\titleformat{\section}{\large\bfseries}{\thesection}{1em}{}"
    r"\titleformat{\subsection}{\normalsize\bfseries}{\thesubsection}{1em}{}" + _natbib("round")
)
_NEURIPS = (
    r"\documentclass[10pt]{article}\usepackage[T1]{fontenc}\usepackage{mathptmx}"
    r"\usepackage[letterpaper,textwidth=5.5in,textheight=9in]{geometry}\setlength{\parindent}{0pt}"
    r"\setlength{\parskip}{5.5pt}" + _natbib("numbers")
)
_SPRINGER = (
    r"\documentclass[10pt,twocolumn]{article}\usepackage{mathptmx}"
    r"\usepackage[a4paper,textwidth=174mm,textheight=234mm,columnsep=6mm]{geometry}\usepackage{titlesec}"
    r"\titleformat{\section}{\normalsize\bfseries}{\thesection}{1em}{}\usepackage{fancyhdr}\pagestyle{fancy}"
    r"\fancyhf{}\fancyhead[L]{\thepage}\fancyhead[R]{A. Potter, B. Cup}"
)
_SHORT_TITLE_HEADS = r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}\fancyhead[C]{\leftmark}\fancyfoot[C]{\thepage}"

KINDS: tuple[PaperKind, ...] = (
    # --- looked at while rules were written
    PaperKind("aps-journal", r"\documentclass[aps,pra,reprint]{revtex4-2}", "apsrev4-2", True, front=_APS_FRONT,
              survey="", heading="", titles=False, notes=False),
    PaperKind("ams-article", r"\documentclass{amsart}", "amsplain", True, front=_FRONT_BEFORE),
    PaperKind("nature", r"\documentclass{nature}", "naturemag", True,
              front=r"\title{@TITLE@}\author{Ana Potter}\maketitle\begin{abstract}@ABSTRACT@\end{abstract}",
              is_raised=True, subsections=False, heading="", notes=False),
    PaperKind("acl-like", _ACL, "plainnat", True, **_YEARS, appendix=True),
    PaperKind("neurips-like", _NEURIPS, "unsrtnat", True),
    PaperKind("mnras", r"\documentclass[usenatbib]{mnras}", "mnras", True, **_YEARS, titles=False,
              front=_FRONT.replace(r"\date{}", "").replace(r"\and Bo Cup", "")),
    PaperKind("ieee-journal", r"\documentclass[journal]{IEEEtran}\usepackage{cite}", "IEEEtran", True),
    PaperKind("koma-contents", r"\documentclass[headings=normal]{scrartcl}\pagestyle{headings}", "alpha", True,
              contents=r"\tableofcontents"),
    PaperKind("lncs", r"\documentclass{llncs}", "splncs04", True, front=_FRONT.replace(r"\and Bo Cup", r"")),
    PaperKind("elsevier-numbers", r"\documentclass[3p,twocolumn]{elsarticle}\journal{Cards}", "elsarticle-num", True,
              front=_ELSEVIER_FRONT),
    PaperKind("acm-years", r"\documentclass[sigconf,nonacm]{acmart}\citestyle{acmauthoryear}" + _ACM_NOTICE,
              "ACM-Reference-Format", True, front=_ACM_FRONT, **_YEARS),
    PaperKind("aps-review", r"\documentclass[aps,rmp,reprint]{revtex4-2}", "apsrmp4-2", True, front=_APS_FRONT,
              **_YEARS, titles=False, notes=False),
    PaperKind("aip-journal", r"\documentclass[aip,jcp,reprint]{revtex4-2}", "aipnum4-2", True, front=_APS_FRONT,
              is_raised=True, survey="", titles=False, notes=False),
    PaperKind("astronomy", r"\documentclass[twocolumn]{aastex631}", "aasjournal", True, **_YEARS, titles=False,
              front=r"\title{@TITLE@}\author{Ana Potter}\affiliation{Institute of Cards}"
              r"\begin{abstract}@ABSTRACT@\end{abstract}\keywords{archives}"),
    PaperKind("apa-manuscript", r"\documentclass[12pt]{article}\usepackage[doublespacing]{setspace}"
              r"\usepackage[margin=1in]{geometry}\usepackage{times}\raggedright\setcounter{secnumdepth}{0}"
              r"\setlength{\parindent}{0.5in}" + _natbib("round"), "apalike", True, **_YEARS,
              survey="Literature Review"),
    PaperKind("acm-journal", r"\documentclass[acmsmall,nonacm]{acmart}" + _ACM_NOTICE, "ACM-Reference-Format", True,
              front=_ACM_FRONT),
    PaperKind("acm-conference", r"\documentclass[sigconf]{acmart}" + _ACM_NOTICE, "ACM-Reference-Format", True,
              front=_ACM_FRONT),
    # --- reported only: no rule was written or changed with a paper of these in view
    PaperKind("elsevier-cas", r"\documentclass[a4paper,fleqn]{cas-dc}" + _natbib("authoryear"), "cas-model2-names",
              False, **_YEARS,
              front=r"\shorttitle{Cards}\shortauthors{A. Potter}\title[mode=title]{@TITLE@}\author[1]{Ana Potter}"
              r"\affiliation[1]{organization={Institute of Cards},city={Nantes}}"
              r"\begin{abstract}@ABSTRACT@\end{abstract}"
              r"\begin{keywords}archives \sep cards\end{keywords}\maketitle"),
    PaperKind("jmlr", r"\documentclass{jmlr}\jmlrvolume{1}\jmlryear{2021}", "plainnat", False, **_YEARS,
              front=r"\title[Cards]{@TITLE@}\author{\Name{Ana Potter} \Email{a@example.org}\\ \addr Nantes}\maketitle"
              r"\begin{abstract}@ABSTRACT@\end{abstract}"),
    PaperKind("spie", r"\documentclass{spie}", "spiebib", False, is_raised=True,
              front=r"\title{@TITLE@}\author{Ana Potter\\Institute of Cards}\maketitle"
              r"\begin{abstract}@ABSTRACT@\end{abstract}", notes=False),
    PaperKind("israel-journal", r"\documentclass{ijmart}", "ijmart", False, front=_FRONT_BEFORE),
    PaperKind("philosophy", r"\documentclass{resphilosophica}" , "resphilosophica", False, **_YEARS,
              front=_FRONT_BEFORE),
    PaperKind("icml-like", _ACL.replace("11pt,a4paper", "10pt").replace("2.5cm", "1.9cm") + _SHORT_TITLE_HEADS,
              "abbrvnat", False, **_YEARS, appendix=True),
    PaperKind("cvpr-like", r"\documentclass[10pt,twocolumn,letterpaper]{article}\usepackage{times,cite}"
              r"\usepackage[textwidth=6.875in,textheight=8.875in,columnsep=0.3125in]{geometry}", "ieeetr", False,
              survey="Prior Art"),
    PaperKind("siam-like", r"\documentclass[10pt]{amsart}\usepackage{fancyhdr}", "siam", False, front=_FRONT_BEFORE,
              survey="Previous work"),
    PaperKind("springer-like", _SPRINGER, "abbrv", False, survey="Background and related work"),
    PaperKind("kluwer-like", _SPRINGER.replace(",twocolumn", "") + _natbib("round"), "plainnat", False, **_YEARS),
    PaperKind("tugboat", r"\documentclass{ltugproc}", "plain", False,
              front=r"\title{@TITLE@}\author{Ana Potter}\maketitle\begin{abstract}@ABSTRACT@\end{abstract}"),
    PaperKind("vancouver-word", r"\documentclass[11pt]{article}\usepackage[margin=1in]{geometry}\usepackage{helvet}"
              r"\renewcommand{\familydefault}{\sfdefault}\hyphenpenalty=10000\exhyphenpenalty=10000\raggedright"
              r"\setlength{\parskip}{8pt}", "vancouver", False),
    PaperKind("contents-columns", r"\documentclass[10pt,twocolumn]{article}" + _SHORT_TITLE_HEADS, "acm", False,
              contents=r"\tableofcontents", appendix=True),
    PaperKind("no-heading-numbers", r"\documentclass[10pt,twocolumn]{article}\renewcommand{\refname}{}", "unsrt",
              False, heading="", thanks=False),
    PaperKind("no-heading-years", _ACL + r"\renewcommand{\refname}{}", "abbrvnat", False, **_YEARS, heading=""),
)  # fmt: skip
