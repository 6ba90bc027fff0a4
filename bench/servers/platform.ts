import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { guard, plainEnvironment, stop, temporaryFolder } from '../processes.ts';

const root = join(import.meta.dirname, '..', '..');
const patienceMilliseconds = 30_000;

export type Platform = {
  port: number;
  pid: number;
  publicUrl: string;
  apiKey: string;
  orgId: string;
  adminEmail: string;
  adminPassword: string;
  /** From the start of the process to the first 200 of /health/ready. */
  startMilliseconds: number;
  stop: () => Promise<void>;
};

/** Starts the platform as `npm start` does, on an empty folder unless one is given, and waits until it is ready. */
export async function startPlatform(dataDir: string = temporaryFolder()): Promise<Platform> {
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const startedAt = performance.now();
  const child = spawn(join(root, 'node_modules', '.bin', 'node'), ['runtime/start.ts'], {
    cwd: root,
    env: {
      ...plainEnvironment(),
      ...measuredSettings,
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  guard(child);
  await ready(child, port);
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

async function ready(child: ChildProcess, port: number): Promise<void> {
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const deadline = performance.now() + patienceMilliseconds;
  while (performance.now() < deadline && child.exitCode === null) {
    const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      async (response) => response.text().then(() => response.status),
      () => 0,
    );
    if (status === 200) return;
    await wait(10);
  }
  throw new Error(`The platform did not become ready. It said: ${complaints.slice(-2000) || 'nothing'}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
