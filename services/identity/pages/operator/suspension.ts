import type { Refusal } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OperatedOrganization, operatedPath } from '../../../../web/operator-page.ts';
import { texts } from '../texts.ts';

/** Why the form of a suspension was rejected, with what was typed. */
export type SuspensionAttempt = { reason: string; refusal: Refusal };

/** Renders the last section of an organization's page: to suspend it, or to end that. */
export function renderSuspension(organization: OperatedOrganization, flow: string, attempt?: SuspensionAttempt): Html {
  const { title } = texts().operatorConsole.organization.suspension;
  const content = organization.suspension
    ? renderRestoring(organization, flow)
    : renderSuspending(organization, flow, attempt);
  return html`<section class="sec" aria-labelledby="h-suspension"><div class="sec-head"><h2 id="h-suspension">${title}</h2></div>
<ul class="zone"><li>${content}</li></ul></section>`;
}

function renderSuspending(organization: OperatedOrganization, flow: string, attempt?: SuspensionAttempt): Html {
  const { heading, words, consequences, reason, hint, submit } = texts().operatorConsole.organization.suspension.begin;
  const field = { name: 'reason', label: reason, autocomplete: 'off', isRequired: true, maxLength: 500 };
  return html`<div><b>${heading}</b><p>${words}</p>
<ul class="bullets">${consequences.map((consequence) => html`<li>${consequence}</li>`)}</ul>
${renderForm({
  action: operatedPath(organization, 'overview', ['suspend']),
  flow,
  fields: renderFields([{ ...field, value: attempt?.reason ?? '', hint }], attempt?.refusal.errors),
  submit,
  isDangerous: true,
})}</div>`;
}

function renderRestoring(organization: OperatedOrganization, flow: string): Html {
  const { heading, words, ...act } = texts().operatorConsole.organization.suspension.end;
  return html`<div><b>${heading}</b><p>${words}</p></div>
${renderConfirmedForm({
  id: 'restore',
  action: operatedPath(organization, 'overview', ['restore']),
  flow,
  isMild: true,
  ...act,
})}`;
}
