import { randomBytes } from 'node:crypto';
import { type Client, clientOf } from '../support/client.ts';
import type { Answer, ErrorBody } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { newUserAgent, type Page } from '../support/user-agent.ts';
import type { Person, Platform } from './platform.ts';

/** An application with `svc:admin` of an organization that is on `free`, and the application that it is. */
export type Customer = Client & { applicationId: string };

const origin = 'https://shop.example.com';
/** Where the payer is sent back to: an origin of the organization's OAuth client. */
export const returnUrls = { successUrl: `${origin}/thanks?order=1`, cancelUrl: `${origin}/plans` };

/** Works with an organization that nobody else uses, which the suite makes and deletes. */
export async function withCustomer(
  { owner }: Pick<Platform, 'owner'>,
  work: (customer: Customer) => Promise<void>,
): Promise<void> {
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  const { id: orgId } = await owner.call('identity.organizations.create', { body: { name: 'A customer', slug } });
  try {
    await work(await customerOf(owner, orgId));
  } finally {
    // The owner belongs to a hundred organizations at most, and the suite may meet them again.
    await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
  }
}

async function customerOf(owner: Person, orgId: string): Promise<Customer> {
  const tenant = { 'x-tenant-id': orgId };
  const slug = `acceptance-${randomBytes(8).toString('hex')}`;
  const application = { body: { name: 'Of a test', slug } };
  const { id: applicationId } = await owner.call('identity.applications.create', application, tenant);
  const client = {
    grantTypes: ['authorization_code' as const],
    redirectUris: [`${origin}/callback`],
    scopes: ['openid'],
    tokenEndpointAuthMethod: 'client_secret_basic' as const,
  };
  await owner.call('identity.oauth-clients.create', { path: { slug }, body: client }, tenant);
  const key = { path: { id: applicationId }, body: { name: 'A key', scopes: ['svc:admin'] } };
  const { token } = await owner.call('identity.api-keys.create', key, tenant);
  return { ...clientOf({ url: owner.url, orgId, apiKey: token }), applicationId };
}

/** A key of the same application with fewer scopes. */
export async function withScopes(customer: Customer, scopes: string[]): Promise<Customer> {
  const { applicationId: id } = customer;
  const { token } = await customer.call('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes } });
  return { ...clientOf({ ...customer, apiKey: token }), applicationId: id };
}

export type CheckoutSession = { checkoutUrl: string; sessionId: string; expiresAt: string };

/** Asks for a checkout, of a month of `pro` unless the wish says otherwise. */
export function checkOut(customer: Client, wish: object = {}): Promise<Answer<CheckoutSession & ErrorBody>> {
  const body = { plan: 'pro', billingCycle: 'monthly', ...returnUrls, ...wish };
  return customer.send('POST', `/v1/orgs/${customer.orgId}/checkout`, body);
}

/** The buttons of the checkout page of the test provider, and of the page that confirms a change. */
export const buttons = {
  approve: /^Pay .*\d/,
  decline: /^Decline the payment/,
  challenge: /^Require bank/,
  confirmAtBank: /^Confirm/,
  refuseAtBank: /^Reject/,
  abandon: /^Go back/,
  confirmChange: /^Change to/,
};

/** Opens the page of a checkout and presses a button; gives the page that follows, or the redirect away. */
export async function press(customer: Client, { checkoutUrl }: CheckoutSession, button: RegExp): Promise<Page> {
  const agent = newUserAgent(customer.url);
  return await agent.submit(await agent.open(checkoutUrl), {}, button);
}

/** Buys a plan by the page of the test provider, and waits until the organization has it. */
export async function buy(
  customer: Client,
  wish: { plan?: 'pro' | 'scale'; billingCycle?: string } = {},
): Promise<void> {
  const { status, text, body } = await checkOut(customer, wish);
  if (status !== 201) throw new Error(`The checkout was answered ${status}: ${text}`);
  const left = await press(customer, body, buttons.approve);
  if (left.headers.location !== returnUrls.successUrl) {
    throw new Error(`The payment led to ${left.headers.location ?? left.text.slice(0, 2000)}`);
  }
  await eventually(async () => {
    const { plan } = await readSubscription(customer);
    if (plan !== (wish.plan ?? 'pro')) throw new Error(`The organization is still on ${plan}.`);
  });
}

export function readSubscription(customer: Client) {
  return customer.call('billing.subscription.read', { path: { orgId: customer.orgId } });
}

export async function readLimits(customer: Client) {
  const { entitlements } = await customer.call('billing.entitlements.read', { path: { orgId: customer.orgId } });
  return entitlements;
}
