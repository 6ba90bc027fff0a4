import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { newId } from '../../../lib/ids.ts';
import { timestamp } from '../../../lib/instant.ts';
import { quotaError } from '../../../lib/quota-errors.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { isAnyAgentOnline } from '../agents/agents.ts';
import { requireNotBlocked } from '../blocks/blocked.ts';
import { findPresent } from '../conversations/conversations.ts';
import { exampleSite, findFirstSite } from '../sites/sites.ts';
import { identifiersOf, linkCustomer } from '../visitors/customers.ts';
import { requireIdentity, type SignedIdentity, userHashInput, userInput } from '../visitors/identity.ts';
import { countVisitor } from '../visitors/rate-limits.ts';
import { currentSite } from '../visitors/site-memory.ts';
import { issueToken, readToken, type VisitorClaims } from '../visitors/token.ts';
import { requireNotErased, requireOpen, visitErrors, visitHeaders } from '../visitors/visit.ts';
import { claimConversations, networkHash, storeIdentified } from '../visitors/visitors.ts';
import { exampleWidgetConversation, toVisitorConversation, widgetConversation } from './shown.ts';

const sessionInput = z.strictObject({
  tenantId: z.string().max(100),
  /** Default: the organization's first site. */
  siteId: z.string().max(100).optional(),
  user: userInput.optional(),
  /** Makes `user` an identity; without it name and email are unverified. */
  userHash: userHashInput.optional(),
  locale: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8}){0,3}$/, 'Send a language tag such as de or en-GB.')
    .optional(),
});

type SessionInput = z.output<typeof sessionInput>;

/**
 * POST /v1/widget/sessions: begins or continues a visitor's session on a site, and answers the token of all other
 * requests of the widget. The page of the widget sends the former token in Authorization, so that the visitor's history
 * is found again. A signed identity has one history on all devices.
 */
export const createSession = defineAction({
  rest: 'POST /v1/widget/sessions',
  summary: 'Begin or continue the session of a visitor',
  permission: 'public',
  // A new visitor has no token yet.
  input: { body: sessionInput, headers: visitHeaders.extend({ authorization: z.string().max(8192).optional() }) },
  output: z.strictObject({
    visitorToken: z.string(),
    expiresAt: timestamp,
    visitorId: z.string(),
    /** Whether the site has signed the visitor's identity. */
    isIdentified: z.boolean(),
    site: z.strictObject({
      siteId: z.string(),
      name: z.string(),
      greeting: z.string(),
      colour: z.string(),
      logoUrl: z.string().nullable(),
    }),
    agentsOnline: z.boolean(),
    /** The present conversation; null before the first. */
    conversation: widgetConversation.nullable(),
  }),
  errors: [...visitErrors, 'NOT_FOUND', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  exposure: { cors: 'own' },
  limits: { bodyBytes: 8 * 1024 },
  example: {
    headers: { origin: 'https://shop.example.com' },
    body: { tenantId: exampleId('org'), siteId: exampleSite.siteId, locale: 'en' },
    output: {
      visitorToken: 'eyJvcmdJZCI6Im9yZ18.b2Y',
      expiresAt: exampleInstant,
      visitorId: exampleId('vis'),
      isIdentified: false,
      site: {
        siteId: exampleSite.siteId,
        name: exampleSite.name,
        greeting: exampleSite.greeting,
        colour: exampleSite.colour,
        logoUrl: null,
      },
      agentsOnline: true,
      conversation: exampleWidgetConversation,
    },
  },
  async handler({ body, headers, ctx }) {
    const site = await findOpenSite(ctx, body, headers.origin);
    const { orgId, _id: siteId } = site;
    const network = networkHash(ctx);
    await countVisitor(ctx, 'sessions', { orgId, visitorId: null });
    const former = formerClaims(site, headers.authorization);
    const identity = identityOf(body);
    if (identity) requireIdentity(site, identity);
    const claims = identity
      ? await identify(ctx, site, { body, identity, former })
      : { visitorId: former?.visitorId ?? newId('vis'), ...unverified(body, former) };
    const { visitorId } = claims;
    await requireNotBlocked(orgId, { visitorId, userId: identity?.id ?? null, network });
    const { token, expiresAt } = issueToken({ orgId, siteId, ...claims });
    const present = await findPresent(orgId, visitorId);
    const { name, greeting, colour, logoUrl } = site;
    return {
      visitorToken: token,
      expiresAt: expiresAt.toISOString(),
      visitorId,
      isIdentified: identity !== null,
      site: { siteId, name, greeting, colour, logoUrl },
      agentsOnline: await isAnyAgentOnline(orgId),
      conversation: present && toVisitorConversation(present),
    };
  },
});

/** The site of a request, if it is enabled, allows the page, and the plan includes the channel. */
async function findOpenSite(ctx: Ctx, body: SessionInput, origin: string | undefined): Promise<SiteDocument> {
  const { tenantId, siteId } = body;
  const site = siteId === undefined ? await findFirstSite(tenantId) : await currentSite(tenantId, siteId);
  if (!site) throw apiError('NOT_FOUND', { message: 'There is no such site.' });
  // Browsers name the origin of every POST, so that a request without one is no page's.
  if (origin === undefined) throw apiError('ORIGIN_REFUSED', { message: 'Send the Origin of the page of the widget.' });
  requireOpen(ctx, site, origin);
  const { entitlements } = await call(ctx, 'billing.entitlements.describe', { body: { orgId: tenantId } });
  if (!entitlements?.connect.enabled || !entitlements.connect.channels.includes('web')) {
    throw quotaError('notIncluded', tenantId);
  }
  return site;
}

/**
 * What the former token says, if it is an anonymous visitor's of this site. One of a signed identity is not continued:
 * the page that sends no identity has signed its user out.
 */
function formerClaims({ orgId, _id: siteId }: SiteDocument, authorization: string | undefined): VisitorClaims | null {
  if (authorization === undefined) return null;
  try {
    const claims = readToken(authorization);
    return claims.orgId === orgId && claims.siteId === siteId && !claims.user ? claims : null;
  } catch {
    // An expired one begins a new session.
    return null;
  }
}

function identityOf({ user, userHash }: SessionInput): SignedIdentity | null {
  if (userHash === undefined) return null;
  if (!user) throw inputError([{ path: 'body.user', message: 'Send the user whom userHash signs.' }]);
  if (user.issuedAt === undefined) {
    throw inputError([{ path: 'body.user.issuedAt', message: 'Send the instant that userHash signs.' }]);
  }
  return { id: user.id, ...(user.email && { email: user.email }), issuedAt: user.issuedAt, hash: userHash };
}

type Identified = { body: SessionInput; identity: SignedIdentity; former: VisitorClaims | null };

async function identify(
  ctx: Ctx,
  { orgId, _id: siteId }: SiteDocument,
  { body, identity, former }: Identified,
): Promise<Omit<VisitorClaims, 'orgId' | 'siteId' | 'issuedAt'>> {
  const { id: userId, email = null } = identity;
  const identifiers = identifiersOf(identity);
  await linkCustomer(ctx, orgId, identity);
  const visitor = await storeIdentified({
    orgId,
    siteId,
    userId,
    identifiers,
    name: body.user?.name ?? null,
    email,
    locale: body.locale ?? null,
    network: networkHash(ctx),
  });
  await requireNotErased(ctx, { orgId, siteId }, () => VisitorModel.deleteOne({ orgId, _id: visitor._id }));
  if (former) await claimConversations(former.visitorId, visitor);
  return { visitorId: visitor._id, user: identity, ...(body.locale !== undefined && { locale: body.locale }) };
}

function unverified({ user, locale }: SessionInput, former: VisitorClaims | null): Partial<VisitorClaims> {
  const name = user?.name ?? former?.name;
  const email = user?.email ?? former?.email;
  const language = locale ?? former?.locale;
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(language !== undefined && { locale: language }),
  };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.widget.create-session': typeof createSession;
  }
}
