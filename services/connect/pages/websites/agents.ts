import { call } from '../../../../lib/contract/context.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { type FieldErrors, renderChoice, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import type { Section } from '../../../../web/sections.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { type Agent, agentsOf, membersOf, type Person } from '../inbox/inbox-page.ts';
import { texts } from '../texts.ts';
import { hiddenFields, type SiteForm } from './websites-page.ts';

const seatsMeter = 'connect.agentSeats';

/**
 * Returns the section with the agents, the used seats and the members who may become agents. `form`: null for users who
 * may not change them.
 */
export async function agentsSection(
  visit: OrganizationVisit,
  form: SiteForm | null,
  errors: FieldErrors = {},
): Promise<Section> {
  const t = texts().websites.agents;
  const [agents, members, seats] = await Promise.all([agentsOf(visit), membersOf(visit), readSeats(visit)]);
  const others = members.filter(({ userId }) => !agents.some((agent) => agent.userId === userId));
  const content = html`${seats}
${agents.length === 0 ? renderEmpty(t.none) : html`<ul class="items">${agents.map((agent) => renderAgent(agent, form))}</ul>`}
${form && (others.length > 0 ? renderAdding(form, others, visit.form, errors) : html`<p class="hint">${t.everyone}</p>`)}`;
  return { id: 'agents', title: t.title, words: t.words, content };
}

async function readSeats(visit: OrganizationVisit): Promise<Html | null> {
  const { ctx, orgId } = visit;
  const t = texts().websites.agents;
  const { usage } = await call(ctx, 'billing.subscription.describe', { body: { orgId } });
  const seats = usage.find(({ meter }) => meter === seatsMeter);
  if (!seats || seats.limit === null) return null;
  const link = html`<a href="${pathOf(visit, 'usage')}#plans">${t.planLink}</a>`;
  const isFull = seats.used >= seats.limit;
  return html`<p>${t.seats(String(seats.used), String(seats.limit))}${isFull && html` ${t.plan(link)}`}</p>`;
}

function renderAgent({ userId, name, online }: Agent, form: SiteForm | null): Html {
  const t = texts().websites.agents;
  return html`<li><p><bdi>${name}</bdi>${online && html` <span class="badge">${t.online}</span>`}</p>
${
  form &&
  renderConfirmedForm({
    id: `remove-${userId}`,
    action: `${form.path}/agents/remove`,
    flow: form.flow,
    fields: html`${hiddenFields(form)}<input type="hidden" name="userId" value="${userId}">`,
    submit: html`<span aria-hidden="true">${t.remove}</span><span class="vh">${t.removeName(name)}</span>`,
    question: t.question(name),
    consequence: t.consequence,
    confirm: t.confirm,
  })
}</li>`;
}

function renderAdding(
  form: SiteForm,
  others: Person[],
  typed: Readonly<Record<string, string>>,
  errors: FieldErrors,
): Html {
  const t = texts().websites.agents;
  const options = others.map(({ userId, name }) => [userId, name] as const);
  const displayName = { name: 'displayName', label: t.displayName, autocomplete: 'off', maxLength: 100 };
  return renderForm({
    action: `${form.path}/agents`,
    flow: form.flow,
    fields: [
      hiddenFields(form),
      renderChoice({ name: 'userId', label: t.member, options }, typed.userId, errors.userId),
      renderFields([{ ...displayName, value: typed.displayName ?? '' }], errors),
    ],
    submit: t.add,
  });
}
