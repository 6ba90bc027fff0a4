import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { orNull } from '../../../../lib/contract/errors.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { renderBadge } from '../../../../web/states.ts';
import { renderDay, renderTime } from '../../../../web/time.ts';
import { openUserFlow } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { type Application, applicationPath } from './applications-page.ts';

export type OAuthClient = CallOutput<'identity.oauth-clients.read'>;

/** The kind of the tokens of the forms about a client. */
export const clientForm = 'application client';

/** The client of an application; null when it has none. */
export async function findClient({ ctx }: OrganizationVisit, { slug }: Application): Promise<OAuthClient | null> {
  return await orNull(call(ctx, 'identity.oauth-clients.read', { path: { slug } }), 'NOT_FOUND');
}

/** Renders the facts of an application's client, or the way to one. */
export function renderClient(visit: OrganizationVisit, application: Application, client: OAuthClient | null): Html {
  const t = texts().consoleApplications.client;
  const href = applicationPath(visit, application, ['client']);
  const edit = visit.mayChange && html`<a class="btn sm" href="${href}">${client ? t.edit : t.create}</a>`;
  return html`<section aria-labelledby="h-client">
<div class="sec-head"><h2 id="h-client">${t.title}</h2>${client && renderReplacing(visit, application, client)}${edit}</div>
${client ? renderClientFacts(client) : html`<p class="quiet">${t.none}</p>`}</section>`;
}

function renderReplacing(visit: OrganizationVisit, application: Application, client: OAuthClient): Html | null {
  if (!visit.mayChange || client.tokenEndpointAuthMethod === 'none') return null;
  const action = applicationPath(visit, application);
  const { replace } = texts().consoleApplications.client;
  return renderConfirmedForm({
    id: 'replace-secret',
    action,
    flow: openUserFlow(visit, clientForm),
    isMild: true,
    ...replace,
  });
}

function renderClientFacts(client: OAuthClient): Html {
  const t = texts().consoleApplications.client;
  const { clientId, updatedAt, previousSecretExpiresAt } = client;
  const secret =
    client.tokenEndpointAuthMethod === 'none'
      ? t.noSecret
      : html`${t.secretSet(renderDay(updatedAt))}${previousSecretExpiresAt && html`<br><span class="quiet">${t.previousUntil(renderTime(previousSecretExpiresAt))}</span>`}`;
  const discovery = `${settings.PUBLIC_URL}/oauth2/.well-known/openid-configuration`;
  return renderFacts([
    [t.facts.clientId, renderCopyable('client-id', clientId, t.idName)],
    [t.facts.secret, secret],
    [t.facts.grants, client.grantTypes.map((grant) => t.grants[grant]).join(', ')],
    [t.facts.redirects, renderUris(client.redirectUris)],
    [t.facts.logouts, renderUris(client.postLogoutRedirectUris)],
    [t.facts.scopes, html`<code>${client.scopes.join(' ')}</code>`],
    [t.facts.discovery, renderCopyable('discovery', discovery, t.discoveryName)],
  ]);
}

function renderUris(uris: readonly string[]): Html | string {
  const t = texts().consoleApplications.client;
  if (uris.length === 0) return t.nothing;
  return html`${uris.map((uri) => html`<code>${uri}</code>${uri.startsWith('http:') && html` ${renderBadge(t.development, 'line')}`}<br>`)}`;
}
