// What the scripts of the model in the page hand to one another, for `deno check`.

/** One pass of the model. */
interface GenerationPass {
  phase: Phase;
  seconds: number;
  n_input: number; // tokens that it read
  cache_tokens: number; // positions after it
  cache_bytes: number; // of these positions
  bytes_held: number; // of the storage behind them
  is_shared: boolean;
}
/** A generated token and what it was drawn from, in the words of `Steps`. */
interface GenerationStep extends GenerationPass {
  token_id: number;
  logprob: number;
  prob: number;
  rank: number;
  entropy: number;
  chosen_prob: number;
  memory: Memory;
  pointer: number;
  forced: boolean;
  top_id: number;
  top_prob: number;
}
/** What the page asks of the model's thread. */
type WorkerRequest =
  & { n: number }
  & (
    | { kind: "load"; said: [{ facts: PageFacts; weights: string }] }
    | { kind: "tokenise" | "read" | "step" | "logitsAt" | "weigh" | "score"; said: unknown[] }
  );
/** The library's tokenizer.json, as far as it is read. */
interface TokenizerFile {
  model: { vocab: Record<string, number>; merges: [string, string][] };
  added_tokens: { content: string; id: number }[];
  pre_tokenizer: { pretokenizers: { pattern: { Regex: string } }[] };
  post_processor: { special_tokens: Record<string, { ids: number[] }> };
}
/** A token of a text, with the characters that it completes. */
interface TokenPiece {
  id: number;
  label: string;
  bytes: number[];
  joined: string;
  special: boolean;
}
/** A tensor as the header of a safetensors file says it. */
interface TensorEntry {
  dtype: string;
  shape: number[];
  data_offsets: [from: number, to: number];
}
/** The guided lesson of the file: see pages/lessons/tour/in_file.py. */
interface FileLesson {
  scenes: Pick<FileScene, "reply" | "rows" | "query" | "light" | "cover">[]; // the same in every language
  texts: { // the English ones first
    tag: string;
    direction: string;
    title: string;
    scenes: Omit<FileScene, "reply" | "rows" | "query" | "light" | "cover" | "own">[];
  }[];
  checked: number[]; // indices of the scenes whose questions are asked again
  parts: Record<string, string>; // selectors by name
}
type Replies = Record<number, string>; // by index of the scene
interface FileScene {
  title: string;
  words: string;
  task?: string;
  rows?: string[]; // of a picture in cells
  query?: string; // of the text that it opens
  light?: string[]; // parts, by name
  cover?: string[];
  question: string;
  choices: string[];
  reply: string; // what is asked for where there are no choices
  right: string; // empty where nothing is
  answer: string;
  remember: string;
  own: Record<string, string>; // attributes of its language, if that is not the page's
}
