// What the scripts hand to one another, for `deno check`. Python's side of a header is described field
// by field in pages/home/live/PROTOCOL.md.

/** The joined style sheets, put before the scripts by pages/frame/component.py. */
declare const LIVE_CSS: string;

declare var __ottVocabulary: Record<string, Labels> | undefined;
declare var __ottPrefetched: Uint8Array | undefined;
declare var __ottTimings: Timing[];

type Labels = Readonly<Record<number, string>>; // visible text by id
type Label = (id: number) => string;
type Numbers = Float32Array | Int32Array;
type Arrays = Record<string, Numbers>;
type Phase = "prefill" | "decode";
type StageOfLoop = "idle" | "run" | "logits" | "mask" | "choose" | "append";
type Timing = Record<string, number> & { kind: string };

/** A part of the page: built once, and told what to show at every frame. */
interface Part<Told extends unknown[] = [View]> {
  element: HTMLElement;
  update(...told: Told): void;
}

type Actions = ReturnType<typeof import("../../home/live/actions.js").createActions>;
type MakePart = (actions?: Actions) => Part;

/** What Streamlit calls a component with. */
interface Component<Data = Payload | Uint8Array> {
  data: Data;
  parentElement: ShadowRoot;
  setTriggerValue(name: string, value: unknown): void;
}

interface Payload {
  header: Header;
  arrays: Arrays;
}

// ---- settings

type SettingName =
  | "temperature"
  | "top_k"
  | "top_p"
  | "min_p"
  | "typical_p"
  | "epsilon"
  | "eta"
  | "top_n_sigma"
  | "repetition_penalty"
  | "presence_penalty"
  | "frequency_penalty"
  | "dry"
  | "xtc";
type Values = Record<SettingName, number>;
type Settings = Values & { order: string[] };
type Controls = Values & { use: string[]; greedy: boolean; order: string };

// ---- a message, and the header of a state

/** The whole state, or the change to one that the page holds. */
interface Message {
  version: number;
  follows: number | null;
  base: number | null;
  whole?: Header;
  change?: { in?: Record<string, Change> };
  kept?: string[];
  arrays?: { name: string; dtype: "f4" | "i4"; length: number }[];
}
/** What becomes of a value: a plain one replaces it. */
type Change =
  | null
  | boolean
  | number
  | string
  | { set: unknown }
  | { keep: number; add: unknown[] | string }
  | { in: Record<string, Change> };
interface State {
  version: number;
  follows: number | null;
  header: Header;
  arrays: Arrays;
}

interface Header {
  ack: number;
  branch: number;
  next_id: number | null;
  coin: number;
  prompt: string;
  examples: string[];
  ids: number[];
  n_prompt: number;
  joined: Record<string, string>;
  finished: "eos" | "length" | "recorded" | null;
  logprob: number;
  model: { name: string; n_parameters: number; vocab_size: number; device: string; dtype: string };
  steps: Steps;
  timing: { phase: Phase; seconds: number; n_input: number; is_shared: boolean };
  cache: Cache;
  controls: Controls;
  orders: Record<string, string[]>;
  distribution: { n_vocab: number; n_unsent: number } | null;
  inspect: Inspected | null;
  branches: Branch[];
  pieces: Piece[];
  pieces_of: string;
  guess: { text: string; label: string; rank: number; prob: number; n_tokens: number } | null;
  code: Code;
  hide_bars: boolean;
  presenter: boolean;
  notice: Notice | null;
  link: string;
}
interface Steps {
  logprob: number[];
  prob: number[];
  rank: number[];
  entropy: number[];
  chosen_prob: number[];
  coin: number[];
  forced: boolean[];
  top_id: number[];
  top_prob: number[];
  phase: Phase[];
  n_input: number[];
  cache_tokens: number[];
  bytes: number[];
  seconds: number[];
  is_shared: boolean[];
}
interface Cache {
  tokens: number;
  bytes: number;
  bytes_held: number;
  n_layers: number;
  n_kv_heads: number;
  head_dim: number;
  bytes_per_number: number;
  bytes_per_token: number;
  sliding_window: number | null;
}
interface Inspected {
  n_vocab: number;
  n_unsent: number;
  position: number;
  token_id: number;
  coin: number | null;
  forced: boolean;
  settings: Settings;
}
interface Branch {
  id: number;
  ids: number[];
  n_common: number;
  joined: Record<string, string>;
  logprob: number;
  query: string;
}
/** What a tab keeps of all branches: see tab_record.js. */
interface TabRecord {
  ack: number;
  address: string;
  model: string;
  controls: Controls;
  active: number;
  branches: Pick<Branch, "id" | "ids" | "logprob" | "query">[];
}
interface Piece {
  id: number;
  label: string;
  bytes: string;
  joined: string;
  special: boolean;
}
interface Code {
  name: string;
  file: string;
  first_line: number;
  lines: string[];
  stages: Record<string, [number, number]>;
}
interface Notice {
  kind: "error" | "info";
  text: string;
}

/** The header of the sampling lesson's payload. */
interface LabHeader {
  ordersRead: string;
  model: string;
  labels: Labels | null;
  caption: string;
  nFirst: number;
  presenter: boolean;
  controls: Controls;
  orders: Record<string, string[]>;
  distribution: { n_vocab: number };
  arrays: Message["arrays"];
}

/** An event for Python before it is numbered: the fields depend on its kind. */
interface Entry {
  kind: string;
  timing?: Timing;
  token_id?: number;
  [field: string]: unknown;
}

// ---- what is drawn

/** What every figure is given: one plain record, made by view.js. */
interface View extends Position {
  header: Header;
  isBeforeDraw: boolean; // the coin of this position has not been tossed: none is shown
  toss: number; // the coin of this position, also before the draw: XTC tosses with its later digits
  isPeeking: boolean; // the reader wants to see it all the same
  isHolding: boolean; // a finished step stays until the next press
  isDrawn: boolean; // the step that was just pressed is shown
  ids: number[];
  controls: Controls;
  orders: Record<string, string[]>;
  settings: Settings;
  contextIds: number[];
  nPrompt: number;
  nConfirmed: number;
  labels: Labels;
  label: Label;
  stage: StageOfLoop;
  isPaced: boolean;
  inspecting: number | null;
  isWhatIf: boolean;
  hidden: boolean;
  reasonAgainstNext: string | null;
  isPlaying: boolean;
  speed: number;
  notice: Notice | null;
  waitingFor: { nNext: number; isFinishing: boolean; isLate: boolean };
}
/** The position that the figures show. */
interface Position {
  distribution: Distribution | null;
  position: number;
  coin: number | null;
  chosenId: number | null;
  forced: boolean;
  settings: Settings | null;
}
/** One pass of the model, as the loop and the figures of all passes speak of it. */
interface Pass {
  phase: Phase;
  seconds: number | null;
  nInput: number;
  isShared: boolean;
  tokens: number;
  bytes: number;
  hasKeys: boolean;
}
/** A row of the worked table. */
interface StepRow extends Pass {
  step: number;
  inputId: number;
  topId: number;
  topProb: number;
  tokenId: number;
  prob: number;
  sum: number;
  forced: boolean;
}

// ---- masks.js: all arrays are by row, a place in the one order of the raw logits

interface Distribution {
  nVocab: number;
  nRows: number;
  ids: Numbers;
  counts: Float64Array;
  variances: Float64Array;
  nUnsent: number; // that a server left out
  depth: number; // from the worst logit that is held down to what those share evenly
  rowById: Int32Array | null;
  inPlay?: Weighed;
  rawStage?: Stage;
}
/** The tokens still in play, best first. */
interface Tokens {
  rows: Int32Array;
  scores: Float64Array;
  scale: number; // of the scores: 1 over the temperature
  nUnheld: number;
}
interface Weighed extends Tokens {
  probs: Float64Array;
  entropy: number;
}
interface Stage {
  name: string;
  entropy: number;
  tail: {
    nBins: number;
    size: number;
    mass: number;
    bestScore: number;
    bestProb?: number;
    bound: number;
    isShared: boolean;
    doubt: number;
  };
  scores: Float64Array;
  probs: Float64Array;
  kept: Uint8Array;
  nKept: number;
  keptTail: number;
  removedMass: number;
  boundaryId: number | null;
  reachesTail: boolean;
}
/** What processLogits returns. */
interface Result {
  order: Int32Array;
  stages: Stage[];
  idOf(row: number): number;
  rowOf(id: number): number;
}
interface Drawn {
  id: number;
  from: number;
  to: number;
}
/** A cell of the bars. */
interface Cell {
  isHeld: boolean;
  isKept: boolean;
  prob: number;
  raw: number;
  hasCoin?: boolean;
  nKept?: number;
  bound?: number; // 1: prob is at most this, -1: at least
}
