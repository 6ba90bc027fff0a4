import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  askForUpgrade,
  createStripeAccount,
  endNow,
  expireSession,
  type Invoice,
  isProcessing,
  type Payment,
  type Price,
  type Schedule,
  type StripeAccount,
  type Subscription,
} from './stripe-account.ts';

type Value = string | Value[] | { [name: string]: Value };
type Params = { [name: string]: Value };

export type Asked = { method: string; path: string; params: Params; headers: IncomingMessage['headers'] };

export type Failure = 'answerLost' | 'fault' | 'refused';

export type StripeServer = {
  url: string;
  account: StripeAccount;
  /** What was asked, the oldest first. */
  asked: Asked[];
  /** Does what is asked next under a path, and loses the answer; or refuses it with a fault and does nothing. */
  failNext: (pathPattern: RegExp, how: Failure) => void;
  failNextWhere: (isMeant: (request: Asked) => boolean, how: Failure) => void;
  /** Has something happen just before what is asked next under a path is done. */
  before: (pathPattern: RegExp, happens: () => unknown) => void;
  close: () => Promise<void>;
};

export const secretKey = 'sk_test_of_a_stand_in';

class Refusal extends Error {
  readonly status: number;
  readonly error: Record<string, string>;
  constructor(status: number, error: Record<string, string>) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

const refuse = (message: string, more: Record<string, string> = {}, status = 400): Refusal =>
  new Refusal(status, { type: 'invalid_request_error', message, ...more });

/**
 * A stand-in for Stripe's API: it keeps what is made, refuses what Stripe refuses (unknown parameters, what a schedule
 * forbids, a key used with other parameters), and remembers answers by their idempotency keys.
 */
export async function startStripeServer(startSeconds: number): Promise<StripeServer> {
  const account = createStripeAccount({ seconds: startSeconds });
  const asked: Asked[] = [];
  const failures: { isMeant: (request: Asked) => boolean; how: Failure }[] = [];
  const events: { isMeant: (request: Asked) => boolean; happens: () => unknown }[] = [];
  const remembered = new Map<string, { fingerprint: string; answer: string }>();

  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const { pathname, search } = new URL(url, 'http://stripe.test');
    const body = await textOf(request);
    const params = { ...parseForm(search.slice(1)), ...parseForm(body) };
    const now = { method, path: pathname, params, headers };
    asked.push(now);
    await takeFirst(events, now)?.happens();
    const failure = takeFirst(failures, now);
    try {
      if (failure?.how === 'fault') throw new Refusal(500, { type: 'api_error', message: 'It is broken.' });
      if (failure?.how === 'refused') throw refuse('Not so.');
      const answer = answerOnce(now);
      if (failure) response.destroy();
      else reply(response, 200, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply(response, error.status, JSON.stringify({ error: error.error }));
    }
  }

  function answerOnce(request: Asked): string {
    requireOrder(request);
    const { method, path, params, headers } = request;
    const key = headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return JSON.stringify(answerTo(account, request));
    const fingerprint = JSON.stringify([path, params]);
    const known = remembered.get(key);
    if (known && known.fingerprint !== fingerprint) {
      throw refuse(`Keys for idempotent requests can only be used with the same parameters (${key}).`, {
        type: 'idempotency_error',
      });
    }
    const answer = known?.answer ?? JSON.stringify(answerTo(account, request));
    remembered.set(key, { fingerprint, answer });
    return answer;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    account,
    asked,
    failNext: (pathPattern, how) => void failures.push({ isMeant: under(pathPattern), how }),
    failNextWhere: (isMeant, how) => void failures.push({ isMeant, how }),
    before: (pathPattern, happens) => void events.push({ isMeant: under(pathPattern), happens }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const under =
  (pathPattern: RegExp) =>
  ({ method, path }: Asked): boolean =>
    pathPattern.test(`${method} ${path}`);

function takeFirst<T extends { isMeant: (request: Asked) => boolean }>(list: T[], request: Asked): T | undefined {
  const place = list.findIndex(({ isMeant }) => isMeant(request));
  return place < 0 ? undefined : list.splice(place, 1)[0];
}

/** What the platform promises of every request. */
function requireOrder({ method, headers }: Asked): void {
  if (headers.authorization !== `Bearer ${secretKey}`) throw refuse('Invalid API Key provided.', {}, 401);
  if (headers['stripe-version'] !== '2026-10-28.endive') throw refuse('The version is not pinned.');
  if (headers['x-stripe-client-telemetry']) throw refuse('Telemetry is on.');
  const key = headers['idempotency-key'];
  if (method === 'POST' && (typeof key !== 'string' || key.length > 255 || key.startsWith('stripe-node-retry'))) {
    throw refuse('A request that changes something needs an idempotency key of its own.');
  }
}

type Route = (account: StripeAccount, params: Params, id: string) => object;

const routes: Record<string, Route> = {
  'POST /v1/products': (account, params) => {
    const { id, name } = only(params, ['id', 'name', 'metadata']);
    if (account.products.has(textIn(id))) throw refuse('It exists.', { code: 'resource_already_exists' });
    return put(account.products, { id: textIn(id), object: 'product', name: textIn(name), active: true });
  },
  'GET /v1/products/:id': (account, _params, id) => get(account.products, id),
  'POST /v1/prices': makePrice,
  'GET /v1/prices': (account, params) => {
    const { lookup_keys } = only(params, ['lookup_keys', 'limit']);
    const keys = lookup_keys as string[];
    return listOf([...account.prices.values()].filter(({ lookup_key }) => keys.includes(lookup_key ?? '')));
  },
  'GET /v1/prices/:id': (account, _params, id) => get(account.prices, id),
  'POST /v1/customers': (account, params) => {
    const { name, email = null, metadata = {} } = only(params, ['name', 'email', 'metadata']);
    const customer = { name: textIn(name), email: email && textIn(email), metadata: metadata as object };
    return put(account.customers, { id: account.id('cus'), object: 'customer', ...customer });
  },
  'GET /v1/customers/:id': (account, _params, id) =>
    account.deletedCustomers.has(id) ? deletedCustomer(id) : get(account.customers, id),
  'DELETE /v1/customers/:id': (account, _params, id) => {
    get(account.customers, id);
    account.customers.delete(id);
    account.deletedCustomers.add(id);
    const theirs = [...account.subscriptions.values()].filter(({ customer }) => customer === id);
    for (const subscription of theirs) if (!isEnded(subscription)) endNow(account, subscription);
    return deletedCustomer(id);
  },
  'POST /v1/checkout/sessions': makeSession,
  'GET /v1/checkout/sessions/:id': (account, _params, id) => get(account.sessions, id),
  'POST /v1/checkout/sessions/:id/expire': (account, _params, id) => {
    const session = get(account.sessions, id);
    if (session.status !== 'open') throw refuse('Only Checkout Sessions with a status in ["open"] can be expired.');
    expireSession(account, id);
    return session;
  },
  'GET /v1/subscriptions/:id': (account, params, id) => show(account, get(account.subscriptions, id), params),
  'POST /v1/subscriptions/:id': updateSubscription,
  'DELETE /v1/subscriptions/:id': (account, params, id) => {
    only(params, []);
    const subscription = get(account.subscriptions, id);
    if (isEnded(subscription)) throw refuse('No such subscription.', { code: 'resource_missing' }, 404);
    endNow(account, subscription);
    return subscription;
  },
  'POST /v1/subscription_schedules': makeSchedule,
  'GET /v1/subscription_schedules/:id': (account, _params, id) => get(account.schedules, id),
  'POST /v1/subscription_schedules/:id': updateSchedule,
  'POST /v1/subscription_schedules/:id/release': (account, _params, id) => {
    const schedule = get(account.schedules, id);
    if (schedule.status !== 'active') throw refuse('You cannot release a schedule that is not active.');
    get(account.subscriptions, schedule.subscription ?? '').schedule = null;
    return Object.assign(schedule, { status: 'released', subscription: null });
  },
  'GET /v1/invoices': (account, params) => {
    const { subscription, status, created } = only(params, ['subscription', 'status', 'created', 'limit']);
    const since = Number((created as Params | undefined)?.gte ?? 0);
    const isAsked = (invoice: Invoice) =>
      invoice.parent.subscription_details.subscription === subscription &&
      invoice.status === status &&
      invoice.created >= since;
    return listOf([...account.invoices.values()].filter(isAsked).reverse());
  },
  'GET /v1/invoices/:id': (account, _params, id) => get(account.invoices, id),
  'POST /v1/invoices/:id': (account, params, id) => {
    const { auto_advance } = only(params, ['auto_advance']);
    return Object.assign(get(account.invoices, id), { auto_advance: auto_advance === 'true' });
  },
  'POST /v1/invoices/:id/void': (account, _params, id) => {
    const invoice = get(account.invoices, id);
    if (invoice.status !== 'open') throw refuse('You can only void open invoices.');
    if (isProcessing(account, invoice)) throw refuse('You cannot void an invoice whose payment is processing.');
    return Object.assign(invoice, { status: 'void' });
  },
  'GET /v1/invoice_payments': (account, params) => {
    const { invoice, status } = only(params, ['invoice', 'status', 'limit']);
    const isAsked = (one: Payment) => one.invoice === invoice && one.status === status;
    return listOf([...account.payments.values()].filter(isAsked));
  },
  'POST /v1/refunds': makeRefund,
  'GET /v1/refunds/:id': (account, _params, id) => get(account.refunds, id),
};

function answerTo(account: StripeAccount, { method, path, params }: Asked): object {
  for (const [pattern, route] of Object.entries(routes)) {
    const [verb, template = ''] = pattern.split(' ');
    const match = new RegExp(`^${template.replace(':id', '([^/]+)')}$`).exec(path);
    if (verb === method && match) return route(account, params, decodeURIComponent(match[1] ?? ''));
  }
  throw refuse(`Unrecognized request URL (${method}: ${path}).`, {}, 404);
}

function makePrice(account: StripeAccount, params: Params): Price {
  const names = ['product', 'currency', 'unit_amount', 'recurring', 'tax_behavior', 'lookup_key', 'metadata'];
  const given = only(params, [...names, 'transfer_lookup_key']);
  const product = get(account.products, textIn(given.product));
  if (!product.active) throw refuse('The product is inactive.');
  const lookupKey = textIn(given.lookup_key);
  const former = [...account.prices.values()].find(({ lookup_key }) => lookup_key === lookupKey);
  if (former && given.transfer_lookup_key !== 'true') throw refuse('A price already uses that lookup key.');
  if (former) former.lookup_key = null;
  return put(account.prices, {
    id: account.id('price'),
    object: 'price',
    active: true,
    product: product.id,
    currency: textIn(given.currency),
    unit_amount: Number(given.unit_amount),
    lookup_key: lookupKey,
    metadata: given.metadata as Record<string, string>,
    recurring: { interval: (given.recurring as Params).interval as 'month' | 'year', interval_count: 1 },
  });
}

/** All of a payment, where no amount is named. */
function makeRefund(account: StripeAccount, params: Params): object {
  const given = only(params, ['payment_intent', 'metadata']);
  const payment_intent = textIn(given.payment_intent);
  const paid = [...account.payments.values()].find(({ payment }) => payment.payment_intent === payment_intent);
  if (!paid) throw refuse(`No such payment_intent: '${payment_intent}'`, { code: 'resource_missing' }, 404);
  if ([...account.refunds.values()].some((one) => one.payment_intent === payment_intent)) {
    throw refuse('The charge has already been refunded.', { code: 'charge_already_refunded' });
  }
  const { currency } = get(account.invoices, paid.invoice);
  const metadata = given.metadata as Record<string, string>;
  const refund = { amount: paid.amount_paid ?? 0, currency, payment_intent, status: account.refundsEnd, metadata };
  return put(account.refunds, { id: account.id('re'), object: 'refund', ...refund });
}

function makeSession(account: StripeAccount, params: Params): object {
  const names = ['mode', 'customer', 'client_reference_id', 'line_items', 'metadata', 'subscription_data'];
  const given = only(params, [...names, 'success_url', 'cancel_url', 'expires_at']);
  const [line] = given.line_items as { price: string; quantity: string }[];
  const price = get(account.prices, line?.price ?? '');
  if (!price.active) throw refuse('The price specified is inactive.');
  const { seconds } = account.clock;
  const expires_at = given.expires_at === undefined ? seconds + 86_400 : Number(given.expires_at);
  if (expires_at < seconds + 1800 || expires_at > seconds + 86_400) {
    throw refuse('The `expires_at` timestamp must be from 30 minutes to 24 hours from Checkout Session creation.');
  }
  const id = account.id('cs_test');
  return put(account.sessions, {
    id,
    object: 'checkout.session',
    mode: textIn(given.mode),
    status: 'open',
    payment_status: 'unpaid',
    url: `https://checkout.stripe.test/${id}`,
    expires_at,
    client_reference_id: textIn(given.client_reference_id),
    customer: get(account.customers, textIn(given.customer)).id,
    metadata: given.metadata as Record<string, string>,
    subscription: null,
    invoice: null,
    priceId: price.id,
    subscriptionMetadata: (given.subscription_data as { metadata: Record<string, string> }).metadata,
  });
}

/** https://docs.stripe.com/billing/subscriptions/pending-updates-reference */
const pendingParams = ['items', 'proration_behavior', 'payment_behavior', 'proration_date', 'expand'];

function updateSubscription(account: StripeAccount, params: Params, id: string): object {
  const subscription = get(account.subscriptions, id);
  if (isEnded(subscription)) throw refuse('A canceled subscription can only update its metadata.');
  if (params.payment_behavior === 'pending_if_incomplete') {
    const given = only(params, pendingParams);
    if (subscription.schedule) throw refuse('A subscription with a schedule takes no pending updates.');
    const [item] = given.items as { id: string; price: string }[];
    if (item?.id !== subscription.items.data[0].id) throw refuse('No such subscription item.');
    askForUpgrade(account, subscription, get(account.prices, item.price));
    return show(account, subscription, params);
  }
  const given = only(params, ['metadata', 'cancel_at_period_end', 'cancel_at', 'cancellation_details', 'expand']);
  cancelOrResume(account, subscription, given);
  for (const [name, value] of Object.entries(given.metadata ?? {})) {
    if (value === '') delete subscription.metadata[name];
    else subscription.metadata[name] = textIn(value);
  }
  account.tell('customer.subscription.updated', subscription);
  return show(account, subscription, params);
}

function cancelOrResume(account: StripeAccount, subscription: Subscription, given: Params): void {
  const { cancel_at_period_end, cancel_at, cancellation_details } = given;
  if (cancel_at_period_end === undefined && cancel_at === undefined) return;
  if (subscription.schedule) {
    throw refuse('The subscription is managed by a schedule, and its cancelation cannot be updated directly.');
  }
  if (cancel_at_period_end !== undefined && cancel_at !== undefined) throw refuse('Only one of the two can be given.');
  const isCanceling = cancel_at_period_end === 'true';
  subscription.cancel_at_period_end = isCanceling;
  subscription.cancel_at = isCanceling ? subscription.items.data[0].current_period_end : null;
  subscription.canceled_at = isCanceling ? account.clock.seconds : null;
  const comment = (cancellation_details as { comment?: string } | undefined)?.comment;
  if (comment !== undefined) subscription.cancellation_details = { comment: comment || null };
}

function makeSchedule(account: StripeAccount, params: Params): Schedule {
  const { from_subscription } = only(params, ['from_subscription']);
  const subscription = get(account.subscriptions, textIn(from_subscription));
  if (subscription.schedule) throw refuse('The subscription is already attached to a schedule.');
  const [{ price, quantity, current_period_start: start_date, current_period_end: end_date }] = subscription.items.data;
  const schedule: Schedule = {
    id: account.id('sub_sched'),
    object: 'subscription_schedule',
    status: 'active',
    end_behavior: 'release',
    subscription: subscription.id,
    current_phase: { start_date, end_date },
    phases: [{ start_date, end_date, items: [{ price: price.id, quantity }] }],
  };
  subscription.schedule = schedule.id;
  return put(account.schedules, schedule);
}

function updateSchedule(account: StripeAccount, params: Params, id: string): Schedule {
  const { phases, end_behavior } = only(params, ['phases', 'end_behavior', 'proration_behavior']);
  const schedule = get(account.schedules, id);
  if (schedule.status !== 'active') throw refuse('The schedule is not active.');
  let start = schedule.current_phase.start_date;
  schedule.phases = (phases as Params[]).map((phase) => {
    const given = only(phase, ['items', 'start_date', 'end_date', 'duration', 'proration_behavior']);
    if (given.start_date !== undefined && Number(given.start_date) !== start) throw refuse('Phases must join.');
    const items = (given.items as { price: string; quantity: string }[]).map(({ price, quantity }) => ({
      price: get(account.prices, price).id,
      quantity: Number(quantity),
    }));
    const days = (given.duration as Params | undefined)?.interval === 'year' ? 365 : 30;
    const end = given.end_date === undefined ? start + days * 86_400 : Number(given.end_date);
    const shown = { start_date: start, end_date: end, items };
    start = end;
    return shown;
  });
  return Object.assign(schedule, { end_behavior: textIn(end_behavior) });
}

function show(account: StripeAccount, subscription: Subscription, { expand = [] }: Params): object {
  const isShown = Array.isArray(expand) && expand.includes('latest_invoice');
  const { latest_invoice } = subscription;
  return {
    ...subscription,
    latest_invoice: isShown && latest_invoice ? get(account.invoices, latest_invoice) : latest_invoice,
  };
}

const isEnded = ({ status }: Subscription) => status === 'canceled' || status === 'incomplete_expired';
const deletedCustomer = (id: string) => ({ id, object: 'customer', deleted: true });
const listOf = (data: object[]) => ({ object: 'list', data, has_more: false, url: '/v1/list' });

function get<T>(objects: Map<string, T>, id: string): T {
  const found = objects.get(id);
  if (found) return found;
  throw refuse(`No such object: '${id}'`, { code: 'resource_missing' }, 404);
}

function put<T extends { id: string }>(objects: Map<string, T>, made: T): T {
  objects.set(made.id, made);
  return made;
}

/** Stripe refuses parameters that it does not know. */
function only(params: Params, names: string[]): Params {
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown) throw refuse(`Received unknown parameter: ${unknown}`, { code: 'parameter_unknown', param: unknown });
  return params;
}

function textIn(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw refuse('Missing required param.', { code: 'parameter_missing' });
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' }).end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** `a[b][0]=c` is `{ a: { b: ['c'] } }`. */
function parseForm(text: string): Params {
  const root: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    let place = root;
    for (const part of path.slice(0, -1)) {
      place[part] ??= {};
      place = place[part] as Params;
    }
    place[path.at(-1) ?? ''] = value;
  }
  return withLists(root) as Params;
}

function withLists(value: Value): Value {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([name], place) => name === String(place));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
