import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { everyMinutes } from '../../mixins/cron/cron.ts';
import type { Job } from '../../mixins/cron/jobs.ts';
import { until } from './until.ts';

const script = join(import.meta.dirname, 'cron-node.ts');
const tether = join(import.meta.dirname, 'exit-with-parent.js');
const hour = 3_600_000;

/** A process that does scheduled work (`cron-node.ts`); `said` counts how often it has said a word. */
export type CronNode = { child: ChildProcess; said: (word: string) => number };
export type CronEffect = { _id: string; owner: string; token: number };

const running: CronNode[] = [];

/** How long a node is believed to live without a sign of it, where one is to die: short, that others soon go on. */
const shortLease = 1000;

/** `last`: the document at which it stands still, to be killed there; 0 for none. `leaseTime`: in milliseconds. */
export async function startCronNode(
  databaseUrl: string,
  owner: string,
  organizations: number,
  { last = 0, leaseTime = shortLease } = {},
): Promise<CronNode> {
  const numbers = [organizations, leaseTime, last].map(String);
  const args = ['--import', tether, script, databaseUrl, owner, ...numbers];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const counts = new Map<string, number>();
  createInterface(child.stdout!).on('line', (word) => counts.set(word, (counts.get(word) ?? 0) + 1));
  const node = { child, said: (word: string) => counts.get(word) ?? 0 };
  running.push(node);
  await until(() => node.said('ready') === 1);
  return node;
}

export function killCronNodes(): void {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
}

export const cronJobs = () => mongoose.connection.collection<Job>('scheduled_jobs');
export const cronEffects = () => mongoose.connection.collection<CronEffect>('effects');

/** Makes a database in which the work was done up to so many hours ago. */
export async function missHours(hours: number): Promise<void> {
  await cronJobs().deleteMany({});
  await cronEffects().deleteMany({});
  await mongoose.connection.collection('scheduled_job_tokens').deleteMany({});
  const doneUpTo = everyMinutes(60).of(new Date(Date.now() - hours * hour));
  const nothing = { doneAt: null, period: null, claimedAt: null, owner: null, retryAt: null, lastError: null };
  await cronJobs().insertOne({ _id: 'test.hourly', doneUpTo, token: 7, beat: 0, attempts: 0, ...nothing });
}

/** Waits until nothing is left to do. */
export async function caughtUp(): Promise<Job> {
  let job: Job | null = null;
  await until(async () => {
    job = await cronJobs().findOne({ _id: 'test.hourly' });
    return job?.owner === null && Date.now() - job.doneUpTo!.getTime() < hour;
  }, 60_000);
  return job!;
}
