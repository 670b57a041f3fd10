// The model: storyteller's forward pass, a Llama (2302.13971), in plain loops. Every product is named.
// Sums are taken in float64, what is kept is float32. Knows neither text nor sampling.

/** The weights, and the one thing that is done with them. */
export class Llama {
  /**
   * @param {LlamaConfig} config as it lies beside the weights
   * @param {Record<string, Tensor>} weights by name
   */
  constructor(config, weights) {
    this.config = config;
    this.weights = weights;
    /** Is told how far a pass is, as a share of its layers. @type {(nTokens: number, share: number) => void} */
    this.heard = () => {};
  }

  /**
   * One pass: the model reads some tokens, of which the cache keeps keys and values.
   * @param {number[]} ids tokens behind those that the cache holds
   * @param {import("./kv_cache.js").KVCache} cache
   * @returns {Float32Array} (vocab,) the logits for the position after the last of them
   */
  forward(ids, cache) {
    const { num_hidden_layers: nLayers, rms_norm_eps: epsilon } = this.config;
    const tableOfTokens = this.weights["model.embed_tokens.weight"];

    // embed: each token is a row of the table
    const x = embed(tableOfTokens, ids);

    for (let layer = 0; layer < nLayers; layer++) {
      /** @param {string} name */
      const weight = (name) => this.weights[`model.layers.${layer}.${name}.weight`];

      // attend: each position looks back at all before it, through what the cache keeps of them
      const before = rmsNorm(x, weight("input_layernorm"), epsilon);
      const queries = linear(before, weight("self_attn.q_proj"));
      const keys = linear(before, weight("self_attn.k_proj"));
      const values = linear(before, weight("self_attn.v_proj"));
      rotate(queries, ids.length, cache.length, this.config);
      rotate(keys, ids.length, cache.length, this.config);
      cache.write(layer, keys, values);
      const attended = attention(queries, ids.length, cache, layer, this.config);
      add(x, linear(attended, weight("self_attn.o_proj")));

      // think: each position by itself, SwiGLU (2002.05202)
      const between = rmsNorm(x, weight("post_attention_layernorm"), epsilon);
      const gate = linear(between, weight("mlp.gate_proj"));
      const up = linear(between, weight("mlp.up_proj"));
      add(x, linear(swiglu(gate, up), weight("mlp.down_proj")));
      this.heard(ids.length, (layer + 1) / nLayers);
    }
    cache.advance(ids.length);

    // score: the last position is held against every row of the same table
    const last = x.subarray(x.length - this.config.hidden_size);
    return linear(rmsNorm(last, this.weights["model.norm.weight"], epsilon), tableOfTokens);
  }
}

/** The rows of the table at these ids, (n, width). @param {Tensor} table @param {number[]} ids */
export function embed({ shape: [, width], values }, ids) {
  const rows = new Float32Array(ids.length * width);
  ids.forEach((id, i) => rows.set(values.subarray(id * width, (id + 1) * width), i * width));
  return rows;
}

/**
 * Every row of x times the weight, (n, nIn) by (nOut, nIn): nearly all of the arithmetic is here.
 * @param {Float32Array} x
 * @param {Tensor} weight
 */
export function linear(x, { shape: [nOut, nIn], values }) {
  const n = x.length / nIn;
  const product = new Float32Array(n * nOut);
  // four rows of the weight at a time, so that each number of x is fetched once for four products
  for (let row = 0; row < nOut; row += 4) {
    const [a, b, c, d] = [row * nIn, (row + 1) * nIn, (row + 2) * nIn, (row + 3) * nIn];
    for (let i = 0; i < n; i++) {
      let [sumA, sumB, sumC, sumD] = [0, 0, 0, 0];
      for (let j = 0; j < nIn; j++) {
        const number = x[i * nIn + j];
        sumA += values[a + j] * number;
        sumB += values[b + j] * number;
        sumC += values[c + j] * number;
        sumD += values[d + j] * number;
      }
      const place = i * nOut + row;
      product[place] = sumA;
      product[place + 1] = sumB;
      product[place + 2] = sumC;
      product[place + 3] = sumD;
    }
  }
  return product;
}

/**
 * Each row of x, scaled to a mean square of 1 and by the weight (1910.07467).
 * @param {Float32Array} x
 * @param {Tensor} weight
 * @param {number} epsilon
 */
function rmsNorm(x, { shape: [width], values }, epsilon) {
  const normed = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += x[start + i] ** 2;
    const scale = 1 / Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) normed[start + i] = values[i] * Math.fround(x[start + i] * scale);
  }
  return normed;
}

/**
 * Turns each pair of a head's numbers by an angle that grows with the position (RoPE, 2104.09864).
 * @param {Float32Array} x
 * @param {number} n
 * @param {number} first
 * @param {LlamaConfig} config
 */
export function rotate(x, n, first, { head_dim: size, rope_parameters: { rope_theta: theta } }) {
  const half = size / 2;
  const width = x.length / n;
  for (let pair = 0; pair < half; pair++) {
    const speed = Math.fround(theta ** (-pair / half));
    for (let i = 0; i < n; i++) {
      const angle = Math.fround((first + i) * speed); // rounded as the model was trained
      const [cos, sin] = [Math.fround(Math.cos(angle)), Math.fround(Math.sin(angle))];
      for (let head = i * width; head < (i + 1) * width; head += size) {
        const [a, b] = [x[head + pair], x[head + pair + half]];
        x[head + pair] = a * cos - b * sin;
        x[head + pair + half] = b * cos + a * sin;
      }
    }
  }
}

/**
 * What each head of each new position takes from the positions up to its own. Several query heads
 * share a key head (grouped queries, 2305.13245).
 * @param {Float32Array} queries
 * @param {number} n
 * @param {import("./kv_cache.js").KVCache} cache
 * @param {number} layer
 * @param {LlamaConfig} config
 */
export function attention(queries, n, cache, layer, config) {
  const { num_attention_heads: nHeads, num_key_value_heads: nShared, head_dim: size } = config;
  const [keys, values] = [cache.keys[layer], cache.values[layer]];
  const attended = new Float32Array(queries.length);
  for (let i = 0; i < n; i++) {
    const nPositions = cache.length + i + 1; // the mask: nothing that comes later is seen
    for (let head = 0; head < nHeads; head++) {
      const from = (i * nHeads + head) * size;
      const shared = Math.floor(head / (nHeads / nShared)) * size;
      const scores = new Float64Array(nPositions);
      for (let at = 0; at < nPositions; at++) {
        const start = at * cache.width + shared;
        let product = 0;
        for (let j = 0; j < size; j++) product += queries[from + j] * keys[start + j];
        scores[at] = product / Math.sqrt(size);
      }
      softmax(scores);
      for (let at = 0; at < nPositions; at++) {
        const start = at * cache.width + shared;
        for (let j = 0; j < size; j++) attended[from + j] += scores[at] * values[start + j];
      }
    }
  }
  return attended;
}

/** Turns scores into shares of 1, in place. @param {Float64Array} scores */
function softmax(scores) {
  const best = scores.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += scores[i] = Math.exp(scores[i] - best);
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
}

/**
 * The gate opens and closes what comes up: silu(gate) times up.
 * @param {Float32Array} gate
 * @param {Float32Array} up
 */
function swiglu(gate, up) {
  return gate.map((number, i) => (number / (1 + Math.exp(-number))) * up[i]);
}

/** Adds to the residual stream, in place. @param {Float32Array} x @param {Float32Array} change */
function add(x, change) {
  for (let i = 0; i < x.length; i++) x[i] += change[i];
}
