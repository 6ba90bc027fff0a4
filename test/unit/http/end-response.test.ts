import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { HttpResponse } from '../../../http/request.ts';
import { endCoalesced } from '../../../http/response.ts';
import { send as sendOne } from '../../support/http.ts';

let server: Server;
const open: HttpResponse[] = [];

beforeEach(async () => {
  open.length = 0;
  server = createServer((_request, response: ServerResponse) => open.push(response as HttpResponse));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends so many requests and waits until all have arrived; their answers, or null for a connection that was lost. */
async function send(count: number): Promise<Promise<string | null>[]> {
  const { port } = server.address() as AddressInfo;
  const answers = Array.from({ length: count }, () =>
    sendOne(`http://127.0.0.1:${port}`, { path: '/' }).then(
      ({ text }) => text,
      () => null,
    ),
  );
  while (open.length < count) await nextTurn();
  return answers;
}

const ended = () => open.filter(({ writableEnded }) => writableEnded).length;

test('the answers of a turn are written after all of its work, each with its own content', async () => {
  const answers = await send(3);
  for (const [at, response] of open.entries()) endCoalesced(response.writeHead(200), `answer ${at}`);
  await Promise.resolve();
  expect(ended()).toBe(0);
  await nextTurn();
  expect(ended()).toBe(3);
  expect((await Promise.all(answers)).sort()).toEqual(['answer 0', 'answer 1', 'answer 2']);
});

test('nobody waits for more than 64 answers', async () => {
  const answers = await send(100);
  for (const response of open) endCoalesced(response.writeHead(200), Buffer.from('whole'));
  expect(ended()).toBe(64);
  await nextTurn();
  expect(ended()).toBe(100);
  expect(await Promise.all(answers)).toEqual(Array(100).fill('whole'));
});

test('a client that leaves before the end of the turn keeps no other from its answer', async () => {
  const answers = await send(2);
  for (const response of open) endCoalesced(response.writeHead(204));
  open[0]?.destroy();
  await nextTurn();
  expect((await Promise.all(answers)).sort()).toEqual(['', null]);
});
