import {
  defineAction,
  deleteInBatches,
  eventsOutput,
  limitsOf,
  now,
  requireRoom,
  sendHint,
  settlementInput,
  settlementOutput,
  settleStored,
  withQuota,
  z,
} from 'platform/service';
import { removeCard } from './card.ts';
import { GreetingModel, greetingPrefix } from './greeting.ts';
import { greetingFor } from './words.ts';

export const greet = defineAction({
  rest: 'POST /v1/hello',
  summary: 'Greet a person',
  description: 'Stores a greeting and returns it. A repetition with the same `Idempotency-Key` gets the first answer.',
  permission: 'hello.greet',
  tenant: 'required',
  input: { body: z.strictObject({ name: z.string().min(1).max(100) }) },
  output: z.strictObject({ id: z.string(), greeting: z.string() }),
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  idempotent: {
    // A retry with the same Idempotency-Key returns the result of the first request.
    async resume({ caller: { orgId }, operation }) {
      const made = await GreetingModel.findOne({ orgId, _id: operation.newId(greetingPrefix) }).lean();
      return made && { id: made._id, greeting: greetingFor(made.name) };
    },
  },
  example: {
    body: { name: 'Ada' },
    output: { id: 'greeting_01kjpy44e04nvnz9447qctf18y', greeting: 'Hello, Ada!' },
  },
  async handler({ body: { name }, caller: { orgId }, operation, ctx }) {
    const id = operation.newId(greetingPrefix);
    await requireRoomForGreeting(ctx, orgId);
    // A key is charged once, also when the request is retried.
    await withQuota(ctx, { orgId, meter: 'hello.greetingsPerDay', amount: 1, key: id }, () =>
      GreetingModel.create({ _id: id, orgId, name, createdAt: now() }),
    );
    await sendHint(ctx, channelOf(orgId), 'greeted', { id });
    return { id, greeting: greetingFor(name) };
  },
});

/** Counted before the work, so concurrent requests may exceed this limit by their number; a meter is exact. */
async function requireRoomForGreeting(ctx: Parameters<typeof limitsOf>[0], orgId: string): Promise<void> {
  const [limits, present] = await Promise.all([limitsOf(ctx, orgId), GreetingModel.countDocuments({ orgId })]);
  requireRoom(limits, { orgId, name: 'hello.greetings', present });
}

/** Billing calls it when a node died before it reported what it did with reserved units: one for each stored greeting. */
export const settleQuota = defineAction({
  summary: 'Report which of the reserved greetings were stored',
  permission: 'internal',
  safe: true,
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    const stored = await GreetingModel.find({ orgId, _id: { $in: keys } }).lean();
    return settleStored(keys, new Set(stored.map(({ _id }) => _id)));
  },
});

export const listGreetings = defineAction({
  rest: 'GET /v1/hello',
  summary: 'List the latest greetings',
  description: 'Returns the 20 latest greetings of the organization, the newest first.',
  permission: 'hello.read',
  tenant: 'required',
  input: {},
  output: z.strictObject({ data: z.array(z.string()) }),
  example: { output: { data: ['Hello, Ada!'] } },
  async handler({ caller: { orgId } }) {
    const greetings = await GreetingModel.find({ orgId }).sort({ _id: -1 }).limit(20).lean();
    return { data: greetings.map(({ name }) => greetingFor(name)) };
  },
});

const channelOf = (orgId: string): string => `hello ${orgId}`;

/** Clients read the greetings at GET /v1/hello: an event only notifies them of a new one. */
export const listenToGreetings = defineAction({
  rest: 'GET /v1/hello/events',
  summary: 'Listen for new greetings',
  permission: 'hello.read',
  answers: 'events',
  input: {},
  output: eventsOutput,
  handler: ({ caller: { orgId } }) => ({ channels: [channelOf(orgId)] }),
});

const maxPerCall = 10_000;

/** Called until it reports completion when an organization is deleted: `erases` in the service names it. */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's greetings and its card",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    await removeCard(orgId);
    return { isComplete: (await deleteInBatches(GreetingModel, { orgId }, maxPerCall)) < maxPerCall };
  },
});
