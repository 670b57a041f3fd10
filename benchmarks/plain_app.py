"""What we are compared with: the same model in a Streamlit app as anyone would write it first.

A button, a full script run, one pass over the whole text, a chart of the ten best tokens.

    PLAIN_MODEL=folder PLAIN_TOKENS=300 streamlit run plain_app.py
"""

import os
from typing import Any

import pandas as pd
import streamlit as st
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

folder, n_tokens = os.environ["PLAIN_MODEL"], int(os.environ["PLAIN_TOKENS"])


@st.cache_resource
def load() -> tuple[Any, Any]:
    """Loads the model once for all readers."""
    return AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def next_probs(ids: list[int]) -> torch.Tensor:
    """Runs the model over the whole text; the tokenizer may know fewer tokens than the model."""
    with torch.inference_mode():
        logits: torch.Tensor = model(torch.tensor([ids])).logits[0, -1, : len(tokenizer)]
    return logits.softmax(-1)


model, tokenizer = load()
ids = st.session_state.setdefault("ids", [300 + i % 100 for i in range(n_tokens)])
if st.button("Next"):
    ids.append(int(next_probs(ids).argmax()))

best = next_probs(ids).topk(10)
labels = [tokenizer.decode([i]) for i in best.indices.tolist()]
st.text(tokenizer.decode(ids))
st.bar_chart(pd.DataFrame({"token": labels, "probability": best.values.numpy()}), x="token")
st.caption(f"{len(ids)} tokens")
