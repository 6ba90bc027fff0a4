import type { Document } from '../bson/value.ts';
import type { Memory } from '../memory.ts';
import type { Pause } from '../slice.ts';

export type Documents = Iterable<Document | Pause>;

/** One stage of a pipeline. */
export type Stage = {
  /** Top-level fields that the stage reads; undefined for all. */
  reads?: ReadonlySet<string> | undefined;
  /** Runs the stage. Counts the documents that it buffers in `memory`. */
  run: (documents: Documents, memory: Memory) => Documents;
  /** Set for a stage that only counts: its output for `count` documents. */
  ofCount?: (count: number) => Document[];
};
