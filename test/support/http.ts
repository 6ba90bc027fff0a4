import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request exactly as it is to travel: the path is sent as it is written, unlike by `fetch`, which tidies it. */
export type Sent = {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
};

/** What came back. `body` is the parsed JSON of an answer that says it is JSON, else null. */
export type Answer<T = unknown> = { status: number; headers: IncomingHttpHeaders; text: string; body: T };

/** The shape of every refusal. */
export type ErrorBody = {
  error: string;
  message: string;
  requestId: string;
  details?: { path: string; message: string }[];
};

const agent = new Agent({ keepAlive: true });

/**
 * Sends one request and reads the whole answer; rejects when the connection ends before it. Only where the server closed
 * an idle connection just as it was used again, the request, which never got there, is sent once more.
 */
export function send<T = unknown>(url: string, sent: Sent): Promise<Answer<T>> {
  const { method = 'GET', path, headers, body } = sent;
  const { hostname, port } = new URL(url);
  // Node frames no body of a GET, HEAD or DELETE by itself, and would send bytes that belong to no request.
  const isFramed =
    body === undefined || Object.keys(headers ?? {}).some((name) => /^(content-length|transfer-)/i.test(name));
  const framing = isFramed ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path, headers: { ...headers, ...framing } };
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: (isJson ? JSON.parse(text) : null) as T,
        });
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(send<T>(url, sent));
      else reject(error);
    });
    outgoing.end(body);
  });
}
