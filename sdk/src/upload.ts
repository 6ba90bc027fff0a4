import { errorOf, type Refusal, readRefusal } from './errors.ts';
import type { Call, Settings } from './request.ts';
import { withRetries, withTimeout } from './retry.ts';
import type { Schemas, Upload } from './types.ts';

/** A signed address, and the headers that it requires. */
type Signed = { uploadUrl: string; headers: Record<string, string> };

/** Uploads files. A signed address is valid for one upload, so each attempt has another one. */
export function createUpload(call: Call, { maxAttempts, fetch }: Settings) {
  return (upload: Upload): Promise<Schemas['StoredObject']> => {
    const { file, bucket, key, mimeType = file.type || 'application/octet-stream', signal } = upload;
    const body = { bucket, key, mimeType, size: file.size, public: upload.public };
    return withRetries({ maxAttempts, isRepeatable: true, signal }, async () => {
      const signed = await call('POST', '/v1/presign', { body, signal });
      return putFile(signed as Signed, upload, fetch);
    });
  };
}

async function putFile(
  signed: Signed,
  { file, onProgress, signal }: Upload,
  fetch: Settings['fetch'],
): Promise<Schemas['StoredObject']> {
  const report = (sentBytes: number) => onProgress?.({ sentBytes, totalBytes: file.size });
  const put = onProgress ? putWithProgress : putPlain;
  report(0);
  // A large file takes long, and the platform itself ends an upload that makes no progress.
  const answer = await withTimeout({ timeout: 0, signal }, (either) =>
    put({ ...signed, file, signal: either, report, fetch }),
  );
  if (answer.status >= 300) throw errorOf(answer);
  return JSON.parse(answer.text);
}

type Put = Signed & {
  file: Blob;
  signal: AbortSignal;
  report: (sentBytes: number) => void;
  fetch: Settings['fetch'];
};

async function putPlain({ uploadUrl, headers, file, signal, fetch }: Put): Promise<Refusal> {
  return readRefusal(await fetch(uploadUrl, { method: 'PUT', headers, body: file, signal }));
}

/** Browsers report the progress of an upload by XMLHttpRequest alone. */
function putWithProgress(put: Put): Promise<Refusal> {
  const { XMLHttpRequest: Request } = globalThis as { XMLHttpRequest?: new () => Xhr };
  return Request ? putByXhr(new Request(), put) : putAsStream(put);
}

/** The used part of XMLHttpRequest, whose type exists in projects for browsers only. */
type Xhr = {
  status: number;
  responseText: string;
  upload: { onprogress: (event: { loaded: number }) => void };
  onload: () => void;
  onerror: () => void;
  open: (method: string, url: string) => void;
  setRequestHeader: (name: string, value: string) => void;
  getResponseHeader: (name: string) => string | null;
  send: (body: Blob) => void;
  abort: () => void;
};

function putByXhr(xhr: Xhr, { uploadUrl, headers, file, signal, report }: Put): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    xhr.open('PUT', uploadUrl);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => report(loaded);
    xhr.onload = () =>
      resolve({ status: xhr.status, text: xhr.responseText, header: (name) => xhr.getResponseHeader(name) });
    xhr.onerror = () => reject(new TypeError('The upload failed.'));
    const abort = () => {
      xhr.abort();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(file);
  });
}

const chunkBytes = 64 * 1024;

/** Counts the bytes that the connection takes from a stream. */
async function putAsStream({ uploadUrl, headers, file, signal, report, fetch }: Put): Promise<Refusal> {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(await file.slice(sentBytes, sentBytes + chunkBytes).arrayBuffer());
        if (chunk.length > 0) controller.enqueue(chunk);
        sentBytes += chunk.length;
        report(sentBytes);
        if (sentBytes >= file.size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const length = { 'content-length': String(file.size) };
  const init = { method: 'PUT', headers: { ...headers, ...length }, body, signal, duplex: 'half' };
  return readRefusal(await fetch(uploadUrl, init as RequestInit));
}
