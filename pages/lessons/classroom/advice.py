"""What the desk tells a teacher: one line, with what to say or press next."""

from model.sentences import Sentence, joined
from pages.lessons.classroom.state import Classroom
from viz.classroom.bars import in_short

JOIN = Sentence("Say: “Point your camera at the picture, or type the code.”")
ALONE = Sentence("Say: “Answer alone, without a word.”")
ALL = Sentence("All have answered: press “Close”.")
REVEAL, BESIDE = Sentence("“Reveal”"), Sentence("“Beside the model”")


MOST = 0.7  # of a class that is right: its discussion would teach nobody


def recommended(desk: Classroom) -> str:
    """Returns what the line says to press, as the desk sends it; empty for the next question."""
    if desk.room.is_open:
        return "close"
    if desk.can_reveal:
        is_known = desk.votes is not None or desk.earlier is not None or _are_most_right(desk)
        return "reveal" if is_known else "again"
    return "page" if _is_page_next(desk) else ""


def _are_most_right(desk: Classroom) -> bool:
    tally = desk.tally
    return tally is not None and in_short(tally, desk.right)[0] >= MOST


def _is_page_next(desk: Classroom) -> bool:
    """Tells whether what was revealed is now tried on the page of its scene."""
    is_tried = desk.is_revealed and desk.remember and desk.script.items[desk.place].tries_it
    return bool(is_tried) and desk.has_page and not desk.was_page_shown


def advise(desk: Classroom) -> Sentence:
    """Returns the one line for what the room shows now."""
    room, button = desk.room, _next_press(desk)
    then = Sentence("Then press {button}.", button=button)
    if room.question is None:
        return _before_a_question(desk, button, then)
    if room.is_open:
        return _while_open(desk)
    if not room.answers() and not desk.is_revealed:
        return Sentence(
            "Nobody has voted: count hands, and type the numbers under “Votes by hand”; or press "
            "“Ask again”."
        )
    if desk.can_reveal:
        return _before_reveal(desk)
    if desk.votes is not None and not desk.has_appended:
        said = Sentence("Say: “Where do we differ from the model? Nobody is wrong.”")
        return joined((said, then if desk.n_items else Sentence("Then append a token.")))
    if room.question.kind == "sampler":
        return joined((Sentence("Say: “Does a wide segment catch more pointers?”"), then))
    if desk.remember:
        return joined((Sentence("Say: “{sentence}”", sentence=desk.remember), then))
    return Sentence("Press {button}.", button=button)


def _before_a_question(desk: Classroom, button: Sentence, then: Sentence) -> Sentence:
    scene = desk.room.scene
    if scene is not None and scene.is_end:
        return joined((Sentence("Say: “Which of these sentences would you tell at home?”"), then))
    if desk.room.n_people == 0:
        hands = Sentence(
            "Without phones press {button}, count hands, and type the numbers under "
            "“Votes by hand”.",
            button=button,
        )
        return joined((JOIN, hands))
    return joined((Sentence("Say: “What do you see?”") if scene else JOIN, then))


def _while_open(desk: Classroom) -> Sentence:
    n, n_thinking = len(desk.room.answers()), len(desk.room.thinking())
    if desk.room.n_people == 0:
        if desk.room.question and desk.room.question.kind == "sampler":
            return Sentence("No phone is here, and a pointer needs one: append the model’s draw.")
        return Sentence(
            "No phone is here: count hands, and type the numbers under “Votes by hand”."
        )
    if n == 0:
        return joined(
            (
                ALONE,
                Sentence(
                    "If nobody can answer, count hands, and type the numbers under “Votes by hand”."
                ),
            )
        )
    if n_thinking == 0:
        return ALL
    return joined(
        (ALONE, Sentence("Press “Close” when you like: who is late, votes the next time."))
    )


def _before_reveal(desk: Classroom) -> Sentence:
    reveal = BESIDE if desk.votes else REVEAL
    if recommended(desk) == "again":
        return Sentence(
            "Say: “Tell your neighbour why.” Then press “Ask again”, or {button}.", button=reveal
        )
    if desk.earlier is not None:
        said = Sentence(
            "Say: “Who changed their mind, and why?” Then press {button}.", button=reveal
        )
    elif desk.votes is not None:
        said = Sentence("Say: “Why does your word fit?” Then press {button}.", button=reveal)
    else:
        said = Sentence(
            "Most are right. Say: “Who can say why?” Then press {button}.", button=reveal
        )
    return said


def _next_press(desk: Classroom) -> Sentence:
    """Returns the name of the button that goes on."""
    if _is_page_next(desk):
        return Sentence("“Show its page”")
    if desk.n_items == 0:
        return Sentence("“What comes next?”")
    if desk.room.scene is not None and desk.room.scene.is_end:
        return Sentence("“End the room”")
    following = desk.place + 1
    if following < desk.n_items:
        return Sentence("“Ask question {number}”", number=following + 1)
    return Sentence("“Show what to remember”")
