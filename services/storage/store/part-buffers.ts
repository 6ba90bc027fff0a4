/** A bounded pool of equally sized buffers for the parts of uploads. */
export type PartBuffers = {
  partBytes: number;
  /** Waits for a free buffer; callers are served in order. */
  take: () => Promise<Buffer>;
  giveBack: (buffer: Buffer) => void;
};

/** Creates a pool. Buffers are allocated on demand and reused, because large allocations are slow. */
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
