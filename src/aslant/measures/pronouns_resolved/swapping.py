"""The same text with its pronouns of the other gender: what a classifier makes of that is due to gender alone (§8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aslant.measures.pronouns_resolved.gap_files import FEMALE, GENDERS, MALE, GapSample
from aslant.stimuli import bundled_names

PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
HER = re.compile(r"\bher\b", re.IGNORECASE)
OTHERS = {"he": "she", "she": "he", "him": "her", "hers": "his", "himself": "herself", "herself": "himself"}
#: "her" and "his" before one of these, or before no word at all, stand alone: "saw her and", "a friend of his".
ALONE = re.compile(
    r"(?!\s+(?:\w|``|[\"\u201c]))|\s+(?:a|aboard|about|above|across|after|afterwards?|again|against|ago|ahead|all|alone|along|alongside|"
    r"already|also|although|always|among|an|and|another|anymore|anyway|anything|apart|are|around|as|aside|at|away|be|"
    r"became|because|become|becomes|been|before|behind|below|beside|besides|between|beyond|both|but|by|can|could|"
    r"despite|did|do|does|down|due|during|each|either|enough|even|every|everything|except|far|for|"
    r"forever|forward|from|had|has|have|he|her|here|hers|his|how|however|if|immediately|in|inside|instead|into|"
    r"is|it|its|just|may|might|much|must|my|near|nearby|neither|never|no|nor|not|nothing|now|of|off|on|once|"
    r"onto|or|our|out|outside|over|per|rather|regarding|she|should|since|so|some|something|sometimes|soon|still|"
    r"such|than|that|the|their|them|then|there|therefore|these|they|this|those|though|through|throughout|till|to|today|"
    r"together|tomorrow|tonight|too|toward|towards|twice|under|underneath|unless|until|up|upon|very (?:much|badly)|"
    r"via|was|we|were|what|whatever|when|whenever|where|whether|which|while|who|whom|whose|why|with|within|"
    r"without|would|yesterday|yet|you|your)\b(?!-)|"
    r"\s+(?!family|early|elderly|only|daily|lovely|lonely|ugly)\w+ly(?:\s*[^\w\s]|\s+(?:after|and|as|at|by|for|from|in|on|to|when)\b)",
    re.IGNORECASE,
)  # fmt: skip
#: "his" stands alone before these only: "a friend of his, who", but "his back", "his will".
HIS_ALONE = re.compile(
    r"(?!\s+(?:\w|``|[\"\u201c]))|\s+(?:and|as|at|but|by|for|from|in|is|on|or|that|to|was|were|when|which|who|with)\b(?!-)"
)
#: After one of these, "her" may be whom it is done to and the next word what: "gave her gifts", "help her escape".
TAKES_TWO = re.compile(
    r"\b(?:aid|allow|appoint|ask|award|believe|bring|brought|buy|bought|call|cause|consider|convince|crown|declare|"
    r"defeat|earn|elect|enable|feed|fed|felt|find|found|gain|gave|get|getting|give|given|giving|got|grant|guarantee|had|have|having|"
    r"hear|heard|held|help|hold|keep|kept|leave|leaving|left|lend|lent|let|letting|made|make|making|name|offer|order|pay|"
    r"paid|procure|promise|put|rank|rate|refuse|saw|secure|securing|see|seen|send|sent|show|spare|teach|taught|tell|told|"
    r"treat|wake|want|watch|wish|win|won|write|wrote|bore|bear|bearing|hire|drive|drove|dub|render|deem|think|thought|"
    r"prove|proclaim|nickname|hand|owe|cost|land|serve|assign)(?:e?s|e?d|ing)?\s+$",
    re.IGNORECASE,
)
#: Before one of these it may be either, but after a preposition: "drove her home", "sold her home", "in her home".
EITHER = re.compile(r"\s+(?:back|dead|happy|home|like|safe|well|will)\b", re.IGNORECASE)
PREPOSITION = re.compile(r"\b(?:about|against|at|by|for|from|in|into|of|on|to|with)\s+$", re.IGNORECASE)
#: What is mostly possessed, whatever stands before: "told her mother", "made her debut".
POSSESSED = re.compile(
    r"\s+(?:own|first|second|third|last|next|former|late|new|old|older|younger|elder|eldest|best|most|debut|"
    r"ex|\w*(?:mother|father|brother|sister|daughter|son|husband|wife|friend|cousin|aunt|uncle|niece|nephew|child|"
    r"parent|lover|famil(?:y|ie)|baby|partner|fianc\w+|boss|teacher)s?|children|kids?|babies|"
    r"life|career|death|work|time|marriage|role|return|childhood|way|retirement|feelings|mind|love|business|ability|"
    r"post|future|head|team|car|studies|character|house|place|hands?|name|job|position|book|body|face|eyes|hair|heart|"
    r"arms?|voice|story|husband's|mother's|father's|title|degree|education|contract|daughter's|performance|attention|"
    r"room|apartment|school|album|memoirs?|identity|powers?|secret|virginity|dream|dreams|pregnancy|relationship|"
    r"phone|money|bag|clothes|dress)\b",
    re.IGNORECASE,
)
#: A name is taken to be of one gender where this share of its bearers is.
CLEAR = 0.9


def swapped(sample: GapSample) -> GapSample:
    """Return the sample with every pronoun of its text swapped, and its spans where they are now.

    "her" becomes "him" where it stands alone and "his" elsewhere; `is_ambiguous` says where that may be wrong.

    >>> one = GapSample("1", "Ann told Bea that she lost her hat.", (18, 21), (0, 3), (9, 12), "female", "A")
    >>> swapped(one).text, swapped(one).text[slice(*swapped(one).pronoun)]
    ('Ann told Bea that he lost his hat.', 'he')
    """
    parts, moved, end = [], [], 0
    for found in PRONOUN.finditer(sample.text):
        if found.start() < end or _inside(found.start(), (sample.a, sample.b)):
            continue
        new = _other(found.group(), sample.text[found.end() :])
        parts += [sample.text[end : found.start()], new]
        moved.append((found.end(), len(new) - len(found.group())))
        end = found.end()

    def place(at: int, *, is_end: bool) -> int:
        return at + sum(by for after, by in moved if after < at or (is_end and after == at))

    spans = [(place(a, is_end=False), place(b, is_end=True)) for a, b in (sample.pronoun, sample.a, sample.b)]
    gender = MALE if sample.gender == FEMALE else FEMALE
    text = "".join([*parts, sample.text[end:]])
    return replace(sample, text=text, pronoun=spans[0], a=spans[1], b=spans[2], gender=gender)


def is_ambiguous(sample: GapSample) -> bool:
    """Tell whether a "her" of the text may be "him" or "his": a verb before it that takes two, a word after it.

    >>> texts = ["She gave her gifts to Bea.", "She gave her mother gifts.", "She gave her the gifts."]
    >>> [is_ambiguous(GapSample("1", text, (0, 3), (0, 0), (0, 0), "female", "A")) for text in texts]
    [True, False, False]
    """
    before_and_after = ((sample.text[: h.start()], sample.text[h.end() :]) for h in HER.finditer(sample.text))
    return any(
        (EITHER.match(after) and not PREPOSITION.search(before))
        or (TAKES_TWO.search(before) and not ALONE.match(after) and not POSSESSED.match(after))
        for before, after in before_and_after
    )


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _other(word: str, rest: str) -> str:
    lower = word.lower()
    alone = (HIS_ALONE if lower == "his" else ALONE).match(rest)
    new = OTHERS.get(lower) or {"her": "him" if alone else "his", "his": "hers" if alone else "her"}[lower]
    if word.isupper():
        return new.upper()
    return new.capitalize() if word[0].isupper() else new


def gender_of_names(sample: GapSample) -> str | None:
    """Return the gender of both names by the table of first names; None where it is not known, or not the same."""
    found = set()
    for start, end in (sample.a, sample.b):
        facts = bundled_names().facts.get(sample.text[start:end].split()[0].lower())
        share = facts.share_female if facts else None
        found.add(None if share is None or 1 - CLEAR < share < CLEAR else GENDERS[share >= CLEAR])
    return found.pop() if len(found) == 1 else None
