import { expect } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { readAll } from './keys.ts';

/** An assignment as the API shows it. */
export type Assignment = {
  assignmentId: string;
  userId?: string;
  applicationId?: string;
  roleId: string;
  context: { orgId: string };
  expiresAt: string | null;
  revision: number;
  createdAt: string;
  updatedAt: string;
};

/** Registers keys, which have one namespace. */
export async function register(client: Client, ...keys: string[]): Promise<void> {
  const namespace = keys[0]!.split('.')[0];
  const body = { namespace, permissions: keys.map((key) => ({ key })) };
  expect((await client.send('POST', '/access/permissions', body)).status).toBe(201);
}

/** Makes a role with keys that are there, and gives its id. */
export async function makeRole(client: Client, permissions: string[], includes: string[] = []): Promise<string> {
  const body = { name: 'A role', permissions, includes };
  const { status, body: made } = await client.send<{ id: string }>('POST', '/access/roles', body);
  expect(status).toBe(201);
  return made.id;
}

export const assign = (client: Client, body: object): Promise<Answer<Assignment & ErrorBody>> =>
  client.send('POST', '/access/assignments', body);

export const unassign = (client: Client, assignmentId: string): Promise<Answer<ErrorBody>> =>
  client.send('DELETE', `/access/assignments/${assignmentId}`);

/** Assigns a role, which must succeed. */
export async function assigned(client: Client, body: object): Promise<Assignment> {
  const { status, body: assignment, text } = await assign(client, body);
  if (status !== 201) throw new Error(`The role was not assigned: ${status} ${text}`);
  return assignment;
}

/** What a check answers, which must succeed. */
export async function isAllowed(client: Client, body: object): Promise<boolean> {
  const { status, body: answer, text } = await client.send<{ allowed: boolean }>('POST', '/access/check', body);
  if (status !== 200) throw new Error(`The check was answered ${status} ${text}`);
  return answer.allowed;
}

export const assignmentsOf = (client: Client, userId: string): Promise<Assignment[]> =>
  readAll<Assignment>(client, `/identity/users/${userId}/assignments`);

/** Status and code of an answer, for tables. */
export const outcome = ({ status, body }: Answer<ErrorBody>): string => `${status} ${body?.error ?? ''}`.trim();

/** A refusal as its status and the first field it names. */
export const refusal = ({ status, body }: Answer<ErrorBody>): object => ({ status, path: body.details?.[0]?.path });
