import { reachRevision } from './reach-revision.ts';

export const graphActions = {
  'graph.reach': reachRevision,
};
