import { wire as wireRequest } from '../load/http-request.ts';
import type { ApiKeys } from './seed.ts';
import type { Question } from './world.ts';

/** One request as it goes over the wire, and a text that only the right answer holds. */
export type WiredQuestion = { request: string; mark: string };

/** Questions as POST /access/check, each with the key of an application of its organization. */
export function wireForPlatform(questions: Question[], apiKeys: ApiKeys): WiredQuestion[] {
  return questions.map(({ orgId, userId, permission, allowed }) => ({
    request: wire('/access/check', { userId, permission }, { Authorization: `Bearer ${apiKeys.get(orgId)}` }),
    mark: JSON.stringify({ allowed }),
  }));
}

/** Questions as Cerbos is asked: who looks the roles of a user up is the one who asks. */
export function wireForCerbos(questions: Question[]): WiredQuestion[] {
  return questions.map(({ orgId, userId, roleIds, permission, allowed }) => ({
    request: wire('/api/check/resources', {
      principal: { id: userId, roles: roleIds },
      resources: [{ actions: [permission], resource: { kind: orgId, id: 'any' } }],
    }),
    mark: `"${permission}":"${allowed ? 'EFFECT_ALLOW' : 'EFFECT_DENY'}"`,
  }));
}

function wire(path: string, content: object, headers: Record<string, string> = {}): string {
  return wireRequest({ method: 'POST', path, headers, body: JSON.stringify(content) });
}
