import { flowField } from '../../web/flow.ts';
import { type Html, html } from '../../web/html.ts';
import type { Client } from './clients.ts';
import { texts } from './texts.ts';

type Choice = { client: Client; email: string; action: string; flow: string; loginHref: string };

/** The content of the page for `prompt=select_account`: the account of this browser's session, or another. */
export function accountBody({ client, email, action, flow, loginHref }: Choice): Html {
  const { applicationName: application, organizationName: organization } = client;
  const { heading, request, current, other } = texts().account;
  return html`<h1>${heading}</h1>
<p>${request({ application, organization })}</p>
<form method="post" action="${action}">
${flowField(flow)}
<button type="submit" class="btn primary">${current(email)}</button>
<a class="btn" href="${loginHref}">${other}</a>
</form>`;
}
