import { createServer } from 'node:net';
import { send } from './http.ts';

/** A port that was free a moment ago, for what cannot be told to choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The sum of a metric's samples whose labels include these, as a Prometheus would read them; 0 when there are none. */
export async function readMetric(port: number, name: string, labels: Record<string, string> = {}): Promise<number> {
  const { text } = await send(`http://127.0.0.1:${port}`, { path: '/metrics' });
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
