"""The one place where a number becomes words: percent signs, bytes, seconds, thousands.

Fractions, seconds and bytes stay what they are in every record and table; they are written out
here, with thin spaces, as a figure or a caption shows them. What an error says is plain text, for
a terminal and a search as well: it has commas. Knows nothing of ours.
"""

import math

UNUSUAL = 0.01  # p-value at which a reader is told to look again
THIN = "\u202f"  # narrow space that never breaks: between thousands, before a unit
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BYTE_UNITS = ("B", "kB", "MB", "GB", "TB")  # decimal, as storage and bandwidth are counted
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # of a spreadsheet's cell


def count(n: int) -> str:
    """Groups thousands by thin spaces: 36 864."""
    return f"{n:,}".replace(",", THIN)


def plural(n: int, noun: str, ending: str = "s") -> str:
    """Counts a noun: 1 token, 2 tokens, 3 passes."""
    return f"{count(n)} {noun}{'' if n == 1 else ending}"


def digits(value: float, n_significant: int = 3) -> str:
    """Rounds to significant digits without an exponent, thousands grouped: 0.85, 5.1, 1 240."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{n_significant - 1}e}")
    exponent = int(f"{rounded:e}".partition("e")[2])
    return f"{rounded:,.{max(0, n_significant - 1 - exponent)}f}".replace(",", THIN)


def chance(p_value: float, bar: float) -> str:
    """Writes a p-value with as many digits as show on which side of a bar it lies: "= 0.0080"."""
    if p_value < 1e-4:
        return "< 0.0001"
    n = next(n for n in range(2, 18) if (float(f"{p_value:.{n - 1}e}") > bar) == (p_value > bar))
    return f"= {digits(p_value, n)}"


def in_full(value: float) -> str:
    """Writes a whole number with all its digits, another one with up to three: 5.5, 0.25."""
    return count(int(value)) if float(value).is_integer() else _trimmed(digits(value))


def _trimmed(written: str) -> str:
    return written.rstrip("0").rstrip(".") if "." in written else written


def percent(fraction: float) -> str:
    """Writes a fraction as a percentage: never "<0.01 %", and 100 % only where it is.

    One decimal from 1 % up, two significant digits below, a power of ten below 0.001 %.
    """
    shown = 100 * fraction
    if fraction in (0, 1):
        text = f"{shown:.0f}"
    elif 99.95 <= shown < 100:
        text = _nearly_all(shown)
    elif shown >= 0.995:
        text = f"{shown:.1f}"
    elif shown >= 0.001:
        text = digits(shown, 2)
    else:
        mantissa, _, exponent = f"{shown:.0e}".partition("e-")
        text = f"{mantissa}·10⁻{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return f"{text}{THIN}%"


def _nearly_all(shown: float) -> str:
    """Writes a percentage so near to 100 that rounding must not say so: 99.97, >99.9999."""
    n_digits = min(9, math.ceil(-math.log10(100 - shown)))
    text = f"{shown:.{n_digits}f}"
    return f">99.{'9' * n_digits}" if float(text) == 100 else text


def _byte_scale(n: float) -> tuple[float, str]:
    scale, unit = 1.0, BYTE_UNITS[0]
    for unit in BYTE_UNITS:
        if n < scale * 999.5 or unit == BYTE_UNITS[-1]:
            break
        scale *= 1000
    return scale, unit


def signed(value: float) -> str:
    """Writes a number with two decimals and a true minus sign: −2.31."""
    if not math.isfinite(value):
        return "−∞"
    text = f"{abs(value):.2f}"
    return f"{'−' if value < 0 and float(text) else ''}{text}"


def change(value: float, half_width: float) -> str:
    """Writes a difference with its uncertainty: −0.03 ± 0.25."""
    return f"{'+' if value >= 0 else ''}{signed(value)} ± {half_width:.2f}"


def nats(value: float) -> str:
    """Writes an entropy or a log-probability: −2.31 nats."""
    return f"{signed(value)}{THIN}nats"


def size(n_bytes: int) -> str:
    """Writes bytes in decimal units with three digits: 512 B, 36.9 kB, 6.71 GB."""
    scale, unit = _byte_scale(n_bytes)
    return f"{count(n_bytes) if scale == 1 else digits(n_bytes / scale)}{THIN}{unit}"


def duration(seconds: float) -> str:
    """Writes seconds in the unit that suits them: 85 µs, 0.85 ms, 12.3 ms, 1.24 s."""
    if seconds >= 0.9995:
        return f"{digits(seconds)}{THIN}s"
    factor, unit = (1e3, "ms") if seconds >= 1e-4 else (1e6, "µs")
    return f"{digits(seconds * factor, 3 if seconds * factor >= 10 else 2)}{THIN}{unit}"


def round_steps(top: float, n_steps: int = 4) -> list[float]:
    """Gives round ticks from 0 to `top` or more: multiples of 1, 2 or 5 times a power of ten."""
    if top <= 0:
        return [0.0]
    rough = top / n_steps
    power = 10.0 ** int(f"{rough:e}".partition("e")[2])
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    ticks = [0.0]
    while ticks[-1] < top * 0.999:
        ticks.append(len(ticks) * step)
    return ticks


def log_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Gives the ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, and their labels."""
    first, last = (math.floor(math.log10(bound)) for bound in (low, high))
    numbers = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    ticks = [number for number in numbers if low <= number <= high]
    return ticks, [count(int(tick)) if tick >= 1 else f"{tick:g}" for tick in ticks]


def size_ticks(top: float) -> tuple[list[float], list[str]]:
    """Gives the ticks of a bytes axis, in one unit: positions in bytes, and their labels."""
    scale, unit = _byte_scale(top)
    ticks = round_steps(top / scale)
    labels = [f"{tick:g}{THIN}{unit}" if tick else "0" for tick in ticks]
    return [tick * scale for tick in ticks], labels


def guard(text: str) -> str:
    """Keeps a cell from being a formula, and from holding what no file can (lone surrogates)."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
