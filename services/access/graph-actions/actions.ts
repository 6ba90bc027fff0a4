import { waitForRevision } from './reach-revision.ts';

export const graphActions = {
  'graph.reach': waitForRevision,
};
