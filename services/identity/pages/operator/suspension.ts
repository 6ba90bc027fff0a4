import type { Refusal } from '../../../../web/attempt.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OperatedOrganization, operatedPath } from '../../../../web/operator-page.ts';
import { renderZoneSection, type ZoneAct } from '../../../../web/zone.ts';
import { texts } from '../texts.ts';

/** Why the form of a suspension was rejected, with what was typed. */
export type SuspensionAttempt = { reason: string; refusal: Refusal };

/** Renders the last section of an organization's page: to suspend it, or to end that. */
export function renderSuspension(organization: OperatedOrganization, flow: string, attempt?: SuspensionAttempt): Html {
  const { title } = texts().operatorConsole.organization.suspension;
  const act = organization.suspension ? restoring(organization, flow) : suspending(organization, flow, attempt);
  return renderZoneSection({ id: 'h-suspension', title }, [act]);
}

function suspending(organization: OperatedOrganization, flow: string, attempt?: SuspensionAttempt): ZoneAct {
  const { heading, words, consequences, reason, hint, submit } = texts().operatorConsole.organization.suspension.begin;
  const field = { name: 'reason', label: reason, autocomplete: 'off', isRequired: true, maxLength: 500 };
  const form = renderForm({
    action: operatedPath(organization, 'overview', ['suspend']),
    flow,
    fields: renderFields([{ ...field, value: attempt?.reason ?? '', hint }], attempt?.refusal.errors),
    submit,
    isDangerous: true,
  });
  const bullets = consequences.map((consequence) => html`<li>${consequence}</li>`);
  return { title: heading, words, below: html`<ul class="bullets">${bullets}</ul>\n${form}` };
}

function restoring(organization: OperatedOrganization, flow: string): ZoneAct {
  const { heading, words, ...act } = texts().operatorConsole.organization.suspension.end;
  const action = operatedPath(organization, 'overview', ['restore']);
  return { title: heading, words, confirmed: { id: 'restore', action, flow, isMild: true, ...act } };
}
