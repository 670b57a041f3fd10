"""What the desk tells a teacher: one line, with what to say or press next."""

from pages.lessons.classroom.state import Classroom

JOIN = "Say: “Point your camera at the picture, or type the code.”"
ALONE = "Say: “Answer alone, without a word.”"
HANDS = "count hands, and type the numbers under “Votes by hand”"
NEIGHBOUR = "Say: “Tell your neighbour why.” Then press “Ask again”, or {}."
CHANGED = "Say: “Who changed their mind, and why?” Then press {}."
FELL = "Say: “Does a wide segment catch more pointers?”"
COMPARE = "Say: “Where do we differ from the model? Nobody is wrong.” Then append a token."
LOOK = "Say: “What do you see?” Then press {}."


def advise(desk: Classroom) -> str:
    """Returns the one line for what the room shows now."""
    room, ask_next = desk.room, _next_press(desk)
    if room.question is None:
        if room.n_people == 0:
            return f"{JOIN} Without phones press {ask_next}, and {HANDS}."
        return LOOK.format(ask_next) if room.scene else f"{JOIN} Then press {ask_next}."
    if room.is_open:
        return _while_open(desk)
    if not room.answers():
        return f"Nobody has voted: {HANDS}; or press “Ask again”."
    if desk.can_reveal:
        words = NEIGHBOUR if desk.earlier is None else CHANGED
        return words.format("“Beside the model”" if desk.votes else "“Reveal”")
    if desk.votes is not None and not desk.has_appended:
        return COMPARE
    if room.question.kind == "sampler":
        return f"{FELL} Then press {ask_next}."
    remember = f"Say: “{desk.remember}” " if desk.remember else ""
    return f"{remember}Then press {ask_next}." if remember else f"Press {ask_next}."


def _while_open(desk: Classroom) -> str:
    if desk.room.question and desk.room.question.kind == "sampler" and desk.room.n_people == 0:
        return "No phone is here, and a pointer needs one: append the model’s draw."
    n, n_thinking = len(desk.room.answers()), len(desk.room.thinking())
    if desk.room.n_people == 0:
        return f"No phone is here: {HANDS}."
    if n == 0:
        return f"{ALONE} If nobody can answer, {HANDS}."
    if n_thinking == 0:
        return "All have answered: press “Close”."
    return f"{ALONE} Press “Close” when you like: who is late, votes the next time."


def _next_press(desk: Classroom) -> str:
    """Returns the name of the button that goes on."""
    if desk.script is None:
        return "“What comes next?”"
    following = desk.place + 1
    return f"“Ask question {following + 1}”" if following < desk.n_items else "“End the room”"
