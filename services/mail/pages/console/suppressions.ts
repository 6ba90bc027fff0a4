import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import { type Refusal, refusalOf, rejectMissing, submitForm } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderFilters, withQuery } from '../../../../web/filters.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { singleValues } from '../../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { callOnce, flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { texts } from './texts.ts';

const formKind = 'suppressions';
const pageSize = '50';

type Suppression = CallOutput<'mail.suppressions.list'>['data'][number];

/**
 * The addresses to which the organization sends no mail. Of the routes that match a path, the first by name answers:
 * `addresses` stands before `messages`, whose `/:messageId` matches too.
 */
export const suppressionsPages = {
  'pages.console.addresses.list': organizationPage('suppressions', {
    rest: 'GET',
    summary: 'Show the suppressed addresses of an organization',
    handler: (visit) => renderSuppressions(visit),
  }),
  'pages.console.addresses.add': organizationPage('suppressions', {
    rest: 'POST',
    summary: 'Suppress an address on its page',
    handler: add,
  }),
  'pages.console.addresses.remove': organizationPage('suppressions', {
    rest: 'POST /:suppressionId/remove',
    summary: 'Remove a suppressed address on its page',
    handler: remove,
  }),
};

async function add(visit: OrganizationVisit): Promise<PageAnswer> {
  const { address } = pickFields(visit.form, 'address');
  const t = texts().suppressions;
  const body = { address: address.trim() };
  const refusal =
    rejectChange(visit, formKind, t.lacks) ??
    rejectMissing({ address }, { address: t.missing }) ??
    (await refusalOf(['address'], () => callOnce(visit, 'mail.suppressions.create', { body })));
  if (refusal) return renderSuppressions(visit, { typed: address, refusal });
  return redirectTo(pathOf(visit, 'suppressions', [], { done: 'added' }));
}

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const path = { suppressionId: visit.path.suppressionId ?? '' };
  const refusal =
    rejectChange(visit, formKind, texts().suppressions.lacks) ??
    (await refusalOf([], () => call(visit.ctx, 'mail.suppressions.delete', { path })));
  if (refusal) return renderSuppressions(visit, { refusal });
  return redirectTo(pathOf(visit, 'suppressions', [], { done: 'removed' }));
}

type Refused = { typed?: string; refusal?: Refusal };

async function renderSuppressions(visit: OrganizationVisit, refused: Refused = {}): Promise<PageAnswer> {
  const { cursor, address = '' } = singleValues(visit.query, ['cursor', 'address']);
  const query = { limit: pageSize, ...(cursor && { cursor }), ...(address && { address }) };
  const found = await submitForm([], () => call(visit.ctx, 'mail.suppressions.list', { query }));
  const { data, nextCursor } = found.refusal === null ? found.answer : { data: [], nextCursor: null };
  const t = texts().suppressions;
  const path = pathOf(visit, 'suppressions');
  const search = { name: 'address', label: t.address, placeholder: t.placeholder, value: address };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    notice: flashMessage(visit, t.notices),
    refusal: refused.refusal ?? found.refusal,
    parents: [[pathOf(visit, 'messages'), messageTexts().title]],
    body: html`${renderReadOnly(visit)}
<div class="split"><div class="many-columns">
${renderFilters({ action: path, search })}
${renderTable<Suppression>({
  label: t.caption,
  rows: data,
  columns: columnsOf(visit),
  empty: address || cursor ? t.notFound : t.none,
  pager: {
    next: nextCursor && withQuery(path, { address, cursor: nextCursor }),
    nextWords: t.older,
    first: cursor === undefined ? null : withQuery(path, { address }),
  },
})}</div>
${visit.mayChange && html`<aside>${renderAdding(visit, refused)}</aside>`}</div>`,
  });
}

function columnsOf(visit: OrganizationVisit): Parameters<typeof renderTable<Suppression>>[0]['columns'] {
  const t = texts().suppressions;
  const { columns } = t;
  const flow = visit.mayChange ? openUserFlow(visit, formKind) : '';
  return [
    {
      heading: columns.address,
      cell: ({ address, reason }) => renderName({ name: html`<bdi>${address}</bdi>`, summary: t.reasons[reason] }),
    },
    {
      heading: columns.reason,
      cell: ({ reason }) =>
        html`${t.reasons[reason]}${reason === 'unsubscribed' && html`<span class="sub-line quiet">${t.scope}</span>`}`,
    },
    { heading: columns.mail, cell: ({ messageId }) => renderMail(visit, messageId), isMinor: true },
    { heading: columns.since, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true },
    ...(visit.mayChange
      ? [{ heading: columns.acts, cell: (row: Suppression) => renderRemoving(visit, row, flow), isState: true }]
      : []),
  ];
}

function renderMail(visit: OrganizationVisit, messageId: string | null): Html | string {
  const { none, suppressions: t } = texts();
  return messageId === null ? none.mail : html`<a href="${pathOf(visit, 'messages', [messageId])}">${t.showMail}</a>`;
}

function renderRemoving(visit: OrganizationVisit, { id, address }: Suppression, flow: string): Html {
  const t = texts().suppressions;
  return renderConfirmedForm({
    id: `remove-${id}`,
    action: pathOf(visit, 'suppressions', [id, 'remove']),
    flow,
    submit: html`<span aria-hidden="true">${t.remove}</span><span class="vh">${t.removeNamed(address)}</span>`,
    question: t.question(address),
    consequence: t.consequence,
    confirm: t.confirm,
    isMild: true,
  });
}

function renderAdding(visit: OrganizationVisit, { typed = '', refusal }: Refused): Html {
  const t = texts().suppressions;
  const field = { name: 'address', label: t.address, type: 'email', autocomplete: 'off', isRequired: true } as const;
  return html`<section aria-labelledby="h-add"><div class="sec-head"><h2 id="h-add">${t.add}</h2><p>${t.addWords}</p></div>
${renderForm({
  action: pathOf(visit, 'suppressions'),
  flow: openUserFlow(visit, formKind),
  fields: renderFields([{ ...field, value: typed, maxLength: 254 }], refusal?.errors),
  submit: t.submit,
})}</section>`;
}
