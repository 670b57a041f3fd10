// What the server tells the pages of a room, for `deno check`: the records of model/classroom/records.py as JSON.

/** The language of a text that the room speaks. */
type Spoken = { lang: string; dir: string };
interface RoomQuestion {
  number: number; // of the room's questions, from 1
  kind: "next" | "sampler" | "choice" | "number";
  words: string; // one sentence
  options: string[]; // one for each button
  shares: number[]; // of "sampler": the probability of each option
  has_rest: boolean; // the last option is all tokens that have no segment of their own
  may_write: boolean; // a word of one's own is an answer, too
  spoken: Spoken | null; // of words and options; null: they are in the page's own language
  setting: string; // of "sampler": what shaped the bar
  is_open: boolean;
  seconds_left: number | null; // null: until the teacher closes it
}
interface RoomAnswer {
  option: number | null; // index of the button; null where a word was written
  word: string;
  confidence: number; // in (0, 1]
}
/** The question as one phone sees it. */
interface PhoneQuestion extends RoomQuestion {
  pointer: number | null; // of "sampler": this phone's, in [0, 1)
  mine: RoomAnswer | null;
  is_right: boolean | null; // null where it is not known
}
interface RoomPicture {
  lines: [part: string, role: string][][]; // texts; the role of a part may be empty
  bars: RoomDrawBar[];
  outcome: RoomOutcome | null; // bars in rows
  rows: string[]; // of cells, a letter each; a stroke stands between two pictures
  names: string[]; // of the two
}
interface RoomDrawBar {
  options: string[]; // what each segment says; empty ones are covered
  shares: number[]; // their probabilities
  has_rest: boolean; // the last one is all tokens that have no segment of their own
  name: string;
  cut: number | null; // where a line stands: what begins behind it is out
  of: string; // the text after which it is drawn
  setting: string; // what shaped it
  pointers: number[]; // that fell on it
}
interface RoomScene {
  title: string;
  words: string;
  address: string; // of its page, from the app's first page on
  picture: RoomPicture;
  premise: string; // stands above the question
  is_page_shown: boolean; // on the projector
  is_end: boolean; // the last one, with what to remember
  remembered: Remembered[]; // the lesson's first, then what surprised most
  spoken: Spoken | null; // of title and words
}
/** A sentence to remember, and what this class answered to its question. */
interface Remembered {
  words: string;
  question: string;
  bar: RoomBar | null; // without a value: of numbers; null: nobody answered
  rows: string[]; // of cells, in place of the bar
}
interface RoomBar {
  label: string;
  values: number[]; // by series, from 0 to 1
  texts: string[]; // behind each bar
  is_marked: boolean; // it is right
  is_drawn: boolean; // it came
  is_rest: boolean; // all that has no bar of its own
}
/** Numbers along a line; all positions are from 0 to 1. */
interface RoomDots {
  dots: [position: number, height: number, series: number][];
  marks: [words: string, position: number, role: string][];
  ticks: [position: number, number: string][];
  piles: [position: number, height: number, count: string][];
  beyond: [before: string, behind: string]; // what lies far behind each end; empty where nothing does
}
/** How a closed question was answered. */
interface RoomOutcome {
  series: RoomSeries;
  bars: RoomBar[];
  dots: RoomDots | null;
  words: string;
}
type RoomSeries = [name: string, role: string][]; // a role of the palette

/** What every page of a room is told. */
interface RoomState<Question extends RoomQuestion = RoomQuestion> {
  version: string;
  text: string;
  scene: RoomScene | null;
  question: Question | null;
  outcome: RoomOutcome | null;
  revealed: string;
  explained: string; // what to remember of it, once it was revealed
  closing: RoomClosing | null; // once its teacher has closed the room
}
/** What a room came to that was closed. */
interface RoomClosing {
  n_questions: number;
  n_phones: number;
  lesson: string; // name of its script
}
interface PhoneState extends RoomState<PhoneQuestion> {
  link: string; // by which the text is taken over
  right: string; // once it was revealed
}
interface ProjectorState extends RoomState {
  n_answers: number;
  n_people: number;
  pointers: number[]; // those of all phones, once the question is closed
  has_begun: boolean; // a question was asked
  desk: Spoken | null; // its language
}
/** What the desk is told: see view() in desk.py. */
interface DeskState extends ProjectorState {
  n_presses: number; // done so far
  prompt: string;
  thinking: string[]; // names of who has not answered; some are empty
  script: { name: string; title: string; spoken: Spoken; fault: string; items: ScriptItem[] } | null;
  place: number; // index of the item that was asked last
  seconds: number; // since the script's first
  minutes_planned: number; // to the end of that item
  minutes_before: number; // and to its beginning
  minutes_in_all: number;
  right: string;
  about: string;
  can_close: boolean;
  can_reveal: boolean;
  can_ask_again: boolean;
  can_append: Partial<Record<AppendKind, string>>; // the word of each
  can_go_back: boolean;
  is_revealed: boolean;
  is_beside: boolean; // Reveal shows the class beside the model
  can_count: boolean;
  written: [word: string, count: number][];
  advice: string;
  recommended: string; // what the advice says to press; empty for the next question
  has_page: boolean; // the scene's page shows more than the room does
  lessons?: [name: string, title: string][]; // for a fresh page
  is_late?: boolean; // of the answer to a press: another press came first
}
type AppendKind = "draw" | "favourite" | "true";
interface ScriptItem {
  number: number; // of the scene
  title: string;
  question: string;
  note: string;
  is_own: boolean; // the question is the scene's, in the lesson's language
  right: string;
}
/** A button of the desk: its words, what it asks the server to do, and with what. */
type DeskButton = [words: string, press: string, fields?: Record<string, unknown>];

/** What check.py answers. */
interface CheckState {
  now: number; // seconds since 1970, by the server's clock
  address: string; // for the phones
  remedy: string | null; // null where phones reach it
  picture: string | null; // QR code of the address
  n_devices: number;
  faults: Record<string, number>; // devices by the check that failed
}
/** What a check found out, in words, and the remedy where it failed. */
type Checked = [words: string, remedy: string | null];

/** Elements of these pages that are more than an HTMLElement, by id. */
interface RoomElements {
  code: HTMLInputElement;
  name: HTMLInputElement;
  word: HTMLInputElement;
  over: HTMLAnchorElement;
  onward: HTMLAnchorElement;
  projector: HTMLAnchorElement;
  seconds: HTMLInputElement;
  lessons: HTMLSelectElement;
  words: HTMLInputElement;
  options: HTMLTextAreaElement;
  truth: HTMLInputElement;
  prompt: HTMLTextAreaElement;
  continuation: HTMLTextAreaElement;
  page: HTMLIFrameElement;
  "by-hand": HTMLDetailsElement;
  else: HTMLDetailsElement;
  removing: HTMLDetailsElement;
  qr: HTMLImageElement;
  "may-write": HTMLInputElement;
  "hand-words": HTMLInputElement;
}
