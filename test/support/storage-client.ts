import type { CallOutput } from '../../lib/contract/context.ts';
import { encodeKey } from '../../services/storage/content/object-key.ts';
import type { Client, Headers } from './client.ts';
import { type Answer, type ErrorBody, send } from './http.ts';

export type StoredObject = CallOutput<'storage.objects.put'>;
export type ObjectAnswer = Answer<StoredObject & ErrorBody>;

/** A file of a form. */
export type FormFile = { name: string; type?: string; bytes: string | Uint8Array };

/** What one does with objects over HTTP, on behalf of a client. */
export type StorageClient = {
  /** The address of the storage API. */
  url: string;
  /** POST /v1/upload; a list of fields and files is sent in its order. */
  upload(parts: [field: string, value: string | FormFile][], headers?: Headers): Promise<ObjectAnswer>;
  put(bucket: string, key: string, bytes: string | Uint8Array, headers?: Headers): Promise<ObjectAnswer>;
  get(bucket: string, key: string, headers?: Headers): Promise<Answer<ErrorBody>>;
  /** GET /cdn/:bucket/*key, without any credential. */
  getPublic(bucket: string, key: string, headers?: Record<string, string>, query?: string): Promise<Answer<ErrorBody>>;
  remove(bucket: string, key: string): Promise<Answer<ErrorBody>>;
};

/** The storage of the platform that a client calls. */
export async function storageOf(client: Client): Promise<StorageClient> {
  const url = await storageUrlOf(client.url);
  const addressOf = (bucket: string, key: string) => `${url}/v1/objects/${bucket}/${encodeKey(key)}`;
  return {
    url,
    async upload(parts, headers) {
      const { type, bytes } = await encodeForm(parts);
      return await client.send('POST', `${url}/v1/upload`, bytes, { 'content-type': type, ...headers });
    },
    put: (bucket, key, bytes, headers) =>
      client.send('PUT', addressOf(bucket, key), bytes, { 'content-type': 'application/octet-stream', ...headers }),
    get: (bucket, key, headers) => client.send('GET', addressOf(bucket, key), undefined, headers),
    getPublic: (bucket, key, headers = {}, query = '') =>
      send<ErrorBody>(url, { path: `/cdn/${bucket}/${encodeKey(key)}${query}`, headers }),
    remove: (bucket, key) => client.send('DELETE', addressOf(bucket, key)),
  };
}

type OpenApi = { paths: Record<string, Record<string, { servers?: { url: string }[] }>> };

/** The address of the storage API, as the document of a platform names it. */
export async function storageUrlOf(url: string): Promise<string> {
  const { body } = await send<OpenApi>(url, { path: '/openapi.json' });
  const { servers } = body.paths['/v1/buckets']!.get!;
  return servers![0]!.url;
}

async function encodeForm(parts: [string, string | FormFile][]): Promise<{ type: string; bytes: Uint8Array }> {
  const form = new FormData();
  for (const [field, value] of parts) {
    if (typeof value === 'string') form.append(field, value);
    else form.append(field, new Blob([Buffer.from(value.bytes)], { type: value.type ?? '' }), value.name);
  }
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type')!, bytes: new Uint8Array(await encoded.arrayBuffer()) };
}
