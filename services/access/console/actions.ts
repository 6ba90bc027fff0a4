import { describeGraph } from './describe-graph.ts';
import { whoCan } from './who-can.ts';
import { why } from './why.ts';

export const consoleActions = {
  'console.who-can': whoCan,
  'console.why': why,
  'console.graph': describeGraph,
};
