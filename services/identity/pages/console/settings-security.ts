import { call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse, withRenamedProblems } from '../../../../web/attempt.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { type Field, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { domainsIn, nameDomain } from '../domains.ts';
import { texts } from '../texts.ts';

export const securityNames = ['allowedEmailDomains', 'maxSessionHours'] as const;

/** The rules for members as they are typed; the domains one a line. */
export type TypedSecurity = Record<(typeof securityNames)[number], string>;

/** Saves the rules for members; returns why they are refused, null if they are saved. */
export async function saveSecurity(
  { ctx, organization }: OrganizationVisit,
  { allowedEmailDomains: typed, maxSessionHours: hours }: TypedSecurity,
): Promise<Refusal | null> {
  if (!/^\s*\d*\s*$/.test(hours)) return refuse({ maxSessionHours: texts().consoleSettings.security.hoursWrong });
  const allowedEmailDomains = domainsIn(typed);
  const maxSessionHours = hours.trim() === '' ? null : Number(hours);
  const input = { path: { slug: organization.slug }, body: { allowedEmailDomains, maxSessionHours } };
  return await refusalOf(securityNames, () =>
    withRenamedProblems(
      (detail) => nameDomain(detail, allowedEmailDomains),
      () => call(ctx, 'identity.security.update', input),
    ),
  );
}

/** Renders the rules for members. `flow`: the token of the form; null for a member who may not change them. */
export async function renderSecurity(
  visit: OrganizationVisit,
  flow: string | null,
  typed: TypedSecurity | undefined,
  refusal: Refusal | undefined,
): Promise<Html> {
  const { allowedEmailDomains, maxSessionHours } = typed ?? (await readTyped(visit));
  const t = texts().consoleSettings.security;
  if (flow === null) {
    return renderFacts([
      [t.domains, allowedEmailDomains === '' ? t.everyDomain : allowedEmailDomains.split('\n').join(', ')],
      [t.hours, maxSessionHours === '' ? t.wholeSession : maxSessionHours],
    ]);
  }
  const fields: Field[] = [
    {
      name: 'allowedEmailDomains',
      label: t.domains,
      autocomplete: 'off',
      lines: 3,
      value: allowedEmailDomains,
      hint: t.domainsHint,
    },
    {
      name: 'maxSessionHours',
      label: t.hours,
      autocomplete: 'off',
      inputmode: 'numeric',
      maxLength: 6,
      value: maxSessionHours,
      hint: t.hoursHint,
    },
  ];
  return html`${renderForm({
    action: pathOf(visit, 'settings', ['security']),
    flow,
    fields: renderFields(fields, refusal?.errors),
    submit: t.submit,
    isSecond: true,
  })}`;
}

async function readTyped({ ctx, organization }: OrganizationVisit): Promise<TypedSecurity> {
  const { slug } = organization;
  const { allowedEmailDomains, maxSessionHours } = await call(ctx, 'identity.security.read', { path: { slug } });
  return {
    allowedEmailDomains: allowedEmailDomains.join('\n'),
    maxSessionHours: maxSessionHours === null ? '' : String(maxSessionHours),
  };
}
