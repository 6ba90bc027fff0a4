import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { verifyLog } from '../../../embedded/mongo/store/log-check.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { propertyCases } from '../../support/property-cases.ts';

const killings = Array.from({ length: propertyCases(12, 40) }, () => randomInt(1, 60));

/** How many transactions the file has. Closed, it has no log any more, as after a start of the server. */
function committedIn(path: string): number {
  const database = new DatabaseSync(path);
  const count = Number(database.prepare('SELECT count FROM commits').get()?.count);
  database.close();
  return count;
}

test(`the log of a killed process is never taken for a damaged one, killed after ${killings.join(', ')} commits`, async () => {
  const path = join(temporaryFolder(), 'data.db');
  for (const commits of killings) {
    const program = runProgram('churn-log.ts', [path]);
    await program.printed((_line, count) => count >= commits);
    await program.kill('SIGKILL');
    expect(() => verifyLog(path)).not.toThrow();
    expect(committedIn(path)).toBeGreaterThanOrEqual(Number(program.lines.at(-1)));
  }
}, 60_000);
