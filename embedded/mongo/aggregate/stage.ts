import type { Document } from '../bson/value.ts';

/** One step of a pipeline. */
export type Stage = {
  /** Holds all documents before it yields the first. */
  collects: boolean;
  /** The top-level fields it looks at; undefined for all. */
  reads?: ReadonlySet<string> | undefined;
  run: (documents: Iterable<Document>) => Iterable<Document>;
  /** For a stage that only counts: what it yields for so many documents. */
  ofCount?: (count: number) => Document[];
};
