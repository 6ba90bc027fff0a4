import type { Index } from '../store/catalog.ts';
import type { KeyRange } from './bounds.ts';

/** How candidates are read. Every plan yields a superset of the matches; the filter decides on each. */
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
  /** A document with an array can stand under several keys. */
  mayRepeat: boolean;
  /** The range holds the matches and nothing else, so that counting keys counts documents. */
  isExact: boolean;
  /**
   * Of a plan that reads its ranges at once, so that what follows a prefix of their keys is in order: how long the
   * prefix of each is.
   */
  mergesFrom?: number[] | undefined;
  /** Each range is one whole key of a unique index, so at most one document. */
  isUniquePoint: boolean;
};

export type Hint = { kind: 'natural'; backward: boolean } | { kind: 'index'; index: Index };
