import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const cleanups = new Set<() => void>();
process.once('exit', () => {
  for (const cleanup of cleanups) cleanup();
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** Environment of every child process, without the user's variables that would change the measurement. */
export function plainEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Creates an empty folder that is removed when this process exits, at the latest. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  cleanups.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Kills a child when this process exits. */
export function guard(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  cleanups.add(kill);
  child.once('exit', () => cleanups.delete(kill));
}

/** Stops a child with SIGTERM, and after ten seconds with SIGKILL. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(patience);
}

type Reply<Result> = { result: Result } | { error: string };

/** Runs one job in a separate process. */
export async function runJob<Result>(file: string, job: object): Promise<Result> {
  const { child, result } = await ask<Result>(file, job, {});
  await stop(child);
  return result;
}

export type Served<Address> = { address: Address; pid: number; stop: () => Promise<void> };

/** Starts a server in a separate process and waits until it reports its address. */
export async function startServer<Address>(
  file: string,
  options: object,
  environment: Record<string, string> = {},
): Promise<Served<Address>> {
  const { child, result } = await ask<Address>(file, options, environment);
  return { address: result, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function ask<Result>(
  file: string,
  message: object,
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; result: Result }> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...plainEnvironment(), ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  guard(child);
  const replied = once(child, 'message') as Promise<[Reply<Result>]>;
  const ended = once(child, 'exit').then(([code]) => [{ error: `exited with ${code} before it answered` }] as const);
  child.send(message);
  const [reply] = await Promise.race([replied, ended]);
  if ('error' in reply) throw new Error(`${file}: ${reply.error}`);
  return { child, result: reply.result };
}

const ticksPerSecond = 100;

/** Processor time of a process in seconds; null without /proc. */
function processorSeconds(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory in MiB; null without /proc. */
export function residentMebibytes(pid: number): number | null {
  return statusMebibytes(pid, 'VmRSS');
}

/** Peak resident memory of a process in MiB; null without /proc. */
export function peakMebibytes(pid: number): number | null {
  return statusMebibytes(pid, 'VmHWM');
}

function statusMebibytes(pid: number, field: string): number | null {
  const kibibytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readProc(pid, 'status') ?? '')?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) / 1024;
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

const quietShare = 0.05;
const quietWindowMilliseconds = 500;
const longestUnrestMilliseconds = 120_000;

/**
 * Waits until a process has finished the background work of a load, so that it does not slow down the next measurement.
 * Without /proc it waits a fixed time. Throws after `patience` milliseconds.
 */
export async function waitUntilQuiet(pid: number, patience = longestUnrestMilliseconds): Promise<void> {
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const before = processorSeconds(pid);
    await wait(quietWindowMilliseconds);
    const after = processorSeconds(pid);
    if (before === null || after === null) return wait(5 * quietWindowMilliseconds);
    if ((after - before) * 1000 < quietShare * quietWindowMilliseconds) return;
  }
  throw new Error(`A process under measurement was not idle within ${patience / 1000} seconds.`);
}
