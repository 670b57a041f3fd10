"""Makes the pictures of the documents from the page as it runs: `python -m benchmarks.pictures`."""

from __future__ import annotations

from benchmarks.moving import SCHEMES, moving_picture
from benchmarks.slides import slides
from tests.driving.harness import ROOT, chromium, serve


def main() -> None:
    """Writes the README's moving picture, light and dark, and the slides."""
    with serve() as server, chromium() as browser:
        (ROOT / "docs" / "slides.html").write_text(slides(browser, server.url), "utf-8")
        for scheme in SCHEMES:
            picture = moving_picture(browser, server.url, scheme)
            (ROOT / "docs" / f"next-{scheme}.png").write_bytes(picture)


if __name__ == "__main__":
    main()
