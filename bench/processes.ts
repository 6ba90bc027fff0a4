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

/** The environment of every process started here: nothing of the user's that would change what is measured. */
export function plainEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** An empty folder that is removed at the latest when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  cleanups.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes sure that a child does not outlive this process. */
export function guard(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  cleanups.add(kill);
  child.once('exit', () => cleanups.delete(kill));
}

/** Ends a child, gently for ten seconds. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(patience);
}

type Reply<Result> = { result: Result } | { error: string };

/** Runs one job in a process of its own. */
export async function runJob<Result>(file: string, job: object): Promise<Result> {
  const { child, result } = await ask<Result>(file, job, {});
  await stop(child);
  return result;
}

export type Served<Address> = { address: Address; pid: number; stop: () => Promise<void> };

/** Starts a server in a process of its own and waits until it says where it serves. */
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
  const ended = once(child, 'exit').then(([code]) => [{ error: `ended with ${code} before it answered` }] as const);
  child.send(message);
  const [reply] = await Promise.race([replied, ended]);
  if ('error' in reply) throw new Error(`${file}: ${reply.error}`);
  return { child, result: reply.result };
}

const ticksPerSecond = 100;

/** Seconds of processor time a process has had; null where there is no /proc. */
function processorSeconds(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory in MiB; null where there is no /proc. */
export function residentMebibytes(pid: number): number | null {
  return statusMebibytes(pid, 'VmRSS');
}

/** The most that a process has had resident, in MiB; null where there is no /proc. */
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
 * Waits until a process has worked off what a load left behind, so that it takes nothing from the one measured next.
 * Where there is no /proc it just waits a while. Throws when it takes longer than `patience` milliseconds.
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
  throw new Error(`A process under measurement did not come to rest within ${patience / 1000} seconds.`);
}
