"""What a phone may answer, and how a number is read."""

from model.classroom.limits import MAX_WORD
from model.classroom.members import RoomError
from model.classroom.names import in_line
from model.classroom.records import Answer, Question
from model.sentences import Sentence
from model.typed import NO_NUMBER, number_typed

MAX_NUMBER = 1e15


def checked(given: Answer, question: Question) -> Answer:
    """Returns an answer as this question takes it; refuses one that it cannot take."""
    confidence = given.confidence
    if not 0 < confidence <= 1:  # what is no number at all is refused here, too
        raise RoomError(Sentence("A confidence lies between 0 and 1: choose one that is offered."))
    if given.option is not None:
        if not 0 <= given.option < len(question.options):
            raise RoomError(Sentence("That is none of the answers on offer."))
        return Answer(given.option, "", confidence)
    word = in_line(given.word)[:MAX_WORD]
    if not question.may_write or not word:
        raise RoomError(Sentence("Choose one of the answers on offer."))
    if question.kind == "number":
        read_number(word)
    return Answer(None, word, confidence)


def read_number(written: str) -> float:
    """Returns a number as programs write it.

    Raises:
        RoomError: where it is none, or too large to be drawn.
    """
    number = number_typed(written)
    if number is None or abs(number) > MAX_NUMBER:
        raise RoomError(NO_NUMBER)
    return number
