import type { CallOutput } from '../../../lib/contract/context.ts';
import type { Action } from '../../../lib/contract/define-action.ts';
import { allows, type SystemPermission } from '../../../lib/contract/permissions.ts';
import { type Refusal, submitForm } from '../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../web/confirm.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../web/facts.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { type IconName, renderIcon } from '../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderState, type Tone } from '../../../web/states.ts';
import { renderTime, renderWhen } from '../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { texts } from './texts.ts';

type Delivery = Omit<CallOutput<'mail.messages.read'> | CallOutput<'notification.notifications.read'>, 'status'>;
export type Status =
  | CallOutput<'mail.messages.read'>['status']
  | CallOutput<'notification.notifications.read'>['status'];

/** A message as its page shows it. */
export type MessageView = {
  id: string;
  recipient: string;
  icon: IconName;
  status: Status;
  delivery: Delivery;
  /** The name of its template; null if none. */
  template: Content;
  /** The facts of its kind, which come first. */
  facts: readonly Fact[];
  /** The events and attempts, the newest first. */
  steps: readonly Step[];
};

/** Something that happened to a message, with the words of the server or provider. */
export type Step = {
  icon: IconName;
  tone?: Tone | undefined;
  words: Content;
  sub?: Content;
  reply?: string | null;
  at?: string;
};

/** The messages of a service, as its pages declare them. */
export type MessageKind = {
  service: 'mail' | 'notification';
  /** The path below the log of messages. */
  below: '' | '/notifications';
  /** The permission to send one again. */
  sendPermission: SystemPermission;
  /** Reads a message; throws NOT_FOUND when the organization has none of this id. */
  read: (visit: OrganizationVisit, id: string) => Promise<MessageView>;
  /** Sends a failed message again; resolves with the id of the new one. */
  resend: (visit: OrganizationVisit, id: string) => Promise<string>;
};

const formKind = 'messages';

/** The pages of one message of a service, in the log of all messages. */
export function messagePages(kind: MessageKind): Record<string, Action> {
  return {
    'pages.console.messages.show': organizationPage('messages', {
      rest: `GET ${kind.below}/:messageId`,
      summary: `Show a message of ${kind.service} and what happened to it`,
      handler: (visit) => renderMessage(kind, visit),
    }),
    'pages.console.messages.resend': organizationPage('messages', {
      rest: `POST ${kind.below}/:messageId/resend`,
      summary: `Send a failed message of ${kind.service} again on its page`,
      handler: (visit) => resend(kind, visit),
    }),
  };
}

/** The path of the page of a message. */
export function messagePath(
  visit: OrganizationVisit,
  { below }: Pick<MessageKind, 'below'>,
  id: string,
  query: Record<string, string> = {},
): string {
  return pathOf(visit, 'messages', [...below.split('/'), id], query);
}

async function resend(kind: MessageKind, visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const stale = rejectStaleForm(visit, formKind);
  const attempt = stale
    ? { refusal: stale }
    : await submitForm([], () => kind.resend(visit, visit.path.messageId ?? ''));
  if (attempt.refusal) return renderMessage(kind, visit, attempt.refusal);
  return redirectTo(messagePath(visit, kind, attempt.answer, { done: 'resent' }));
}

async function renderMessage(
  kind: MessageKind,
  visit: OrganizationVisit,
  refusal: Refusal | null = null,
): Promise<PageAnswer> {
  const message = await kind.read(visit, visit.path.messageId ?? '');
  const { title, message: t } = texts();
  return renderOrganizationPage(visit, {
    title: message.recipient,
    parents: [[pathOf(visit, 'messages'), title]],
    head: renderHead(kind, visit, message),
    notice: flashMessage(visit, { resent: t.resend.done }),
    refusal,
    body: html`${renderResendHint(kind, visit, message)}<div class="split">
<section aria-labelledby="h-happened"><div class="sec-head"><h2 id="h-happened">${t.timeline.title}</h2></div>
<ol class="line attempts">${[...nextStep(message), ...message.steps].map(renderStep)}</ol></section>
<aside><section aria-labelledby="h-facts"><h2 id="h-facts" class="vh">${t.facts.title}</h2>${renderFacts([...message.facts, ...factsOf(kind, visit, message)], true)}</section></aside></div>`,
  });
}

function renderHead(kind: MessageKind, visit: OrganizationVisit, message: MessageView): Html {
  const { id, recipient, icon, status, delivery } = message;
  const maySend = delivery.isResendable && allows(visit.scopes, kind.sendPermission);
  return html`<header class="detail">
<span class="avatar lg plain" aria-hidden="true">${renderIcon(icon)}</span>
<div class="grow"><h1><bdi>${recipient}</bdi> ${renderStatus(status)}</h1>
<p class="quiet">${renderCopyable('message-id', id, texts().message.idName)}</p></div>
${maySend && html`<div class="acts">${renderResend(kind, visit, message)}</div>`}</header>`;
}

function renderResend(kind: MessageKind, visit: OrganizationVisit, { id }: MessageView): Html {
  const t = texts().message.resend;
  return renderConfirmedForm({
    id: 'resend',
    action: `${messagePath(visit, kind, id)}/resend`,
    flow: openUserFlow(visit, formKind),
    submit: t.act,
    question: t.question,
    consequence: t.consequence,
    confirm: t.act,
    isMild: true,
  });
}

/** Says what is missing to a member who may not send a message again. */
function renderResendHint(
  { sendPermission }: MessageKind,
  visit: OrganizationVisit,
  message: MessageView,
): Html | null {
  if (!message.delivery.isResendable || allows(visit.scopes, sendPermission)) return null;
  return html`<p class="hint">${texts().message.resend.lacks(sendPermission)}</p>`;
}

function factsOf(kind: MessageKind, visit: OrganizationVisit, { delivery, template }: MessageView): Fact[] {
  const { message, version, none } = texts();
  const { facts: t } = message;
  const { templateVersion, locale, attempts, nextAttemptAt, createdAt, sentAt, resentFrom, resentAs } = delivery;
  const linkTo = (id: string, words: string) =>
    html`<a class="link" href="${messagePath(visit, kind, id)}">${words}</a>`;
  return [
    [t.template, templateVersion === null ? (template ?? none) : version(html`${template}`, templateVersion)],
    ...(locale === null ? [] : [[t.locale, html`<code>${locale}</code>`] as const]),
    [t.attempts, String(attempts)],
    ...(nextAttemptAt === null ? [] : [[t.nextAttempt, renderTime(nextAttemptAt)] as const]),
    [t.accepted, renderTime(createdAt)],
    [t.sent, sentAt === null ? t.notSent : renderTime(sentAt)],
    ...(resentFrom === null ? [] : [[t.resentFrom, linkTo(resentFrom, t.showFailed)] as const]),
    ...(resentAs === null ? [] : [[t.resentAs, linkTo(resentAs, t.showNew)] as const]),
  ];
}

/** The attempt that a message waits for. */
function nextStep({ delivery: { nextAttemptAt } }: MessageView): Step[] {
  const t = texts().message.timeline;
  return nextAttemptAt === null ? [] : [{ icon: 'clock', words: t.next, sub: t.until, at: nextAttemptAt }];
}

function renderStep({ icon, tone, words, sub, reply, at }: Step): Html {
  return html`<li><span class="pip${tone && ` ${tone}`}">${renderIcon(icon, 'xs')}</span><p>${words}${sub && html`<span class="sub sub-line">${sub}</span>`}${reply && html`<code class="reply">${reply}</code>`}</p>${at && renderWhen(at)}</li>
`;
}

const tones = {
  queued: 'off',
  sending: 'run',
  sent: 'good',
  bounced: 'bad',
  failed: 'bad',
  suppressed: 'off',
} as const;

/** Renders the state of a message as a dot and a word. */
export function renderStatus(status: Status): Html {
  return renderState(texts().statuses[status], tones[status]);
}
