import { randomUUID } from 'node:crypto';
import { now } from '../../../../lib/data/clock.ts';
import { type Code, renderCode } from '../../../../web/code.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { texts } from '../texts.ts';
import type { OAuthClient } from './applications-client.ts';

export type QuickstartValues = { orgId: string; publicUrl: string; client: OAuthClient | null };

const exampleRedirect = 'https://app.example.com/callback';

/** Renders how to use an application from common languages and frameworks, with the organization's values. */
export function renderQuickstart(values: QuickstartValues): Html {
  const t = texts().consoleApplications.quickstart;
  return html`<section aria-labelledby="h-quickstart">
<div class="sec-head"><h2 id="h-quickstart">${t.title}</h2><a class="btn plain sm" href="/docs">${t.guides}${renderIcon('right')}</a><p>${t.words}${!values.client && ` ${t.noClient}`}</p></div>
${renderCode(...samplesOf(values))}</section>`;
}

/** The samples. They hold ids and addresses; keys and secrets are read from the environment. */
export function samplesOf(values: QuickstartValues): [Code, ...Code[]] {
  const { labels } = texts().consoleApplications.quickstart;
  return [
    { label: labels.curl, text: curlSample(values) },
    { label: labels.express, text: expressSample(values) },
    { label: labels.next, text: nextSample(values) },
    { label: labels.browser, text: browserSample(values) },
    { label: labels.go, text: goSample(values) },
    { label: labels.python, text: pythonSample(values) },
  ];
}

/** A client's id as a literal, or where its id will be read from. */
function idOr({ client }: QuickstartValues, quote: string, otherwise: string): string {
  return client ? `${quote}${client.clientId}${quote}` : otherwise;
}

/** Where the client's users return after a login, on a website. */
function redirectOf({ client }: QuickstartValues): URL {
  const uri = client?.redirectUris.find((one) => /^https?:/.test(one));
  return new URL(uri ?? exampleRedirect);
}

/** The event has a new id on each page, because an id that was sent before counts once. */
function curlSample({ orgId, publicUrl }: QuickstartValues): string {
  return `curl -sS ${publicUrl}/events \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${orgId}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "schemaVersion": "1.0",
    "tenantId": "${orgId}",
    "eventId": "${randomUUID()}",
    "eventName": "order.created",
    "occurredAt": "${now().toISOString()}",
    "actor": { "type": "customer", "id": "customer-1" },
    "source": { "system": "shop", "channel": "web" },
    "payload": { "orderId": "A-1", "totalAmount": "49.90", "currency": "EUR" }
  }'`;
}

function expressSample(values: QuickstartValues): string {
  const { origin, pathname } = redirectOf(values);
  return `import express from 'express';
import { auth, requiresAuth } from 'express-openid-connect';

const app = express();

app.use(auth({
  issuerBaseURL: '${values.publicUrl}/oauth2',
  clientID: ${idOr(values, "'", 'process.env.CLIENT_ID')},
  clientSecret: process.env.CLIENT_SECRET,
  baseURL: '${origin}',
  routes: { callback: '${pathname}' },
  secret: process.env.COOKIE_SECRET,
  authRequired: false,
  authorizationParams: { response_type: 'code', scope: 'openid profile email' },
}));

app.get('/profile', requiresAuth(), (request, response) => {
  response.json(request.oidc.user);
});

app.listen(4000);`;
}

function nextSample(values: QuickstartValues): string {
  const { origin } = redirectOf(values);
  return `// auth.ts. The client's redirect URI is ${origin}/api/auth/callback/platform.
import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [{
    id: 'platform',
    name: 'Platform',
    type: 'oidc',
    issuer: '${values.publicUrl}/oauth2',
    clientId: ${idOr(values, "'", 'process.env.CLIENT_ID')},
    clientSecret: process.env.CLIENT_SECRET,
  }],
});`;
}

function browserSample(values: QuickstartValues): string {
  return `// A client of its own, without a secret; PKCE does the rest.
import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: '${values.publicUrl}/oauth2',
  client_id: ${idOr(values, "'", 'import.meta.env.VITE_CLIENT_ID')},
  redirect_uri: '${redirectOf(values).href}',
  scope: 'openid profile email',
});

// On the page of the redirect URI:
if (new URLSearchParams(location.search).has('code')) {
  const user = await users.signinRedirectCallback();
  console.log(user.profile.sub);
} else {
  await users.signinRedirect();
}`;
}

function goSample(values: QuickstartValues): string {
  return `provider, err := oidc.NewProvider(ctx, "${values.publicUrl}/oauth2")
if err != nil {
	log.Fatal(err)
}
config := oauth2.Config{
	ClientID:     ${idOr(values, '"', 'os.Getenv("CLIENT_ID")')},
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	Endpoint:     provider.Endpoint(),
	RedirectURL:  "${redirectOf(values).href}",
	Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
}

// Keep state and verifier in a cookie until the user is back.
state, verifier := rand.Text(), oauth2.GenerateVerifier()
login := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))

// In the handler of the redirect URI:
token, err := config.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(verifier))`;
}

function pythonSample({ orgId, publicUrl }: QuickstartValues): string {
  return `import os, requests

answer = requests.post(
    "${publicUrl}/access/check",
    headers={"Authorization": f"Bearer {os.environ['KEY']}"},
    json={
        "userId": os.environ["USER_ID"],
        "permission": "storage.upload",
        "context": {"orgId": "${orgId}"},
    },
)
answer.raise_for_status()
print(answer.json()["allowed"])`;
}
