import { requireMail } from '../../../lib/clients/mail.ts';
import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse, rejectMissing, submitForm } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { renderFields } from '../../../web/fields.ts';
import { flowProblem, openFlow } from '../../../web/flow.ts';
import { renderFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { rememberDevice } from '../accounts/known-devices.ts';
import { emailField } from './login.ts';
import { newPasswordField } from './registration.ts';
import { allowedReturnTo, returnToOf, withReturnTo } from './return-to.ts';
import { renderLinkExpired, renderMailedPage, tokenOf } from './shared.ts';
import { texts } from './texts.ts';

/** Password recovery: a mailed link lets users choose a new password. */
export const recoveryPages = {
  'pages.recovery.show': publicPage({
    rest: 'GET /self-service/recovery/browser',
    summary: 'Show the page for a forgotten password',
    handler: offerRecovery,
  }),
  'pages.recovery.submit': publicPage({
    rest: 'POST /self-service/recovery',
    summary: 'Mail a link for choosing a new password',
    handler: beginRecovery,
  }),
  'pages.recovery.show-reset': publicPage({
    rest: 'GET /self-service/recovery/reset',
    summary: 'Ask for a new password by the link in the mail',
    handler: offerReset,
  }),
  'pages.recovery.reset': publicPage({
    rest: 'POST /self-service/recovery/reset',
    summary: 'Change the password by the link in the mail',
    handler: reset,
  }),
};

async function offerRecovery(visit: Visit): Promise<PageAnswer> {
  const returnTo = await returnToOf(visit);
  await requireMail(visit.ctx);
  return renderRecovery(visit, returnTo, '');
}

async function beginRecovery(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const { email } = pickFields(form, 'email');
  const problem = flowProblem(browser, 'recovery', form);
  if (problem !== null) return renderRecovery(visit, returnTo, email, refuse({}, problem));
  const missing = rejectMissing({ email }, { email: texts().fields.emailMissing });
  if (missing) return renderRecovery(visit, returnTo, email, missing);
  const refusal = await refusalOf(['email'], () =>
    call(ctx, 'identity.accounts.begin-recovery', { body: { email, returnTo } }),
  );
  if (refusal) return renderRecovery(visit, returnTo, email, refusal);
  const words = texts().recovery.mailed(email.trim());
  return renderMailedPage(visit, words, withReturnTo('/self-service/recovery/browser', returnTo));
}

function renderRecovery(visit: Visit, returnTo: string | null, email: string, refusal?: Refusal): PageAnswer {
  const { browser } = visit;
  const t = texts().recovery;
  return renderFormPage({
    title: t.title,
    lead: t.lead,
    refusal,
    form: {
      action: withReturnTo('/self-service/recovery', returnTo),
      flow: openFlow(browser, 'recovery', {}),
      fields: renderFields([emailField(email)], refusal?.errors),
      submit: t.submit,
    },
    under: html`<a href="${withReturnTo('/self-service/login/browser', returnTo)}">${t.backToLogin}</a>`,
  });
}

async function offerReset(visit: Visit): Promise<PageAnswer> {
  const token = tokenOf(visit.query);
  const { valid } = token ? await call(visit.ctx, 'identity.accounts.check-recovery', { body: { token } }) : notValid;
  if (!token || !valid) return renderRecoveryExpired();
  return renderReset(visit, token);
}

const notValid = { valid: false };

async function reset(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return renderRecoveryExpired();
  const { password } = pickFields(form, 'password');
  const problem = flowProblem(browser, 'recovery-reset', form);
  if (problem !== null) return renderReset(visit, token, refuse({}, problem));
  const attempted = await submitForm(['password'], () =>
    call(ctx, 'identity.accounts.recover', { body: { token, password } }),
  );
  if (attempted.refusal) return renderReset(visit, token, attempted.refusal);
  if (attempted.answer.outcome === 'expired') return renderRecoveryExpired();
  // The mailed link proves the owner of the account, who may be locked out on unknown devices.
  rememberDevice(browser, attempted.answer.email);
  const login = withReturnTo('/self-service/login/browser', await allowedReturnTo(visit));
  return redirectTo(`${login}${login.includes('?') ? '&' : '?'}notice=password-changed`);
}

async function renderReset(visit: Visit, token: string, refusal?: Refusal): Promise<PageAnswer> {
  const { browser } = visit;
  const returnTo = await allowedReturnTo(visit);
  const t = texts();
  return renderFormPage({
    title: t.recovery.title,
    lead: t.recovery.resetLead,
    refusal,
    form: {
      action: `/self-service/recovery/reset?${new URLSearchParams({ token, ...(returnTo && { return_to: returnTo }) })}`,
      flow: openFlow(browser, 'recovery-reset', {}),
      fields: renderFields([{ ...newPasswordField('password', t.fields.newPassword), isFirst: true }], refusal?.errors),
      submit: t.buttons.changePassword,
    },
  });
}

function renderRecoveryExpired(): PageAnswer {
  return renderLinkExpired(texts().recovery.askAgain, '/self-service/recovery/browser');
}
