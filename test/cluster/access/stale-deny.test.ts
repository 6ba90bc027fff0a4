import { describeStaleNode } from './stale.ts';

await describeStaleNode('deny', false);
