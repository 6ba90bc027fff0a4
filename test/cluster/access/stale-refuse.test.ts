import { describeStaleNode } from './stale.ts';

await describeStaleNode(undefined, 'UNAVAILABLE');
