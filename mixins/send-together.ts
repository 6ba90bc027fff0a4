import type { Middleware } from 'moleculer';
import type { NatsConnection } from 'nats';

type Send = (topic: string, data: Buffer, meta: object) => Promise<void>;
type Transporter = { client?: NatsConnection | null };
type Waiting = { args: Parameters<Send>; resolve: () => void; reject: (error: unknown) => void };

/**
 * Hands NATS what one turn of the event loop sends in one piece. Its client writes to the socket once per request that
 * is being served, and with 32 of them in flight those writes were 40 % of the work of both nodes.
 */
export function sendTogether(): Middleware {
  return {
    name: 'SendTogether',
    transporterSend(this: Transporter, next: Send) {
      let waiting: Waiting[] = [];

      function sendAll(): void {
        const together = waiting;
        waiting = [];
        for (const { args, resolve, reject } of together) {
          try {
            next(...args).then(resolve, reject);
          } catch (error) {
            reject(error);
          }
        }
      }

      const send: Send = (...args) => {
        const [, data] = args;
        // What is too large is thrown at once: only so does a node that answers with it learn to answer otherwise.
        if (data.length > (this.client?.info?.max_payload ?? 0)) return next(...args);
        return new Promise((resolve, reject) => {
          if (waiting.length === 0) setImmediate(sendAll);
          waiting.push({ args, resolve, reject });
        });
      };
      // Moleculer's type leaves out that the hook gives the function to send with.
      return send as never;
    },
  };
}
