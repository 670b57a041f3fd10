// The pointer: a number in [0, 1) for each position of a text, the twin of `uniform_at` in
// model/draw.py to the last bit. A function of seed and position alone (splitmix64's mixer, applied to
// the seed and then to the seed's stream at `position`), so that no rewind, fork or forced token can
// disturb it.

const GOLDEN = 0x9E3779B97F4A7C15n;

/** 53 random bits as a number in [0, 1). @param {number} seed @param {number} position */
export function uniformAt(seed, position) {
  const stream = mix(BigInt(seed) + GOLDEN);
  return Number(mix(stream + BigInt(position + 1) * GOLDEN) >> 11n) / 2 ** 53;
}

/** Scrambles 64 bits (Steele, Lea and Flood 2014, variant 13 of Stafford). @param {bigint} number */
function mix(number) {
  number = BigInt.asUintN(64, number);
  number = BigInt.asUintN(64, (number ^ (number >> 30n)) * 0xBF58476D1CE4E5B9n);
  number = BigInt.asUintN(64, (number ^ (number >> 27n)) * 0x94D049BB133111EBn);
  return number ^ (number >> 31n);
}
