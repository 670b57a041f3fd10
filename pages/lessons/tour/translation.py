"""A guided lesson in another language: the structure of its English file, the texts of its own.

`lessons/sampling.de.md` holds what is read: titles, words, tasks, questions, choices, answers. The
page of a scene, what is lit and covered, the kind of reply and what ends a task are those of
`lessons/sampling.md`, scene by scene; a file that says anything else of them is refused, so that
no language can have another lesson. Knows files, and no page.
"""

import re
from dataclasses import replace

from model.sentences import Sentence
from pages.lessons.tour.scene_file import (
    STRUCTURE,
    FaultError,
    FieldLine,
    LessonFile,
    SceneFile,
    choices_of,
)

UNTIL = "Until"  # no field of a file: the English task, which says when a translated one is done
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def merged(english: LessonFile, own: LessonFile, file: str) -> LessonFile:
    """Returns a lesson with the structure of its English file and the texts of another.

    Args:
        english: What the English file holds; it has no fault.
        own: What the file in another language holds.
        file: The name of the English file.

    Raises:
        FaultError: The other file states structure, or has other scenes, fields, choices or right
            answers than the English one.
    """
    n, n_own = len(english.scenes), len(own.scenes)
    if n != n_own:
        line = own.scenes[min(n, n_own - 1)].line
        why = Sentence(
            "the lesson has {n_own} scenes, and {file} has {n}: write one for each, in its order",
            n_own=n_own,
            file=file,
            n=n,
        )
        raise FaultError(line, why)
    if bool(own.about) != bool(english.about):
        why = Sentence("say below the title what {file} says there, and no more", file=file)
        raise FaultError(own.line, why)
    pairs = zip(english.scenes, own.scenes, strict=True)
    return replace(own, scenes=tuple(_merged(one, other, file) for one, other in pairs))


def _merged(english: SceneFile, own: SceneFile, file: str) -> SceneFile:
    structure = {name: field for name, field in english.fields.items() if name in STRUCTURE}
    _check_fields(english, own, file)
    if "Choices" in own.fields:
        _check_choices(english, own, file)
    elif "Right" in own.fields and english.fields.get("Reply", (0, ""))[1] != "a word":
        _check_number(english.fields["Right"], own.fields["Right"])
    if "Task" in own.fields:
        _check_task(english.fields["Task"], own.fields["Task"])
        structure[UNTIL] = english.fields["Task"]
    return replace(own, fields=structure | dict(own.fields))


def _check_fields(english: SceneFile, own: SceneFile, file: str) -> None:
    for name, (line, _) in own.fields.items():
        if name in STRUCTURE:
            why = Sentence("“{field}:” is read from {file}: remove it here", field=name, file=file)
            raise FaultError(line, why)
        if name not in english.fields:
            why = Sentence(
                "this scene has no “{field}:” in {file}: remove it here", field=name, file=file
            )
            raise FaultError(line, why)
    missing = [name for name in english.fields if name not in (*STRUCTURE, *own.fields)]
    if missing:
        why = Sentence(
            "the scene has no “{field}: …”: translate that of {file}", field=missing[0], file=file
        )
        raise FaultError(own.line, why)


def _check_choices(english: SceneFile, own: SceneFile, file: str) -> None:
    """Refuses another number of choices, and another place of the one that is right."""
    choices, translated = choices_of(english.fields["Choices"]), choices_of(own.fields["Choices"])
    if len(choices) != len(translated):
        why = Sentence("give {n} choices, in the order of {file}", n=len(choices), file=file)
        raise FaultError(own.fields["Choices"][0], why)
    if "Right" not in own.fields:
        return
    line, right = own.fields["Right"]
    place = choices.index(english.fields["Right"][1])
    if right in translated and translated.index(right) != place:
        why = Sentence(
            "in {file} choice {number} is right: put the choices in its order, or mend what is "
            "right",
            file=file,
            number=place + 1,
        )
        raise FaultError(line, why)


def _check_number(english: FieldLine, own: FieldLine) -> None:
    if own[1] != english[1]:
        raise FaultError(
            own[0], Sentence("what is right is {number}: write it as it is", number=english[1])
        )


def _check_task(english: FieldLine, own: FieldLine) -> None:
    """Refuses a task with other numbers than the one that decides when it is done."""
    said, wanted = (sorted(_numbers(text)) for _, text in (own, english))
    if said != wanted:
        raise FaultError(
            own[0],
            Sentence("the task has to name the numbers of “{task}”, in digits", task=english[1]),
        )


def _numbers(text: str) -> list[str]:
    return [number.replace(",", ".") for number in _NUMBER.findall(text)]
