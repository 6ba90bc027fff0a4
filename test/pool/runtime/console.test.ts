import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import { withDatabase } from '../../support/database.ts';
import { type Pool, startNode, startPool } from '../../support/platform.ts';

let pool: Pool;

beforeAll(async () => {
  pool = await startPool([
    { services: ['gateway', 'identity', 'access', 'billing'] },
    { services: ['context', 'mail', 'billing'] },
  ]);
});
afterAll(() => pool.stop());

/** Runs a command on the pool in a process of its own. */
async function run(...services: string[]): Promise<{ code: number | null; output: string }> {
  const node = startNode({ env: pool.env, services });
  const code = await node.exited;
  await node.stop();
  return { code, output: node.output().trim() };
}

test('a command runs on a pool without a terminal, and prints its answer alone', async () => {
  const { code, output } = await run('--console', '-c', 'platform-ready', '--json');
  const answer = JSON.parse(output);
  expect({ code, ok: answer.ok }).toEqual({ code: 0, ok: true });
  // Two nodes, and the one of the console.
  expect(answer.data).toHaveLength(3);
  expect(await run('-c', 'erasures')).toMatchObject({ code: 0, output: expect.stringMatching(/^access\./) });
});

test('the operations of the database are those of a node that is connected to it', async () => {
  expect(await run('-c', 'db:ops')).toMatchObject({ code: 0 });
  const { code, output } = await run('-c', 'db:kill 987654321', '--yes');
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('There is no operation 987654321') });
});

test('what changes is recorded in the database of the pool', async () => {
  const { orgId, adminEmail } = pool.firstRun;
  expect(await run('-c', `identity:trust ${orgId}`)).toMatchObject({ code: 2 });
  expect(await run('-c', `identity:trust ${orgId}`, '--yes', '--as', adminEmail)).toMatchObject({ code: 0 });
  const records = await withDatabase(pool.databaseUrl, (database) =>
    database.collection<AuditRecordDocument>('identity_audit_records').find({ orgId }).toArray(),
  );
  expect(records.filter(({ action }) => action === 'operator.command')).toMatchObject([
    { actor: { type: 'user' }, target: { type: 'command', id: 'identity:trust' }, after: { arguments: orgId } },
  ]);
});

test('a command that no running service declares is refused', async () => {
  const { code, output } = await run('-c', 'notify:queue');
  const refusal = 'COMMAND_INVALID: No command notify:queue, and no running service declares it; help lists all.';
  expect({ code, output }).toEqual({ code: 1, output: refusal });
});
