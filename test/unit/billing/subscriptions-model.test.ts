import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { day, hour } from '../../../lib/data/clock.ts';
import type { BillingCycle, Currency, PlanName } from '../../../models/billing/sold-version.ts';
import type { Effect, Period, Subscription } from '../../../models/billing/subscription.ts';
import { directionOf, priceOf } from '../../../services/billing/plans/plans.ts';
import { upgradeAmount } from '../../../services/billing/subscriptions/proration.ts';
import { applyDueTransitions, next, periodAt } from '../../../services/billing/subscriptions/state.ts';
import {
  complimentarySubscription,
  type SubscriptionEvent,
} from '../../../services/billing/subscriptions/transition.ts';
import { propertyCases } from '../../support/property-cases.ts';

type Bought = { plan: PlanName; billingCycle: BillingCycle };
/** `hoursAgo` it was said what is due; `anew`: in full, for another subscription of the provider's. */
type Purchase = Bought & { currency: Currency; hoursAgo: number; anew: boolean };
type Command =
  | ({ do: 'buy' } & Purchase)
  | ({ do: 'schedule' } & Bought)
  | { do: 'wait' | 'cancel' | 'resume' | 'pay' | 'unschedule' | 'clockBack' }
  | { do: 'card'; works: boolean };
/** A command, so many hours after the one before; its answers by the provider come in order or against it. */
type Step = { hours: number; command: Command; reversed: boolean };

const bought = fc.record({
  plan: fc.constantFrom<PlanName>('pro', 'scale'),
  billingCycle: fc.constantFrom<BillingCycle>('monthly', 'monthly', 'yearly'),
});
const purchase: fc.Arbitrary<Command> = fc.record({
  do: fc.constant('buy' as const),
  plan: fc.constantFrom<PlanName>('pro', 'scale'),
  billingCycle: fc.constantFrom<BillingCycle>('monthly', 'monthly', 'yearly'),
  currency: fc.constantFrom<Currency>('eur', 'eur', 'usd'),
  hoursAgo: fc.constantFrom(0, 0, 0, 1, 2, 300),
  anew: fc.constantFrom(false, false, false, true),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Command>({ do: 'wait' }) },
  { weight: 5, arbitrary: purchase },
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
    this.subscription = complimentarySubscription('free', at);
  }

  do({ command, reversed }: Omit<Step, 'hours'>, at: Date): void {
    this.catchUp(at, reversed);
    const event = this.eventOf(command, at);
    if (event) this.tell(event, at, reversed);
    this.catchUp(at, reversed);
  }

  catchUp(at: Date, reversed = false): void {
    const { subscription, effects } = applyDueTransitions(this.subscription, at);
    this.subscription = subscription;
    this.carryOut(effects, at, reversed);
  }

  private eventOf(command: Command, at: Date): SubscriptionEvent | null {
    const id = this.subscription.gatewaySubscriptionId;
    switch (command.do) {
      case 'buy': {
        this.purchases += 1;
        const { plan, billingCycle, currency, hoursAgo, anew } = command;
        const terms = { plan, version: 1, billingCycle };
        const bought = { terms, provider: 'test', currency };
        const said = new Date(at.getTime() - hoursAgo * hour);
        return {
          kind: 'checkoutCompleted',
          checkoutId: `chk_${this.purchases}`,
          ...bought,
          gatewaySubscriptionId: anew || id === null ? `sub_${this.purchases}` : id,
          collection: 'platform',
          amount: anew ? priceOf(terms, currency) : upgradeAmount(this.subscription, bought, said),
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
        const { reason, terms, period, amount, currency } = effect;
        this.issued.push(lineOf(reason, terms, period, { amount, currency }));
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

type Price = { amount: number; currency: Currency };

function lineOf(reason: string, { plan, billingCycle }: Bought, { start, end }: Period, price: Price): string {
  const { amount, currency } = price;
  return `${reason} ${plan} ${billingCycle} ${start.toISOString()} ${end.toISOString()} for ${amount} ${currency}`;
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

/**
 * What the specification says, by one variable for each thing, and periods counted in months from an anchor, which is
 * where a period that was lengthened ended.
 */
class Model {
  plan: PlanName = 'free';
  cycle: BillingCycle = 'monthly';
  status: 'active' | 'past_due' | 'expired' = 'active';
  currency: Currency = 'eur';
  anchor = new Date(0);
  months = 0;
  lengthened: Period | null = null;
  isCanceled = false;
  scheduled: Bought | null = null;
  ends: Date | null = null;
  works = true;
  /** The first period that is not paid, counted as the present one is. */
  private unpaid: { anchor: Date; months: number } | null = null;
  /** So many milliseconds were had before and never paid. */
  private unpaidUse = 0;
  readonly issued: string[] = [];
  readonly settled = new Set<string>();

  private length = (): number => (this.cycle === 'yearly' ? 12 : 1);
  private ordinary = (): Period => ({
    start: plusMonths(this.anchor, this.months),
    end: plusMonths(this.anchor, this.months + this.length()),
  });
  period = (): Period => this.lengthened ?? this.ordinary();

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
      [this.unpaid, this.unpaidUse] = [null, 0];
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

  private buy({ plan, billingCycle, currency, hoursAgo, anew }: Purchase, at: Date): void {
    const terms = { plan, billingCycle };
    const price = centsOf(terms, currency);
    const amount = anew ? price : this.due(terms, currency, new Date(at.getTime() - hoursAgo * hour));
    const former = { ...this.period(), plan: this.plan, cycle: this.cycle, isPaid: this.status === 'active' };
    if (anew || !this.isKept(terms, currency)) {
      const { cents, of } = this.credit(currency, at);
      // What was had and not paid is a part of what is bought.
      const begin = this.status === 'past_due' && this.unpaid;
      const { anchor, months } = begin || { anchor: new Date(at.getTime() - this.unpaidUse), months: 0 };
      [this.anchor, this.months, this.cycle, this.lengthened] = [anchor, months, billingCycle, null];
      const { start, end } = this.ordinary();
      // So much time is had for what is paid and what was left, and never less than what is sold.
      const had = upwards((amount * of + cents) * millisecondsOf({ start, end }), price * of);
      const until = new Date(start.getTime() + Number(had));
      if (until > end) this.lengthened = { start, end: until };
    }
    [this.plan, this.cycle, this.currency] = [plan, billingCycle, currency];
    [this.status, this.isCanceled, this.scheduled, this.ends] = ['active', false, null, null];
    [this.unpaid, this.unpaidUse] = [null, 0];
    const isSame = !anew && former.plan === plan && former.cycle === billingCycle;
    if (isSame && former.isPaid && former.end >= this.period().end) return;
    const reason = former.plan === 'free' ? 'subscribed' : 'upgraded';
    this.issued.push(lineOf(reason, terms, this.period(), { amount: Number(amount), currency }));
    this.settle();
  }

  /** Whole cents, of which one that is begun is not asked for. */
  private due(terms: Bought, currency: Currency, at: Date): bigint {
    const price = centsOf(terms, currency);
    const { cents, of, left } = this.credit(currency, at);
    const [dearer, had] = [price * left - cents, upwards(cents, of)];
    if (this.isKept(terms, currency)) return dearer / of;
    return price > had ? price - had : 0n;
  }

  /** What is left of what was paid: so many cents are `cents / of`. */
  private credit(currency: Currency, at: Date): { cents: bigint; of: bigint; left: bigint } {
    if (this.plan === 'free' || this.status !== 'active') return { cents: 0n, of: 1n, left: 0n };
    const { start, end } = this.period();
    const left = millisecondsOf({ start: at < start ? start : at, end });
    const price = centsOf({ plan: this.plan, billingCycle: this.cycle }, currency);
    return { cents: price * left, of: millisecondsOf(this.ordinary()), left };
  }

  /** The same cycle in the same currency goes on, unless it becomes less. */
  private isKept(terms: Bought, currency: Currency): boolean {
    if (this.plan === 'free' || this.status !== 'active' || this.currency !== currency) return false;
    const isLess = this.plan === 'scale' && terms.plan === 'pro';
    return this.cycle === terms.billingCycle && !isLess;
  }

  private catchUp(at: Date): void {
    const asked: Period[] = [];
    let firstAsked: { anchor: Date; months: number } | null = null;
    while (this.plan !== 'free' && this.status === 'active' && at >= this.period().end) {
      if (this.isCanceled) this.becomeFree();
      else {
        asked.push(this.renew());
        firstAsked ??= { anchor: this.anchor, months: this.months };
      }
    }
    if (asked.length > 0 && this.plan !== 'free') {
      if (this.works)
        for (const { start, end } of asked) this.settled.add(`${start.toISOString()} ${end.toISOString()}`);
      else [this.status, this.ends, this.unpaid] = ['past_due', new Date(at.getTime() + 7 * day), firstAsked];
    }
    if (this.status === 'past_due' && this.ends && this.isCanceled) {
      const until = new Date(Math.min(this.period().end.getTime(), this.ends.getTime()));
      if (at >= until) this.stopUnpaid(until);
      if (at >= until) this.becomeFree();
    }
    if (this.status === 'past_due' && this.ends && at >= this.ends) {
      this.stopUnpaid(this.ends);
      [this.status, this.ends] = ['expired', new Date(this.ends.getTime() + 30 * day)];
    }
    if (this.status === 'expired' && this.ends && at >= this.ends) this.becomeFree();
  }

  /** Nothing is had from then on, for want of a payment. */
  private stopUnpaid(until: Date): void {
    if (!this.unpaid) return;
    const { anchor, months } = this.unpaid;
    this.unpaidUse = until.getTime() - plusMonths(anchor, months).getTime();
    this.unpaid = null;
  }

  private renew(): Period {
    if (this.lengthened) [this.anchor, this.months, this.lengthened] = [this.lengthened.end, 0, null];
    else this.months += this.length();
    if (this.scheduled)
      [this.plan, this.cycle, this.scheduled] = [this.scheduled.plan, this.scheduled.billingCycle, null];
    const terms = { plan: this.plan, billingCycle: this.cycle };
    const period = this.period();
    const amount = Number(centsOf(terms, this.currency));
    this.issued.push(lineOf('renewed', terms, period, { amount, currency: this.currency }));
    return period;
  }

  private settle(): void {
    const { start, end } = this.period();
    this.settled.add(`${start.toISOString()} ${end.toISOString()}`);
  }

  private becomeFree(): void {
    [this.plan, this.cycle, this.status, this.isCanceled] = ['free', 'monthly', 'active', false];
    [this.scheduled, this.ends, this.lengthened] = [null, null, null];
  }
}

function centsOf(terms: Bought, currency: Currency): bigint {
  return BigInt(priceOf({ ...terms, version: 1 }, currency));
}

function millisecondsOf({ start, end }: Period): bigint {
  return BigInt(end.getTime() - start.getTime());
}

function upwards(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

/** Who has paid for so long buys nothing more: periods that lengthen one another would leave the calendar. */
const longestPaid = Date.parse('3000-01-01T00:00:00.000Z');

function simulate(start: Date, steps: Step[]): void {
  const machine = new Machine(start);
  const model = new Model();
  let at = start;
  for (const { hours, command: wanted, reversed } of steps) {
    at = new Date(at.getTime() + hours * hour);
    const hasEnough = machine.subscription.currentPeriodEnd.getTime() > longestPaid;
    const command: Command = hasEnough && wanted.do === 'buy' ? { do: 'wait' } : wanted;
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

const first = (terms: Bought): Command => ({ do: 'buy', ...terms, currency: 'eur', hoursAgo: 0, anew: false });

describe('a subscription', () => {
  test('goes through a year as the specification says, whatever happens', () => {
    fc.assert(fc.property(begin, stepsOf({ minLength: 5, maxLength: 40 }), simulate), {
      numRuns: propertyCases(50, 5_000),
    });
  });

  test('goes through ten years as the specification says', () => {
    fc.assert(fc.property(begin, stepsOf({ minLength: 150, maxLength: 250 }), simulate), {
      numRuns: propertyCases(4, 400),
    });
  });

  test('has the same ledger after ten years however late the ticks come', () => {
    const years = 10;
    const pauses = fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(begin, bought, pauses, (start, terms, pauses) => {
        const [timely, late] = [new Machine(start), new Machine(start)];
        const end = start.getTime() + years * 366 * day;
        for (const machine of [timely, late]) machine.do({ command: first(terms), reversed: false }, start);
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
      { numRuns: propertyCases(6, 500) },
    );
  });

  test('gives nobody who pays by cards that fail later more than was paid, but the last grace', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 60 * 24 }), { minLength: 10, maxLength: 60 });
    const acts = fc.array(fc.constantFrom('buy', 'buy', 'buy', 'cancel', 'wait'), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(
        begin,
        pauses,
        acts,
        fc.array(bought, { minLength: 1, maxLength: 5 }),
        (start, pauses, acts, terms) => {
          const machine = new Machine(start);
          machine.works = false;
          let had = 0;
          let at = start.getTime();
          for (const [turn, pause] of pauses.entries()) {
            for (const end = at + pause * hour; at < end; at += hour) {
              machine.catchUp(new Date(at));
              const { plan, status } = machine.subscription;
              if (plan !== 'free' && (status === 'active' || status === 'past_due')) had += hour;
            }
            const { plan, status } = machine.subscription;
            const isBought = acts[turn] === 'buy' && (plan === 'free' || status !== 'active');
            const command: Command = isBought
              ? first(terms[turn % terms.length]!)
              : { do: acts[turn] === 'cancel' ? 'cancel' : 'wait' };
            machine.do({ command, reversed: false }, new Date(at));
            const paid = [...machine.settled].map((period) => period.split(' ').map(Date.parse) as [number, number]);
            // What is had is reckoned by begun hours here.
            const [bought, begunHours] = [paid.reduce((sum, [from, to]) => sum + to - from, 0), 2 * paid.length * hour];
            expect(had).toBeLessThanOrEqual(bought + begunHours + 7 * day);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('has periods that follow one another without a gap and come back to their day', () => {
    fc.assert(
      fc.property(begin, bought, (start, terms) => {
        const machine = new Machine(start);
        machine.do({ command: first(terms), reversed: false }, start);
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
      { numRuns: propertyCases(5, 200) },
    );
  });
});
