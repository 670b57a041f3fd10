"""What hostile and unlucky people put in, a case a line, and a word of the answer."""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

from safetensors.numpy import load, save

BIG = "<x>" * 30_000
MARKS = "e" + "\u0301" * 3_000
DEEP = 100_000

# page, what the link says, a word of the warning ("" where it may be followed)
LINKS: list[tuple[str, dict[str, str], str]] = [
    ("generate", {"order": BIG, "use": BIG}, "must be"),
    (
        "generate",
        {"temperature": "nan", "top_p": "7", "top_k": "1e400", "min_p": "inf"},
        "more)",
    ),
    ("generate", {"run": "999999999", "eta": "-1"}, "run was left out"),
    ("generate", {"run": "3", "forced": "1:99999999"}, "no token of storyteller"),
    ("generate", {"run": f"3~use:{BIG}"}, "run was left out"),
    ("generate", {"run": "~" * 9_000, "forced": ":" * 9_000}, "run was left out"),
    ("generate", {"prompt": "a" * 9_000}, "more than 4"),
    ("generate", {"prompt": "\0\ufffd\u202e" + MARKS}, ""),
    ("generate", {"seed": "-3", "chat": "maybe"}, "Seed"),
    ("generate", {"model": BIG}, "more than 200 characters"),
    ("generate", {"model": "a/b@" + "c" * 190}, "neither a folder"),
    ("generate", {"model": "é" * 199}, "neither a folder"),
    ("generate", {"model": "/etc/passwd"}, "passwd is a file"),
    ("generate", {"model": "gapfiller"}, "storyteller is used"),
    ("beam_search", {"beams": "<script>", "searched": "1e3"}, "number from -1 to 2"),
    ("futures", {"selected": "1,-2", "top": BIG}, "up to 4 token ids"),
    ("beam_search", {"beams": "a www.evil.com/login\n\nb"}, "not “a www"),
    ("beam_search", {"tokens": "5", "model": "unmasked://"}, "neither a folder"),
    ("speculative", {"draft": "another model"}, "Name a draft: a folder, or a hub id"),
    ("diffusion", {"positions": "4", "passes": "9"}, "9 passes cannot fill 4 positions"),
    ("constraints", {"kind": "schema", "constraint": "{"}, "This is not JSON"),
    ("causal_mask", {"text": "A cat sat.", "position": "99"}, "tokens, and no token 99"),
    ("causal_mask", {"head": "9"}, "storyteller has no such head"),
    ("kv_cache", {"prompt": "word " * 200}, "room for 150"),
    ("kv_cache", {"top_p": "-3"}, "not “-3”"),
    ("constraints", {"temperature": "1e-300"}, "0 for greedy, or a number from"),
    ("diffusion", {"temperature": "1e-300"}, "0 for greedy, or a number from"),
    ("sampling", {"use": BIG, "source": BIG}, "must be"),
]

# what of a model's folder is otherwise: a file that is gone, is written, or has other keys
Change = str | bytes | dict[str, Any] | Callable[[bytes], bytes] | None
CONFIG, GENERATION, WORDS = "config.json", "generation_config.json", "tokenizer.json"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


def shards(files: object) -> dict[str, Change]:
    return {WEIGHTS: None, INDEX: json.dumps({"weight_map": files})}


def header(text: str) -> bytes:
    """A safetensors file that is all header."""
    return struct.pack("<Q", len(text)) + text.encode()


def last_weight(number: float) -> Callable[[bytes], bytes]:
    return lambda old: old[:-4] + struct.pack("<f", number)


def headless(old: bytes) -> bytes:
    return save({name: weight for name, weight in load(old).items() if name != "lm_head.weight"})


def normalizer(**parts: object) -> dict[str, Change]:
    return {WORDS: {"normalizer": parts}}


SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
GROWING = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 1_000}
SEVENS = {"type": "Replace", "pattern": {"String": "7"}, "content": "7" * 100}
NO_WORDS = {"added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": []}}
VAST = '{"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 8]}}'
PLAIN = '{"tokenizer_class": "PreTrainedTokenizerFast"}'

FOLDERS: list[tuple[dict[str, Change], str]] = [
    ({CONFIG: None}, "no config.json and is no model"),
    ({CONFIG: None, "adapter_config.json": "{}"}, "an adapter: merge it into its base model"),
    ({CONFIG: '{"model_type": "llama"'}, "is malformed: download"),
    ({CONFIG: "[1]"}, "is malformed: download"),
    ({CONFIG: '{"a":' * DEEP}, "is malformed: download"),
    ({CONFIG: {"model_type": ["llama"]}}, "names no model_type"),
    ({CONFIG: {"model_type": BIG}}, "upgrade transformers"),
    ({CONFIG: {"model_type": "own", "auto_map": {"AutoConfig": "a.B"}}}, "never executed here"),
    ({CONFIG: {"architectures": "LlamaForCausalLM"}}, "names no architectures"),
    ({CONFIG: {"architectures": [["x"]]}}, "names no architectures"),
    ({CONFIG: {"architectures": [BIG]}}, "is no language model but"),
    ({CONFIG: {"num_hidden_layers": "two"}}, "cannot read"),
    ({CONFIG: {"num_hidden_layers": 0}}, "has no layers"),
    ({CONFIG: {"num_hidden_layers": 10**6}}, "it took more than"),
    ({CONFIG: {"hidden_size": 10**300}}, "cannot read"),
    ({CONFIG: {"num_attention_heads": 0}}, "cannot read"),
    ({CONFIG: {"vocab_size": 10**12}}, "cannot read"),
    ({CONFIG: {"is_encoder_decoder": True}}, "cannot read"),
    ({GENERATION: json.dumps({"eos_token_id": [1] * 10**6})}, "more than 1 MB"),
    ({CONFIG: {"title": "x" * 10**6}}, "more than 1 MB"),
    ({WEIGHTS: None}, "no safetensors weights"),
    ({WEIGHTS: None, "pytorch_model.bin": ""}, "as pickles only"),
    ({WEIGHTS: "version https://git-lfs"}, "git lfs pull"),
    ({WEIGHTS: b"\xff" * 100}, "not a safetensors file"),
    ({WEIGHTS: header('{"a":' * DEEP)}, "not a safetensors file"),
    ({WEIGHTS: header(VAST)}, "not a safetensors file"),
    ({WEIGHTS: lambda old: old[:-100]}, "not a safetensors file"),
    ({WEIGHTS: last_weight(math.inf)}, "not finite"),
    ({WEIGHTS: last_weight(math.nan)}, "not finite"),
    ({WEIGHTS: headless}, "no weights for lm_head.weight"),
    (shards({"a": "model-00001-of-00002.safetensors"}), "lacks model-00001-of-00002.safetensors"),
    (shards({"a": 1, "b": "x"}), "lacks 1"),
    (shards({"a": "../../../etc/passwd"}), "lacks passwd"),
    (shards("abc"), "no weight_map"),
    ({WORDS: None, "tokenizer_config.json": None}, "no tokenizer files: save its tokenizer"),
    ({WORDS: "{}"}, "cannot read"),
    ({WORDS: NO_WORDS, "tokenizer_config.json": PLAIN}, "knows no tokens: save it again"),
    (normalizer(type="Precompiled", precompiled_charsmap="AAAA"), "Precompiled"),
    (normalizer(type="Replace", pattern={"String": ""}, content="x"), "out of bounds"),
    (normalizer(type="Sequence", normalizers=[GROWING] * 4), "was tried"),
    ({WORDS: {"pre_tokenizer": SPLIT | {"pattern": {"Regex": "(a+)+$"}}}}, "retry-limit"),
    (normalizer(type="Sequence", normalizers=[SEVENS] * 4), "was tried"),
    (normalizer(**SEVENS), "tokens of 100 characters"),
    ({WORDS: {"pre_tokenizer": SPLIT | {"pattern": {"Regex": "(q+)+$"}}}}, "retry-limit"),
    ({CONFIG: {"max_position_embeddings": 0}}, "room for no token"),
    ({"tokenizer_config.json": '{"bos_token": {"a": 1}}'}, "cannot read"),
]

# a chat template, and why the prompt stands without it
TEMPLATES: list[tuple[str, str]] = [
    ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "it took"),
    ("{% set n = namespace(x='x') %}" + "{% set n.x = n.x + n.x %}" * 50, "it|Mem"),
    ("{{ 'x' * 10 ** 11 }}", "MemoryError"),
    ("{{ 'x' * 10 ** 8 }}", "it wrote|it took"),
    ("{{ ''.__class__.__mro__ }}", "unsafe"),
    ("{{ messages[0].content", "unexpected end"),
    ("{{ raise_exception('no ' * 9999) }}", "no no"),
    ("{{ 1 // 0 }}", "zero"),
]

# a constraint, and why it cannot be had
CONSTRAINTS: list[tuple[str, str, str]] = [
    ("pattern", "[0-9", "pattern cannot be used .unterminated"),
    ("pattern", "(a", r"missing \)"),
    ("pattern", r"(a)\1", "without look-ahead"),
    ("pattern", r"\ba\b", "leave them out"),
    ("pattern", r"[^\x00-\x{10ffff}]", "correct it"),
    ("pattern", "a$b", "leave them out"),
    ("pattern", "a" * 5000, "shorten it"),
    ("pattern", "(" * 3000, "make it flatter"),
    ("choices", " \n ", "empty"),
    ("schema", "{nope", "not JSON"),
    ("schema", "[" * 3000, "make it flatter"),
    ("schema", "[]", "write one"),
    ("schema", '{"type": "source"}', "use one of"),
    ("schema", json.dumps({"type": BIG}), "shorten it"),
    ("schema", json.dumps({BIG[:3000]: 1}), "leave it out"),
    ("schema", json.dumps({"type": BIG[:3000]}), "use one of"),
    ("schema", json.dumps({"properties": {}, "required": [BIG[:3000]]}), "not defined"),
    ("schema", '{"$ref": "#"}', "."),
    ("schema", "{}", "name a “type”"),
    ("schema", '{"enum": []}', "No text"),
    ("schema", '{"allOf": [{"type": "integer"}]}', "allOf.*leave it out"),
    ("schema", '{"type": "string", "pattern": "a+", "maxLength": 2}', "not supported beside"),
    ("schema", '{"properties": {"a": {"type": "null"}}, "required": ["b"]}', "b.*not defined"),
    ("schema", '{"properties": {"a": {"not": {}}}, "required": ["a"]}', "not.*leave it out"),
]

# the text of a config.json that is pasted, and what is wrong with it
SHAPES: list[tuple[str, str]] = [
    ("{", "no JSON"),
    ("[" * DEEP, "no JSON"),
    ("[]", "names no model_type"),
    ('{"model_type": "vit"}', "no causal language model"),
    (json.dumps({"model_type": BIG}), "no causal language model"),
    ('{"model_type": "llama", "hidden_size": "wide"}', "cannot"),
    ('{"model_type": "llama", "num_attention_heads": 0}', "cannot"),
    ('{"model_type": "llama", "num_hidden_layers": 1000000}', "it took more than"),
]

# an event in the page, and a word of the notice ("" where it is passed over)
EVENTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "prompt", "text": "a" * 100_000}, "81,920 are read"),
    ({"kind": "prompt", "text": "\N{ROCKET}" * 50_000}, "storyteller reads"),
    ({"kind": "prompt", "text": "\ud800"}, "lone surrogate"),
    ({"kind": "force", "token_id": 10**9}, "no token"),
    ({"kind": "force", "token_id": -1}, "no token"),
    ({"kind": "rewind", "position": 0}, "Only generated"),
    ({"kind": "rewind", "position": "there"}, "."),
    ({"kind": "branch", "position": 2}, "Only generated"),
    ({"kind": "switch", "id": 99}, "is gone"),
    ({"kind": "switch", "id": [{}]}, "is gone"),
    ({"kind": "inspect", "position": -5}, "."),
    ({"kind": "inspect", "position": 10**6}, "."),
    ({"kind": "guess", "text": "  "}, "."),
    ({"kind": "guess", "text": "a" * 7_900_000}, "shorten it"),
    ({"kind": "prompt", "text": "a" * 7_900_000}, "shorten it"),
    ({"kind": "force", "token_id": -(10**4_000)}, "is no token"),
    ({"kind": "tokenise", "text": "a" * 100_000}, "100,000 characters"),
    ({"kind": "next", "controls": {"top_p": "NaN"}}, "Top-p"),
    ({"kind": "next", "controls": {"use": [BIG] * 9}}, "use"),
    ({"kind": "next", "branch": BIG}, "another text"),
]

# what a request to step a text of six tokens and two more says otherwise; a word of the refusal
REQUESTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": BIG}, "reload the page"),
    ({"kind": None}, "reload the page"),
    ({"kind": "__init__"}, "reload the page"),
    ({"ids": []}, "no text"),
    ({"ids": "0"}, "no text"),
    ({"ids": {"0": 1}}, "no text"),
    ({"ids": [4096]}, "4096"),
    ({"ids": [-1]}, "-1"),
    ({"ids": [10**400]}, "."),
    ({"ids": [True, 0.5, None, BIG, [0]]}, "."),
    ({"ids": [1] * 10**6}, "1,000,000"),
    ({"n_prompt": 0}, "n_prompt"),
    ({"n_prompt": 99}, "n_prompt"),
    ({"n_prompt": True}, "n_prompt"),
    ({"number": -1}, "number"),
    ({"number": 10**30}, "number"),
    ({"memory": None}, "no settings"),
    ({"memory": {}}, "memory"),
    ({"memory": {"target": math.nan, "mu": 0}}, "memory"),
    ({"memory": {"target": 0, "mu": 10**400}}, "memory"),
    ({"controls": BIG}, "no settings"),
    ({"controls": {"top_p": "nan"}}, "Top-p"),
    ({"controls": {"use": [BIG] * 9}}, "."),
    ({"controls": {"order": [BIG]}}, "."),
    ({"seed": -1}, "seed"),
    ({"seed": 2.5}, "seed"),
    ({"next_seed": BIG}, "next_seed"),
    ({"count": 10**9}, "count"),
    ({"count": 0}, "count"),
    ({"token_id": 10**9}, "token_id"),
    ({"token_id": -1}, "token_id"),
    ({"token_id": [1]}, "token_id"),
    ({"kind": "logitsAt"}, "position"),
    ({"kind": "logitsAt", "position": 10**6}, "no token"),
    ({"kind": "logitsAt", "position": 0}, "Nothing stands before"),
    ({"kind": "weigh"}, "no text"),
    ({"kind": "weigh", "text": BIG}, "shorten"),
    ({"kind": "weigh", "text": "\ud800"}, "surrogate"),
    ({"kind": "tokenise", "text": "a" * 3_000_000}, "shorten"),
    ({"kind": "tokenise", "text": 5}, "no text"),
    ({"kind": "file", "format": "exe", "link": ""}, "reload the page"),
    ({"kind": "file", "format": "json", "link": "", "draws": [{}] * 3}, "reload the page"),
]

# what a tab kept over a reload: other than it was, or otherwise in its last branch ("last"), and a
# word of the notice ("" where it may be passed over)
RECORDS: list[tuple[Any, str]] = [
    ("x" * 9_000, ""),
    ([1], ""),
    ({"branches": {}}, "cannot be read"),
    ({"branches": [None]}, "cannot be read"),
    ({"branches": [[[]]] * 10_000}, "cannot be read"),
    ({"active": [BIG]}, "cannot be read"),
    ({"model": None}, ""),
    ({"model": []}, ""),
    ({"controls": BIG}, "cannot be read"),
    ({"controls": {"use": [BIG] * 9}}, "cannot be read"),
    ({"last": {"id": 0}}, ""),
    ({"last": {"id": 10**30}}, ""),
    ({"last": {"id": True}}, ""),
    ({"last": {"ids": [10**9]}}, ""),
    ({"last": {"ids": [-1, 0.5, None]}}, ""),
    ({"last": {"ids": [1] * 10**6}}, ""),
    ({"last": {"ids": 5}}, ""),
    ({"last": {"columns": 5}}, "cannot be read"),
    ({"last": {"columns": {"logprob": "nan"}}}, "cannot be read"),
    ({"last": {"joined": None}}, ""),
    ({"last": {"query": ""}}, "cannot be read"),
    ({"last": {"query": 5}}, "cannot be read"),
    ({"last": {"query": "prompt=" + "a" * 10**6}}, ""),
    ({"last": {"query": "&".join(["prompt=a"] * 9_999)}}, ""),
    ({"last": {"query": "prompt=a&run=3&forced=1:999999"}}, ""),
    ({"last": {"query": f"prompt={'word+' * 9_000}"}}, ""),
]

# a model that the page asks for, as a tab kept it or a saved run names it; a word of the answer
ASKED_MODELS: list[tuple[str, str]] = [
    (BIG, "neither a folder|characters"),
    ("/no/model", "neither a folder"),
    ("/etc", "has no config.json"),
    ("gapfiller", "does not write from left to right"),
    ("unmasker", "does not write from left to right"),
    ("a/b@" + "c" * 190, "neither a folder"),
    ("\0\ud800", "neither a folder"),
]

# what a saved run asks for when it is opened again, beside what was written so far; a word of the
# notice ("" where it may be followed)
SAVED: list[tuple[str, str]] = [
    ("prompt=The+cat&run=2", ""),
    ("prompt=a&model=/etc", "it is a run of /etc"),
    (f"prompt=a&model={BIG}", "more than 200 characters"),
    ("prompt=\ud800", ""),
    ("prompt=" + "a" * 400_000, "81,920 are read"),
    ("prompt=a&run=3&forced=0:99999999", "no token of storyteller"),
    ("prompt=a&run=1~temperature:nan&temperature=nan", "run was left out"),
    ("prompt=a&run=" + "0;" * 20_000, "run was left out"),
    (f"prompt=%00&dtype={BIG}", "Number format"),
]

# what a phone sends as a name and as a word, and what the projector shows; "" where it is none
WORDS: list[tuple[str, str]] = [
    ("\u202eevil", "evil"),
    ("A\u200bda\u2066", "Ada"),
    ("e" + "\u0301" * 300, "\u00e9\u0301\u0301"),
    ("\u0915\u094d\u0937\u0902", "\u0915\u094d\u0937\u0902"),
    (" a\tb\r\n c ", "a b c"),
    ("\u200b\0\ud800", ""),
    (BIG, BIG[:16]),
]

# what a stranger at the class's own address asks of its room 150 times, and a word of the answer
ROOM_REQUESTS: list[tuple[str, object, str]] = [
    ("{code}/join", {}, ""),
    ("{code}/join", {"name": "Ada"}, "taken"),
    ("{code}/join", {"name": BIG}, "too long"),
    ("{code}/state", None, "has not joined"),
    ("{code}/answer", {"number": 1, "option": 0}, "has not joined"),
    ("{code}/answer", [BIG], "has not joined"),
    ("ZZZZZZ/state", None, "room"),
    ("ZZZZZZ/join", {}, "room"),
    (f"{'Z' * 2_000}/join", {}, "room"),
    ("{code}ZZZ/projector/state", None, "room"),
    ("{code}/desk/state", None, "no desk"),
    ("{code}/desk/press", {"do": "end", "n_presses": 0}, "no desk"),
    ("{code}/desk/press", [BIG], "no desk"),
    ("{code}/projector/qr.svg", None, "no address"),
]


def expected(by_token: object) -> str:
    """A completion's answer with these log-probabilities."""
    logprobs = {"top_logprobs": [by_token]}
    return json.dumps({"choices": [{"index": 0, "logprobs": logprobs}]})


# what a model's server says it serves, and what it says may follow a text; a word of the sentence
CARDS: list[tuple[str, str]] = [
    ("[]", "is no object"),
    ('{"data": "abc"}', "names no model"),
    ('{"data": [1, null]}', "names no model"),
    ('{"data": [{"max_model_len": 9}]}', "names no model"),
    ('{"data": [{"id": "a", "max_model_len": -9}]}', "is no vLLM"),
    ('{"data": 5}', "names no model"),
    (json.dumps({"data": [{"id": "a", "owned_by": BIG}]}), "is no vLLM"),
    (json.dumps({"data": [{"id": BIG, "max_model_len": 9}]}), "."),
]
WHOLE = [f"token_id:{i}" for i in range(4_096)]  # of the shipped vocabulary
EVEN = -math.log(len(WHOLE))
ANSWERS: list[tuple[str, str]] = [
    (expected(["a"]), "no log-probabilities"),
    (expected({}), "0 of the 4,096"),
    (expected(dict.fromkeys(WHOLE[:5], -2.0)), "5 of the 4,096"),
    (expected(dict.fromkeys([*WHOLE[1:], "token_id:4096"], EVEN)), "ONE_TOKEN_ENGINE_MODEL"),
    (expected(dict.fromkeys([*WHOLE[1:], "token_id:-1"], EVEN)), "ONE_TOKEN_ENGINE_MODEL"),
    (expected({"token_id:" + "9" * 40: -1.0}), "no log-probabilities"),
    (expected({BIG: -1.0}), "no log-probabilities"),
    (expected({"token_id:1": None}), "raw_logprobs"),
    (expected({"token_id:1": math.nan}), "raw_logprobs"),
    (expected({"token_id:1": math.inf}), "raw_logprobs"),
    (expected(dict.fromkeys(WHOLE, math.nan)), "raw_logprobs"),
    (expected(dict.fromkeys(WHOLE, EVEN) | {WHOLE[7]: math.nan}), "raw_logprobs"),
    (expected(dict.fromkeys(WHOLE, EVEN + 1)), "raw_logprobs"),
    (expected(dict.fromkeys(WHOLE, EVEN - 1)), "raw_logprobs"),
    (expected(dict.fromkeys(WHOLE, -math.inf)), "raw_logprobs"),
    (json.dumps({"choices": [{"index": 0}, {"index": "0"}]}), "no log-probabilities"),
]
