import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';

let platform: Platform;
let client: Client;

beforeAll(async () => {
  platform = await startPlatform();
  client = clientOf({ url: platform.url, ...(await createTenant(await databaseUrlOf(platform))) });
});
afterAll(() => platform.stop());

/** As a machine that sleeps, or has no processor for the process. */
async function pause(milliseconds: number): Promise<void> {
  process.kill(platform.pid, 'SIGSTOP');
  await wait(milliseconds);
  process.kill(platform.pid, 'SIGCONT');
}

// Longer than the driver's heartbeat may be away, and than access may not have looked for changes.
test.each([3_000, 7_000])(
  'a process that stood still for %i ms answers what it is asked then',
  async (milliseconds) => {
    const ask = () => client.send('GET', '/v1/story/customers/nobody');
    expect((await ask()).status).toBe(404);
    const during = wait(milliseconds - 200).then(() => Promise.all([ask(), ask(), ask()]));
    await pause(milliseconds);
    const after = await Promise.all([ask(), ask(), ask()]);
    const answers = [...(await during), ...after, await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  },
);
