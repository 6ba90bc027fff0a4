import type { Context, ServiceBroker } from 'moleculer';
import { newId } from './ids.ts';

/** The broker event that carries a hint to every listener. */
export const changeEvent = 'http.hint';

/** The broker event that has every listener check the streams of a channel. */
export const streamCheckEvent = 'http.stream-check';

const maxDataBytes = 1024;

/**
 * Tells the clients of a channel that something has changed; they read it by REST. `id` orders the hints by time. Hints
 * are delivered at most once and may come twice or in another order, so nothing may depend on one.
 */
export type ChangeNotification = { id: string; channel: string; event: string; data: Record<string, unknown> };

/**
 * Sends a hint to the open event streams of a channel, on every node. The name of the channel holds the organization's
 * id, because an action that answers `events` decides by it who listens.
 *
 * @param data what identifies the change, such as an id and a sequence number: at most 1 KiB as JSON, and nothing that
 * a reader of the channel may not know
 */
export async function sendHint(
  ctx: Pick<Context, 'broadcast'>,
  channel: string,
  event: string,
  data: ChangeNotification['data'] = {},
): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(event)) throw new Error(`"${event}" is no name of an event.`);
  if (Buffer.byteLength(JSON.stringify(data)) > maxDataBytes) throw new Error(`The hint "${event}" is too large.`);
  const hint: ChangeNotification = { id: newId('hnt'), channel, event, data };
  await ctx.broadcast(changeEvent, hint);
}

/**
 * Has every node check the open event streams of a channel at once, and end those whose client may not listen any more;
 * otherwise the next of the checks that come every 15 seconds ends them.
 */
export async function checkStreams(broker: Pick<ServiceBroker, 'broadcast'>, channel: string): Promise<void> {
  await broker.broadcast(streamCheckEvent, { channel });
}
