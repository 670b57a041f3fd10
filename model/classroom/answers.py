"""What a phone may answer, and how a number is read."""

from model.classroom.limits import MAX_WORD
from model.classroom.members import RoomError
from model.classroom.names import as_seen, in_line
from model.classroom.records import Answer, Question
from model.sentences import Sentence
from model.typed import NO_NUMBER, number_typed

MAX_NUMBER = 1e15
NO_WHOLE_NUMBER = Sentence("Write a whole number, such as 12.")


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
    if question.kind == "number" and not read_number(word).is_integer() and question.is_whole:
        raise RoomError(NO_WHOLE_NUMBER)
    for option, name in enumerate(question.options):
        if as_seen(name) == as_seen(word):  # typed or pressed, it is one answer, counted once
            return Answer(option, "", confidence)
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
