/** Memory for the parts of uploads: buffers of one size, at most so many at a time. */
export type PartBuffers = {
  partBytes: number;
  /** Waits for a free buffer; callers are served in order. */
  take: () => Promise<Buffer>;
  giveBack: (buffer: Buffer) => void;
};

/** Creates buffers, each when it is first needed. They are used again, because large allocations are slow. */
export function createPartBuffers(partBytes: number, maxBuffers: number): PartBuffers {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let made = 0;
  return {
    partBytes,
    async take() {
      const buffer = free.pop();
      if (buffer) return buffer;
      if (made >= maxBuffers) return await new Promise((resolve) => waiting.push(resolve));
      made += 1;
      return Buffer.allocUnsafeSlow(partBytes);
    },
    giveBack(buffer) {
      const next = waiting.shift();
      if (next) next(buffer);
      else free.push(buffer);
    },
  };
}
