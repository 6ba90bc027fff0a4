import { takeServer } from '../load/job.ts';
import { answerJson, listen, readText } from './json-server.ts';

/** Lower bound: bare node:http with the same bodies. `me` is the profile of the credential's owner. */
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
