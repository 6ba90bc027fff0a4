import type { Index } from '../store/catalog.ts';
import type { KeyRange } from './bounds.ts';

/** How candidates are read. Every plan yields a superset of the matches; the filter decides on each one. */
export type Plan =
  | { kind: 'collection'; backward: boolean; providesSort: boolean }
  | { kind: 'union'; plans: Plan[]; providesSort: false }
  | IndexPlan;

export type IndexPlan = {
  kind: 'index';
  index: Index;
  /** Disjoint and ascending. */
  ranges: KeyRange[];
  backward: boolean;
  providesSort: boolean;
  /** A document with an array can have several keys in the index. */
  mayRepeat: boolean;
  /** The ranges contain exactly the matches, so that counting keys counts documents. */
  isExact: boolean;
  /** Set for a plan that merges its ranges by the key bytes after a prefix: the prefix length of each range. */
  mergesFrom?: number[] | undefined;
  /** Each range is one whole key of a unique index and has at most one document. */
  isUniquePoint: boolean;
};

export type Hint = { kind: 'natural'; backward: boolean } | { kind: 'index'; index: Index };
