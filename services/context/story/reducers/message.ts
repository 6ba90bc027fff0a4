import { bounds, lengths } from '../bounds.ts';
import type { Occurrence } from '../occurrence.ts';
import { firstText, sourcesFor } from '../payload.ts';
import type { StoryState } from '../state.ts';
import { tally } from '../tally.ts';
import { cleanText, humanize } from '../text.ts';
import { lookUp } from '../vocabulary/events.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';

const incoming = new Set(['inbound', 'incoming', 'in', 'received']);
const outgoing = new Set(['outbound', 'outgoing', 'out', 'sent']);

/** Channels by the name readers know. */
const channelNames = new Map([
  ['sms', 'SMS'],
  ['whatsapp', 'WhatsApp'],
  ['mail', 'email'],
  ['web', 'the website'],
  ['website', 'the website'],
  ['chatapp', 'a chat app'],
  ['photoapp', 'a photo app'],
  ['socialapp', 'a social app'],
]);

/** `message.*`, `email.*`, `sms.*`, `chat.*`: sender and recipient, how often and where. Never the content. */
export function reduceMessage(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  if (lookUp('message', occurrence.action) !== 'exchanged') return undefined;
  const sources = sourcesFor(occurrence.payload, ...wrappers.message);
  const direction = firstText(sources, namesOf('direction'), lengths.id).toLowerCase();
  const isFromCustomer = directionOf(direction) ?? isFromCustomerByAction(occurrence);
  const channel = channelOf(occurrence, firstText(sources, namesOf('channel'), lengths.id));
  const { messages } = state;
  return {
    ...state,
    messages: {
      fromCustomer: messages.fromCustomer + (isFromCustomer ? 1 : 0),
      toCustomer: messages.toCustomer + (isFromCustomer ? 0 : 1),
      channels: channel ? tally(messages.channels, channel, bounds.channels) : messages.channels,
      lastAt: occurrence.at,
    },
  };
}

function directionOf(direction: string): boolean | undefined {
  if (incoming.has(direction)) return true;
  return outgoing.has(direction) ? false : undefined;
}

/** The business receives what a customer writes; anything else goes the way of its actor. */
function isFromCustomerByAction({ action, byCustomer }: Occurrence): boolean {
  return action.endsWith('received') || byCustomer;
}

function channelOf({ entity, sourceChannel }: Occurrence, stated: string): string {
  const isTelling = entity !== 'message' && entity !== 'messages' && entity !== 'conversation';
  const channel = humanize(stated || (isTelling ? entity : cleanText(sourceChannel, lengths.id)));
  return channelNames.get(channel) ?? channel;
}
