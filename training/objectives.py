"""What the members learn: each objective turns rows of ids into one number that is to fall.

The next token; a teacher's distributions; hidden tokens, any share of them (masked diffusion,
arXiv 2502.09992); pieces cut out of a text (span corruption, arXiv 1910.10683). The loop knows
none of them.
"""

from collections.abc import Callable

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from training.corpus import END_ID
from training.distillation_data import ONE
from training.tokenizer import MASK, PAD, SENTINELS, SPECIALS

LossOf = Callable[[torch.Tensor], torch.Tensor]  # rows of ids, (n_rows, n_tokens + 1), to a number

MASK_ID, PAD_ID, FIRST_GAP_ID = (SPECIALS.index(name) for name in (MASK, PAD, SENTINELS[0]))
SHARE_CUT = 0.2  # of a row's tokens that are cut out
TOKENS_IN_A_GAP = 3  # on average


def next_token_loss(model: PreTrainedModel) -> LossOf:
    """The surprise at each token, given those before it in its row."""

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        logits = model(input_ids=rows[:, :-1], use_cache=False).logits
        return functional.cross_entropy(logits.float().flatten(0, 1), rows[:, 1:].flatten())

    return loss_of


def distillation_loss(model: PreTrainedModel, teacher: PreTrainedModel) -> LossOf:
    """How far the student is from the teacher's distributions (arXiv 1503.02531).

    Rows of a lesson have them beside each token: of the best tokens, and all others as one. Rows of
    text are read by the teacher too.
    """

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        if rows.ndim == 3:
            best, wanted = rows[..., 1:].chunk(2, dim=-1)
            logits = model(input_ids=rows[..., 0], use_cache=False).logits.float()
            log_probs = functional.log_softmax(logits, dim=-1).gather(-1, best)
            return distance(with_rest(log_probs), with_rest((wanted.float() / ONE).log()))
        with torch.no_grad():
            wanted = teacher(input_ids=rows[:, :-1], use_cache=False).logits.float()
        logits = model(input_ids=rows[:, :-1], use_cache=False).logits.float()
        return distance(*(functional.log_softmax(each, dim=-1) for each in (logits, wanted)))

    return loss_of


def distance(log_probs: torch.Tensor, log_wanted: torch.Tensor) -> torch.Tensor:
    """Half the divergence, in nats, and twice the total variation, a mean over the places.

    One less the variation is the sum of min(target, draft), the chance that speculative decoding
    keeps a guess (arXiv 2310.08461).
    """
    probs, wanted = log_probs.exp(), log_wanted.exp()
    divergence = torch.special.xlogy(wanted, wanted) - wanted * log_probs
    variation = (probs - wanted).abs() / 2
    loss: torch.Tensor = (divergence / 2 + 2 * variation).sum(dim=-1).mean()
    return loss


def with_rest(log_probs: torch.Tensor) -> torch.Tensor:
    """Adds the log-probability of all other tokens together as a last one."""
    rest = 1 - log_probs.exp().sum(dim=-1, keepdim=True)
    return torch.cat([log_probs, rest.clamp(min=1e-6).log()], dim=-1)


def masked_diffusion_loss(model: PreTrainedModel) -> LossOf:
    """The surprise at hidden tokens, given those around them: a bound on that of the whole row.

    Of each row a share t is hidden, and its sum is weighed by 1/t: rows with little hidden say as
    much of the text as rows with much.
    """

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        shares = spread_shares(len(rows)).to(rows.device)
        hidden = hide(rows, shares)
        logits = model(input_ids=rows.masked_fill(hidden, MASK_ID)).logits.float()
        nats = functional.cross_entropy(logits.flatten(0, 1), rows.flatten(), reduction="none")
        return (nats.view_as(rows) * hidden / shares[:, None]).sum() / rows.numel()

    return loss_of


def gap_loss(model: PreTrainedModel) -> LossOf:
    """The surprise at each token of the missing pieces, given the text with gaps, read whole."""

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        text, pieces = cut_gaps(rows)
        begun = functional.pad(pieces[:, :-1], (1, 0), value=PAD_ID)  # the decoder begins with it
        logits = model(input_ids=text, decoder_input_ids=begun, use_cache=False).logits
        return functional.cross_entropy(logits.float().flatten(0, 1), pieces.flatten())

    return loss_of


def spread_shares(n_rows: int, least: float = 1e-3) -> torch.Tensor:
    """Draws a share for each row, uniform from 0 to 1, evenly spread over the rows, (n_rows,)."""
    shares = (torch.rand(1) + torch.arange(n_rows) / n_rows) % 1
    return least + (1 - least) * shares


def hide(rows: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """Draws which ids are hidden, each with its row's share; an opening bos never is."""
    hidden = torch.rand(rows.shape, device=rows.device) < shares[:, None]
    is_opening = (rows == END_ID) & (torch.arange(rows.shape[1], device=rows.device) == 0)
    return hidden & ~is_opening


@torch.compiler.disable  # type: ignore[untyped-decorator]  # torch has no types here
def cut_gaps(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cuts gaps into rows, as many and as much in each, at random places but never at the start.

    Returns:
        The texts, a sentinel in the place of each gap, and the pieces: each behind its sentinel,
        an end behind the last. Both are ids, (n_rows, ...).
    """
    n_rows, n = rows.shape
    n_cut = max(1, round(SHARE_CUT * n))
    n_gaps = min(max(1, round(n_cut / TOKENS_IN_A_GAP)), len(SENTINELS))
    # stretches that stay and stretches that go take turns; the last one stays, and may be empty
    stretches = torch.zeros(n_rows, 2 * n_gaps + 1, dtype=torch.long)
    stretches[:, 0::2] = random_parts(n_rows, n - n_cut + 1, n_gaps + 1)
    stretches[:, 1::2] = random_parts(n_rows, n_cut, n_gaps)
    stretches[:, -1] -= 1
    places = torch.arange(n).expand(n_rows, n).contiguous()
    stretch = torch.searchsorted(stretches.cumsum(dim=1), places, right=True)
    is_cut = (stretch % 2 == 1).to(rows.device)
    is_first = is_cut & (stretch != stretch.roll(1, dims=1)).to(rows.device)
    sentinels = FIRST_GAP_ID + stretch.to(rows.device) // 2
    # the text keeps what stays and gets a sentinel for each gap; the pieces are all the rest
    text = rows.where(~is_first, sentinels)[~is_cut | is_first].view(n_rows, -1)
    both = torch.stack([sentinels, rows], dim=2)[torch.stack([is_first, is_cut], dim=2)]
    return text, functional.pad(both.view(n_rows, -1), (0, 1), value=END_ID)


def random_parts(n_rows: int, total: int, n_parts: int) -> torch.Tensor:
    """Draws positive whole numbers with a given sum, (n_rows, n_parts), each way equally likely."""
    places = torch.rand(n_rows, total - 1).argsort(dim=1)[:, : n_parts - 1] + 1
    edges = functional.pad(places.sort(dim=1).values, (1, 0))
    return functional.pad(edges, (0, 1), value=total).diff(dim=1)


def compiled(loss_of: LossOf, models: list[PreTrainedModel]) -> LossOf:
    """The same loss, compiled; short rows on a CPU use the attention that fuses best."""
    fused = torch.compile(loss_of, dynamic=False)
    on_cpu = models[0].device.type == "cpu"

    def fast_loss_of(rows: torch.Tensor) -> torch.Tensor:
        wanted = "eager" if on_cpu and rows.shape[1] <= 513 else "sdpa"
        for model in models:
            if model.config._attn_implementation != wanted:
                model.set_attn_implementation(wanted)
        return fused(rows)

    return fast_loss_of
