import { day, fromNow } from '../../../../lib/data/clock.ts';
import { type Refusal, refuse, rejectMissing, submitForm } from '../../../../web/attempt.ts';
import { renderChoice, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { html } from '../../../../web/html.ts';
import { startOfDay } from '../../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { pickFields, pickTicked } from '../../../../web/pick.ts';
import { texts as shared } from '../../../../web/texts.ts';
import { callOnce, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { keysForm } from './applications-keys.ts';
import { renderApplication } from './applications-overview.ts';
import { type Application, applicationPath, crumbsTo, readApplication } from './applications-page.ts';
import { renderScopes } from './applications-scopes.ts';

const names = ['name', 'expires', 'day'] as const;
type Values = Record<(typeof names)[number], string> & { scopes: readonly string[] };
const empty: Values = { name: '', expires: '90', day: '', scopes: [] };
const lifetimes = ['30', '90', '365'] as const;

/** The form of a new API key. */
export const applicationNewKeyPages = {
  'pages.console.applications.keys.new': organizationPage('applications', {
    rest: 'GET /:app/keys/new',
    summary: 'Show the form of a new API key',
    handler: async (visit) => renderNewKey(visit, await readApplication(visit), empty),
  }),
  'pages.console.applications.keys.create': organizationPage('applications', {
    rest: 'POST /:app/keys/new',
    summary: 'Create an API key, and show it once',
    handler: createKey,
  }),
};

async function createKey(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ticked: scopes, rest } = pickTicked(visit.form, 'scopes');
  const typed = { ...pickFields(rest, ...names), scopes };
  const application = await readApplication(visit);
  const t = texts().consoleApplications.keys.form;
  const stopped =
    rejectStaleForm(visit, keysForm) ??
    rejectMissing(
      { name: typed.name, scopes: scopes.join(' '), ...(typed.expires === 'date' && { day: typed.day }) },
      { name: t.nameMissing, scopes: t.scopesMissing, ...(typed.expires === 'date' && { day: t.dateMissing }) },
    ) ??
    rejectDay(typed);
  if (stopped) return renderNewKey(visit, application, typed, stopped);
  const body = { name: typed.name, scopes, expiresAt: expiryOf(typed) };
  const input = { path: { id: application.id }, body };
  const attempt = await submitForm(['name', 'scopes', 'expiresAt'], () =>
    callOnce(visit, 'identity.api-keys.create', input),
  );
  if (attempt.refusal === null) return renderApplication(visit, application, { apiKey: attempt.answer.token });
  const { errors, ...refusal } = attempt.refusal;
  const { expiresAt, ...others } = errors;
  const shown = expiresAt === undefined ? others : { ...others, day: expiresAt };
  return renderNewKey(visit, application, typed, { ...refusal, errors: shown });
}

/** A key works until the end of its last day, so that a form sent twice asks for the same key. */
function expiryOf({ expires, day: date }: Values): string | null {
  if (expires === 'never') return null;
  const lastDay =
    expires === 'date'
      ? date
      : fromNow(Number(expires) * day)
          .toISOString()
          .slice(0, 10);
  return `${lastDay}T23:59:59.999Z`;
}

function rejectDay(typed: Values): Refusal | null {
  const isKnown = typed.expires === 'never' || lifetimes.some((days) => days === typed.expires);
  if (isKnown) return null;
  const isDay = typed.expires === 'date' && startOfDay(typed.day) !== null;
  return isDay ? null : refuse({ day: texts().consoleApplications.keys.form.dateWrong });
}

async function renderNewKey(
  visit: OrganizationVisit,
  application: Application,
  typed: Values,
  refusal?: Refusal,
): Promise<PageAnswer> {
  const t = texts().consoleApplications.keys.form;
  const errors = refusal?.errors ?? {};
  const name = { name: 'name', label: t.name, autocomplete: 'off', hint: t.nameHint, isRequired: true, maxLength: 100 };
  const date = { name: 'day', label: t.dateLabel, type: 'date', autocomplete: 'off', hint: t.dateHint } as const;
  const options = [
    ...lifetimes.map((days) => [days, t.onDay(t.days[days], dayInWords(fromNow(Number(days) * day)))] as const),
    ['date', t.date] as const,
    ['never', t.never] as const,
  ];
  const scopes = { label: t.scopes, hint: t.scopesHint, hasOpenid: false };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead(application.name),
    parents: crumbsTo(visit, application),
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: applicationPath(visit, application, ['keys', 'new']),
        flow: openUserFlow(visit, keysForm),
        fields: html`${renderFields([{ ...name, value: typed.name }], errors)}
<div class="pair">${renderChoice({ name: 'expires', label: t.expires, options }, typed.expires)}
${renderFields([{ ...date, value: typed.day }], errors)}</div>
${await renderScopes(visit, scopes, typed.scopes, errors)}`,
        submit: texts().consoleApplications.keys.create,
      }),
  });
}

function dayInWords(at: Date): string {
  return new Intl.DateTimeFormat(shared().dateLocale, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}
