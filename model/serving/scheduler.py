"""The scheduler of a serving engine: who is in the next pass of a model that many share.

Iteration-level scheduling is Orca's (Yu et al., OSDI 2022), chunked prefill Sarathi's (arXiv
2308.16369). Passes are really run and timed; the clock is the sum of their seconds, so rows that
change places cost nothing here, as they cost nothing where the cache is paged. Tokens are greedy.
"""

from collections.abc import Sequence

from model.batch import Batch
from model.language_model import LanguageModel
from model.passes import Logits
from model.serving.blocks import count_blocks
from model.serving.records import EnginePass, Output, Policy, Request, ServingRun, State


class BatchLane:
    """A request on its way through the engine."""

    def __init__(self, request: Request) -> None:
        """Takes a request that has not arrived yet."""
        self.request = request
        self.ids = list(request.prompt_ids)  # the newest token is not in the cache yet
        self.times: list[float] = []  # of each written token
        self.n_preempted = 0
        self.is_done = False


class Scheduler:
    """Requests, the batch that they share, and a clock."""

    def __init__(self, lm: LanguageModel, requests: Sequence[Request], policy: Policy) -> None:
        """Takes the requests; the first `step` runs the first pass."""
        self.lm, self.policy, self.clock = lm, policy, 0.0
        self.lanes = [BatchLane(request) for request in requests]
        self.coming = sorted(self.lanes, key=lambda lane: lane.request.arrives)
        self.waiting: list[BatchLane] = []
        self.reading: list[BatchLane] = []  # admitted; their prompts are not read to the end
        self.running: list[BatchLane] = []  # the rows of the batch
        self.prompts, self.batch = Batch(lm), Batch(lm)
        self.passes: list[EnginePass] = []

    @property
    def is_done(self) -> bool:
        """Whether every request has all its tokens."""
        return all(lane.is_done for lane in self.lanes)

    def step(self) -> None:
        """Does what an engine does again and again: two passes at most."""
        # arrive: take in the requests that have come by now
        self.arrive()

        # admit: give free slots and free memory to those who waited longest
        self.admit()

        # prefill: read new prompts, or the next chunk of one
        self.prefill()

        # preempt: where the next tokens find no block, put the newest request out of memory
        self.preempt()

        # decode: write one token of every request in the batch
        self.decode()

        # evict: let those leave that are done
        self.evict()

    def arrive(self) -> None:
        """Takes in who has come; an engine without work waits for the next."""
        n_wanted = 1 if self.policy.is_continuous else self.policy.n_slots
        is_idle = not self.reading and not self.running
        while self.coming and is_idle and len(self.waiting) < n_wanted:
            self.clock = max(self.clock, self.coming[0].request.arrives)
            self.waiting.append(self.coming.pop(0))
        while self.coming and self.coming[0].request.arrives <= self.clock:
            self.waiting.append(self.coming.pop(0))

    def admit(self) -> None:
        """Lets requests in, first come, first served; a static batch only as a whole."""
        if not self.policy.is_continuous and self.running:
            return
        while self.waiting and len(self._active) < self.policy.n_slots:
            lane = self.waiting[0]
            # its text, and the first token that it will write
            if not self._fit([*self._active, lane], [*self._needs, len(lane.ids) + 1]):
                return
            self.reading.append(self.waiting.pop(0))

    def prefill(self) -> None:
        """Reads all new prompts together, or one chunk of the first."""
        chunk = self.policy.chunk
        group = self.reading[:1] if chunk else list(self.reading)
        if not group:
            return
        start = self.prompts.n_read
        rows = [lane.ids[start : start + chunk] if chunk else lane.ids for lane in group]
        seconds = self.prompts.read(rows)[1]
        self._record("prefill", group, seconds)
        if self.prompts.ids == [lane.ids for lane in group]:
            self._choose(group, self.prompts.logits)
            if self.running:
                self.batch.join([self.prompts])
            else:
                self.batch = self.prompts
            self.running += group
            self.reading, self.prompts = self.reading[len(group) :], Batch(self.lm)
            self.evict()

    def preempt(self) -> None:
        """Puts the newest requests out of memory until the others fit; they will be read again."""
        while len(self._active) > 1 and not self._fit(self._active, self._needs):
            lane = self._active[-1]
            if lane in self.running:
                self._keep([other is not lane for other in self.running])
            else:
                self.reading.remove(lane)
                self.prompts = self.prompts if self.reading else Batch(self.lm)
            lane.n_preempted += 1
            self.waiting.insert(0, lane)

    def decode(self) -> None:
        """Reads the newest token of each row, which gives the next of each."""
        if self.running:
            seconds = self.batch.append([lane.ids[-1] for lane in self.running])
            self._record("decode", self.running, seconds)
            self._choose(self.running, self.batch.logits)

    def evict(self) -> None:
        """Frees the slots of requests that are done; those of a static batch all at once."""
        is_over = [lane.is_done for lane in self.running]
        if any(is_over) and (self.policy.is_continuous or all(is_over)):
            self._keep([not over for over in is_over])

    def found(self) -> ServingRun:
        """Returns what has happened so far."""
        outputs = tuple(
            Output(
                tuple(lane.ids[len(lane.request.prompt_ids) :]), tuple(lane.times), lane.n_preempted
            )
            for lane in self.lanes
        )
        requests = tuple(lane.request for lane in self.lanes)
        return ServingRun(self.policy, requests, tuple(self.passes), outputs)

    @property
    def _active(self) -> list[BatchLane]:
        """Those in memory, the newest last."""
        return [*self.running, *self.reading]

    @property
    def _needs(self) -> list[int]:
        """Positions that each of them takes once its next token is read."""
        return [len(lane.ids) + (lane in self.reading) for lane in self._active]

    def _fit(self, lanes: Sequence[BatchLane], lengths: Sequence[int]) -> bool:
        policy = self.policy
        texts = [lane.ids for lane in lanes]
        n_needed = count_blocks(texts, lengths, shares_prefix=policy.shares_prefix)
        return not policy.n_blocks or n_needed <= policy.n_blocks

    def _choose(self, lanes: Sequence[BatchLane], logits: Logits) -> None:
        """Appends the best token of each row; a request that is done only holds its slot."""
        for lane, row in zip(lanes, logits, strict=True):
            if not lane.is_done:
                lane.ids.append(int(row.argmax()))
                lane.times.append(self.clock)
                is_last = len(lane.times) == lane.request.n_out
                lane.is_done = is_last or lane.ids[-1] in self.lm.end_ids

    def _keep(self, stays: Sequence[bool]) -> None:
        """Keeps some rows of the batch, and the columns that these need."""
        self.batch.reorder([row for row, stay in enumerate(stays) if stay])
        self.running = [lane for lane, stay in zip(self.running, stays, strict=True) if stay]
        if self.running:
            self.batch.join()

    def _record(self, kind: State, group: Sequence[BatchLane], seconds: float) -> None:
        """Moves the clock by a pass, and writes down what each request did meanwhile."""

        def state(lane: BatchLane) -> State:
            if lane in group:
                return "held" if lane.is_done else kind
            is_begun = lane in self.reading[:1] and bool(self.prompts.ids)
            if is_begun or lane in self.running:
                return "stalled"
            return "waiting" if lane in (*self.waiting, *self.reading) else ""

        def length(lane: BatchLane) -> int:
            has_unread = lane in self.running and lane not in group
            return len(lane.ids) - has_unread if lane in self._active else 0

        states, lengths = map(state, self.lanes), map(length, self.lanes)
        self.passes.append(EnginePass(self.clock, seconds, tuple(states), tuple(lengths)))
        self.clock += seconds
