import type { Context, ServiceBroker } from 'moleculer';
import { newId } from '../data/ids.ts';

/** The broker event that carries a change notification to every listener. */
export const changeEvent = 'http.hint';

/** The broker event that makes every listener check the streams of a channel. */
export const streamCheckEvent = 'http.stream-check';

const maxDataBytes = 1024;

/**
 * Notifies the clients of a channel of a change; they read the changed resource by REST. `id` orders the notifications
 * by time. Delivery is at most once per connection, and notifications may be duplicated or reordered, so clients must
 * not rely on them.
 */
export type ChangeNotification = { id: string; channel: string; event: string; data: Record<string, unknown> };

/**
 * Sends a change notification to the open event streams of a channel, on every node. The name of the channel holds the
 * organization's id, by which an action that answers `events` authorizes its listeners.
 *
 * @param data identifies the change, such as an id and a sequence number: at most 1 KiB as JSON, and only data that
 * every reader of the channel may know
 */
export async function sendHint(
  ctx: Pick<Context, 'broadcast'>,
  channel: string,
  event: string,
  data: ChangeNotification['data'] = {},
): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(event)) throw new Error(`"${event}" is not a valid event name.`);
  if (Buffer.byteLength(JSON.stringify(data)) > maxDataBytes)
    throw new Error(`The notification "${event}" is too large.`);
  const hint: ChangeNotification = { id: newId('hnt'), channel, event, data };
  await ctx.broadcast(changeEvent, hint);
}

/**
 * Makes every node check the open event streams of a channel immediately and end the streams whose client is no longer
 * authorized; otherwise the periodic check, every 15 seconds, ends them.
 */
export async function checkStreams(broker: Pick<ServiceBroker, 'broadcast'>, channel: string): Promise<void> {
  await broker.broadcast(streamCheckEvent, { channel });
}
