import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { guard, plainEnvironment, stop, temporaryFolder } from '../processes.ts';
import { freePort } from './ports.ts';

const root = join(import.meta.dirname, '..', '..');
const patienceMilliseconds = 30_000;

export type Platform = {
  port: number;
  pid: number;
  publicUrl: string;
  applicationId: string;
  apiKey: string;
  orgId: string;
  adminEmail: string;
  adminPassword: string;
  /** From the start of the process to the first 200 of /health/ready. */
  startMilliseconds: number;
  stop: () => Promise<void>;
};

/** Starts the platform as `npm start` does, on an empty folder unless one is given, and waits until it is ready. */
export async function startPlatform(
  dataDir: string = temporaryFolder(),
  environment: Record<string, string> = {},
): Promise<Platform> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = await startNode([], { DATA_DIR: dataDir, PORT: String(port), ...environment });
  await ready([child], port);
  const startMilliseconds = performance.now() - startedAt;
  const firstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'));
  return { ...firstRun, port, pid: child.pid ?? 0, startMilliseconds, stop: () => stop(child) };
}

/** What every measured process runs with. */
export const measuredSettings = {
  HOST: '127.0.0.1',
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_RPS: '0',
};

/** Starts a node with some services, or with all, and waits for nothing. */
export async function startNode(services: string[], environment: Record<string, string>): Promise<ChildProcess> {
  const metricsPort = await freePort();
  const child = spawn(join(root, 'node_modules', '.bin', 'node'), ['runtime/start.ts', ...services], {
    cwd: root,
    env: { ...plainEnvironment(), ...measuredSettings, METRICS_PORT: String(metricsPort), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  guard(child);
  return child;
}

/** Waits until a gateway says that it is ready; throws what the nodes complained of when one ends or it takes too long. */
export async function ready(nodes: ChildProcess[], port: number): Promise<void> {
  let complaints = '';
  for (const stream of nodes.flatMap(({ stdout, stderr }) => [stdout, stderr])) {
    stream?.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-2000);
    });
  }
  const deadline = performance.now() + patienceMilliseconds;
  while (performance.now() < deadline && nodes.every(({ exitCode }) => exitCode === null)) {
    const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      async (response) => response.text().then(() => response.status),
      () => 0,
    );
    if (status === 200) return;
    await wait(10);
  }
  throw new Error(`The platform did not become ready. It said: ${complaints || 'nothing'}`);
}
