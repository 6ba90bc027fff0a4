import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { newEventRequest, startLoad, statusesOf } from '../../support/load.ts';
import { startPlatform } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

type Held = { finish: () => void; answer: Promise<{ status: number; connection: string | undefined }> };

/** A request whose headers were sent and whose body is held back until it is finished. */
function hold(url: string, { path, method, headers, body }: ReturnType<typeof newEventRequest>): Promise<Held> {
  const outgoing = request(`${url}${path}`, { method, headers: { ...headers, 'Content-Length': body.length } });
  const answer = new Promise<Awaited<Held['answer']>>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode!, connection: response.headers.connection });
      });
    });
  });
  outgoing.write(body.slice(0, 10));
  return new Promise((resolve) => {
    outgoing.on('socket', (socket) => {
      socket.on('connect', () => resolve({ finish: () => outgoing.end(body.slice(10)), answer }));
    });
  });
}

describe('a platform that is told to stop', () => {
  test('answers the 50 requests it has begun, refuses new ones, and exits 0', async () => {
    const platform = await startPlatform();
    const held = await Promise.all(
      Array.from({ length: 50 }, () => hold(platform.url, newEventRequest(platform.firstRun))),
    );
    // A request that is answered on another connection shows that the ones before it have arrived.
    expect((await send(platform.url, { path: '/health/alive' })).status).toBe(200);

    const code = platform.stop();
    await refused(platform.url);
    for (const { finish } of held) finish();
    const answers = await Promise.all(held.map(({ answer }) => answer));

    expect(answers).toEqual(Array.from({ length: 50 }, () => ({ status: 201, connection: 'close' })));
    expect(await code).toBe(0);
  });

  test('loses no request of 50 busy connections, turns unready first, and exits 0', async () => {
    const platform = await startPlatform({ env: { DRAIN_SECONDS: '4' } });
    const load = startLoad(platform.url, 50, () => newEventRequest(platform.firstRun));
    await until(() => load.answers.length > 200);

    const code = platform.stop();
    await until(async () => (await send(platform.url, { path: '/health/ready' })).status === 503);
    const before = load.answers.length;
    await until(() => load.answers.length > before);
    await load.stop();

    expect(load.lost).toEqual([]);
    expect(statusesOf(load)).toEqual({ 201: load.answers.length });
    expect(await code).toBe(0);
    expect(platform.log().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  test('gives up at a second signal', async () => {
    const platform = await startPlatform({ env: { DRAIN_SECONDS: '60' } });
    void platform.stop('SIGINT');
    await platform.logged(({ message }) => message.startsWith('SIGINT:'));
    expect(await platform.stop('SIGINT')).toBe(1);
  });
});

/** Resolves once nobody listens any more. */
function refused(url: string): Promise<void> {
  return until(() =>
    send(url, { path: '/health/alive', headers: { Connection: 'close' } }).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    ),
  );
}
