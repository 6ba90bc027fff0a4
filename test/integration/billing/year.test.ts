import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { newId } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import { SubscriptionModel } from '../../../models/billing/subscription.ts';
import {
  type TestOutcomeDocument,
  TestOutcomeModel,
  TestSubscriptionModel,
} from '../../../models/billing/test-payment.ts';
import { UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { linkTo } from '../../support/checkout-links.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import {
  Account,
  type Checkout,
  type Currency,
  type Cycle,
  type Down,
  limits,
  type Plan,
  Usage,
  unitOf,
} from './year-model.ts';
import { type Done, type Mail, startYearNode, type Task, type Wish, type YearNode } from './year-node.ts';

/**
 * Many organizations go through a year together, on two nodes, each beside an account that is kept by hand. The other
 * tests come before it in time as well, for one database has one past. YEAR_SEED repeats a year that failed.
 */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Command =
  | { do: 'buy'; plan: Plan; cycle: Cycle; currency: Currency | undefined; how: How; twice: boolean }
  | { do: 'open'; plan: Plan; cycle: Cycle }
  | { do: 'cancel' | 'resume'; twice: boolean }
  | { do: 'replay' | 'close' | 'finish' }
  | { do: 'card'; works: boolean }
  | { do: 'give'; plan: Plan; twice: boolean }
  | { do: 'payInvoice'; pick: number }
  | { do: 'use'; meter: string; amount: number; end: 'commit' | 'refund' | 'repeat' }
  | { do: 'hold'; isDone: boolean };
/** What is left of the present plan pays for all of it. */
const isCovered = ({ kind, within, amount }: Checkout): boolean => kind === 'pay' && within !== null && amount === 0;

type How = 'approve' | 'approve-once' | 'challenge' | 'declined-first';
type Wait = { until: 'later'; ms: number } | { until: 'due' | 'midnight' | 'month'; offset: number };
type Jobs = 'none' | 'here' | 'there' | 'both' | 'unclaimed';
/** `eve`: an hour before the next period ends its organization is offered more, and comes back after it. */
type Step = {
  eve: boolean;
  wait: Wait;
  jobs: Jobs;
  down: Down;
  commands: { org: number; command: Command; there: boolean }[];
};
type World = { start: Date; steps: Step[] };

const organizations = 24;
const meterNames = Object.keys(limits.free).filter((name) => !name.startsWith('storage.'));

const cycle = fc.constantFrom<Cycle>('monthly', 'monthly', 'monthly', 'yearly');
const purchase: fc.Arbitrary<Command> = fc.record({
  do: fc.constant('buy' as const),
  plan: fc.constantFrom<Plan>('pro', 'pro', 'scale'),
  cycle,
  currency: fc.constantFrom<(Currency | undefined)[]>(undefined, undefined, undefined, 'eur', 'usd'),
  how: fc.constantFrom<How>('approve', 'approve', 'approve', 'approve-once', 'challenge', 'declined-first'),
  twice: fc.boolean(),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: purchase },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('open' as const), plan: fc.constantFrom<Plan>('pro', 'scale'), cycle }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'cancel' as const, 'resume' as const),
      twice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Command[]>({ do: 'replay' }, { do: 'replay' }, { do: 'close' }) },
  { weight: 4, arbitrary: fc.boolean().map((works): Command => ({ do: 'card', works })) },
  { weight: 2, arbitrary: fc.nat({ max: 9 }).map((pick): Command => ({ do: 'payInvoice', pick })) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('give' as const),
      plan: fc.constantFrom<Plan>('free', 'pro', 'scale'),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('use' as const),
      meter: fc.constantFrom(...meterNames),
      amount: fc.constantFrom(1, 20, 60, 81, 400, 450, 850, 999, 1000, 9000, 45_000),
      end: fc.constantFrom<'commit' | 'refund' | 'repeat'>('commit', 'commit', 'refund', 'repeat'),
    }),
  },
  { weight: 1, arbitrary: fc.boolean().map((isDone): Command => ({ do: 'hold', isDone })) },
);
const offset = fc.constantFrom(-50 * minute, -1, -1, 0, 0, 1, 1000, 90_000);
const wait: fc.Arbitrary<Wait> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.integer({ min: 1, max: 180 }).map((minutes): Wait => ({ until: 'later', ms: minutes * minute })),
  },
  { weight: 14, arbitrary: fc.integer({ min: 2 * hour, max: 2 * day }).map((ms): Wait => ({ until: 'later', ms })) },
  { weight: 1, arbitrary: fc.integer({ min: 7 * day, max: 45 * day }).map((ms): Wait => ({ until: 'later', ms })) },
  {
    weight: 18,
    arbitrary: fc.record({
      until: fc.constantFrom('due' as const, 'due' as const, 'midnight' as const, 'month' as const),
      offset,
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.record({
  eve: fc.integer({ min: 0, max: 11 }).map((number) => number > 9),
  wait,
  jobs: fc.constantFrom<Jobs>('none', 'none', 'here', 'there', 'both', 'both', 'unclaimed'),
  down: fc.constantFrom<Down[]>(null, null, null, null, null, 'mail', 'identity', 'provider'),
  commands: fc.array(
    fc.record({ org: fc.integer({ min: -6, max: organizations - 1 }), command, there: fc.boolean() }),
    { minLength: 1, maxLength: 8, size: 'max' },
  ),
});
const world: fc.Arbitrary<World> = fc.record({
  // A leap day, ends of months of every length and a new year are within the year of each.
  start: fc
    .constantFrom(
      '2031-08-31T23:59:59.999Z',
      '2031-12-31T12:00:00.000Z',
      '2032-01-31T00:00:00.000Z',
      '2031-05-31T08:30:00.123Z',
    )
    .map((text) => new Date(text)),
  steps: fc.array(step, { minLength: 400, maxLength: 400, size: 'max' }),
});

const folder = mkdtempSync(join(tmpdir(), 'billing-year-'));
let database: EmbeddedMongo;
let here: YearNode;
let there: YearNode;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: folder });
  here = await startYearNode(database.url, 'here');
  there = await startThere(database.url);
});

afterAll(async () => {
  await there?.stop();
  await here?.stop();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The other node, with modules of its own. */
async function startThere(url: string): Promise<YearNode> {
  const worker = new Worker(new URL('./year-node.ts', import.meta.url), {
    workerData: { yearOfBilling: url },
  });
  await once(worker, 'message');
  return {
    async run(task) {
      worker.postMessage(task);
      const [done] = (await once(worker, 'message')) as [Done];
      return done;
    },
    async stop() {
      const ended = once(worker, 'exit');
      worker.postMessage(null);
      await ended;
    },
  };
}

type Org = {
  orgId: string;
  account: Account;
  usage: Usage;
  diary: string[];
  bought: string[];
  /** What was offered and is not paid. */
  open: { offer: Checkout; until: Date } | null;
  isClosed: boolean;
};
type Node = 'here' | 'there';

class Year {
  at: Date;
  readonly orgs: Org[];
  readonly mails = new Map<string, Mail>();
  readonly charges = new Map<string, Done['charges'][number]>();
  private readonly untold: Record<Node, Task['announced']> = { here: [], there: [] };
  private uses = 0;

  constructor(start: Date) {
    this.at = start;
    this.orgs = Array.from({ length: organizations }, () => ({
      orgId: newId('org'),
      account: new Account(),
      usage: new Usage(),
      diary: [],
      bought: [],
      open: null,
      isClosed: false,
    }));
  }

  /** Has a node do something; what it told, the other is told before it does anything. */
  async run(node: Node, what: Wish, down: Down = null): Promise<Done> {
    const announced = this.untold[node];
    this.untold[node] = [];
    const done = await (node === 'here' ? here : there).run({ at: this.at.getTime(), down, announced, what });
    this.untold[node === 'here' ? 'there' : 'here'].push(...done.announced);
    for (const mail of done.mails) {
      const former = this.mails.get(mail.key);
      // Whoever gets it gets the first. A warning that is told again says what is used by then.
      if (former) expect({ ...mail, variables: { ...mail.variables, used: former.variables.used } }).toEqual(former);
      else this.mails.set(mail.key, mail);
    }
    for (const charge of done.charges) this.charges.set(charge.key, charge);
    return done;
  }

  call(node: Node, { orgId }: Org, action: string, params: object): Promise<Done> {
    return this.run(node, { kind: 'call', action: `billing.${action}`, params, orgId });
  }

  async answer<T>(node: Node, org: Org, action: string, params: object): Promise<T> {
    const { answer, refusal } = await this.call(node, org, action, params);
    if (refusal) throw new Error(`${action} was refused: ${refusal}`);
    return answer as T;
  }

  /** Whose period ends next. */
  nextDue(): Org {
    const paying = this.orgs.filter(({ account: { sub, end } }) => sub !== null && end > this.at);
    return paying.sort((one, other) => one.account.end.getTime() - other.account.end.getTime())[0] ?? this.orgs[0]!;
  }

  /** Until shortly before the next period ends, when more is offered; and how long its payer is away. */
  async eve(most = 5 * day): Promise<Wait> {
    const org = this.nextDue();
    const goal = org.account.end.getTime() - hour;
    const isSoon = goal > this.at.getTime() + minute && goal < this.at.getTime() + most;
    if (isSoon) this.at = new Date(goal);
    if (isSoon) await about(org, () => this.obey(org, { do: 'open', plan: 'scale', cycle: 'monthly' }, 'here'));
    return { until: 'later', ms: hour };
  }

  pass(wait: Wait): void {
    const least = this.at.getTime() + minute;
    this.at = new Date(Math.max(least, this.goal(wait)));
  }

  private goal(wait: Wait): number {
    const at = this.at.getTime();
    if (wait.until === 'later') return at + wait.ms;
    if (wait.until === 'midnight') return Math.floor(at / day) * day + day + wait.offset;
    if (wait.until === 'month')
      return Math.min(Date.UTC(this.at.getUTCFullYear(), this.at.getUTCMonth() + 1), at + 4 * day) + wait.offset;
    const dues = this.orgs.flatMap(({ account }) => [
      ...(account.sub ? [account.end] : []),
      ...(account.deadline ? [account.deadline] : []),
    ]);
    const next = dues.map((due) => due.getTime()).filter((due) => due > at + minute);
    return Math.min(...next, at + 5 * day) + wait.offset;
  }

  async work(jobs: Jobs, down: Down): Promise<void> {
    if (jobs === 'none') return;
    const kind = jobs === 'unclaimed' ? 'sweep' : 'look';
    const nodes: Node[] = jobs === 'here' || jobs === 'there' ? [jobs] : ['here', 'there'];
    const dones = await Promise.all(nodes.map((node) => this.run(node, { kind }, down)));
    for (const { refusal } of dones) expect(refusal).toBeUndefined();
    const canMail = down !== 'mail' && down !== 'identity';
    for (const { account, usage, diary } of this.orgs) {
      const before = `${account.plan} ${account.status} ${account.end.toISOString()}`;
      usage.tend(account, this.at, canMail);
      account.tend(this.at, down);
      if (before !== `${account.plan} ${account.status} ${account.end.toISOString()}`) {
        diary.push(`${this.at.toISOString()} jobs ${jobs}, down: ${down}`);
      }
    }
  }

  async obey(org: Org, command: Command, node: Node): Promise<void> {
    if (org.isClosed) return;
    const { account, diary, orgId } = org;
    const path = { orgId };
    diary.push(`${this.at.toISOString()} ${node} ${JSON.stringify(command)}`);
    switch (command.do) {
      case 'buy':
        return await this.buy(org, command, node);
      case 'open':
        return void (await this.open(org, { ...command, currency: undefined }, node));
      case 'finish':
        return await this.finish(org, node);
      case 'cancel': {
        const refusals = await this.ask(org, command, node, 'subscription.cancel', {
          path,
          body: { reason: 'Enough' },
        });
        return expect(refusals).toContain(account.cancel(this.at, null) ? undefined : 'PLAN_IS_FREE');
      }
      case 'resume': {
        const refusals = await this.ask(org, command, node, 'subscription.resume', { path });
        return expect(refusals).toContain(account.resume(this.at, null) ? undefined : 'PLAN_IS_FREE');
      }
      case 'card':
        if (account.sub)
          await TestSubscriptionModel.updateOne({ _id: account.sub, orgId }, { declinesRenewals: !command.works });
        account.works = command.works;
        return;
      case 'give':
        expect(
          await this.ask(org, command, node, 'subscriptions.give', { body: { orgId, plan: command.plan } }),
        ).toContain(undefined);
        return account.give(this.at, command.plan, null);
      case 'close':
        if (org.usage.isHolding()) return;
        await this.answer(node, org, 'organizations.close', { body: { orgId } });
        account.close(this.at, null);
        org.isClosed = true;
        return;
      case 'payInvoice':
        return await this.payInvoice(org, command.pick, node);
      case 'replay':
        return await this.replay(org, node);
      case 'use':
        return await this.use(org, command, node);
      case 'hold':
        return await this.hold(org, command.isDone, node);
    }
  }

  /** The refusals of a node, or of both when both are asked at once. */
  private async ask(org: Org, { twice }: { twice: boolean }, node: Node, action: string, params: object) {
    const nodes: Node[] = twice ? ['here', 'there'] : [node];
    const dones = await Promise.all(nodes.map((where) => this.call(where, org, action, params)));
    return dones.map(({ refusal }) => refusal);
  }

  /** What is offered, as it is shown to the payer; null: nothing. While it is open the same wish is offered the same. */
  private async open(
    org: Org,
    { plan, cycle, currency }: { plan: Plan; cycle: Cycle; currency: Currency | undefined },
    node: Node,
  ): Promise<Checkout | null> {
    const { account, orgId } = org;
    const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
    const body = { plan, billingCycle: cycle, ...(currency && { currency }), ...urls };
    const { answer, refusal } = await this.call(node, org, 'checkouts.open', { path: { orgId }, body });
    const { sessionId = '' } = (answer ?? {}) as { sessionId?: string };
    const offer = account.offer(this.at, { plan, cycle }, currency, sessionId.slice(4));
    expect(refusal).toBe(typeof offer === 'string' ? offer : undefined);
    if (typeof offer === 'string') return null;
    const isOpen = org.open && this.at < org.open.until && account.isOffered(org.open.offer, this.at);
    const former = org.open && isOpen && isSame(org.open.offer, offer) ? org.open.offer : null;
    expect(former === null || former.id === offer.id).toBe(true);
    const { amount } = former ?? offer;
    const page = isCovered(offer) ? 'covered' : offer.kind === 'pay' ? 'test' : 'change';
    const shown = await this.answer<object>(node, org, 'checkouts.show', { body: linkTo(sessionId) });
    expect(shown).toMatchObject({ status: 'open', amount, currency: offer.currency, page });
    if (!former) {
      // What was reckoned for the rest of a period is offered no longer than that.
      const longest = this.at.getTime() + 2 * hour;
      org.open = { offer, until: new Date(Math.min(longest, offer.within?.getTime() ?? longest)) };
    }
    return { ...offer, amount };
  }

  private act(node: Node, org: Org, { id }: Checkout, what: string): Promise<{ outcome: string }> {
    return this.answer(node, org, 'checkouts.act', { body: { ...linkTo(`chk_${id}`), act: what } });
  }

  private async buy(org: Org, { how, twice, ...wanted }: Extract<Command, { do: 'buy' }>, node: Node): Promise<void> {
    const { account } = org;
    const offer = await this.open(org, wanted, node);
    if (!offer) return;
    org.open = null;
    if (offer.kind === 'change') {
      expect(await this.act(node, org, offer, 'confirm')).toMatchObject({ outcome: 'done' });
      return account.schedule(this.at, offer.terms, null);
    }
    if (isCovered(offer)) {
      expect(await this.act(node, org, offer, 'confirm')).toMatchObject({ outcome: 'done' });
      return account.pay(this.at, offer, account.works, null);
    }
    if (how === 'declined-first') expect(await this.act(node, org, offer, 'decline')).toEqual({ outcome: 'declined' });
    if (how === 'challenge') expect(await this.act(node, org, offer, 'challenge')).toEqual({ outcome: 'challenged' });
    const last = how === 'challenge' ? 'complete' : how === 'approve-once' ? how : 'approve';
    const nodes: Node[] = twice ? ['here', 'there'] : [node];
    const outcomes = await Promise.all(nodes.map((where) => this.act(where, org, offer, last)));
    expect(outcomes.map(({ outcome }) => outcome)).toContain('done');
    account.pay(this.at, offer, how !== 'approve-once', null);
    org.bought.push(`chk_${offer.id}`);
  }

  /** Whoever was offered something comes back, perhaps too late. */
  private async finish(org: Org, node: Node): Promise<void> {
    const { account, open } = org;
    if (!open) return;
    org.open = null;
    const { offer, until } = open;
    const last = offer.kind === 'change' || isCovered(offer) ? 'confirm' : 'approve';
    const { outcome } = await this.act(node, org, offer, last);
    const isInTime = this.at < until;
    if (offer.kind === 'pay') {
      const isHad = isInTime && account.isOffered(offer, this.at);
      expect(outcome).toBe(isHad ? 'done' : 'over');
      if (!isHad) return;
      account.pay(this.at, offer, isCovered(offer) ? account.works : true, null);
      if (!isCovered(offer)) org.bought.push(`chk_${offer.id}`);
      return;
    }
    const now = account.peek(this.at);
    const isChange =
      typeof account.offer(this.at, offer.terms, offer.currency, '') !== 'string' &&
      (account.offer(this.at, offer.terms, offer.currency, '') as Checkout).kind === 'change';
    const will = now.scheduled ?? now.terms();
    const isHad = will.plan === offer.terms.plan && will.cycle === offer.terms.cycle;
    expect(outcome).toBe(isInTime && (isChange || isHad) ? 'done' : 'over');
    if (!isInTime) return;
    if (isChange) account.schedule(this.at, offer.terms, null);
    else account.change(this.at, null, () => undefined);
  }

  /** What was told of a payment is told again, under another id. */
  private async replay(org: Org, node: Node): Promise<void> {
    const checkoutId = org.bought.slice(-8)[0];
    const outcome = await TestOutcomeModel.findOne({
      _id: checkoutId ?? '',
      orgId: org.orgId,
    }).lean<TestOutcomeDocument>();
    if (!outcome) return;
    const createdAt = this.at.toISOString();
    const body = JSON.stringify({ id: newId('evt'), type: 'checkout.completed', createdAt, data: outcome.payment });
    for (const where of [node, 'here', 'there'] as const) {
      expect((await this.run(where, { kind: 'webhook', body })).refusal).toBeUndefined();
    }
    org.account.change(this.at, null, () => undefined);
  }

  private async payInvoice(org: Org, pick: number, node: Node): Promise<void> {
    const { account, orgId } = org;
    const payable = account.ledger.filter(({ status }) => status === 'open' || status === 'uncollectible');
    const chosen = payable[pick % payable.length];
    if (!chosen) return;
    const found = await InvoiceModel.findOne({
      orgId,
      'lines.period.end': chosen.end,
      status: { $in: ['open', 'uncollectible'] },
    }).lean<InvoiceDocument>();
    await this.answer(node, org, 'console.pay', { body: { id: found?._id ?? '' } });
    account.payInvoice(this.at, chosen, null);
  }

  private async use(org: Org, { meter, amount, end }: Extract<Command, { do: 'use' }>, node: Node): Promise<void> {
    const { account, usage, orgId } = org;
    this.uses += 1;
    const take = { orgId, meter, amount, key: `use ${this.uses}`, owner: 'shop' };
    const taken = await this.answer<{ outcome: string; receipt: object }>(node, org, 'quota.take', { body: take });
    expect(taken.outcome).toBe(usage.take(account, meter, amount, this.at));
    if (taken.outcome !== 'taken') return;
    if (end === 'refund') {
      await this.answer(node, org, 'quota.refund', { body: { takes: [taken.receipt] } });
      return usage.giveBack(meter, amount, this.at);
    }
    await this.answer(node, org, 'quota.commit', { body: { takes: [{ receipt: taken.receipt }] } });
    if (end === 'commit') return;
    const again = await this.answer<{ outcome: string; receipt: object }>('there', org, 'quota.take', { body: take });
    expect(again.outcome).toBe('taken');
    await this.answer('here', org, 'quota.commit', { body: { takes: [{ receipt: again.receipt }] } });
  }

  /** Work that is never ended by whoever took for it. */
  private async hold(org: Org, isDone: boolean, node: Node): Promise<void> {
    const { account, usage, orgId } = org;
    this.uses += 1;
    const meter = 'storage.bandwidthGbPerMonth';
    const take = { orgId, meter, amount: 1000, key: `use ${this.uses}${isDone ? ':done' : ''}`, owner: 'shop' };
    const { outcome } = await this.answer<{ outcome: string }>(node, org, 'quota.take', { body: take });
    const hold = { amount: 1000, until: new Date(this.at.getTime() + 5 * minute), isDone };
    expect(outcome).toBe(usage.hold(account, meter, hold, this.at));
  }

  /** What is shown to an organization now. */
  async look(org: Org, node: Node): Promise<void> {
    const { account, usage, orgId } = org;
    const now = account.peek(this.at);
    const { start, end } = now.period(this.at);
    const [shown, granted, used] = [
      await this.answer<object>(node, org, 'subscription.read', { path: { orgId } }),
      await this.answer<object>(node, org, 'entitlements.read', { path: { orgId } }),
      await this.answer<object>(node, org, 'usage.read', { path: { orgId } }),
    ];
    expect(shown).toEqual({
      orgId,
      plan: now.plan,
      status: now.status,
      gatewaySubscriptionId: now.sub,
      currentPeriodStart: start.toISOString(),
      currentPeriodEnd: end.toISOString(),
      cancelAtPeriodEnd: now.isCanceled,
      billingCycle: now.cycle,
    });
    const limit = limits[now.plan];
    const [events, sends, mails] = [
      limit['context.eventsPerDay'],
      limit['notification.sendsPerMonth'],
      limit['mail.sendsPerMonth'],
    ];
    expect(granted).toMatchObject({
      plan: now.plan,
      status: now.status,
      currentPeriodEnd: end.toISOString(),
      entitlements: {
        context: { eventsPerDay: events },
        notification: { sendsPerMonth: sends },
        mail: { sendsPerMonth: mails },
      },
    });
    expect(used).toMatchObject({
      period: `${start.toISOString()} / ${end.toISOString()}`,
      usage: {
        context: { eventsToday: usage.used('context.eventsPerDay', this.at), limitPerDay: events },
        notification: { sentThisMonth: usage.used('notification.sendsPerMonth', this.at), limitPerMonth: sends },
        mail: { sentThisMonth: usage.used('mail.sendsPerMonth', this.at), limitPerMonth: mails },
      },
    });
  }

  /** What was invoiced, charged and told until now. */
  async audit(org: Org): Promise<void> {
    const { account, usage, orgId } = org;
    const invoices = await InvoiceModel.find({ orgId }).sort({ issuedAt: 1, sequence: 1 }).lean<InvoiceDocument[]>();
    const ledger = invoices.map(({ amount, currency, lines, status, issuedAt, dueAt, paidAt }) => {
      const [line] = lines;
      const { start, end } = line!.period!;
      return { amount, currency, description: line!.description, start, end, status, issuedAt, dueAt, paidAt };
    });
    expect(ledger).toEqual(account.ledger.map(({ sub: _sub, bound: _bound, ...invoice }) => invoice));
    expect(new Set(invoices.map(({ key }) => key)).size).toBe(invoices.length);
    const charges = [...this.charges.values()].filter(({ key }) => key.startsWith(orgId));
    const lineOf = ({ sub, end, amount }: { sub: string; end: number; amount: number }) =>
      `${sub} ${new Date(end).toISOString()} ${amount}`;
    const expected = account.charged.map((one) => lineOf({ ...one, end: one.end.getTime() }));
    expect(charges.map(lineOf).sort()).toEqual(expected.sort());
    const told = [...this.mails.values()].filter((mail) => mail.orgId === orgId);
    for (const name of ['ann', 'ben']) {
      const mine = told.filter(({ to }) => to === `${name}@${orgId}.example`);
      const lifecycle = mine
        .filter(({ template }) => template !== 'quota-warning')
        .map(
          ({ template, variables: { plan, graceUntil, endsAt, freeFrom } }) =>
            `${template} ${plan} ${graceUntil ?? endsAt ?? freeFrom ?? null}`,
        );
      expect(lifecycle.sort()).toEqual(
        account.mails.map(({ template, plan, date }) => `${template} ${plan} ${date}`).sort(),
      );
      const warnings = mine
        .filter(({ template }) => template === 'quota-warning')
        .map(({ key }) =>
          key
            .split(':')
            .slice(2, -1)
            .join(':')
            .replace(/:(\d+):(\d+)$/, ' $1 $2')
            .replace(':', ' '),
        );
      expect(warnings.sort()).toEqual([...usage.warnings].sort());
    }
  }

  /** What was used in the periods that are over. */
  async auditUsage(org: Org): Promise<void> {
    const { usage, orgId } = org;
    const expected = usage.history();
    type Page = { data: { meter: string; period: string; used: number; limit: number }[]; nextCursor: string | null };
    const found: Page['data'] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: '100', ...(cursor && { cursor }) };
      const page: Page = await this.answer('here', org, 'usage.list-history', { path: { orgId }, query });
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    const shape = (meter: string, period: string, used: number, limit: number) =>
      `${period} ${meter} ${used} of ${limit}`;
    const shown = found.map(({ meter, period, used, limit }) => shape(meter, period, used, limit));
    const wanted = expected.map(({ meter, start, end, used, limit }) =>
      shape(meter, `${start.toISOString()} / ${end.toISOString()}`, used / unitOf(meter), limit),
    );
    expect(shown.sort()).toEqual(wanted.sort());
    expect(await UsagePeriodModel.countDocuments({ orgId })).toBe(expected.length);
  }
}

/** Whether two offers are for the same. */
function isSame(one: Checkout, other: Checkout): boolean {
  const isOfSame = (one.within === null) === (other.within === null) && (one.within === null || one.sub === other.sub);
  const areTerms = one.terms.plan === other.terms.plan && one.terms.cycle === other.terms.cycle;
  return isOfSame && areTerms && one.kind === other.kind && one.currency === other.currency;
}

/** Within each year the numbers run from 1 without a gap, in the order of issue. */
async function auditNumbers(): Promise<void> {
  const all = await InvoiceModel.find({}).setOptions({ acrossTenants: true }).lean<InvoiceDocument[]>();
  const bySeries = new Map<string, InvoiceDocument[]>();
  for (const invoice of all) bySeries.set(invoice.series, [...(bySeries.get(invoice.series) ?? []), invoice]);
  for (const [series, invoices] of bySeries) {
    const inOrder = invoices.sort((one, other) => one.sequence - other.sequence);
    expect(inOrder.map(({ number }) => number)).toEqual(
      inOrder.map((_, place) => `${series}-${String(place + 1).padStart(6, '0')}`),
    );
    for (const [place, { issuedAt }] of inOrder.entries()) {
      expect(issuedAt?.getUTCFullYear()).toBe(Number(series));
      if (place > 0) expect(issuedAt!.getTime()).toBeGreaterThanOrEqual(inOrder[place - 1]!.issuedAt!.getTime());
    }
  }
}

/** Names the organization, and tells what had happened to it, when what follows fails. */
async function about(org: Org, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    (error as Error).message += `\n\n${org.orgId} until then:\n${org.diary.join('\n')}`;
    throw error;
  }
}

const buy = {
  do: 'buy',
  plan: 'pro',
  cycle: 'monthly',
  currency: undefined,
  how: 'approve',
  twice: false,
} as const satisfies Command;

/** A whole year takes half a minute. Two months have two renewals, and the grace and end of what is not paid. */
const daysLived = propertyCases(62, 366);

async function live({ start, steps }: World): Promise<void> {
  const year = new Year(start);
  const end = start.getTime() + daysLived * day;
  let turn = 0;
  // Every third organization begins on the very first day, which is the last of a month.
  for (const org of year.orgs.filter((_, place) => place % 3 === 0)) {
    await about(org, () => year.obey(org, buy, 'here'));
  }
  for (const { eve, wait: usual, jobs, down, commands } of steps) {
    const wait = eve ? await year.eve() : usual;
    const before = year.at;
    year.pass(wait);
    if (year.at.getTime() > end) {
      // What is over for more than 13 months is forgotten.
      year.at = before;
      break;
    }
    await year.work(jobs, down);
    const touched = commands.map(({ org, command, there: isThere }) => ({
      org: year.orgs[org] ?? year.nextDue(),
      command,
      node: isThere ? ('there' as const) : ('here' as const),
    }));
    const back = year.orgs.filter((one) => one.open && !touched.some(({ org }) => org === one));
    for (const org of back) await about(org, () => year.obey(org, { do: 'finish' }, turn % 2 === 0 ? 'here' : 'there'));
    for (const { org, command, node } of touched) await about(org, () => year.obey(org, command, node));
    const others = Array.from({ length: 3 }, () => year.orgs[turn++ % organizations]!);
    for (const org of new Set([...touched.map((one) => one.org), ...back, ...others])) {
      await about(org, () => year.look(org, turn % 2 === 0 ? 'here' : 'there'));
      await about(org, () => year.audit(org));
    }
  }
  await finish(year);
}

/** With everything up, whatever had to wait is done in two hours. */
async function finish(year: Year): Promise<void> {
  for (const jobs of ['both', 'here', 'unclaimed'] as const) {
    year.pass({ until: 'later', ms: hour });
    await year.work(jobs, null);
  }
  for (const org of year.orgs) {
    await about(org, async () => {
      await year.look(org, 'here');
      await year.audit(org);
      await year.auditUsage(org);
    });
  }
  await auditNumbers();
  expect(
    await SubscriptionModel.countDocuments({ 'effects.0': { $exists: true } }, { acrossTenants: true } as never),
  ).toBe(0);
}

function yearOfOne(start: string): { year: Year; org: Org } {
  const year = new Year(new Date(start));
  const [org] = year.orgs as [Org];
  year.orgs.length = 1;
  return { year, org };
}

describe('a year of billing on two nodes', () => {
  test('takes nothing of a year that was paid for a month of more, which is longer for it, also in another currency', async () => {
    const { year, org } = yearOfOne('2030-01-31T12:00:00.000Z');
    const { account } = org;
    await year.obey(org, { ...buy, cycle: 'yearly' }, 'here');
    year.pass({ until: 'later', ms: 10 * day });
    await year.obey(org, { ...buy, plan: 'scale', currency: 'usd' }, 'there');
    // 355 of 365 days of USD 540, of USD 329 for 28 days.
    const length = Math.ceil((54_000 * 355 * 28 * day) / (365 * 32_900));
    const { end } = account;
    expect(account.ledger.map(({ amount, currency }) => `${amount} ${currency}`)).toEqual(['49000 eur', '0 usd']);
    expect(end).toEqual(new Date(year.at.getTime() + length));
    for (const node of ['here', 'there'] as const) {
      await year.look(org, node);
      year.at = account.end;
      await year.work(node, null);
    }
    expect(account.start).toEqual(new Date(end.toISOString().replace('-03-', '-04-')));
    await year.look(org, 'here');
    await year.audit(org);
  });

  test('writes off what was never paid of a subscription that ends, also when what came later was', async () => {
    const { year, org } = yearOfOne('2030-06-30T12:00:00.000Z');
    const later: Command[] = [
      { do: 'card', works: true },
      { do: 'payInvoice', pick: 1 },
      { do: 'cancel', twice: false },
    ];
    await year.obey(org, { ...buy, how: 'approve-once' }, 'here');
    year.pass({ until: 'later', ms: 65 * day });
    await year.work('here', null);
    for (const command of later) await year.obey(org, command, 'here');
    year.pass({ until: 'due', offset: 30 * day });
    await year.work('both', null);
    await year.look(org, 'here');
    await year.audit(org);
    expect(org.account.ledger.map(({ status }) => status)).toEqual(['paid', 'uncollectible', 'paid']);
  });

  test('has nobody pay for the rest of a period what gives them the next one', async () => {
    const { year, org } = yearOfOne('2030-10-31T12:00:00.000Z');
    await year.obey(org, buy, 'here');
    for (const ending of ['renewed', 'ended'] as const) {
      if (ending === 'ended') await year.obey(org, { do: 'cancel', twice: false }, 'here');
      await year.eve(32 * day);
      expect(org.open?.offer.amount).toBeLessThan(100);
      year.pass({ until: 'later', ms: hour });
      await year.obey(org, { do: 'finish' }, 'there');
      await year.look(org, 'here');
      await year.audit(org);
      expect(org.account.peek(year.at).plan).toBe(ending === 'renewed' ? 'pro' : 'free');
    }
  });

  test('sells no more of a subscription that is gone', async () => {
    const { year, org } = yearOfOne('2031-01-01T12:00:00.000Z');
    await year.obey(org, buy, 'here');
    year.pass({ until: 'later', ms: 5 * day });
    await year.obey(org, { do: 'open', plan: 'scale', cycle: 'monthly' }, 'here');
    await year.obey(org, { do: 'give', plan: 'free', twice: false }, 'here');
    await year.obey(org, { do: 'finish' }, 'there');
    await year.look(org, 'here');
    await year.audit(org);
  });

  test('sells the unpaid period, which comes back to its day, also at the very instant at which it began on the last of a month', async () => {
    const { year, org } = yearOfOne('2031-01-31T12:00:00.000Z');
    await year.obey(org, buy, 'here');
    year.at = new Date('2031-02-28T12:00:00.000Z');
    await year.work('here', 'provider');
    await year.obey(org, { ...buy, plan: 'scale' }, 'there');
    for (const end of ['2031-03-31', '2031-04-30']) {
      await year.look(org, 'here');
      expect(org.account.end.toISOString()).toBe(`${end}T12:00:00.000Z`);
      year.pass({ until: 'later', ms: 31 * day });
      await year.work('there', null);
    }
    await year.audit(org);
  });

  test(
    'is as it would be by hand, whatever happens',
    async () => {
      const seed = Number(process.env.YEAR_SEED ?? Date.now() % 2 ** 31);
      const [one] = fc.sample(world, { numRuns: 1, seed });
      await live(one!).catch((error: Error) => {
        error.message += `\n\nYEAR_SEED=${seed}`;
        throw error;
      });
    },
    propertyTimeout,
  );
});
