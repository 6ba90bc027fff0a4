import { flowField } from '../../web/flow.ts';
import { type Html, html } from '../../web/html.ts';
import { describeScope } from '../../web/scope-words.ts';
import type { Client } from './clients.ts';

type Consent = { client: Client; email: string; scopes: string[]; action: string; flow: string };

/** The content of the consent page: the application, its scopes and the user. The application chooses only its name. */
export function consentBody({ client, email, scopes, action, flow }: Consent): Html {
  return html`<h1>Allow ${client.applicationName}?</h1>
<p><strong>${client.applicationName}</strong> of <strong>${client.organizationName}</strong> wants to act for you
(${email}). It would be able to:</p>
<ul>${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
<p>Within ${client.organizationName} it can do what your role there allows, and nothing anywhere else. You can take
this back at any time in <a href="/account">your account</a>.</p>
<form method="post" action="${action}">
${flowField(flow)}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" class="quiet">Do not allow</button>
</form>`;
}
