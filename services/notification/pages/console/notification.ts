import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import {
  type MessageView,
  messagePages,
  messagePath,
  type Step,
} from '../../../../messaging/delivery/pages/message.ts';
import { readTemplateNames, renderTemplateName } from '../../../../messaging/delivery/pages/template-names.ts';
import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import type { Fact } from '../../../../web/facts.ts';
import { type Content, html } from '../../../../web/html.ts';
import type { IconName } from '../../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import type { Tone } from '../../../../web/states.ts';
import { callOnce } from '../../../../web/user-page.ts';
import { texts } from './texts.ts';

/** One notification, and what happened to it. */
export const notificationPages = messagePages({
  service: 'notification',
  below: '/notifications',
  sendPermission: 'notification.send',
  read: readNotification,
  async resend(visit, notificationId) {
    return (await callOnce(visit, 'notification.notifications.resend', { path: { notificationId } })).notificationId;
  },
});

type Notification = CallOutput<'notification.notifications.read'>;
type Event = Notification['events'][number];

async function readNotification(visit: OrganizationVisit, notificationId: string): Promise<MessageView> {
  const { ctx, orgId } = visit;
  const notification = await call(ctx, 'notification.notifications.read', { path: { notificationId } });
  const names = await readTemplateNames(ctx, { service: 'notification', orgId, messages: [notification] });
  return {
    id: notification.notificationId,
    recipient: notification.recipientId,
    icon: 'channel',
    status: notification.status,
    delivery: notification,
    template: renderTemplateName(names, notification) ?? texts().notification.testMessage,
    facts: factsOf(visit, notification),
    steps: notification.events.toReversed().map(stepOf),
  };
}

function factsOf(visit: OrganizationVisit, notification: Notification): Fact[] {
  const { recipientId, channel, provider, connectionId, providerMessageId } = notification;
  const t = texts().notification.facts;
  const name = provider === null ? null : texts().channels.providers[provider].name;
  return [
    [t.recipient, html`<bdi>${recipientId}</bdi>`],
    [t.channel, messageTexts().channels[channel]],
    ...(name === null ? [] : [[t.provider, renderConnection(visit, connectionId, name)] as const]),
    ...(providerMessageId === null
      ? []
      : [[t.providerMessage, renderProviderMessage(visit, notification, providerMessageId)] as const]),
  ];
}

function renderConnection(visit: OrganizationVisit, connectionId: string | null, name: string): Content {
  if (connectionId === null) return name;
  return html`<a class="link" href="${pathOf(visit, 'channels', [connectionId])}">${name}</a>`;
}

/** The id at the provider. At the platform's own mail it is the id of a message of the same log. */
function renderProviderMessage(visit: OrganizationVisit, { provider }: Notification, id: string): Content {
  if (provider !== 'mail') return html`<code class="brk">${id}</code>`;
  return html`<a class="link" href="${messagePath(visit, { below: '' }, id)}">${texts().notification.showMail}</a>`;
}

const marks = {
  queued: ['clock', undefined],
  rejected: ['alert', 'warn'],
  sent: ['check', 'good'],
  failed: ['bad', 'bad'],
} as const satisfies Record<Event['type'], readonly [IconName, Tone | undefined]>;

function stepOf({ type, at, provider, reason }: Event): Step {
  const [icon, tone] = marks[type];
  const name = provider === null ? null : texts().channels.providers[provider].name;
  return {
    icon,
    tone,
    words: texts().notification.timeline[type](name),
    reply: reason === null ? null : texts().channel.problem(reason),
    at,
  };
}
