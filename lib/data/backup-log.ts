import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A finished backup. `file`: its absolute path on the machine of the command; `bytes`: of the database. */
export type Backup = { savedAt: string; file: string; bytes: number; objects: number };

const stored = z.object({ savedAt: z.string(), file: z.string(), bytes: z.int(), objects: z.int() });

/** The maximum number of backups that a reader gets. */
const maxRead = 50;

/** One line of JSON for each backup, next to the data: a restored database has those that came after it too. */
const logOf = (dataDir: string): string => join(dataDir, 'backups.jsonl');

/** Records a finished backup of a DATA_DIR. */
export async function recordBackup(dataDir: string, backup: Backup): Promise<void> {
  await appendFile(logOf(dataDir), `${JSON.stringify(backup)}\n`, { mode: 0o600 });
}

/** The last 50 backups of a DATA_DIR, the newest first. A line that is cut off by a full disk is skipped. */
export async function readBackups(dataDir: string): Promise<Backup[]> {
  if (!existsSync(logOf(dataDir))) return [];
  const lines = (await readFile(logOf(dataDir), 'utf8')).split('\n').reverse();
  const backups = lines.flatMap((line) => parseLine(line) ?? []);
  return backups.slice(0, maxRead);
}

function parseLine(line: string): Backup | null {
  try {
    return stored.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
