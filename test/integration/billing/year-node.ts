import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Context, ServiceBroker, type ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import type { Caller, Ctx } from '../../../lib/contract/context.ts';
import { setClock } from '../../../lib/data/clock.ts';
import type { Schedule } from '../../../mixins/cron/cron.ts';
import { createTimetable } from '../../../mixins/cron/timetable.ts';
import billing from '../../../services/billing/billing.service.ts';
import { type BillingJob, periodJobs } from '../../../services/billing/jobs.ts';
import type { Charge } from '../../../services/billing/payment/provider.ts';
import { replaceProvider } from '../../../services/billing/payment/providers.ts';
import { signWebhook, testProvider } from '../../../services/billing/payment/sandbox.ts';
import { paymentJobs } from '../../../services/billing/payment/start.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

/*
 * A node of a pool that has the whole billing service over a database, a clock that is set, and stand-ins for identity
 * and mail. In the test's own process, and as a worker thread with modules of its own: another node.
 */

export type Mail = { key: string; to: string; template: string; orgId: string; variables: Record<string, string> };
type Announced = { orgId: string; revision: number };
/** What a node is to do. `announced`: what other nodes have told all since it did something last. */
export type Task = { at: number; down: string | null; announced: Announced[]; what: Wish };
/** `look`: the scheduled work that nobody has claimed; `sweep`: all of it at once, claimed or not. */
export type Wish =
  | { kind: 'look' }
  | { kind: 'sweep' }
  | { kind: 'call'; action: string; params: object; orgId: string }
  | { kind: 'webhook'; body: string };
/** What came of it: an answer or the code of a refusal; and what others are to know. */
export type Done = {
  answer?: unknown;
  refusal?: string;
  mails: Mail[];
  announced: Announced[];
  charges: { key: string; sub: string; end: number; amount: number }[];
};
export type YearNode = { run: (task: Task) => Promise<Done>; stop: () => Promise<void> };

const { signal } = new AbortController();

/** Whoever took units holds the answer in the key. */
const settle = (ctx: Context<{ body: { keys: string[] } }>) => ({
  done: ctx.params.body.keys.filter((key) => key.endsWith(':done')).map((key) => ({ key, amount: 1_000_000 })),
});

export async function startYearNode(url: string, nodeID: string): Promise<YearNode> {
  let at = 0;
  let down: string | null = null;
  let done: Done = { mails: [], announced: [], charges: [] };
  setClock(() => new Date(at));
  mongoose.set('strictQuery', 'throw');
  await mongoose.connect(url, { dbName: 'year', autoIndex: false });
  await Promise.all(Object.values(mongoose.models).map((model) => model.createIndexes()));
  const requireUp = (...names: (string | null)[]) => {
    if (names.includes(down)) throw new Error(`There is no ${down}.`);
  };
  replaceProvider({
    ...testProvider,
    async charge(charge: Charge) {
      requireUp('provider');
      const outcome = await testProvider.charge(charge);
      const { key, gatewaySubscriptionId: sub, period, amount } = charge;
      if (outcome === 'paid') done.charges.push({ key, sub, end: period.end.getTime(), amount });
      return outcome;
    },
  });
  const broker = new ServiceBroker({ nodeID, logger: false, validator: false });
  broker.createService({
    name: 'identity',
    actions: {
      'organizations.describe'(ctx: Context<{ body: { orgId: string } }>) {
        requireUp('identity');
        return { organization: { name: `Shop ${ctx.params.body.orgId}`, slug: 'shop', isFirst: false } };
      },
      'organizations.owners'(ctx: Context<{ body: { orgId: string } }>) {
        requireUp('identity');
        return {
          owners: ['ann', 'ben'].map((userId) => ({ userId, email: `${userId}@${ctx.params.body.orgId}.example` })),
        };
      },
      'oauth.redirect-origins': () => ({ origins: [] }),
      'audit.append': () => undefined,
    },
  });
  broker.createService({
    name: 'mail',
    actions: {
      'system.send'(ctx: Context<{ body: Mail }>) {
        requireUp('mail');
        done.mails.push(ctx.params.body);
        return { messageId: 'msg_1' };
      },
    },
  });
  broker.createService({ name: 'shop', actions: { 'quota.settle': settle } });
  broker.createService({
    name: 'listener',
    events: { 'billing.subscription.changed': (ctx: Context<Announced>) => void done.announced.push(ctx.params) },
  });
  // Connected already; its scheduled work is done when the test says so.
  broker.createService({ ...billing, mixins: [] } as ServiceSchema);
  await broker.start();
  const contextOf = (): Ctx => broker.ContextFactory.create(broker) as never;
  const jobs: BillingJob[] = [...periodJobs, ...paymentJobs];
  const schedules = jobs.map((job): Schedule => ({ ...job, run: (period, end) => job.run(contextOf(), end, period) }));
  const timetable = createTimetable(schedules, { owner: nodeID, logger: quietLogger });

  async function perform(what: Wish): Promise<unknown> {
    switch (what.kind) {
      case 'look':
        return await timetable.look();
      case 'sweep':
        for (const job of jobs) await job.run(contextOf(), signal, new Date(at));
        return;
      case 'webhook': {
        const { body } = what;
        const headers = { 'platform-signature': signWebhook(body) };
        return await broker.call('billing.webhooks.receive', { path: { provider: 'test' }, headers, body });
      }
      case 'call': {
        const { action, params, orgId } = what;
        const caller = { type: 'application', id: 'app_1', keyId: 'key_1', orgId, scopes: ['svc:admin'] } as Caller;
        return await broker.call(action, params, { meta: { caller } });
      }
    }
  }

  return {
    async run(task) {
      [at, down] = [task.at, task.down];
      for (const one of task.announced) await broker.broadcastLocal('billing.subscription.changed', one);
      done = { mails: [], announced: [], charges: [] };
      try {
        done.answer = await perform(task.what);
      } catch (error) {
        const { type, message } = error as { type?: string; message: string };
        done.refusal = type ?? message;
      }
      return done;
    },
    async stop() {
      await timetable.stop();
      await broker.stop();
      await mongoose.disconnect();
    },
  };
}

async function serve(url: string): Promise<void> {
  const node = await startYearNode(url, 'there');
  parentPort?.on('message', async (task: Task | null) => {
    if (task) parentPort?.postMessage(await node.run(task));
    else await node.stop().then(() => parentPort?.close());
  });
  parentPort?.postMessage('ready');
}

if (!isMainThread && typeof workerData?.yearOfBilling === 'string') await serve(workerData.yearOfBilling);
