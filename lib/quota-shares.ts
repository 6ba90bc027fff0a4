import { admit } from './admit.ts';
import { call } from './calls.ts';
import { gather } from './gather.ts';
import { type Meter, ownerOf } from './quota.ts';
import { atHand, drawAtHand, emptyHands, keepAtHand, noteScarcity, noteSpent, wantedAhead } from './quota-at-hand.ts';
import { type Asking, endsUnderWay } from './quota-ends.ts';
import type { QuotaRefusal } from './quota-errors.ts';
import { leaseInstant } from './quota-leases.ts';
import { newLotKey, openLot, type Part } from './quota-lots.ts';

/** A part of a lot: so many units; fewer than were asked for have a `refusal`. */
export type Share = Pick<Part, 'lot'> & { granted: number; refusal: QuotaRefusal | null };

export type ShareAsk = { orgId: string; meter: Meter; amount: number };
type Waiting = ShareAsk & { ctx: Asking };
type Given = Share & Pick<Part, 'end'>;

const maxBatchSize = 100;
/** With so little left hardly any could be taken ahead. */
const scarce = 200;

/**
 * Does work that wants units of a meter, as many as there are, for much work at a time: what a service of this process
 * wants of a counter at one moment is one reservation, a lot, which each does its part of; and a process that spends
 * much of it takes some ahead, for a fifth of a second. The work says how many units it came to. What it makes carries
 * the lot's key, by which the service's `quota.settle` counts what was done when the process ends before it says so;
 * what was not taken for is not to be made.
 */
export async function withQuotaShare<T>(
  ctx: Asking,
  ask: ShareAsk,
  work: (share: Share) => Promise<{ result: T; charged: number }>,
): Promise<T> {
  const { end, ...share } = fromHand(ctx, ask) ?? (await shareTogether(nameOf(ask), { ctx, ...ask }));
  let done: number | null = null;
  try {
    const { result, charged } = await work(share);
    done = charged;
    return result;
  } finally {
    end(done);
  }
}

/**
 * Whether this process has the units already. Others are not refused because of these, but wait until they are given
 * back: so one whose work may come to nothing may hold them for a moment.
 */
export function isAtHand(ask: ShareAsk): boolean {
  return ask.amount <= atHand(nameOf(ask));
}

/** Gives back what this process holds and nobody was given; for a service that stops. */
export async function giveBackShares(): Promise<void> {
  emptyHands();
  await endsUnderWay();
}

const nameOf = ({ orgId, meter }: ShareAsk): string => `${orgId}:${meter}`;

function fromHand(ctx: Asking, ask: ShareAsk): Given | null {
  const part = drawAtHand(nameOf(ask), ask.amount);
  if (!part) return null;
  noteSpent(nameOf(ask), ask.amount, () => refill(ctx, ask));
  return { ...part, granted: ask.amount, refusal: null };
}

/** Takes ahead alone. When that fails, whoever wants something next is told. */
function refill(ctx: Asking, ask: ShareAsk): void {
  shareTogether(nameOf(ask), { ctx, ...ask, amount: 0 }).then(
    ({ end }) => end(0),
    () => undefined,
  );
}

const shareTogether = gather(maxBatchSize, async (waiting: Waiting[], name): Promise<Given[]> => {
  const [first] = waiting;
  if (!first) return [];
  const { ctx, orgId, meter } = first;
  const amount = waiting.reduce((sum, one) => sum + one.amount, 0);
  const ahead = wantedAhead(name);
  if (amount + ahead === 0) return waiting.map(() => nothing(null));
  const requestedAt = leaseInstant();
  const { outcome, receipt, taken, period, used, limit } = await call(ctx.broker, 'billing.quota.take', {
    body: { orgId, meter, amount, ahead, key: newLotKey(), owner: ownerOf(ctx), partly: true, remember: false },
  });
  const refusal = outcome === 'taken' ? 'exceeded' : outcome;
  if (!receipt) noteScarcity(name);
  if (!receipt) return waiting.map((one) => nothing(one.amount > 0 ? refusal : null));
  const lot = openLot(ctx, receipt, { requestedAt, periodEnd: period && new Date(period.end) });
  const wishes = waiting.map((one) => ({ amount: one.amount, isPartly: true }));
  const given = admit(wishes, taken).map((granted, place): Given => {
    const wanted = waiting[place]?.amount ?? 0;
    return { ...lot.part(granted), granted, refusal: granted < wanted ? refusal : null };
  });
  keepAtHand(name, lot);
  if (limit === null || limit - used < scarce) noteScarcity(name);
  const spent = given.reduce((sum, { granted }) => sum + granted, 0);
  noteSpent(name, spent, () => refill(ctx, first));
  return given;
});

const nothing = (refusal: QuotaRefusal | null): Given => ({
  lot: { key: '', at: new Date(0), isHeld: () => false },
  granted: 0,
  refusal,
  end: () => undefined,
});
