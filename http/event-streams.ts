import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import type { ChangeNotification } from '../lib/clients/change-notifications.ts';
import type { AccessChange, Caller, CredentialsChange } from '../lib/contract/context.ts';
import { apiError, errorCatalogue, errorCode } from '../lib/contract/errors.ts';
import { now } from '../lib/data/clock.ts';
import { idFrom, idRandomBytes, timeOfId } from '../lib/data/ids.ts';
import { belongsTo, holds } from './authenticate.ts';
import type { HttpRequest } from './request.ts';

/** The retention of notifications for clients that reconnect, and the maximum per channel and in total. */
const keptMilliseconds = 120_000;
const maxOfChannel = 100;
const maxHints = 20_000;
/** The maximum clock difference between nodes: notifications with older ids may have been sent later. */
const clockSkew = 30_000;

/** The change notifications that this listener has recently received, by channel. */
export type RecentHints = {
  add: (hint: ChangeNotification) => void;
  /**
   * The notifications of some channels since an id, and some before it, because the clocks of senders differ; null when
   * one may be missing.
   */
  since: (lastId: string, channels: readonly string[]) => ChangeNotification[] | null;
  /** Marks earlier notifications as incomplete, because this node may have missed some. */
  restart: () => void;
};

export function createRecentHints(): RecentHints {
  const kept = new Map<string, ChangeNotification[]>();
  /** The time up to which notifications of a channel may be missing. */
  const missingUntil = new Map<string, number>();
  let completeSince = now().getTime();
  let count = 0;

  function drop(channel: string, hints: ChangeNotification[]): void {
    const oldest = hints.shift();
    count -= 1;
    if (oldest) missingUntil.set(channel, Math.max(missingUntil.get(channel) ?? 0, timeOfId(oldest.id)));
    if (hints.length === 0) kept.delete(channel);
  }

  /** Evicts the least recently used channels: channels are in the order of their last notification. */
  function evict(): void {
    const oldest = now().getTime() - keptMilliseconds;
    for (const [channel, hints] of kept) {
      while (hints[0] && (timeOfId(hints[0].id) < oldest || count > maxHints)) drop(channel, hints);
      if (hints.length > 0) break;
    }
    // Notifications outside the window are missing for every channel.
    if (missingUntil.size > maxHints) {
      missingUntil.clear();
      completeSince = now().getTime();
    }
  }

  return {
    add(hint) {
      const hints = kept.get(hint.channel) ?? [];
      kept.delete(hint.channel);
      hints.push(hint);
      kept.set(hint.channel, hints);
      count += 1;
      if (hints.length > maxOfChannel) drop(hint.channel, hints);
      evict();
    },
    since(lastId, channels) {
      const from = timeOfId(lastId) - clockSkew;
      const isKnown = Number.isFinite(from) && from >= completeSince && now().getTime() - from < keptMilliseconds;
      if (!isKnown || channels.some((channel) => (missingUntil.get(channel) ?? 0) >= from)) return null;
      const hints = channels.flatMap((channel) => kept.get(channel) ?? []);
      return hints.filter(({ id }) => id !== lastId && timeOfId(id) >= from);
    },
    restart() {
      completeSince = now().getTime();
    },
  };
}

/**
 * The id of the current instant, for events other than notifications; zeros sort it before the notifications of the
 * same millisecond.
 */
export function idOfNow(): string {
  return idFrom('hnt', now(), Buffer.alloc(idRandomBytes));
}

/** An open event stream of a client. */
export type EventStream = {
  response: ServerResponse;
  /** The caller of the stream; null where the action takes no credential of the platform. */
  caller: Caller | null;
  tokenHash: string | null;
  /** The key of the limit of open streams. */
  credential: string;
  /** Groups of streams, such as the streams of a network, with the maximum of each. */
  limits: readonly { key: string; maximum: number }[];
  channels: readonly string[];
  /** The channels that the client may listen to now; throws the error that a new request would get. */
  check: () => Promise<readonly string[]>;
};

/** The open streams of a listener, by channel and by credential. */
export type StreamIndex = {
  all: ReadonlySet<EventStream>;
  add: (stream: EventStream) => void;
  remove: (stream: EventStream) => void;
  /** Replaces the channels of a stream. */
  move: (stream: EventStream, channels: readonly string[]) => void;
  onChannel: (channel: string) => ReadonlySet<EventStream>;
  countOf: (credential: string) => number;
  /** The first limit of a stream that other streams have reached. */
  reachedLimit: (stream: EventStream) => { maximum: number } | undefined;
};

const none: ReadonlySet<EventStream> = new Set();

export function createStreamIndex(): StreamIndex {
  const all = new Set<EventStream>();
  const byChannel = new Map<string, Set<EventStream>>();
  const byCredential = new Map<string, Set<EventStream>>();
  const byLimit = new Map<string, Set<EventStream>>();
  return {
    all,
    add(stream) {
      all.add(stream);
      addTo(byCredential, stream.credential, stream);
      for (const { key } of stream.limits) addTo(byLimit, key, stream);
      for (const channel of stream.channels) addTo(byChannel, channel, stream);
    },
    remove(stream) {
      all.delete(stream);
      removeFrom(byCredential, stream.credential, stream);
      for (const { key } of stream.limits) removeFrom(byLimit, key, stream);
      for (const channel of stream.channels) removeFrom(byChannel, channel, stream);
    },
    move(stream, channels) {
      for (const channel of stream.channels) removeFrom(byChannel, channel, stream);
      stream.channels = channels;
      for (const channel of channels) addTo(byChannel, channel, stream);
    },
    onChannel: (channel) => byChannel.get(channel) ?? none,
    countOf: (credential) => byCredential.get(credential)?.size ?? 0,
    reachedLimit: ({ limits }) => limits.find(({ key, maximum }) => (byLimit.get(key)?.size ?? 0) >= maximum),
  };
}

function addTo(index: Map<string, Set<EventStream>>, key: string, stream: EventStream): void {
  const streams = index.get(key) ?? new Set();
  index.set(key, streams.add(stream));
}

function removeFrom(index: Map<string, Set<EventStream>>, key: string, stream: EventStream): void {
  const streams = index.get(key);
  streams?.delete(stream);
  if (streams?.size === 0) index.delete(key);
}

const maxPerCredential = 20;
/** A stream with more unread bytes than this is closed. */
const maxQueuedBytes = 1024 * 1024;
/** The interval at which each stream gets a comment, which keeps proxies from closing it, and is checked again. */
const roundMilliseconds = 15_000;
const ticksPerRound = 15;
/** The reconnection delay after a drain: random, to spread the reconnections. */
const minRetry = 500;
const maxRetry = 5000;
const checkConcurrency = 50;
/** The Retry-After of a client whose network or website has too many open streams. */
const retrySeconds = 30;

const openStreams = new Gauge({ name: 'http_event_streams', help: 'Open server-sent event streams of clients.' });

/** The open event streams of a listener. */
export type EventStreams = {
  /**
   * Sends the head of a stream, and keeps it open. With the id of the client's last event, the later notifications
   * follow, or the event `reset` when some are no longer stored: the client then reads everything again.
   *
   * @throws RATE_LIMITED when the credential has 20 open streams, or a limit of the stream is reached
   */
  open: (request: HttpRequest, stream: EventStream, lastId: string | null) => void;
  /** Sends a change notification to the streams of its channel. */
  deliver: (hint: ChangeNotification) => void;
  /** Checks the streams of changed credentials, and ends the ones that are no longer authorized. */
  recheckCredentials: (change: CredentialsChange) => Promise<void>;
  /** Checks the streams of callers whose permissions have changed. */
  recheckRights: (change: AccessChange) => Promise<void>;
  /** Checks the streams of a channel. */
  recheckChannel: (channel: string) => Promise<void>;
  /** After messages may have been lost: makes all clients read everything again, and checks all streams. */
  resume: () => Promise<void>;
  /** Ends all streams; the clients reconnect at random times. */
  drain: () => void;
};

export function createEventStreams(): EventStreams {
  const recent = createRecentHints();
  const streams = createStreamIndex();
  const stopRounds = startRounds(streams);
  return {
    open(request, stream, lastId) {
      const { response } = stream;
      // The client was answered already, or has disconnected.
      if (request.hasTimedOut || response.closed) return;
      rejectTooMany(streams, stream);
      response.writeHead(200, Object.assign(request.answerHeaders, request.ctx.meta.$responseHeaders, streamHeaders));
      response.once('close', () => remove(streams, stream));
      streams.add(stream);
      openStreams.inc();
      write(stream, greeting(lastId === null ? [] : recent.since(lastId, stream.channels)));
    },
    deliver(hint) {
      recent.add(hint);
      const text = textOf(hint);
      for (const stream of streams.onChannel(hint.channel)) write(stream, text);
    },
    recheckCredentials(change) {
      return checkAll(
        streams,
        [...streams.all].filter((stream) => isOf(stream, change)),
      );
    },
    recheckRights(change) {
      return checkAll(
        streams,
        [...streams.all].filter((stream) => isIn(stream, change)),
      );
    },
    recheckChannel: (channel) => checkAll(streams, [...streams.onChannel(channel)]),
    async resume() {
      recent.restart();
      for (const stream of streams.all) write(stream, resetText());
      await checkAll(streams, [...streams.all]);
    },
    drain() {
      stopRounds();
      for (const stream of [...streams.all]) {
        write(stream, `retry: ${Math.round(minRetry + Math.random() * (maxRetry - minRetry))}\n\n`);
        end(streams, stream);
      }
    },
  };
}

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies must neither compress nor buffer the stream; nginx reads the second header.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  // A stream ends with its connection, so that a stopping server need not wait for it.
  Connection: 'close',
};

/** Checks a part of the streams every second, to spread the work. Returns a function that stops the checks. */
function startRounds(streams: StreamIndex): () => void {
  let tick = 0;
  const ticks = setInterval(() => {
    tick += 1;
    const due = [...streams.all].filter((_stream, place) => place % ticksPerRound === tick % ticksPerRound);
    for (const stream of due) write(stream, ':\n\n');
    void checkAll(streams, due);
  }, roundMilliseconds / ticksPerRound);
  ticks.unref();
  return () => clearInterval(ticks);
}

function rejectTooMany(streams: StreamIndex, stream: EventStream): void {
  if (streams.countOf(stream.credential) >= maxPerCredential) {
    const message = `This credential has ${maxPerCredential} open event streams already; close one first.`;
    throw apiError('RATE_LIMITED', { message });
  }
  const reached = streams.reachedLimit(stream);
  if (!reached) return;
  const message = `Your network or this website has ${reached.maximum} open event streams already; try again later.`;
  throw apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(retrySeconds) } });
}

async function checkAll(streams: StreamIndex, chosen: EventStream[]): Promise<void> {
  for (let index = 0; index < chosen.length; index += checkConcurrency) {
    await Promise.all(chosen.slice(index, index + checkConcurrency).map((stream) => check(streams, stream)));
  }
}

async function check(streams: StreamIndex, stream: EventStream): Promise<void> {
  try {
    const channels = await stream.check();
    if (streams.all.has(stream)) streams.move(stream, channels);
  } catch (error) {
    const code = errorCode(error);
    // Streams whose check failed are checked in the next round; only a rejection ends a stream.
    if (code !== null && errorCatalogue[code].status < 500) end(streams, stream);
  }
}

function isOf({ caller, tokenHash, channels }: EventStream, change: CredentialsChange): boolean {
  const { tokenHash: changed, orgId } = change;
  if (changed !== undefined && tokenHash === changed) return true;
  // The streams of visitors have no caller; their channels name the organization.
  return holds(caller, change) || (orgId !== undefined && channels.some((channel) => channel.includes(orgId)));
}

function isIn({ caller }: EventStream, { orgId, subjects }: AccessChange): boolean {
  if (!caller || (subjects && !subjects.includes(caller.id))) return false;
  return belongsTo(caller, orgId);
}

function end(streams: StreamIndex, stream: EventStream): void {
  remove(streams, stream);
  stream.response.end();
}

function remove(streams: StreamIndex, stream: EventStream): void {
  if (!streams.all.has(stream)) return;
  streams.remove(stream);
  openStreams.dec();
}

/** The first text of a stream: the missed events, and an event that gives the client an id to resume from. */
function greeting(missed: ChangeNotification[] | null): string {
  const events = missed === null ? resetText() : missed.map(textOf).join('');
  return `${events}id: ${idOfNow()}\nevent: open\ndata: {}\n\n`;
}

const resetText = (): string => `id: ${idOfNow()}\nevent: reset\ndata: {}\n\n`;

function textOf({ id, event, data }: ChangeNotification): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function write({ response }: EventStream, text: string): void {
  if (response.writableLength > maxQueuedBytes) response.destroy();
  else response.write(text);
}
