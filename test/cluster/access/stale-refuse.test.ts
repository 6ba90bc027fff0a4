import { describeStaleNode } from './stale.ts';

await describeStaleNode('refuse', 'UNAVAILABLE');
