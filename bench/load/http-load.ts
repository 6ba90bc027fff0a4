import { randomUUID } from 'node:crypto';
import { openConnection } from './http-connection.ts';
import { takeJob } from './job.ts';
import { createRecorder, type LoadResult } from './result.ts';

/**
 * A load of one kind of request. In `body`, every `<eventId>` becomes a UUID of its own, every `<customer>` one of a
 * thousand numbers of four digits and `<now>` the instant it is sent, so that its length never changes. Answers of
 * another status are failures.
 */
export type HttpJob = {
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  status: number;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
};

async function run(job: HttpJob): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => openConnection(job.port)));
  const nextRequest = requestsOf(job);
  const recorder = createRecorder(job.warmUpSeconds, job.seconds);
  await Promise.all(
    connections.map(async ({ exchange }) => {
      while (!recorder.isOver()) {
        const startedAt = performance.now();
        const { status, body } = await exchange(nextRequest());
        if (status === job.status) recorder.succeeded(startedAt);
        else recorder.failed(`${status} ${body.slice(0, 300)}`);
      }
    }),
  );
  for (const connection of connections) connection.close();
  return recorder.result();
}

function requestsOf({ method, path, headers, body }: HttpJob): () => string {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const lines = Object.entries({ Host: '127.0.0.1', ...type, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  if (body === undefined) return () => `${head}\r\n`;
  const length = Buffer.byteLength(fill(body, randomUUID(), '0000'));
  const whole = `${head}Content-Length: ${length}\r\n\r\n${body}`;
  let count = 0;
  return () => fill(whole, randomUUID(), String(count++ % 1000).padStart(4, '0'));
}

function fill(text: string, eventId: string, customer: string): string {
  const filled = text.replaceAll('<eventId>', eventId).replaceAll('<customer>', customer);
  return filled.replace('<now>', new Date().toISOString());
}

takeJob(run);
