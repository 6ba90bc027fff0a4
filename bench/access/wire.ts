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
  const body = JSON.stringify(content);
  const all = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
