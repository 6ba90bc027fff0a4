import { call } from '../../lib/calls.ts';
import { refuse } from './attempt.ts';
import { flowProblem, openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage } from './form-page.ts';
import { html } from './html.ts';
import { sendLinkExpired } from './link-expired.ts';
import { sendPage } from './page.ts';
import { tokenOf } from './token.ts';
import { page, type Visit } from './visit.ts';

/** Where the link leads that was mailed to an address to prove whose it is. */
export const contactConfirmationRoutes = {
  'GET /self-service/contacts/confirm': page(offer),
  'POST /self-service/contacts/confirm': page(confirm),
};

function offer(visit: Visit): void {
  const token = tokenOf(visit.query);
  if (token === null) sendContactExpired(visit.response);
  else showConfirmation(visit, token);
}

function showConfirmation({ request, response }: Visit, token: string, problem?: string): void {
  sendFormPage(response, {
    title: 'Confirm your email address',
    lead: 'Confirm that the mail reached you and that the address is yours.',
    refusal: problem === undefined ? null : refuse({}, problem),
    form: {
      action: `/self-service/contacts/confirm?${new URLSearchParams({ token })}`,
      flow: openFlow(request, response, 'contact-confirmation', {}),
      submit: 'Confirm',
    },
  });
}

async function confirm(visit: Visit): Promise<void> {
  const { request, response, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return sendContactExpired(response);
  pick(form);
  const problem = flowProblem(request, 'contact-confirmation', form);
  if (problem !== null) return showConfirmation(visit, token, problem);
  const { outcome } = await call(ctx, 'identity.accounts.confirm-contact', { body: { token } });
  if (outcome === 'expired') return sendContactExpired(response);
  sendPage(response, {
    title: 'Confirmed',
    body: html`<h1>Confirmed</h1>
<p>Thank you, the address is yours.</p>
<p><a href="/account/contacts">Go to your contacts</a></p>`,
  });
}

function sendContactExpired(response: Visit['response']): void {
  sendLinkExpired(response, 'Ask for another mail in your contacts', '/account/contacts');
}
