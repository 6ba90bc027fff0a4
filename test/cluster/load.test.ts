import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../support/http.ts';
import { startLoad, statusesOf } from '../support/load.ts';
import { type NodeProcess, startNode, urlOf } from '../support/platform.ts';
import { writeGreeter } from '../support/service-file.ts';
import { until } from '../support/until.ts';

const path = '/v1/greeting';
const versioned = (outcome: string) =>
  new RegExp(`^greeter was ${outcome} on worker\\. It runs in version [0-9a-f]{12} on worker\\.$`);
const servicesDir = mkdtempSync(join(tmpdir(), 'services-'));

describe('a service file, on a node of a running cluster,', () => {
  let cluster: NodeProcess;
  let url: string;

  beforeAll(async () => {
    cluster = startNode({
      entry: 'test/cluster/cluster.ts',
      env: { SERVICES_DIR: servicesDir, LOAD_TIMEOUT_SECONDS: '2', REQUIRED_SERVICES: 'gateway' },
    });
    url = await urlOf(cluster);
    await until(async () => (await send(url, { method: 'OPTIONS', path: '/operator' })).status === 204);
  });

  afterAll(async () => {
    await cluster.kill();
    rmSync(servicesDir, { recursive: true });
  });

  type Said = { said: string; refused: boolean };

  async function control(action: 'load' | 'unload', params: object, node = 'worker'): Promise<Said> {
    const body = JSON.stringify({ action, node, params });
    const headers = { 'Content-Type': 'application/json' };
    return (await send<Said>(url, { method: 'POST', path: '/operator', headers, body })).body;
  }
  const load = (file: string) => control('load', { file });
  const unload = (name: string) => control('unload', { name });
  const greeting = async () => (await send<{ greeting: string }>(url, { path })).body?.greeting;
  const documented = async () => {
    const { body } = await send<{ paths: object }>(url, { path: '/openapi.json' });
    return Object.hasOwn(body.paths, path);
  };

  test('answers over HTTP, and stands in the API document', async () => {
    expect((await send(url, { path })).status).toBe(404);
    expect(await documented()).toBe(false);
    const loaded = await load(writeGreeter(servicesDir, 'hello'));
    expect(loaded).toEqual({ said: expect.stringMatching(versioned('added')), refused: false });
    await until(async () => (await greeting()) === 'hello');
    expect(await documented()).toBe(true);
  });

  test('is replaced by what it says now, without a call that fails meanwhile', async () => {
    const calls = startLoad(url, 10, () => ({ path }));
    await until(() => calls.answers.length > 50);
    const { said } = await load(writeGreeter(servicesDir, 'good day'));
    expect(said).toMatch(versioned('replaced'));
    await until(async () => (await greeting()) === 'good day');
    await calls.stop();
    expect(calls.lost).toEqual([]);
    expect(statusesOf(calls)).toEqual({ 200: calls.answers.length });
  });

  test.each([
    ['throws while it starts', () => writeGreeter(servicesDir, 'oops', { started: 'throw new Error("no");' })],
    [
      'is no TypeScript',
      () => {
        const file = join(servicesDir, 'greeter.service.ts');
        writeFileSync(file, 'export default {');
        return file;
      },
    ],
    [
      'is a service of another name',
      () => {
        const file = join(servicesDir, 'greeter.service.ts');
        writeFileSync(file, "export default { name: 'gateway' };");
        return file;
      },
    ],
    ['never ends its start', () => writeGreeter(servicesDir, 'oops', { started: 'return new Promise(() => {});' })],
    [
      'never ends its import',
      () => {
        const file = join(servicesDir, 'greeter.service.ts');
        writeFileSync(file, "await new Promise(() => {}); export default { name: 'greeter' };");
        return file;
      },
    ],
  ])('that %s is refused, and the former answers on', async (_what, write) => {
    const said = expect.stringMatching(/^greeter\.service\.ts could not be loaded: /);
    expect(await load(write())).toEqual({ said, refused: true });
    expect(await greeting()).toBe('good day');
  });

  test.each(['/etc/passwd', '../greeter.service.ts', 'lib/contract/errors.ts', '/tmp/other.service.ts'])(
    'outside the services folders is refused: %s',
    async (file) => {
      expect(await load(file)).toMatchObject({ refused: true });
    },
  );

  test('is gone when it was unloaded: 404, and out of the API document', async () => {
    expect(await unload('greeter')).toEqual({ said: 'greeter no longer runs on worker.', refused: false });
    await until(async () => (await send(url, { path })).status === 404);
    expect(await documented()).toBe(false);
    expect(await unload('greeter')).toMatchObject({ refused: true });
    expect(await unload('node')).toMatchObject({ refused: true });
  });

  test('that starts after its deadline does not serve, and is stopped', async () => {
    const marker = (name: string) => join(servicesDir, name);
    const started = `return (async () => {
      const { existsSync, writeFileSync } = await import('node:fs');
      while (!existsSync('${marker('go')}')) await new Promise((resolve) => setTimeout(resolve, 10));
      writeFileSync('${marker('started')}', '');
    })();`;
    const stopped = `return import('node:fs').then(({ appendFileSync }) => appendFileSync('${marker('stopped')}', '.'));`;
    expect(await load(writeGreeter(servicesDir, 'late', { started, stopped }))).toEqual({
      said: 'greeter.service.ts could not be loaded: it did not start within 2 seconds.',
      refused: true,
    });
    expect(readFileSync(marker('stopped'), 'utf8')).toBe('.');
    writeFileSync(marker('go'), '');
    await until(() => existsSync(marker('started')));
    // What it opened since is closed too.
    await until(() => readFileSync(marker('stopped'), 'utf8') === '..');
    expect((await send(url, { path })).status).toBe(404);
  });

  test('beside the gateway answers the very next request, and is unknown to the one after it was unloaded', async () => {
    await control('load', { file: writeGreeter(servicesDir, 'at once') }, 'front');
    expect(await greeting()).toBe('at once');
    await control('unload', { name: 'greeter' }, 'front');
    expect((await send(url, { path })).status).toBe(404);
  });
});
