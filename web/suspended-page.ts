import { allows } from '../lib/contract/permissions.ts';
import { settings } from '../lib/settings/settings.ts';
import { renderFacts } from './facts.ts';
import { html } from './html.ts';
import { type PageAnswer, renderPage } from './page.ts';
import { consolePath, type Organization, renderHead, type Shell } from './shell.ts';
import { renderBadge, renderBanner } from './states.ts';
import { texts } from './texts.ts';
import { renderDay } from './time.ts';

/**
 * Renders what the console of a suspended organization says on its pages: since when, why, and whom to ask. Its
 * invoices stay open to who may read them, because they may be the reason.
 */
export function renderSuspendedPage(
  shell: Shell,
  { name, slug }: Organization,
  { since, reason }: NonNullable<Organization['suspension']>,
  scopes: readonly string[],
): PageAnswer {
  const t = texts().console.suspended;
  const title = t.title(name);
  return renderPage({
    title,
    status: 403,
    frame: { shell, place: { area: null } },
    body: html`${renderHead({ title: html`<bdi>${name}</bdi> ${renderBadge(t.badge, 'warn')}` })}
${renderBanner({ tone: 'warn', icon: 'alert', words: html`<p>${t.lead}</p>` })}
${renderFacts([
  [t.since, renderDay(since)],
  [t.reason, html`<bdi>${reason}</bdi>`],
  [t.contact, t.operator(settings.BRAND_NAME)],
])}
<h2>${t.meaning}</h2>
<ul class="bullets">${t.consequences.map((consequence) => html`<li>${consequence}</li>`)}</ul>
${allows(scopes, 'billing.read') && html`<p class="after"><a class="btn" href="${consolePath(slug, 'usage', 'invoices')}">${t.invoices}</a></p>`}`,
  });
}
