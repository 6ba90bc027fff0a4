import { wire as wireRequest } from '../load/http-request.ts';
import type { ApiKeys } from './seed.ts';
import type { Question } from './world.ts';

/** One raw HTTP request, and a text that only the correct answer contains. */
export type WiredQuestion = { request: string; mark: string };

/** Encodes questions as POST /access/check, each with the API key of an application of its organization. */
export function wireForPlatform(questions: Question[], apiKeys: ApiKeys): WiredQuestion[] {
  return questions.map(({ orgId, userId, permission, allowed }) => ({
    request: wire('/access/check', { userId, permission }, { Authorization: `Bearer ${apiKeys.get(orgId)}` }),
    mark: JSON.stringify({ allowed }),
  }));
}

/** Encodes questions for Cerbos: the caller supplies the user's roles. */
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
