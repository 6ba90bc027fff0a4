import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { detachBuffer, detachReadBuffers } from '../../../lib/tuning/memory.ts';

describe('the memory of a chunk', () => {
  test('is free at once where the chunk is all of it', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    detachBuffer(chunk);
    expect([chunk.length, chunk.buffer.byteLength]).toEqual([0, 0]);
  });

  test.each([
    ['shares it', Buffer.alloc(64 * 1024, 'x').subarray(1)],
    ['is small', Buffer.alloc(1024, 'x')],
    ['has no bytes', Buffer.alloc(0)],
  ])('is left as it is where the chunk %s', (_why, chunk) => {
    const before = Buffer.from(chunk);
    detachBuffer(chunk);
    expect(chunk.equals(before)).toBe(true);
  });
});

describe('what was read from the connection of an answer', () => {
  test('is freed once it was parsed, and the answer is whole', async () => {
    const body = Buffer.alloc(4 * 1024 * 1024, 'some of the content, ');
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
    detachReadBuffers(answer);
    const { socket } = answer;
    const listeners = socket.listenerCount('data');
    const reads: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => reads.push(bytes));
    const received = Buffer.concat(await answer.toArray());
    expect(received.equals(body)).toBe(true);
    const freed = reads.filter(({ length }) => length === 0);
    expect(freed.length).toBeGreaterThan(10);
    expect(socket.listenerCount('data')).toBeLessThan(listeners);
    server.close();
  });

  test('is left as it is where the answer shares its memory', async () => {
    const socket = new EventEmitter();
    const answer = Object.assign(new Readable({ read: () => undefined }), { socket }) as unknown as IncomingMessage;
    const head = 10;
    socket.on('data', (bytes: Buffer) => answer.push(bytes.subarray(head)));
    detachReadBuffers(answer);
    const bytes = Buffer.alloc(64 * 1024, 'x');
    socket.emit('data', bytes);
    answer.push(null);
    const received = Buffer.concat(await answer.toArray());
    expect([received.length, bytes.length]).toEqual([bytes.length - head, 64 * 1024]);
  });

  test('is not waited for where nothing reads by events', () => {
    const socket = new EventEmitter();
    detachReadBuffers(Object.assign(new Readable(), { socket }) as unknown as IncomingMessage);
    expect(socket.listenerCount('data')).toBe(0);
  });
});
