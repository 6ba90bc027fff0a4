/**
 * What an organization has, owes and is told, as the specification says: in plain days and cents, with nothing of the
 * service's own code. Time changes the account only when somebody looks after it (`tend`); `peek` tells what it is at an
 * instant without writing that down.
 */

export type Plan = 'free' | 'pro' | 'scale';
export type Cycle = 'monthly' | 'yearly';
export type Currency = 'eur' | 'usd';
export type Terms = { plan: Plan; cycle: Cycle };

/** What cannot be reached. */
export type Down = 'mail' | 'identity' | 'provider' | null;

export type Invoice = {
  amount: number;
  currency: Currency;
  description: string;
  start: Date;
  end: Date;
  status: 'open' | 'paid' | 'void' | 'uncollectible';
  issuedAt: Date;
  dueAt: Date | null;
  paidAt: Date | null;
};
/** `bound`: paid when it was made, and no matter of a later payment of its period. */
type Ledger = Invoice & { sub: string; bound: boolean };

export type Mail = { template: string; plan: string; date: string | null };

type Work =
  | { do: 'issue'; invoice: Omit<Ledger, 'issuedAt' | 'paidAt'>; madeAt: Date }
  | { do: 'charge'; sub: string; start: Date; end: Date; amount: number }
  | { do: 'settle'; sub: string; end: Date }
  | { do: 'giveUp'; sub: string; status: 'void' | 'uncollectible' }
  | { do: 'mail'; mail: Mail };

/** What was offered. With `within` it changes what is had in that period, and was reckoned for it. `from`: what was had. */
export type Checkout = {
  id: string;
  kind: 'pay' | 'change';
  terms: Terms;
  currency: Currency;
  amount: number;
  sub: string;
  within: Date | null;
  from: { terms: Terms; sub: string | null; isActive: boolean; isPaid: boolean };
};

const dayMs = 86_400_000;
const order: Plan[] = ['free', 'pro', 'scale'];
export const titles: Record<Plan, string> = { free: 'Free', pro: 'Pro', scale: 'Scale' };
const cents: Record<Plan, Record<Cycle, Record<Currency, number>>> = {
  free: { monthly: { eur: 0, usd: 0 }, yearly: { eur: 0, usd: 0 } },
  pro: { monthly: { eur: 4900, usd: 5400 }, yearly: { eur: 49_000, usd: 54_000 } },
  scale: { monthly: { eur: 29_900, usd: 32_900 }, yearly: { eur: 299_000, usd: 329_000 } },
};
export const limits: Record<Plan, Record<string, number | null>> = {
  free: {
    'context.eventsPerDay': 1000,
    'intelligence.recommendationsPerDay': null,
    'notification.sendsPerMonth': 100,
    'mail.sendsPerMonth': 500,
    'storage.bandwidthGbPerMonth': 5,
  },
  pro: {
    'context.eventsPerDay': 50_000,
    'intelligence.recommendationsPerDay': 1000,
    'notification.sendsPerMonth': 10_000,
    'mail.sendsPerMonth': 50_000,
    'storage.bandwidthGbPerMonth': 250,
  },
  scale: {
    'context.eventsPerDay': 10_000_000,
    'intelligence.recommendationsPerDay': 100_000,
    'notification.sendsPerMonth': 1_000_000,
    'mail.sendsPerMonth': 5_000_000,
    'storage.bandwidthGbPerMonth': 20_000,
  },
};

/** The same time of day so many months later, on that day of the month or on the month's last. */
export function addMonths(from: Date, months: number, dayOfMonth: number): Date {
  const [date = '', time = ''] = from.toISOString().split('T');
  const [year = 0, month = 0] = date.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const [y, m] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0;
  const two = (value: number): string => String(value).padStart(2, '0');
  return new Date(`${y}-${two(m)}-${two(Math.min(dayOfMonth, length))}T${time}`);
}

export function monthAround(at: Date): { start: Date; end: Date } {
  const start = new Date(`${at.toISOString().slice(0, 7)}-01T00:00:00.000Z`);
  return { start, end: addMonths(start, 1, 1) };
}

function directionOf(from: Terms, to: Terms): 'same' | 'up' | 'down' {
  const step = order.indexOf(to.plan) - order.indexOf(from.plan);
  if (step !== 0) return step > 0 ? 'up' : 'down';
  if (from.cycle === to.cycle || to.plan === 'free') return 'same';
  return to.cycle === 'yearly' ? 'up' : 'down';
}

/** A part of an amount, in whole cents: those that are not full are left out, or made so. */
function part(amount: number, numerator: number, denominator: number, round: 'down' | 'up'): number {
  const [n, d] = [BigInt(amount) * BigInt(numerator), BigInt(denominator)];
  return Number((round === 'down' ? n : n + d - 1n) / d);
}

export class Account {
  plan: Plan = 'free';
  cycle: Cycle = 'monthly';
  status: 'active' | 'past_due' | 'expired' | 'canceled' = 'active';
  /** How the provider knows it; null: nobody pays. */
  sub: string | null = null;
  currency: Currency = 'eur';
  start = new Date(0);
  end = new Date(0);
  /** Where the period would end, had nothing lengthened it. */
  usualEnd = new Date(0);
  anchor = 1;
  isCanceled = false;
  scheduled: Terms | null = null;
  deadline: Date | null = null;
  /** The ends of its periods that are not paid. */
  owed = new Set<number>();
  /** Where the last period ends that was paid. */
  paidUntil = new Date(0);
  /** What was had of a subscription, in milliseconds, and never paid. */
  unpaid: { sub: string; ms: number } | null = null;
  works = true;
  queue: Work[] = [];
  ledger: Ledger[] = [];
  mails: Mail[] = [];
  /** What the provider took by itself. */
  charged: { sub: string; end: Date; amount: number }[] = [];
  private isShadow = false;

  /** What it is at an instant, whether or not that was written down. */
  peek(at: Date): Account {
    const shadow = new Account();
    Object.assign(shadow, this, { owed: new Set(this.owed), queue: [], isShadow: true });
    shadow.pass(at);
    return shadow;
  }

  period(at: Date): { start: Date; end: Date } {
    const isCalendar = this.sub === null && !(this.isCanceled && this.status === 'active');
    return isCalendar ? monthAround(at) : { start: this.start, end: this.end };
  }

  terms(): Terms {
    return { plan: this.plan, cycle: this.cycle };
  }

  /** Somebody looks after it: what time has brought is written down, and what is to be done is done. */
  tend(at: Date, down: Down): void {
    this.pass(at);
    this.work(at, down);
  }

  /** What somebody would get who wants that, or why not. */
  offer(
    at: Date,
    wanted: Terms,
    currency: Currency | undefined,
    id: string,
  ): Checkout | 'PLAN_IS_CURRENT' | 'INPUT_INVALID' {
    const now = this.peek(at);
    const inCurrency = currency ?? (now.sub === null ? 'eur' : now.currency);
    const from = now.basis();
    const fresh = {
      id,
      kind: 'pay' as const,
      terms: wanted,
      currency: inCurrency,
      sub: `sub_${id}`,
      within: null,
      from,
    };
    const price = cents[wanted.plan][wanted.cycle][inCurrency];
    if (now.status !== 'active') return { ...fresh, amount: price };
    const direction = directionOf(now.terms(), wanted);
    if (direction === 'same' && !(now.scheduled && now.sub !== null)) return 'PLAN_IS_CURRENT';
    if (now.sub === null) return { ...fresh, amount: price };
    if (direction !== 'up') {
      if (inCurrency !== now.currency) return 'INPUT_INVALID';
      const isKnown = now.scheduled?.plan === wanted.plan && now.scheduled.cycle === wanted.cycle;
      return isKnown ? 'PLAN_IS_CURRENT' : { ...fresh, kind: 'change', amount: 0 };
    }
    return { ...fresh, sub: now.sub, within: now.end, amount: now.upgradePrice(at, wanted, inCurrency) };
  }

  private upgradePrice(at: Date, wanted: Terms, currency: Currency): number {
    const full = cents[wanted.plan][wanted.cycle][currency];
    if (this.owed.has(this.end.getTime())) return full;
    const [left, usual] = [this.timeLeft(at), this.usualEnd.getTime() - this.start.getTime()];
    const had = cents[this.plan][this.cycle][currency];
    if (wanted.cycle === this.cycle && currency === this.currency) return part(full - had, left, usual, 'down');
    return Math.max(0, full - part(had, left, usual, 'up'));
  }

  private timeLeft(at: Date): number {
    return this.end.getTime() - Math.max(at.getTime(), this.start.getTime());
  }

  /** Whether what was offered before can still be had for its price. */
  isOffered({ kind, sub, within, from }: Checkout, at: Date): boolean {
    const now = this.peek(at);
    if (kind === 'change' || (now.status !== 'active' && within === null)) return true;
    if (within === null) return now.sub === null || (from.isActive && from.sub === now.sub);
    if (now.sub !== sub || now.end.getTime() !== within.getTime() || now.status !== 'active') return false;
    return directionOf(now.terms(), from.terms) === 'same' && now.basis().isPaid === from.isPaid;
  }

  private basis(): Checkout['from'] {
    const isPaid = this.sub !== null && !this.owed.has(this.end.getTime());
    return { terms: this.terms(), sub: this.sub, isActive: this.status === 'active', isPaid };
  }

  /** A checkout was paid, by a card that works for renewals or does not. */
  pay(at: Date, checkout: Checkout, works: boolean, down: Down): void {
    this.change(at, down, () => this.buy(at, checkout, works));
  }

  private buy(at: Date, { terms, currency, amount, sub }: Checkout, works: boolean): void {
    const isPaid = this.sub !== null && !this.owed.has(this.end.getTime()) && this.status === 'active';
    const isKept = isPaid && this.sub === sub && this.currency === currency && this.cycle === terms.cycle;
    const former = this.sub === null ? null : this.terms();
    const [since, unpaidMs] = [this.unpaidSince(), this.unpaidAt(at)?.ms ?? 0];
    if (this.sub !== null && (this.sub !== sub || this.owed.has(this.end.getTime()))) {
      this.queue.push({ do: 'giveUp', sub: this.sub, status: 'void' });
      this.owed.clear();
    }
    if (!isKept) {
      const credit = isPaid ? cents[this.plan][this.cycle][currency] : 0;
      const anchor = since ? this.anchor : null;
      this.beginAnew(at, { terms, currency, amount, credit, begin: new Date(at.getTime() - unpaidMs), anchor });
    }
    this.paidUntil = this.end;
    this.unpaid = null;
    Object.assign(this, { plan: terms.plan, cycle: terms.cycle, status: 'active', sub, currency, works });
    Object.assign(this, { isCanceled: false, scheduled: null, deadline: null });
    const isOther = former !== null && nameOf(former) !== nameOf(terms);
    const description = isOther ? `${nameOf(terms)}, in place of ${nameOf(former)}` : nameOf(terms);
    this.issue(at, { amount, description, status: 'paid', dueAt: null, bound: true });
  }

  /**
   * A new period from now on: as long as its plan can be had for what is paid and for what is left of the former period, of
   * which the usual one cost `credit`; and never shorter than usual. It begins earlier by what was had and not paid.
   * The next ones come to the day on which it ends.
   */
  private beginAnew(
    at: Date,
    {
      terms,
      currency,
      amount,
      credit,
      begin,
      anchor: kept,
    }: Pick<Checkout, 'terms' | 'currency' | 'amount'> & { credit: number; begin: Date; anchor: number | null },
  ): void {
    const price = BigInt(cents[terms.plan][terms.cycle][currency]);
    const formerUsual = credit === 0 ? 1n : BigInt(this.usualEnd.getTime() - this.start.getTime());
    const left = credit === 0 ? 0n : BigInt(this.timeLeft(at));
    const dayOfMonth = kept ?? begin.getUTCDate();
    const usualEnd = addMonths(begin, terms.cycle === 'yearly' ? 12 : 1, dayOfMonth);
    const usual = BigInt(usualEnd.getTime() - begin.getTime());
    const [owned, per] = [(BigInt(amount) * formerUsual + BigInt(credit) * left) * usual, price * formerUsual];
    const length = Number((owned + per - 1n) / per);
    const end = new Date(Math.max(usualEnd.getTime(), begin.getTime() + length));
    const anchor = end > usualEnd ? end.getUTCDate() : dayOfMonth;
    Object.assign(this, { start: begin, end, usualEnd, anchor });
  }

  /** Since when what is had is not paid. */
  private unpaidSince(): Date | null {
    const isHad = this.sub !== null && (this.status === 'active' || this.status === 'past_due');
    return isHad && this.owed.has(this.end.getTime()) ? this.paidUntil : null;
  }

  private unpaidAt(at: Date): Account['unpaid'] {
    const since = this.unpaidSince();
    return since && this.sub ? { sub: this.sub, ms: Math.max(0, at.getTime() - since.getTime()) } : this.unpaid;
  }

  /** At the end of the period it becomes something else, or is to stay what it is. */
  schedule(at: Date, to: Terms, down: Down): void {
    this.change(at, down, () => {
      const isSame = directionOf(this.terms(), to) === 'same';
      this.scheduled = isSame ? null : to;
      if (!isSame) this.isCanceled = false;
    });
  }

  /** False: there is nothing that could end. */
  cancel(at: Date, down: Down): boolean {
    if (this.peek(at).plan === 'free') return false;
    this.change(at, down, () => {
      if (this.status === 'expired') this.becomeFree(at);
      else if (!this.isCanceled) {
        const { start, end } = this.period(at);
        Object.assign(this, { start, end, isCanceled: true, scheduled: null });
        this.tell('subscription-canceled', end);
      }
    });
    return true;
  }

  resume(at: Date, down: Down): boolean {
    if (this.peek(at).plan === 'free') return false;
    this.change(at, down, () => {
      this.isCanceled = false;
    });
    return true;
  }

  /** The operator gives a plan that nobody pays for. */
  give(at: Date, plan: Plan, down: Down): void {
    this.change(at, down, () => {
      if (this.plan !== plan || this.sub !== null || this.isCanceled) this.leave(plan, 'void');
    });
  }

  /** The organization is deleted. */
  close(at: Date, down: Down): void {
    this.change(at, down, () => {
      this.leave('free', 'void');
      this.status = 'canceled';
    });
  }

  /** Somebody sees on the account that an invoice was paid. */
  payInvoice(at: Date, invoice: Ledger, down: Down): void {
    this.change(at, down, () => this.takePayment(at, invoice.sub, invoice.end));
    const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
    if (isPayable) Object.assign(invoice, { status: 'paid', paidAt: at });
  }

  /** Something happens to it as it is then. What is to be done is done where that changed anything. */
  change(at: Date, down: Down, happen: () => void): void {
    const before = this.fingerprint();
    this.pass(at);
    happen();
    this.pass(at);
    if (this.fingerprint() !== before) this.work(at, down);
  }

  private fingerprint(): string {
    const { plan, cycle, status, sub, start, end, isCanceled, scheduled, deadline, owed, unpaid, queue } = this;
    const state = { plan, cycle, status, sub, start, end, isCanceled, scheduled, deadline, unpaid, owed: [...owed] };
    return JSON.stringify({ ...state, waiting: queue.length });
  }

  /** Period by period, whatever time brings. */
  private pass(at: Date): void {
    for (;;) {
      const endsByItself = this.status === 'active' && (this.sub !== null || this.isCanceled);
      const ends = (endsByItself || (this.status === 'past_due' && this.isCanceled)) && at >= this.end;
      if (ends && !(this.deadline && this.deadline < this.end)) {
        if (this.isCanceled) this.becomeFree(this.end);
        else this.renew(at);
      } else if (this.deadline && at >= this.deadline) this.runOut(at);
      else return;
    }
  }

  private renew(at: Date): void {
    if (this.scheduled) [this.plan, this.cycle] = [this.scheduled.plan, this.scheduled.cycle];
    this.scheduled = null;
    [this.start, this.end] = [this.end, addMonths(this.end, this.cycle === 'yearly' ? 12 : 1, this.anchor)];
    this.usualEnd = this.end;
    this.owed.add(this.end.getTime());
    // What is not paid a week after it was asked for has failed.
    this.deadline = later(at, 7);
    const amount = cents[this.plan][this.cycle][this.currency];
    const [description, dueAt] = [nameOf(this.terms()), later(at, 7)];
    this.issue(at, { amount, description, status: 'open', dueAt, bound: false });
    if (this.sub) this.queue.push({ do: 'charge', sub: this.sub, start: this.start, end: this.end, amount });
  }

  private runOut(at: Date): void {
    if (this.status === 'active') this.beginGrace(at);
    else if (this.status === 'past_due' && !this.isCanceled) {
      this.unpaid = this.unpaidAt(this.deadline ?? at);
      this.status = 'expired';
      this.deadline = later(this.deadline ?? at, 30);
      this.tell('subscription-expired', this.deadline);
    } else this.becomeFree(this.deadline ?? at);
  }

  private beginGrace(at: Date): void {
    this.status = 'past_due';
    this.deadline = later(at, 7);
    this.tell('payment-failed', this.deadline);
  }

  /** What it had it had until then. */
  private becomeFree(until: Date): void {
    const { plan } = this;
    const unpaid = this.unpaidAt(until);
    this.leave('free', 'uncollectible');
    this.unpaid = unpaid;
    this.tell('subscription-ended', null, plan);
  }

  private leave(plan: Plan, status: 'void' | 'uncollectible'): void {
    if (this.sub !== null) this.queue.push({ do: 'giveUp', sub: this.sub, status });
    Object.assign(this, { plan, cycle: 'monthly', status: 'active', sub: null, isCanceled: false, scheduled: null });
    Object.assign(this, { deadline: null, owed: new Set(), unpaid: null });
  }

  private takePayment(at: Date, sub: string, end: Date): void {
    if (this.unpaid && this.unpaid.sub === sub && this.sub !== sub) this.unpaid = null;
    if (this.sub !== sub) return;
    const isCurrent = end.getTime() === this.end.getTime();
    const isNew = this.owed.delete(end.getTime());
    if (isCurrent && !isNew) return;
    if (isCurrent && isNew) [this.status, this.deadline, this.unpaid] = ['active', null, null];
    if (end > this.paidUntil) this.paidUntil = end;
    this.queue.push({ do: 'settle', sub, end });
    this.pass(at);
  }

  private issue(at: Date, invoice: Pick<Ledger, 'amount' | 'description' | 'status' | 'dueAt' | 'bound'>): void {
    const { sub, currency, start, end } = this;
    if (sub) this.queue.push({ do: 'issue', invoice: { ...invoice, sub, currency, start, end }, madeAt: at });
  }

  private tell(template: string, date: Date | null, plan = this.plan): void {
    this.queue.push({ do: 'mail', mail: { template, plan: titles[plan], date: date?.toISOString() ?? null } });
  }

  /** Each thing that is to be done is tried once, the oldest first; what cannot be done now waits. */
  private work(at: Date, down: Down): void {
    if (this.isShadow) return;
    const tried = new Set<Work>();
    for (let left = this.queue; left.length > 0; left = this.queue.filter((one) => !tried.has(one))) {
      for (const one of left.slice()) {
        tried.add(one);
        if (this.isDone(one, at, down)) this.queue.splice(this.queue.indexOf(one), 1);
      }
    }
  }

  private isDone(work: Work, at: Date, down: Down): boolean {
    switch (work.do) {
      case 'issue': {
        if (down === 'identity') return false;
        const paidAt = work.invoice.status === 'paid' ? at : null;
        this.ledger.push({ ...work.invoice, issuedAt: at, paidAt });
        return true;
      }
      case 'charge': {
        // What nobody owes any more is not charged, also when it was to be charged before.
        const isOwed = this.sub === work.sub && this.owed.has(work.end.getTime());
        if (isOwed && down === 'provider') return false;
        if (isOwed) this.charge(work, at);
        return true;
      }
      case 'mail':
        if (down === 'identity' || down === 'mail') return false;
        this.mails.push(work.mail);
        return true;
      default: {
        const earlier = this.queue.slice(0, this.queue.indexOf(work));
        const isWaiting = earlier.some((one) => one.do === 'issue' && one.invoice.sub === work.sub);
        if (isWaiting) return false;
        this.mark(work, at);
        return true;
      }
    }
  }

  private charge({ sub, end, amount }: Extract<Work, { do: 'charge' }>, at: Date): void {
    if (this.works) {
      this.charged.push({ sub, end, amount });
      this.takePayment(at, sub, end);
    } else if (this.status === 'active' && end.getTime() === this.end.getTime()) this.beginGrace(at);
  }

  private mark(work: Extract<Work, { do: 'settle' | 'giveUp' }>, at: Date): void {
    for (const invoice of this.ledger.filter((one) => one.sub === work.sub && !one.bound)) {
      if (work.do === 'giveUp' && invoice.status === 'open') invoice.status = work.status;
      const isMeant = work.do === 'settle' && invoice.end.getTime() === work.end.getTime();
      const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
      if (isMeant && isPayable) Object.assign(invoice, { status: 'paid', paidAt: at });
    }
  }
}

function nameOf({ plan, cycle }: Terms): string {
  return `Plan ${titles[plan]}, ${cycle === 'yearly' ? 'a year' : 'a month'}`;
}

function later(at: Date, days: number): Date {
  return new Date(at.getTime() + days * dayMs);
}

type Counter = {
  meter: string;
  start: Date;
  end: Date;
  used: number;
  /** Of the plan that it was last taken from with. */
  limit: number;
  warned: number[];
  holds: Hold[];
  isArchived: boolean;
};
type Hold = { amount: number; until: Date; isDone: boolean };
export type Archived = { meter: string; start: Date; end: Date; used: number; limit: number };

const gigabyte = 1_000_000_000;
export const unitOf = (meter: string): number => (meter.startsWith('storage.') ? gigabyte : 1);

/** What an organization uses: counters of days and months, each archived once when it is over, and what is warned of. */
export class Usage {
  private readonly counters = new Map<string, Counter>();
  private readonly archived: Archived[] = [];
  /** `<meter> <start> <percent> <limit>`, each once. */
  readonly warnings = new Set<string>();
  /** What becomes of a take. */
  take(account: Account, meter: string, amount: number, at: Date): string {
    const now = account.peek(at);
    const outcome = this.outcomeOf(now, meter, amount, at);
    if (outcome !== 'taken') return outcome;
    const counter = this.counterAt(meter, at);
    counter.used += amount;
    counter.limit = limits[now.plan][meter] ?? 0;
    return outcome;
  }

  giveBack(meter: string, amount: number, at: Date): void {
    this.counterAt(meter, at).used -= amount;
  }

  hold(account: Account, meter: string, hold: Hold, at: Date): string {
    const outcome = this.take(account, meter, hold.amount, at);
    if (outcome === 'taken') this.counterAt(meter, at).holds.push(hold);
    return outcome;
  }

  isHolding(): boolean {
    return [...this.counters.values()].some(({ holds }) => holds.length > 0);
  }

  used(meter: string, at: Date): number {
    return this.counters.get(keyAt(meter, at).key)?.used ?? 0;
  }

  /** The scheduled work: what was held too long ends, what is over is archived, and crossings are told. */
  tend(account: Account, at: Date, canMail: boolean): void {
    const now = account.peek(at);
    for (const counter of this.counters.values()) {
      for (const hold of counter.holds.filter(({ until }) => until <= at))
        if (!hold.isDone) counter.used -= hold.amount;
      counter.holds = counter.holds.filter(({ until }) => until > at);
      const limit = limits[now.plan][counter.meter] ?? null;
      if (limit !== null && now.status !== 'canceled' && at.getTime() - counter.end.getTime() < 3_600_000) {
        this.warn(counter, limit, canMail);
      }
      if (counter.end > at || counter.holds.length > 0 || counter.isArchived) continue;
      const { meter, start, end, used, limit: lastLimit } = counter;
      if (now.status !== 'canceled') this.archived.push({ meter, start, end, used, limit: lastLimit });
      counter.isArchived = true;
    }
  }

  history(): Archived[] {
    return this.archived;
  }

  private warn(counter: Counter, limit: number, canMail: boolean): void {
    const { meter, start, used } = counter;
    const units = limit * unitOf(meter);
    counter.warned = counter.warned.filter((level) => used * 100 >= (level - 5) * units);
    const reached = [80, 100].filter((level) => used * 100 >= level * units && !counter.warned.includes(level));
    if (reached.length === 0 || !canMail) return;
    counter.warned.push(...reached);
    this.warnings.add(`${meter} ${start.toISOString()} ${Math.max(...reached)} ${limit}`);
  }

  private outcomeOf({ plan, status }: Account, meter: string, amount: number, at: Date): string {
    if (status === 'expired') return 'paymentRequired';
    const limit = limits[plan][meter] ?? null;
    if (limit === null) return 'notIncluded';
    return this.used(meter, at) + amount <= limit * unitOf(meter) ? 'taken' : 'exceeded';
  }

  private counterAt(meter: string, at: Date): Counter {
    const { key, start, end } = keyAt(meter, at);
    const fresh = { meter, start, end, used: 0, limit: 0, warned: [], holds: [], isArchived: false };
    const found = this.counters.get(key) ?? fresh;
    this.counters.set(key, found);
    return found;
  }
}

function keyAt(meter: string, at: Date): { key: string; start: Date; end: Date } {
  const midnight = new Date(`${at.toISOString().slice(0, 10)}T00:00:00.000Z`);
  const { start, end } = meter.endsWith('PerDay') ? { start: midnight, end: later(midnight, 1) } : monthAround(at);
  return { key: `${meter} ${start.toISOString()}`, start, end };
}
