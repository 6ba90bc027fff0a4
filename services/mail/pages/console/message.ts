import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type IconName, renderIcon } from '../../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import type { Tone } from '../../../../web/states.ts';
import { renderTime, renderWhen } from '../../../../web/time.ts';
import { renderMessageState } from './messages.ts';
import { renderTemplateName, type Templates, templatesOf } from './template-names.ts';
import { texts } from './texts.ts';

/** One mail, and what happened to it. */
export const messagePages = {
  'pages.console.messages.show': organizationPage('messages', {
    rest: 'GET /:messageId',
    summary: 'Show a mail and what happened to it',
    handler: renderMessage,
  }),
};

type Message = CallOutput<'mail.messages.read'>;
type Event = Message['events'][number];

async function renderMessage(visit: OrganizationVisit): Promise<PageAnswer> {
  const path = { messageId: visit.path.messageId ?? '' };
  const message = await call(visit.ctx, 'mail.messages.read', { path });
  const templates = await templatesOf(visit.orgId, [message]);
  const t = texts().message;
  return renderOrganizationPage(visit, {
    title: message.to,
    parents: [[pathOf(visit, 'messages'), texts().list.title]],
    head: renderHead(message),
    body: html`<div class="split">
<section aria-labelledby="h-happened"><div class="sec-head"><h2 id="h-happened">${t.timeline.title}</h2></div>
<ol class="line attempts">${renderWaiting(message)}${message.events.toReversed().map(renderEvent)}</ol></section>
<aside><section aria-labelledby="h-facts"><h2 id="h-facts" class="vh">${t.facts.title}</h2>${renderMessageFacts(message, templates)}</section></aside></div>`,
  });
}

function renderHead({ messageId, to, status }: Message): Html {
  const t = texts().message;
  return html`<header class="detail">
<span class="avatar lg plain" aria-hidden="true">${renderIcon('mail')}</span>
<div class="grow"><h1><bdi>${to}</bdi> ${renderMessageState(status)}</h1>
<p class="quiet">${renderCopyable('message-id', messageId, t.idName)}</p></div>
</header>`;
}

function renderMessageFacts(message: Message, templates: Templates): Html {
  const { facts: t } = texts().message;
  const { none, version } = texts();
  const { to, from, replyTo, subject, templateVersion, locale, attempts, createdAt, sentAt } = message;
  const name = renderTemplateName(templates, message);
  const template = name && templateVersion !== null ? version(name, templateVersion) : name;
  const facts: Fact[] = [
    [t.to, html`<bdi>${to}</bdi>`],
    [t.from, html`<bdi>${from.name}</bdi> <bdi class="quiet">${from.address}</bdi>`],
    [t.replyTo, replyTo === null ? none.replyTo : html`<bdi>${replyTo}</bdi>`],
    [t.subject, subject === null ? none.subject : html`<bdi>${subject}</bdi>`],
    [t.template, template ?? t.noTemplate],
    ...(locale === null ? [] : [[t.locale, html`<code>${locale}</code>`] as const]),
    [t.attempts, String(attempts)],
    [t.accepted, renderTime(createdAt)],
    [t.sent, sentAt === null ? t.notSent : renderTime(sentAt)],
  ];
  return renderFacts(facts, true);
}

const marks = {
  queued: ['clock', undefined],
  sent: ['check', 'good'],
  bounced: ['undo', 'bad'],
  complained: ['alert', 'bad'],
  failed: ['bad', 'bad'],
  suppressed: ['bad', undefined],
} as const satisfies Record<Event['type'], readonly [IconName, Tone | undefined]>;

/** Renders an event with the words of the mail server. `renderWaiting` shows those with an attempt that is repeated. */
function renderEvent({ type, at, detail }: Event): Html {
  const [icon, tone] = marks[type];
  return renderStep({
    icon,
    tone,
    words: texts().message.timeline[type],
    reply: type === 'queued' ? null : detail,
    at,
  });
}

/** Renders the last attempt of a mail that waits for the next one; the event of its acceptance has the reason. */
function renderWaiting({ status, attempts, events }: Message): Html | null {
  const reply = status === 'queued' ? (events[0]?.detail ?? null) : null;
  if (reply === null) return null;
  const t = texts().message.timeline;
  return renderStep({ icon: 'alert', tone: 'warn', words: t.notYet(attempts), sub: t.again, reply });
}

type Step = {
  icon: IconName;
  tone: Tone | undefined;
  words: string;
  sub?: string;
  reply: string | null;
  at?: string;
};

function renderStep({ icon, tone, words, sub, reply, at }: Step): Html {
  return html`<li><span class="pip${tone && ` ${tone}`}">${renderIcon(icon, 'xs')}</span><p>${words}${sub && html`<span class="sub sub-line">${sub}</span>`}${reply && html`<code class="reply">${reply}</code>`}</p>${at && renderWhen(at)}</li>
`;
}
