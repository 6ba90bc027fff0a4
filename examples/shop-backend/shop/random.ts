import { createHash } from 'node:crypto';

/** Deterministic random numbers: the same name yields the same numbers, on every machine. */
export type Random = {
  /** A whole number from `least` to `most`, both included. */
  between: (least: number, most: number) => number;
  /** True with this probability. */
  happens: (probability: number) => boolean;
  pick: <T>(choices: readonly [T, ...T[]]) => T;
};

/** Creates a separate source per name, so that adding a customer does not change the others. */
export function createRandom(name: string): Random {
  const next = sfc32(createHash('sha256').update(name).digest());
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    happens: (probability) => next() < probability,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
  };
}

/** Chris Doty-Humphrey's small fast counter generator: 32-bit numbers in [0, 1). */
function sfc32(seed: Buffer): () => number {
  const state = new Uint32Array([seed.readUInt32LE(0), seed.readUInt32LE(4), seed.readUInt32LE(8), 1]);
  return () => {
    const [a = 0, b = 0, c = 0, counter = 0] = state;
    const mixed = (a + b + counter) >>> 0;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + mixed;
    state[3] = counter + 1;
    return mixed / 2 ** 32;
  };
}

const namespace = Buffer.from('5f0d3b5c1c0b4b0e9a3e2a7d6c4f8e91', 'hex');

/** Name-based UUID (RFC 9562, version 5): the same name is the same event, however often it is sent. */
export function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
