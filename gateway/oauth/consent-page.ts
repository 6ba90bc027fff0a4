import { flowField } from '../../web/flow.ts';
import { type Html, html } from '../../web/html.ts';
import { describeScope } from '../../web/scope-words.ts';
import type { Client } from './clients.ts';
import { texts } from './texts.ts';

type Consent = { client: Client; email: string; scopes: string[]; action: string; flow: string };

/**
 * The content of the consent page: the application, its scopes and the user. The application controls only its name.
 */
export function consentBody({ client, email, scopes, action, flow }: Consent): Html {
  const { applicationName: application, organizationName: organization } = client;
  const { heading, request, bounds, allow, deny } = texts().consent;
  return html`<h1>${heading(application)}</h1>
<p>${request({ application, organization, email })}</p>
<ul>${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
<p>${bounds(organization)}</p>
<form method="post" action="${action}">
${flowField(flow)}
<button type="submit" name="decision" value="allow">${allow}</button>
<button type="submit" name="decision" value="deny" class="quiet">${deny}</button>
</form>`;
}
