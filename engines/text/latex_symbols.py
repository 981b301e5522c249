"""Commands of LaTeX that stand for characters, and those whose argument is the text."""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


# In texts: no command of two letters that a path or a regular expression may hold by chance.
SYMBOLS = _table(
    """
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ rho ρ
varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ
Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω times × div ÷ cdot · ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ otimes ⊗ leq ≤ geq ≥
leqslant ≤ geqslant ≥ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ infty ∞ partial ∂ nabla ∇ forall ∀ exists ∃
notin ∉ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ emptyset ∅ varnothing ∅ setminus ∖ wedge ∧ vee ∨ neg ¬
lnot ¬ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ rightarrow → leftarrow ← Rightarrow ⇒ Leftarrow ⇐
leftrightarrow ↔ Leftrightarrow ⇔ longrightarrow ⟶ mapsto ↦ uparrow ↑ downarrow ↓ prime ′ ell ℓ hbar ℏ aleph ℵ sum ∑
prod ∏ int ∫ perp ⊥ parallel ∥ angle ∠ triangle △ square □ checkmark ✓ dagger † ddagger ‡ models ⊨ vdash ⊢ mid | vert |
Vert ‖ backslash \\ degree ° dots … ldots … cdots ⋯ textellipsis … textendash – textemdash — textquoteleft ‘
textquoteright ’ textquotedblleft “ textquotedblright ” textquotedbl " textquotesingle ' quotesinglbase ‚ quotedblbase „
textquotestraightdblbase " textquotestraightbase ' textasciigrave ` textasciiacute ´ textasciimacron ¯
textasciidieresis ¨ textacutedbl ˝ guillemotleft « guillemotright » guillemetleft « guillemetright » guilsinglleft ‹
guilsinglright › flqq « frqq » textless < textgreater > textbar | textbardbl ‖ textbackslash \\ textbraceleft {
textbraceright } textasciitilde ~ textasciicircum ^ textunderscore _ textdollar $ textsterling £ pounds £ texteuro €
euro € textcent ¢ textyen ¥ textcurrency ¤ textdegree ° textcelsius ℃ textmu µ textohm Ω texttimes × textdiv ÷ textpm ±
textminus − textlnot ¬ textfractionsolidus ⁄ textonehalf ½ textonequarter ¼ textthreequarters ¾ textonesuperior ¹
texttwosuperior ² textthreesuperior ³ textordfeminine ª textordmasculine º textperthousand ‰ textpermille ‰
textexclamdown ¡ textquestiondown ¿ textsection § textparagraph ¶ textdagger † textdaggerdbl ‡ textbullet •
textperiodcentered · textcopyright © copyright © textregistered ® texttrademark ™ textservicemark ℠ textnumero №
textrightarrow → textleftarrow ← textuparrow ↑ textdownarrow ↓ textinterrobang ‽ slash / cprime ʹ LaTeX LaTeX TeX TeX
LaTeXe LaTeX2e BibTeX BibTeX XeTeX XeTeX SS ẞ lbrace { rbrace } IJ Ĳ eth ð infinity ∞
"""
)
IN_FORMULAS = SYMBOLS | _table(
    """
mu μ nu ν xi ξ pi π Xi Ξ Pi Π le ≤ ge ≥ ne ≠ pm ± mp ∓ in ∈ ni ∋ to → ll ≪ gg ≫ Re ℜ Im ℑ log log ln ln lg lg exp exp
sin sin cos cos tan tan max max min min arg arg sup sup inf inf lim lim det det dim dim gcd gcd mod mod bmod mod Pr Pr
land ∧ lor ∨ lt < gt > colon : iff ⇔ top ⊤ bot ⊥
"""
)
# Blanks of all widths, and commands that only say how what follows looks.
BLANKS = frozenset("space quad qquad enspace thinspace newline linebreak par nobreakspace hfill null".split())
SILENT = frozenset(
    "it em bf sc tt rm sl sf md up itshape slshape scshape upshape bfseries mdseries ttfamily rmfamily sffamily"
    " normalfont normalsize small footnotesize scriptsize tiny large Large LARGE huge protect relax ignorespaces xspace"
    " displaystyle textstyle left right big Big bigl bigr Bigl Bigr limits nolimits nobreak allowbreak nobreakdash"
    " centering boldmath unboldmath selectfont cal mathstrut".split()
)
# The argument is the text.
STYLES = frozenset(
    "emph textit textbf textsc texttt textrm textsf textsl textup textmd textnormal text mbox hbox fbox underline uline"
    " url path nolinkurl mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal boldsymbol bm"
    " operatorname ensuremath lowercase uppercase MakeUppercase MakeLowercase mkbibemph mkbibitalic mkbibbold"
    " mkbibparens autocap NoCaseChange foreignlanguage textsubscript textsuperscript sp sb enquote mkbibquote"
    " href texorpdfstring textcolor".split()
)
# The argument is never printed: what sorts a name, or holds room for it.
UNPRINTED = frozenset("noopsort SortNoop noop vphantom phantom hphantom label hspace vspace index".split())
