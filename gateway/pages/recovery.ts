import { call } from '../../lib/calls.ts';
import { requireMail } from '../../lib/require-mail.ts';
import { attempt, type Refusal, refusalOf, refuse, refuseMissing } from './attempt.ts';
import { showFields } from './fields.ts';
import { flowProblem, openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage } from './form-page.ts';
import { html } from './html.ts';
import { sendLinkExpired } from './link-expired.ts';
import { sendMailedPage } from './mailed-page.ts';
import { redirect } from './page.ts';
import { newPasswordField } from './registration.ts';
import { allowedReturnTo, returnToOf, withReturnTo } from './return-to.ts';
import { tokenOf } from './token.ts';
import { page, type Visit } from './visit.ts';

/** Password recovery: a mailed link lets users choose a new password. */
export const recoveryRoutes = {
  'GET /self-service/recovery/browser': page(async (visit) => {
    const returnTo = await returnToOf(visit);
    await requireMail(visit.ctx);
    showRecovery(visit, returnTo, '');
  }),
  'POST /self-service/recovery': page(beginRecovery),
  'GET /self-service/recovery/reset': page(offerReset),
  'POST /self-service/recovery/reset': page(reset),
};

async function beginRecovery(visit: Visit): Promise<void> {
  const { request, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const { email } = pick(form, 'email');
  const problem = flowProblem(request, 'recovery', form);
  if (problem !== null) return showRecovery(visit, returnTo, email, refuse({}, problem));
  const missing = refuseMissing({ email }, { email: 'Type your email address.' });
  if (missing) return showRecovery(visit, returnTo, email, missing);
  const refusal = await refusalOf(['email'], () =>
    call(ctx, 'identity.accounts.begin-recovery', { body: { email, returnTo } }),
  );
  if (refusal) return showRecovery(visit, returnTo, email, refusal);
  const words = html`If <strong>${email.trim()}</strong> has an account, a mail is on its way there. Open the link in it
within an hour to choose a new password.`;
  sendMailedPage(visit, words, withReturnTo('/self-service/recovery/browser', returnTo));
}

function showRecovery(visit: Visit, returnTo: string | null, email: string, refusal?: Refusal): void {
  const { request, response } = visit;
  const field = {
    name: 'email',
    label: 'Email address',
    type: 'email',
    autocomplete: 'username',
    inputmode: 'email',
    value: email,
    isRequired: true,
    isFirst: true,
  } as const;
  sendFormPage(response, {
    title: 'Choose a new password',
    lead: 'Tell us the address you log in with. We send you a link for choosing a new password.',
    refusal,
    form: {
      action: withReturnTo('/self-service/recovery', returnTo),
      flow: openFlow(request, response, 'recovery', {}),
      fields: showFields([field], refusal?.errors),
      submit: 'Send the link',
    },
    links: html`<p><a href="${withReturnTo('/self-service/login/browser', returnTo)}">Back to the login</a></p>`,
  });
}

async function offerReset(visit: Visit): Promise<void> {
  const token = tokenOf(visit.query);
  const { valid } = token ? await call(visit.ctx, 'identity.accounts.check-recovery', { body: { token } }) : notValid;
  if (!token || !valid) return sendRecoveryExpired(visit);
  await showReset(visit, token);
}

const notValid = { valid: false };

async function reset(visit: Visit): Promise<void> {
  const { request, response, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return sendRecoveryExpired(visit);
  const { password } = pick(form, 'password');
  const problem = flowProblem(request, 'recovery-reset', form);
  if (problem !== null) return showReset(visit, token, refuse({}, problem));
  const attempted = await attempt(['password'], () =>
    call(ctx, 'identity.accounts.recover', { body: { token, password } }),
  );
  if (attempted.refusal) return showReset(visit, token, attempted.refusal);
  if (attempted.answer.outcome === 'expired') return sendRecoveryExpired(visit);
  const login = withReturnTo('/self-service/login/browser', await allowedReturnTo(visit));
  redirect(response, `${login}${login.includes('?') ? '&' : '?'}notice=password-changed`);
}

async function showReset(visit: Visit, token: string, refusal?: Refusal): Promise<void> {
  const { request, response } = visit;
  const returnTo = await allowedReturnTo(visit);
  sendFormPage(response, {
    title: 'Choose a new password',
    lead: 'All browsers that are logged in with the old one will be logged out.',
    refusal,
    form: {
      action: `/self-service/recovery/reset?${new URLSearchParams({ token, ...(returnTo && { return_to: returnTo }) })}`,
      flow: openFlow(request, response, 'recovery-reset', {}),
      fields: showFields([{ ...newPasswordField('password', 'New password'), isFirst: true }], refusal?.errors),
      submit: 'Change the password',
    },
  });
}

function sendRecoveryExpired({ response }: Visit): void {
  sendLinkExpired(response, 'Ask for another link', '/self-service/recovery/browser');
}
