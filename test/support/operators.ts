import type { UserDocument } from '../../models/identity/user.ts';
import type { Client } from './client.ts';
import type { Platform } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { databaseUrlOf, withDatabase } from './tenants.ts';
import { newUserClient, type User } from './user-client.ts';
import { insertUser, sessionClientOf } from './users.ts';

/** A client of the shared platform on behalf of a new operator, who is a member of no organization. */
export async function newOperatorClient(): Promise<Client & User> {
  const user = await newUserClient();
  await promote(await databaseUrlOf(await sharedPlatform()), user);
  return user;
}

/** The same of another platform, for a test that changes what counts for the whole platform. */
export async function newOperatorClientOf(platform: Platform): Promise<Client & User> {
  const databaseUrl = await databaseUrlOf(platform);
  const user = await insertUser(databaseUrl);
  await promote(databaseUrl, user);
  return { ...sessionClientOf(platform.url, user.sessionToken), ...user };
}

const promote = (databaseUrl: string, { userId }: User) =>
  withDatabase(databaseUrl, (database) =>
    database.collection<UserDocument>('identity_users').updateOne({ _id: userId }, { $set: { isOperator: true } }),
  );
