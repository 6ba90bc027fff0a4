import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { audience, issuer } from '../../http/access-tokens.ts';
import { readForm } from '../../http/read-body.ts';
import { browserAt, redirect, sendPage } from '../../http/send-page.ts';
import { call } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { now, second } from '../../lib/data/clock.ts';
import { openidScopes, splitScope } from '../../lib/security/oauth-scopes.ts';
import { settings } from '../../lib/settings/settings.ts';
import { openFlow, readFlow } from '../../web/flow.ts';
import { type Page, renderPage } from '../../web/page.ts';
import { pickFields } from '../../web/pick.ts';
import { accountBody } from './account-page.ts';
import { type Client, type Clients, registeredOf } from './clients.ts';
import { consentBody } from './pages.ts';
import { canBeImpersonated } from './redirect-uris.ts';
import { authTimeOf, currentExchange, type Exchange, type PlatformSession } from './request.ts';
import { texts } from './texts.ts';

type Grant = InstanceType<Provider['Grant']>;
type Granted = { userId: string; clientId: string; scopes: string[] };

/**
 * Creates and stores a grant of these scopes. Each authorization has a separate grant, so that it can be revoked
 * separately.
 */
async function newGrant(provider: Provider, { userId, clientId, scopes }: Granted): Promise<Grant> {
  const grant = new provider.Grant({ accountId: userId, clientId });
  grant.addOIDCScope(scopes.filter((scope) => openidScopes.includes(scope)));
  grant.addResourceScope(audience, scopes);
  await grant.save();
  return grant;
}

/**
 * The grant of an authorization: the grant of the consent just given; otherwise a new one, when the user has granted
 * all of its scopes before or the client is first-party; undefined when consent is required. Consent is always required
 * with `prompt=consent`, and for a client that another app could impersonate (RFC 8252 section 8.6).
 */
export async function loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const agreed = oidc.result?.consent?.grantId;
  if (agreed !== undefined) return (await oidc.provider.Grant.find(agreed)) as Grant | undefined;
  const { account, client, params } = oidc;
  const isPending = [...oidc.prompts].some((name) => name !== 'none' && oidc.promptPending(name));
  if (!account || !client || isPending) return undefined;
  const registered = registeredOf(client);
  if (canBeImpersonated(registered, String(params?.redirect_uri))) return undefined;
  const scopes = splitScope(String(params?.scope ?? ''));
  const granted = { userId: account.accountId, clientId: client.clientId, scopes };
  return (await isAllowed(granted, registered)) ? newGrant(oidc.provider, granted) : undefined;
}

async function isAllowed({ userId, clientId, scopes }: Granted, { isFirstParty, orgId }: Client): Promise<boolean> {
  const { ctx } = currentExchange();
  if (isFirstParty) {
    const body = { userId, clientId, orgId, scopes };
    const { isImplied } = await call(ctx, 'identity.oauth.consents.imply', { body });
    if (isImplied) return true;
  }
  const consent = await call(ctx, 'identity.oauth.consents.find', { body: { userId, clientId } });
  return scopes.every((scope) => consent.scopes.includes(scope));
}

type Interaction = InstanceType<Provider['Interaction']>;
type InteractionServices = { provider: Provider; clients: Clients };
/** A pending authorization whose user is logged in. */
type Waiting = { interaction: Interaction; session: PlatformSession; client: Client; scopes: string[] };

const loginUrl = `${settings.PUBLIC_URL}/self-service/login/browser`;

/**
 * Handles the interaction URL, to which the provider redirects for a login, the choice of an account or a consent: it
 * redirects to the login page, renders the form, or redirects back when no input is needed. Only the browser that began
 * the authorization can continue it.
 */
export async function interact(tools: InteractionServices, exchange: Exchange, uid: string): Promise<void> {
  const { response } = exchange;
  const interaction = await findInteraction(tools.provider, exchange, uid);
  const session = await exchange.platformSession();
  if (!session) return redirect(response, loginPage(interaction));
  const { name } = interaction.prompt;
  if (name !== 'consent' && isFreshEnough(interaction, session)) {
    const login = { accountId: session.userId, ts: authTimeOf(session) };
    // A user who has just logged in has chosen the account.
    return continueInteraction(exchange, interaction, { login, select_account: {} });
  }
  if (name === 'login') return redirect(response, loginPage(interaction, { refresh: 'true' }));
  // Another user has logged in since, and must not answer for the first one.
  if (interaction.session?.accountId !== session.userId) return redirect(response, startAgain(interaction));
  const waiting = await waitingOf(tools, exchange, interaction, session);
  const isAnswer = exchange.request.method === 'POST';
  if (name === 'select_account')
    await (isAnswer ? keepAccount(exchange, waiting) : promptForAccount(exchange, waiting));
  else await (isAnswer ? decide(tools, exchange, waiting) : ask(exchange, waiting));
}

async function findInteraction(provider: Provider, { request, response }: Exchange, uid: string): Promise<Interaction> {
  const cookie = provider.createContext(request, response).cookies.get('platform_interaction', { signed: true });
  const interaction = cookie === uid ? await provider.Interaction.find<Interaction>(uid) : undefined;
  if (interaction) return interaction;
  throw apiError('NOT_FOUND', { message: 'This authorization has ended, or was started in another browser.' });
}

/** Whether the login is recent enough: a required new login must be later than the request for it. */
function isFreshEnough({ prompt }: Interaction, { authenticatedAt }: PlatformSession): boolean {
  const needsNew = prompt.reasons.some((reason) => reason !== 'no_session');
  return !needsNew || authenticatedAt.getTime() >= Number(prompt.details.askedAt);
}

/** The platform's login page, with the application that the user logs in for, and the email address that it expects. */
function loginPage({ uid, params }: Interaction, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    return_to: `${issuer}/interaction/${uid}`,
    client_id: String(params.client_id),
    ...(typeof params.login_hint === 'string' && { login_hint: params.login_hint }),
    ...more,
  });
  return `${loginUrl}?${query}`;
}

function startAgain({ params }: Interaction): string {
  const requestParams = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return `${issuer}/auth?${new URLSearchParams(requestParams)}`;
}

/**
 * Continues the authorization. The provider's session may have ended in between, by a logout in another tab; the user
 * of the platform's session counts, and the provider need not compare its own session.
 */
async function continueInteraction({ response }: Exchange, interaction: Interaction, result: object): Promise<void> {
  interaction.session = undefined;
  interaction.result = { ...interaction.lastSubmission, ...result };
  await interaction.save(interaction.exp - Math.floor(now().getTime() / second));
  redirect(response, interaction.returnTo);
}

async function waitingOf(
  tools: InteractionServices,
  exchange: Exchange,
  interaction: Interaction,
  session: PlatformSession,
) {
  const { client_id: clientId, scope } = interaction.params;
  const client = await tools.clients.findInForce(exchange, String(clientId));
  if (!client) throw apiError('NOT_FOUND', { message: 'The application that sent you here no longer exists.' });
  return { interaction, session, client, scopes: splitScope(String(scope)) };
}

/** Binds a form token to this authorization and this login. */
const kindOf = ({ interaction: { prompt, uid }, session }: Waiting): string =>
  `${prompt.name} ${uid} ${session.sessionId}`;

/** Prepares the common parts of the forms of an authorization. */
async function openForm({ ctx, request, response }: Exchange, waiting: Waiting) {
  const { interaction, session, client } = waiting;
  const { claims } = await call(ctx, 'identity.oauth.claims.read', { body: { userId: session.userId } });
  const flow = openFlow(browserAt(request, response), kindOf(waiting), {});
  return { client, flow, action: `/oauth2/interaction/${interaction.uid}`, email: String(claims?.email ?? '') };
}

async function promptForAccount(exchange: Exchange, waiting: Waiting): Promise<void> {
  const form = await openForm(exchange, waiting);
  const loginHref = loginPage(waiting.interaction, { refresh: 'true', notice: 'other-account' });
  const body = accountBody({ ...form, loginHref });
  sendForm(exchange, form.client, { title: texts().account.title, body });
}

async function keepAccount(exchange: Exchange, waiting: Waiting): Promise<void> {
  if (!(await readSentForm(exchange, waiting))) return promptForAccount(exchange, waiting);
  await continueInteraction(exchange, waiting.interaction, { select_account: {} });
}

async function ask(exchange: Exchange, waiting: Waiting): Promise<void> {
  const { client, scopes } = waiting;
  const body = consentBody({ ...(await openForm(exchange, waiting)), scopes });
  sendForm(exchange, client, { title: texts().consent.title(client.applicationName), body });
}

/** Sends a form of an authorization, with the brand of the client's organization. */
function sendForm({ response }: Exchange, client: Client, page: Pick<Page, 'title' | 'body'>): void {
  const organization = { name: client.organizationName, brand: client.organizationBrand };
  sendPage(response, renderPage({ ...page, organization, formsLeave: true }));
}

/** Reads the submitted form; null when it was not issued for this authorization and login. */
async function readSentForm({ request, response }: Exchange, waiting: Waiting) {
  const form = pickFields(await readForm(request), 'decision', 'flow');
  return readFlow(browserAt(request, response), kindOf(waiting), form.flow) ? form : null;
}

async function decide({ provider }: InteractionServices, exchange: Exchange, waiting: Waiting): Promise<void> {
  const { interaction, session, client, scopes } = waiting;
  const form = await readSentForm(exchange, waiting);
  if (!form) return ask(exchange, waiting);
  if (form.decision !== 'allow') {
    const denied = { error: 'access_denied', error_description: 'the user did not allow it' };
    interaction.lastSubmission = undefined;
    return continueInteraction(exchange, interaction, denied);
  }
  const { userId } = session;
  const { clientId, orgId } = client;
  await call(exchange.ctx, 'identity.oauth.consents.remember', { body: { userId, clientId, orgId, scopes } });
  const grant = await newGrant(provider, { userId, clientId, scopes });
  await continueInteraction(exchange, interaction, { consent: { grantId: grant.jti } });
}
