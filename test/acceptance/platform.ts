import { type Client, clientOf } from '../support/client.ts';
import { send } from '../support/http.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../support/tenants.ts';
import { newUserAgent } from '../support/user-agent.ts';
import { createUser, sessionClientOf, type User } from '../support/user-client.ts';

/** A user who is logged in by a session, and how they log in again. */
export type Person = Client & Login & { sessionToken: string };
export type Login = { email: string; password: string };

/**
 * Two organizations of one platform: the suite acts for `own`, and `other` is whom it must not see. Each is an
 * application with `svc:admin`, and has an owner. The suite makes organizations that are the owners'.
 */
export type Platform = {
  own: Client;
  other: Client;
  owner: Person;
  otherOwner: Person;
  /** Logs in a member of `own` once more. Only members.test.ts asks for them: in the end it deletes their account. */
  member: () => Promise<Person>;
};

let opening: Promise<Platform> | undefined;

/**
 * The platform that ACCEPTANCE_URL names, which must be its PUBLIC_URL, with the organizations and keys (scope
 * `svc:admin`) of ACCEPTANCE_ORG_ID, ACCEPTANCE_API_KEY, ACCEPTANCE_OTHER_ORG_ID and ACCEPTANCE_OTHER_API_KEY, their
 * owners of ACCEPTANCE_EMAIL, ACCEPTANCE_PASSWORD, ACCEPTANCE_OTHER_EMAIL and ACCEPTANCE_OTHER_PASSWORD, and the member
 * of ACCEPTANCE_MEMBER_EMAIL and ACCEPTANCE_MEMBER_PASSWORD; without it the one that tests share. The organizations are
 * on `scale`, for the suite sends more events than `free` gives, and payments are made on the test page
 * (PAYMENT_PROVIDER=test). The operator does not trust the organizations (`identity:trust`).
 */
export function platform(): Promise<Platform> {
  const { ACCEPTANCE_URL: url } = process.env;
  opening ??= url ? fromEnvironment(url) : fromSharedPlatform();
  return opening;
}

/** Logs in as people do, by the page. */
export async function logIn(url: string, { email, password }: Login): Promise<Person> {
  const agent = newUserAgent(url);
  const left = await agent.submit(await agent.open('/self-service/login/browser'), { email, password });
  const sessionToken = agent.cookies.get('platform_session');
  if (!sessionToken) throw new Error(`${email} cannot log in at ${url}: ${left.status} ${left.text.slice(0, 2000)}`);
  return { ...sessionClientOf(url, sessionToken), email, password, sessionToken };
}

async function fromEnvironment(url: string): Promise<Platform> {
  await requirePublicUrl(url);
  const application = (name: string) =>
    clientOf({ url, orgId: variable(`${name}_ORG_ID`), apiKey: variable(`${name}_API_KEY`) });
  const person = (name: string) =>
    logIn(url, { email: variable(`${name}_EMAIL`), password: variable(`${name}_PASSWORD`) });
  return {
    own: application('ACCEPTANCE'),
    other: application('ACCEPTANCE_OTHER'),
    owner: await person('ACCEPTANCE'),
    otherOwner: await person('ACCEPTANCE_OTHER'),
    member: () => person('ACCEPTANCE_MEMBER'),
  };
}

/** By any other address a session's requests would be refused for their origin, and redirects would lead away. */
async function requirePublicUrl(url: string): Promise<void> {
  const { body } = await send<{ servers: { url: string }[] }>(url, { path: '/openapi.json' });
  const publicUrl = body.servers[0]!.url;
  if (new URL(publicUrl).origin !== new URL(url).origin) throw new Error(`Set ACCEPTANCE_URL to ${publicUrl}.`);
}

async function fromSharedPlatform(): Promise<Platform> {
  const shared = await sharedPlatform();
  const { url } = shared;
  const databaseUrl = await databaseUrlOf(shared);
  const plan = 'scale';
  const [own, other] = await Promise.all([createTenant(databaseUrl, { plan }), createTenant(databaseUrl, { plan })]);
  const [owner, otherOwner, member] = await Promise.all([
    createUser(databaseUrl, { orgId: own.orgId }),
    createUser(databaseUrl, { orgId: other.orgId }),
    createUser(databaseUrl, { orgId: own.orgId, role: 'member' }),
  ]);
  const person = (user: User) => ({ ...sessionClientOf(url, user.sessionToken), ...user });
  return {
    own: clientOf({ url, ...own }),
    other: clientOf({ url, ...other }),
    owner: person(owner),
    otherOwner: person(otherOwner),
    member: () => logIn(url, member),
  };
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} beside ACCEPTANCE_URL.`);
  return value;
}
