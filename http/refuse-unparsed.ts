import type { Duplex } from 'node:stream';
import type { Logger } from 'moleculer';
import { apiError, type ErrorCode } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { http } from '../lib/node-http.ts';
import { renderError } from '../lib/render-error.ts';

/** The error codes with which Node ends a connection. Any other code is a request that its parser cannot read. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

type Connection = Duplex & { remoteAddress?: string; _httpMessage?: { headersSent: boolean } };

/** Answers unparsable data with a regular error response, and closes the connection. */
export const refuseUnparsed =
  (logger: Logger) =>
  (error: NodeJS.ErrnoException, stream: Duplex): void => {
    const connection: Connection = stream;
    // The client has disconnected, or an answer is in flight and must not be followed by a second.
    if (!connection.writable || error.code === 'ECONNRESET' || connection._httpMessage?.headersSent) {
      connection.destroy();
      return;
    }
    const requestId = newId('req');
    const { status, body } = renderError(apiError(codes[error.code ?? ''] ?? 'REQUEST_MALFORMED'), requestId);
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
    ];
    connection.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => connection.destroy());
    logger.info('unparsed request', { requestId, status, reason: error.code, address: connection.remoteAddress });
  };
