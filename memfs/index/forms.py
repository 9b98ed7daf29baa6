"""English forms that a suffix stemmer cannot relate: irregular verbs and plurals, function words.

Both tables are closed classes of the language, taken from grammar and not from any data
set, so that they help every store alike.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_IRREGULAR_FORMS: Final = """
arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began
begun; bend bent; bet bet; bind bound; bite bit bitten; bleed bled; blow blew blown; break broke
broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught; choose
chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; dive dove; draw drew
drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen;
feed fed; feel felt; fight fought; find found; flee fled; fling flung; fly flew flown; forbid
forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got gotten; give gave given; go went gone goes; grind ground; grow grew grown; hang hung; hear
heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led;
lean leant; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant;
meet met; mistake mistook mistaken; pay paid; prove proven; ride rode ridden; ring rang rung;
rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook
shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank
sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spill
spilt; spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting
stung; stink stank stunk; strike struck; strive strove striven; swear swore sworn; sweep swept;
swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell
told; think thought; throw threw thrown; undergo underwent undergone; understand understood;
undertake undertook undertaken; wake woke woken; wear wore worn; weave wove woven; weep wept;
win won; wind wound; withdraw withdrew withdrawn; write wrote written; rewrite rewrote
rewritten; overcome overcame; rebuild rebuilt; undo undid undone; redo redid redone; retell
retold; resend resent; child children; man men; woman women; person people; foot feet; tooth
teeth; goose geese; mouse mice; ox oxen; life lives; wife wives; knife knives; leaf leaves; half
halves; shelf shelves; wolf wolves; self selves; thief thieves; calf calves; loaf loaves;
analysis analyses; crisis crises; thesis theses; basis bases; hypothesis hypotheses; diagnosis
diagnoses; criterion criteria; phenomenon phenomena; index indices indexes; matrix matrices;
vertex vertices; axis axes; appendix appendices; schema schemata; datum data; medium media;
bacterium bacteria; cactus cacti; fungus fungi; nucleus nuclei; syllabus syllabi; good better
best; die dying; lie lying; tie tying; bad worse worst; far farther farthest further furthest
"""

_FUNCTION_WORDS: Final = """
a an the this that these those such same i me my mine myself you your yours yourself yourselves
he him his himself she her hers herself it its itself we us our ours ourselves they them their
theirs themselves one ones someone anyone everyone somebody anybody everybody nobody something
anything everything what which who whom whose when where why how whether am is are was were be
been being do does did doing done have has had having can could may might must shall should will
would ought and or but nor so yet if then else than as because while although though since until
unless of at by for with about against between into through during before after above below to
from up down in out on off over under again further once upon within without toward towards
across along among around behind beside besides beyond despite except inside near onto outside
per regarding via here there now just only also too very really quite rather still even ever
already almost perhaps all any both each few more most other others another some many much
several lot lots own not no nor s t d ll m re ve don doesn didn isn aren wasn weren hasn haven
hadn won wouldn couldn shouldn mustn let lets tell told say said says etc yes okay ok oh hey hi
hello please thanks thank
"""


def _irregular() -> dict[str, str]:
    table: dict[str, str] = {}
    for group in _IRREGULAR_FORMS.replace("\n", " ").split(";"):
        base, *forms = group.split()
        for form in forms:
            table.setdefault(form, base)
    return table


IRREGULAR: Final = MappingProxyType(_irregular())
"""Inflected form to base form; regular forms are the stemmer's business."""

FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that carry grammar and no topic, question words included; never searched for."""

FIRST_PERSON: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
"""Words by which a question means the person who asks it."""
