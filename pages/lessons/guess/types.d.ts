// What pages/lessons/guess/board.py gives the board of the guessing game, for `deno check`.

interface GuessedRow {
  word: string;
  prob: number; // that the model gave it
  isTrue: boolean; // whether it came
  marks: [player: number, share: number][]; // of the players who named it
}
interface GuessedWord {
  position: number;
  number: number; // in its round
  said: string[]; // a sentence for each player, and one for the model
  hits: boolean[]; // whether a player named it
  rows: GuessedRow[];
  rest: number; // that the model gave all others
}
interface GuessBoard {
  text: { words: string; bits: number | null; isNamed: boolean }[]; // bits: null where nobody was asked
  nHidden: number;
  position: number; // of the token that is asked for
  offered: string[]; // words, as they are typed, one of which comes
  players: string[];
  unit: "percent" | "hands";
  stakes: { share: number; right: number; wrong: number }[]; // points
  number: number; // of the word in its round
  nWords: number; // of a round
  totals: { name: string; points: number; gain: number | null }[]; // gain: of the last word
  last: GuessedWord | null;
  rule: string; // what points are
  spread: string; // why those of the model and of a player differ
  others: string; // the name of all others
  covered: number[]; // shares of the likeliest, before anything was guessed
  end: string[]; // what is said of a round that is over: a headline, and what explains it
  best: number | null; // points of the best round before, of who plays alone
  isOver: boolean;
  isRoundOver: boolean;
  notice: string;
  model: string;
  isPresenting: boolean;
  isVeiled: boolean;
  saved: SavedGuesses;
}
/** What a reload begins with. */
interface SavedGuesses {
  model: string;
  played: unknown[];
}
