import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/conventions.test.ts'));
