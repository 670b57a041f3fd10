// What the figures of the home page hand to one another, for `deno check`.

/** A view in which a distribution shows: what the bars are given. */
interface BarsView extends View {
  distribution: Distribution;
}
/** A segment of the draw bar: of one token, or of several thin ones together. */
interface BarSegment {
  id: number | null; // null: of several
  from: number; // of the bar, from 0 to 1
  width: number;
  count: number; // tokens
}
/** A step that was drawn or pressed, as the list of draws shows it. */
interface OneDraw {
  step: DrawnStep;
  n: number; // of the tokens written, from 1
  id: number;
  at: number | null; // where the pointer or the finger fell; null where a row was pressed
  parts: BarSegment[];
  forced: boolean;
  label: string;
  share: number; // of the bar
  widest: number; // the share of the widest piece
  isWidest: boolean;
  name: string; // in place of the number of its pass
  then: BarsView; // what it was drawn from
}
/** A token of the strip as it stands on the page. */
interface Chip {
  id: number;
  node: HTMLButtonElement;
  lineBreak: HTMLElement | null;
  label: string;
  isBytes: boolean;
  isSpecial: boolean;
  signature: string; // of what was written last
  joined: string; // the character that it completes
  isFolded: boolean; // into a block of lines
}
/** What the tip and the menu of a token say. */
interface TokenFacts {
  title: string;
  facts: [name: string, value: string, says?: string][]; // what the glossary says of its name
  note: string;
  canBranch: boolean;
}
/** What the figures of all passes are drawn from. */
interface PassFacts {
  passes: TimedPass[];
  decodes: number[]; // seconds of each decode pass
  first: TimedPass;
  cache: Cache;
  model: Model;
  nShared: number; // passes beside which others were served
  reading: Header["reading"];
}
/** A stretch of an axis. */
type Span = [from: number, to: number];

/** A column of the bars: a strategy. */
interface Column {
  name: string;
  title: string;
  says: string;
}
/** The stages that a cell of the bars is read from. */
interface StagesOfCell {
  stage: Stage; // the last one
  raw: Stage;
  scored: Stage; // the last one that has cut nothing
}
/** What a beat moves. */
interface Motion extends Picture {
  root: HTMLElement;
  view: View;
  result: Result;
}
/** What the strip keeps of what it shows. */
interface StripState {
  view: View | null;
  chips: Chip[];
  list: HTMLElement;
}
/** A column of the worked table: its title, where its numbers come from, and the text of a cell. */
interface TableField {
  title: string;
  source?: string;
  isNumber?: boolean;
  hasTokens?: boolean; // they may be long: a row has one line, the whole is said under the pointer
  read: (row: StepRow, label: Label, ids: number[]) => string;
}
/** A row of the worked table as it stands on the page. */
interface TableEntry {
  element: HTMLElement;
  row: StepRow;
  texts: string[]; // of its cells
  labels: Labels; // under which they were written
}
/** A figure of all passes. */
interface PassFigure {
  name: string;
  title: (facts: PassFacts) => string;
  axis: string;
  valueOf: (pass: TimedPass) => number;
  spansOf: (passes: TimedPass[]) => Span[];
  units: [size: number, unit: string][]; // the smallest first
  legend: (facts: PassFacts) => [prefill: string, decode: string];
  line: (facts: PassFacts) => PassLine | null;
  note: (facts: PassFacts) => string;
}
/** A straight line over the columns, dashed. */
interface PassLine {
  from: number;
  to: number;
  start: number; // height at `from`
  end: number;
}

// ---- pictures to save

type Attributes = Record<string, string | number>; // of an SVG element
/** The colours and faces of the page, by role. */
interface PageLook {
  colours: Record<string, string>;
  faces: Record<string, string>;
}
type PictureName = "step" | "beats" | "story";
type PictureForm = "SVG" | "PNG" | "moving";
/** The step that a picture shows: `rows` of it, the last one all other tokens. */
interface PictureStep {
  result: Result;
  cells: Cell[];
  pieces: Span[][];
  labels: string[];
  ids: number[]; // of the rows of one token
  edge: { at: number; nOut: number } | null; // top-p's limit, and how many rows lie behind it
  isStill: boolean; // greedy: nothing slides
}
/** What is seen of a step at a moment. */
interface PictureMoment {
  pieces: Span[][]; // what every row takes of the axis
  starts: number[]; // of the axis: where what is out lay before the cut, by row
  fade: number[]; // how far every row has faded
  ghosts: number[]; // opacity of the outline of what is out, by row
  edge: number; // opacity of top-p's limit
  bar: number; // opacity of the draw bar
  pointer: number | null; // how far it has come; null before it falls
  isScored: boolean;
}
/** Sizes of a picture, in pixels. */
interface PictureShape {
  width: number;
  label: number;
  number: number;
  row: number;
  type: number;
  text: number;
  nLines: number;
  nWords: number;
}
/** A token of the text as it stands on a line of a picture. */
interface PlacedToken {
  i: number; // position in the text
  label: string;
  x: number;
  width: number;
}
/** A frame of a picture that moves: the rectangle that has changed. */
interface PackedFrame {
  area: Area;
  ms: number;
  packed: Uint8Array;
}
interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
