import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/events.test.ts'));
