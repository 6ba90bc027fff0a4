import { type EngineName, engines } from '../access/engines.ts';
import { makeWorld, type WorldSize } from '../access/world.ts';
import { takeServer } from '../load/job.ts';
import { answerJson, listen, readText } from './json-server.ts';

/** `organizations`: organization of each credential, by its Authorization header. */
export type BareDecisionsOptions = { engine: EngineName; world: WorldSize; organizations: Record<string, string> };

/** Lower bound of POST /access/check: bare node:http with an engine in the same process. */
async function start({ engine, world, organizations }: BareDecisionsOptions): Promise<{ port: number }> {
  const decide = await engines[engine](makeWorld(world));
  const credentials = new Map(Object.entries(organizations));
  return listen((request, response) => {
    const orgId = credentials.get(request.headers.authorization ?? '');
    if (orgId === undefined) return answerJson(response, 401, {});
    readText(request, (text) => {
      const { userId, permission } = JSON.parse(text) as { userId: string; permission: string };
      answerJson(response, 200, { allowed: decide(orgId, userId, permission) });
    });
  });
}

takeServer(start);
