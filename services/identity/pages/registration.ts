import { call } from '../../../lib/calls.ts';
import { requireMail } from '../../../lib/require-mail.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { attempt, type Refusal, refusalOf, refuse, refuseMissing } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type Field, showFields } from '../../../web/fields.ts';
import { flowProblem, openFlow } from '../../../web/flow.ts';
import { showFormPage } from '../../../web/form-page.ts';
import { html } from '../../../web/html.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { pick } from '../../../web/pick.ts';
import { enterSession } from './enter-session.ts';
import { showLinkExpired } from './link-expired.ts';
import { emailField } from './login.ts';
import { showMailedPage } from './mailed-page.ts';
import { returnToOf, sendBack, withReturnTo } from './return-to.ts';
import { tokenOf } from './token.ts';

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
  if (visit.user) return sendBack(visit, returnTo);
  await requireMail(visit.ctx);
  return showRegistration(visit, returnTo, {});
}

async function register(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const values = pick(form, ...names);
  const problem = flowProblem(browser, 'registration', form);
  if (problem !== null) return showRegistration(visit, returnTo, values, refuse({}, problem));
  const { email, password, firstName, lastName } = values;
  const missing = refuseMissing(values, { email: 'Type your email address.', password: 'Choose a password.' });
  if (missing) return showRegistration(visit, returnTo, values, missing);
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
  if (refusal) return showRegistration(visit, returnTo, values, refusal);
  const words = html`We have sent a mail to <strong>${email.trim()}</strong>. Open the link in it within 24 hours to go on.`;
  return showMailedPage(visit, words, withReturnTo('/self-service/registration/browser', returnTo));
}

function showRegistration(visit: Visit, returnTo: string | null, values: Values, refusal?: Refusal): PageAnswer {
  const { browser } = visit;
  return showFormPage({
    title: 'Make an account',
    refusal,
    form: {
      action: withReturnTo('/self-service/registration', returnTo),
      flow: openFlow(browser, 'registration', {}),
      fields: showFields(fieldsOf(values), refusal?.errors),
      submit: 'Make the account',
    },
    links: html`<p>You have an account?
<a href="${withReturnTo('/self-service/login/browser', returnTo)}">Log in</a></p>`,
  });
}

function fieldsOf(values: Values): Field[] {
  return [
    { ...emailField(values.email), hint: 'You log in with it, and we send mail there.' },
    newPasswordField('password', 'Password'),
    { name: 'firstName', label: 'First name', autocomplete: 'given-name', value: values.firstName },
    { name: 'lastName', label: 'Last name', autocomplete: 'family-name', value: values.lastName },
  ];
}

/** The page on which a password is chosen. It asks once, because a second field does not help users who paste. */
export function newPasswordField(name: string, label: string): Field {
  const hint = 'At least 8 characters. Several words in a row are easy to remember and hard to guess.';
  return { name, label, type: 'password', autocomplete: 'new-password', hint, isRequired: true };
}

type Confirmation = { isPasswordNeeded?: boolean; refusal?: Refusal };

function offerConfirmation(visit: Visit): PageAnswer {
  const token = tokenOf(visit.query);
  return token === null ? showRegistrationExpired() : showConfirmation(visit, token);
}

/** A button, because mail scanners open the links in a mail. */
function showConfirmation(
  { browser }: Visit,
  token: string,
  { isPasswordNeeded = false, refusal }: Confirmation = {},
): PageAnswer {
  const password = {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
    isFirst: true,
  } as const;
  return showFormPage({
    title: 'Confirm your email address',
    refusal,
    lead: isPasswordNeeded
      ? 'This is another browser than the one you began in. Type the password you have chosen, so that we know that it is you.'
      : 'One more step, and your account is ready.',
    form: {
      action: `/self-service/registration/confirm?${new URLSearchParams({ token })}`,
      flow: openFlow(browser, 'registration-confirmation', {}),
      fields: isPasswordNeeded ? showFields([password], refusal?.errors) : null,
      submit: 'Confirm',
    },
  });
}

async function confirm(visit: Visit): Promise<PageAnswer> {
  const { browser, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return showRegistrationExpired();
  const { password } = pick(form, 'password');
  const isPasswordNeeded = 'password' in form;
  const problem = flowProblem(browser, 'registration-confirmation', form);
  if (problem !== null) return showConfirmation(visit, token, { isPasswordNeeded, refusal: refuse({}, problem) });
  const browserHash = hashToken(browser.requireId());
  const attempted = await attempt(['password'], () =>
    call(ctx, 'identity.accounts.confirm-registration', {
      body: { token, browserHash, password: isPasswordNeeded ? password : null },
    }),
  );
  if (attempted.refusal) {
    return showConfirmation(visit, token, { isPasswordNeeded, refusal: attempted.refusal });
  }
  const result = attempted.answer;
  if (result.outcome === 'expired') return showRegistrationExpired();
  if (result.outcome === 'confirmed') {
    await enterSession(visit, result);
    return sendBack(visit, result.returnTo);
  }
  const isWrong = result.outcome === 'refused';
  const refusal = isWrong ? { refusal: refuse({ password: 'This is not the password you have chosen.' }) } : {};
  return showConfirmation(visit, token, { isPasswordNeeded: true, ...refusal });
}

function showRegistrationExpired(): PageAnswer {
  return showLinkExpired('Make an account', '/self-service/registration/browser');
}
