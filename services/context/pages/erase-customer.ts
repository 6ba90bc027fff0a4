import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse } from '../../../web/attempt.ts';
import { renderFields } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { parentsOf, readStory } from './customer.ts';
import { texts } from './texts.ts';

const eraseForm = 'context.customer.erase';
const erasePath = '/:customerId/erase';

/** The page that erases a customer after their id was typed. */
export const eraseCustomerPages = {
  'pages.customers.ask-erase': organizationPage('customers', {
    rest: `GET ${erasePath}`,
    summary: 'Confirm the erasure of a customer',
    handler: (visit) => renderErase(visit),
  }),
  'pages.customers.erase': organizationPage('customers', {
    rest: `POST ${erasePath}`,
    summary: 'Erase a customer',
    handler: erase,
  }),
};

async function renderErase(visit: OrganizationVisit, refused?: Refusal): Promise<PageAnswer> {
  const { customerId, title } = await readStory(visit);
  const t = texts().customer.erase;
  const refusal = visit.mayChange ? refused : refuse({}, t.notAllowed, 403);
  const path = pathOf(visit, 'customers', [customerId]);
  const field = {
    name: 'customerId',
    label: t.label(customerId),
    value: visit.form.customerId ?? '',
    autocomplete: 'off',
    isRequired: true,
    isFirst: true,
    maxLength: 256,
  };
  return renderOrganizationPage(visit, {
    title: t.title,
    parents: [...parentsOf(visit), [path, customerId]],
    refusal,
    body: html`<p>${t.words(title)}</p>
${
  visit.mayChange &&
  renderForm({
    action: pathOf(visit, 'customers', [customerId, 'erase']),
    flow: openUserFlow(visit, eraseForm),
    fields: renderFields([field], refusal?.errors),
    submit: t.submit,
    isDangerous: true,
  })
}
<div class="acts after"><a class="btn" href="${path}">${t.cancel}</a></div>`,
  });
}

async function erase(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form } = visit;
  const t = texts().customer.erase;
  const { customerId } = await readStory(visit);
  const isTyped = (form.customerId ?? '').trim() === customerId.trim();
  const refusal =
    rejectChange(visit, eraseForm, t.notAllowed) ??
    (isTyped ? null : refuse({ customerId: t.mismatch(customerId) })) ??
    (await refusalOf([], () => call(ctx, 'context.story.erase', { path: { customerId } })));
  return refusal ? renderErase(visit, refusal) : redirectTo(pathOf(visit, 'customers', [], { done: 'erased' }));
}
