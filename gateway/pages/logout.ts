import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { clearCookie, readCookie } from '../cookies.ts';
import { refuse } from './attempt.ts';
import { flowProblem, openFlow } from './flow.ts';
import { pick } from './form.ts';
import { sendFormPage } from './form-page.ts';
import { returnToOf, sendBack, withReturnTo } from './return-to.ts';
import { page, type Visit } from './visit.ts';

const afterwards = '/self-service/login/browser?notice=logged-out';

/** Ends the session of this browser. It takes a button, so that a link on another site cannot log a user out. */
export const logoutRoutes = {
  'GET /self-service/logout/browser': page(offerLogout),
  'POST /self-service/logout': page(logOut),
};

async function offerLogout(visit: Visit): Promise<void> {
  const returnTo = await returnToOf(visit);
  if (!visit.user) return sendBack(visit, returnTo, afterwards);
  showLogout(visit, returnTo);
}

async function logOut(visit: Visit): Promise<void> {
  const { request, response, ctx, form } = visit;
  const returnTo = await returnToOf(visit);
  pick(form);
  const problem = flowProblem(request, 'logout', form);
  if (problem !== null) return showLogout(visit, returnTo, problem);
  const session = readCookie(request, 'session');
  if (session) await call(ctx, 'identity.sessions.end', { body: { tokenHash: hashToken(session) } });
  clearCookie(response, 'session');
  await sendBack(visit, returnTo, afterwards);
}

function showLogout({ request, response }: Visit, returnTo: string | null, problem?: string): void {
  sendFormPage(response, {
    title: 'Log out',
    lead: 'You will be logged out of this browser.',
    refusal: problem === undefined ? null : refuse({}, problem),
    form: {
      action: withReturnTo('/self-service/logout', returnTo),
      flow: openFlow(request, response, 'logout', {}),
      submit: 'Log out',
    },
  });
}
