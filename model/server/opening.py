"""From a server's address to a model: its identity is read here, its weights stay there."""

from dataclasses import replace
from pathlib import Path, PurePath

from huggingface_hub import snapshot_download
from transformers import AutoConfig

from model.language_model import LanguageModel, ModelParts
from model.loading import describe
from model.sentences import Sentence, cut
from model.server.backend import ServerBackend
from model.server.client import Client
from model.weights.check import LoadError
from model.weights.locate import find_folder, shown_name
from model.weights.reading import SAFELY, Say, load_tokenizer, reading
from model.weights.shapes import count_shape

# config and tokenizer; the weights are the server's
_WORDS = ["config.json", "generation_config.json", "tokenizer*", "*.jinja", "vocab*", "merges.txt"]


def open_server(
    url: str, key: str = "", model: str = "", progress: Say | None = None
) -> LanguageModel:
    """Opens the model of a server.

    Args:
        url: of the server, as vLLM serves it: http://127.0.0.1:8000.
        key: that it expects, if any.
        model: a shipped name, a folder or a hub id that has the model's tokenizer and config; by
            default where the server says that it has the model from.
        progress: is told, in words, what is being done.

    Raises:
        LoadError: one sentence with the remedy.
    """
    say = progress or (lambda _: None)
    say(Sentence("Asking the model’s server what it serves"))
    try:
        server = Client(url, key)
        served = server.served(model)
        say(Sentence("Asking it for a token: the first in a server’s life may take seconds"))
        server.expect([[0]], 1)
    except ValueError as error:
        raise LoadError(*error.args) from error
    source = model or served.root
    shown = shown_name(source)
    with reading(shown):
        folder = _words_of(source, is_named=bool(model))
        config = AutoConfig.from_pretrained(folder, **SAFELY)
        text_config = config.get_text_config(decoder=True)
        n_parameters = count_shape(shown, config).n_parameters
        parts = ModelParts(config, text_config.vocab_size, n_parameters, None, None)
        name = f"{shown_name(served.name)} (server)"
        tokenizer = load_tokenizer(folder, shown)
        lm = describe(name, "causal", parts, tokenizer, ServerBackend(server))
    # the token that a request asks for, and that is thrown away, has its place too
    return replace(lm, context_length=served.max_tokens - 1)


def _words_of(source: str, *, is_named: bool) -> Path:
    """Returns the folder with a model's config and tokenizer.

    Args:
        source: where they are: a name as it is given, or what the server loaded.
        is_named: whether the operator named it.

    Raises:
        LoadError: where they are neither on this machine nor to be had.
    """
    try:
        return find_folder(source) or Path(snapshot_download(source, allow_patterns=_WORDS))
    except (LoadError, OSError, ValueError) as error:
        says = Sentence(
            "No tokenizer was found here (the server has its model from {given}): set "
            "ONE_TOKEN_ENGINE_MODEL to a folder of this machine, or a hub id, that has the "
            "model’s tokenizer and config."
        )
        if is_named:
            says = Sentence(
                "No tokenizer was found here (ONE_TOKEN_ENGINE_MODEL says {given}): set "
                "ONE_TOKEN_ENGINE_MODEL to a folder of this machine, or a hub id, that has the "
                "model’s tokenizer and config."
            )
        raise LoadError(says.filled(given=cut(PurePath(source).name))) from error
