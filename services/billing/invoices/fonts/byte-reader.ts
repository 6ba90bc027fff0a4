/** Reads big-endian numbers of a buffer one after another; reading beyond its end throws a RangeError. */
export type ByteReader = {
  readonly at: number;
  u8: () => number;
  u16: () => number;
  i16: () => number;
  u32: () => number;
  /** `UIntBase128` of WOFF2 section 4.1: 7 bits a byte, at most five bytes. */
  base128: () => number;
  /** `255UInt16` of WOFF2 section 4.1: one to three bytes. */
  u255: () => number;
  take: (length: number) => Buffer;
};

/** A reader of `bytes` from `start` on. */
export function readerOf(bytes: Buffer, start = 0): ByteReader {
  let at = start;
  const step = (length: number): number => {
    at += length;
    return at - length;
  };
  const u8 = () => bytes.readUInt8(step(1));
  const u16 = () => bytes.readUInt16BE(step(2));
  return {
    get at() {
      return at;
    },
    u8,
    u16,
    i16: () => bytes.readInt16BE(step(2)),
    u32: () => bytes.readUInt32BE(step(4)),
    base128() {
      let value = 0;
      for (let index = 0; index < 5; index += 1) {
        const byte = u8();
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
      throw new RangeError('A number of a font is longer than five bytes.');
    },
    u255() {
      const code = u8();
      if (code === 253) return u16();
      if (code === 254) return 506 + u8();
      return code === 255 ? 253 + u8() : code;
    },
    take(length) {
      const from = step(length);
      if (at > bytes.length) throw new RangeError('A font ends too early.');
      return bytes.subarray(from, at);
    },
  };
}
