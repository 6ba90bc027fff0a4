import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/stories.test.ts'));
