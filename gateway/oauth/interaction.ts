import type { Provider } from 'oidc-provider';
import { issuer } from '../../http/access-tokens.ts';
import { readForm } from '../../http/read-form.ts';
import { browserAt, redirect, sendPage } from '../../http/send-page.ts';
import { call } from '../../lib/calls.ts';
import { now, second } from '../../lib/clock.ts';
import { fail } from '../../lib/errors.ts';
import { splitScope } from '../../lib/openid-scopes.ts';
import { settings } from '../../lib/settings.ts';
import { openFlow, readFlow } from '../../web/flow.ts';
import { showPage } from '../../web/page.ts';
import { pick } from '../../web/pick.ts';
import type { Client, Clients } from './clients.ts';
import { consentBody } from './consent-page.ts';
import type { Exchange } from './exchange.ts';
import { newGrant } from './grants.ts';
import { authTimeOf, type PlatformSession } from './platform-session.ts';
import { texts } from './texts.ts';

type Interaction = InstanceType<Provider['Interaction']>;
type Tools = { provider: Provider; clients: Clients };
/** A pending authorization whose user is logged in. */
type Waiting = { interaction: Interaction; session: PlatformSession; client: Client; scopes: string[] };

const loginUrl = `${settings.PUBLIC_URL}/self-service/login/browser`;

/**
 * Handles the interaction URL, to which the provider redirects for a login or a consent: it redirects to the login
 * page, shows the consent page, or redirects back when neither is needed. Only the browser that began the authorization
 * can continue it.
 */
export async function interact(tools: Tools, exchange: Exchange, uid: string): Promise<void> {
  const { response } = exchange;
  const interaction = await findInteraction(tools.provider, exchange, uid);
  const session = await exchange.platformSession();
  if (!session) return redirect(response, loginPage(interaction, uid, false));
  if (interaction.prompt.name === 'login') {
    if (!isFreshEnough(interaction, session)) return redirect(response, loginPage(interaction, uid, true));
    const login = { accountId: session.userId, ts: authTimeOf(session) };
    return goOn(exchange, interaction, { login });
  }
  // Another user has logged in since. They must not answer a request for consent that was made to the first user.
  if (interaction.session?.accountId !== session.userId) return redirect(response, startAgain(interaction));
  await askOrDecide(tools, exchange, interaction, session);
}

async function findInteraction(provider: Provider, { request, response }: Exchange, uid: string): Promise<Interaction> {
  const cookie = provider.createContext(request, response).cookies.get('platform_interaction', { signed: true });
  const interaction = cookie === uid ? await provider.Interaction.find<Interaction>(uid) : undefined;
  if (interaction) return interaction;
  throw fail('NOT_FOUND', { message: 'This authorization has ended, or was begun in another browser.' });
}

/** Where a new login was required of a user who is logged in, only a login after that request counts. */
function isFreshEnough({ prompt }: Interaction, { authenticatedAt }: PlatformSession): boolean {
  const needsNew = prompt.reasons.some((reason) => reason !== 'no_session');
  return !needsNew || authenticatedAt.getTime() >= Number(prompt.details.askedAt);
}

/** The login page of the platform, which shows what application the user signs in for. */
function loginPage({ params }: Interaction, uid: string, isRefresh: boolean): string {
  const query = new URLSearchParams({
    return_to: `${issuer}/interaction/${uid}`,
    client_id: String(params.client_id),
  });
  if (isRefresh) query.set('refresh', 'true');
  return `${loginUrl}?${query}`;
}

function startAgain({ params }: Interaction): string {
  const asked = Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `${issuer}/auth?${new URLSearchParams(asked)}`;
}

async function goOn({ response }: Exchange, interaction: Interaction, result: object): Promise<void> {
  interaction.result = { ...interaction.lastSubmission, ...result };
  await interaction.save(interaction.exp - Math.floor(now().getTime() / second));
  redirect(response, interaction.returnTo);
}

async function askOrDecide(tools: Tools, exchange: Exchange, interaction: Interaction, session: PlatformSession) {
  const { client_id: clientId, scope } = interaction.params;
  const client = await tools.clients.find(exchange.ctx, String(clientId));
  if (!client) throw fail('NOT_FOUND', { message: 'The application that sent you here is not there any more.' });
  const waiting = { interaction, session, client, scopes: splitScope(String(scope)) };
  if (exchange.request.method === 'POST') await decide(tools, exchange, waiting);
  else await ask(exchange, waiting);
}

/** The token of a form is valid for this authorization and this login only. */
const kindOf = ({ interaction, session }: Waiting): string => `consent ${interaction.uid} ${session.sessionId}`;

async function ask(exchange: Exchange, waiting: Waiting): Promise<void> {
  const { ctx, request, response } = exchange;
  const { interaction, session, client, scopes } = waiting;
  const { claims } = await call(ctx, 'identity.oauth.claims.read', { body: { userId: session.userId } });
  const flow = openFlow(browserAt(request, response), kindOf(waiting), {});
  const action = `/oauth2/interaction/${interaction.uid}`;
  const body = consentBody({ client, scopes, action, flow, email: String(claims?.email ?? '') });
  sendPage(response, showPage({ title: texts().consent.title(client.applicationName), body, formsLeave: true }));
}

async function decide({ provider }: Tools, exchange: Exchange, waiting: Waiting): Promise<void> {
  const { interaction, session, client, scopes } = waiting;
  const { request, response } = exchange;
  const { decision, flow } = pick(await readForm(request), 'decision', 'flow');
  if (!readFlow(browserAt(request, response), kindOf(waiting), flow)) return ask(exchange, waiting);
  if (decision !== 'allow') {
    const denied = { error: 'access_denied', error_description: 'the user did not allow it' };
    interaction.lastSubmission = undefined;
    return goOn(exchange, interaction, denied);
  }
  const { userId } = session;
  const { clientId, orgId } = client;
  await call(exchange.ctx, 'identity.oauth.consents.remember', { body: { userId, clientId, orgId, scopes } });
  const grant = await newGrant(provider, { userId, clientId, scopes });
  await goOn(exchange, interaction, { consent: { grantId: grant.jti } });
}
