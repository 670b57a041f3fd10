"""The command `one-token`: opens the app, or writes the page as one file.

Knows where the app's files are and how Streamlit is started; nothing of what they do.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from one_token import FILES, __version__

_EVERYWHERE = "0.0.0.0"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command; options that it does not know are passed to `streamlit run`."""
    parser = _parser()
    rest, options = _split(sys.argv[1:] if arguments is None else arguments)
    given, unknown = parser.parse_known_args(rest)
    for_streamlit = [*options, *unknown]
    if given.command == "page":
        if for_streamlit:
            parser.error(f"unrecognized arguments: {' '.join(for_streamlit)}")
        write_page(Path(given.file))
    else:
        open_app(given.host, given.port, for_streamlit)


def write_page(path: Path) -> None:
    """Writes the home page with the model in it as one file.

    Raises:
        SystemExit: if the file cannot be written; the message says where it can.
    """
    from pages.home.in_page_file import write

    try:
        write(path)
    except OSError as error:
        raise SystemExit(
            f"{path} cannot be written ({error.strerror}): name a file in a folder of yours, such "
            f"as one-token page {Path.home() / 'one-token.html'}"
        ) from None
    size = path.stat().st_size / 1e6
    print(f"{path} holds the page and the model, {size:.0f} MB: open it in a browser.")


def open_app(host: str | None, port: int | None, for_streamlit: Sequence[str] = ()) -> None:
    """Serves the app until Ctrl+C; without a port, on the first free one from 8501."""
    from streamlit.web import cli

    options = {"--server.address": host, "--server.port": port}
    named = [f"{name}={value}" for name, value in options.items() if value is not None]
    cli.main(["run", str(FILES / "app.py"), *named, *for_streamlit], prog_name="one-token")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="one-token",
        description="Shows how a language model writes, one token at a time, in the browser.",
        epilog="Any other option is Streamlit's, such as --server.headless true.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"one-token {__version__}")
    parser.add_argument(
        "--host",
        nargs="?",
        const=_EVERYWHERE,
        help=f"address to listen on; alone, {_EVERYWHERE}: everyone on the network. "
        "Without it, this machine only",
    )
    parser.add_argument(
        "--port", type=_port, help="port to listen on; by default a free one from 8501"
    )
    commands = parser.add_subparsers(dest="command", metavar="page")
    page = commands.add_parser("page", help="write the page with the model in it as one HTML file")
    page.add_argument("file", nargs="?", default="one-token.html", help="by default %(default)s")
    return parser


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Takes Streamlit's options out, `--server.port 80` and `--server.port=80` alike."""
    rest, options = list[str](), list[str]()
    following = iter(arguments)
    for argument in following:
        if argument.startswith("--") and "." in argument.partition("=")[0]:
            value = None if "=" in argument else next(following, None)
            options.append(argument if value is None else f"{argument}={value}")
        else:
            rest.append(argument)
    return rest, options


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: choose a number from 1 to 65535")
    return int(text)


if __name__ == "__main__":
    main()
