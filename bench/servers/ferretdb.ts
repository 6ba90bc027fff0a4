import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../processes.ts';

const run = promisify(execFile);
const servers = join(import.meta.dirname, '..', '..', '..', 'shared', 'servers');

export type Peer = { url: string; stop: () => Promise<void> };

/** FerretDB on SQLite: the one at TEST_MONGO_URL, else one started for this run; null where there is neither. */
export async function openFerretDb(): Promise<Peer | null> {
  const given = process.env.TEST_MONGO_URL;
  if (given) return { url: given, stop: async () => {} };
  const up = join(servers, 'up');
  if (!existsSync(up)) return null;
  const state = temporaryFolder();
  const { stdout } = await run(up, [state, 'mongo']);
  const url = /TEST_MONGO_URL=(\S+)/.exec(stdout)?.[1];
  if (!url) throw new Error(`FerretDB was started and did not say where: ${stdout}`);
  return { url, stop: async () => void (await run(join(servers, 'down'), [state])) };
}
