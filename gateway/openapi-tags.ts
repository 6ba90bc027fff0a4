import type { JsonSchema } from '../lib/contract.ts';

const descriptions: Record<string, string> = {
  access: 'Roles, permissions and checks.',
  billing: 'Plans, subscriptions, usage and invoices.',
  connect: 'Conversations with the visitors of websites.',
  context: 'Business events, and the stories that are composed from them.',
  health: 'Whether a node can serve requests.',
  identity: 'Users, organizations, applications and API keys.',
  mail: 'Mail by templates.',
  notification: 'Notifications over the channels of an organization.',
  oauth: 'OAuth 2.0 and OpenID Connect.',
  storage: 'Buckets, objects and their delivery.',
};

/** The tags of the operations, each with what it is about. */
export function tagsOf(paths: Record<string, Record<string, JsonSchema>>): { name: string; description: string }[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = new Set(operations.flatMap(({ tags }) => tags as string[]));
  return [...names].sort().map((name) => ({ name, description: descriptions[name] ?? `The service ${name}.` }));
}
