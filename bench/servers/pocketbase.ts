import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guard, plainEnvironment, stop, temporaryFolder } from '../processes.ts';
import { healthy } from './healthy.ts';
import { freePort } from './ports.ts';

const run = promisify(execFile);
const account = { identity: 'bench@example.com', password: 'a password of the bench' };

/** The token belongs to a superuser, whose record is read with each request, as the platform reads its key. */
export type PocketBase = { port: number; pid: number; token: string; stop: () => Promise<void> };

/**
 * Starts the program at POCKETBASE with a collection of the fields of an event and its unique index; null when it is
 * unset. It only syncs its log at a checkpoint, so a power loss can revert acknowledged writes.
 */
export async function startPocketBase(): Promise<PocketBase | null> {
  const program = process.env.POCKETBASE;
  if (!program) return null;
  const port = await freePort();
  const data = `--dir=${join(temporaryFolder(), 'pb_data')}`;
  const env = plainEnvironment();
  await run(program, ['superuser', 'upsert', account.identity, account.password, data], { env });
  const serve = ['serve', `--http=127.0.0.1:${port}`, data, '--automigrate=false'];
  const child = spawn(program, serve, { env, stdio: 'ignore' });
  guard(child);
  await healthy('PocketBase', `http://127.0.0.1:${port}/api/health`);
  const { token } = await post(port, '/api/collections/_superusers/auth-with-password', account);
  await post(port, '/api/collections', events, token);
  return { port, pid: child.pid ?? 0, token, stop: () => stop(child) };
}

const events = {
  name: 'events',
  type: 'base',
  fields: [
    ...['schemaVersion', 'tenantId', 'eventId', 'eventName'].map((name) => ({ name, type: 'text', required: true })),
    { name: 'occurredAt', type: 'date', required: true },
    ...['actor', 'source', 'payload'].map((name) => ({ name, type: 'json' })),
  ],
  indexes: ['CREATE UNIQUE INDEX events_event ON events (tenantId, eventId)'],
};

async function post(port: number, path: string, body: object, token?: string): Promise<{ token: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: token }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`PocketBase answered ${path} with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { token: string };
}
