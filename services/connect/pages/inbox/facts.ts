import { type CallOutput, call } from '../../../../lib/calls.ts';
import { errorCode } from '../../../../lib/errors.ts';
import { allows } from '../../../../lib/permissions.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderTime } from '../../../../web/time.ts';
import { unnamed } from '../../visitors/visitors.ts';
import type { Agent } from '../people.ts';
import { texts } from '../texts.ts';
import { type InboxVisit, inboxHref } from './inbox-page.ts';

export type Conversation = CallOutput<'connect.conversations.read'>;
type Story = CallOutput<'context.story.read'>;
type Site = CallOutput<'connect.sites.list'>['data'][number];

/** Reads the customer's story; null without one, and for users who may not read it. */
export async function readStory({ ctx, scopes }: InboxVisit, { customerId }: Conversation): Promise<Story | null> {
  if (customerId === null || !allows(scopes, 'context.story.read')) return null;
  try {
    return await call(ctx, 'context.story.read', { path: { customerId } });
  } catch (error) {
    // The inbox works without the context service.
    const code = errorCode(error);
    if (code === 'STORY_NOT_FOUND' || code === 'UNAVAILABLE' || code === 'INPUT_INVALID') return null;
    throw error;
  }
}

export type FactsParts = { conversation: Conversation; story: Story | null; sites: Site[] };

/** Renders the visitor and the known facts of the customer. */
export function renderDetails({ conversation, story, sites }: FactsParts): Html {
  const t = texts().inbox;
  const { visitor, customerId, siteId, createdAt } = conversation;
  const unverified = !visitor.isIdentified && html` <span class="hint">(${t.facts.unverified})</span>`;
  const facts: [string, Content][] = [
    [t.facts.name, visitor.name === null ? t.facts.none : html`<bdi>${visitor.name}</bdi>${unverified}`],
    [t.facts.email, visitor.email === null ? t.facts.none : html`<bdi>${visitor.email}</bdi>${unverified}`],
    ...(customerId === null ? [] : [[t.facts.customer, customerId] as [string, Content]]),
    [t.facts.website, sites.find((site) => site.siteId === siteId)?.name ?? siteId],
    ...(visitor.locale === null ? [] : [[t.facts.language, visitor.locale] as [string, Content]]),
    [t.facts.began, renderTime(createdAt)],
    ...(visitor.lastSeenAt === null ? [] : [[t.facts.seen, renderTime(visitor.lastSeenAt)] as [string, Content]]),
  ];
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<h3>${t.story.title}</h3>
${story ? html`<p><strong>${story.title}</strong></p><p>${story.summary}</p>` : html`<p class="hint">${customerId === null ? t.story.anonymous : t.story.none}</p>`}`;
}

/** Marks a name that the visitor typed and no website signed: it may be another person's. */
export function renderUnverified({
  customerId,
  customerName,
}: Pick<Conversation, 'customerId' | 'customerName'>): Content {
  if (customerId !== null || customerName === unnamed) return null;
  return html` <span class="tag">${texts().inbox.facts.unverified}</span>`;
}

export type ActParts = { conversation: Conversation; agents: Agent[]; flow: string; lastSeq: number };

/** Renders the assignee and the status, each with its form. */
export function renderActions(visit: InboxVisit, { conversation, agents, flow, lastSeq }: ActParts): Html {
  const t = texts().inbox;
  const { conversationId, assigneeId, status, unreadCount } = conversation;
  const action = inboxHref(visit, conversationId, {}, '/change');
  const hidden = html`${flowField(flow)}<input type="hidden" name="orgId" value="${visit.orgId}">`;
  const option = (value: string, name: string) =>
    html`<option value="${value}"${value === (assigneeId ?? 'none') && html` selected`}>${name}</option>`;
  const isAgent = agents.some(({ userId }) => userId === visit.user.id);
  return html`<form method="post" action="${action}" class="assign" data-live>${hidden}
<label for="assigneeId" class="spoken">${t.assign.label}</label>
<select id="assigneeId" name="assigneeId">${option('none', t.assign.none)}${agents.map(({ userId, name }) => option(userId, name))}</select>
<button class="quiet">${t.assign.submit}</button></form>
${unreadCount > 0 && lastSeq > 0 && html`<form method="post" action="${inboxHref(visit, conversationId, {}, '/read')}">${hidden}<input type="hidden" name="seq" value="${lastSeq}"><button class="quiet">${t.acts.read}</button></form>`}
<form method="post" action="${action}" class="acts" data-live>${hidden}
${isAgent && assigneeId !== visit.user.id && html`<button class="quiet" name="assigneeId" value="${visit.user.id}">${t.assign.me}</button>`}
${status === 'open' && html`<button class="quiet" name="status" value="pending">${t.acts.pend}</button>`}
${status === 'closed' ? html`<button class="quiet" name="status" value="open">${t.acts.reopen}</button>` : html`<button class="quiet" name="status" value="closed">${t.acts.close}</button>`}</form>`;
}
