// What Python says to the page, and what the scripts hand to one another, for `deno check`. What it is
// all for, pages/home/live/PROTOCOL.md says.

declare var __ottTimings: Timing[];
declare var __ottEvents: LoopEvent[];
declare var oneToken: ReturnType<typeof import("../../home/live/session/program.js").createProgram>;

type Labels = Readonly<Record<number, string>>; // visible text by id
type Label = (id: number) => string;
type Numbers = Float32Array | Int32Array;
type Arrays = Record<string, Numbers>;
type Phase = "prefill" | "decode";
type Finish = "eos" | "stop" | "length";
type BeatName = "read" | "score" | "cut" | "draw" | "append";
type StageOfLoop = "idle" | BeatName;
/** When a press was seen, in milliseconds of `performance.now()`, by what was seen. */
interface Timing {
  kind: string;
  [mark: string]: number | string;
}

/** A language, as pages/frame/words.py hands it to browsers. */
interface Catalogue {
  tag: string;
  direction: "ltr" | "rtl";
  decimal: string;
  group: string;
  percent: string; // what follows the number
  minGrouped: number; // digits from which thousands are grouped
  plurals: Record<string, number>; // the form of a message for each of CLDR's categories
  messages: Record<string, string | string[]>;
}

/** A part of the page: built once, and told what to show at every frame. */
interface Part<Told extends unknown[] = [View]> {
  element: HTMLElement;
  update(...told: Told): void;
}

type Actions = ReturnType<typeof import("../../home/live/actions.js").createActions>;

/** What Streamlit calls a component with. */
interface Component<Data = any> {
  data: Data;
  parentElement: ShadowRoot;
  setTriggerValue(name: string, value: unknown): void;
  setStateValue(name: string, value: unknown): void;
}

// ---- settings

type SettingName = keyof typeof import("./settings.js").SETTINGS;
type Values = Record<SettingName, number>;
type Settings = Values & { order: SettingName[] };
type Controls = Values & { use: string[]; greedy: boolean; order: string };

// ---- what a figure asks of the session, and the session of an engine (pages/home/live/PROTOCOL.md)

/** All that the page shows, whole. */
interface State {
  header: Header;
  arrays: Arrays; // of `distribution`, and of `inspect` with `inspect_` before their names
}
/** What the person did. The page hands over one event at a time, and the next once it is answered. */
interface LoopEvent {
  kind: string; // a row of the table in PROTOCOL.md; "state" changes nothing
  branch: number | null; // the text on the screen; an event of another text changes nothing
  controls?: Controls; // the sliders at the moment of the press
  [field: string]: any;
}
/** A reader's session, as the live component knows it. */
interface LiveSession {
  /** Does what an event asks; rejects with an AbortError if it was cancelled. */
  answer(event: LoopEvent): Promise<State>;
  /** Says whom to tell: the page then asks for the "state", or shows the trouble. */
  listen(page: SessionListener): void;
  /** One sentence while an answer does not come; null while all is well. */
  trouble: string | null;
  /** How far the pass is that an answer waits for, where it takes long. */
  reading: PassProgress | null;
  /** Presses that a reload cut off, handed out once: they are pressed again. */
  takeCutOff(): LoopEvent[];
  /** Tries at once what it would try later. */
  retry(): void;
  /** Gives up the event that is under way. */
  cancel(): void;
  /** The hand rests: what takes its time may be done now. */
  rest(): void;
  close(): void;
}
interface SessionListener {
  changed(): void; // the state is another one, and no event of this page made it so
  troubled(): void; // `trouble` or `reading` has changed
  waiting?(): LoopEvent[]; // presses that were not handed over yet
}
/** How far a pass over a prompt is. */
interface PassProgress {
  nTokens: number;
  share: number; // of its layers
}
/** The page around a session. */
interface SessionHost {
  /** Is told after every event. */
  changed?(session: import("../../home/live/session/session.js").Session): void;
  /** Loads another model, if this page can. */
  wantsModel?(name: string): void;
  /** Whether the model that is here is the one that a link asks for by this name. */
  isModel?(name: string): boolean;
  /** Says that a link's model cannot be had here. */
  otherModel?(name: string): string;
}
/** What runs a model, or ran it: the server, the page's own thread, a recording. Its names are Generation's. */
interface Engine {
  open(): Promise<Facts>;
  /** Takes a text apart; with ids, which a chat template gave earlier, those, and whether they differ now. */
  tokenise(text: string, chat: boolean, ids?: number[]): Promise<TextApart>;
  /** Reads a text, as far as the engine has not read it. */
  read(text: TextRequest): Promise<Reading>;
  /** Appends tokens. */
  step(text: TextRequest, how: StepRequest): Promise<Reading>;
  /** What the token at a position was drawn from, or a prompt's is held against. */
  logitsAt(text: TextRequest, position: number): Promise<{ described: Described; arrays: Arrays }>;
  /** Weighs a guess of the next token. */
  weigh(text: TextRequest, guess: string): Promise<Guess>;
  /** A word with the log-probability of each of its tokens at a position. */
  score(text: TextRequest, word: string, position: number): Promise<Scored>;
  /** Kinds of files that it writes of a run, and what writes one. */
  file?(text: TextRequest, run: Record<string, any>): Promise<string>;
  fixed?: string; // why other settings change nothing of what follows
  listen?(said: () => void): void; // `trouble` or `reading` has changed
  trouble?: string | null;
  reading?: PassProgress | null;
  retry?(): void;
  cancel?(): void;
}
interface TextApart {
  ids: number[];
  pieces: Piece[];
  notice?: string | null; // why the chat template gives other ids now
}
/** One text, and the settings under which it goes on: all that a request is about. */
interface TextRequest {
  number: number; // of the text, among those of the page
  ids: number[]; // prompt and generated
  n_prompt: number;
  memory: Memory; // as of the end of these ids
  controls: Controls;
  seed: number; // of the pointers
  stop: string[]; // strings that end the text
}
interface StepRequest {
  token_id: number | null; // that is forced
  count: number; // of tokens to append
  next_seed: number; // of the pointer after them
}
/** The text as it stands after a request, and what it took to get there. */
interface Reading {
  // columns of the tokens that were appended: those of `Steps`, `id`, `memory`; of a recording `choice`, too
  rows: Record<string, any[]>;
  joined: Record<string, string>;
  next_id: number | null; // that Next will append under these settings and that seed
  finished: Finish | "recorded" | null;
  stopped_by: string | null; // the stop string that the last token completes
  memory: Memory; // for the next token
  pass: PassColumns; // the newest
  bytes_held: number; // of the storage behind the cache
  n_kept: number; // positions that were in the cache
  n_read: number; // positions that were read
  seconds: number; // of the passes that read them
  distribution: Described | null; // null where a recording has none
  notice: string | null;
  text?: string; // without special tokens, of the model in the page
  controls?: Controls; // of a recording: with which its next token was drawn
  arrays: Arrays;
}
/** A pass, in the words of the columns. */
interface PassColumns extends Timed {
  cache_tokens: number;
  bytes: number;
}
/** How one token came about: enough to choose it again. */
interface Choice {
  seed: number;
  controls: Controls;
  tokenId: number;
  forced: boolean;
  how: string; // seed and controls, as a link says them
}
/** What a link asks for. */
interface Link {
  model: string;
  prompt: string;
  ids?: number[] | null; // that its chat template gave
  seed: number;
  chat?: boolean;
  controls: Controls;
  stop?: string[];
  choices: LinkChoice[];
  problems: string[]; // what of it cannot be read
}
/** A choice as the run of a link says it. */
interface LinkChoice {
  seed: number;
  controls: Controls;
  tokenId: number | null; // that is forced
  forced: boolean;
}

// ---- what a state says: every field of it, and no other (tests/home/test_protocol.py)

interface Header {
  branch: number; // of the text that is written
  next_id: number | null; // that Next will append; null where the text is finished
  pointer: number; // the pointer of the next position, in [0, 1): shown once Next is pressed, or to who peeks
  prompt: string; // as it was typed
  ids: number[]; // the text, prompt and generated
  n_prompt: number; // how many of them are the prompt
  joined: Record<string, string>; // by position, the characters that are complete only with that token
  finished: Finish | "recorded" | null; // "recorded": in a saved page
  stopped_by: string | null; // the stop string that the last token completes
  stop: string[]; // strings that end a text
  logprob: number; // of what was generated, in nats, at temperature 1
  memory: Memory; // for the next token
  model: Model;
  steps: Steps;
  timing: Timed;
  reading: Pick<Reading, "n_kept" | "n_read" | "seconds">; // what the newest request took
  cache: Cache;
  controls: Controls;
  orders: Record<string, string[]>; // stage names by engine
  distribution: Described | null; // of the next position
  inspect: Inspected | null; // the position that is looked back at
  branches: Branch[]; // the other texts that are kept
  pieces: Piece[]; // the text in the prompt's field
  pieces_of: string; // that text
  guess: Guess | null; // what the reader expects next
  word: Word | null; // whose probability the reader follows
  code: Code; // the function that ran
  terms: Record<string, string>; // what the glossary says of them
  trained_on: TrainedOn | null; // null where it is not known
  hide_bars: boolean; // the reader wants to predict first
  presenter: boolean; // it is read from the back row
  notice: Notice | null;
  seed: number; // of the pointers of the tokens to come
  chat: boolean; // whether the model's chat template stands around the prompt
  address: string; // what a link to this text begins with: model and controls; empty where it has none
}
/** What the model was trained on, for whoever writes another language. */
interface TrainedOn {
  bytes_per_token: number;
  other: OtherModel | null; // that has read many languages; null where readers may not open it
}
interface OtherModel {
  name: string;
  n_parameters: number;
  bytes: number; // of its files
  licence: string;
  address: string; // of the page that opens it; empty in a file
}
/** What mirostat remembers of a text: see memory.js. */
interface Memory {
  target: number; // bits of surprise that a token is to have on average; 0 where it is off
  mu: number; // bits: a token with more surprise is masked
}
interface Model {
  name: string;
  labels: string; // where the labels of its tokens are served
  n_parameters: number;
  vocab_size: number; // width of the logits
  device: string;
  dtype: string;
  bos_id: number | null; // begins a text
  end_ids?: number[]; // each ends a text
  has_chat_template: boolean;
}
/** A list for each column, an entry for each generated token; the pass is what made its distribution. */
interface Steps {
  logprob: number[]; // in nats, at temperature 1
  prob: number[]; // at temperature 1
  rank: number[]; // 0 is the best
  entropy: number[]; // of the distribution at temperature 1, in nats
  chosen_prob: number[]; // after the masks; 0 where they exclude it
  pointer: number[]; // the pointer that fell there, in [0, 1)
  forced: boolean[]; // by the reader
  top_id: number[]; // the best token
  top_prob: number[]; // at temperature 1
  phase: Phase[];
  n_input: number[]; // tokens that the pass read
  cache_tokens: number[]; // positions after it
  bytes: number[]; // of these positions
  seconds: number[];
  is_shared: boolean[]; // others were served meanwhile
  how: string[]; // seed and controls of the draw, as a link says them: "seed:0~temperature:1.2"
}
/** The newest pass. */
interface Timed {
  phase: Phase;
  seconds: number;
  n_input: number; // tokens that it read
  is_shared: boolean; // others were served meanwhile
}
/** After the newest pass. */
interface Cache {
  tokens: number; // positions
  bytes: number; // of these positions
  bytes_held: number; // of the storage behind them
  n_layers: number; // that keep one
  n_kv_heads: number; // per layer
  head_dim: number; // numbers per head
  bytes_per_number: number; // by the dtype
  bytes_per_token: number; // over all layers
  sliding_window: number | null; // positions that a sliding layer keeps; null without
}
/** Its arrays are `logits`; above 65,536 entries `ids`, `tail_counts`, `tail_logits`, `tail_variances` too. */
interface Described {
  n_vocab: number; // entries that it stands for
  n_unsent: number; // of them, those that a server left out
}
/** Its arrays begin with `inspect_`. */
interface Inspected extends Described {
  position: number; // in the text
  token_id: number; // that was chosen there
  pointer: number | null; // that fell there; null in the prompt
  forced: boolean; // by the reader
  memory: Memory; // that it was drawn with
  settings: Settings; // that were active
}
interface Branch {
  id: number;
  ids: number[];
  joined: Record<string, string>;
  logprob: number;
  query: string; // its prompt, seed, template, run and forced tokens, as a link says them
}
interface Piece {
  id: number;
  label: string; // its visible text
  bytes: string; // in hexadecimal
  joined: string; // the characters that it completes
  special: boolean;
}
interface Guess {
  text: string; // as it was written
  label: string; // of its first token
  rank: number; // 0 is the model's best
  prob: number; // at temperature 1
  n_tokens: number; // that the guess is made of
}
/** A word that the reader asked for, token by token. */
interface Scored {
  text: string; // as it was written
  ids: number[];
  logprobs: number[]; // of each after those before it, at temperature 1; empty where nothing was read
}
/** The word that is followed while the reader steps, and where it was scored. */
interface Word extends Scored {
  after: number[]; // the text that it was scored after
}
/** What is known of it at the position that is shown. */
interface WordFacts {
  title: string;
  rows: { name: string; share: number | null; words: string }[]; // null: the page cannot know
  note: string;
  isStale: boolean; // it was scored at another position
}
interface Code {
  name: string;
  file: string;
  first_line: number; // its number in the file
  numbers?: number[]; // of every line, where they are of two functions
  lines: string[];
  stages: Record<string, [number, number]>; // first and last line of each
}
interface Notice {
  kind: "error" | "info";
  text: string; // one sentence
}

/** What a tab keeps of all texts: see tab_record.js. */
interface TabRecord {
  address: string;
  model: string;
  controls: Controls;
  stop?: string[];
  active: number;
  branches: {
    id: number;
    ids: number[];
    columns: Record<string, any[]>;
    joined: Record<string, string>;
    query: string;
  }[];
  shown?: ShownReading | null; // of the active text; null where it is too large to keep
  cutOff?: LoopEvent[]; // presses that were not answered
}
/** What the engine said last of a text: all that the page shows without asking it. */
interface ShownReading {
  reading: Omit<Reading, "rows" | "arrays">;
  pass: PassColumns;
  arrays: Record<string, string>; // base64, by name
  isInt: string[]; // names of those that are no floats
}

/** The header of the sampling lesson's payload. */
interface LabHeader {
  ordersRead: string;
  labelsAt: string; // where the labels of the model's tokens are served
  labels: Labels | null; // of tokens that are no model's
  caption: string;
  text: string; // that the token would follow; empty: none
  nFirst: number;
  pointer: number; // that falls in every engine's pipeline
  presenter: boolean;
  isPicture: boolean; // whether the one picture is shown, by itself
  compares: boolean; // whether the engines' orders stand below the masks
  guided: boolean; // whether a guided lesson is followed
  waits: boolean; // whether the reader is to say something before the picture can be moved
  moves: "top_p" | "temperature"; // which slider of the picture the answer moves
  controls: LabControls;
  orders: Record<string, SettingName[]>; // stages by engine
  distribution: Described;
  arrays: { name: string; dtype: "f4" | "i4"; length: number }[];
}

/** The sliders of that lesson, those of its first picture, and whether the rarer masks are shown. */
type LabControls = Controls & { more: boolean; bar_temperature: number; bar_top_p: number };
/** What its parts show. */
interface LabView extends MaskView {
  header: LabHeader;
  distribution: Distribution;
  controls: LabControls;
  nShown: number; // masks
  label: Label;
}

/** A lane of a race: see pages/frame/race.py. */
interface RaceLane {
  name: string;
  parts: [number, string][]; // seconds at which each ends, and its role
  arrivals: number[]; // seconds at which each token was there
  texts: string[];
  pieces: [string, string, number][]; // words, their role, and how many tokens are there with them
  legend: [string, string][];
  block: string; // what stands below the bar
  note: string; // and large at its end, once all is there
}
interface RaceData {
  key: string;
  lanes: RaceLane[];
  slower: number;
  pace: string;
  waits: boolean;
  byTokens: boolean;
  firstDone: string;
  presenter: boolean;
}

/** What the browser is told of a guided lesson's scene: see pages/lessons/tour/bar.py. */
interface Scene {
  title: string;
  lang: string; // of the lesson's texts; empty if it is the page's
  dir: string;
  heading: string;
  page: string;
  parts: Record<string, string>; // selectors by name
  light: string[];
  cover: string[];
  press: string[]; // the parts that its task presses, until it is done
  is_open: boolean; // its question is not answered yet
  keeps: boolean; // the text of this scene is kept for the lesson's end
  lesson: string;
  number: number;
  answer: import("./record.js").Answer | null;
}
/** The list of guided lessons: which one has ended, and the languages of those that are not in the page's. */
interface LessonList {
  ended: string;
  foreign: Record<string, { lang: string; dir: string }>;
}

/** What `snowball` shows: see pages/lessons/snowball. */
interface Strip {
  prompt: string;
  original: string[];
  forced: (string | null)[];
  kl: (number | null)[]; // nats
  same: boolean[];
  place: number;
  presenter: boolean;
}

/** The header of the payload of all continuations; its arrays hold the texts that were opened. */
interface FuturesHeader {
  treeId: string; // of another prompt it is another
  nTexts: number; // that were opened
  nTokens: number; // of a continuation
  nVocab: number;
  endIds: number[]; // tokens that end a text
  labelsAt: string;
  prompt: string; // its end, as it was read
  position: number; // in the text, of the first token that follows
  order: SettingName[]; // of the stages
  homeLink: string; // to the first page with this prompt
  searchLink: string; // to a beam search of the same continuations
  runs: { name: string; ids: number[] }[]; // what the reader has written after it there
  beam: { kept: number[][] } | null; // texts, of every length, that a beam search kept
  view: FuturesView;
  waits: boolean; // the question is to be answered first
  guided: boolean; // by a lesson, which asks by itself
  cools: boolean; // the answer to a lesson is shown: the temperature falls
  presenter: boolean;
  arrays: { name: string; dtype: "f4" | "i4"; length: number }[];
}
/** What the reader sets on that page: Python keeps it, and a link says it. */
interface FuturesView {
  temperature: number;
  top_k: number;
  top_p: number;
  min_p: number;
  selected: number[]; // tokens of the text that is followed
  top: number[]; // tokens of the text that fills the width
  drops: number; // pointers that have fallen
  seed: number; // of the first of them
}
/** All that the parts of that page show. */
type FuturesShown = ReturnType<import("../../lessons/futures/futures.js").Futures["describe"]>;
interface FuturesActions {
  select(ids: number[]): void;
  zoom(ids: number[]): void;
  resized(width: number): void;
}
/** A text that pointers hit. */
interface FallenText {
  ids: number[];
  prob: number;
  places: number[]; // where each pointer fell, from 0 to 1
  isWhole: boolean; // false where one fell into what the page does not hold
}
/** A text after the prompt of which the next token's logits are here. */
interface OpenedText {
  parent: OpenedText | null;
  tokenId: number;
  depth: number;
  openedById: Map<number, OpenedText>;
  held: Parameters<typeof import("./masks.js").createDistribution>[0];
  distribution: Distribution | null;
}
interface FuturesTree {
  root: OpenedText;
  nTokens: number;
  endIds: Set<number>;
}
/** A piece of the icicle, its place and width from 0 to 1. */
interface IciclePiece {
  kind: "token" | "thin" | "closed"; // one token, tokens too narrow to be drawn, what was not opened
  depth: number; // tokens down to it, 1 for the first
  isLast: boolean; // nothing stands below it
  count: number; // tokens that it stands for
  from: number;
  width: number;
  ids: number[]; // of a token's own text, else of the text above
}

/** An event before it leaves the page: the fields depend on its kind. */
interface Entry extends EventFields {
  kind: string;
}
interface EventFields {
  timing?: Timing;
  token_id?: number | null;
  at?: number | null; // where the draw bar was pressed
  controls?: Controls;
  [field: string]: unknown;
}

// ---- what is drawn

/** What every figure is given: one plain record, made by view.js. */
interface View extends Position {
  header: Header;
  isBeforeDraw: boolean; // the pointer of this position has not fallen: none is shown
  toss: number; // the pointer of this position, also before the draw: XTC tosses with its later digits
  isPeeking: boolean; // the reader wants to see it all the same
  isHolding: boolean; // a finished step stays until the next press
  lastDrawn: DrawnStep | null; // what the end of the text was drawn from; null before the first
  drawnSteps: DrawnStep[]; // what was pressed last on this text, the newest last
  isDrawn: boolean; // the step that was just pressed is shown
  ids: number[];
  controls: Controls;
  orders: Record<string, string[]>; // stage names by engine
  settings: Settings;
  contextIds: number[];
  nPrompt: number;
  nConfirmed: number;
  labels: Labels;
  label: Label;
  stage: StageOfLoop;
  beat: number; // 1 to 5 while a step is played slowly, else 0
  isTold: boolean; // a step was played so to its end: its last sentence stays
  isSlow: boolean; // every step is played so
  guess: (Guess & { position: number }) | null; // of this position
  asksNewcomer: boolean; // nobody has pressed anything in this browser before
  isPaced: boolean;
  inspecting: number | null;
  isWhatIf: boolean;
  hidden: boolean;
  reasonAgainstNext: string | null;
  isPlaying: boolean;
  speed: number;
  notice: Notice | null;
  waitingFor: {
    nPressed: number; // steps
    isFinishing: boolean;
    trouble: string | null;
    reading: PassProgress | null;
  };
}
/** The position that the figures show. */
interface Position {
  distribution: Distribution | null;
  position: number;
  pointer: number | null;
  chosenId: number | null;
  forced: boolean;
  memory: Memory;
  settings: Settings | null;
}
/** What a finished step was drawn from. */
interface DrawnStep extends Omit<Position, "chosenId" | "forced"> {
  at?: number | null; // where a finger fell on it
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
/** One that ran when its token was made. */
interface TimedPass extends Pass {
  seconds: number;
}
/** A row of the worked table. */
interface StepRow extends TimedPass {
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
  inPlay: Weighed;
  rawStage: Stage;
}
/** A distribution before its tokens are weighed. */
type Unweighed = Omit<Distribution, "inPlay" | "rawStage">;
/** Says which of the tokens in play a mask keeps, of which each row stands for so many. */
type Keep = (tokens: Weighed, value: number, counts: Float64Array) => Uint8Array;
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
  scored: number; // its share before the masks cut
  hasPointer?: boolean;
  nKept?: number; // of all other tokens
  count?: number; // of all other tokens
  bound?: number; // 1: prob is at most this, -1: at least
}

/** How a cell shows: which of its shares, and what it takes of the axis where cells lie end to end. */
interface Look {
  share: "none" | "scored" | "prob";
  pieces: Span[] | null;
  start: number; // where it began before the cut
  isUncut?: boolean; // what stays shows its share before the cut, too
  was: "raw" | "scored" | null; // the share before this beat, beside the one that it has now
  changedBy: string; // what changes it, where that is said
}
/** What the column that is drawn from shows. */
interface Picture {
  cells: Cell[];
  pieces: Span[][];
  tokens: { id: number; rank: number }[];
  shown: { bars: HTMLElement[]; ghost: HTMLElement; number: HTMLElement; was: HTMLElement | null }[];
  isStairs: boolean; // end to end
  edge: { at: number; nOut: number; isWhole?: boolean } | null; // of top-p; whole: through all rows
}

// ---- the model in the page (pages/home/in_page)

interface Tensor {
  shape: number[]; // rows, and for a matrix columns
  values: Float32Array;
}
/** What config.json says of a Llama, as far as it is read. */
interface LlamaConfig {
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  hidden_size: number;
  rms_norm_eps: number;
  rope_parameters: { rope_theta: number };
  max_position_embeddings: number;
  eos_token_id: number;
}
/** What an engine says once of its model and of the app's settings: see pages/home/facts.py. */
interface Facts {
  model: Model;
  cache: Omit<Cache, "tokens" | "bytes" | "bytes_held">;
  code: Code;
  terms: Record<string, string>; // what the glossary says of them
  trained_on: TrainedOn | null; // null where it is not known
  dtype: string; // as a link has to say it
  orders: Record<string, string[]>; // stage names by engine
  prompt: string; // to begin with
  neutral: Values & { order: string };
  csv: { columns: string[]; formulas: string[] };
  fields: LinkField[];
  run: { count: LinkField; place: LinkField; token: LinkField; id: LinkField };
}
/** What pages/home/in_page_file.py puts beside the scripts. */
interface PageFacts extends Facts {
  config: LlamaConfig;
  tokenizer: TokenizerFile;
  labels: string[];
  query: string; // of the link that the file opens with
}
/** What a saved page holds: see pages/home/replay_page.py. */
interface Run {
  facts: Facts;
  prompt: string;
  ids: number[];
  n_prompt: number;
  seed: number;
  chat: boolean;
  pieces: Piece[]; // of the prompt
  rows: Record<string, any[]>;
  joined: Record<string, string>;
  passes: (PassColumns & { bytes_held: number })[]; // the prefill, then one for each token
  positions: string[]; // what each token was drawn from, packed
  finished: Finish | "recorded";
  stopped_by: string | null;
  labels: Labels;
  presenter: boolean;
  created: string;
  versions: Record<string, string>;
}
/** A setting of a link: its values, and the words in which others are refused. */
interface LinkField {
  name: string;
  label: string;
  kind: "text" | "whole" | "number" | "choice" | "several" | "switch";
  default: any;
  isControl: boolean;
  bounds: [number, number];
  least: number; // a number from 0 up to here is none of its values
  isWhole: boolean;
  options: string[];
  refusal: { source: string; values: Record<string, unknown> };
}

/** What the map of the sliders is made from. */
type MapView = Pick<View, "distribution" | "contextIds" | "nPrompt" | "settings" | "toss" | "memory">;

/** What one mask alone is computed from. */
type MaskView = MapView & Pick<View, "controls">;

/** The map as its worker answered, with what was asked of it. */
interface MapAnswer extends Omit<MapRequest, "maps"> {
  n: number; // of the request
  maps: MapPoints[]; // of this position's pointer, and of others
  survey: MapSurvey; // of the first
}
type SecondAxis = "top_p" | "min_p";
type MapAxis = "temperature" | SecondAxis;
/** What the worker of a map is asked, and a key that changes with all that the map depends on. */
interface MapRequest {
  distribution: Distribution | null;
  view: MapView;
  axis: SecondAxis;
  maps: { pointers: number[]; temperatures: number[]; limits: number[] }[];
  key: string;
}
/** Points of a map, by column, then by limit. */
interface MapPoints {
  rows: Int32Array[]; // of each pointer's token, -1 where the page cannot know it
  entropies: Float32Array; // nats
  nUp: number; // limits
}
type MapSurvey = ReturnType<typeof import("./lazy/slider_map_paint.js").surveyMap>;
type MapColours = Record<string, number[]>; // [red, green, blue] by role
/** What stands at one point: the row on which a pointer falls, and the entropy in nats. */
type MapPoint = (limit: number) => { draw: (pointer: number) => number; entropy: number };
/** Weights of tokens, best first, and their sums from the best on. */
interface MapSums {
  weights: Float64Array;
  ends: Float64Array;
  pulls: Float64Array;
  falling: Float64Array;
  into: Float64Array[];
}

/** What a reader may write. */
interface SamplerTask {
  title: string;
  name: "pick" | "process"; // of the function
  asks: string;
  code: string; // to begin with
  settings?: Partial<Values>; // of the mask that an exercise asks for
}
/** What a reader's own sampler is tried on. */
interface SamplerCase {
  input: Float64Array;
  pointers: number[] | null; // null: the function takes none
}
/** What it returned: NaN where that was neither a number nor a list as long as its input. */
interface SamplerOutcome {
  values: (number | Float64Array)[];
  isChanged: boolean; // whether it changed its input
}

/** A text that a reader's own sampler may write on. */
interface OwnText {
  /** What the next token is drawn from, by id; null where nothing can be written. */
  read(): { logits: Float64Array; probs: Float64Array; pointer: number; label: Label } | null;
  /** Appends a token as one that was chosen by hand; tells whether the page took it. */
  force(id: number): Promise<boolean>;
}
