import { bounds, lengths } from '../bounds.ts';
import { meaningOf, type Occurrence } from '../occurrence.ts';
import { firstId, firstText, sourcesFor } from '../payload.ts';
import type { StoryState, TicketEntry, TicketFacts } from '../state.ts';
import { findTracked, recall, track } from '../tracked.ts';
import { namesOf, wrappers } from '../vocabulary/fields.ts';

/** `ticket.*`: the subject, and whether the ticket is still open. */
export function reduceTicket(state: StoryState, occurrence: Occurrence): StoryState | undefined {
  const sources = sourcesFor(occurrence.payload, ...wrappers.ticket);
  const meaning = meaningOf(occurrence, 'ticket', sources);
  if (!meaning) return undefined;
  const id = firstId(sources, namesOf('ticketId'));
  const { tickets, entry } = findOrOpen(state.tickets, id, meaning, occurrence.at);
  const subject = firstText(sources, namesOf('subject'), lengths.subject) || entry.subject;
  const isReopening = meaning === 'reopened' && !entry.open;
  const counted = {
    ...tickets,
    reopened: tickets.reopened + (isReopening ? 1 : 0),
    replies: tickets.replies + (meaning === 'replied' ? 1 : 0),
  };
  const after = { ...entry, subject, open: isReopening || (entry.open && meaning !== 'resolved') };
  return { ...state, tickets: { ...counted, tracked: track(counted.tracked, after, bounds.tickets) } };
}

function findOrOpen(
  tickets: TicketFacts,
  id: string,
  meaning: string,
  at: string,
): { tickets: TicketFacts; entry: TicketEntry } {
  const isOpening = meaning === 'opened';
  const existing = findTracked(tickets.tracked, id);
  // Tickets without an id share one entry, and each opening begins it again.
  if (existing && !(isOpening && id === '')) return { tickets, entry: existing };
  const recalled = isOpening ? undefined : recall(tickets.tracked);
  if (recalled) {
    return {
      tickets: { ...tickets, tracked: recalled.tracked },
      entry: { id, open: recalled.wasOpen, subject: '', openedAt: at },
    };
  }
  const opened = { ...tickets, opened: tickets.opened + 1, lastOpenedAt: at };
  return { tickets: opened, entry: { id, open: true, subject: '', openedAt: at } };
}
