import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { day, hour } from '../../../lib/clock.ts';
import type { BillingCycle, PlanName } from '../../../models/billing/sold-version.ts';
import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf, priceOf } from '../../../services/billing/plans/plans.ts';
import type { SubscriptionEvent } from '../../../services/billing/subscriptions/events.ts';
import { catchUp, next, periodAt } from '../../../services/billing/subscriptions/state.ts';
import { givenSubscription } from '../../../services/billing/subscriptions/transition.ts';

type Bought = { plan: PlanName; billingCycle: BillingCycle };
type Command =
  | ({ do: 'buy' | 'schedule' } & Bought)
  | { do: 'wait' | 'cancel' | 'resume' | 'pay' | 'unschedule' | 'clockBack' }
  | { do: 'card'; works: boolean };
/** A command, so many hours after the one before; its answers by the provider come in order or against it. */
type Step = { hours: number; command: Command; reversed: boolean };

const bought = fc.record({
  plan: fc.constantFrom<PlanName>('pro', 'scale'),
  billingCycle: fc.constantFrom<BillingCycle>('monthly', 'monthly', 'yearly'),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Command>({ do: 'wait' }) },
  { weight: 5, arbitrary: bought.map((terms): Command => ({ do: 'buy', ...terms })) },
  { weight: 2, arbitrary: bought.map((terms): Command => ({ do: 'schedule', ...terms })) },
  { weight: 3, arbitrary: fc.boolean().map((works): Command => ({ do: 'card', works })) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Command>(
      { do: 'cancel' },
      { do: 'resume' },
      { do: 'pay' },
      { do: 'unschedule' },
      { do: 'clockBack' },
    ),
  },
);
/** From an hour to the downtime of a quarter. */
const hours = fc.oneof(
  fc.integer({ min: 0, max: 72 }),
  fc.integer({ min: 1, max: 800 }),
  fc.integer({ min: 1, max: 2200 }),
);
const stepsOf = (size: { minLength: number; maxLength: number }) =>
  fc.array(fc.record({ hours, command, reversed: fc.boolean() }), size);
/** Among them ends of months, a leap day and the last minutes of a year. */
const begin = fc
  .constantFrom(
    '2030-01-31T23:59:59.999Z',
    '2031-12-31T12:00:00.000Z',
    '2032-02-29T00:00:00.000Z',
    '2030-01-29T13:37:00.000Z',
    '2030-05-15T08:30:00.123Z',
  )
  .map((text) => new Date(text));

/** The machine, with a provider that answers each charge by a card that works or does not. */
class Machine {
  subscription: Subscription;
  works = true;
  private purchases = 0;
  readonly issued: string[] = [];
  readonly settled = new Set<string>();
  readonly ended: string[] = [];

  constructor(at: Date) {
    this.subscription = givenSubscription('free', at);
  }

  do({ command, reversed }: Omit<Step, 'hours'>, at: Date): void {
    this.catchUp(at, reversed);
    const event = this.eventOf(command);
    if (event) this.tell(event, at, reversed);
    this.catchUp(at, reversed);
  }

  catchUp(at: Date, reversed = false): void {
    const { subscription, effects } = catchUp(this.subscription, at);
    this.subscription = subscription;
    this.carryOut(effects, at, reversed);
  }

  private eventOf(command: Command): SubscriptionEvent | null {
    const id = this.subscription.gatewaySubscriptionId;
    switch (command.do) {
      case 'buy': {
        this.purchases += 1;
        const { plan, billingCycle } = command;
        return {
          kind: 'checkoutCompleted',
          checkoutId: `chk_${this.purchases}`,
          terms: { plan, version: 1, billingCycle },
          provider: 'test',
          gatewaySubscriptionId: id ?? `sub_${this.purchases}`,
          collection: 'platform',
          currency: 'eur',
          amount: 0,
          period: null,
        };
      }
      case 'schedule':
        return { kind: 'planScheduled', to: { plan: command.plan, version: 1, billingCycle: command.billingCycle } };
      case 'unschedule':
        return { kind: 'planScheduled', to: null };
      case 'cancel':
        return { kind: 'cancelRequested', reason: null };
      case 'resume':
        return { kind: 'resumed' };
      case 'pay':
        return id === null ? null : { kind: 'paymentRecovered', gatewaySubscriptionId: id, period: null };
      case 'card':
        this.works = command.works;
        return null;
      default:
        return null;
    }
  }

  /** Everything is told twice, of which the second time must change nothing. */
  private tell(event: SubscriptionEvent, at: Date, reversed: boolean): void {
    const { subscription, effects } = next(this.subscription, event, at);
    const again = next(subscription, event, at);
    expect(again.subscription).toBe(subscription);
    expect(again.effects.filter(({ kind }) => kind !== 'settleInvoice')).toEqual([]);
    this.subscription = subscription;
    this.carryOut(effects, at, reversed);
  }

  private carryOut(effects: Effect[], at: Date, reversed: boolean): void {
    const answers: SubscriptionEvent[] = [];
    for (const effect of effects) {
      if (effect.kind === 'issueInvoice') {
        const { reason, terms, period, amount } = effect;
        this.issued.push(lineOf(reason, terms, period, reason === 'renewed' ? amount : null));
        if (effect.isPaid) this.settled.add(`${period.start.toISOString()} ${period.end.toISOString()}`);
      }
      if (effect.kind === 'settleInvoice') {
        this.settled.add(`${effect.period.start.toISOString()} ${effect.period.end.toISOString()}`);
      }
      if (effect.kind === 'endAtProvider') this.ended.push(effect.gatewaySubscriptionId);
      if (effect.kind === 'charge') {
        const { gatewaySubscriptionId, period } = effect;
        answers.push(
          this.works
            ? { kind: 'renewed', gatewaySubscriptionId, period, amount: null }
            : { kind: 'paymentFailed', gatewaySubscriptionId, period },
        );
      }
    }
    if (reversed) answers.reverse();
    for (const answer of answers) this.tell(answer, at, reversed);
  }
}

function lineOf(reason: string, { plan, billingCycle }: Bought, { start, end }: Period, amount: number | null): string {
  const price = amount === null ? '' : ` for ${amount}`;
  return `${reason} ${plan} ${billingCycle} ${start.toISOString()} ${end.toISOString()}${price}`;
}

/** So many months after an instant by the wall calendar of UTC: the rule of the specification, written out. */
function plusMonths(anchor: Date, months: number): Date {
  const [date = '', time = ''] = anchor.toISOString().split('T');
  const [year, month, dayOfMonth] = date.split('-').map(Number) as [number, number, number];
  const index = year * 12 + (month - 1) + months;
  const [y, m] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]!;
  const pad = (value: number): string => String(value).padStart(2, '0');
  return new Date(`${y}-${pad(m)}-${pad(Math.min(dayOfMonth, length))}T${time}`);
}

/** What the specification says, by one variable for each thing, and periods counted in months from an anchor. */
class Model {
  plan: PlanName = 'free';
  cycle: BillingCycle = 'monthly';
  status: 'active' | 'past_due' | 'expired' = 'active';
  anchor = new Date(0);
  months = 0;
  isCanceled = false;
  scheduled: Bought | null = null;
  ends: Date | null = null;
  works = true;
  readonly issued: string[] = [];
  readonly settled = new Set<string>();

  private length = (): number => (this.cycle === 'yearly' ? 12 : 1);
  period = (): Period => ({
    start: plusMonths(this.anchor, this.months),
    end: plusMonths(this.anchor, this.months + this.length()),
  });

  do(command: Command, at: Date): void {
    this.catchUp(at);
    this.obey(command, at);
    this.catchUp(at);
  }

  private obey(command: Command, at: Date): void {
    if (command.do === 'card') this.works = command.works;
    if (command.do === 'buy') this.buy(command, at);
    if (this.plan === 'free') return;
    if (command.do === 'cancel') {
      if (this.status === 'expired') this.becomeFree();
      else if (!this.isCanceled) [this.isCanceled, this.scheduled] = [true, null];
    }
    if (command.do === 'resume') this.isCanceled = false;
    if (command.do === 'pay' && this.status !== 'active') {
      this.status = 'active';
      this.ends = null;
      this.settle();
    }
    if (this.status === 'expired') return;
    if (command.do === 'unschedule') this.scheduled = null;
    if (command.do === 'schedule') {
      const to = { plan: command.plan, billingCycle: command.billingCycle };
      const isSame = directionOf({ plan: this.plan, billingCycle: this.cycle }, to) === 'same';
      this.scheduled = isSame ? null : to;
      if (!isSame) this.isCanceled = false;
    }
  }

  private buy({ plan, billingCycle }: Bought, at: Date): void {
    const isKept = this.plan !== 'free' && this.status === 'active' && this.cycle === billingCycle;
    const isSame = isKept && this.plan === plan;
    const reason = this.plan === 'free' ? 'subscribed' : 'upgraded';
    if (!isKept) [this.anchor, this.months] = [at, 0];
    [this.plan, this.cycle, this.status, this.isCanceled] = [plan, billingCycle, 'active', false];
    [this.scheduled, this.ends] = [null, null];
    if (isSame) return;
    this.issued.push(lineOf(reason, { plan, billingCycle }, this.period(), null));
    this.settle();
  }

  private catchUp(at: Date): void {
    const asked: Period[] = [];
    while (this.plan !== 'free' && this.status === 'active' && at >= this.period().end) {
      if (this.isCanceled) this.becomeFree();
      else asked.push(this.renew());
    }
    if (asked.length > 0 && this.plan !== 'free') {
      if (this.works)
        for (const { start, end } of asked) this.settled.add(`${start.toISOString()} ${end.toISOString()}`);
      else [this.status, this.ends] = ['past_due', new Date(at.getTime() + 7 * day)];
    }
    if (this.status === 'past_due' && this.isCanceled && at >= this.period().end) this.becomeFree();
    if (this.status === 'past_due' && this.ends && at >= this.ends) {
      if (this.isCanceled) this.becomeFree();
      else [this.status, this.ends] = ['expired', new Date(this.ends.getTime() + 30 * day)];
    }
    if (this.status === 'expired' && this.ends && at >= this.ends) this.becomeFree();
  }

  private renew(): Period {
    this.months += this.length();
    if (this.scheduled)
      [this.plan, this.cycle, this.scheduled] = [this.scheduled.plan, this.scheduled.billingCycle, null];
    const terms = { plan: this.plan, billingCycle: this.cycle };
    const period = this.period();
    this.issued.push(lineOf('renewed', terms, period, priceOf({ ...terms, version: 1 }, 'eur')));
    return period;
  }

  private settle(): void {
    const { start, end } = this.period();
    this.settled.add(`${start.toISOString()} ${end.toISOString()}`);
  }

  private becomeFree(): void {
    [this.plan, this.cycle, this.status, this.isCanceled] = ['free', 'monthly', 'active', false];
    [this.scheduled, this.ends] = [null, null];
  }
}

function simulate(start: Date, steps: Step[]): void {
  const machine = new Machine(start);
  const model = new Model();
  let at = start;
  for (const { hours, command, reversed } of steps) {
    at = new Date(at.getTime() + hours * hour);
    machine.do({ command, reversed }, at);
    model.do(command, at);
    if (command.do === 'clockBack') {
      const before = machine.subscription;
      machine.catchUp(new Date(at.getTime() - 40 * day));
      expect(machine.subscription).toBe(before);
    }
    compare(machine, model, at);
  }
}

function compare({ subscription, issued, settled }: Machine, model: Model, at: Date): void {
  const { plan, billingCycle, status, cancelAtPeriodEnd, scheduled, deadline } = subscription;
  expect({ plan, billingCycle, status, cancelAtPeriodEnd, deadline }).toEqual({
    plan: model.plan,
    billingCycle: model.cycle,
    status: model.status,
    cancelAtPeriodEnd: model.isCanceled,
    deadline: model.ends,
  });
  expect(scheduled && { plan: scheduled.plan, billingCycle: scheduled.billingCycle }).toEqual(model.scheduled);
  if (plan !== 'free') expect(periodAt(subscription, at)).toEqual(model.period());
  expect(issued).toEqual(model.issued);
  expect([...settled].sort()).toEqual([...model.settled].sort());
}

describe('a subscription', () => {
  test('goes through a year as the specification says, whatever happens', () => {
    fc.assert(fc.property(begin, stepsOf({ minLength: 5, maxLength: 40 }), simulate), { numRuns: 500 });
  });

  test('goes through ten years as the specification says', () => {
    fc.assert(fc.property(begin, stepsOf({ minLength: 150, maxLength: 250 }), simulate), { numRuns: 40 });
  });

  test('has the same ledger after ten years however late the ticks come', () => {
    const years = 10;
    const pauses = fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(begin, bought, pauses, (start, terms, pauses) => {
        const [timely, late] = [new Machine(start), new Machine(start)];
        const end = start.getTime() + years * 366 * day;
        for (const machine of [timely, late]) machine.do({ command: { do: 'buy', ...terms }, reversed: false }, start);
        for (let at = start.getTime(); at < end; at += day) timely.catchUp(new Date(at));
        for (let [at, turn] = [start.getTime(), 0]; at < end; turn += 1) {
          late.catchUp(new Date(at));
          at += pauses[turn % pauses.length]! * hour;
        }
        for (const machine of [timely, late]) machine.catchUp(new Date(end));
        expect(late.issued).toEqual(timely.issued);
        expect(late.settled).toEqual(timely.settled);
        expect({ ...late.subscription, changedAt: end }).toEqual({ ...timely.subscription, changedAt: end });
      }),
      { numRuns: 50 },
    );
  });

  test('has periods that follow one another without a gap and come back to their day', () => {
    fc.assert(
      fc.property(begin, bought, (start, terms) => {
        const machine = new Machine(start);
        machine.do({ command: { do: 'buy', ...terms }, reversed: false }, start);
        machine.catchUp(new Date(start.getTime() + 3660 * day));
        const periods = machine.issued.map((line) => line.split(' ').slice(3, 5)) as [string, string][];
        expect(periods.length).toBeGreaterThan(9);
        for (const [place, [from, to]] of periods.entries()) {
          expect(from).toBe(place === 0 ? start.toISOString() : periods[place - 1]![1]);
          expect(from < to).toBe(true);
        }
        for (const [from] of periods.filter(
          (_period, place) => place % (terms.billingCycle === 'yearly' ? 4 : 48) === 0,
        )) {
          expect(from.slice(4)).toBe(start.toISOString().slice(4));
        }
      }),
      { numRuns: 20 },
    );
  });
});
