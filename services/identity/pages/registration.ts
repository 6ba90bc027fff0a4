import { requireMail } from '../../../lib/clients/mail.ts';
import { call } from '../../../lib/contract/context.ts';
import { errorCatalogue } from '../../../lib/contract/errors.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { RegistrationMode } from '../../../models/identity/registration-policy.ts';
import { type Refusal, refusalOf, refuse, rejectMissing, submitForm } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { errorsByField, type Field, renderFields } from '../../../web/fields.ts';
import { flowProblem, openFlow, readFlow } from '../../../web/flow.ts';
import { renderFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { passwordProblem } from '../accounts/password.ts';
import { emailField, startBrowserSession } from './login.ts';
import { redirectToReturnUrl, returnToOf, withReturnTo } from './return-to.ts';
import {
  clientIdOf,
  findClient,
  organizationOf,
  registrationMode,
  renderLinkExpired,
  renderMailedPage,
  tokenOf,
} from './shared.ts';
import { texts } from './texts.ts';

const names = ['email', 'password', 'firstName', 'lastName'] as const;
type Values = Partial<Record<(typeof names)[number], string>>;

/** Registers an account. It is created when the user opens the link in the mail and presses the button there. */
export const registrationPages = {
  'pages.registration.show': publicPage({
    rest: 'GET /self-service/registration/browser',
    summary: 'Show the page for making an account',
    handler: offerRegistration,
  }),
  'pages.registration.submit': publicPage({
    rest: 'POST /self-service/registration',
    summary: 'Mail a link that makes the account',
    handler: register,
  }),
  'pages.registration.show-confirmation': publicPage({
    rest: 'GET /self-service/registration/confirm',
    summary: 'Ask to confirm a new account by the link in the mail',
    handler: offerConfirmation,
  }),
  'pages.registration.confirm': publicPage({
    rest: 'POST /self-service/registration/confirm',
    summary: 'Make the account by the link in the mail',
    handler: confirm,
  }),
};

async function offerRegistration(visit: Visit): Promise<PageAnswer> {
  const returnTo = await returnToOf(visit);
  if (visit.user) return redirectToReturnUrl(visit, returnTo);
  const mode = await registrationMode(visit);
  if (mode === 'invitation') return renderClosed(returnTo);
  await requireMail(visit.ctx);
  return renderRegistration(visit, { returnTo, clientId: clientIdOf(visit.query), mode, values: {} });
}

async function register(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const values = pickFields(form, ...names);
  const mode = await registrationMode(visit);
  if (mode === 'invitation') return renderClosed(returnTo);
  const clientId = readFlow(browser, 'registration', form.flow ?? '')?.clientId ?? null;
  const again = (refusal: Refusal) => renderRegistration(visit, { returnTo, clientId, mode, values, refusal });
  const problem = flowProblem(browser, 'registration', form);
  if (problem !== null) return again(refuse({}, problem));
  const { email, password, firstName, lastName } = values;
  const t = texts();
  const missing = rejectMissing(values, { email: t.fields.emailMissing, password: t.registration.passwordMissing });
  if (missing) return again(missing);
  const refusal = await refusalOf(names, () =>
    call(ctx, 'identity.accounts.register', {
      body: {
        email,
        password,
        ...(firstName.trim() && { firstName }),
        ...(lastName.trim() && { lastName }),
        browserHash: hashToken(browser.requireId()),
        returnTo,
      },
    }),
  );
  if (refusal) return again(await withPasswordProblem(refusal, email, password));
  const words = t.registration.mailed(email.trim());
  return renderMailedPage(visit, words, withReturnTo('/self-service/registration/browser', returnTo, clientId));
}

/** The service refuses a wrong address before it checks the password. Marks both, so that users correct them together. */
async function withPasswordProblem(refusal: Refusal, email: string, password: string): Promise<Refusal> {
  if (!refusal.errors.email || refusal.errors.password) return refusal;
  const problem = await passwordProblem(password, email.trim());
  if (problem === null) return refusal;
  const errors = errorsByField([{ path: 'body.password', message: problem }], ['password']);
  return { ...refusal, errors: { ...refusal.errors, ...errors } };
}

type Shown = {
  returnTo: string | null;
  clientId: string | null;
  mode: RegistrationMode;
  values: Values;
  refusal?: Refusal;
};

async function renderRegistration(visit: Visit, shown: Shown): Promise<PageAnswer> {
  const { returnTo, clientId, mode, values, refusal } = shown;
  const t = texts().registration;
  return renderFormPage({
    title: t.title,
    lead: mode === 'domains' ? t.limited : null,
    organization: organizationOf(await findClient(visit, clientId)),
    refusal,
    form: {
      action: withReturnTo('/self-service/registration', returnTo),
      flow: openFlow(visit.browser, 'registration', { clientId }),
      fields: renderFields(fieldsOf(values), refusal?.errors),
      submit: t.submit,
    },
    under: t.login(withReturnTo('/self-service/login/browser', returnTo, clientId)),
  });
}

/** Shows that only invited people can create an account, and whom to ask. */
function renderClosed(returnTo: string | null = null): PageAnswer {
  const t = texts().registration;
  return renderPage({
    title: t.closed.title,
    status: errorCatalogue.REGISTRATION_CLOSED.status,
    body: html`<div><h1>${t.closed.title}</h1><p class="lede">${t.closed.lead}</p></div>
<p>${t.closed.ask}</p>`,
    under: t.login(withReturnTo('/self-service/login/browser', returnTo)),
  });
}

function fieldsOf(values: Values): Field[] {
  const { fields, registration } = texts();
  return [
    { ...emailField(values.email), hint: registration.emailHint },
    newPasswordField('password', fields.password),
    { name: 'firstName', label: fields.firstName, autocomplete: 'given-name', value: values.firstName },
    { name: 'lastName', label: fields.lastName, autocomplete: 'family-name', value: values.lastName },
  ];
}

/** The page on which a password is chosen. It asks once, because a second field does not help users who paste. */
export function newPasswordField(name: string, label: string): Field {
  const hint = texts().fields.newPasswordHint;
  return { name, label, type: 'password', autocomplete: 'new-password', hint, isRequired: true };
}

type Confirmation = { isPasswordNeeded?: boolean; refusal?: Refusal };

async function offerConfirmation(visit: Visit): Promise<PageAnswer> {
  const token = tokenOf(visit.query);
  if (token === null) return renderRegistrationExpired();
  const { outcome } = await call(visit.ctx, 'identity.accounts.check-registration', { body: { token } });
  if (outcome === 'closed') return renderClosed();
  return outcome === 'valid' ? renderConfirmation(visit, token) : renderRegistrationExpired();
}

/** A button, because mail scanners open the links in a mail. */
function renderConfirmation(
  { browser }: Visit,
  token: string,
  { isPasswordNeeded = false, refusal }: Confirmation = {},
): PageAnswer {
  const t = texts();
  const password = {
    name: 'password',
    label: t.fields.password,
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
    isFirst: true,
  } as const;
  return renderFormPage({
    title: t.confirmation.title,
    formsLeave: true,
    refusal,
    lead: isPasswordNeeded ? t.registration.otherBrowser : t.registration.confirmationLead,
    form: {
      action: `/self-service/registration/confirm?${new URLSearchParams({ token })}`,
      flow: openFlow(browser, 'registration-confirmation', {}),
      fields: isPasswordNeeded ? renderFields([password], refusal?.errors) : null,
      submit: t.confirmation.submit,
    },
  });
}

async function confirm(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return renderRegistrationExpired();
  const { password } = pickFields(form, 'password');
  const isPasswordNeeded = 'password' in form;
  const problem = flowProblem(browser, 'registration-confirmation', form);
  if (problem !== null) return renderConfirmation(visit, token, { isPasswordNeeded, refusal: refuse({}, problem) });
  const browserHash = hashToken(browser.requireId());
  const attempted = await submitForm(['password'], () =>
    call(ctx, 'identity.accounts.confirm-registration', {
      body: { token, browserHash, password: isPasswordNeeded ? password : null },
    }),
  );
  if (attempted.refusal) {
    return renderConfirmation(visit, token, { isPasswordNeeded, refusal: attempted.refusal });
  }
  const result = attempted.answer;
  if (result.outcome === 'expired') return renderRegistrationExpired();
  if (result.outcome === 'closed') return renderClosed();
  if (result.outcome === 'confirmed') {
    await startBrowserSession(visit, result);
    return redirectToReturnUrl(visit, result.returnTo);
  }
  const isWrong = result.outcome === 'refused';
  const refusal = isWrong ? { refusal: refuse({ password: texts().registration.passwordWrong }) } : {};
  return renderConfirmation(visit, token, { isPasswordNeeded: true, ...refusal });
}

function renderRegistrationExpired(): PageAnswer {
  const { title, login } = texts().registration;
  return renderLinkExpired(title, '/self-service/registration/browser', login('/self-service/login/browser'));
}
