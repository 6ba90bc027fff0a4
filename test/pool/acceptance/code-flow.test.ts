import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/code-flow.test.ts'));
