import type { Document } from '../bson/value.ts';
import type { Memory } from '../memory.ts';
import type { Pause } from '../slice.ts';

export type Documents = Iterable<Document | Pause>;

/** One step of a pipeline. */
export type Stage = {
  /** The top-level fields it looks at; undefined for all. */
  reads?: ReadonlySet<string> | undefined;
  /** What it holds until it ends is counted in `memory`. */
  run: (documents: Documents, memory: Memory) => Documents;
  /** For a stage that only counts: what it yields for so many documents. */
  ofCount?: (count: number) => Document[];
};
