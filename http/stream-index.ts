import type { ServerResponse } from 'node:http';
import type { Caller } from '../lib/caller.ts';

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
