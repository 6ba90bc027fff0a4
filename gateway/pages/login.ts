import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { readCookie, setCookie } from '../cookies.ts';
import { attempt, type Refusal, refuse, refuseForNow, refuseMissing } from './attempt.ts';
import { showFields } from './fields.ts';
import { flowProblem, openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage } from './form-page.ts';
import { html } from './html.ts';
import { returnToOf, sendBack, withReturnTo } from './return-to.ts';
import { page, type Visit } from './visit.ts';

type Shown = { email?: string; refusal?: Refusal; notice?: string | undefined };

const asked = { email: 'Type your email address.', password: 'Type your password.' };

const notices: Record<string, string> = {
  'logged-out': 'You are logged out.',
  'password-changed': 'Your password is changed. Log in with the new one.',
  'account-deleted': 'Your account is deleted.',
};

/** The login page. Clients redirect browsers here, and the browser returns to `return_to`. */
export const loginRoutes = {
  'GET /self-service/login/browser': page(offerLogin),
  'POST /self-service/login': page(logIn),
};

async function offerLogin(visit: Visit): Promise<void> {
  const { query, user } = visit;
  const returnTo = await returnToOf(visit);
  const isRepeated = query.refresh === 'true';
  if (user && !isRepeated) return sendBack(visit, returnTo);
  const notice = typeof query.notice === 'string' && Object.hasOwn(notices, query.notice) ? query.notice : undefined;
  showLogin(visit, returnTo, {
    notice: user ? 'Log in again, so that we know that it is you.' : notice && notices[notice],
  });
}

async function logIn(visit: Visit): Promise<void> {
  const { request, response, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  const { email, password } = pick(form, 'email', 'password');
  const problem = flowProblem(request, 'login', form);
  if (problem !== null) return showLogin(visit, returnTo, { email, refusal: refuse({}, problem) });
  const missing = refuseMissing({ email, password }, asked);
  if (missing) return showLogin(visit, returnTo, { email, refusal: missing });
  const former = readCookie(request, 'session');
  const formerTokenHash = former ? hashToken(former) : null;
  const attempted = await attempt(['email', 'password'], () =>
    call(ctx, 'identity.accounts.login', { body: { email, password, formerTokenHash } }),
  );
  if (attempted.refusal) return showLogin(visit, returnTo, { email, refusal: attempted.refusal });
  const result = attempted.answer;
  if (result.outcome === 'loggedIn') {
    setCookie(response, 'session', result.sessionToken, new Date(result.expiresAt));
    return sendBack(visit, returnTo);
  }
  if (result.outcome === 'refused') return showLogin(visit, returnTo, { email, refusal: wrong() });
  showLogin(visit, returnTo, { email, refusal: refuseForNow(result.retryAfterSeconds) });
}

function showLogin({ request, response }: Visit, returnTo: string | null, shown: Shown): void {
  const { email = '', refusal, notice } = shown;
  const fields = [
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      autocomplete: 'username',
      inputmode: 'email',
      value: email,
      isRequired: true,
      isFirst: email === '',
    },
    {
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      isRequired: true,
      isFirst: email !== '',
    },
  ] as const;
  sendFormPage(response, {
    title: 'Log in',
    notice,
    refusal,
    form: {
      action: withReturnTo('/self-service/login', returnTo),
      flow: openFlow(request, response, 'login', {}),
      fields: showFields([...fields], refusal?.errors),
      submit: 'Log in',
    },
    links: html`<p><a href="${withReturnTo('/self-service/recovery/browser', returnTo)}">I forgot my password</a></p>
<p>New here? <a href="${withReturnTo('/self-service/registration/browser', returnTo)}">Make an account</a></p>`,
  });
}

/** The same refusal for an unknown address, so that the page does not reveal which accounts exist. */
function wrong(): Refusal {
  return refuse({}, 'The email address or the password is wrong. Check both and try again.');
}
