import { describeStaleNode } from './stale.ts';

await describeStaleNode('answer', true);
