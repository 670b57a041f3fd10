// The key-value cache: of every position that the model has read, its keys and values in each layer.
// What is cropped is overwritten by what comes next; a fork is a copy of what is in use.

const FIRST_CAPACITY = 64; // positions; storage doubles when it is full

export class KVCache {
  /** Positions that were read. */
  length = 0;
  capacity = 0;

  /** @param {LlamaConfig} config */
  constructor(config) {
    this.config = config;
    this.width = config.num_key_value_heads * config.head_dim; // numbers of one key, all heads
    const empty = () => Array.from({ length: config.num_hidden_layers }, () => new Float32Array(0));
    this.keys = empty(); // by layer, (capacity, width)
    this.values = empty();
  }

  /**
   * Writes keys and values of one layer, (n, width), behind what all layers hold.
   * @param {number} layer
   * @param {Float32Array} keys
   * @param {Float32Array} values
   */
  write(layer, keys, values) {
    this.reserve(this.length + keys.length / this.width);
    this.keys[layer].set(keys, this.length * this.width);
    this.values[layer].set(values, this.length * this.width);
  }

  /** Counts positions as read, once every layer holds them. @param {number} n */
  advance(n) {
    this.length += n;
  }

  /** Forgets all but the first positions. @param {number} nKept */
  crop(nKept) {
    this.length = Math.min(this.length, nKept);
  }

  /** An independent copy. */
  fork() {
    const twin = new KVCache(this.config);
    twin.length = this.length;
    twin.grow(this.length, this);
    return twin;
  }

  /** Bytes of the positions that were read. */
  get bytes() {
    return this.length * this.bytesPerToken;
  }

  /** Bytes of the storage behind them. */
  get bytesHeld() {
    return this.capacity * this.bytesPerToken;
  }

  get bytesPerToken() {
    return 2 * this.keys.length * this.width * Float32Array.BYTES_PER_ELEMENT;
  }

  /** @param {number} n */
  reserve(n) {
    let capacity = Math.max(FIRST_CAPACITY, this.capacity);
    while (capacity < n) capacity *= 2;
    if (capacity !== this.capacity) this.grow(capacity, this);
  }

  /** Takes new storage, and into it what a cache holds. @param {number} capacity @param {KVCache} source */
  grow(capacity, source) {
    const n = source.length * this.width;
    /** @param {Float32Array} from */
    const moved = (from) => {
      const to = new Float32Array(capacity * this.width);
      to.set(from.subarray(0, n));
      return to;
    };
    [this.keys, this.values] = [source.keys.map(moved), source.values.map(moved)];
    this.capacity = capacity;
  }
}
