import { takeServer } from '../load/job.ts';
import { answerJson, listen, readText } from './json-server.ts';

/** The floor: what Node alone needs to answer the same bodies. `me` is what the credential's owner is answered. */
export type BareOptions = { authorization: string; me: unknown };

function start({ authorization, me }: BareOptions): Promise<{ port: number }> {
  const credentials = new Map([[authorization, me]]);
  return listen((request, response) => {
    const owner = credentials.get(request.headers.authorization ?? '');
    if (owner === undefined) return answerJson(response, 401, {});
    if (request.method === 'GET') return answerJson(response, 200, owner);
    readText(request, (text) => answerJson(response, 201, { eventId: JSON.parse(text).eventId, status: 'accepted' }));
  });
}

takeServer(start);
