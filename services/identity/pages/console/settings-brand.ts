import { settings } from '../../../../lib/settings/settings.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { logoSource } from '../../../../web/brand.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { renderFields } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { accents } from '../../../../web/theme.ts';
import { renderUploadForm } from '../../../../web/upload.ts';
import { maxLogoBytes } from '../../logo.ts';
import { texts } from '../texts.ts';

/** The media types that the file picker offers. The bytes decide whether an image is accepted. */
const accept = 'image/png,image/jpeg,image/webp,image/avif,image/gif';

/**
 * Renders the section of the brand: the logo, and the colour. `flow`: the token of its forms; null for a member who may
 * not change them.
 */
export function renderBrand(visit: OrganizationVisit, flow: string | null, refusal: Refusal | undefined): Html {
  const { color = null } = visit.organization.brand ?? {};
  const t = texts().consoleSettings.brand;
  if (flow === null) {
    return html`${renderFacts([
      [t.logo, renderLogo(visit) ?? t.none],
      [t.color, color === null ? t.none : html`<code>${color}</code>`],
    ])}`;
  }
  return html`${renderLogoForms(visit, flow, refusal)}
${renderColorForms(visit, flow, refusal)}
<p class="hint">${t.platform(settings.BRAND_NAME)}</p>`;
}

/** The logo as pages show it; null without one. */
function renderLogo({ organization: { name, brand } }: OrganizationVisit): Html | null {
  if (!brand?.logoUrl) return null;
  return html`<img class="logo-tile" src="${logoSource(brand.logoUrl)}" alt="${texts().consoleSettings.brand.logoOf(name)}">`;
}

function renderLogoForms(visit: OrganizationVisit, flow: string, refusal: Refusal | undefined): Html {
  const t = texts().consoleSettings.brand;
  const logo = renderLogo(visit);
  return html`<h3>${t.logo}</h3>
${logo && html`<div class="row wrap">${logo}${renderRemoval(pathOf(visit, 'settings', ['logo', 'remove']), flow, t.removeLogo)}</div>`}
${renderUploadForm({
  action: pathOf(visit, 'settings', ['logo']),
  hint: t.logoHint(`${maxLogoBytes / 1024} KiB`),
  flow,
  accept,
  error: refusal?.errors.file,
})}`;
}

function renderColorForms(visit: OrganizationVisit, flow: string, refusal: Refusal | undefined): Html {
  const t = texts().consoleSettings.brand;
  const { color = null } = visit.organization.brand ?? {};
  const field = {
    name: 'color',
    label: t.color,
    type: 'color',
    autocomplete: 'off',
    value: color ?? accents.light.accent,
    hint: color === null ? t.colorUnset : t.colorHint,
    isRequired: true,
  } as const;
  const form = renderForm({
    action: pathOf(visit, 'settings', ['color']),
    flow,
    fields: renderFields([field], refusal?.errors),
    submit: t.saveColor,
    isSecond: true,
  });
  return html`${form}
${color !== null && renderRemoval(pathOf(visit, 'settings', ['color', 'remove']), flow, t.removeColor)}`;
}

function renderRemoval(action: string, flow: string, words: string): Html {
  return html`<form method="post" action="${action}">${flowField(flow)}<button class="btn sm">${words}</button></form>`;
}
