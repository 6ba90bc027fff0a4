import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { isLoopbackHost } from '../../lib/settings/mongo-url.ts';
import { freePort } from './free-port.ts';

const root = join(import.meta.dirname, '..', '..');
/** As `npm start` has them. */
const engineOptions = ['--max-semi-space-size=8', '--v8-pool-size=2'];
const pause = 20;
/** Milliseconds until a process that does not stop is killed: more than a node takes at most, less than a test may take. */
const patience = 28_000;
/** How long a start may take, also of a clone whose code is not compiled yet, beside others. */
const startPatience = 60_000;

export type FirstRun = {
  publicUrl: string;
  storageUrl: string;
  cdnUrl: string;
  adminEmail: string;
  adminPassword: string;
  orgId: string;
  orgSlug: string;
  applicationId: string;
  apiKey: string;
};

export type NodeOptions = {
  /** Added to the environment, over the defaults below. */
  env?: Record<string, string>;
  /** Names of services; all of them when absent. */
  services?: string[];
  /** A folder to keep; a temporary one is made, and removed by `stop`, when absent. */
  dataDir?: string;
  runtime?: 'node' | 'deno';
  /** The file to run, where it is not the platform's own entry. */
  entry?: string;
};

export type LogLine = { level: string; module: string; message: string } & Record<string, unknown>;

/** A process of the platform, as one sees it from outside. */
export type NodeProcess = {
  pid: number;
  dataDir: string;
  /** Everything it has printed. */
  output(): string;
  /** What it has logged, line by line. */
  log(): LogLine[];
  /** Waits for a log line; throws with the output when the process ends first. */
  logged(condition: (line: LogLine) => boolean, milliseconds?: number): Promise<LogLine>;
  /** The code it exits with; null when a signal ended it. */
  exited: Promise<number | null>;
  /**
   * Asks it to stop, waits until it has, and removes its temporary folder. Gives the exit code; null if it did not stop
   * and had to be killed.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** SIGKILL, keeping the folder. */
  kill(): Promise<void>;
};

const running = new Map<NodeProcess, ChildProcess>();
const madeFolders = new Set<string>();

/** Starts a process of the platform without waiting for anything. */
export function startNode(options: NodeOptions = {}): NodeProcess {
  const { env = {}, dataDir } = options;
  const folder = dataDir ?? temporaryFolder();
  const child = spawn(...commandOf(options), {
    cwd: root,
    env: {
      ...inherited(),
      ...defaults,
      ...hashingOf(options),
      ...addressesOf(options),
      ...requiredOf(options),
      DATA_DIR: folder,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const node = observe(child, folder);
  running.set(node, child);
  return node;
}

const defaults = {
  NODE_ENV: 'test',
  LOG_FORMAT: 'json',
  PORT: '0',
  STORAGE_PORT: '0',
  METRICS_PORT: '0',
  RATE_LIMIT_RPS: '0',
  DRAIN_SECONDS: '0',
  // Webhooks of tests are on this address, and no provider is reached: nothing listens there.
  EGRESS_ALLOW: '127.0.0.1',
  TELEGRAM_URL: 'http://127.0.0.1:9',
  WHATSAPP_URL: 'http://127.0.0.1:9',
  TWILIO_URL: 'http://127.0.0.1:9',
};

/** A sixty-fourth of the work for a password, except where strangers are served: there the platform refuses to do less. */
function hashingOf({ env: { NODE_ENV, PUBLIC_URL = '' } = {} }: NodeOptions): Record<string, string> {
  const isPublic = URL.canParse(PUBLIC_URL) && !isLoopbackHost(new URL(PUBLIC_URL).hostname);
  return isPublic || NODE_ENV === 'production' ? {} : { PASSWORD_COST: '8' };
}

/**
 * A gateway's pages and tokens name its address, and the addresses of objects name the storage's, so they must be known
 * before the process starts.
 */
function addressesOf(options: NodeOptions): Record<string, string> {
  const { env = {} } = options;
  const [port, storagePort] = [freePort(), freePort()];
  return {
    ...(runs(options, 'gateway') &&
      env.PORT === undefined && { PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` }),
    ...(runs(options, 'storage') &&
      env.STORAGE_PORT === undefined && {
        STORAGE_PORT: `${storagePort}`,
        STORAGE_URL: `http://127.0.0.1:${storagePort}`,
      }),
  };
}

/** Pools of tests run as few services as they need; without these nothing works. */
function requiredOf({ services = [] }: NodeOptions): Record<string, string> {
  return services.length === 0 ? {} : { REQUIRED_SERVICES: 'identity,access,billing,context,mail' };
}

/** Whether a process with these options runs a service. */
export function runs({ services = [] }: NodeOptions, service: string): boolean {
  return services.length === 0 || services.includes(service);
}

function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'DENO_DIR'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

type Command = [program: string, args: string[]];

function commandOf({ runtime = 'node', entry = 'runtime/start.js', services = [], dataDir }: NodeOptions): Command {
  const tether = join(import.meta.dirname, 'exit-with-parent.js');
  if (runtime === 'node') {
    return [join(root, 'node_modules', '.bin', 'node'), [...engineOptions, '--import', tether, entry, ...services]];
  }
  // The permissions of deno.json have ./data; a node that keeps its data elsewhere needs that folder instead.
  const folders = dataDir ? [`--allow-read=${root},${dataDir}`, `--allow-write=${dataDir}`] : [];
  return [denoBinary(), ['run', '-P', ...folders, '--preload', tether, entry, ...services]];
}

/** Deno's own program, as `docs/operations.md` has supervisors start it. The package of one platform is installed. */
export function denoBinary(): string {
  const packages = join(root, 'node_modules', '@deno');
  const [platform = ''] = readdirSync(packages);
  return join(packages, platform, 'deno');
}

function observe(child: ChildProcess, dataDir: string): NodeProcess {
  const lines: LogLine[] = [];
  let text = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on('line', (line) => {
      text += `${line}\n`;
      if (line.startsWith('{') && line.endsWith('}')) lines.push(JSON.parse(line));
    });
  }
  const exited = once(child, 'close').then(([code]) => {
    ended = true;
    running.delete(node);
    return code as number | null;
  });
  const node: NodeProcess = {
    pid: child.pid!,
    dataDir,
    exited,
    output: () => text,
    log: () => lines,
    async logged(condition, milliseconds = startPatience) {
      const deadline = performance.now() + milliseconds;
      for (;;) {
        const line = lines.find(condition);
        if (line) return line;
        if (ended) throw new Error(`The process ended:\n${end(text)}`);
        if (performance.now() > deadline) throw new Error(`Not logged within ${milliseconds} ms:\n${end(text)}`);
        await wait(pause);
      }
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), patience);
      const code = await exited;
      clearTimeout(late);
      if (madeFolders.delete(dataDir)) rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  return node;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platform-'));
  madeFolders.add(folder);
  return folder;
}

/** A process with the gateway, and what one needs to call it. */
export type Platform = NodeProcess & { url: string; firstRun: FirstRun };

/** Starts the platform, all of it unless services are named, and waits until /health/ready says so. */
export async function startPlatform(options: NodeOptions = {}): Promise<Platform> {
  const node = startNode(options);
  try {
    const url = await urlOf(node);
    await ready(url, node);
    if (runs(options, 'storage')) await addressOf(node, 'storage');
    return Object.assign(node, { url, firstRun: firstRunOf(node.dataDir) });
  } catch (error) {
    await node.stop('SIGKILL');
    throw error;
  }
}

/** The address of a process's gateway, once it listens. */
export function urlOf(node: NodeProcess): Promise<string> {
  return addressOf(node, 'gateway');
}

/** The address of the listener of a process's service, once it listens. */
export async function addressOf(node: NodeProcess, service: string): Promise<string> {
  const { port } = await node.logged(({ message, module }) => message === 'listening' && module === service);
  return `http://127.0.0.1:${port}`;
}

/** Waits until /health/ready answers 200. */
export async function ready(url: string, node: NodeProcess, milliseconds = startPatience): Promise<void> {
  const deadline = performance.now() + milliseconds;
  let last = 'nothing';
  while (performance.now() < deadline) {
    const signal = AbortSignal.timeout(milliseconds);
    const response = await fetch(`${url}/health/ready`, { signal }).catch(() => null);
    last = (await response?.text().catch(() => null)) ?? 'nothing';
    if (response?.ok) return;
    await wait(pause);
  }
  throw new Error(`Not ready within ${milliseconds} ms; the last answer was ${last}\n${end(node.output())}`);
}

/** As much of an output as helps in a failed test. */
function end(text: string): string {
  return text.slice(-4000);
}

/** What the first run left in a node's folder; empty where another node of the pool did it. */
export function firstRunOf(dataDir: string): FirstRun {
  const file = join(dataDir, 'first-run.json');
  return (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as FirstRun;
}

/** Ends whatever is still running and removes the temporary folders. */
export async function stopEverything(): Promise<void> {
  await Promise.all([...running.keys()].map((node) => node.kill()));
  for (const folder of madeFolders) rmSync(folder, { recursive: true, force: true });
  madeFolders.clear();
}
