type PutRequest = {
  url: string;
  /** The signed media type. */
  type: string;
  file: File;
  /** Whether an object of the same key is replaced; otherwise it is refused. */
  replaces: boolean;
  signal: AbortSignal;
  /** Called with the sent share, and the seconds until the end where they can be estimated. */
  onProgress: (share: number, secondsLeft: number | null) => void;
};

export type PutAnswer = { isStored: true } | { isStored: false; code: string; message: string };

type Refusal = { error?: string; message?: string; details?: { message: string }[] };

/** The status of a store without room, which a repetition does not change. */
const storeFull = 507;
/** Before this time the estimate varies too much. */
const minEstimated = 2000;

/**
 * Sends a file to a signed address. `fetch` does not report the progress of a body.
 *
 * @throws when the connection is lost, the storage is unavailable, or the signal aborts.
 */
export function putFile({ url, type, file, replaces, signal, onProgress }: PutRequest): Promise<PutAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const startedAt = performance.now();
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort);
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', type);
    if (!replaces) request.setRequestHeader('If-None-Match', '*');
    request.upload.onprogress = ({ loaded, total }) => {
      const elapsed = performance.now() - startedAt;
      const share = total > 0 ? loaded / total : 1;
      const remaining = elapsed < minEstimated || loaded === 0 ? null : (elapsed * (1 - share)) / share / 1000;
      onProgress(share, remaining);
    };
    request.onerror = () => reject(new Error('The connection was lost.'));
    request.onabort = () => reject(new Error('The upload was cancelled.'));
    request.onload = () => {
      const { status } = request;
      if (status >= 200 && status < 300) resolve({ isStored: true });
      else if ((status >= 500 && status !== storeFull) || status === 429) reject(new Error(String(status)));
      else resolve(refusalOf(request.responseText));
    };
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.send(file);
  });
}

function refusalOf(text: string): PutAnswer {
  try {
    const { error: code = '', message = '', details } = JSON.parse(text) as Refusal;
    return { isStored: false, code, message: details?.[0]?.message ?? message };
  } catch {
    return { isStored: false, code: '', message: '' };
  }
}
