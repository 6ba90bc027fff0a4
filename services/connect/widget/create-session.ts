import { z } from 'zod';
import { quotaError } from '../../../lib/clients/quota-refusal.ts';
import { type Ctx, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { isAnyAgentOnline } from '../agents.ts';
import { requireNotBlocked } from '../blocks.ts';
import { findPresent } from '../conversations/conversations.ts';
import { exampleSite, findFirstSite } from '../sites/sites.ts';
import { countVisitor } from '../visitors/rate-limits.ts';
import {
  currentSite,
  issueToken,
  readToken,
  requireIdentity,
  requireNotErased,
  requireOpen,
  type SignedIdentity,
  userHashInput,
  userInput,
  type VisitorClaims,
  visitErrors,
  visitHeaders,
} from '../visitors/visit.ts';
import { claimConversations, identifiersOf, linkCustomer, networkHash, storeIdentified } from '../visitors/visitors.ts';
import { exampleWidgetConversation, toVisitorConversation, widgetConversation } from './messages.ts';

const sessionInput = z
  .strictObject({
    tenantId: z.string().max(100),
    siteId: z
      .string()
      .max(100)
      .optional()
      .describe('The id of the website (`site_…`); by default the first one of the organization.'),
    user: userInput.optional().describe('The user of your website.'),
    userHash: userHashInput
      .optional()
      .describe(
        'The HMAC-SHA256 in hexadecimal of `id`, `email` (or empty) and `issuedAt`, joined by line feeds, under the ' +
          'secret of the website. Makes `user` a verified identity.',
      ),
    locale: z
      .string()
      .regex(/^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8}){0,3}$/, 'Must be a language tag such as de or en-GB.')
      .optional()
      .describe("The language of the visitor's browser, such as `de` or `en-GB`."),
  })
  .meta({ id: 'WidgetSessionInput' });

type SessionInput = z.output<typeof sessionInput>;

/**
 * POST /v1/widget/sessions: begins or continues a visitor's session on a site, and returns the token for all other
 * widget requests. The page sends the previous token in Authorization to continue the visitor's history. A signed
 * identity has one history on all devices.
 */
export const createSession = defineAction({
  rest: 'POST /v1/widget/sessions',
  summary: 'Begin or continue the session of a visitor',
  description:
    'Begins or continues the session of a visitor, and returns the token for all other widget requests. Send the ' +
    "previous token to continue an anonymous visitor's history. With `userHash`, `user` is a verified identity, " +
    'which has one history on all devices; without it name and email are unverified. The Origin must be allowed ' +
    'for the website.',
  permission: 'public',
  // Optional, because a new visitor has no token.
  input: { body: sessionInput, headers: visitHeaders.extend({ authorization: z.string().max(8192).optional() }) },
  output: z
    .strictObject({
      visitorToken: z.string().describe('The token for the other widget requests, as bearer credential.'),
      expiresAt: timestamp,
      visitorId: z.string(),
      /** Whether the site signed the visitor's identity. */
      isIdentified: z.boolean(),
      site: z
        .strictObject({
          siteId: z.string(),
          name: z.string(),
          greeting: z.string(),
          colour: z.string(),
          logoUrl: z.string().nullable(),
        })
        .describe('The website.'),
      agentsOnline: z.boolean(),
      /** The current conversation; null before the first. */
      conversation: widgetConversation.nullable(),
    })
    .meta({ id: 'WidgetSession' }),
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
    const previous = previousClaims(site, headers.authorization);
    const identity = identityOf(body);
    if (identity) requireIdentity(site, identity);
    const claims = identity
      ? await identify(ctx, site, { body, identity, previous })
      : { visitorId: previous?.visitorId ?? newId('vis'), ...unverified(body, previous) };
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

/** Returns the site of a request if it is enabled, allows the page, and the plan includes the channel. */
async function findOpenSite(ctx: Ctx, body: SessionInput, origin: string | undefined): Promise<SiteDocument> {
  const { tenantId, siteId } = body;
  const site = siteId === undefined ? await findFirstSite(tenantId) : await currentSite(tenantId, siteId);
  if (!site) throw apiError('NOT_FOUND', { message: 'The site does not exist.' });
  // Browsers send the origin with every POST, so a request without one is not from a page.
  if (origin === undefined) throw apiError('ORIGIN_REFUSED', { message: 'The Origin header of the page is required.' });
  await requireOpen(ctx, site, origin);
  const { entitlements } = await call(ctx, 'billing.entitlements.describe', { body: { orgId: tenantId } });
  if (!entitlements?.connect.enabled || !entitlements.connect.channels.includes('web')) {
    throw quotaError({ reason: 'notIncluded', quota: null }, tenantId);
  }
  return site;
}

/**
 * The claims of the previous token, if it belongs to an anonymous visitor of this site. A signed identity is not
 * continued: a page that sends no identity has signed its user out.
 */
function previousClaims({ orgId, _id: siteId }: SiteDocument, authorization: string | undefined): VisitorClaims | null {
  if (authorization === undefined) return null;
  try {
    const claims = readToken(authorization);
    return claims.orgId === orgId && claims.siteId === siteId && !claims.user ? claims : null;
  } catch {
    // An expired token begins a new session.
    return null;
  }
}

function identityOf({ user, userHash }: SessionInput): SignedIdentity | null {
  if (userHash === undefined) return null;
  if (!user) throw inputError([{ path: 'body.user', message: 'Required with userHash.' }]);
  if (user.issuedAt === undefined) {
    throw inputError([{ path: 'body.user.issuedAt', message: 'Required with userHash.' }]);
  }
  return { id: user.id, ...(user.email && { email: user.email }), issuedAt: user.issuedAt, hash: userHash };
}

type Identified = { body: SessionInput; identity: SignedIdentity; previous: VisitorClaims | null };

async function identify(
  ctx: Ctx,
  { orgId, _id: siteId }: SiteDocument,
  { body, identity, previous }: Identified,
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
  if (previous) await claimConversations(previous.visitorId, visitor);
  return { visitorId: visitor._id, user: identity, ...(body.locale !== undefined && { locale: body.locale }) };
}

function unverified({ user, locale }: SessionInput, previous: VisitorClaims | null): Partial<VisitorClaims> {
  const name = user?.name ?? previous?.name;
  const email = user?.email ?? previous?.email;
  const language = locale ?? previous?.locale;
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(language !== undefined && { locale: language }),
  };
}
