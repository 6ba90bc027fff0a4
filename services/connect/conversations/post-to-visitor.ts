import { day, now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { ConversationDocument } from '../../../models/connect/conversation.ts';
import type { Author } from '../../../models/connect/message.ts';
import type { VisitorDocument } from '../../../models/connect/visitor.ts';
import { nameOf } from '../visitors/visitors.ts';
import { type Appended, append, type Draft } from './append.ts';
import { findPresent } from './conversations.ts';

/** Within this time a message of the visitor reopens a closed conversation. */
const reopensFor = 7 * day;

type Message = Omit<Draft, 'author' | 'isNote'>;

/** Adds a message of a visitor to the current conversation, or begins a new one. */
export function postOfVisitor(visitor: VisitorDocument, message: Message): Promise<Appended> {
  const author: Author = { type: 'visitor', id: visitor._id, name: visitor.name };
  return post(visitor, { ...message, author, isNote: false }, (present) => {
    const { status, closedAt } = present;
    if (status === 'closed' && now().getTime() - (closedAt ?? now()).getTime() >= reopensFor) return null;
    return { status: 'open', closedAt: null };
  });
}

/** Adds a notification to the current conversation of a visitor, or begins a new one if that is closed. */
export function postNotification(visitor: VisitorDocument, message: Message): Promise<Appended> {
  const author: Author = { type: 'notification', id: 'notification', name: null };
  return post(visitor, { ...message, author, isNote: false }, ({ status }) => (status === 'closed' ? null : {}));
}

/** `changesFor`: the changes of the message to the current conversation; null to begin a new one. */
function post(
  visitor: VisitorDocument,
  draft: Draft,
  changesFor: (present: ConversationDocument) => Partial<Pick<ConversationDocument, 'status' | 'closedAt'>> | null,
): Promise<Appended> {
  const { orgId, siteId, _id: visitorId, userId: customerId, identifiers } = visitor;
  return append(orgId, visitorId, draft, async () => {
    const present = await findPresent(orgId, visitorId);
    const changes = present && changesFor(present);
    if (present && changes) return { append: present, changes };
    return {
      create: {
        _id: newId('conv'),
        orgId,
        siteId,
        visitorId,
        ordinal: (present?.ordinal ?? 0) + 1,
        customerId,
        customerName: nameOf(visitor),
        identifiers: [...identifiers],
      },
    };
  });
}
