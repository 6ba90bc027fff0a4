import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import {
  type MessageView,
  messagePages,
  messagePath,
  type Step,
} from '../../../../messaging/delivery/pages/message.ts';
import { readTemplateNames, renderTemplateName } from '../../../../messaging/delivery/pages/template-names.ts';
import type { Fact } from '../../../../web/facts.ts';
import { html } from '../../../../web/html.ts';
import type { IconName } from '../../../../web/icons.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import type { Tone } from '../../../../web/states.ts';
import { callOnce } from '../../../../web/user-page.ts';
import { texts } from './texts.ts';

/** One mail, and what happened to it. */
export const messageShowPages = messagePages({
  service: 'mail',
  below: '',
  sendPermission: 'mail.send',
  read: readMessage,
  async resend(visit, messageId) {
    return (await callOnce(visit, 'mail.messages.resend', { path: { messageId } })).messageId;
  },
});

type Message = CallOutput<'mail.messages.read'>;
type Event = Message['events'][number];

async function readMessage(visit: OrganizationVisit, messageId: string): Promise<MessageView> {
  const { ctx, orgId } = visit;
  const message = await call(ctx, 'mail.messages.read', { path: { messageId } });
  const names = await readTemplateNames(ctx, { service: 'mail', orgId, messages: [message] });
  return {
    id: message.messageId,
    recipient: message.to,
    icon: 'mail',
    status: message.status,
    delivery: message,
    template: renderTemplateName(names, message) ?? texts().message.noTemplate,
    facts: factsOf(visit, message),
    steps: [...lastAttempt(message), ...message.events.toReversed().map(stepOf)],
  };
}

function factsOf(visit: OrganizationVisit, { to, from, replyTo, subject, notificationId }: Message): Fact[] {
  const { none, message } = texts();
  const t = message.facts;
  return [
    [t.to, html`<bdi>${to}</bdi>`],
    [t.from, html`<bdi>${from.name}</bdi> <bdi class="quiet">${from.address}</bdi>`],
    [t.replyTo, replyTo === null ? none.replyTo : html`<bdi>${replyTo}</bdi>`],
    [t.subject, subject === null ? none.subject : html`<bdi>${subject}</bdi>`],
    ...(notificationId === null ? [] : [[t.notification, renderNotification(visit, notificationId)] as const]),
  ];
}

function renderNotification(visit: OrganizationVisit, notificationId: string) {
  const href = messagePath(visit, { below: '/notifications' }, notificationId);
  return html`<a class="link" href="${href}">${texts().message.showNotification}</a>`;
}

const marks = {
  queued: ['clock', undefined],
  sent: ['check', 'good'],
  bounced: ['undo', 'bad'],
  complained: ['alert', 'bad'],
  failed: ['bad', 'bad'],
  suppressed: ['bad', undefined],
} as const satisfies Record<Event['type'], readonly [IconName, Tone | undefined]>;

/** An event with the words of the mail server. {@link lastAttempt} has those with an attempt that is repeated. */
function stepOf({ type, at, detail }: Event): Step {
  const [icon, tone] = marks[type];
  return { icon, tone, words: texts().message.timeline[type], reply: type === 'queued' ? null : detail, at };
}

/** The last attempt of a mail that waits for the next one; the event of its acceptance has the reason. */
function lastAttempt({ status, attempts, events }: Message): Step[] {
  const reply = status === 'queued' ? (events[0]?.detail ?? null) : null;
  if (reply === null) return [];
  return [{ icon: 'alert', tone: 'warn', words: texts().message.timeline.notYet(attempts), reply }];
}
