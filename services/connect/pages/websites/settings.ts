import type { CallOutput } from '../../../../lib/contract/context.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderCopyField } from '../../../../web/copy.ts';
import type { Form } from '../../../../web/define-page.ts';
import { type Field, type FieldErrors, renderCheck, renderFields, renderNotice } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { Section } from '../../../../web/sections.ts';
import { texts } from '../texts.ts';
import { flowFields, hiddenFields, type SiteForm } from './websites-page.ts';

export type Site = CallOutput<'connect.sites.read'>;

export const siteFields = ['name', 'allowedOrigins', 'greeting', 'colour', 'logoUrl', 'enabled'] as const;

/** The settings in a posted form, as the endpoint accepts them. */
export function settingsIn(form: Form) {
  const { name = '', allowedOrigins = '', greeting = '', colour = '', logoUrl = '' } = form;
  const origins = allowedOrigins.split(/\s+/).filter((origin) => origin !== '');
  return {
    name,
    allowedOrigins: origins.map((origin) => origin.replace(/\/$/, '')),
    greeting,
    colour,
    logoUrl: logoUrl === '' ? null : logoUrl,
    enabled: form.enabled === 'on',
  };
}

/** The two-line snippet for a website's pages. */
function linesFor({ siteId }: Pick<Site, 'siteId'>, orgId: string): string {
  const options = `{ tenantId: '${orgId}', siteId: '${siteId}' }`;
  return `<script defer src="${settings.PUBLIC_URL}/widget.js"></script>
<script type="module">ConnectWidget.init(${options})</script>`;
}

/** Returns the section with the lines for a website's pages. */
export function installSection(site: Site, orgId: string): Section {
  const { title, words, closed, name } = texts().websites.install;
  return {
    id: 'install',
    title,
    words: site.allowedOrigins.length > 0 ? words : closed,
    content: renderCopyField('install-lines', linesFor(site, orgId), name),
  };
}

/** Returns the section with the form of a website's settings, with the input of a rejected form. */
export function settingsSection(site: Site, form: SiteForm, typed: Form | null, errors: FieldErrors = {}): Section {
  const t = texts().websites;
  const f = t.fields;
  const of = (name: (typeof siteFields)[number], stored: string | null): string | null => typed?.[name] ?? stored;
  const field = (name: (typeof siteFields)[number], value: string | null, more: Partial<Field>): Field => {
    return { name, label: f[name], autocomplete: 'off', value: of(name, value), ...more };
  };
  const fields = renderFields(
    [
      field('name', site.name, { isRequired: true, maxLength: 100, hint: f.nameHint }),
      field('allowedOrigins', site.allowedOrigins.join('\n'), {
        lines: 3,
        isRequired: true,
        hint: f.allowedOriginsHint,
      }),
      field('greeting', site.greeting, { lines: 2, maxLength: 500 }),
      field('colour', site.colour, { type: 'color', isRequired: true, hint: f.colourHint }),
      field('logoUrl', site.logoUrl, { type: 'url', maxLength: 1000, hint: f.logoUrlHint }),
    ],
    errors,
  );
  const isEnabled = typed ? typed.enabled === 'on' : site.enabled;
  const content = renderForm({
    action: `${form.path}/site`,
    flow: form.flow,
    fields: [hiddenFields(form), fields, renderCheck({ name: 'enabled', label: f.enabled, isChecked: isEnabled })],
    submit: t.save,
  });
  return { id: 'settings', title: t.settings, content };
}

/** Returns the section with the secret of a website, once after its creation, otherwise with the form to create one. */
export function secretSection(site: Site, form: SiteForm | null, secret: string | null): Section {
  const { title, words, ...t } = texts().websites.secret;
  const content =
    secret === null
      ? html`<p>${site.hasSecret ? t.has : t.hasNone}</p>${form && (site.hasSecret ? renderReplacing(form) : renderCreating(form))}`
      : html`${renderNotice(t.shown)}${renderCopyField('site-secret', secret, t.name)}`;
  return { id: 'secret', title, words, content };
}

function renderCreating(form: SiteForm): Html {
  return html`<form method="post" action="${form.path}/secret">${flowFields(form)}
<button class="btn">${texts().websites.secret.create}</button></form>`;
}

function renderReplacing(form: SiteForm): Html {
  const { replace, question, consequence, confirm } = texts().websites.secret;
  return renderConfirmedForm({
    id: 'replace-secret',
    action: `${form.path}/secret`,
    flow: form.flow,
    fields: hiddenFields(form),
    submit: replace,
    question,
    consequence,
    confirm,
  });
}
