import { call } from '../../lib/calls.ts';
import { requireMail } from '../../lib/require-mail.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { attempt, type Refusal, refusalOf, refuse, refuseMissing } from './attempt.ts';
import { enterSession } from './enter-session.ts';
import { type Field, showFields } from './fields.ts';
import { browserOf, flowProblem, openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage } from './form-page.ts';
import { html } from './html.ts';
import { sendLinkExpired } from './link-expired.ts';
import { sendMailedPage } from './mailed-page.ts';
import { returnToOf, sendBack, withReturnTo } from './return-to.ts';
import { tokenOf } from './token.ts';
import { page, type Visit } from './visit.ts';

const names = ['email', 'password', 'firstName', 'lastName'] as const;
type Values = Partial<Record<(typeof names)[number], string>>;

/** Registers an account. It is created when the user opens the link in the mail and presses the button there. */
export const registrationRoutes = {
  'GET /self-service/registration/browser': page(async (visit) => {
    const returnTo = await returnToOf(visit);
    if (visit.user) return sendBack(visit, returnTo);
    await requireMail(visit.ctx);
    showRegistration(visit, returnTo, {});
  }),
  'POST /self-service/registration': page(register),
  'GET /self-service/registration/confirm': page(offerConfirmation),
  'POST /self-service/registration/confirm': page(confirm),
};

async function register(visit: Visit): Promise<void> {
  const { request, response, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const values = pick(form, ...names);
  const problem = flowProblem(request, 'registration', form);
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
        browserHash: hashToken(browserOf(request, response)),
        returnTo,
      },
    }),
  );
  if (refusal) return showRegistration(visit, returnTo, values, refusal);
  const words = html`We have sent a mail to <strong>${email.trim()}</strong>. Open the link in it within 24 hours to go on.`;
  sendMailedPage(visit, words, withReturnTo('/self-service/registration/browser', returnTo));
}

function showRegistration(visit: Visit, returnTo: string | null, values: Values, refusal?: Refusal): void {
  const { request, response } = visit;
  sendFormPage(response, {
    title: 'Make an account',
    refusal,
    form: {
      action: withReturnTo('/self-service/registration', returnTo),
      flow: openFlow(request, response, 'registration', {}),
      fields: showFields(fieldsOf(values), refusal?.errors),
      submit: 'Make the account',
    },
    links: html`<p>You have an account?
<a href="${withReturnTo('/self-service/login/browser', returnTo)}">Log in</a></p>`,
  });
}

function fieldsOf(values: Values): Field[] {
  return [
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      autocomplete: 'username',
      inputmode: 'email',
      hint: 'You log in with it, and we send mail there.',
      value: values.email,
      isRequired: true,
      isFirst: true,
    },
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

function offerConfirmation(visit: Visit): void {
  const token = tokenOf(visit.query);
  if (token === null) sendRegistrationExpired(visit.response);
  else showConfirmation(visit, token);
}

/** A button, because mail scanners open the links in a mail. */
function showConfirmation(
  { request, response }: Visit,
  token: string,
  { isPasswordNeeded = false, refusal }: Confirmation = {},
): void {
  const password = {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
    isFirst: true,
  } as const;
  sendFormPage(response, {
    title: 'Confirm your email address',
    refusal,
    lead: isPasswordNeeded
      ? 'This is another browser than the one you began in. Type the password you have chosen, so that we know that it is you.'
      : 'One more step, and your account is ready.',
    form: {
      action: `/self-service/registration/confirm?${new URLSearchParams({ token })}`,
      flow: openFlow(request, response, 'registration-confirmation', {}),
      fields: isPasswordNeeded ? showFields([password], refusal?.errors) : null,
      submit: 'Confirm',
    },
  });
}

async function confirm(visit: Visit): Promise<void> {
  const { request, response, ctx, query, form } = visit;
  const token = tokenOf(query);
  if (token === null) return sendRegistrationExpired(response);
  const { password } = pick(form, 'password');
  const isPasswordNeeded = 'password' in form;
  const problem = flowProblem(request, 'registration-confirmation', form);
  if (problem !== null) return showConfirmation(visit, token, { isPasswordNeeded, refusal: refuse({}, problem) });
  const browserHash = hashToken(browserOf(request, response));
  const attempted = await attempt(['password'], () =>
    call(ctx, 'identity.accounts.confirm-registration', {
      body: { token, browserHash, password: isPasswordNeeded ? password : null },
    }),
  );
  if (attempted.refusal) {
    return showConfirmation(visit, token, { isPasswordNeeded, refusal: attempted.refusal });
  }
  const result = attempted.answer;
  if (result.outcome === 'expired') return sendRegistrationExpired(response);
  if (result.outcome === 'confirmed') {
    await enterSession(visit, result);
    return sendBack(visit, result.returnTo);
  }
  const isWrong = result.outcome === 'refused';
  const refusal = isWrong ? { refusal: refuse({ password: 'This is not the password you have chosen.' }) } : {};
  showConfirmation(visit, token, { isPasswordNeeded: true, ...refusal });
}

function sendRegistrationExpired(response: Visit['response']): void {
  sendLinkExpired(response, 'Make an account', '/self-service/registration/browser');
}
