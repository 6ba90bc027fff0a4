import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { openConnection } from '../load/http-connection.ts';
import type { LoadResult } from '../load/result.ts';
import { loadByWrk } from '../load/wrk.ts';
import type { Options } from '../options.ts';
import { waitUntilQuiet } from '../processes.ts';
import type { WiredQuestion } from './wire.ts';

const connections = 32;
/** Seconds in which the engine still compiles hot code; measurement starts after that. */
const warmUpSeconds = 5;

/** A server that is queried over HTTP; `pids` are the processes that must be idle again after a load. */
export type Target = { name: string; port: number; questions: WiredQuestion[]; pids: number[] };

export type Bars = { atLeast?: number; p99AtMost?: number };

/** Queries two servers alternately; before that, each must answer every question correctly. */
export async function compareTargets(
  options: Options,
  { subject, beside, bars = {} }: { subject: Target; beside: Target; bars?: Bars },
): Promise<Figure> {
  await requireAgreement(subject);
  await requireAgreement(beside);
  return compare(options, {
    name: subject.name,
    subject: () => load(options, subject),
    besideName: beside.name,
    beside: () => load(options, beside),
    unit: 'req/s',
    ...bars,
  });
}

async function requireAgreement({ name, port, questions }: Target): Promise<void> {
  const { exchange, close } = await openConnection(port);
  for (const { request, mark } of questions) {
    const { status, body } = await exchange(request);
    if (status !== 200 || !body.includes(mark)) throw new Error(`${name} decides otherwise: ${status} ${body}`);
  }
  close();
}

async function load({ seconds }: Options, { port, questions, pids }: Target): Promise<LoadResult> {
  const requests = questions.map(({ request }) => request);
  const result = await loadByWrk({ port, requests, connections, seconds, warmUpSeconds });
  for (const pid of pids) await waitUntilQuiet(pid);
  return result;
}
