import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { visitorOf } from '../../support/pages.ts';
import { type NodeProcess, startNode } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

const url = `http://127.0.0.1:${freePort()}`;
let node: NodeProcess;

beforeAll(async () => {
  node = startNode({ env: { LOG_FORMAT: 'text', PORT: new URL(url).port, PUBLIC_URL: url, DEV_MAILBOX: 'yes' } });
  await until(() => node.output().includes('Log in '));
});
afterAll(() => node.stop());

test('a start on a terminal ends with the addresses to open and the way to log in, after what was logged', async () => {
  const file = join(node.dataDir, 'first-run.json');
  const { adminEmail } = JSON.parse(readFileSync(file, 'utf8')) as { adminEmail: string };
  const [, , mailbox = ''] =
    /runtime: ready .*\n\n {2}Console {3}(\S+)\/console\n {2}API docs {2}\1\/docs\n {2}Mailbox {3}(\S+)\n/.exec(
      node.output(),
    ) ?? [];
  expect(node.output()).toContain(`\n  Log in    as ${adminEmail}, with the password in ${file}\n`);
  expect(node.output()).not.toContain('.env');
  for (const address of [`${url}/docs`, mailbox]) {
    expect((await visitorOf(url).get(address.slice(url.length))).status).toBe(200);
  }
});
