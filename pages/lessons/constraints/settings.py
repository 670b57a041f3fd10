"""The settings of the constrained-decoding lesson."""

from model.constraints.schema import MAX_CHARACTERS
from pages.frame.fields import Choice, Text, sampling_number
from pages.frame.settings_table import SettingsTable
from pages.lessons.constraints.state import EXAMPLES, FIRST, KINDS, ConstraintRequest

SETTINGS = SettingsTable(
    "constraint",
    Choice("example", "Example", FIRST, tuple(EXAMPLES), in_link=False),
    Choice("kind", "What may follow", EXAMPLES[FIRST].kind, KINDS, is_segmented=True),
    Text("prompt", "A text to start from", EXAMPLES[FIRST].prompt),
    Text("constraint", "Constraint", EXAMPLES[FIRST].constraint, max_characters=MAX_CHARACTERS),
    sampling_number("temperature", 0.0, label="Temperature, 0 is argmax", high=1.5, is_slider=True),
)


def request_now() -> ConstraintRequest:
    """Returns what the controls ask for."""
    return ConstraintRequest(SETTINGS["kind"], SETTINGS["prompt"], SETTINGS["constraint"])


def put_request(request: ConstraintRequest) -> None:
    """Lets the controls say what is asked for, and which example it is, where it is one."""
    SETTINGS.put(kind=request.kind, prompt=request.prompt, constraint=request.constraint)
    for name, example in EXAMPLES.items():
        if example == request:
            SETTINGS.put(example=name)
