"""What the model dialog says of a model: in plain words first, then its id and what it costs."""

from model.machine.device import free_bytes
from model.weights.device import choose_devices
from model.weights.facts import ModelFacts, bytes_per_second
from pages.frame.layout import as_written
from pages.frame.words import N_, _, island, listed, numeral
from viz.format import digits, size

FORMATS = {  # of numbers, by device
    "cpu": ("float32", "bfloat16"),
    "mps": ("float32", "bfloat16", "float16"),
    "cuda": ("float32", "bfloat16", "float16"),
}
DEVICES = {
    "cpu": N_("Processor (CPU)"),
    "mps": N_("Graphics of this Mac (MPS)"),
    "cuda": N_("Graphics card (CUDA)"),
}
SHIPPED_IN_WORDS = {  # by id: how a reader tells the shipped models apart
    "storyteller": N_("Storyteller: writes short, simple stories"),
    "storyteller_early": N_("Storyteller early in its training: knows less"),
    "scribbler": N_("Scribbler: small and fast, guesses what the storyteller would write"),
    "scribbler_taught": N_("Scribbler that learned for a short time from the storyteller"),
    "scribbler_plain": N_("Scribbler that learned as long from the stories alone"),
}


def in_words(name: str) -> str:
    """Returns what a model is, in plain words; another one's is its id."""
    words = SHIPPED_IN_WORDS.get(name)
    return as_written(name) if words is None else _(words)


def id_behind(name: str) -> str:
    """Returns the id that stands behind the plain words; empty where there are none."""
    return island(as_written(name)) if name in SHIPPED_IN_WORDS else ""


def in_bits(dtype: str) -> str:
    """Names a format of numbers by its bits."""
    return _("{n} bits ({format})", n=numeral(dtype[-2:]), format=dtype)


def summary(facts: ModelFacts) -> str:
    """Names the id, the size, the licence, and what it asks for."""
    parts = [id_behind(facts.name)]
    parts += [] if facts.n_parameters is None else [millions(facts.n_parameters)]
    parts += [_("licence {licence}", licence=as_written(facts.licence))] if facts.licence else []
    parts += [_("gated: accept its terms on its page, then sign in")] if facts.is_gated else []
    return " · ".join(["", *filter(None, parts)])


def millions(n_parameters: int) -> str:
    """Says how many parameters a model has."""
    return _("{number} million parameters", number=numeral(digits(n_parameters / 1e6)))


def costs(facts: ModelFacts, device: str, dtype: str) -> str:
    """Says what it takes on disk and in memory, and how fast it can be."""
    known = {"size": numeral(size(facts.n_bytes))}
    disk = _("{size} on disk, here already.", **known)
    if not facts.is_here:
        disk = _("{size} on disk.", **known)
    if not facts.counts:
        return disk
    memory = [
        _("{size} in {format}", size=numeral(size(facts.memory(other))), format=in_bits(other))
        for other in FORMATS[device]
    ]
    needed = _(
        "In memory: {sizes}; {free} is free.",
        sizes=listed(memory),
        free=numeral(size(free_bytes(choose_devices(device)[0]))),
    )
    speed = _(
        "About {time} a token, estimated: the bytes of the weights over {rate}/s, measured here.",
        time=pace(facts, device, dtype),
        rate=numeral(size(round(bytes_per_second(device, dtype)))),
    )
    return f"{disk} {needed} {speed}"


def pace(facts: ModelFacts, device: str, dtype: str) -> str:
    """Says how long a token will take."""
    seconds = facts.seconds_per_token(device, dtype)
    return numeral(f"{digits(1e3 * seconds, 2)} ms" if seconds < 1 else f"{digits(seconds, 2)} s")


def brief(facts: ModelFacts, device: str, dtype: str) -> str:
    """Says in one line what a model of the list costs."""
    parts = [
        millions(facts.n_parameters or 0),
        _("{size} on disk", size=numeral(size(facts.n_bytes))),
        _("{size} in memory", size=numeral(size(facts.memory(dtype)))),
        _("about {time} a token, estimated", time=pace(facts, device, dtype)),
        facts.licence or "",
        _("gated") if facts.is_gated else "",
    ]
    return " · ".join(filter(None, parts))
