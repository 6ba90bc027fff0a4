import { send } from './http.ts';

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
