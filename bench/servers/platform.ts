import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { guard, plainEnvironment, stop, temporaryFolder } from '../processes.ts';
import { freePort } from './ports.ts';

const root = join(import.meta.dirname, '..', '..');
const nodeFile = join(root, 'node_modules', '.bin', 'node');
const patienceMilliseconds = 30_000;
/** The options of `npm start`. */
const engineOptions = ['--max-semi-space-size=8', '--v8-pool-size=2'];

export type Platform = {
  port: number;
  metricsPort: number;
  pid: number;
  publicUrl: string;
  storageUrl: string;
  applicationId: string;
  apiKey: string;
  orgId: string;
  adminEmail: string;
  adminPassword: string;
  /** From the start of the process to the first 200 of /health/ready. */
  startMilliseconds: number;
  stop: () => Promise<void>;
};

/** Headers of a request with the platform's API key. */
export function headersOf({ apiKey, orgId }: Pick<Platform, 'apiKey' | 'orgId'>) {
  return { Authorization: `Bearer ${apiKey}`, 'x-tenant-id': orgId };
}

/** Starts the platform as `npm start` does, on an empty folder by default, and waits until it is ready. */
export async function startPlatform(
  dataDir: string = temporaryFolder(),
  environment: Record<string, string> = {},
): Promise<Platform> {
  const port = await freePort();
  const startedAt = performance.now();
  const node = await startNode([], { DATA_DIR: dataDir, PORT: String(port), ...environment });
  // Polling during the start would slow it down, so the log is watched first.
  if (!environment.LOG_LEVEL) await until([node], () => node.readLog().includes('"message":"ready"'));
  await ready([node], port);
  const startMilliseconds = performance.now() - startedAt;
  const firstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'));
  const { pid, metricsPort } = node;
  return { ...firstRun, port, metricsPort, pid, startMilliseconds, stop: node.stop };
}

/** Packages that every start imports, a subset of all. */
const packages = ['moleculer', 'moleculer-web', 'mongoose', 'zod', 'jose', 'prom-client', '@fastify/busboy'];

/**
 * Seconds of a process that only imports the packages of a start and compiles them without a cache: a measure of the
 * machine's current speed.
 */
export async function importPackages(): Promise<number> {
  const program = packages.map((name) => `import '${name}';`).join('\n');
  const startedAt = performance.now();
  const child = spawn(nodeFile, [...engineOptions, '--input-type=module', '--eval', program], {
    cwd: root,
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  guard(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The packages of a start could not be imported: ${code}.`);
  return (performance.now() - startedAt) / 1000;
}

/** Settings of every measured process: the defaults, without the limits that would reject the load. */
export const measuredSettings = {
  HOST: '127.0.0.1',
  NODE_ENV: 'production',
  RATE_LIMIT_RPS: '0',
  SMTP_URL: 'none',
  PAYMENT_PROVIDER: 'none',
};

/** The process of a node, and its log so far. */
export type MeasuredNode = {
  child: ChildProcess;
  pid: number;
  metricsPort: number;
  readLog: () => string;
  stop: () => Promise<void>;
};

/**
 * Starts a node with some services, or with all, without waiting. It logs into a file, as under a supervisor: with a
 * pipe this process would have to read the log.
 */
export async function startNode(services: string[], environment: Record<string, string>): Promise<MeasuredNode> {
  const metricsPort = await freePort();
  const ports = { METRICS_PORT: String(metricsPort), STORAGE_PORT: String(await freePort()) };
  const file = join(temporaryFolder(), 'log');
  const log = openSync(file, 'a');
  const child = spawn(nodeFile, [...engineOptions, 'runtime/start.js', ...services], {
    cwd: root,
    env: { ...plainEnvironment(), ...measuredSettings, ...ports, ...environment },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  guard(child);
  const readLog = () => readFileSync(file, 'utf8');
  return { child, pid: child.pid ?? 0, metricsPort, readLog, stop: () => stop(child) };
}

/** The value of an unlabelled counter of a platform. */
export async function counterOf({ metricsPort }: Pick<Platform, 'metricsPort'>, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  const line = (await answer.text()).split('\n').find((one) => one.startsWith(`${name} `));
  if (!line) throw new Error(`The platform has no counter ${name}.`);
  return Number(line.slice(name.length));
}

/** Waits until a gateway reports ready; throws the nodes' logs when one exits or on timeout. */
export async function ready(nodes: MeasuredNode[], port: number): Promise<void> {
  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    await answer?.text();
    return answer?.status === 200;
  };
  await until(nodes, isReady);
}

/** Waits until a condition holds; throws the nodes' logs when one exits or on timeout. */
export async function until(nodes: MeasuredNode[], holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while (performance.now() < deadline && nodes.every(({ child }) => child.exitCode === null)) {
    if (await holds()) return;
    await wait(10);
  }
  const complaints = nodes.map(({ readLog }) => readLog().slice(-2000)).join('');
  throw new Error(`The platform did not become ready. It logged: ${complaints || 'nothing'}`);
}
